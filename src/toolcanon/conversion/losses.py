"""Losses of a conversion: differences and dropped keys with their codes, and their observers.

A key beside the wrapped definition is stored among the notes on spelling, but its loss is reported.
A key of the target's own format that another envelope carried is written there, and is not lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

from toolcanon.conversion.bind_tool import BoundTool, space_of
from toolcanon.conversion.predicted_losses import (
    ABSENT,
    BY_FIELD,
    METADATA,
    ReadBackDifference,
    are_carried,
    code_of_extra,
    differences,
    read_back,
    recipe_of,
    said_of,
)
from toolcanon.conversion.target import Choice
from toolcanon.diagnostics import CODES, Effect, Loss, Repair
from toolcanon.formats.wire import LoweredTool, WritableFormat
from toolcanon.formats.wire.format import AROUND, NOTES, notes
from toolcanon.formats.wire.unread_parameters import Rival, rivals
from toolcanon.ir import DEFAULT_VERSION, STATED_HINTS, CanonicalTool, Kind
from toolcanon.jsonio import Pointer, copy_json
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.registry import get_format

_SPELLING: Final = "L011"
_DEPTH: Final = 3  # extras, the format, the key
_SILENT: Final[tuple[Json, ...]] = (None, "", [], {})


def with_kept_keys(tool: CanonicalTool, found: list[Loss], target: WritableFormat) -> list[Loss]:
    """Return the losses of a tool, with what became of keys that its reader kept aside."""
    added: dict[str | int, Json] = {}
    if are_carried(tool.__dict__["extras"], target):
        added = {
            loss.at[2]: loss.after
            for loss in found
            if loss.at[:2] == ("extras", target.id) and loss.before is None and loss.at[2] != NOTES
        }
    out: list[Loss] = []
    for loss in found:
        if loss.at[:1] != ("extras",) or len(loss.at) != _DEPTH:
            out.append(loss)
            continue
        key = loss.at[2]
        if key == NOTES:
            out += _around(tool, loss, target, added)
            out.append(loss)
        elif key in added and added[key] in (loss.before, loss.after):
            out.append(_as(_SPELLING, loss))  # it has another place now
        else:
            out.append(loss)
    return out


def _around(
    tool: CanonicalTool, loss: Loss, target: WritableFormat, added: dict[str | int, Json]
) -> Iterator[Loss]:
    """Keys beside a wrapped definition that are gone with the notes on it."""
    format_id = str(loss.at[1])
    held = notes({NOTES: loss.before or {}}).get(AROUND, {})
    if not held or get_format(format_id).is_document:
        return
    told = {rival.at for rival in rivals(tool)}
    code = "L010" if format_id == target.id else "L009"
    for key, value in held.items():
        place = (*map(str, loss.at), AROUND, key)
        if key == "type" or place in told or value in _SILENT or added.get(key) == value:
            continue
        yield _as(code, loss._replace(at=Pointer(place), before=value, after=None))


def _as(code: str, loss: Loss) -> Loss:
    entry = CODES[code]
    return loss._replace(code=code, name=entry.name, effect=entry.effect)


_NEEDED, _RIVAL = "L018", "L020"
_MATERIAL = Effect.WIDENED | Effect.NARROWED
_DEPTH_OF_KEY = 3  # extras, the format, the key
_NAME = Pointer(("name",))
_INPUTS = Pointer(("inputs",))
_STRICT = Pointer(("hints", "strict"))
_ADDED = ("L012", CODES["L012"].name, CODES["L012"].effect)
_new = tuple.__new__  # a named tuple's own constructor costs twice as much


def losses_of(item: BoundTool, target: WritableFormat) -> list[Loss]:
    """Return the losses of a written tool: rewrites of its schemas, then the rest by field."""
    tool, wire, lowered = item.tool, item.wire, item.lowered
    if wire is None:
        return [dropped(tool)]
    found = [] if item.refusal is None else [item.refusal]
    said = tool.__dict__
    if lowered is not None:
        found += lowered.losses(tool.id if "namespace" in said else said["name"], "inputs")
    if not predict(said, item, target, found):
        found += envelope_losses(item, target)
        if "extras" in said:
            found = _with_rivals(tool, with_kept_keys(tool, found, target))
    if target.needs and not wire.verbatim:
        found += _missing(tool, wire, target)
    dialect = wire.dialect
    most = None if dialect is None else dialect.limits.schema_bytes
    if most is not None and (size := _bytes(wire.inputs)) > most:
        found.append(_over(tool, _INPUTS, f"{size} bytes", f"{most} bytes at most"))
    return found


def _with_rivals(tool: CanonicalTool, found: list[Loss]) -> list[Loss]:
    """Return the losses, with each rival that is among them reported as such."""
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


def _missing(tool: CanonicalTool, wire: LoweredTool, target: WritableFormat) -> Iterator[Loss]:
    """Yield the members that the target requires and only its own tools have."""
    written = target.write(tool, wire)
    for key in sorted(target.needs.difference(written)):
        yield _told(_NEEDED, tool.id, ("extras", target.id, key), None)


def crowded_out(bound: Sequence[BoundTool], choice: Choice) -> list[Loss]:
    """Yield the tools beyond the limit of the target's request, in order."""
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


def predict(said: JsonObject, item: BoundTool, target: WritableFormat, found: list[Loss]) -> bool:
    """Add what reading back would find; false where only that can tell."""
    wire = item.wire
    recipe = None if wire is None else recipe_of(said, wire, target)
    if wire is None or recipe is None:
        return False
    tool = said["name"]
    if wire.name != tool:
        found.append(_loss("L001", item.tool, ReadBackDifference(_NAME, tool, wire.name)))
    for kind, field in recipe.fields:
        value = said[field]
        if value == DEFAULT_VERSION if field == "version" else not value:
            continue
        if kind is not None:
            code, name, effect, at = kind
            found.append(_new(Loss, (code, name, effect, tool, at, value, None)))
        elif item.outputs is not None:
            found += item.outputs.losses(tool, field)
    for code, name, effect, at, format_id, key in recipe.kept:
        value = (said[STATED_HINTS] if format_id is None else said["extras"][format_id])[key]
        found.append(_new(Loss, (code, name, effect, tool, at, value, None)))
    for code, name, effect, at, before, after in recipe.always:
        values = copy_json(before), copy_json(after)  # which every tool shares
        found.append(_new(Loss, (code, name, effect, tool, at, *values)))
    if recipe.shows_strict and wire.strict is not None:
        found.append(_new(Loss, (*_ADDED, tool, _STRICT, None, wire.strict)))
    return True


def _told(code: str, tool_id: str, at: tuple[str, ...], before: Json) -> Loss:
    entry = CODES[code]
    return Loss(code, entry.name, entry.effect, tool_id, Pointer(at), before, None)


def envelope_losses(item: BoundTool, target: WritableFormat) -> Iterator[Loss]:
    """Yield the losses of the envelope, found by reading back what was written."""
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
    """Report a tool that the target cannot write."""
    return _loss("L015", tool, ReadBackDifference(Pointer(), tool.id, ABSENT))


def _schema_losses(tool: CanonicalTool, written: JsonObject, seen: JsonObject) -> Iterator[Loss]:
    """Members that the envelope itself added to a schema, or had to take away from it."""
    if tool.kind is Kind.FREEFORM:
        yield _loss("L013", tool, ReadBackDifference(Pointer(("inputs",)), tool.inputs, seen))
        return
    for key in dict.fromkeys([*written, *seen]):
        before, after = written.get(key, ABSENT), seen.get(key, ABSENT)
        if before != after:
            code = "L012" if before is ABSENT else "L016"
            yield _loss(code, tool, ReadBackDifference(Pointer(("inputs", key)), before, after))


def _code(tool: CanonicalTool, target: WritableFormat, difference: ReadBackDifference) -> str:
    field = difference.at[0]
    if field == "name":
        return "L002" if tool.namespace and space_of(tool, target) is None else "L001"
    if field == "namespace" and difference.after is not ABSENT:
        return "L001"
    if field == "extras":
        return code_of_extra(target, difference.at, difference.before)
    if difference.before is ABSENT:
        return "L012"
    if field == "description" and target.naming and difference.after is not ABSENT:
        return "L405"
    return BY_FIELD.get(str(field), METADATA)


def _loss(code: str, tool: CanonicalTool, difference: ReadBackDifference) -> Loss:
    entry = CODES[code]
    at, before, after = difference
    values = (said_of(before), said_of(after))
    return _new(Loss, (code, entry.name, entry.effect, tool.id, at, *values))


Observer: TypeAlias = Callable[[tuple[Loss, ...] | tuple[Repair, ...]], None]

OBSERVERS: list[Observer] = []


def observe(observer: Observer) -> Callable[[], None]:
    """Call a function with the losses of every binding and the repairs of every call.

    Return a function that ends it. Exceptions of the observer reach the caller that bound or
    restored.
    """
    OBSERVERS.append(observer)

    def stop() -> None:
        with suppress(ValueError):
            OBSERVERS.remove(observer)

    return stop


def tell(found: tuple[Loss, ...] | tuple[Repair, ...]) -> None:
    """Pass it on."""
    if found:
        for observer in tuple(OBSERVERS):
            observer(found)
