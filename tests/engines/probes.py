"""What an engine makes of each keyword and each shape, measured on small schemas.

A probe is a schema with values that it allows and values that it forbids, by JSON Schema. What
an engine does to them is one of ``enforced``, ``ignored`` (something forbidden passes),
``misread`` (something allowed does not) and ``refused`` (the schema does not compile).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tests.engines.judges import Accepts, Engine, Refused, text_of

WORST_FIRST = ("refused", "misread", "ignored", "enforced")


class Probe(NamedTuple):
    schema: Any
    allowed: tuple[Any, ...]
    forbidden: tuple[Any, ...] = ()
    around: Mapping[str, Any] = {}
    """Keywords of the root, beside the member that has the schema."""


def whole(probe: Probe) -> dict[str, Any]:
    """A closed object with one member, which has the schema."""
    return {
        "type": "object",
        "properties": {"x": probe.schema},
        "required": ["x"],
        "additionalProperties": False,
        **probe.around,
    }


def outcome(engine: Engine, probe: Probe) -> str:
    try:
        accepts = engine.compile(whole(probe))
        return _outcome(accepts, probe)
    except Refused:
        return "refused"


def _outcome(accepts: Accepts, probe: Probe) -> str:
    if not all(accepts(text_of({"x": value})) for value in probe.allowed):
        return "misread"
    if any(accepts(text_of({"x": value})) for value in probe.forbidden):
        return "ignored"
    return "enforced"


def measured(engine: Engine, probes: Mapping[str, tuple[Probe, ...]]) -> Iterator[tuple[str, str]]:
    """Each keyword with the worst of what happens to it."""
    for name, cases in probes.items():
        found = {outcome(engine, probe) for probe in cases}
        yield name, next(word for word in WORST_FIRST if word in found)


def closed(*required: str, **properties: Any) -> dict[str, Any]:
    """A closed object."""
    made = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**made, "required": list(required)} if required else made


TEXT = {"type": "string"}
COUNT = {"type": "integer"}
NULL = {"type": "null"}
REAL = {"type": "number"}
LIST = {"type": "array", "items": COUNT}
MAP = {"type": "object", "additionalProperties": COUNT}
TREE = closed(kids={"type": "array", "items": {"$ref": "#/$defs/tree"}})
CHAIN = closed("value", value=COUNT, next={"$ref": "#/$defs/chain"})
PAIR = closed("a", "b", a=COUNT, b=COUNT)
