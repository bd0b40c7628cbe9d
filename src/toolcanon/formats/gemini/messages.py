"""generateContent: contents of a role and parts, the system prompt beside them.

Calls have the same stop reason as text, and may have no ids; then name and position pair them.
"""

from __future__ import annotations

from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.gemini.contents import read_contents, write_contents
from toolcanon.formats.gemini.parts import read_part
from toolcanon.formats.gemini.requests import (
    KNOWN,
    SYSTEM,
    read_answer,
    read_request,
    write_answer,
    write_request,
)
from toolcanon.formats.gemini.results import ID, PAYLOADS, RESPONSE, pick
from toolcanon.formats.gemini.stream import GeminiStream
from toolcanon.formats.wire.codec import NOTES, Codec, flow_beside, patch_beside
from toolcanon.formats.wire.results import Rename, answered, ran, texts_in
from toolcanon.ir.conversation import Native, Result
from toolcanon.jsonio.types import JsonObject

_TEXTS: Final = frozenset({"text", "title", "uri", "url", "snippet", "output", "error"})
"""Fields of responses with text; search suggestions are a page for display."""
_PAYLOADS: Final = frozenset(PAYLOADS)


def say_native(part: Native, rename: Rename) -> str | None:
    """Return the text of a part of this provider; None where it has none."""
    del rename
    value = part.value
    if not isinstance(value, dict) or value.get("thought") is True:
        return None
    inner = next((value[key] for key in value if PAYLOADS.get(key) == part.type), None)
    if not isinstance(inner, dict):
        return None
    if part.type == "executableCode":
        return ran(f"{inner.get('language') or ''} code".strip().lower(), inner.get("code"))
    if part.type == "codeExecutionResult":
        return answered("code", [inner.get("output")])
    if part.type == "toolCall":
        return ran(_tool(inner), inner.get("args"))
    if part.type == "toolResponse":
        return answered(_tool(inner), texts_in(inner.get("response"), _TEXTS))
    return None


def _tool(inner: JsonObject) -> str:
    return str(inner.get(pick(inner, "toolType") or "", "tool")).lower()


def _sniff(message: JsonObject) -> float:
    parts = message.get("parts")
    if not isinstance(parts, (list, dict)) or "content" in message:
        return 0.0
    for part in parts if isinstance(parts, list) else [parts]:
        if isinstance(part, dict) and "type" not in part and not _PAYLOADS.isdisjoint(part):
            return 1.0
    return 0.8 if message.get("role") == "model" else 0.0


def _sniff_body(body: JsonObject) -> float:
    contents = body.get("contents")
    if isinstance(contents, str):
        return 0.5
    held = contents if isinstance(contents, list) else [contents]
    if any(isinstance(content, dict) and _sniff(content) for content in held):
        return 1.0
    if contents == []:
        return 0.6
    return 0.9 if isinstance(contents, list) and pick(body, SYSTEM) else 0.0


def _sniff_answer(body: JsonObject) -> float:
    candidates = body.get("candidates")
    if isinstance(candidates, list) and candidates and isinstance(candidates[0], dict):
        return 1.0
    found = sum(pick(body, key) is not None for key in KNOWN[1:])
    return 0.9 if found > 1 else 0.0


def _read_result(block: JsonObject) -> Result:
    """Read a part with a function's response, or the response itself."""
    part = block if pick(block, RESPONSE) else {RESPONSE: block}
    found = read_part(part, None) if NOTES not in block else None
    if not isinstance(found, Result):
        raise NotAConversation("", "a result must be a function's response")
    return found


def sniff_event(event: JsonObject) -> float:
    """Return how likely this is a chunk of a stream."""
    if "candidates" in event or "promptFeedback" in event:
        return 1.0
    return 0.8 if "usageMetadata" in event or "usage_metadata" in event else 0.0


CODEC: Final = Codec(
    history="contents",
    system="systemInstruction",
    sniff_event=sniff_event,
    id=ID,
    sniff=_sniff,
    sniff_body=_sniff_body,
    sniff_answer=_sniff_answer,
    read_messages=read_contents,
    write_messages=write_contents,
    read_request=read_request,
    write_request=write_request,
    read_answer=read_answer,
    write_answer=write_answer,
    accumulate=GeminiStream,
    say=say_native,
    flow=flow_beside(__name__),
    patch=patch_beside(__name__),
    read_result=_read_result,
)
