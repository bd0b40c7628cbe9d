"""What a target drops of every tool, found out once by writing and reading back a probe.

Losses are what reading back does not show (see ``losses``). For the fields that most tools have
the answer is always the same, so it is asked once for each field and remembered.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from toolcanon.conversion.differences import ABSENT, Difference, differences, read_back
from toolcanon.dialect import Dialect
from toolcanon.formats.wire import Target, Wire
from toolcanon.formats.wire.extras import NOTES, SHAPE
from toolcanon.ir import STATED_HINTS, CanonicalTool, ToolHints
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import JsonObject

SCHEMA: Final[JsonObject] = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "title": "T",
    "description": "d",
}
_FIELDS: Final[dict[str, JsonObject]] = {
    "title": {"title": "T"},
    "tags": {"tags": ["t"]},
    "version": {"version": "9"},
}
CARRIED: Final = frozenset({"name", "description", "inputs", "source_format", "_source"})
"""What every target that is quick to answer holds, and what is no statement of the tool."""
_MOST_SHAPES: Final = 4096
TOLD: Final = ("version", "outputs", "title", "tags")
"""The fields that a target may drop, in the order in which that is told."""
KNOWN: Final = CARRIED | _FIELDS.keys() | {STATED_HINTS, "extras", "outputs"}


class Foretold(NamedTuple):
    """What happens to a tool whatever it says, and what to its fields and hints."""

    always: tuple[Difference, ...]
    gone: frozenset[str]
    uncertain: frozenset[str]
    is_plain: bool
    """Whether nothing is added that the tool would show, and shapes of its own are not kept."""
    odd: frozenset[str]
    """Words at the root of a schema that make it another shape of the target."""
    known: dict[tuple[str, ...], tuple[str, ...] | None]
    """For each set of fields those whose fate has to be told; None where it is uncertain."""

    def telling(self, shape: tuple[str, ...]) -> tuple[str, ...] | None:
        """Of the fields that a tool has, those that are gone and those that were rewritten."""
        found: tuple[str, ...] | None = None
        if self.is_plain and KNOWN.issuperset(shape) and self.uncertain.isdisjoint(shape):
            fates = {*self.gone, "outputs"}
            found = tuple(name for name in TOLD if name in shape and name in fates)
        if len(self.known) >= _MOST_SHAPES:  # hostile input must not grow it without end
            self.known.clear()
        self.known[shape] = found
        return found


@lru_cache(maxsize=256)
def foretell(target: Target, dialect: Dialect, has_outputs: bool = False) -> Foretold:  # noqa: FBT001, FBT002
    """Ask a target once: for tools with an output schema, and for those without."""
    base: JsonObject = {"outputs": SCHEMA} if has_outputs else {}
    always = _differences(target, dialect, base)
    dropped = [item for item in always if item.at[0] == "outputs"]
    always = [item for item in always if item.at[0] != "outputs"]
    gone = {"outputs"} if dropped and dropped[0].after is ABSENT else set()
    uncertain = {"outputs"} if dropped and not gone else set()
    probes = dict(_FIELDS)
    probes |= {hint: {STATED_HINTS: {hint: True}} for hint in ToolHints.model_fields}
    for name, fields in probes.items():
        told = _differences(target, dialect, {**base, **fields})
        found = [item for item in told if item not in always and item not in dropped]
        if any(name not in item.at for item in found) or len(found) > 1:
            uncertain.add(name)
        elif found:
            gone.add(name)
    odd_shape = {"extras": {target.id: {NOTES: {SHAPE: "odd"}}}}
    shaped = _differences(target, dialect, {**base, **odd_shape})
    plain = target.plain is not None and all(item.at[0] == "extras" for item in always)
    plain &= [item.at for item in shaped if item not in always and item not in dropped] == [
        Pointer(("extras", target.id, NOTES))
    ]
    forms = () if target.plain is None else target.plain.forms
    odd = frozenset(form.odd for form in forms if form.odd is not None)
    return Foretold(tuple(always), frozenset(gone), frozenset(uncertain), plain, odd, {})


def _differences(target: Target, dialect: Dialect, fields: JsonObject) -> list[Difference]:
    said = {"name": "probe", "description": "d", "inputs": SCHEMA, "source_format": "raw", **fields}
    tool = CanonicalTool.trusted(said)
    outputs = fields.get("outputs") or {}
    strict = fields.get(STATED_HINTS, {}).get("strict")
    wire = Wire("probe", SCHEMA, outputs, False, strict, dialect)
    return list(differences(tool, read_back(target, target.write(tool, wire))))
