"""Schemas lowered to what a target accepts: ours, and what LiteLLM and pydantic-ai do alike.

Runs in the peers' environment, so that all ratios come from one run. Then: is it linear?
"""

from __future__ import annotations

import copy
import gc
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

import orjson
from convert import definitions
from ratios import Contestant, measure, table

import toolcanon as tc
from toolcanon.conversion import remembered
from toolcanon.conversion.choice import find_dialect
from toolcanon.conversion.way import ways
from toolcanon.lowering import cache, lower
from toolcanon.schema import judge

TARGETS: dict[str, tuple[str, dict[str, Any]]] = {
    "openai": ("openai", {}),
    "anthropic": ("anthropic", {}),
    "gemini/openapi": ("gemini", {"dialect": "gemini/openapi"}),
    "openai/strict": ("openai", {"strict": True}),
}
SIZES = (100, 1_000, 10_000)
PATIENCE = 60  # seconds that a size may take


@contextmanager
def unknown() -> Iterator[None]:
    """Nothing is remembered by content, and nothing stays; a dialect's own plans do."""
    # Set aside rather than cleared and copied back, which would sweep the processor's caches.
    kept, weights = (cache._kept, cache._met), (cache._held[0], remembered._held[0])  # noqa: SLF001
    known = [(way, way.known, way.met) for way in ways.values()]
    cache._kept, cache._met = {}, set()  # noqa: SLF001
    for way, _, _ in known:
        way.known, way.met = {}, set()
    judge._judge_of.cache_clear()  # noqa: SLF001
    try:
        yield
    finally:
        cache._kept, cache._met = kept  # noqa: SLF001
        cache._held[0], remembered._held[0] = weights  # noqa: SLF001
        for way, tools, met in known:
            way.known, way.met = tools, met


def ours(tools: list[tc.CanonicalTool]) -> list[Contestant]:
    found = []
    bind, convert = tc.bind, tc.convert
    for name, (target, options) in TARGETS.items():

        def payload(tool: Any, target: str = target, options: Any = options) -> Any:
            return bind(tool, target, **options).payload

        def everything(tool: Any, target: str = target, options: Any = options) -> Any:
            binding = bind(tool, target, **options)
            return binding.payload, binding.losses, binding.lenses

        found += [
            Contestant(f"bind {name}: payload", payload, given=tools),
            Contestant(f"bind {name}: payload, losses, lens", everything, given=tools),
            Contestant(f"bind {name}: payload, first time", payload, within=unknown, given=tools),
            Contestant(
                f"bind {name}: all three, first time", everything, within=unknown, given=tools
            ),
        ]
    for name, (target, options) in TARGETS.items():

        def converted(row: Any, target: str = target, options: Any = options) -> Any:
            return convert(row, target, **options).payload

        found += [
            Contestant(f"convert to {name}", converted),
            Contestant(f"convert to {name}, first time", converted, within=unknown),
        ]
    return found


def peers(tools: list[tc.CanonicalTool]) -> list[Contestant]:
    """They change what they are given, so LiteLLM gets a fresh copy: the cheapest, by orjson."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or the import asks the network
    from litellm import AnthropicConfig, VertexGeminiConfig  # noqa: PLC0415
    from litellm.llms.vertex_ai.common_utils import build_vertex_schema  # noqa: PLC0415
    from pydantic_ai.profiles.google import (  # noqa: PLC0415
        GoogleJsonSchemaTransformer,
        GoogleOpenAPISchemaTransformer,
    )
    from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer  # noqa: PLC0415

    anthropic, gemini, loads = AnthropicConfig(), VertexGeminiConfig(), orjson.loads
    schemas = [tool.input_schema for tool in tools]
    schema_texts = [orjson.dumps(schema) for schema in schemas]
    tool_texts = [
        orjson.dumps([{"type": "function", "function": {
            "name": tool.name, "description": tool.description, "parameters": schema}}])
        for tool, schema in zip(tools, schemas, strict=True)
    ]  # fmt: skip
    return [
        Contestant(
            "litellm: schema for Vertex",
            lambda text: build_vertex_schema(loads(text)),
            given=schema_texts,
        ),
        Contestant(
            "litellm: openai to gemini",
            lambda text: gemini.map_function(loads(text), {}),
            given=tool_texts,
        ),
        Contestant(
            "litellm: openai to anthropic",
            lambda text: anthropic.map_tools(loads(text)),
            given=tool_texts,
        ),
        Contestant(
            "pydantic-ai: OpenAI, strict",
            lambda schema: OpenAIJsonSchemaTransformer(schema, strict=True).walk(),
            given=schemas,
        ),
        Contestant(
            "pydantic-ai: Google, JSON Schema",
            lambda schema: GoogleJsonSchemaTransformer(schema).walk(),
            given=schemas,
        ),
        Contestant(
            "pydantic-ai: Google, OpenAPI",
            lambda schema: GoogleOpenAPISchemaTransformer(schema).walk(),
            given=schemas,
        ),
        Contestant("copy.deepcopy of the schema", copy.deepcopy, given=schemas),
    ]


LEAVES: tuple[dict[str, Any], ...] = (
    {"type": "string", "description": "A text.", "minLength": 1},
    {"type": ["integer", "null"], "minimum": 0},
    {"enum": [1, 2, 3]},
    {"type": "object", "additionalProperties": {"type": "number"}},
    {"oneOf": [{"type": "string"}, {"const": False}]},
    {"type": "array", "items": {"type": "string", "format": "uri"}},
)


def leaf(number: int) -> dict[str, Any]:
    return copy.deepcopy(LEAVES[number % len(LEAVES)])


def flat(size: int) -> dict[str, Any]:
    """One object with many members."""
    members = {f"p{i}": leaf(i) for i in range(size * 2 // 3)}
    return {"type": "object", "properties": members}


def nested(size: int) -> dict[str, Any]:
    """Objects of eight members within each other, with the same leaves."""
    level = [flat(9) for _ in range(max(1, size // 11))]
    while len(level) > 1:
        groups = (level[i : i + 8] for i in range(0, len(level), 8))
        level = [
            {"type": "object", "properties": {f"o{i}": inner for i, inner in enumerate(group)}}
            for group in groups
        ]
    return level[0]


def deep(size: int) -> dict[str, Any]:
    """A thin tower of forty levels, repeated until it is large enough."""

    def tower(height: int) -> dict[str, Any]:
        inner = {"next": tower(height - 1)} if height else {}
        return {"type": "object", "properties": {"value": leaf(height), **inner}}

    towers = {f"t{i}": tower(40) for i in range(max(1, size // 100))}
    return {"type": "object", "properties": towers}


def referring(size: int) -> dict[str, Any]:
    """Many members of few types: ten definitions, each used all over."""
    kinds = {
        f"K{i}": {"type": "object", "properties": {"a": leaf(i), "b": leaf(i + 1)}}
        for i in range(10)
    }
    members = {f"p{i}": {"$ref": f"#/$defs/K{i % 10}"} for i in range(size)}
    return {"type": "object", "properties": members, "$defs": kinds}


def values(size: int) -> dict[str, Any]:
    """One enum of many numbers."""
    return {"type": "object", "properties": {"a": {"enum": list(range(size))}}}


def required(size: int) -> dict[str, Any]:
    """Many members, every one of them required."""
    members = {f"p{i}": {"type": "string"} for i in range(size // 2)}
    return {"type": "object", "properties": members, "required": list(members)}


def tagged(size: int) -> dict[str, Any]:
    """A union of many objects, told apart by a tag."""
    branches = [
        {"type": "object", "required": ["k"], "properties": {"k": {"const": f"v{i}"}, "x": leaf(0)}}
        for i in range(size // 5)
    ]
    return {"type": "object", "properties": {"a": {"oneOf": branches}}}


def constants(size: int) -> dict[str, Any]:
    """A union of many constants."""
    branches = [{"const": i} for i in range(size)]
    return {"type": "object", "properties": {"a": {"anyOf": branches}}}


SHAPES = (flat, nested, deep, referring, values, required, tagged, constants)


def nodes(value: Any) -> int:
    """Every object of the document counts, and every member of an array."""
    if isinstance(value, dict):
        return 1 + sum(map(nodes, value.values()))
    return sum(nodes(item) or 1 for item in value) if isinstance(value, list) else 0


def seconds(run: Callable[[], Any]) -> float:
    """The best of seven, or of what fits into five seconds."""
    took: list[float] = []
    gc.collect()
    gc.disable()
    while len(took) < 7 and sum(took) < 5:
        begin = time.process_time()
        run()
        took.append(time.process_time() - begin)
    gc.enable()
    return min(took)


def growth() -> str:
    lines = [
        "| shape | dialect | " + " | ".join(f"{size:,}" for size in SIZES) + " | last / first |",
        "| --- | --- |" + " ---: |" * (len(SIZES) + 1),
    ]
    for shape in SHAPES:
        for name in ("openai/strict", "gemini/openapi"):
            dialect = find_dialect(name)
            found: list[float] = []
            took = 0.0
            for size in SIZES:
                if took * 100 > PATIENCE:  # ten times the size, if it is quadratic
                    break
                schema = shape(size)
                took = seconds(lambda s=schema, d=dialect: lower(s, d))
                found.append(took / nodes(schema) * 1e6)
            cells = [f"{each:.1f}" for each in found] + ["-"] * (len(SIZES) - len(found))
            times = f"{found[-1] / found[0]:.1f}" if len(found) > 1 else "-"
            lines.append(f"| {shape.__name__} | {name} | {' | '.join(cells)} | {times} |")
    return "\n".join(lines)


if __name__ == "__main__":
    rows = definitions()
    tools = [tc.read(row)[0] for row in rows]
    size = sum(len(orjson.dumps(row)) for row in rows) / len(rows)
    print(
        f"{len(rows)} definitions of {size:.0f} bytes on average; "
        f"CPython {platform.python_version()}, orjson {orjson.__version__}, "
        f"litellm {version('litellm')}, pydantic-ai {version('pydantic-ai-slim')}"
    )
    print(table(measure(rows, ours(tools) + peers(tools))))
    entries = [*(len(way.known) for way in ways.values()), len(cache._kept)]  # noqa: SLF001
    print(f"\nEntries remembered at the end: {', '.join(map(str, entries))}")
    print("\nMicroseconds per schema node, about so many nodes:\n")
    print(growth())
