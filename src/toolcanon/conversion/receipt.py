"""The receipt of a conversion: enough to get the canonical tools back from the payload alone.

For each tool it holds what the target could not: the place, the value it had, and a digest of what
the target shows there. Where the payload was edited since, the edit is kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from pydantic import ValidationError

from toolcanon.calls.restore import CallShape
from toolcanon.conversion.bind_tool import BoundTool
from toolcanon.conversion.predicted_losses import (
    ABSENT,
    differences,
    facts,
    predicted_differences,
    read_back,
)
from toolcanon.errors import BadReceipt, UnreadableTool
from toolcanon.formats.wire import LoweredTool, WritableFormat
from toolcanon.formats.wire.format import check_extras
from toolcanon.ir import IR_VERSION, CanonicalTool, Kind
from toolcanon.jsonio import Pointer, copy_json, digest
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering import Lens
from toolcanon.schema import upgrade

VERSION = 1
MARK = "toolcanon-receipt"
SWITCH_MARK = "toolcanon-switch"


def make_receipt(target: WritableFormat, bound: Iterable[BoundTool], *, single: bool) -> JsonObject:
    """Describe the way back as plain JSON."""
    return {
        MARK: VERSION,
        "ir": IR_VERSION,
        "format": target.id,
        "single": single,
        "tools": [
            {"dropped": document_of(item.tool)}
            if item.wire is None
            else _entry(item, item.wire, target)
            for item in bound
        ],
    }


def _entry(item: BoundTool, wire: LoweredTool, target: WritableFormat) -> JsonObject:
    """Describe the way back of one tool; shares nothing with it."""
    tool, lens = item.tool, item.lens
    said = tool.__dict__
    kind = said.get("kind", Kind.FUNCTION)
    found = predicted_differences(tool, wire, target)
    name, group = wire.name, None
    if found is None:
        back = read_back(target, target.write(tool, wire))
        found = list(differences(tool, back))
        name, group = back.name, back.namespace
    entry: JsonObject = {"id": tool.id, "wire": name, "source_format": str(tool.source_format)}
    if group:
        entry["group"] = group
    if found:
        entry["restore"] = [_change(*difference) for difference in found]
    inputs = item.input_schema if kind is Kind.FUNCTION else None
    if inputs is not None:
        entry["inputs"] = copy_json(inputs)
    if wire.dialect is not None:
        entry["dialect"] = wire.dialect.pinned
    if lens is not None:
        entry["lens"] = copy_json(lens)
    if wire.inputs is not inputs and wire.inputs != inputs:
        entry["wire_inputs"] = copy_json(wire.inputs)
    if tool.has_own_original:
        entry["original_definition"] = copy_json(tool.original_definition)
    return entry


def receipt_of_tools(receipt: Json) -> Json:
    """Return the receipt of tools that the receipt of a switch holds; any other receipt itself."""
    if isinstance(receipt, dict) and SWITCH_MARK in receipt:
        if "binding" not in receipt:
            raise BadReceipt("it is the receipt of a switch without tools")
        return receipt["binding"]
    return receipt


def call_shapes(receipt: Json) -> list[CallShape]:
    """Return what carries the calls of the tools in a receipt; raises BadReceipt."""
    shapes = []
    for entry in check_receipt(receipt):
        if "dropped" in entry:
            continue
        lens, inputs = entry.get("lens"), entry.get("inputs")
        schema = None if inputs is None else upgrade(inputs).schema
        shapes.append(
            CallShape(
                entry["id"],
                entry["wire"],
                schema,
                entry.get("wire_inputs") or schema or {},
                None if lens is None else Lens.checked(lens),
                entry.get("group"),
            )
        )
    return shapes


def _change(at: Pointer, before: Json, after: Json) -> JsonObject:
    """One place: what the target shows there, as a digest, and what was there before."""
    change: JsonObject = {"at": str(at), "seen": None if after is ABSENT else digest(after)}
    if before is not ABSENT:
        change["before"] = copy_json(before)
    return change


def _digest(value: Json) -> str | None:
    return None if value is ABSENT else digest(value)


def document_of(tool: CanonicalTool) -> JsonObject:
    """Return the whole tool as plain JSON."""
    document = tool.to_dict()
    del document["original_definition"]
    if not tool.has_own_capabilities:
        del document["capabilities"]
    return document


def apply_receipt(
    tools: Sequence[CanonicalTool], receipt: JsonObject, *, single: bool
) -> tuple[list[CanonicalTool], bool]:
    """Return the tools before the conversion, and whether it was one tool alone."""
    entries = check_receipt(receipt)
    known: dict[tuple[str | None, str], list[tuple[int, JsonObject]]] = {}
    for index, entry in enumerate(entries):
        if "dropped" not in entry:
            known.setdefault((entry.get("group"), entry["wire"]), []).append((index, entry))
    if tools and known and not any((tool.namespace, tool.name) in known for tool in tools):
        raise BadReceipt(f"none of its tools is in the payload ({tools[0].id!r} is unknown to it)")
    placed: list[tuple[float, CanonicalTool]] = [
        (index, tool_of(entry["dropped"]))
        for index, entry in enumerate(entries)
        if "dropped" in entry
    ]
    for tool in tools:
        matches = known.get((tool.namespace, tool.name))  # equal names keep their order
        if matches:
            index, entry = matches.pop(0)
            placed.append((index, _back(tool, entry)))
        else:  # added since: behind the others
            placed.append((math.inf, tool))
    found = [tool for _, tool in sorted(placed, key=lambda item: item[0])]
    alone = single or (len(found) == 1 and bool(receipt.get("single")))
    return found, alone


def check_receipt(receipt: Json) -> list[JsonObject]:
    """Return the entries of a receipt; raises BadReceipt for anything else."""
    if not isinstance(receipt, dict) or MARK not in receipt:
        raise BadReceipt("it is not a receipt of a conversion")
    if receipt[MARK] != VERSION or receipt.get("ir") != IR_VERSION:
        raise BadReceipt(f"its version is {receipt[MARK]!r}, this release reads {VERSION}")
    entries = receipt.get("tools")
    if not isinstance(entries, list) or not all(map(_is_sound, entries)):
        raise BadReceipt("its list of tools is damaged")
    return entries


def _is_sound(entry: Json) -> bool:
    if not isinstance(entry, dict):
        return False
    if "dropped" in entry:
        return isinstance(entry["dropped"], dict)
    changes = entry.get("restore", [])
    return (
        isinstance(entry.get("wire"), str)
        and isinstance(entry.get("id"), str)
        and all(isinstance(entry.get(key, {}), dict) for key in ("inputs", "wire_inputs", "lens"))
        and isinstance(entry.get("group", ""), str)
        and isinstance(entry.get("source_format", ""), str)
        and isinstance(entry.get("original_definition", {}), dict)
        and isinstance(changes, list)
        and all(
            isinstance(change, dict)
            and isinstance(change.get("at"), str)
            and isinstance(change.get("seen", 0), (str, type(None)))
            for change in changes
        )
    )


def _back(tool: CanonicalTool, entry: JsonObject) -> CanonicalTool:
    document = copy_json(facts(tool))
    try:
        for change in entry.get("restore", ()):
            at = Pointer.parse(change["at"])
            if _digest(_look(document, at)) == change["seen"]:  # otherwise it was edited: keep
                _put(document, at, change.get("before", ABSENT))
    except ValueError as error:  # not a pointer, or one that leads nowhere
        raise BadReceipt(f"the entry of {entry['wire']!r} is damaged ({error})") from None
    extras = document.get("extras", {})
    if not isinstance(extras, dict):
        raise BadReceipt(f"the entry of {entry['wire']!r} is damaged (extras are not an object)")
    if extras:
        document["extras"] = {key: kept for key, kept in extras.items() if kept}
    document["source_format"] = entry.get("source_format", tool.source_format)
    document["original_definition"] = entry.get("original_definition", tool.original_definition)
    return tool_of(document)


def tool_of(document: Json) -> CanonicalTool:
    """Return the tool of such a document; raises BadReceipt."""
    try:
        tool = CanonicalTool.model_validate(copy_json(document))
        check_extras(tool.extras)
    except ValidationError as error:
        raise BadReceipt(f"it does not hold a valid tool ({error.error_count()} errors)") from None
    except UnreadableTool as error:
        raise BadReceipt(f"it does not hold a valid tool ({error.at}: {error.reason})") from None
    return tool


def _look(document: JsonObject, at: Pointer) -> Json:
    try:
        return at.resolve(document)
    except LookupError:
        return ABSENT


def _put(document: JsonObject, at: Pointer, value: Json) -> None:
    """Set a member, or remove it; raises ValueError where there is no object to hold it."""
    *parents, last = at
    holder: Json = document
    for step in parents:
        holder = holder.setdefault(str(step), {}) if isinstance(holder, dict) else None
    if holder.__class__ is not dict:
        raise ValueError(f"{str(at)!r} is not in an object")
    if value is not ABSENT:
        holder[str(last)] = copy_json(value)
    else:
        holder.pop(str(last), None)
