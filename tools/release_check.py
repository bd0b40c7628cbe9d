"""Check a release before it is published: build it, install it, use it.

    python tools/release_check.py                      every Python from 3.11 that this machine has
    python tools/release_check.py --python python3.12  one of them

Builds the source distribution, a pure wheel and the wheel with compiled templates from the files
of the last commit, installs each into an empty environment, and does one job of each kind of user
there: run an agent's tool, check a server's tools, lock tools and find a change, convert a file of
rows. Exits 1 when anything fails.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).parent.parent
MINORS = range(11, 20)
AGENT = '''
import toolcanon as tc

@tc.tool
def weather(city: str, days: int = 1) -> str:
    """Forecast the weather."""
    return f"{city}: clear for {days} days"

bound = tc.Toolset([weather]).bind("anthropic")
answer = {"type": "message", "role": "assistant", "stop_reason": "tool_use", "content": [
    {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Oslo", "days": 2}}]}
turn = list(bound.run(answer))
assert "Oslo: clear for 2 days" in str(turn), turn
schema = {"type": "object", "properties": {
    "x": {"type": "object", "additionalProperties": {"type": "integer"}}}}
strict = tc.convert({"name": "a.b", "inputSchema": schema}, "openai", strict=True)
call = strict.binding.restore("a_b", '{"x": [{"key": "k", "value": 1}]}')
assert (call.name, call.arguments) == ("a.b", {"x": {"k": 1}}), call
'''


class Failure(Exception):
    """A step of the check failed."""


def run(command: Sequence[str | Path], folder: Path, *, status: int = 0, **variables: str) -> str:
    """Run a command apart from this checkout's environment; return what it prints."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(  # noqa: S603 - our own commands
        [str(word) for word in command],
        cwd=folder,
        env={**environment, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **variables},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != status:
        shown = " ".join(str(word) for word in command)
        raise Failure(f"{shown}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def pythons() -> list[Path]:
    """Find every Python from 3.11 on PATH and among pyenv's, one for each minor version."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = []
    for minor in MINORS:
        places = [
            shutil.which(f"python3.{minor}"),
            *sorted(versions.glob(f"3.{minor}.*/bin/python")),
        ]
        for place in filter(None, places):
            if _is_usable(Path(place), minor):
                found.append(Path(place))
                break
    return found


def _is_usable(python: Path, minor: int) -> bool:
    """Whether a Python has this version and can make environments."""
    test = f"import ensurepip, sys, venv; sys.exit(sys.version_info[:2] != (3, {minor}))"
    try:
        run([python, "-c", test], ROOT)
    except (Failure, OSError):
        return False
    return True


def environment(python: Path, folder: Path, *wanted: str | Path) -> Path:
    """Make an environment with these installed; return the folder of its commands."""
    run([python, "-m", "venv", folder], ROOT)
    commands = folder / "bin"
    run([commands / "python", "-m", "pip", "install", "--quiet", *wanted], ROOT)
    return commands


def build(python: Path, folder: Path) -> dict[str, Path]:
    """Build from the files of the last commit; return the distributions by kind."""
    tree = folder / "tree"
    packed = subprocess.run(  # noqa: S603 - git, on our own files
        ["git", "-C", str(ROOT), "archive", "HEAD"],  # noqa: S607
        capture_output=True,
        check=True,
    ).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(tree, filter="data")
    tool = [environment(python, folder / "builder", "build") / "python", "-m", "build"]
    run([*tool, "--quiet", "--sdist", "--outdir", folder, tree], tree)
    made = {"source distribution": next(folder.glob("*.tar.gz"))}
    for kind, pure in (("pure wheel", "1"), ("wheel with templates", "0")):
        out = folder / kind.replace(" ", "-")
        # From the source distribution: a file missing there is found here.
        command = [*tool, "--quiet", "--wheel", "--outdir", out, _unpacked(folder, made, kind)]
        run(command, tree, TOOLCANON_PURE=pure)
        made[kind] = next(out.glob("*.whl"))
    return made


def _unpacked(folder: Path, made: dict[str, Path], kind: str) -> Path:
    place = folder / f"sources-{kind.replace(' ', '-')}"
    with tarfile.open(made["source distribution"]) as archive:
        archive.extractall(place, filter="data")
    return next(place.iterdir())


def inspect(kind: str, wheel: Path) -> None:
    """Check the files of a wheel."""
    with zipfile.ZipFile(wheel) as held:
        names = held.namelist()
    compiled = [name for name in names if name.endswith((".so", ".pyd"))]
    if bool(compiled) != (kind == "wheel with templates"):
        raise Failure(f"{wheel.name} holds {compiled or 'nothing compiled'}")
    for wanted in ("toolcanon/py.typed", "LICENSE", "NOTICE"):
        if not any(name.endswith(wanted) for name in names):
            raise Failure(f"{wheel.name} has no {wanted}")
    if foreign := [name for name in names if not name.startswith("toolcanon")]:
        raise Failure(f"{wheel.name} holds files of others: {foreign}")


def use(commands: Path, folder: Path) -> None:
    """Do one job of each kind of user with an installed package."""
    shutil.copytree(ROOT / "examples", folder)
    toolcanon, toolwatch = commands / "toolcanon", commands / "toolwatch"
    installed = "import toolcanon, sys; sys.exit(not toolcanon.__file__.startswith(sys.prefix))"
    run([commands / "python", "-c", installed], folder)
    run([commands / "python", "-c", AGENT], folder)
    report = run([toolcanon, "check", "catalog.mcp.json"], folder, status=1)
    _expect("invisible-characters", report)
    (folder / "orders.json").write_bytes((folder / "orders.v1.json").read_bytes())
    run([toolwatch, "lock", "orders.json"], folder)
    run([toolwatch, "verify"], folder)
    (folder / "orders.json").write_bytes((folder / "orders.v2.json").read_bytes())
    _expect("breaking", run([toolwatch, "verify"], folder, status=1))
    row = run(
        [toolcanon, "convert", "train.jsonl", "--to", "openai", "--strict",
         "--tools-field", "tools", "--calls-field", "answers"],
        folder,
    )  # fmt: skip
    _expect('\\"strict\\":true', row)


def _expect(text: str, printed: str) -> None:
    if text not in printed:
        raise Failure(f"{text!r} is missing in:\n{printed}")


def check(interpreters: Sequence[Path], folder: Path) -> None:
    """Build once, then install and use everything with each Python."""
    made = build(interpreters[0], folder)
    for kind, path in made.items():
        if path.suffix == ".whl":
            inspect(kind, path)
        print(f"built the {kind}: {path.name}", flush=True)
    for number, python in enumerate(interpreters):
        version = run([python, "--version"], folder).strip()
        for kind, path in made.items():
            if kind == "wheel with templates" and number:  # built for the first one only
                continue
            started = time.monotonic()
            place = folder / f"{number}-{kind.replace(' ', '-')}"
            use(environment(python, place / "environment", path), place / "work")
            print(f"{version}: {kind}: four jobs in {time.monotonic() - started:.0f} s", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--python", action="append", type=Path, help="an interpreter; repeatable")
    asked = parser.parse_args()
    interpreters = [Path(shutil.which(str(each)) or each) for each in asked.python or pythons()]
    if not interpreters:
        print("no Python from 3.11 with venv was found", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        try:
            check(interpreters, Path(folder))
        except Failure as failure:
            print(f"failed: {failure}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
