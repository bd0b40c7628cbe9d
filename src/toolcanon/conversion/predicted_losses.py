"""What a target drops of a tool: predicted from its keys, or read back.

Losses are what reading back does not show (see ``losses``). For a regular format the answer follows
from the keys that a tool has, so the target is asked once by writing and reading back a probe for
each field, and the answer for a set of keys is kept. Tests read back every time.

Formats do not list what they lose. What they wrote is read back, and whatever differs is the loss;
so nothing can be lost without being noticed here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from toolcanon.diagnostics import CODES, Effect
from toolcanon.dialect import Dialect
from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire import LoweredTool, WritableFormat
from toolcanon.formats.wire.format import AROUND, GUESSES, NOTES, SHAPE
from toolcanon.formats.wire.format import SPELLING as SPELLING_NOTE
from toolcanon.formats.wire.unread_parameters import may_rival
from toolcanon.ir import DEFAULT_VERSION, STATED_HINTS, CanonicalTool, ToolHints, trusted_tool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject


class _Absent:
    """Stands for a member that is not there, which null does not."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


class ReadBackDifference(NamedTuple):
    """One place, before and after; ABSENT on either side where there is nothing."""

    at: Pointer
    before: Json
    after: Json


def said_of(value: Json) -> Json:
    """Return the value of one side of a difference, None where there is nothing."""
    return None if value is ABSENT else value


def facts(tool: CanonicalTool) -> JsonObject:
    """Return what a tool states, without its source and without inferred values."""
    stated = tool.__dict__  # not by attribute: that would make every default there is
    out: JsonObject = {"name": tool.name}
    if namespace := stated.get("namespace"):
        out["namespace"] = namespace
    if (version := stated.get("version", DEFAULT_VERSION)) != DEFAULT_VERSION:
        out["version"] = version
    for field in ("description", "inputs", "outputs"):
        if value := stated.get(field):
            out[field] = value
    if tool.has_own_capabilities:
        out["capabilities"] = tool.capabilities.model_dump()
    if (security := stated.get("security")) is not None:
        out["security"] = security.model_dump()
    out.update(tool.said())
    return out


def differences(before: CanonicalTool, after: CanonicalTool) -> Iterator[ReadBackDifference]:
    """Field by field; hints by hint, extras by format and key."""
    old, new = facts(before), facts(after)
    for field in dict.fromkeys([*old, *new]):
        if field == "hints":
            yield from _members(old, new, Pointer(), field)
        elif field == "extras":
            ours, theirs = old.get(field, {}), new.get(field, {})
            for format_id in dict.fromkeys([*ours, *theirs]):
                yield from _members(ours, theirs, Pointer((field,)), format_id)
        elif old.get(field, ABSENT) != new.get(field, ABSENT):
            yield ReadBackDifference(
                Pointer((field,)), old.get(field, ABSENT), new.get(field, ABSENT)
            )


def _members(
    old: JsonObject, new: JsonObject, at: Pointer, field: str
) -> Iterator[ReadBackDifference]:
    ours, theirs = old.get(field, {}), new.get(field, {})
    for key in dict.fromkeys([*ours, *theirs]):
        if ours.get(key, ABSENT) != theirs.get(key, ABSENT):
            yield ReadBackDifference(
                at / field / key, ours.get(key, ABSENT), theirs.get(key, ABSENT)
            )


def read_back(target: WritableFormat, item: JsonObject) -> CanonicalTool:
    """Return the tool that the target's own reader sees in what was written."""
    match = target.sniff(item)
    if match is None or not match.many or target.spread is None:
        return target.read(item)
    tools = target.spread(item)
    if not tools:
        raise UnreadableTool(target.id, "/extras", "the extras of this format are not a tool")
    return tools[0]


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
"""What every regular target holds, and keys that are not a statement of the tool."""
_REPORTED: Final = ("version", "outputs", "title", "tags")
"""The fields that a target may drop, in the order in which that is reported."""
_GOING_ALONG: Final = frozenset({"inputs", "outputs"})
"""The fields that a writer takes from what lowering made of them."""
_NAME: Final = Pointer(("name",))
_KNOWN: Final = _CARRIED | {*_FIELDS} | {STATED_HINTS, "extras", "outputs"}
_MOST_SHAPES: Final = 4096
_LONGEST_SHAPE: Final = 4096  # characters
_ONLY_NOTES: Final = {NOTES}
_SPELLINGS: Final = frozenset({SHAPE, SPELLING_NOTE})
"""Notes on how a definition was written, which lowered writing never repeats."""
_NOTHING: Final[JsonObject] = {}

Shape: TypeAlias = tuple[object, ...]
"""The keys of a tool, of its hints and of what formats kept aside."""
Kind: TypeAlias = tuple[str, str, Effect, Pointer]
"""Code, name and effect of a loss, and its place."""
Always: TypeAlias = tuple[str, str, Effect, Pointer, Json, Json]
"""The same with the values before and after."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The losses of every tool of one shape, but for the values that are lost."""

    fields: tuple[tuple[Kind | None, str], ...]
    """With the field. Without a kind it is the output schema, which lowering reports on."""
    kept: tuple[tuple[str, str, Effect, Pointer, str | None, str], ...]
    """Hints, and what formats kept aside: with the format, None for a hint, and the key."""
    always: tuple[Always, ...]
    places: tuple[tuple[Pointer, str, bool], ...]
    """Each field that may differ, in the order of a tool's facts, and whether it goes along."""
    keeps_strict: bool
    """Whether a stated strictness goes along as it was stated; otherwise read back."""
    shows_strict: bool
    """Whether strictness that the tool did not state shows."""


class Drops(NamedTuple):
    """The losses of every tool at a target, and those of each of its fields and hints."""

    always: tuple[ReadBackDifference, ...]
    gone: frozenset[str]
    uncertain: frozenset[str]
    is_regular: bool
    """Whether nothing is added that the tool would show, and shapes of its own are not kept."""


RECIPES: Final[dict[Shape, Recipe | None]] = {}
"""For each target, dialect, and shape of a tool; None where only reading back can show them."""


def recipe_of(said: JsonObject, wire: LoweredTool, target: WritableFormat) -> Recipe | None:
    """The losses of a tool with these fields that was written; None where its keys do not tell.

    Every tool should have a name, and both schemas should still be there.
    """
    inputs, strict, dialect = wire.inputs, wire.strict, wire.dialect
    outputs = said.get("outputs")
    if (
        dialect is None
        or not (said["name"] and said.get("description", "unstated"))
        or (outputs and not wire.outputs)
        or (not inputs and said.get("inputs"))
        or (target.schema_signals and not target.schema_signals.isdisjoint(inputs))
    ):
        return None
    shape: Shape = tuple(said)
    if STATED_HINTS in said and (hints := said[STATED_HINTS]):
        shape = (shape, *hints)
    if "extras" in said:
        for format_id, kept in said["extras"].items():
            shape = (shape, format_id, *kept)
            if NOTES in kept:
                noted = kept[NOTES]
                shape = (shape, *noted)
                if AROUND in noted:
                    shape = (shape, *noted[AROUND])
    key = (target, dialect, not outputs, not inputs, shape)
    try:
        recipe = RECIPES[key]
    except KeyError:
        drops = drops_of(target, dialect, bool(outputs), bool(inputs))
        recipe = _recipe(drops, said, target)
        if len(RECIPES) >= _MOST_SHAPES:  # hostile input must not grow it without end
            RECIPES.clear()
        if len(repr(shape)) <= _LONGEST_SHAPE:
            RECIPES[key] = recipe
    if recipe is None or (recipe.keeps_strict and strict is not said[STATED_HINTS]["strict"]):
        return None
    if strict is not None and recipe.shows_strict and recipe.always:
        return None  # which of both comes first depends on the hints that the tool states
    return recipe


def predicted_differences(
    tool: CanonicalTool, wire: LoweredTool, target: WritableFormat
) -> list[ReadBackDifference] | None:
    """Return the differences that reading back would find, in order; None where it must be done."""
    said = tool.__dict__
    recipe = recipe_of(said, wire, target)
    if recipe is None or recipe.always or (recipe.shows_strict and wire.strict is not None):
        return None
    found = []
    if wire.name != said["name"]:
        found.append(ReadBackDifference(_NAME, said["name"], wire.name))
    for at, field, goes_along in recipe.places:
        before = said.get(field)
        if before == DEFAULT_VERSION if field == "version" else not before:
            before = ABSENT
        after = (getattr(wire, field) or ABSENT) if goes_along else ABSENT
        if before is not after and before != after:
            found.append(ReadBackDifference(at, before, after))
    for _, _, _, at, format_id, key in recipe.kept:
        held = said[STATED_HINTS] if format_id is None else said["extras"][format_id]
        found.append(ReadBackDifference(at, held[key], ABSENT))
    return found


def _recipe(drops: Drops, said: JsonObject, target: WritableFormat) -> Recipe | None:
    hints: JsonObject = said.get(STATED_HINTS) or _NOTHING
    extras: JsonObject = said.get("extras") or _NOTHING
    if not (drops.is_regular and said.keys() <= _KNOWN and drops.uncertain.isdisjoint(said)):
        return None
    if not drops.uncertain.isdisjoint(hints) or not _is_foreign(extras, target):
        return None
    if any(map(_has_loose_ends, extras.values())):
        return None
    kept_aside = [
        (Pointer(("extras", format_id, key)), format_id, key, value)
        for format_id, kept in extras.items()
        for key, value in kept.items()
    ]
    return Recipe(
        fields=tuple(
            (_kind(BY_FIELD.get(field, METADATA), field) if field in drops.gone else None, field)
            for field in _REPORTED
            if field in said and (field in drops.gone or field == "outputs")
        ),
        kept=(
            *((*_kind("L007", "hints", hint), None, hint) for hint in hints if hint in drops.gone),
            *(
                (*_kind(code_of_extra(target, at, value), *at), format_id, key)
                for at, format_id, key, value in kept_aside
            ),
        ),
        always=tuple(lost for item in drops.always for lost in _always(item, target)),
        places=tuple(
            (Pointer((field,)), field, field in _GOING_ALONG and field not in drops.gone)
            for field in ("version", "inputs", "outputs", "title", "tags")
            if field == "inputs" or (field in said and (field in drops.gone or field == "outputs"))
        ),
        keeps_strict="strict" in hints and "strict" not in drops.gone,
        shows_strict="strict" not in hints and "strict" not in drops.gone,
    )


def _always(item: ReadBackDifference, target: WritableFormat) -> Iterator[Always]:
    """Yield the losses that reading back finds for every tool."""
    at, before, after = item
    if at[0] == "inputs":
        for key, value in after.items():
            yield *_kind("L012", "inputs", key), None, value
    else:
        yield *_kind(code_of_extra(target, at, before), *at), said_of(before), said_of(after)


def _kind(code: str, *at: str | int) -> Kind:
    entry = CODES[code]
    return code, entry.name, entry.effect, Pointer(at)


def code_of_extra(target: WritableFormat, at: Pointer, before: Json) -> str:
    """Return the code of a difference in what a format kept aside.

    Notes say how something was written, and some of them what was made of it.
    """
    _, format_id, key = at
    if key == NOTES:
        return GUESSED if isinstance(before, dict) and GUESSES in before else SPELLING
    if before is ABSENT:
        return "L012"
    return "L010" if format_id == target.id else "L009"


def _is_foreign(extras: JsonObject, target: WritableFormat) -> bool:
    """Return whether the target kept only spelling notes, and other formats nothing for it."""
    own = extras.get(target.id)
    if own is not None and (own.keys() != _ONLY_NOTES or not own[NOTES].keys() <= _SPELLINGS):
        return False
    return not are_carried(extras, target)


def are_carried(extras: JsonObject, target: WritableFormat) -> bool:
    """Return whether another format's envelope carried keys that the target knows."""
    wanted = target.carries
    return bool(wanted) and any(
        not wanted.isdisjoint(kept)
        or not wanted.isdisjoint(kept.get(NOTES, _NOTHING).get(AROUND, ()))
        for format_id, kept in extras.items()
        if format_id != target.id
    )


def _has_loose_ends(kept: JsonObject) -> bool:
    """Return whether a key may rival what was read, or was beside the definition."""
    around = kept.get(NOTES, _NOTHING).get(AROUND, _NOTHING)
    return any(key != "type" for key in around) or any(
        key != NOTES and may_rival(key) for key in kept
    )


@lru_cache(maxsize=512)
def drops_of(
    target: WritableFormat,
    dialect: Dialect,
    has_outputs: bool = False,  # noqa: FBT001, FBT002
    has_inputs: bool = True,  # noqa: FBT001, FBT002
) -> Drops:
    """Ask a target once: for tools with each of the schemas, and for those without."""
    base: JsonObject = {"outputs": _SCHEMA} if has_outputs else {}
    if not has_inputs:
        base["inputs"] = {}
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
    added = {item.at[0] for item in always}
    # Notes, or an empty schema where the target demands one; of both the order is not known.
    usual = {"extras"} if has_inputs or "extras" in added else {"inputs"}
    regular = target.is_regular and added <= usual
    regular &= [item.at for item in shaped if item not in always and item not in dropped] == [
        Pointer(("extras", target.id, NOTES))
    ]
    return Drops(tuple(always), frozenset(gone), frozenset(uncertain), regular)


def sends_outputs(target: WritableFormat, dialect: Dialect) -> bool:
    """Return whether an output schema goes out; it need not be lowered otherwise."""
    return not target.is_regular or "outputs" not in drops_of(target, dialect, True).gone


def _differences(
    target: WritableFormat, dialect: Dialect, fields: JsonObject
) -> list[ReadBackDifference]:
    said = {
        "name": "probe",
        "description": "d",
        "inputs": _SCHEMA,
        "source_format": "raw",
        **fields,
    }
    outputs = fields.get("outputs") or {}
    strict = fields.get(STATED_HINTS, {}).get("strict")
    wire = LoweredTool("probe", said["inputs"], outputs, False, strict, dialect)
    tool = trusted_tool(said)
    return list(differences(tool, read_back(target, target.write(tool, wire))))
