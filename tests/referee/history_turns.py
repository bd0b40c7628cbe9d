"""A conversation as the referee sees it: turns of blocks, read from the wire of one family.

Reading never fails: what has no known shape becomes a block or a turn of kind "other", and the
types of the providers' own packages (bodies.py) say what is wrong with its shape.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class HistoryFault(NamedTuple):
    rule: str
    path: str  # a JSON pointer into what was judged
    detail: str
    certain: bool = True  # documented or reported as refused; otherwise only some models refuse


Faults = Iterator[HistoryFault]


@dataclass(frozen=True, slots=True)
class Block:
    """One part of a turn."""

    at: str
    kind: str  # text call result thought server-call server-result media quiet other
    raw: dict[str, Any] = field(default_factory=dict)
    id: Any = None
    name: Any = None
    value: Any = None  # the text, the arguments, or what came out
    seal: Any = None
    is_error: bool = False
    takes_text: bool = False  # a custom tool: its input is free text


@dataclass(frozen=True, slots=True)
class Turn:
    """One message; in a flat list, one item."""

    at: str
    role: str  # user assistant tool system other
    blocks: tuple[Block, ...] = ()
    raw: dict[str, Any] = field(default_factory=dict)

    def of(self, kind: str) -> list[Block]:
        return [block for block in self.blocks if block.kind == kind]


@dataclass(frozen=True, slots=True)
class History:
    family: str
    turns: tuple[Turn, ...]
    at: str  # where the list of messages is
    request: dict[str, Any] | None  # nothing when only messages are judged
    model: str
    foreign_seals: frozenset[str] = frozenset()


LISTS = {
    "openai": "messages",
    "openai-responses": "input",
    "anthropic": "messages",
    "gemini": "contents",
    "bedrock": "messages",
    "vercel": "messages",
}


def read_history(
    family: str, body: Any, model: str | None, foreign_seals: frozenset[str]
) -> History:
    request = body if isinstance(body, dict) else None
    at = f"/{LISTS[family]}" if request is not None else ""
    found = request.get(LISTS[family]) if request is not None else body
    if isinstance(found, str):
        found = [{"role": "user", "content": found}]
    turns = tuple(
        _READERS[family](f"{at}/{index}", item) if isinstance(item, dict) else _strange(at, index)
        for index, item in enumerate(listed(found))
    )
    known = model or text_of(request, "model") or text_of(request, "modelId")
    return History(family, turns, at, request, known, foreign_seals)


def _strange(at: str, index: int) -> Turn:
    return Turn(f"{at}/{index}", "other")


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def holder(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def text_of(value: Any, key: str) -> str:
    found = holder(value).get(key)
    return found if isinstance(found, str) else ""


def spelled(value: Any, name: str) -> Any:
    """A member under its camelCase name or, as Gemini also reads it, its snake_case one."""
    members = holder(value)
    return members.get(name, members.get(re.sub(r"([A-Z])", r"_\1", name).lower()))


def spelling(value: Any, name: str) -> str:
    """The key that `spelled` finds."""
    return name if name in holder(value) else re.sub(r"([A-Z])", r"_\1", name).lower()


def _parts(at: str, content: Any, read: Callable[[str, dict[str, Any]], Block]) -> Iterator[Block]:
    if isinstance(content, str):
        yield Block(at, "text", {}, value=content)
    for index, part in enumerate(listed(content)):
        here = f"{at}/{index}"
        yield read(here, part) if isinstance(part, dict) else Block(here, "other")


# --- Chat Completions

_CHAT_ROLES = {"developer": "system", "system": "system", "user": "user", "tool": "tool"}
_TEXT_PARTS = ("text", "input_text", "output_text")
_MEDIA_PARTS = (
    "image_url input_audio file input_image input_file image document video audio search_result "
    "container_upload"
).split()


def _typed_part(at: str, part: dict[str, Any]) -> Block:
    if part.get("type") in _TEXT_PARTS:
        return Block(at, "text", part, value=part.get("text"))
    return Block(at, "media" if part.get("type") in _MEDIA_PARTS else "other", part)


def _chat_turn(at: str, message: dict[str, Any]) -> Turn:
    role = _CHAT_ROLES.get(text_of(message, "role"), "other")
    content = message.get("content")
    if role == "tool":
        result = Block(at, "result", message, message.get("tool_call_id"), value=content)
        return Turn(at, role, (result,), message)
    blocks = list(_parts(f"{at}/content", content, _typed_part))
    if message.get("role") == "assistant":
        role = "assistant"
        blocks += [
            _chat_call(f"{at}/tool_calls/{index}", holder(call))
            for index, call in enumerate(listed(message.get("tool_calls")))
        ]
    return Turn(at, role, tuple(blocks), message)


def _chat_call(at: str, call: dict[str, Any]) -> Block:
    kind = text_of({"type": "function", **call}, "type")
    if kind not in {"function", "custom"}:
        return Block(at, "server-call", call, call.get("id"))
    said = holder(call.get(kind))
    value = said.get("arguments" if kind == "function" else "input")
    return Block(
        at, "call", call, call.get("id"), said.get("name"), value, takes_text=kind == "custom"
    )


# --- Responses

_CALL_ITEMS = {"function_call": "arguments", "custom_tool_call": "input"}
_OUTPUT_ITEMS = ("function_call_output", "custom_tool_call_output")


def _item_turn(at: str, item: dict[str, Any]) -> Turn:
    kind = text_of(item, "type") or ("message" if "role" in item else "")
    if kind == "message":
        role = "assistant" if item.get("role") == "assistant" else None
        role = role or _CHAT_ROLES.get(text_of(item, "role"), "other")
        return Turn(
            at, role, tuple(_parts(f"{at}/content", item.get("content"), _typed_part)), item
        )
    if kind in _CALL_ITEMS:
        call = Block(
            at, "call", item, item.get("call_id"), item.get("name"), item.get(_CALL_ITEMS[kind]),
            takes_text=kind == "custom_tool_call",
        )  # fmt: skip
        return Turn(at, "assistant", (call,), item)
    if kind in _OUTPUT_ITEMS:
        result = Block(at, "result", item, item.get("call_id"), value=item.get("output"))
        return Turn(at, "tool", (result,), item)
    if kind == "reasoning":
        thought = Block(at, "thought", item, item.get("id"), seal=item.get("encrypted_content"))
        return Turn(at, "assistant", (thought,), item)
    # What the service ran itself, and what came out, are its own turns; the rest is bookkeeping.
    ran = kind.endswith("_call") or kind == "program"
    role = "assistant" if ran else "other"
    block = Block(at, "server-call" if ran else "other", item, item.get("call_id"))
    return Turn(at, role, (block,), item)


# --- Messages


def _claude_turn(at: str, message: dict[str, Any]) -> Turn:
    role = text_of(message, "role")
    blocks = tuple(_parts(f"{at}/content", message.get("content"), _claude_block))
    known = role in {"user", "assistant", "system"}
    return Turn(at, role if known else "other", blocks, message)


def _claude_block(at: str, block: dict[str, Any]) -> Block:
    kind = text_of(block, "type")
    match kind:
        case "tool_use":
            return Block(at, "call", block, block.get("id"), block.get("name"), block.get("input"))
        case "tool_result":
            return Block(
                at, "result", block, block.get("tool_use_id"), value=block.get("content"),
                is_error=block.get("is_error") is True,
            )  # fmt: skip
        case "thinking":
            return Block(at, "thought", block, seal=block.get("signature"))
        case "redacted_thinking":
            return Block(at, "thought", block, seal=block.get("data"))
        case "server_tool_use" | "mcp_tool_use":
            return Block(at, "server-call", block, block.get("id"))
    if kind.endswith("_tool_result"):
        return Block(at, "server-result", block, block.get("tool_use_id"))
    return _typed_part(at, block)


# --- generateContent


def _gemini_turn(at: str, content: dict[str, Any]) -> Turn:
    role = content.get("role", "user")
    roles = {"user": "user", "function": "user", "model": "assistant"}
    parts = content.get("parts")
    if isinstance(parts, dict):  # the service takes one for a list of one
        parts = [parts]
    blocks = tuple(_parts(f"{at}/parts", parts, _gemini_part))
    return Turn(at, roles.get(role, "other") if isinstance(role, str) else "other", blocks, content)


def _gemini_part(at: str, part: dict[str, Any]) -> Block:
    seal = spelled(part, "thoughtSignature")
    if call := holder(spelled(part, "functionCall")):
        return Block(
            at, "call", part, call.get("id"), call.get("name"), call.get("args", {}), seal=seal
        )
    if result := holder(spelled(part, "functionResponse")):
        return Block(
            at, "result", part, result.get("id"), result.get("name"), result.get("response", {})
        )
    if spelled(part, "toolCall") or spelled(part, "executableCode"):
        return Block(at, "server-call", part, seal=seal)
    if spelled(part, "toolResponse") or spelled(part, "codeExecutionResult"):
        return Block(at, "server-result", part, seal=seal)
    if part.get("thought") is True:
        return Block(at, "thought", part, value=part.get("text"), seal=seal)
    if "text" in part:
        return Block(at, "text", part, value=part["text"], seal=seal)
    media = spelled(part, "inlineData") or spelled(part, "fileData")
    return Block(at, "media" if media else "other", part, seal=seal)


# --- Converse


def _converse_turn(at: str, message: dict[str, Any]) -> Turn:
    role = text_of(message, "role")
    blocks = tuple(_parts(f"{at}/content", message.get("content"), _converse_block))
    known = role in {"user", "assistant", "system"}
    return Turn(at, role if known else "other", blocks, message)


def _converse_block(at: str, block: dict[str, Any]) -> Block:
    if isinstance(call := block.get("toolUse"), dict):
        own = call.get("type") == "server_tool_use"
        kind = "server-call" if own else "call"
        return Block(at, kind, block, call.get("toolUseId"), call.get("name"), call.get("input"))
    if isinstance(result := block.get("toolResult"), dict):
        return Block(
            at, "server-result" if result.get("type") else "result", block,
            result.get("toolUseId"), value=result.get("content"),
            is_error=result.get("status") == "error",
        )  # fmt: skip
    if isinstance(thought := block.get("reasoningContent"), dict):
        seal = holder(thought.get("reasoningText")).get("signature")
        return Block(at, "thought", block, seal=seal or thought.get("redactedContent"))
    if "text" in block:
        return Block(at, "text", block, value=block["text"])
    if "cachePoint" in block:
        return Block(at, "quiet", block)
    return Block(at, "media" if block.keys() & set(_MEDIA_PARTS) else "other", block)


# --- the AI SDK

_SDK_ROLES = ("system", "user", "assistant", "tool")
_SDK_DONE = ("output-available", "output-error", "output-denied")


def _sdk_turn(at: str, message: dict[str, Any]) -> Turn:
    """A ModelMessage or a UIMessage, whose tool parts are calls and results at once."""
    role = text_of(message, "role")
    key = "parts" if isinstance(message.get("parts"), list) else "content"
    said = message.get(key)
    blocks = [Block(f"{at}/{key}", "text", value=said)] if isinstance(said, str) else []
    for index, part in enumerate(said if isinstance(said, list) else []):
        here = f"{at}/{key}/{index}"
        read = _page_blocks if key == "parts" else _sdk_blocks
        blocks += read(here, part) if isinstance(part, dict) else [Block(here, "other")]
    return Turn(at, role if role in _SDK_ROLES else "other", tuple(blocks), message)


def _sdk_blocks(at: str, part: dict[str, Any]) -> Iterator[Block]:
    own = part.get("providerExecuted") is True
    kind, id_, name = text_of(part, "type"), part.get("toolCallId"), part.get("toolName")
    match kind:
        case "tool-call":
            yield Block(at, "server-call" if own else "call", part, id_, name, part.get("input"))
        case "tool-result":
            failed = text_of(part.get("output"), "type").startswith("error-")
            yield Block(at, "result", part, id_, name, part.get("output"), is_error=failed)
        case "text" | "reasoning":
            kind = "text" if kind == "text" else "thought"
            yield Block(at, kind, part, value=part.get("text"))
        case "file" | "image":
            yield Block(at, "media", part)
        case "tool-approval-request" | "tool-approval-response":
            yield Block(at, "quiet", part, part.get("approvalId"))
        case _:
            yield Block(at, "other", part)


def _page_blocks(at: str, part: dict[str, Any]) -> Iterator[Block]:
    kind = text_of(part, "type")
    if kind != "dynamic-tool" and not kind.startswith("tool-"):
        yield from _sdk_blocks(at, part)
        return
    name = part.get("toolName") if kind == "dynamic-tool" else kind.removeprefix("tool-")
    if part.get("providerExecuted") is True:
        yield Block(at, "server-call", part, part.get("toolCallId"), name)
    elif part.get("state") != "input-streaming":  # which is left out
        yield Block(at, "call", part, part.get("toolCallId"), name, part.get("input"))
        refused = holder(part.get("approval")).get("approved") is False
        if part.get("state") in _SDK_DONE or refused:
            yield Block(at, "result", part, part.get("toolCallId"), name, part.get("output"))


_READERS: dict[str, Callable[[str, dict[str, Any]], Turn]] = {
    "openai": _chat_turn,
    "openai-responses": _item_turn,
    "anthropic": _claude_turn,
    "gemini": _gemini_turn,
    "bedrock": _converse_turn,
    "vercel": _sdk_turn,
}
