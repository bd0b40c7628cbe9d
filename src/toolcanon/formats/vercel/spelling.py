"""The words of this wire that several modules use, and the names of our notes."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from toolcanon.formats.wire.codec import NOTES, dump, noted, own
from toolcanon.ir.conversation import Extras, Message
from toolcanon.jsonio.types import JsonObject

ID: Final = "vercel"

Layout: TypeAlias = Literal["model", "ui", "step"]
"""ModelMessage, which models are asked with; UIMessage, which pages keep and show; or what one step
of a model gave, which is an answer and becomes either of them."""

# Notes of a message.
LAYOUT: Final = "layout"  # not there for a ModelMessage
MORE: Final = "more"  # goes on with the UI message before it
STEPS: Final = "steps"  # marks of new steps before it
AFTER: Final = "after"  # the same behind it
STEERING: Final = "steering"  # words of the user within an answer: what else their part says
CONTENT: Final = "content"  # a list where a text would do, or None where nothing is there
LIST: Final = "list"
ROLE: Final = "role"  # a role that is none of theirs

# Notes of a part.
STATE: Final = "state"  # of a UI tool part
DYNAMIC: Final = "dynamic"  # a UI tool part that has its name in a key of its own
INPUT: Final = "input"  # arguments that are no object: a list with them, or without
RAW: Final = "raw"  # arguments taken from a key for unreadable ones: the usual key, or not
DENIED: Final = "denied"  # a result: the user refused the call; the reason, or None
IMPLIED: Final = "implied"  # a result that follows from an answer to an approval request
OUTPUT: Final = "output"  # how a result's output is spelled
VOID: Final = "void"  # not at all, in a UI tool part

WIRE_ID: Final = "id"  # of a call or a result, where it is no text: a list with it, or without

AWAITS: Final = "$awaits"
"""Kept with a call that waits for the user's approval, or for its tool to be run after it."""
DENIAL: Final = "Tool call execution denied."
"""What the SDK says where a user gave no reason (convert-to-model-messages.ts, 7.0.170)."""
TOOL_CALL_ID: Final = "toolCallId"
REQUEST: Final = "tool-approval-request"
RESPONSE: Final = "tool-approval-response"


def read_id(part: JsonObject) -> tuple[str | None, JsonObject]:
    """The id of a call in a part, and what to note of one that is no text.

    >>> read_id({"toolCallId": 7}), read_id({})
    (('7', {'id': [7]}), (None, {'id': []}))
    """
    found = part.get(TOOL_CALL_ID)
    if isinstance(found, str):
        return found, {}
    said = None if found is None else dump(found)
    return said, {WIRE_ID: [found] if TOOL_CALL_ID in part else []}


def has_id(part: JsonObject) -> bool:
    """Whether its id is one: a text, a number, or none at all."""
    return not isinstance(part.get(TOOL_CALL_ID), (dict, list))


def spelled_id(extras: Extras, call_id: str | None) -> JsonObject | None:
    """The id as it was written, if it was no text and is still the same."""
    spelled = noted(extras, ID).get(WIRE_ID)
    if spelled is None:
        return None
    was = {TOOL_CALL_ID: spelled[0]} if spelled else {}
    return was if read_id(was)[0] == call_id else None


def layout_of(message: Message) -> Layout | None:
    """The layout that a message was read from; None for a message of another format."""
    if message.extras is None or ID not in message.extras:
        return None
    found: Layout = noted(message.extras, ID).get(LAYOUT, "model")
    return found


def left_of(extras: Extras) -> JsonObject:
    """The keys that go back to their place."""
    found = own(extras, ID)
    if NOTES not in found and AWAITS not in found:
        return found
    left = {key: value for key, value in found.items() if key not in {NOTES, AWAITS}}
    inner = found.get(NOTES, {})
    if NOTES in inner:
        left[NOTES] = inner[NOTES]
    return left
