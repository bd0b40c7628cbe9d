"""Vercel AI SDK: histories in two layouts, ModelMessage for models and UIMessage for pages.

Messages stay in the layout that they were read from. Those of other formats become ModelMessages;
``vercel/ui`` and ``vercel/model`` request one layout for all of them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from toolcanon.formats.vercel.answers import read_answer, write_answer
from toolcanon.formats.vercel.coming_home import come_home, leading_system
from toolcanon.formats.vercel.lists import is_ui, read_messages, write_list, write_messages
from toolcanon.formats.vercel.requests import SYSTEM, read_request, write_request
from toolcanon.formats.vercel.sniffing import sniff, sniff_answer, sniff_body, sniff_event
from toolcanon.formats.vercel.spelling import ID, Layout
from toolcanon.formats.vercel.stream import Stream
from toolcanon.formats.vercel.ui_reading import tool_name
from toolcanon.formats.wire.codec import Codec, Told, dump, flow_beside
from toolcanon.formats.wire.spoken import Rename, answered, ran, texts_in
from toolcanon.ir.conversation import Conversation, Message, Native
from toolcanon.jsonio.types import Json, JsonObject

_TEXT: Final = frozenset({"text"})


def say_native(part: Native, rename: Rename) -> str | None:
    """Return the text of a part of this format; None where it has none."""
    del rename
    value = part.value
    if not isinstance(value, dict):
        return None
    if part.type == "tool-call":
        return ran(value.get("toolName"), value.get("input", value.get("args")))
    if part.type == "tool-result":
        output = value.get("output", value.get("result"))
        return answered(value.get("toolName"), _said(output))
    name = tool_name(value)
    if name is None:
        return None
    outcome = answered(name, [*_words(value.get("output")), value.get("errorText")])
    return "\n".join(filter(None, [ran(name, value.get("input")), outcome]))


def _said(output: Json) -> list[str]:
    """Return the texts of an output: its value, or those of its content."""
    if not isinstance(output, dict) or not isinstance(output.get("type"), str):
        return _words(output)
    if output["type"] == "content":
        return list(texts_in(output.get("value"), _TEXT))
    return _words(output.get("value"))


def _words(value: Json) -> list[str]:
    return [] if value is None else [value if isinstance(value, str) else dump(value)]


def _writes(layout: Layout, messages: list[Message], told: Told) -> list[Json]:
    return write_list([*enumerate(messages)], told, layout)


_PLAIN: Final = Codec(
    id=ID,
    system=SYSTEM,
    sniff=sniff,
    sniff_body=sniff_body,
    sniff_answer=sniff_answer,
    sniff_event=sniff_event,
    read_messages=read_messages,
    write_messages=write_messages,
    read_request=read_request,
    write_request=partial(write_request, layout=None),
    read_answer=read_answer,
    write_answer=partial(write_answer, layout=None),
    accumulate=Stream,
    say=say_native,
    flow=flow_beside(__name__),
)


def _home(layout: Layout | None, kept: list[Json]) -> Codec:
    """Return the codec for returning messages, in their original layout if none is requested."""
    if layout is None and kept and all(is_ui(message) for message in kept):
        layout = "ui"

    def write(conversation: Conversation, told: Told) -> JsonObject:
        body = write_request(conversation, told, layout)
        leading = leading_system(kept, body.get(SYSTEM))
        if leading:
            del body[SYSTEM]
        body["messages"] = come_home([*leading, *body["messages"]], kept)
        return body

    return replace(_PLAIN, layout=layout or "", write_request=write)


def _laid_out(layout: Layout) -> Codec:
    return replace(
        _PLAIN,
        layout=layout,
        home=partial(_home, layout),
        write_messages=partial(_writes, layout),
        write_request=partial(write_request, layout=layout),
        write_answer=partial(write_answer, layout=layout),
    )


CODEC: Final = replace(
    _PLAIN,
    home=partial(_home, None),
    layouts={"model": _laid_out("model"), "ui": _laid_out("ui")},
)
