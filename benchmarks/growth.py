"""Does the work on a schema grow with its size, and no faster?

Microseconds per node of the schema for growing sizes, by the public API: tools that were read
before are bound for the first time, payload and losses. The best of up to seven counts, and each of
them is another tool, so that nothing can be remembered.
"""

from __future__ import annotations

import copy
import gc
import time
from collections.abc import Iterator
from itertools import count
from typing import Any

from cold import TARGETS

import toolcanon as tc

SIZES = (100, 1_000, 10_000)
PATIENCE = 60  # seconds that a size may take
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
    """A union of many objects, each with a tag of its own."""
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


def tools(schema: dict[str, Any]) -> Iterator[Any]:
    """The same tool again and again, each with a description of its own in the schema."""
    for number in count():
        salted = {"description": f"Arguments, variant {number}.", **schema}
        yield tc.read({"name": "f", "description": "A tool.", "input_schema": salted})[0]


def seconds(schema: dict[str, Any], target: str, options: dict[str, Any]) -> float:
    """The best of seven, or of what fits into five seconds."""
    took: list[float] = []
    gc.collect()
    gc.disable()
    for tool in tools(schema):
        begin = time.process_time()
        binding = tc.bind(tool, target, **options)
        _ = binding.payload, binding.losses
        took.append(time.process_time() - begin)
        if len(took) == 7 or sum(took) > 5:
            break
    gc.enable()
    return min(took)


def main() -> None:
    print("| shape | target | " + " | ".join(f"{size:,}" for size in SIZES) + " | last / first |")
    print("| --- | --- |" + " ---: |" * (len(SIZES) + 1))
    for shape in SHAPES:
        for name in ("openai/strict", "gemini/openapi"):
            found: list[float] = []
            took = 0.0
            for size in SIZES:
                if took * 100 > PATIENCE:  # ten times the size, if it is quadratic
                    break
                schema = shape(size)
                took = seconds(schema, *TARGETS[name])
                found.append(took / nodes(schema) * 1e6)
            cells = [f"{each:.1f}" for each in found] + ["-"] * (len(SIZES) - len(found))
            times = f"{found[-1] / found[0]:.1f}" if len(found) > 1 else "-"
            print(f"| {shape.__name__} | {name} | {' | '.join(cells)} | {times} |", flush=True)


if __name__ == "__main__":
    main()
