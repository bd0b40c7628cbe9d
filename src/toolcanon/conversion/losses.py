"""Differences as losses: which code, which effect."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from toolcanon.conversion.bound import BoundTool
from toolcanon.conversion.choice import Choice
from toolcanon.conversion.differences import ABSENT, Difference, differences, read_back
from toolcanon.conversion.kept_keys import are_carried, with_kept_keys
from toolcanon.conversion.probe import Foretold, foretell
from toolcanon.conversion.spaces import space_of
from toolcanon.diagnostics import CODES, Effect, Loss
from toolcanon.formats.wire import Target, Wire
from toolcanon.formats.wire.extras import GUESSES, NOTES, SHAPE
from toolcanon.formats.wire.rivals import Rival, rivals
from toolcanon.ir import DEFAULT_VERSION, STATED_HINTS, CanonicalTool, Kind
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject

_BY_FIELD = {
    "namespace": "L002",
    "title": "L003",
    "description": "L004",
    "outputs": "L005",
    "examples": "L006",
    "hints": "L007",
    "kind": "L013",
    "grammar": "L014",
}
_METADATA = "L008"
_SPELLING, _GUESSED, _NEEDED, _RIVAL = "L011", "L017", "L018", "L020"
_MATERIAL = Effect.WIDENED | Effect.NARROWED
_DEPTH_OF_KEY = 3  # extras, the format, the key
_NO_HINTS: JsonObject = {}
_NAME = Pointer(("name",))
_INPUTS = Pointer(("inputs",))
_STRICT = Pointer(("hints", "strict"))
_ONLY_NOTES, _ONLY_SHAPE = {NOTES}, {SHAPE}
_new = tuple.__new__  # a named tuple's own constructor costs twice as much


def losses_of(item: BoundTool, target: Target) -> list[Loss]:
    """What a written tool lost: rewrites of its schemas first, then the rest, field by field."""
    tool, wire = item.tool, item.wire
    if wire is None:
        return [dropped(tool)]
    found = [] if item.refusal is None else [item.refusal]
    lowered = item.lowered
    if lowered is not None and (lowered.log or lowered.upgrade_of is not None):
        found += lowered.losses(tool.id, "inputs")
    quick = _foretold(item, target)
    found += envelope_losses(item, target) if quick is None else quick
    if "extras" in tool.__dict__:
        found = _with_rivals(tool, with_kept_keys(tool, found, target))
    if target.needs and not wire.verbatim:
        found += _missing(tool, wire, target)
    most = None if wire.dialect is None else wire.dialect.limits.schema_bytes
    if most is not None and (size := _bytes(wire.inputs)) > most:
        found.append(_over(tool, _INPUTS, f"{size} bytes", f"{most} bytes at most"))
    return found


def _with_rivals(tool: CanonicalTool, found: list[Loss]) -> list[Loss]:
    """The losses, with each rival that is among them reported as such."""
    by_key = {rival.at[:3]: rival for rival in rivals(tool) if len(rival.at) == _DEPTH_OF_KEY}
    around = [rival for rival in rivals(tool) if len(rival.at) > _DEPTH_OF_KEY]
    if not (by_key or around):
        return found
    out: list[Loss] = []
    for loss in found:
        rival = by_key.get(tuple(map(str, loss.at)))
        out.append(loss if rival is None else _rival(rival, tool.id))
        out += [_rival(one, tool.id) for one in around if loss.at == one.at[:_DEPTH_OF_KEY]]
    return out


def _rival(rival: Rival, tool_id: str) -> Loss:
    entry = CODES[_RIVAL]
    effect = _MATERIAL if rival.field == "inputs" else entry.effect
    return Loss(_RIVAL, entry.name, effect, tool_id, Pointer(rival.at), rival.value, None)


def _missing(tool: CanonicalTool, wire: Wire, target: Target) -> Iterator[Loss]:
    """What the target demands and only its own tools have."""
    written = target.write(tool, wire)
    for key in sorted(target.needs - written.keys()):
        yield _told(_NEEDED, tool.id, ("extras", target.id, key), None)


def crowded_out(bound: Sequence[BoundTool], choice: Choice) -> list[Loss]:
    """The tools that are more than the target takes in one request, counted in their order."""
    most = None if choice.plain is None else choice.plain.limits.tools
    if most is None or len(bound) <= most:
        return []
    written = [item.tool for item in bound if item.wire is not None]
    return [
        _over(tool, Pointer(), f"tool {number}", f"{most} tools at most")
        for number, tool in enumerate(written[most:], most + 1)
    ]


def _over(tool: CanonicalTool, at: Pointer, found: str, most: str) -> Loss:
    entry = CODES["L239"]
    return Loss("L239", entry.name, entry.effect, tool.id, at, found, most)


def _bytes(schema: JsonObject) -> int:
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "surrogatepass"))


def _foretold(item: BoundTool, target: Target) -> list[Loss] | None:
    """The same as reading back would find, for a tool that says only what was probed before."""
    tool, wire = item.tool, item.wire
    if wire is None or wire.dialect is None:
        return None
    said = tool.__dict__
    told = foretell(target, wire.dialect, bool(said.get("outputs")))
    shape = tuple(said)
    fields = told.known[shape] if shape in told.known else told.telling(shape)
    if fields is None or not _is_usual(said, wire) or not told.odd.isdisjoint(wire.inputs):
        return None
    found: list[Loss] = []
    if wire.name != said["name"]:
        found.append(_loss("L001", tool, Difference(_NAME, said["name"], wire.name)))
    for field in fields:
        if not said[field] or (field == "version" and said[field] == DEFAULT_VERSION):
            continue
        if field in told.gone:
            found.append(_told(_BY_FIELD.get(field, _METADATA), tool.id, (field,), said[field]))
        elif item.outputs is not None:
            found += item.outputs.losses(tool.id, "outputs")
    hints = said.get(STATED_HINTS, _NO_HINTS)
    if hints and not _tell_hints(tool, wire, told, found):
        return None
    if "extras" in said and not _tell_extras(tool, target, found):
        return None
    for difference in told.always:
        found.append(_loss(_code(tool, target, difference), tool, difference))
    if wire.strict is not None and "strict" not in hints and "strict" not in told.gone:
        found.append(_loss("L012", tool, Difference(_STRICT, ABSENT, wire.strict)))
    return found


def _is_usual(said: JsonObject, wire: Wire) -> bool:
    """Whether a tool has what every tool should have."""
    return bool(said["name"]) and bool(wire.inputs) and said.get("description") != ""


def _tell_hints(tool: CanonicalTool, wire: Wire, told: Foretold, found: list[Loss]) -> bool:
    """The hints that are gone; false where one may fare otherwise."""
    hints = tool.__dict__[STATED_HINTS]
    if not told.uncertain.isdisjoint(hints):
        return False
    if "strict" in hints and "strict" not in told.gone and wire.strict is not hints["strict"]:
        return False
    tool_id = tool.id
    for hint, value in hints.items():
        if hint in told.gone:
            found.append(_told("L007", tool_id, ("hints", hint), value))
    return True


def _tell_extras(tool: CanonicalTool, target: Target, found: list[Loss]) -> bool:
    """What formats kept aside; false where the target kept more than a shape it was read from."""
    extras = tool.__dict__["extras"]
    own = extras.get(target.id)
    if own is not None and (own.keys() != _ONLY_NOTES or own[NOTES].keys() != _ONLY_SHAPE):
        return False
    if are_carried(tool, target):
        return False
    tool_id = tool.id
    for format_id, kept in extras.items():
        for key, value in kept.items():
            code = _of_notes(value) if key == NOTES else "L009"
            found.append(_told(code, tool_id, ("extras", format_id, key), value))
    return True


def _of_notes(noted: Json) -> str:
    """Notes say how something was written, and some of them what was made of it."""
    return _GUESSED if isinstance(noted, dict) and GUESSES in noted else _SPELLING


def _told(code: str, tool_id: str, at: tuple[str, ...], before: Json) -> Loss:
    entry = CODES[code]
    place = _new(Pointer, at)
    return _new(Loss, (code, entry.name, entry.effect, tool_id, place, before, None))


def envelope_losses(item: BoundTool, target: Target) -> Iterator[Loss]:
    """What the envelope lost, found by reading back what was written."""
    tool, wire = item.tool, item.wire
    if wire is None:
        return
    back = read_back(target, target.write(tool, wire))
    keeps_outputs = bool(back.outputs) and bool(tool.outputs)
    if keeps_outputs and item.outputs is not None:
        yield from item.outputs.losses(tool.id, "outputs")
    for difference in differences(tool, back):
        field = difference.at[0]
        if field == "inputs":
            yield from _schema_losses(tool, wire.inputs, back.inputs)
        elif field != "outputs" or not keeps_outputs:
            yield _loss(_code(tool, target, difference), tool, difference)


def dropped(tool: CanonicalTool) -> Loss:
    """The target has no way to write it."""
    return _loss("L015", tool, Difference(Pointer(), tool.id, ABSENT))


def _schema_losses(tool: CanonicalTool, written: JsonObject, seen: JsonObject) -> Iterator[Loss]:
    """Members that the envelope itself added to a schema, or had to take away from it."""
    if tool.kind is Kind.FREEFORM:
        yield _loss("L013", tool, Difference(Pointer(("inputs",)), tool.inputs, seen))
        return
    for key in dict.fromkeys([*written, *seen]):
        before, after = written.get(key, ABSENT), seen.get(key, ABSENT)
        if before != after:
            code = "L012" if before is ABSENT else "L016"
            yield _loss(code, tool, Difference(Pointer(("inputs", key)), before, after))


def _code(tool: CanonicalTool, target: Target, difference: Difference) -> str:
    field, *rest = difference.at
    if field == "name":
        return "L002" if tool.namespace and space_of(tool, target) is None else "L001"
    if field == "namespace" and difference.after is not ABSENT:
        return "L001"
    if field == "extras":
        format_id, key = rest
        if key == NOTES:
            return _of_notes(difference.before)
        if difference.before is ABSENT:
            return "L012"
        return "L010" if format_id == target.id else "L009"
    if difference.before is ABSENT:
        return "L012"
    if field == "description" and target.naming and difference.after is not ABSENT:
        return "L405"
    return _BY_FIELD.get(str(field), _METADATA)


def _loss(code: str, tool: CanonicalTool, difference: Difference) -> Loss:
    entry = CODES[code]
    at, before, after = difference
    told = (_value(before), _value(after))
    return _new(Loss, (code, entry.name, entry.effect, tool.id, at, *told))


def _value(value: Json) -> Json:
    return None if value is ABSENT else value
