"""How likely data is of this SDK."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.vercel.older import INVOKED
from toolcanon.formats.vercel.reading import ROLES
from toolcanon.formats.vercel.ui_reading import ROLES as UI_ROLES
from toolcanon.formats.wire.odd import in_list
from toolcanon.jsonio.types import Json, JsonObject

_OURS: Final = frozenset(
    """tool-call tool-result tool-approval-request tool-approval-response reasoning-file
    tool-error redacted-reasoning""".split()
)
_PARTS: Final = frozenset(
    """text reasoning file dynamic-tool step-start source-url source-document custom reasoning-file
    steering-message""".split()
)
_TYPES: Final = frozenset({"mediaType", "mimeType"})
_PREFIXES: Final = ("tool-", "data-")
_SAID: Final = frozenset({"role", "content", "providerOptions"})
_SAID_OR_OLDER: Final = _SAID | {"id", "createdAt", "annotations"}
_SETTINGS: Final = frozenset(
    """instructions toolChoice maxOutputTokens stopSequences topP topK activeTools stopWhen
    providerOptions allowSystemInMessages""".split()
)
_EVENTS: Final = frozenset(
    """text-start text-delta text-end reasoning-start reasoning-delta reasoning-end start-step
    finish-step reset-step tool-input-start tool-input-delta tool-input-available tool-input-error
    tool-output-available tool-output-error tool-output-denied tool-approval-request
    tool-approval-response source-url source-document message-metadata""".split()
)
_SHARED_EVENTS: Final = frozenset({"start", "finish", "abort"})
_ANYBODYS, _HARDLY = 0.45, 0.1


def sniff(message: JsonObject) -> float:
    """Return the score of a message, by its parts."""
    role = message.get("role")
    if not isinstance(role, str):
        return 0.0
    parts = message.get("parts")
    if isinstance(parts, list):
        return _sniff_ui(message, role, parts)
    if isinstance(message.get(INVOKED), list) and role in UI_ROLES:
        return 1.0
    if role not in ROLES:
        return 0.0
    return _sniff_model(message, role)


def _sniff_model(message: JsonObject, role: str) -> float:
    """Return the score of a ModelMessage; programs that store one add keys of their own."""
    content = in_list(message.get("content"))
    if isinstance(content, list):
        score = _sniff_parts(content)
        if score == 1.0 or message.keys() <= _SAID:
            return 1.0 if "providerOptions" in message else score
        return _HARDLY
    if not isinstance(content, str) or not message.keys() <= _SAID_OR_OLDER:
        return _HARDLY
    if "providerOptions" in message:
        return 1.0
    return _ANYBODYS if role in UI_ROLES else _HARDLY


def _sniff_ui(message: JsonObject, role: str, parts: list[Json]) -> float:
    if role not in UI_ROLES:
        return 0.0
    kinds = [part.get("type") if isinstance(part, dict) else None for part in parts]
    if any(isinstance(kind, str) and _is_ui_kind(kind) for kind in kinds):
        return 1.0
    if parts:
        return 0.5 if all(isinstance(kind, str) for kind in kinds) else _HARDLY
    return 0.8 if "id" in message else _HARDLY


def _is_ui_kind(kind: str) -> bool:
    return kind in _PARTS or kind.startswith(_PREFIXES)


def _sniff_parts(content: list[Json]) -> float:
    only_text = True
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text":
            if "providerOptions" in part:
                return 1.0
            continue
        only_text = False
        if isinstance(kind, str) and (kind in _OURS or (kind == "reasoning" and "text" in part)):
            return 1.0
        if kind == "image" and "image" in part:
            return 1.0
        if kind == "file" and "data" in part and not _TYPES.isdisjoint(part):
            return 1.0
    return 0.4 if only_text else _HARDLY


def sniff_body(body: JsonObject) -> float:
    """Return the score of a request, by its messages, its tools, or its settings."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        return 0.0
    tools = body.get("tools")
    best = 0.0
    for message in messages:
        best = max(best, sniff(message) if isinstance(message, dict) else 0.0)
        if best == 1.0:
            return best
    listed = list(tools.values()) if isinstance(tools, dict) else tools
    if isinstance(listed, list) and any(_is_our_tool(tool) for tool in listed):
        return 0.95
    if not _SETTINGS.isdisjoint(body):
        return 0.9
    return best


def _is_our_tool(tool: Json) -> bool:
    return isinstance(tool, dict) and "inputSchema" in tool


def sniff_answer(body: JsonObject) -> float:
    """Return the score of a step, or of an assistant's UI message."""
    content = body.get("content")
    if isinstance(content, list) and "finishReason" in body:
        return 1.0
    return sniff(body) if isinstance(body.get("parts"), list) and _answers(body) else 0.0


def _answers(body: JsonObject) -> bool:
    return body.get("role") == "assistant"


def sniff_event(event: JsonObject) -> float:
    """Return the score of a chunk of a UI message stream."""
    kind = event.get("type")
    if not isinstance(kind, str):
        return 0.0
    if kind in _EVENTS:
        return 1.0
    if kind in _SHARED_EVENTS or kind.startswith("data-"):
        return 0.9
    return 0.8 if kind == "error" and "errorText" in event else 0.0
