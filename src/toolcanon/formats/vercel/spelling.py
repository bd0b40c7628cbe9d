"""Names of fields that several modules use, and of our notes."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from toolcanon.formats.wire.codec import NOTES, dump, noted, own
from toolcanon.ir.conversation import Extras, Message
from toolcanon.jsonio.types import JsonObject

ID: Final = "vercel"

Layout: TypeAlias = Literal["model", "ui", "step"]
"""ModelMessage, for models; UIMessage, for pages; or one step of a model, which is an answer and
becomes either of them."""

# Notes of a message.
LAYOUT: Final = "layout"  # absent for a ModelMessage
MORE: Final = "more"  # continues the UI message before it
STEPS: Final = "steps"  # marks of new steps before it
AFTER: Final = "after"  # marks of new steps behind it
STEERING: Final = "steering"  # a user's text within an answer: other fields of its part
CONTENT: Final = "content"  # a list where a text would do, or None where it is absent
LIST: Final = "list"
ROLE: Final = "role"  # an unknown role

# Notes of a part.
STATE: Final = "state"  # of a UI tool part
DYNAMIC: Final = "dynamic"  # a UI tool part whose name is in a key of its own
INPUT: Final = "input"  # arguments that are not an object: a list with them, or without
RAW: Final = "raw"  # arguments taken from a key for unreadable ones: the usual key, or not
DENIED: Final = "denied"  # a result: the user denied the call; the reason, or None
IMPLIED: Final = "implied"  # a result that follows from an answer to an approval request
OUTPUT: Final = "output"  # the form of a result's output
VOID: Final = "void"  # absent, in a UI tool part

WIRE_ID: Final = "id"  # of a call or a result, if not a string: a list with it, or without

AWAITS: Final = "$awaits"
"""The mark of a call that waits for the user's approval, or for its tool after that."""
DENIAL: Final = "Tool call execution denied."
"""The SDK's text where a user gave no reason (convert-to-model-messages.ts, 7.0.170)."""
TOOL_CALL_ID: Final = "toolCallId"
REQUEST: Final = "tool-approval-request"
RESPONSE: Final = "tool-approval-response"


def read_id(part: JsonObject) -> tuple[str | None, JsonObject]:
    """Return the id of a call in a part, and the note on one that is not a string.

    >>> read_id({"toolCallId": 7}), read_id({})
    (('7', {'id': [7]}), (None, {'id': []}))
    """
    found = part.get(TOOL_CALL_ID)
    if isinstance(found, str):
        return found, {}
    said = None if found is None else dump(found)
    return said, {WIRE_ID: [found] if TOOL_CALL_ID in part else []}


def has_id(part: JsonObject) -> bool:
    """Return whether its id is valid: a text, a number, or absent."""
    return not isinstance(part.get(TOOL_CALL_ID), (dict, list))


def spelled_id(extras: Extras, call_id: str | None) -> JsonObject | None:
    """Return the id as it was written, if it was not a string and is unchanged."""
    spelled = noted(extras, ID).get(WIRE_ID)
    if spelled is None:
        return None
    was = {TOOL_CALL_ID: spelled[0]} if spelled else {}
    return was if read_id(was)[0] == call_id else None


def layout_of(message: Message) -> Layout | None:
    """Return the layout that a message was read from; None for a message of another format."""
    if message.extras is None or ID not in message.extras:
        return None
    found: Layout = noted(message.extras, ID).get(LAYOUT, "model")
    return found


def left_of(extras: Extras) -> JsonObject:
    """Return the leftover keys."""
    found = own(extras, ID)
    if NOTES not in found and AWAITS not in found:
        return found
    left = {key: value for key, value in found.items() if key not in {NOTES, AWAITS}}
    inner = found.get(NOTES, {})
    if NOTES in inner:
        left[NOTES] = inner[NOTES]
    return left
