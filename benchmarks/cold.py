"""Definitions that were never met before: payload and losses, beside peers that do alike.

Cold means: a fresh process for each contestant, which warms up on other definitions of the corpus
and then meets each definition of the benchmark set exactly once. No memory of tools can help there,
and with --distinct no memory of schemas either. Figures are multiples of orjson's loads and dumps
of the same definitions, measured in blocks of 32 right before each block of the contestant, in
processor time; the median of the blocks of all processes counts. Public API only.

    python benchmarks/cold.py                       our own contestants
    python benchmarks/cold.py --peers               with pydantic-ai and litellm
    python benchmarks/cold.py --only strict         those with "strict" in their name
    python benchmarks/cold.py --distinct            no schema twice either
    python benchmarks/cold.py --profile "convert to openai/strict"
    BASE_SRC=/elsewhere/src python benchmarks/cold.py     beside another version, in turn
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import statistics
import sys
from collections.abc import Callable, Sequence
from typing import Any

import orjson
from corpus import ROOT
from fresh import (
    BASE,
    Found,
    Given,
    Work,
    arguments,
    chosen,
    go_through,
    header,
    in_fresh_process,
    output_of,
    quartiles,
    read_given,
    selected,
    table_head,
    warmed_up,
    written,
)

TARGETS: dict[str, tuple[str, dict[str, Any]]] = {
    "openai": ("openai", {}),
    "anthropic": ("anthropic", {}),
    "gemini/openapi": ("gemini", {"dialect": "gemini/openapi"}),
    "openai/strict": ("openai", {"strict": True}),
}
# The figure that must hold, and the one we aim at.
LIMITS: dict[str, tuple[float, float]] = {
    "convert to openai": (6.5, 5),
    "convert to anthropic": (6.5, 5),
    "convert to gemini/openapi": (13, 9),
    "convert to openai/strict": (13, 9),
    "convert to anthropic, with receipt": (14, 10),
}
PROFILE_LINES = 45
PEERS = ROOT / ".venv-peers" / "bin" / "python"


def convert_to(name: str) -> Work:
    from toolcanon import convert  # noqa: PLC0415 - each process imports what it measures

    target, options = TARGETS[name]

    def run(definition: Any) -> Any:
        done = convert(definition, target, **options)
        return done.payload, done.losses

    return Work(run)


def _with_receipt() -> Work:
    from toolcanon import convert  # noqa: PLC0415

    def run(definition: Any) -> Any:
        done = convert(definition, "anthropic")
        return done.payload, done.losses, done.binding.receipt()

    return Work(run)


def _with_every_loss(name: str) -> Work:
    """Losses may be made on demand, so here each of them is."""
    from toolcanon import convert  # noqa: PLC0415

    target, options = TARGETS[name]

    def run(definition: Any) -> Any:
        done = convert(definition, target, **options)
        return done.payload, [loss.to_dict() for loss in done.losses]

    return Work(run)


def bind_to(name: str) -> Work:
    from toolcanon import bind, read  # noqa: PLC0415

    target, options = TARGETS[name]

    def run(tool: Any) -> Any:
        binding = bind(tool, target, **options)
        return binding.payload, binding.losses

    return Work(run, lambda definition: read(definition)[0])


def _read() -> Work:
    from toolcanon import read  # noqa: PLC0415

    return Work(read)


def _schema(definition: Any) -> Any:
    from toolcanon import read  # noqa: PLC0415

    return read(definition)[0].input_schema


def _pydantic_ai_strict() -> Work:
    from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer  # noqa: PLC0415

    return Work(lambda schema: OpenAIJsonSchemaTransformer(schema, strict=True).walk(), _schema)


def _pydantic_ai_openapi() -> Work:
    from pydantic_ai.profiles.google import GoogleOpenAPISchemaTransformer  # noqa: PLC0415

    return Work(lambda schema: GoogleOpenAPISchemaTransformer(schema).walk(), _schema)


def _litellm(target: str) -> Work:
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

    if target == "gemini":
        return Work(lambda text: gemini.map_function(loads(text), {}), prepare)
    return Work(lambda text: anthropic.map_tools(loads(text)), prepare)


OURS: dict[str, Callable[[], Work]] = {
    **{f"convert to {name}": lambda name=name: convert_to(name) for name in TARGETS},
    "convert to anthropic, with receipt": _with_receipt,
    "convert to openai/strict, every loss as JSON": lambda: _with_every_loss("openai/strict"),
    **{f"bind to {name}": lambda name=name: bind_to(name) for name in TARGETS},
    "read": _read,
}
THEIRS: dict[str, Callable[[], Work]] = {
    "pydantic-ai: OpenAI, strict": _pydantic_ai_strict,
    "pydantic-ai: Google, OpenAPI": _pydantic_ai_openapi,
    "litellm: openai to gemini": lambda: _litellm("gemini"),
    "litellm: openai to anthropic": lambda: _litellm("anthropic"),
}


def python_of(name: str) -> str:
    """Peers need other versions of the SDKs, so they have an environment of their own."""
    return str(PEERS) if name in THEIRS else sys.executable


def measured_here(name: str, given: Given) -> Found:
    work = {**OURS, **THEIRS}[name]()
    starts = warmed_up(work, given)
    return go_through(work.run, starts, [orjson.dumps(each) for each in given.definitions])


def profile_here(name: str, given: Given) -> None:
    work = OURS[name]()
    starts, run = warmed_up(work, given), work.run
    profiler = cProfile.Profile()
    profiler.enable()
    for item in starts:
        run(item)
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(PROFILE_LINES)


def report(names: Sequence[str], options: argparse.Namespace) -> None:
    given = selected(options)
    print(header(given.definitions) + "\n")
    before = ["before"] if BASE else []
    print(table_head("cold", "x floor", "quartiles", *before, "limit", "aim", "refused"))
    with written(given) as path:
        for name in names:
            ratios: list[float] = []
            earlier: list[float] = []
            refused = 0
            for _ in range(options.processes):
                found = Found(*in_fresh_process(name, path, None, python_of(name)))
                ratios += found.ratios
                refused = found.refused
                if BASE and name in OURS:
                    earlier += Found(*in_fresh_process(name, path, BASE)).ratios
            old = [f"{statistics.median(earlier):.2f}" if earlier else ""] if BASE else []
            limit, aim = LIMITS.get(name, ("", ""))
            cells = (name, quartiles(ratios), *old, limit, aim, refused)
            print("|", " | ".join(map(str, cells)), "|", flush=True)


def main() -> None:
    parser = arguments("Cold conversions, in multiples of orjson.")
    parser.add_argument("--peers", action="store_true", help="pydantic-ai and litellm as well")
    parser.add_argument("--profile", metavar="NAME", help="where the time of a contestant goes")
    options = parser.parse_args()
    if options.child and options.profile:
        profile_here(options.child, read_given(options.given))
    elif options.child:
        print(orjson.dumps([*measured_here(options.child, read_given(options.given))]).decode())
    elif options.profile:
        name = chosen(list(OURS), [options.profile])[0]
        with written(selected(options)) as path:
            print(output_of(name, path, None, sys.executable, "--profile", name).decode())
    else:
        if options.peers and not PEERS.exists():
            print("no peers: make bench sets them up", file=sys.stderr)
        theirs = THEIRS if options.peers and PEERS.exists() else ()
        report(chosen([*OURS, *theirs], options.only), options)


if __name__ == "__main__":
    main()
