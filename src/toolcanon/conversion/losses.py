"""Differences as losses: which code, which effect."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from toolcanon.conversion.bound import BoundTool
from toolcanon.conversion.choice import Choice
from toolcanon.conversion.differences import ABSENT, Difference, differences, read_back
from toolcanon.conversion.probe import KNOWN, Foretold, foretell
from toolcanon.diagnostics import CODES, Effect, Loss
from toolcanon.formats.wire import Target
from toolcanon.formats.wire.extras import NOTES, SHAPE
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
_NO_HINTS: JsonObject = {}
_NAME = Pointer(("name",))
_INPUTS = Pointer(("inputs",))
_PROBED = (("version", "L008"), ("outputs", "L005"), ("title", "L003"), ("tags", "L008"))


def losses_of(item: BoundTool, target: Target) -> list[Loss]:
    """What a written tool lost: rewrites of its schemas first, then the rest, field by field."""
    tool, wire = item.tool, item.wire
    if wire is None:
        return [dropped(tool)]
    found = [] if item.refusal is None else [item.refusal]
    if item.lowered is not None:
        found += item.lowered.losses(tool.id, "inputs")
    quick = _foretold(item, target)
    found += envelope_losses(item, target) if quick is None else quick
    most = None if wire.dialect is None else wire.dialect.limits.schema_bytes
    if most is not None and (size := _bytes(wire.inputs)) > most:
        found.append(_over(tool, _INPUTS, f"{size} bytes", f"{most} bytes at most"))
    return found


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
    said = tool.__dict__
    if wire is None or wire.dialect is None or not said.keys() <= KNOWN:
        return None
    if not said["name"] or not wire.inputs or said.get("description") == "":
        return None
    hints = said.get(STATED_HINTS, _NO_HINTS)
    extras = said.get("extras", _NO_HINTS)
    told = foretell(target, wire.dialect)
    if not _is_certain(told, target, wire.inputs) or not _is_silent(extras.get(target.id)):
        return None
    if told.uncertain and not told.uncertain.isdisjoint({*said, *hints}):
        return None
    found: list[Loss] = []
    if wire.name != said["name"]:
        found.append(_loss("L001", tool, Difference(_NAME, said["name"], wire.name)))
    for field, code in _PROBED:
        if not said.get(field) or (field == "version" and said[field] == DEFAULT_VERSION):
            continue
        if field in told.gone:
            found.append(_told(code, tool, (field,), said[field]))
        elif field == "outputs" and item.outputs is not None:
            found += item.outputs.losses(tool.id, "outputs")
    if "strict" in hints and "strict" not in told.gone and wire.strict is not hints["strict"]:
        return None
    found += [
        _told("L007", tool, ("hints", hint), value)
        for hint, value in hints.items()
        if hint in told.gone
    ]
    found += [
        _told("L011" if key == NOTES else "L009", tool, ("extras", format_id, key), value)
        for format_id, kept in extras.items()
        for key, value in kept.items()
    ]
    found += [
        _loss(_code(tool, target, difference), tool, difference) for difference in told.always
    ]
    if wire.strict is not None and "strict" not in hints and "strict" not in told.gone:
        at = Pointer(("hints", "strict"))
        found.append(_loss("L012", tool, Difference(at, ABSENT, wire.strict)))
    return found


def _is_certain(told: Foretold, target: Target, inputs: JsonObject) -> bool:
    """Whether the schema could not fare otherwise than the probe's did."""
    return (
        target.plain is not None
        and told.is_plain
        and not any(form.odd in inputs for form in target.plain.forms)
    )


def _is_silent(kept: JsonObject | None) -> bool:
    """Whether what the target itself kept aside is no more than the shape it was read from."""
    return kept is None or (kept.keys() == {NOTES} and kept[NOTES].keys() == {SHAPE})


def _told(code: str, tool: CanonicalTool, at: tuple[str, ...], before: Json) -> Loss:
    entry = CODES[code]
    return Loss(code, entry.name, entry.effect, tool.id, Pointer(at), before, None)


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
    if field == "description" and target.naming and difference.after is not ABSENT:
        return "L017"
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
