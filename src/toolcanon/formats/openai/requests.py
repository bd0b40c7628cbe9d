"""Request bodies: messages, tools as they are, the tool choice; the rest are settings."""

from __future__ import annotations

from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.openai.parts import ID
from toolcanon.formats.openai.reading import read_list
from toolcanon.formats.openai.writing import write_messages, write_system
from toolcanon.formats.wire.choices import Choices, can_choose
from toolcanon.formats.wire.codec import Told, extras_of, noted, take_flag, take_text
from toolcanon.formats.wire.settings import restore_settings
from toolcanon.ir.conversation import Conversation, ToolChoice
from toolcanon.jsonio.types import Json, JsonObject

_LEGACY: Final = "legacy"
"""The choice of ``function_call``, the predecessor of ``tool_choice``."""
_FUNCTIONS: Final = "functions"
"""The list of functions, the predecessor of ``tools``."""


def _read_name(choice: JsonObject) -> str | None:
    kind = choice.get("type", "function")
    inner = choice.get(kind) if kind in ("function", "custom") else None
    name = inner.get("name") if isinstance(inner, dict) else None
    return name if isinstance(name, str) else None


CHOICES: Final = Choices(
    id=ID,
    words={
        "auto": "auto",
        "none": "none",
        "required": "required",
        "any": "required",  # of compatible servers
    },
    read_name=_read_name,
    write_name=lambda name: {"type": "function", "function": {"name": name}},
    is_nested=True,
)


def read_legacy_choice(value: Json) -> ToolChoice | None:
    """Read the value of ``function_call``."""
    name = value.get("name") if isinstance(value, dict) and len(value) == 1 else None
    choice = ToolChoice("tool", [name]) if isinstance(name, str) else None
    if value in ("auto", "none"):
        choice = ToolChoice(value)
    if choice is not None:
        choice.extras = extras_of(ID, {}, {_LEGACY: True})
    return choice


def is_legacy_choice(choice: ToolChoice) -> bool:
    """Return whether ``function_call`` can express it, and was its source."""
    return choice.mode in ("auto", "none", "tool") and _LEGACY in noted(choice.extras, ID)


def write_legacy_choice(choice: ToolChoice) -> Json:
    """Return the value of ``function_call``."""
    return {"name": choice.names[0]} if choice.mode == "tool" and choice.names else choice.mode


def read_request(body: JsonObject) -> Conversation:
    if not isinstance(body, dict):
        raise NotAConversation("", "a request must be an object")
    left = dict(body)
    model = take_text(left, "model")
    messages = read_list(left.pop("messages", None), model, "/messages")
    notes: JsonObject = {}
    tools = None
    if isinstance(left.get("tools"), list):
        tools = left.pop("tools")
    elif isinstance(left.get(_FUNCTIONS), list):
        tools, notes[_FUNCTIONS] = left.pop(_FUNCTIONS), True
    return Conversation(
        messages,
        tools=tools,
        tool_choice=_take_choice(left),
        parallel_calls=take_flag(left, "parallel_tool_calls"),
        model=model,
        format=ID,
        extras=extras_of(ID, left, notes),
    )


def _take_choice(left: JsonObject) -> ToolChoice | None:
    for key, read in (("tool_choice", CHOICES.read), ("function_call", read_legacy_choice)):
        choice = read(left.get(key))
        if choice is not None:
            del left[key]
            return choice
    return None


def write_request(conversation: Conversation, told: Told) -> JsonObject:
    """Return the body of a request; what only another provider has is dropped and reported."""
    out: JsonObject = {}
    if conversation.model is not None:
        out["model"] = conversation.model
    messages: list[Json] = []
    if conversation.system is not None:
        messages += write_system(conversation.system, told)
    out["messages"] = messages + write_messages(conversation.messages, told)
    notes = noted(conversation.extras, ID)
    if conversation.tools is not None:
        out[_FUNCTIONS if _FUNCTIONS in notes else "tools"] = conversation.tools
    if can_choose(conversation, ID, told):
        _write_choices(conversation, out)
    restore_settings(out, conversation, ID, told)
    return out


def _write_choices(conversation: Conversation, out: JsonObject) -> None:
    choice = conversation.tool_choice
    if choice is not None:
        if is_legacy_choice(choice):
            out["function_call"] = write_legacy_choice(choice)
        else:
            out["tool_choice"] = CHOICES.write(choice)
    if conversation.parallel_calls is not None:
        out["parallel_tool_calls"] = conversation.parallel_calls
