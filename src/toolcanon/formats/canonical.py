"""Canonical documents: every field, without loss."""

from __future__ import annotations

from pydantic import ValidationError

from toolcanon.dialect import Source
from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire import Format, LoweredTool, Match, notes, restore_extras
from toolcanon.formats.wire.format import BUILTIN, check_extras, keep_aside
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import JsonObject

ID = "canonical"


_WHOLE = Match(1.0, "'inputs' and 'source_format'")
_PARTIAL = Match(0.9, "'inputs' beside other canonical fields")


def sniff(definition: JsonObject) -> Match | None:
    if "name" not in definition or "inputs" not in definition:
        return None
    if "source_format" in definition:
        return _WHOLE
    if "original_definition" in definition or "capabilities" in definition:
        return _PARTIAL
    return None


def read(definition: JsonObject) -> CanonicalTool:
    fields = CanonicalTool.model_fields
    unknown = {key: value for key, value in definition.items() if key not in fields}
    try:
        tool = CanonicalTool(**{key: value for key, value in definition.items() if key in fields})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise UnreadableTool(ID, str(Pointer(first["loc"])), first["msg"]) from None
    check_extras(tool.extras)
    if tool.kind is Kind.BUILTIN and not any(BUILTIN in notes(x) for x in tool.extras.values()):
        raise UnreadableTool(ID, "/extras", "a built-in tool is kept whole under its format's id")
    for field in ("capabilities", "security"):
        stated = definition.get(field)
        if isinstance(stated, dict):
            odd = stated.keys() - type(getattr(tool, field)).model_fields.keys()
            if odd:
                raise UnreadableTool(ID, f"/{field}/{min(odd)}", "unknown")
    if unknown:
        tool.extras = {**tool.extras, ID: keep_aside(unknown, {})}
    if tool.has_own_capabilities:
        _forget_inferred(tool)
    return tool


def _forget_inferred(tool: CanonicalTool) -> None:
    """Drop capabilities that inference gives anyway."""
    stated = tool.__dict__.pop("capabilities")
    if tool.capabilities != stated:
        tool.capabilities = stated


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    out = tool.to_dict()
    out["name"], out["inputs"], out["outputs"] = wire.name, wire.inputs, wire.outputs
    own = out.get("extras", {}).pop(ID, None)
    if own is not None and not out["extras"]:
        del out["extras"]
    return restore_extras(out, own, {}, verbatim=True) if own else out


FORMAT = Format(
    id=ID,
    title="Canonical tool",
    sources=(Source("docs/schemas/canonical-tool.v1.json", "2026-11", "every field"),),
    signals=frozenset({"inputs"}),
    sniff=sniff,
    rank=0,
    read=read,
    write=write,
    namespaces=True,
    kinds=frozenset(Kind),
)
