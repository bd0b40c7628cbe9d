"""Differences as losses: which code, which effect."""

from __future__ import annotations

from collections.abc import Iterator

from toolcanon.conversion.differences import ABSENT, Difference, differences
from toolcanon.diagnostics import CODES, Effect, Loss
from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire import Target, Wire
from toolcanon.formats.wire.extras import NOTES
from toolcanon.ir import CanonicalTool, Kind
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


def envelope_losses(
    tool: CanonicalTool, wire: Wire, target: Target, item: JsonObject
) -> Iterator[Loss]:
    """What a written tool lost: rewrites of its schemas first, then the rest, field by field."""
    back = read_back(target, item)
    keeps_outputs = bool(back.outputs) and bool(tool.outputs)
    if tool.kind is Kind.FUNCTION:
        if wire.inputs is not tool.inputs:
            yield from tool.upgraded("inputs").losses
        if keeps_outputs and wire.outputs is not tool.outputs:
            yield from tool.upgraded("outputs").losses
    for difference in differences(tool, back):
        field = difference.at[0]
        if field == "inputs":
            yield from _schema_losses(tool, wire.inputs, back.inputs)
        elif field != "outputs" or not keeps_outputs:
            yield _loss(_code(tool, target, difference), tool, difference)


def read_back(target: Target, item: JsonObject) -> CanonicalTool:
    """The tool that the target's own reader sees in what was written."""
    match = target.sniff(item)
    if match is None or not match.many or target.spread is None:
        return target.read(item)
    tools = target.spread(item)
    if not tools:
        raise UnreadableTool(target.id, "/extras", "what was kept aside for it is no tool")
    return tools[0]


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
        return "L002" if tool.namespace and not target.namespaces else "L001"
    if field == "extras":
        format_id, key = rest
        if key == NOTES:
            return "L011"
        if difference.before is ABSENT:
            return "L012"
        return "L010" if format_id == target.id else "L009"
    if difference.before is ABSENT:
        return "L012"
    return _BY_FIELD.get(str(field), _METADATA)


def _loss(code: str, tool: CanonicalTool, difference: Difference) -> Loss:
    entry = CODES[code]
    return Loss(
        code,
        entry.name,
        Effect(entry.effect),
        tool.id,
        difference.at,
        _value(difference.before),
        _value(difference.after),
    )


def _value(value: Json) -> Json:
    return None if value is ABSENT else value
