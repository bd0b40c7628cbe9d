"""Requests: system prompts, choices of tools, settings, lists of messages."""

from __future__ import annotations

import re
from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.anthropic.content import ID, WRITERS, read_message, read_parts
from toolcanon.formats.anthropic.tools import RULES
from toolcanon.formats.wire.blocks import ROLES, Hand, is_blank, read_list
from toolcanon.formats.wire.bodies import (
    Stops,
    only_candidate,
    report_settings,
    tell_extras,
    write_usage,
)
from toolcanon.formats.wire.codec import (
    WriteLog,
    extras_of,
    foreign_keys,
    has_foreign,
    leftovers,
    noted,
    rest,
)
from toolcanon.formats.wire.odd_members import in_list
from toolcanon.formats.wire.turns import SYSTEM
from toolcanon.ir.conversation import (
    Answer,
    Candidate,
    ChoiceMode,
    Conversation,
    Message,
    Part,
    ToolChoice,
)
from toolcanon.jsonio.types import Json, JsonObject

_IS_LEGAL_ID: Final = re.compile(r"[a-zA-Z0-9_-]+").fullmatch
_LONGEST_ID: Final = 64  # undocumented; accepted by every model


def _complete(blocks: list[JsonObject], role: str) -> list[JsonObject]:
    """Drop texts that are rejected: empty ones, and blank ones without another block."""
    said = [block for block in blocks if not is_blank(_words(block))]
    if not said or len(said) == len(blocks) or role == SYSTEM:
        return said
    return [block for block in blocks if _words(block) != ""]


def _words(block: JsonObject) -> Json:
    """Return the text of a text block; other blocks count as not empty."""
    return block.get("text") if block.get("type") == "text" else None


HAND: Final = Hand(
    id=ID,
    writers=WRITERS,
    complete=_complete,
    is_legal_id=_IS_LEGAL_ID,
    longest_id=_LONGEST_ID,
)


def read_messages(messages: list[Json], model: str | None) -> list[Message]:
    return read_list(messages, read_message, model, "")


_SWITCH: Final = "disable_parallel_tool_use"
_KNOWN: Final = frozenset({"type", "name", _SWITCH})
_MODES: Final[dict[str, ChoiceMode]] = {
    "auto": "auto",
    "any": "required",
    "none": "none",
    "tool": "tool",
}
_WORDS: Final = {mode: word for word, mode in _MODES.items()}
_STOPS: Final = Stops(
    {
        "end_turn": "end",
        "stop_sequence": "stop_text",
        "tool_use": "tool_call",
        "max_tokens": "length",
        "model_context_window_exceeded": "length",
        "refusal": "filter",
        "pause_turn": "pause",
    }
)


def read_choice(choice: Json) -> tuple[ToolChoice, bool | None] | None:
    """Return the choice, and whether calls may be parallel; None for an unknown shape."""
    if not isinstance(choice, dict):
        return None
    word, name, is_single = choice.get("type"), choice.get("name"), choice.get(_SWITCH)
    mode = _MODES.get(word) if isinstance(word, str) else None
    if mode is None or (mode == "tool") != isinstance(name, str):
        return None
    if is_single is not None and not isinstance(is_single, bool):
        return None
    known = _KNOWN
    if mode == "none" or is_single is None:  # the setting has no effect: kept unchanged
        known, is_single = known - {_SWITCH}, None
    if mode != "tool":
        known -= {"name"}
    notes = {_SWITCH: False} if is_single is False else None
    extras = extras_of(ID, rest(choice, known), notes)
    names = [name] if isinstance(name, str) else []
    return ToolChoice(mode, names, extras=extras), None if is_single is None else not is_single


def write_choice(conversation: Conversation, told: WriteLog) -> JsonObject | None:
    choice = conversation.tool_choice
    parallel = conversation.parallel_calls
    if choice is None:
        if parallel is not False or not conversation.tools:
            return None
        return {"type": "auto", _SWITCH: True}
    out = _write_mode(choice, told)
    if parallel is False and out["type"] != "none":
        out[_SWITCH] = True
    elif parallel is True and _SWITCH in noted(choice.extras, ID):
        out[_SWITCH] = False  # the default, kept because it was stated
    if has_foreign(choice.extras, ID):
        told.lose("L308", ("tool_choice",), foreign_keys(choice.extras, ID))
    out.update(leftovers(choice.extras, ID))
    return out


def _write_mode(choice: ToolChoice, told: WriteLog) -> JsonObject:
    if choice.mode == "subset" and not choice.names:
        return {"type": "none"}  # no allowed tool is declared
    if choice.mode == "subset":
        is_one = choice.is_required and len(choice.names) == 1
        if not is_one:
            told.lose("L316", ("tool_choice",), choice.names)
            return {"type": "any" if choice.is_required else "auto"}
    elif choice.mode != "tool":
        return {"type": _WORDS[choice.mode]}
    if not choice.names:
        told.lose("L316", ("tool_choice",))
        return {"type": "any"}
    return {"type": "tool", "name": choice.names[0]}


def read_request(body: JsonObject) -> Conversation:
    """Read a request body; settings other than tools go to ``extras``."""
    model = body.get("model")
    taken = {"messages"}
    if isinstance(model, str):
        taken.add("model")
    else:
        model = None
    found = Conversation(
        read_list(body.get("messages"), read_message, model, "/messages"), format=ID
    )
    found.model = model
    system = body.get("system")
    if system is not None:
        taken.add("system")
        found.system = read_message({"role": "system", "content": system}, model)
    if body.get("tools") is not None:
        taken.add("tools")
        found.tools = body["tools"]
    choice = read_choice(body.get("tool_choice"))
    if choice is not None:
        taken.add("tool_choice")
        found.tool_choice, found.parallel_calls = choice
    found.extras = extras_of(ID, rest(body, frozenset(taken)))
    return found


def write_request(conversation: Conversation, told: WriteLog) -> JsonObject:
    model = conversation.model
    out: JsonObject = dict(leftovers(conversation.extras, ID))
    report_settings(conversation, ID, told)
    if model is not None:
        out["model"] = model
    lifts = re.search(RULES.system_takers, (model or "").lower()) is None
    out["messages"], beside = HAND.write_list(conversation.messages, told, model, lifts=lifts)
    system = HAND.write_system(conversation.system, beside, told)
    if system is not None:
        out["system"] = system
    if conversation.tools is not None:
        out["tools"] = conversation.tools
    choice = write_choice(conversation, told)
    if choice is not None:
        out["tool_choice"] = choice
    return out


def read_answer(body: JsonObject) -> Answer:
    """Read a response body; fields of its one message go to the answer."""
    content = body.get("content")
    if not isinstance(content, list):
        raise NotAConversation("/content", "a response needs a list of content blocks")
    model = body.get("model")
    return build_answer(body, read_parts(content, model if isinstance(model, str) else None))


def build_answer(body: JsonObject, parts: list[Part]) -> Answer:
    """Return the answer of a body whose blocks are already read."""
    taken = {"content"} | {key for key in ("id", "model") if isinstance(body.get(key), str)}
    word = body.get("stop_reason")
    stop = None
    if isinstance(word, str):
        taken.add("stop_reason")
        stop = _STOPS.read(word)
    if body.get("usage") is not None:
        taken.add("usage")
    return Answer(
        [Candidate([Message("assistant", parts, extras={ID: {}})], stop)],
        body["model"] if "model" in taken else None,
        body["id"] if "id" in taken else None,
        body.get("usage"),
        ID,
        extras_of(ID, rest(body, frozenset(taken))),
    )


def write_answer(answer: Answer, told: WriteLog) -> JsonObject:
    is_ours = answer.format == ID
    out: JsonObject = {} if is_ours else {"type": "message", "role": "assistant"}
    out.update(leftovers(answer.extras, ID))
    for key, value in (("id", answer.id), ("model", answer.model)):
        if value is not None:
            out[key] = value
    candidate = only_candidate(answer, told)
    pen = HAND.pen(told, ("candidates", 0, "messages"), model=answer.model, is_own=is_ours)
    out["content"] = []
    for pen.index, message in enumerate(candidate.messages):
        out["content"] += pen.write(message.parts)
    if candidate.stop is not None:
        out["stop_reason"] = _STOPS.write(candidate.stop, told, is_ours=is_ours)
    tell_extras(answer, candidate, ID, told)
    write_usage(out, answer, told, is_ours=is_ours)
    return out


def sniff_body(body: JsonObject) -> float:
    """Return how likely a request is this provider's."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        return 0.0
    tools = body.get("tools")
    if f"{ID}_version" in body or (isinstance(tools, list) and any(map(_is_our_tool, tools))):
        return 1.0
    best = 0.0 if messages else 0.2
    for message in messages:
        best = max(best, sniff(message) if isinstance(message, dict) else 0.0)
        if best == 1.0:
            break
    if best in {0.0, 1.0}:
        return best
    if _is_our_system(body.get("system")) or isinstance(body.get("thinking"), dict):
        return 0.9
    choice = body.get("tool_choice")
    is_choice = isinstance(choice, dict) and str(choice.get("type")) in _CHOICES
    return 0.9 if is_choice else best


def _is_our_system(system: Json) -> bool:
    """Return whether it is text or typed blocks, which other providers may have as well."""
    if isinstance(system, list):
        return all(isinstance(block, dict) and "type" in block for block in system)
    return isinstance(system, str)


def _is_our_tool(tool: Json) -> bool:
    if not isinstance(tool, dict):
        return False
    return "input_schema" in tool or _SERVER_TOOL.fullmatch(str(tool.get("type"))) is not None


def sniff_answer(body: JsonObject) -> float:
    """Return how likely a response is this provider's."""
    if body.get("type") == "message" and isinstance(body.get("content"), list):
        return 1.0 if _ANSWERED.issubset(body) else 0.8
    return 0.5 if isinstance(body.get("content"), list) and "stop_reason" in body else 0.0


def sniff(message: JsonObject) -> float:
    """Return how likely a message is this provider's."""
    role, content = message.get("role"), in_list(message.get("content"))
    if not isinstance(role, str) or role not in ROLES or not message.keys() <= _SAID:
        return 0.0
    if isinstance(content, str):
        return 0.5
    if not isinstance(content, list):
        return 0.0
    has_media, is_text = False, True
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind != "text":
            if isinstance(kind, str) and (kind in _OURS or kind.endswith("_tool_result")):
                return 1.0
            has_media = has_media or kind in ("image", "document")
            is_text = False
    return 0.9 if has_media else 0.5 if is_text else 0.1


_SERVER_TOOL: Final = re.compile(r"[a-z0-9_]+_\d{8}")
_CHOICES: Final = frozenset({"auto", "any", "tool", "none"})
_ANSWERED: Final = frozenset({"model", "stop_reason"})
_SAID: Final = frozenset({"role", "content", "clear_at", "output_config"})
_OURS: Final = frozenset(
    {
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "server_tool_use",
        "mcp_tool_use",
        "container_upload",
        "search_result",
        "tool_addition",
        "tool_removal",
        "compaction",
    }
)
