"""Differences as losses: which code, which effect."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from toolcanon.conversion.bound import BoundTool
from toolcanon.conversion.choice import Choice
from toolcanon.conversion.differences import ABSENT, Difference, differences, read_back
from toolcanon.conversion.kept_keys import with_kept_keys
from toolcanon.conversion.predicted_losses import (
    BY_FIELD,
    METADATA,
    code_of_notes,
    predict,
)
from toolcanon.conversion.spaces import space_of
from toolcanon.diagnostics import CODES, Effect, Loss
from toolcanon.formats.wire import Target, Wire
from toolcanon.formats.wire.extras import NOTES
from toolcanon.formats.wire.rivals import Rival, rivals
from toolcanon.ir import DEFAULT_VERSION, STATED_HINTS, CanonicalTool, Kind
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject

_NEEDED, _RIVAL = "L018", "L020"
_MATERIAL = Effect.WIDENED | Effect.NARROWED
_DEPTH_OF_KEY = 3  # extras, the format, the key
_NAME = Pointer(("name",))
_INPUTS = Pointer(("inputs",))
_STRICT = Pointer(("hints", "strict"))
_new = tuple.__new__  # a named tuple's own constructor costs twice as much


def losses_of(item: BoundTool, target: Target) -> list[Loss]:
    """What a written tool lost: rewrites of its schemas first, then the rest, field by field."""
    tool, wire = item.tool, item.wire
    if wire is None:
        return [dropped(tool)]
    found = [] if item.refusal is None else [item.refusal]
    lowered = item.lowered
    if lowered is not None and (lowered.log or lowered.rewrites):
        found += lowered.losses(tool.id, "inputs")
    if not _predict(item, wire, target, found):
        found += envelope_losses(item, target)
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
    rest = list(rivals(tool))
    by_key = {rival.at[:3]: rival for rival in rest if len(rival.at) == _DEPTH_OF_KEY}
    around = [rival for rival in rest if len(rival.at) > _DEPTH_OF_KEY]
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
    for key in sorted(target.needs.difference(written)):
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


def _predict(item: BoundTool, wire: Wire, target: Target, found: list[Loss]) -> bool:
    """Add what reading back would find; false where only that can tell."""
    tool, dialect = item.tool, wire.dialect
    said = tool.__dict__
    predicted = None
    if dialect is not None and _is_usual(said, wire, target):
        predicted = predict(tool, target, dialect)
    if predicted is None or predicted.has_loose_ends:
        return False
    dropped, keeps_strict, shows_strict, always, _ = predicted
    if keeps_strict and wire.strict is not said[STATED_HINTS]["strict"]:
        return False
    tool_id = tool.id
    if wire.name != said["name"]:
        found.append(_loss("L001", tool, Difference(_NAME, said["name"], wire.name)))
    for code, name, effect, at, keys in dropped:
        value: Json = said
        for key in keys:
            value = value[key]
        if len(keys) == 1 and (value == DEFAULT_VERSION if keys[0] == "version" else not value):
            continue
        if not code:
            found += () if item.outputs is None else item.outputs.losses(tool_id, "outputs")
            continue
        found.append(_new(Loss, (code, name, effect, tool_id, at, value, None)))
    for difference in always:
        found.append(_loss(_code(tool, target, difference), tool, difference))
    if shows_strict and wire.strict is not None:
        found.append(_loss("L012", tool, Difference(_STRICT, ABSENT, wire.strict)))
    return True


def _is_usual(said: JsonObject, wire: Wire, target: Target) -> bool:
    """Whether a tool has what every tool should have, and both schemas are still there."""
    if not wire.inputs or not said["name"] or said.get("description") == "":
        return False
    if said.get("outputs") and not wire.outputs:  # nothing of it was left to send
        return False
    return not target.schema_signals or target.schema_signals.isdisjoint(wire.inputs)


def _told(code: str, tool_id: str, at: tuple[str, ...], before: Json) -> Loss:
    entry = CODES[code]
    return Loss(code, entry.name, entry.effect, tool_id, Pointer(at), before, None)


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
            return code_of_notes(difference.before)
        if difference.before is ABSENT:
            return "L012"
        return "L010" if format_id == target.id else "L009"
    if difference.before is ABSENT:
        return "L012"
    if field == "description" and target.naming and difference.after is not ABSENT:
        return "L405"
    return BY_FIELD.get(str(field), METADATA)


def _loss(code: str, tool: CanonicalTool, difference: Difference) -> Loss:
    entry = CODES[code]
    at, before, after = difference
    told = (_value(before), _value(after))
    return _new(Loss, (code, entry.name, entry.effect, tool.id, at, *told))


def _value(value: Json) -> Json:
    return None if value is ABSENT else value
