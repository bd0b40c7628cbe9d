"""Four digests of a tool, one for each kind of equality.

``exact``: is it the same, to the last character? ``semantic``: can anything break? ``text``: does a
model read the same? ``annotations``: does it claim the same? Each is a hash of canonical bytes with
its own name in front, so that two kinds are never equal by accident.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from toolcanon.checking.texts import TextAt, texts_of
from toolcanon.drift.contract.twins import Version
from toolcanon.drift.rules.annotations import DEFAULTS, OF_WRITERS
from toolcanon.formats.wire.extras import NOTES
from toolcanon.ir import CanonicalTool, stated_hints
from toolcanon.jsonio import digest
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.normal import normal_form
from toolcanon.schema.normal.terms import Budget, Home, Spent, Spot

_WORK: Final = 20_000
_DEEPEST: Final = 12


class Digests(NamedTuple):
    """The four digests, each in the form ``tc1:sha256:…``."""

    exact: str
    semantic: str
    text: str
    annotations: str


def digests(tool: CanonicalTool) -> Digests:
    said = [[_owner(text), text.role, text.text] for text in texts_of(tool) if _is_by_author(text)]
    contract = {
        "name": tool.id,
        "kind": tool.kind.value,
        "inputs": normal_form(tool.input_schema or {"type": "object"}),
        "outputs": normal_form(tool.output_schema),
        "defaults": _defaults(tool.input_schema),
    }
    return Digests(
        _named("exact", _exact(tool)),
        _named("semantic", contract),
        _named("text", sorted(said)),
        _named("annotations", _claims(tool)),
    )


def _named(kind: str, value: Json) -> str:
    return digest(["toolcanon", kind, 1, value])


def _exact(tool: CanonicalTool) -> JsonObject:
    """Return the definition as it was read; the tool itself if it was built and not read."""
    if tool.original_definition:
        return tool.original_definition
    said = {"name": tool.name, "version": tool.version, "description": tool.description}
    return {**said, "inputs": tool.inputs, "outputs": tool.outputs, **tool.said()}


def _is_by_author(text: TextAt) -> bool:
    """Return whether the author wrote it: field names of a format are not the author's text."""
    return text.at[:1] != ("extras",) or (text.at[-1] != text.text and NOTES not in text.at)


def _owner(text: TextAt) -> str:
    """Return the member that a text belongs to, wherever the schema has it."""
    steps = text.at
    for at in range(len(steps) - 1, 0, -1):
        if steps[at - 1] == "properties":
            return str(steps[at])
    return str(steps[0]) if steps else ""


def _claims(tool: CanonicalTool) -> JsonObject:
    stated = stated_hints(tool)
    found: JsonObject = {hint: stated.get(hint, usual) for hint, usual in DEFAULTS.items()}
    if found["read_only"]:
        found = {hint: value for hint, value in found.items() if hint not in OF_WRITERS}
    return found


def _defaults(schema: Json) -> list[Json]:
    """Return the default of each member, by the names on its path."""
    budget = Budget(_WORK)
    try:
        found = list(_stated(Version((Spot(schema, (), Home(schema)),), budget), (), budget))
    except (Spent, RecursionError):
        return ["too many to tell"]
    return sorted(found, key=lambda one: [str(step) for step in one[0]])


def _stated(version: Version, path: tuple[str, ...], budget: Budget) -> Iterator[list[Json]]:
    budget.spend()
    said = version.first("default")
    if path and said is not None and not (said.value is None and "null" in version.kinds):
        yield [list(path), said.value]
    if len(path) < _DEEPEST:
        for name in version.names:
            term = version.member(name)
            yield from _stated(Version(term, budget), (*path, name), budget)
        items = tuple(one.spot.below("items") for one in version.said.get("items", ()))
        if items:
            yield from _stated(Version(items, budget), (*path, "[]"), budget)
