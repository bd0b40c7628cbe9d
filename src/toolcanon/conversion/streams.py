"""One provider's stream as another's, while it runs.

Words go on as they come, and so do the arguments of a call, unless they have to be changed on the
way: then the call goes on when it is whole. What has no counterpart (thoughts, a provider's own
things) is left out and told at the end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from toolcanon.conversion.binding import Binding
from toolcanon.conversion.target import Target
from toolcanon.conversion.translator import Translator, flow_of
from toolcanon.diagnostics import Losses
from toolcanon.errors import MalformedJson, ToolcanonError, UsageError
from toolcanon.formats.wire.codec import dump
from toolcanon.formats.wire.sse import DONE, Events, payloads
from toolcanon.ir.conversation import Answer
from toolcanon.jsonio.types import JsonObject


class Inbox:
    """Payloads out of whatever arrives: pieces of bytes or texts, dicts, objects of an SDK."""

    __slots__ = ("_events", "_is_over")

    def __init__(self) -> None:
        self._events = Events()
        self._is_over = False

    def take(self, item: Any) -> list[JsonObject]:
        """The payloads that one item completes; nothing after the stream said that it is over."""
        if self._is_over:
            return []
        if isinstance(item, (bytearray, memoryview)):
            item = bytes(item)
        is_text = isinstance(item, (bytes, str))
        if not is_text or (self._events.is_idle and item.lstrip()[:1] in ("{", b"{")):
            return list(payloads((item,)))
        data = item.encode("utf-8", "surrogatepass") if isinstance(item, str) else item
        return self._loaded(text for _, text in self._events.feed(data))

    def close(self) -> list[JsonObject]:
        """A last event that nothing ends; one that breaks off says nothing."""
        try:
            return self._loaded(text for _, text in self._events.close())
        except ToolcanonError:
            return []

    def _loaded(self, texts: Iterator[str]) -> list[JsonObject]:
        found: list[JsonObject] = []
        for text in texts:
            if self._is_over or text.strip() == DONE:
                self._is_over = True
            elif text.lstrip()[:1] == "{":
                found += payloads((text,))
            elif text:
                raise MalformedJson("the data of an event is no object")
        return found


class TranslatedStream:
    """Iterate over it, or, where the source is async, iterate asynchronously; once.

    ``losses`` and ``answer`` are there when it is over.
    """

    def __init__(self, stream: Any, translator: Translator, *, as_bytes: bool) -> None:
        self._stream, self._translator, self._as_bytes = stream, translator, as_bytes

    @property
    def losses(self) -> Losses:
        """What the target has no words for."""
        return self._translator.losses

    @property
    def answer(self) -> Answer | None:
        """The whole answer; None until it is over."""
        return self._translator.answer

    def __iter__(self) -> Iterator[Any]:
        inbox = Inbox()
        for item in _items(self._stream):
            for payload in inbox.take(item):
                yield from self._out(self._translator.feed(payload))
        yield from self._last(inbox)

    async def __aiter__(self) -> AsyncIterator[Any]:
        inbox = Inbox()
        if not hasattr(self._stream, "__aiter__"):
            for event in self:
                yield event
            return
        async for item in self._stream:
            for payload in inbox.take(item):
                for event in self._out(self._translator.feed(payload)):
                    yield event
        for event in self._last(inbox):
            yield event

    def _last(self, inbox: Inbox) -> Iterator[Any]:
        for payload in inbox.close():
            yield from self._out(self._translator.feed(payload))
        yield from self._out(self._translator.finish())
        if self._as_bytes and self._translator.flow.last:
            yield f"data: {self._translator.flow.last}\n\n".encode()

    def _out(self, events: list[JsonObject]) -> Iterator[Any]:
        return map(_sse, events) if self._as_bytes else iter(events)


def _sse(event: JsonObject) -> bytes:
    kind = event.get("type")
    name = f"event: {kind}\n" if isinstance(kind, str) else ""
    return f"{name}data: {dump(event)}\n\n".encode()


def _items(stream: Any) -> Any:
    whole = isinstance(stream, (bytes, bytearray, memoryview, str, dict))
    return (stream,) if whole or hasattr(stream, "model_dump") else stream


def translate_stream(  # noqa: PLR0913 - the public contract
    stream: Any,
    to: str | Target,
    *,
    source: str | None = None,
    binding: Binding | None = None,
    source_binding: Binding | None = None,
    as_bytes: bool = False,
) -> TranslatedStream:
    """A live stream of one provider as the events of another.

    ``stream`` is what ``accumulate`` takes, or an async iterable of it: bytes however they are
    split, texts, dicts, objects of an SDK. Events come as dicts, or with ``as_bytes`` as
    server-sent ones. With ``source_binding`` calls are restored to the tools' own names and
    arguments, with ``binding`` they are written as that binding's target would have them.

    Raises UnknownFormat at once; while iterating NotAConversation, and CutStream when the source
    ends before its provider said so. What could not be carried is in ``losses`` at the end.

    >>> chunk = {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}
    >>> [event["type"] for event in translate_stream([chunk], "anthropic")][1:4]
    ['content_block_start', 'content_block_delta', 'content_block_stop']
    """
    if as_bytes and not flow_of(to).is_sse:
        raise UsageError(f"{to} has no server-sent events; take the events as dicts")
    translator = Translator(to, source, binding, source_binding)
    return TranslatedStream(stream, translator, as_bytes=as_bytes)
