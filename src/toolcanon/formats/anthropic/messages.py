"""Anthropic Messages: blocks in messages of user and assistant, answers of tools with the user.

What only this provider knows stands in ``extras``; blocks that only it has (tools that it runs
itself, uploads, summaries of what was compacted) are ``Native``. Messages of others are put into
turns, answers first, because every answer must stand in the message behind its call.
"""

from __future__ import annotations

from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.anthropic.caching import MARKS
from toolcanon.formats.anthropic.lists import HAND, read_messages
from toolcanon.formats.anthropic.reading import read_result
from toolcanon.formats.anthropic.requests import (
    read_answer,
    read_request,
    sniff,
    sniff_answer,
    sniff_body,
    write_answer,
    write_request,
)
from toolcanon.formats.anthropic.spelling import ID
from toolcanon.formats.anthropic.spoken import say_native
from toolcanon.formats.anthropic.stream import Stream
from toolcanon.formats.wire.codec import Codec, flow_beside, patch_beside
from toolcanon.ir.conversation import Result
from toolcanon.jsonio.types import JsonObject


def read_result_alone(block: JsonObject) -> Result:
    """One ``tool_result`` block."""
    if block.get("type") != "tool_result" or not isinstance(block.get("tool_use_id"), str):
        raise NotAConversation("", "a result needs the type tool_result and a tool_use_id")
    return read_result(block)


_EVENTS: Final = frozenset(
    """message_start message_delta message_stop content_block_start content_block_delta
    content_block_stop ping""".split()
)


def sniff_event(event: JsonObject) -> float:
    """An event of a stream."""
    kind = event.get("type")
    return 1.0 if isinstance(kind, str) and kind in _EVENTS else 0.0


CODEC: Final = Codec(
    system="system",
    needs=("max_tokens",),  # docs.anthropic.com/en/api/messages, 2026-11-18
    sniff_event=sniff_event,
    id=ID,
    sniff=sniff,
    sniff_body=sniff_body,
    sniff_answer=sniff_answer,
    read_messages=read_messages,
    write_messages=HAND.write_messages,
    read_request=read_request,
    write_request=write_request,
    read_answer=read_answer,
    write_answer=write_answer,
    accumulate=Stream,
    say=say_native,
    marks=MARKS,
    flow=flow_beside(__name__),
    patch=patch_beside(__name__),
    read_result=read_result_alone,
)
