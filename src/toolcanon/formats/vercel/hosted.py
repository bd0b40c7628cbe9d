"""Tools that a provider runs itself: one UI part, or a call and a result beside it."""

from __future__ import annotations

from toolcanon.formats.vercel.ui_reading import tool_name
from toolcanon.ir.conversation import Native
from toolcanon.jsonio.types import Json, JsonObject


def in_model_words(native: Native) -> list[Json] | None:
    """The ModelMessage parts for a part of a UI message; None where there are none."""
    part = native.value
    if not isinstance(part, dict):
        return None
    metadata = part.get("providerMetadata")
    options = {"providerOptions": metadata} if isinstance(metadata, dict) else {}
    match part:
        case {"type": "custom", "kind": kind}:
            return [{"type": "custom", "kind": kind, **options}]
        case {"type": "reasoning-file", "url": str() as url, "mediaType": mime}:
            return [{"type": "reasoning-file", "data": url, "mediaType": mime, **options}]
        case {"providerExecuted": True, "toolCallId": str()} if tool_name(part) is not None:
            return _in_parts(part)
    return None


def _in_parts(part: JsonObject) -> list[Json]:
    name, call_id = tool_name(part), part["toolCallId"]
    head: JsonObject = {"toolCallId": call_id, "toolName": name}
    call = {"type": "tool-call", **head, "input": part.get("input"), "providerExecuted": True}
    asked = part.get("callProviderMetadata")
    if isinstance(asked, dict):
        call["providerOptions"] = asked
    output: JsonObject | None = None
    match part.get("state"):
        case "output-available":
            value = part.get("output")
            output = {"type": "text" if isinstance(value, str) else "json", "value": value}
        case "output-error":
            output = {"type": "error-json", "value": part.get("errorText")}
    if output is None:
        return [call]
    result: JsonObject = {"type": "tool-result", **head, "output": output}
    answered = part.get("resultProviderMetadata", asked)
    if isinstance(answered, dict):
        result["providerOptions"] = answered
    return [call, result]
