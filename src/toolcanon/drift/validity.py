"""Schemas that became invalid: clients that compile them reject the tool.

What is invalid in 2020-12 is reported at each new place. Values that only this library accepts
(``minimum: "0"``, ``type: "int"``) are reported where the format uses JSON Schema and the earlier
version had none of them: a catalog that does so throughout has its own rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from toolcanon.diagnostics.change import Change
from toolcanon.drift.telling import short, told
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import JsonObject
from toolcanon.registry import get_format
from toolcanon.schema.broken_patterns import flaw
from toolcanon.schema.flaws import Flaw, flaws, lost_references, walk
from toolcanon.schema.property_maps import property_map
from toolcanon.schema.references import Place

_SHOWN: Final = 60
_MOST: Final = 20


def invalidated(
    before: CanonicalTool, after: CanonicalTool, side: Literal["inputs", "outputs"]
) -> list[Change]:
    """Yield the places at which the schema of one side became invalid."""
    broken = _broken(after, side)
    loose = _loose(after, side)
    if not (broken or loose):
        return []
    known = {one.at for one in (*_broken(before, side), *_loose(before, side))}
    found = {one.at: one for one in broken if one.at not in known}
    if not _loose(before, side):
        found = {**{one.at: one for one in loose}, **found}
    shown = list(found.values())[:_MOST]
    return [_change(one, side) for one in shown]


def _change(found: Flaw, side: str) -> Change:
    return told(
        "schema-invalid",
        f"{_path(found.at[:-1], side)}: {found.reason}, found {short(found.value, _SHOWN)}",
        at=Pointer((side, *found.at)),
        after=found.value,
    )


def _path(place: Place, side: str) -> str:
    """Return the members on the path to a place, or the name of the whole."""
    names = [str(place[n]) for n in range(1, len(place)) if place[n - 1] == "properties"]
    return ".".join(names) or ("the arguments" if side == "inputs" else "the result")


def _broken(tool: CanonicalTool, side: Literal["inputs", "outputs"]) -> tuple[Flaw, ...]:
    """Return the defects that no reading can repair."""
    schema: JsonObject = tool.upgraded(side).schema if tool.__dict__.get(side) else {}
    return (*flaws(schema), *lost_references(schema), *_patterns(walk(schema)))


def _patterns(nodes: Iterable[tuple[Place, JsonObject]]) -> Iterator[Flaw]:
    for place, node in nodes:
        pattern, names = node.get("pattern"), node.get("patternProperties")
        written = [((*place, "pattern"), pattern)] if isinstance(pattern, str) else []
        if isinstance(names, dict):
            written += [((*place, "patternProperties", name), name) for name in names]
        for at, text in written:
            if reason := flaw(text):
                yield Flaw(at, text, f"the pattern is not a regular expression: {reason}")


def _loose(tool: CanonicalTool, side: str) -> tuple[Flaw, ...]:
    """Return the values that a validator rejects as written, although they can be read."""
    schema = tool.__dict__.get(side)
    if not schema or not _is_json_schema(tool) or property_map(schema) is not None:
        return ()
    return flaws(schema)


def _is_json_schema(tool: CanonicalTool) -> bool:
    """Return whether the format uses JSON Schema, rather than types of its own."""
    dialects = get_format(str(tool.source_format)).dialects
    return bool(dialects) and not any(dialect.nullable for dialect in dialects)
