"""Digests of results: show what a change to the code changes in what it produces.

    python tools/digests.py                    compare the committed sample with this code
    python tools/digests.py --update           write the sample anew
    python tools/digests.py --base REF         compare the corpus by this code and by a git ref
    python tools/digests.py --show CASE        print one record; with --base, the difference

A digest file has one line for each case: its id, the digest of its structure and the digest of its
text. See ``digest_records`` for what belongs to which.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import importlib.abc
import importlib.machinery
import json
import os
import subprocess
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "tests" / "digests.tsv"
BUILD = ROOT / "build" / "digests"
Digests = dict[str, tuple[str, str]]
_SHOWN = 40
_PROGRESS_SECONDS = 15.0


class _PythonOnly(importlib.abc.MetaPathFinder):
    """Makes the compiled modules of the package look as if they had not been built."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        del target
        if name.startswith("toolcanon."):
            found = importlib.machinery.PathFinder.find_spec(name, path)
            if found and isinstance(found.loader, importlib.machinery.ExtensionFileLoader):
                raise ModuleNotFoundError(name)


def digest(value: Any) -> str:
    """Return a short digest of a JSON value; the order of keys counts."""
    text = json.dumps(value, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def run(suite: str, shard: int, shards: int) -> Iterator[str]:
    """Yield a line for each case of one shard of a suite."""
    import digest_cases  # noqa: PLC0415 - the parent process does not need the package
    from digest_records import recorded  # noqa: PLC0415

    started = shown = time.monotonic()
    for number, (case, make) in enumerate(getattr(digest_cases, suite)()):
        if number % shards == shard:
            structure, text = recorded(make)
            yield f"{case}\t{digest(structure)}\t{digest(text)}\n"
        if shard == 0 and time.monotonic() - shown > _PROGRESS_SECONDS:
            shown = time.monotonic()
            sys.stderr.write(f"  {number} cases, {shown - started:.0f} s\n")


def show(suite: str, wanted: str) -> str:
    """Return the record of one case as text."""
    import digest_cases  # noqa: PLC0415
    from digest_records import recorded  # noqa: PLC0415

    for case, make in getattr(digest_cases, suite)():
        if case == wanted:
            structure, text = recorded(make)
            return json.dumps([structure, text], indent=1, default=str, ensure_ascii=False)
    return ""


def parsed(lines: Iterable[str]) -> Digests:
    """Read the lines of a digest file."""
    rows = (line.rstrip("\n").split("\t") for line in lines)
    return {case: (structure, text) for case, structure, text in rows}


def differences(before: Digests, after: Digests) -> list[tuple[str, str]]:
    """Return the cases that differ, each with what differs."""
    found = [(case, "gone") for case in before if case not in after]
    for case, now in after.items():
        was = before.get(case)
        if was is None:
            found.append((case, "new"))
        elif was != now:
            parts = [
                part for part, a, b in zip(("structure", "text"), was, now, strict=True) if a != b
            ]
            found.append((case, " and ".join(parts)))
    return found


def report(found: Sequence[tuple[str, str]], total: int) -> int:
    """Print the differences, structure first, and write all of them; return the exit status."""
    rows = sorted(found, key=lambda row: row[1] == "text")
    for case, what in rows[:_SHOWN]:
        print(f"{what:18} {case}")
    if len(rows) > _SHOWN:
        BUILD.mkdir(parents=True, exist_ok=True)
        every = BUILD / "differences.tsv"
        every.write_text("".join(f"{what}\t{case}\n" for case, what in rows), encoding="utf-8")
        print(f"… and {len(rows) - _SHOWN} more in {every.relative_to(ROOT)}")
    for (verb, target, what), count in sorted(Counter(map(_kind, found)).items()):
        print(f"{count:6} {verb} {target} {what}")
    print(f"{len(found)} of {total} cases differ")
    return 1 if found else 0


def _kind(row: tuple[str, str]) -> tuple[str, str, str]:
    case, what = row
    _, _, target = case.rpartition(" > ")
    return case.split()[0], target if " > " in case else "", what


def output_of(source: Path, arguments: Sequence[str], *, seed: str = "0") -> str:
    """Run this script with the package from a folder; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONHASHSEED": seed}
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, __file__, *arguments],
        env=environment, stdout=subprocess.PIPE, check=False, encoding="utf-8",
    )  # fmt: skip
    if done.returncode:
        sys.exit("a run failed; see above")
    return done.stdout


def corpus_digests(source: Path, cores: int) -> Digests:
    """Digest the corpus with the package in a folder, on several cores."""
    shards = [["--run", "corpus", "--python-only", "--shard", f"{n}/{cores}"] for n in range(cores)]
    with ThreadPoolExecutor(cores) as pool:
        texts = list(pool.map(partial(output_of, source), shards))
    return parsed("".join(texts).splitlines())


def source_of(ref: str) -> tuple[str, Path]:
    """Unpack the package of a git ref; return the commit and the folder."""
    commit = _git("rev-parse", "--short=12", f"{ref}^{{commit}}").decode().strip()
    folder = BUILD / commit
    if not (folder / "src").exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(fileobj=BytesIO(_git("archive", commit, "src"))) as archive:
            archive.extractall(folder, filter="data")
    return commit, folder / "src"


def _git(*arguments: str) -> bytes:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], check=False, capture_output=True)  # noqa: S603, S607
    if done.returncode:
        sys.exit(done.stderr.decode().strip())
    return done.stdout


def baseline(ref: str, cores: int) -> Digests:
    """Digest the corpus by a git ref, once for each commit and each version of the cases."""
    commit, source = source_of(ref)
    scripts = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("dig*.py")))
    kept = BUILD / f"{commit}-{hashlib.sha256(scripts).hexdigest()[:8]}.tsv"
    if not kept.exists():
        print(f"digesting the corpus by {ref} ({commit}) …", flush=True)
        found = corpus_digests(source, cores)
        kept.write_text("".join(f"{c}\t{s}\t{t}\n" for c, (s, t) in found.items()), "utf-8")
    return parsed(kept.read_text("utf-8").splitlines())


def sample_lines(seed: str = "0", *, python_only: bool = False) -> str:
    """Digest the sample in a new process."""
    switches = ["--python-only"] if python_only else []
    return output_of(ROOT / "src", ["--run", "sample", *switches], seed=seed)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--update", action="store_true", help="write the committed sample anew")
    parser.add_argument("--base", metavar="REF", help="compare the corpus with this git ref")
    parser.add_argument("--show", metavar="CASE", help="print the record of one case")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--run", choices=("sample", "corpus"), help=argparse.SUPPRESS)
    parser.add_argument("--shard", default="0/1", help=argparse.SUPPRESS)
    parser.add_argument("--python-only", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    asked = arguments()
    if asked.python_only:
        sys.meta_path.insert(0, _PythonOnly())
    if asked.run:
        shard, _, shards = asked.shard.partition("/")
        sys.stdout.writelines(run(asked.run, int(shard), int(shards)))
        return 0
    if asked.show:
        return _shown(asked.show, asked.base)
    if asked.base:
        before = baseline(asked.base, asked.cores)
        print("digesting the corpus by this code …", flush=True)
        after = corpus_digests(ROOT / "src", asked.cores)
        return report(differences(before, after), len(after))
    lines = sample_lines()
    if asked.update:
        SAMPLE.write_text(lines, encoding="utf-8")
        return 0
    after = parsed(lines.splitlines())
    return report(differences(parsed(SAMPLE.read_text("utf-8").splitlines()), after), len(after))


def _shown(case: str, base: str | None) -> int:
    here = show("sample", case) or show("corpus", case)
    if not here:
        sys.exit(f"no case is called {case!r}")
    if base is None:
        print(here)
        return 0
    _, source = source_of(base)
    there = output_of(source, ["--show", case])
    sys.stdout.writelines(
        f"{line}\n"
        for line in difflib.unified_diff(
            there.splitlines(), here.splitlines(), base, "this code", lineterm="", n=6
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
