"""Amazon Bedrock Converse: blocks with one key each, in turns that must alternate.

Bytes are raw in the AWS SDKs and base64 text in plain JSON; both are read, and written back as they
were. Cache points, and tools that are loaded or run by the provider, are ``Native``. Messages of
other providers are arranged in turns, results first.
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
from toolcanon.formats.bedrock.stream import Stream
from toolcanon.formats.wire.codec import Codec, dump, flow_beside
from toolcanon.formats.wire.spoken import Rename, answered, ran, texts_in
from toolcanon.ir.conversation import Native, Result
from toolcanon.jsonio.types import JsonObject

_TEXTS: Final = frozenset({"text", "title", "source", "url"})


def say_native(part: Native, rename: Rename) -> str | None:
    """Return the text of a block of this provider; None where it has none."""
    del rename
    inner = part.value.get(part.type) if isinstance(part.value, dict) else None
    if not isinstance(inner, dict):
        return None
    if part.type == "toolUse":
        return ran(inner.get("name"), inner.get("input"))
    if part.type == "toolResult":
        content = inner.get("content")
        blocks = content if isinstance(content, list) else []
        texts = [
            text
            for block in blocks
            for text in (
                [dump(block["json"])]
                if isinstance(block, dict) and "json" in block
                else texts_in(block, _TEXTS)
            )
        ]
        return answered(str(inner.get("type", "tool")).removesuffix("_result"), texts)
    return None


def read_result_alone(block: JsonObject) -> Result:
    """Read a single ``toolResult`` block, or its value."""
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
    """Return how likely this is an event: an object whose one member names its kind."""
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
