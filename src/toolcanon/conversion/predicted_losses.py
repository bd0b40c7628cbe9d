"""What a target drops of a tool, predicted from the tool's keys.

Losses are what reading back does not show (see ``losses``). For a regular format the answer follows
from the keys that a tool has, so the target is asked once by writing and reading back a probe for
each field, and the answer for a set of keys is kept. Tests read back every time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from toolcanon.conversion.differences import ABSENT, Difference, differences, read_back
from toolcanon.diagnostics import CODES, Effect
from toolcanon.dialect import Dialect
from toolcanon.formats.wire import Target, Wire
from toolcanon.formats.wire.extras import AROUND, GUESSES, NOTES, SHAPE
from toolcanon.formats.wire.extras import SPELLING as SPELLING_NOTE
from toolcanon.formats.wire.rivals import may_rival
from toolcanon.ir import STATED_HINTS, CanonicalTool, ToolHints, trusted_tool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject

BY_FIELD: Final = {
    "namespace": "L002",
    "title": "L003",
    "description": "L004",
    "outputs": "L005",
    "examples": "L006",
    "hints": "L007",
    "kind": "L013",
    "grammar": "L014",
}
METADATA: Final = "L008"
SPELLING, GUESSED = "L011", "L017"
_SCHEMA: Final[JsonObject] = {
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
_CARRIED: Final = frozenset({"name", "description", "inputs", "source_format", "_source"})
"""What every regular target holds, and what is no statement of the tool."""
_REPORTED: Final = ("version", "outputs", "title", "tags")
"""The fields that a target may drop, in the order in which that is reported."""
_KNOWN: Final = _CARRIED | {*_FIELDS} | {STATED_HINTS, "extras", "outputs"}
_MOST_SHAPES: Final = 4096
_LONGEST_SHAPE: Final = 4096  # characters
_ONLY_NOTES: Final = {NOTES}
_SPELLINGS: Final = frozenset({SHAPE, SPELLING_NOTE})
"""Notes on how a definition was written, which lowered writing never repeats."""
_NOTHING: Final[JsonObject] = {}

Shape: TypeAlias = tuple[object, ...]
"""The keys of a tool, of its hints and of what formats kept aside."""
Dropped: TypeAlias = tuple[str, str, Effect, Pointer, tuple[str, ...]]
"""Code, name and effect of a loss, its place, and the keys that lead to the lost value.

Without a code it is the output schema, which goes along; lowering has told what it lost."""


class Predicted(NamedTuple):
    """What happens to every tool of one shape."""

    dropped: tuple[Dropped, ...]
    keeps_strict: bool
    """Whether a stated strictness goes along as it was stated; otherwise read back."""
    shows_strict: bool
    """Whether strictness that the tool did not state shows."""
    always: tuple[Difference, ...]
    """What happens to every tool."""
    has_loose_ends: bool
    """Whether keys that a reader kept aside may mean more than their loss."""


class Drops(NamedTuple):
    """What a target does to a tool whatever its values, and to each of its fields and hints."""

    always: tuple[Difference, ...]
    gone: frozenset[str]
    uncertain: frozenset[str]
    is_regular: bool
    """Whether nothing is added that the tool would show, and shapes of its own are not kept."""
    known: dict[Shape, Predicted | None]
    """For each shape; None where reading back has to tell."""


def predict(tool: CanonicalTool, target: Target, dialect: Dialect) -> Predicted | None:
    """What the target drops of a tool; None where its keys do not tell."""
    said = tool.__dict__
    drops = drops_of(target, dialect, bool(said.get("outputs")))
    hints, extras = said.get(STATED_HINTS), said.get("extras")
    shape: Shape = tuple(said)
    if hints:
        shape = (shape, *hints)
    if extras:
        for format_id, kept in extras.items():
            noted = kept.get(NOTES, _NOTHING)
            shape = (shape, format_id, *kept)
            if noted:
                shape = (shape, *noted)
                if AROUND in noted:
                    shape = (shape, *noted[AROUND])
    if shape in drops.known:
        return drops.known[shape]
    if len(drops.known) >= _MOST_SHAPES:  # hostile input must not grow it without end
        drops.known.clear()
    found = _predicted(drops, said, target)
    if len(repr(shape)) <= _LONGEST_SHAPE:
        drops.known[shape] = found
    return found


def _predicted(drops: Drops, said: JsonObject, target: Target) -> Predicted | None:
    hints: JsonObject = said.get(STATED_HINTS) or _NOTHING
    extras: JsonObject = said.get("extras") or _NOTHING
    if not (drops.is_regular and said.keys() <= _KNOWN and drops.uncertain.isdisjoint(said)):
        return None
    if not drops.uncertain.isdisjoint(hints) or not _is_foreign(extras, target):
        return None
    dropped = [
        _dropped(BY_FIELD.get(field, METADATA), (field,), (field,))
        if field in drops.gone
        else ("", "", Effect.EXACT, Pointer((field,)), (field,))
        for field in _REPORTED
        if field in said and (field in drops.gone or field == "outputs")
    ]
    dropped += [
        _dropped("L007", ("hints", hint), (STATED_HINTS, hint))
        for hint in hints
        if hint in drops.gone
    ]
    for format_id, kept in extras.items():
        for key, value in kept.items():
            code = code_of_notes(value) if key == NOTES else "L009"
            dropped.append(_dropped(code, ("extras", format_id, key), ("extras", format_id, key)))
    return Predicted(
        tuple(dropped),
        keeps_strict="strict" in hints and "strict" not in drops.gone,
        shows_strict="strict" not in hints and "strict" not in drops.gone,
        always=drops.always,
        has_loose_ends=any(map(_has_loose_ends, extras.values())),
    )


def _dropped(code: str, at: tuple[str, ...], keys: tuple[str, ...]) -> Dropped:
    entry = CODES[code]
    return code, entry.name, entry.effect, Pointer(at), keys


def code_of_notes(noted: Json) -> str:
    """Notes say how something was written, and some of them what was made of it."""
    return GUESSED if isinstance(noted, dict) and GUESSES in noted else SPELLING


def _is_foreign(extras: JsonObject, target: Target) -> bool:
    """Whether the target kept no more aside than how it was written, and others nothing for it."""
    own = extras.get(target.id)
    if own is not None and (own.keys() != _ONLY_NOTES or not own[NOTES].keys() <= _SPELLINGS):
        return False
    return not are_carried(extras, target)


def are_carried(extras: JsonObject, target: Target) -> bool:
    """Whether another format's envelope carried keys that the target knows."""
    wanted = target.carries
    return bool(wanted) and any(
        not wanted.isdisjoint(kept)
        or not wanted.isdisjoint(kept.get(NOTES, _NOTHING).get(AROUND, ()))
        for format_id, kept in extras.items()
        if format_id != target.id
    )


def _has_loose_ends(kept: JsonObject) -> bool:
    """Whether a key may rival what was read, or stood beside the definition."""
    around = kept.get(NOTES, _NOTHING).get(AROUND, _NOTHING)
    return any(key != "type" for key in around) or any(
        key != NOTES and may_rival(key) for key in kept
    )


@lru_cache(maxsize=256)
def drops_of(target: Target, dialect: Dialect, has_outputs: bool = False) -> Drops:  # noqa: FBT001, FBT002
    """Ask a target once: for tools with an output schema, and for those without."""
    base: JsonObject = {"outputs": _SCHEMA} if has_outputs else {}
    always = _differences(target, dialect, base)
    dropped = [item for item in always if item.at[0] == "outputs"]
    always = [item for item in always if item.at[0] != "outputs"]
    gone = {"outputs"} if dropped and dropped[0].after is ABSENT else set()
    uncertain = {"outputs"} if dropped and not gone else set()
    probes = dict(_FIELDS)
    probes |= {hint: {STATED_HINTS: {hint: True}} for hint in ToolHints.model_fields}
    for name, fields in probes.items():
        shown = _differences(target, dialect, {**base, **fields})
        found = [item for item in shown if item not in always and item not in dropped]
        if any(name not in item.at for item in found) or len(found) > 1:
            uncertain.add(name)
        elif found:
            gone.add(name)
    odd_shape = {"extras": {target.id: {NOTES: {SHAPE: "odd", SPELLING_NOTE: {"odd": None}}}}}
    shaped = _differences(target, dialect, {**base, **odd_shape})
    regular = target.is_regular and all(item.at[0] == "extras" for item in always)
    regular &= [item.at for item in shaped if item not in always and item not in dropped] == [
        Pointer(("extras", target.id, NOTES))
    ]
    return Drops(tuple(always), frozenset(gone), frozenset(uncertain), regular, {})


def sends_outputs(target: Target, dialect: Dialect) -> bool:
    """Whether an output schema goes out; it need not be lowered otherwise."""
    return not target.is_regular or "outputs" not in drops_of(target, dialect, True).gone


def _differences(target: Target, dialect: Dialect, fields: JsonObject) -> list[Difference]:
    said = {
        "name": "probe",
        "description": "d",
        "inputs": _SCHEMA,
        "source_format": "raw",
        **fields,
    }
    tool = trusted_tool(said)
    outputs = fields.get("outputs") or {}
    strict = fields.get(STATED_HINTS, {}).get("strict")
    wire = Wire("probe", _SCHEMA, outputs, False, strict, dialect)
    return list(differences(tool, read_back(target, target.write(tool, wire))))
