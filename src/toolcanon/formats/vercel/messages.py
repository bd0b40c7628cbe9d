"""Vercel AI SDK: histories in two layouts, ModelMessage for models and UIMessage for pages.

Messages stay in the layout that they were read from. Those of other formats become ModelMessages;
``vercel/ui`` and ``vercel/model`` ask for one layout for all of them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from toolcanon.formats.vercel.answers import read_answer, write_answer
from toolcanon.formats.vercel.lists import read_messages, write_list, write_messages
from toolcanon.formats.vercel.requests import SYSTEM, read_request, write_request
from toolcanon.formats.vercel.sniffing import sniff, sniff_answer, sniff_body, sniff_event
from toolcanon.formats.vercel.spelling import ID, Layout
from toolcanon.formats.vercel.spoken import say_native
from toolcanon.formats.vercel.stream import Stream
from toolcanon.formats.wire.codec import Codec, Told, flow_beside
from toolcanon.ir.conversation import Message
from toolcanon.jsonio.types import Json


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


def _laid_out(layout: Layout) -> Codec:
    return replace(
        _PLAIN,
        write_messages=partial(_writes, layout),
        write_request=partial(write_request, layout=layout),
        write_answer=partial(write_answer, layout=layout),
    )


CODEC: Final = replace(_PLAIN, layouts={"model": _laid_out("model"), "ui": _laid_out("ui")})
