"""Amazon Bedrock Converse: blocks with one key each, in turns that must alternate.

Bytes come raw from the AWS SDKs and as base64 text in plain JSON; both are read, and written back
as they were. Cache points, tools that come and go, and tools that the provider runs
itself are ``Native``. Messages of others are put into turns, answers first.
"""

from __future__ import annotations

from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.bedrock.caching import MARKS
from toolcanon.formats.bedrock.lists import HAND, read_messages
from toolcanon.formats.bedrock.reading import read_result
from toolcanon.formats.bedrock.requests import (
    read_answer,
    read_request,
    sniff,
    sniff_answer,
    sniff_body,
    write_answer,
    write_request,
)
from toolcanon.formats.bedrock.spelling import ID
from toolcanon.formats.bedrock.spoken import say_native
from toolcanon.formats.bedrock.stream import Stream
from toolcanon.formats.wire.codec import Codec, flow_beside
from toolcanon.ir.conversation import Result
from toolcanon.jsonio.types import JsonObject


def read_result_alone(block: JsonObject) -> Result:
    """One ``toolResult`` block, or what stands in it."""
    inner = block.get("toolResult", block)
    is_named = isinstance(inner, dict) and isinstance(inner.get("toolUseId"), str)
    result = read_result(inner, {}, None) if is_named else None
    if result is None:
        raise NotAConversation("", "a result needs a toolUseId")
    return result


_EVENTS: Final = frozenset(
    """messageStart contentBlockStart contentBlockDelta contentBlockStop messageStop
    metadata""".split()
)


def sniff_event(event: JsonObject) -> float:
    """An event of a stream: one member, named by its kind."""
    return 1.0 if len(event) == 1 and not _EVENTS.isdisjoint(event) else 0.0


CODEC: Final = Codec(
    system="system",
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
    read_result=read_result_alone,
)
