"""Requests: system prompts, choices of tools, settings, lists of messages."""

from __future__ import annotations

import re
from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.bedrock.content import WRITERS, is_said, read_message
from toolcanon.formats.bedrock.media import ID
from toolcanon.formats.wire.blocks import ROLES, Hand, read_list
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
from toolcanon.formats.wire.turns import is_own
from toolcanon.ir.conversation import Answer, Candidate, Conversation, Message, ToolChoice
from toolcanon.jsonio.types import Json, JsonObject

_LONGEST_ID: Final = 64
_IS_LEGAL_ID: Final = re.compile(rf"[a-zA-Z0-9_.:-]{{1,{_LONGEST_ID}}}").fullmatch


def _complete(blocks: list[JsonObject], role: str) -> list[JsonObject]:
    """Drop blank texts, and add a text to documents alone: otherwise both are rejected."""
    said = [block for block in blocks if is_said(block)]
    if role == "user" and not any("text" in block for block in said):
        names = [block["document"]["name"] for block in said if "document" in block]
        if names:
            said.append({"text": f"[{', '.join(names)}]"})
    return said


HAND: Final = Hand(
    id=ID,
    writers=WRITERS,
    complete=_complete,
    is_legal_id=_IS_LEGAL_ID,
    longest_id=_LONGEST_ID,
)


def read_messages(messages: list[Json], model: str | None) -> list[Message]:
    return read_list(messages, read_message, model, "")


_STOPS: Final = Stops(
    {
        "end_turn": "end",
        "stop_sequence": "stop_text",
        "tool_use": "tool_call",
        "max_tokens": "length",
        "model_context_window_exceeded": "length",
        "content_filtered": "filter",
        "guardrail_intervened": "filter",
        "malformed_tool_use": "bad_call",
        "malformed_model_output": "bad_call",
    }
)
# A request with a stored prompt has no messages of its own.
_REQUEST: Final = frozenset({"modelId", "toolConfig", "promptVariables", "system"})
_CONFIG: Final = "toolConfig"
_OUTPUT: Final = "output"


def read_request(body: JsonObject) -> Conversation:
    """Read a request body; settings other than tools go to ``extras``."""
    model = body.get("modelId")
    taken: set[str] = set()
    if isinstance(model, str):
        taken.add("modelId")
    else:
        model = None
    found = Conversation(model=model, format=ID)
    if "messages" in body or _REQUEST.isdisjoint(body):
        taken.add("messages")
        found.messages = read_list(body.get("messages"), read_message, model, "/messages")
    if body.get("system") is not None:
        taken.add("system")
        found.system = read_message({"role": "system", "content": body["system"]}, model)
    notes: JsonObject = {} if "messages" in body else {"messages": None}
    config = body.get(_CONFIG)
    if isinstance(config, dict):
        taken.add(_CONFIG)
        notes[_CONFIG] = _read_config(config, found)
    found.extras = extras_of(ID, rest(body, frozenset(taken)), notes)
    return found


def _read_config(config: JsonObject, found: Conversation) -> JsonObject:
    """Read tools and choice; return the rest of the config."""
    left = dict(config)
    if config.get("tools") is not None:
        found.tools = left.pop("tools")
    found.tool_choice = _read_choice(config.get("toolChoice"))
    if found.tool_choice is not None:
        del left["toolChoice"]
    return left


def _read_choice(choice: Json) -> ToolChoice | None:
    if choice == {"auto": {}}:
        return ToolChoice("auto")
    if choice == {"any": {}}:
        return ToolChoice("required")
    tool = choice.get("tool") if isinstance(choice, dict) and len(choice) == 1 else None
    if isinstance(tool, dict) and tool.keys() == {"name"} and isinstance(tool["name"], str):
        return ToolChoice("tool", [tool["name"]])
    return None


def write_request(conversation: Conversation, told: WriteLog) -> JsonObject:
    model = conversation.model
    notes = noted(conversation.extras, ID)
    out: JsonObject = dict(leftovers(conversation.extras, ID))
    report_settings(conversation, ID, told)
    if model is not None:
        out["modelId"] = model
    messages, beside = HAND.write_list(conversation.messages, told, model, lifts=True)
    if messages or "messages" not in notes:
        out["messages"] = messages
    system = HAND.write_system(conversation.system, beside, told)
    if system is not None:
        out["system"] = system
    config = dict(notes.get(_CONFIG, {}))
    if conversation.tools is not None:
        config["tools"] = conversation.tools
    choice = _write_choice(conversation, told, has_config=bool(config) or _CONFIG in notes)
    if choice is not None:
        config["toolChoice"] = choice
    if config or _CONFIG in notes:
        out[_CONFIG] = config
    if conversation.parallel_calls is False:
        told.lose("L317", ("parallel_calls",), before=False)
    return out


def _write_choice(
    conversation: Conversation, told: WriteLog, *, has_config: bool
) -> JsonObject | None:
    """Write the choice; calls cannot be forbidden, and without tools there is no choice."""
    choice = conversation.tool_choice
    if choice is None:
        return None
    if has_foreign(choice.extras, ID):
        told.lose("L308", ("tool_choice",), foreign_keys(choice.extras, ID))
    if choice.mode == "auto" and has_config:
        return {"auto": {}}
    if choice.mode == "required" and has_config:
        return {"any": {}}
    is_one = len(choice.names) == 1 and (choice.mode == "tool" or choice.is_required)
    if is_one and has_config:
        return {"tool": {"name": choice.names[0]}}
    told.lose("L316", ("tool_choice",), choice.mode)
    return {"any": {}} if choice.is_required and has_config else None


def read_answer(body: JsonObject) -> Answer:
    """Read a response body, which does not name its model."""
    output = body.get(_OUTPUT)
    if not isinstance(output, dict) or not isinstance(output.get("message"), dict):
        raise NotAConversation("/output/message", "a response needs a message")
    taken = {_OUTPUT}
    word = body.get("stopReason")
    stop = None
    if isinstance(word, str):
        taken.add("stopReason")
        stop = _STOPS.read(word)
    if body.get("usage") is not None:
        taken.add("usage")
    around = {key: value for key, value in output.items() if key != "message"}
    read = read_message(output["message"], None)
    extras = extras_of(ID, rest(body, frozenset(taken)), {_OUTPUT: around} if around else None)
    return Answer([Candidate([read], stop)], None, None, body.get("usage"), ID, extras)


def write_answer(answer: Answer, told: WriteLog) -> JsonObject:
    is_ours = answer.format == ID
    out: JsonObject = dict(leftovers(answer.extras, ID))
    candidate = only_candidate(answer, told)
    around = noted(answer.extras, ID).get(_OUTPUT, {})
    out[_OUTPUT] = {**around, "message": _write_message(candidate, told, is_ours=is_ours)}
    if candidate.stop is not None:
        out["stopReason"] = _STOPS.write(candidate.stop, told, is_ours=is_ours)
    tell_extras(answer, candidate, ID, told)
    for key, value in (("id", answer.id), ("model", answer.model)):
        if value is not None:
            told.lose("L308", (key,), value)
    write_usage(out, answer, told, is_ours=is_ours)
    return out


def _write_message(candidate: Candidate, told: WriteLog, *, is_ours: bool) -> JsonObject:
    pen = HAND.pen(told, ("candidates", 0, "messages"), is_own=is_ours)
    pen.role = "assistant"
    if is_ours and len(candidate.messages) == 1 and is_own(candidate.messages[0], ID):
        return pen.write_own(candidate.messages[0])
    blocks = []
    for pen.index, message in enumerate(candidate.messages):
        blocks += pen.write(message.parts)
    return {"role": "assistant", "content": blocks}


def sniff_body(body: JsonObject) -> float:
    """Return how likely a request is this provider's."""
    messages = body.get("messages")
    if isinstance(body.get(_CONFIG), dict) and "contents" not in body:
        return 1.0
    if not isinstance(messages, list):
        return 0.0
    best = 0.0 if messages else 0.1
    for message in messages:
        best = max(best, sniff(message) if isinstance(message, dict) else 0.0)
        if best == 1.0:
            break
    if best and ("modelId" in body or "inferenceConfig" in body):
        return 1.0
    return 0.9 if not messages and _is_our_system(body.get("system")) else best


def _is_our_system(system: Json) -> bool:
    """Return whether blocks have their kind as a key, and no type."""
    return isinstance(system, list) and any(
        isinstance(block, dict) and "type" not in block for block in system
    )


def sniff_answer(body: JsonObject) -> float:
    """Return how likely a response is this provider's."""
    output = body.get(_OUTPUT)
    return 1.0 if isinstance(output, dict) and isinstance(output.get("message"), dict) else 0.0


def sniff(message: JsonObject) -> float:
    """Return how likely a message is this provider's: blocks have one key and no type."""
    role, content = message.get("role"), in_list(message.get("content"))
    if not isinstance(role, str) or role not in ROLES or not isinstance(content, list):
        return 0.0
    if not content:
        return 0.2
    best = 0.9
    for block in content:
        if not isinstance(block, dict) or len(block) != 1:
            return 0.0
        (tag,) = block
        if tag not in _TAGS:
            return 0.0
        if tag != "text":
            best = 1.0
    return best


_TAGS: Final = frozenset(
    {
        "text",
        "image",
        "document",
        "video",
        "audio",
        "toolUse",
        "toolResult",
        "guardContent",
        "cachePoint",
        "reasoningContent",
        "citationsContent",
        "searchResult",
        "toolAddition",
        "toolRemoval",
    }
)
