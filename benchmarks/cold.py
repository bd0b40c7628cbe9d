"""Definitions that were never met before: payload and losses, ours and what peers do alike.

Cold means: a fresh process for each contestant, which warms up on other definitions of the corpus
and then meets each definition of the benchmark set exactly once. No memory of tools or schemas can
help there. Figures are multiples of orjson's loads and dumps of the same definitions, measured in
blocks of 32 right before each block of the contestant, in processor time; the blocks of all
processes count, by their median. Public API only.

    python benchmarks/cold.py                       our own contestants
    python benchmarks/cold.py --peers               with pydantic-ai and litellm
    python benchmarks/cold.py --only strict         those with "strict" in their name
    python benchmarks/cold.py --profile "convert to openai/strict"
    BASE_SRC=/elsewhere/src python benchmarks/cold.py     beside another version, in turn
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import os
import platform
import pstats
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from corpus import ROOT, definitions, others, without_repeats
from ratios import BLOCK, floor_of, time_of

TARGETS: dict[str, tuple[str, dict[str, Any]]] = {
    "openai": ("openai", {}),
    "anthropic": ("anthropic", {}),
    "gemini/openapi": ("gemini", {"dialect": "gemini/openapi"}),
    "openai/strict": ("openai", {"strict": True}),
}
WARM_UP = 400
SHOWN = 45
PEERS = ROOT / ".venv-peers" / "bin" / "python"


class Limit(NamedTuple):
    hard: float
    aim: float


LIMITS = {
    "convert to openai": Limit(6.5, 5),
    "convert to anthropic": Limit(6.5, 5),
    "convert to gemini/openapi": Limit(13, 9),
    "convert to openai/strict": Limit(13, 10),
    "convert to anthropic, with receipt": Limit(14, 10),
}


class Work(NamedTuple):
    """What a contestant does with each definition, and how it is made ready for that."""

    run: Callable[[Any], Any]
    prepare: Callable[[Any], Any] = lambda definition: definition


def _convert(name: str, *, receipt: bool = False) -> Work:
    from toolcanon import convert  # noqa: PLC0415 - each process imports what it measures

    target, options = TARGETS[name]

    def run(definition: Any) -> Any:
        done = convert(definition, target, **options)
        return done.payload, done.losses

    def run_with_receipt(definition: Any) -> Any:
        done = convert(definition, target, **options)
        return done.payload, done.losses, done.binding.receipt()

    return Work(run_with_receipt if receipt else run)


def _bind(name: str) -> Work:
    from toolcanon import bind, read  # noqa: PLC0415

    target, options = TARGETS[name]

    def run(tool: Any) -> Any:
        binding = bind(tool, target, **options)
        return binding.payload, binding.losses

    return Work(run, lambda definition: read(definition)[0])


def _schema(definition: Any) -> Any:
    from toolcanon import read  # noqa: PLC0415

    return read(definition)[0].input_schema


def _pydantic_ai(name: str) -> Work:
    """Its transformers copy what they change."""
    from pydantic_ai.profiles import google, openai  # noqa: PLC0415

    if name == "strict":
        transformer = openai.OpenAIJsonSchemaTransformer
        return Work(lambda schema: transformer(schema, strict=True).walk(), _schema)
    plain = google.GoogleOpenAPISchemaTransformer
    return Work(lambda schema: plain(schema).walk(), _schema)


def _litellm(name: str) -> Work:
    """It changes what it is given, so it gets a fresh copy: the cheapest one, by orjson."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or the import asks the network
    from litellm import AnthropicConfig, VertexGeminiConfig  # noqa: PLC0415

    from toolcanon import read  # noqa: PLC0415

    anthropic, gemini, loads = AnthropicConfig(), VertexGeminiConfig(), orjson.loads

    def prepare(definition: Any) -> bytes:
        tool = read(definition)[0]
        function = {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.input_schema,
        }
        return orjson.dumps([{"type": "function", "function": function}])

    if name == "gemini":
        return Work(lambda text: gemini.map_function(loads(text), {}), prepare)
    return Work(lambda text: anthropic.map_tools(loads(text)), prepare)


OURS: dict[str, Callable[[], Work]] = {
    **{f"convert to {name}": lambda name=name: _convert(name) for name in TARGETS},
    "convert to anthropic, with receipt": lambda: _convert("anthropic", receipt=True),
    **{f"bind to {name}": lambda name=name: _bind(name) for name in TARGETS},
}
THEIRS: dict[str, Callable[[], Work]] = {
    "pydantic-ai: OpenAI, strict": lambda: _pydantic_ai("strict"),
    "pydantic-ai: Google, OpenAPI": lambda: _pydantic_ai("openapi"),
    "litellm: openai to gemini": lambda: _litellm("gemini"),
    "litellm: openai to anthropic": lambda: _litellm("anthropic"),
}


class Found(NamedTuple):
    """The ratios of all blocks of one process, and how many definitions were refused."""

    ratios: list[float]
    refused: int


def ready(make: Callable[[], Work], given: dict[str, Any]) -> tuple[Work, list[Any]]:
    """A contestant that has worked on other definitions, and what it starts from."""
    work = make()
    for definition in given["others"]:
        attempt(work.run, work.prepare(definition))
    starts = [work.prepare(definition) for definition in given["definitions"]]
    gc.collect()
    gc.freeze()
    gc.disable()
    return work, starts


def attempt(run: Callable[[Any], Any], item: Any) -> bool:
    try:
        run(item)
    except Exception:  # noqa: BLE001 - peers fail in their own ways
        return False
    return True


def go_through(run: Callable[[Any], Any], starts: Sequence[Any], texts: Sequence[bytes]) -> Found:
    """Each definition once. A block in which the contestant raises does not count."""
    ratios, refused = [], 0
    for first in range(0, len(texts) - BLOCK + 1, BLOCK):
        floor = time_of(floor_of, texts[first : first + BLOCK])
        items = starts[first : first + BLOCK]
        begin = time.process_time_ns()
        try:
            for item in items:
                run(item)
        except Exception:  # noqa: BLE001
            refused += sum(not attempt(run, item) for item in items)
            continue
        ratios.append((time.process_time_ns() - begin) / floor)
    return Found(ratios, refused)


def measure_here(name: str, given: dict[str, Any]) -> Found:
    work, starts = ready({**OURS, **THEIRS}[name], given)
    return go_through(work.run, starts, [orjson.dumps(each) for each in given["definitions"]])


def profile_here(name: str, given: dict[str, Any]) -> None:
    work, starts = ready({**OURS, **THEIRS}[name], given)
    profiler = cProfile.Profile()
    run = work.run
    profiler.enable()
    for item in starts:
        run(item)
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(SHOWN)


def environment(src: str | None = None) -> dict[str, str]:
    """That of a child: bytecode is kept, and the code of this checkout is the default."""
    found = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    found["PYTHONPATH"] = src or found.get("PYTHONPATH") or str(ROOT / "src")
    return found


def in_fresh_process(script: str, name: str, given: Path, src: str | None = None) -> Any:
    """Run one contestant in a process of its own; returns what it prints, read as JSON."""
    python = str(PEERS) if name in THEIRS and PEERS.exists() else sys.executable
    done = subprocess.run(
        [python, script, "--child", name, "--given", str(given)],
        check=False,
        capture_output=True,
        env=environment(src),
    )
    if done.returncode:
        sys.exit(f"{name}: {done.stderr.decode()}")
    return orjson.loads(done.stdout.splitlines()[-1])


def write_given(folder: str, rows: Sequence[Any]) -> Path:
    """What every process starts from, in a file, so that all of them start alike."""
    path = Path(folder) / "given.json"
    path.write_bytes(orjson.dumps({"definitions": rows, "others": others(WARM_UP)}))
    return path


def measured_code(src: str | None = None) -> str:
    ask = "import toolcanon; print(toolcanon.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", ask], check=True, capture_output=True, env=environment(src)
    )
    return str(Path(done.stdout.decode().strip()).parent)


def cells(ratios: Sequence[float]) -> str:
    low, middle, high = statistics.quantiles(ratios, n=4)
    return f"{middle:.2f} | {low:.2f} to {high:.2f}"


def chosen(names: Sequence[str], only: Sequence[str] | None) -> list[str]:
    """Those named exactly, or else those with one of the words in their name."""
    if not only:
        return list(names)
    found = [name for name in names if name in only]
    return found or [name for name in names if any(word in name for word in only)]


def selected(options: argparse.Namespace) -> list[Any]:
    rows = definitions()[: options.definitions]
    return without_repeats(rows) if options.distinct else rows


def arguments(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--only", action="append", help="contestants with this in their name")
    parser.add_argument("--processes", type=int, default=3, help="for each contestant")
    parser.add_argument("--definitions", type=int, help="only so many of the set")
    parser.add_argument(
        "--distinct", action="store_true", help="leave out definitions whose schema was met"
    )
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--given", type=Path, help=argparse.SUPPRESS)
    return parser


def header(rows: Sequence[Any]) -> str:
    size = sum(len(orjson.dumps(row)) for row in rows) / len(rows)
    return (
        f"{len(rows):,} definitions of {size:.0f} bytes on average; "
        f"CPython {platform.python_version()}, orjson {orjson.__version__}"
    )


def report(names: Sequence[str], options: argparse.Namespace) -> None:
    base = os.environ.get("BASE_SRC")
    rows = selected(options)
    print(f"measured: {measured_code()}", file=sys.stderr)
    print(header(rows) + "\n")
    before = " before |" if base else ""
    print(f"| cold: payload and losses | x floor | quartiles |{before} hard | aim | refused |")
    print(f"| --- | ---: | --- |{' ---: |' if base else ''} ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        given = write_given(folder, rows)
        for name in names:
            ratios: list[float] = []
            earlier: list[float] = []
            refused = 0
            for _ in range(options.processes):
                found = Found(*in_fresh_process(__file__, name, given))
                ratios += found.ratios
                refused = found.refused
                if base and name in OURS:
                    earlier += in_fresh_process(__file__, name, given, base)[0]
            hard, aim = LIMITS.get(name, ("", ""))
            old = f" {statistics.median(earlier):.2f} |" if earlier else " |" * bool(base)
            print(f"| {name} | {cells(ratios)} |{old} {hard} | {aim} | {refused} |", flush=True)


def main() -> None:
    parser = arguments("Cold conversions, in multiples of orjson.")
    parser.add_argument("--peers", action="store_true", help="pydantic-ai and litellm as well")
    parser.add_argument("--profile", metavar="NAME", help="where the time of a contestant goes")
    options = parser.parse_args()
    if options.child:
        given = orjson.loads(options.given.read_bytes())
        print(orjson.dumps([*measure_here(options.child, given)]).decode())
    elif options.profile:
        given = {"definitions": selected(options), "others": others(WARM_UP)}
        (name,) = chosen([*OURS, *THEIRS], [options.profile])[:1] or sys.exit("no such contestant")
        print(f"measured: {measured_code()}", file=sys.stderr)
        profile_here(name, given)
    else:
        report(chosen([*OURS, *(THEIRS if options.peers else ())], options.only), options)


if __name__ == "__main__":
    main()
