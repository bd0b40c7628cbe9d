"""Chat Completions: messages with roles, calls in a field of their own, one message per result."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.openai.parts import ID
from toolcanon.formats.openai.reading import read_messages
from toolcanon.formats.openai.requests import read_answer, read_request, write_answer, write_request
from toolcanon.formats.openai.stream import accumulate
from toolcanon.formats.openai.writing import write_messages
from toolcanon.formats.wire.codec import Codec, flow_beside, patch_beside
from toolcanon.formats.wire.odd_members import in_list
from toolcanon.jsonio.types import Json, JsonObject

_CERTAIN: Final = frozenset({"tool_calls", "tool_call_id", "function_call", "refusal"})
_PARTS: Final = frozenset({"image_url", "input_audio", "file"})
_SETTINGS: Final = frozenset(
    """response_format max_completion_tokens parallel_tool_calls functions function_call logit_bias
    logprobs n presence_penalty frequency_penalty reasoning_effort stream_options""".split()
)
_ANYBODYS, _OURS = 0.5, 0.8
_ROLES: Final = {
    **dict.fromkeys(("system", "user", "assistant", "tool"), _ANYBODYS),
    **dict.fromkeys(("function", "developer"), _OURS),
}
"""The score of text under a role."""
_GLANCE: Final = 64


def sniff(message: JsonObject) -> float:
    """Return how likely a message is of this format; text alone is weak evidence."""
    role = message.get("role")
    score = _ROLES.get(role, 0.0) if isinstance(role, str) else 0.0
    content = message.get("content")
    if not score or (content.__class__ is str and len(message) == 2):  # noqa: PLR2004
        return score
    if "type" in message:
        return 0.1
    if not _CERTAIN.isdisjoint(message):
        return 1.0
    if "content" not in message:  # another provider's key may have it
        return 0.1
    if score == _OURS:
        return score
    if isinstance(content, (list, dict)):
        return _sniff_parts(in_list(content))
    return 0.5 if content is None or isinstance(content, str) else 0.1


def _sniff_parts(content: list[Json]) -> float:
    kinds = {part.get("type") if isinstance(part, dict) else None for part in content[:_GLANCE]
             if not isinstance(part, dict) or isinstance(part.get("type"), str | None)}  # fmt: skip
    if kinds & _PARTS and not any(map(_is_others_file, content[:_GLANCE])):
        return 1.0
    return 0.4 if kinds <= {"text", "refusal"} else 0.1


def _is_others_file(part: Json) -> bool:
    """Return whether a file is under another key than ours."""
    return isinstance(part, dict) and part.get("type") == "file" and "file" not in part


def sniff_body(body: JsonObject) -> float:
    """Return how likely a request is of this format, by tools, settings and messages."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        return 0.0
    tools = body.get("tools")
    first = tools[0] if isinstance(tools, list) and tools else None
    if isinstance(first, dict):
        if "function" in first or "custom" in first:
            return 1.0
        if "input_schema" in first:
            return 0.1
    if not _SETTINGS.isdisjoint(body):
        return 0.9
    if "system" in body:
        return 0.1
    scores = [
        sniff(message) if isinstance(message, dict) else 0.0 for message in messages[:_GLANCE]
    ]
    return max(scores, default=0.3) if 0.0 not in scores else 0.1


def sniff_answer(body: JsonObject) -> float:
    """Return how likely a response is of this format, by its type or its choices."""
    if body.get("object") in ("chat.completion", "chat.completion.chunk"):
        return 1.0
    choices = body.get("choices")
    if isinstance(choices, list):
        return 0.9 if choices and isinstance(choices[0], dict) else 0.5
    return 0.3 if isinstance(body.get("error"), dict) and len(body) == 1 else 0.0


def sniff_event(event: JsonObject) -> float:
    """Return how likely this is a chunk of a stream."""
    if event.get("object") == "chat.completion.chunk":
        return 1.0
    return 0.8 if isinstance(event.get("choices"), list) else 0.0


CODEC: Final = Codec(
    id=ID,
    sniff=sniff,
    sniff_body=sniff_body,
    sniff_answer=sniff_answer,
    read_messages=read_messages,
    write_messages=write_messages,
    read_request=read_request,
    write_request=write_request,
    read_answer=read_answer,
    write_answer=write_answer,
    accumulate=accumulate,
    flow=flow_beside(__name__),
    patch=patch_beside(__name__),
    sniff_event=sniff_event,
)
