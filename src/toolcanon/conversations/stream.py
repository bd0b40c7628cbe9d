"""One provider's stream as another's, while it runs.

Text is passed on as it arrives, and so are the arguments of a call, unless they must be changed:
then the call is passed on when it is complete. What has no counterpart (reasoning, blocks of one
provider) is left out and reported at the end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import cache
from typing import Any, Final

from toolcanon.conversations.read_write import codec_named, codec_of, codecs, write_answer
from toolcanon.conversion.binding import Binding, calls_of
from toolcanon.conversion.target import Target
from toolcanon.diagnostics import Loss, Losses
from toolcanon.errors import (
    CutStream,
    MalformedJson,
    NotAConversation,
    ToolcanonError,
    UnknownFormat,
    UnknownTool,
    UsageError,
)
from toolcanon.formats.wire.codec import NOT_JSON, Accumulator, WriteLog, dump, read_arguments
from toolcanon.formats.wire.streams import (
    DONE,
    AnswerStarted,
    Begun,
    Ended,
    EventDecoder,
    EventWriter,
    Flow,
    Key,
    Piece,
    Step,
    StepReader,
    TextPiece,
    payloads,
)
from toolcanon.ir.conversation import Answer, Call
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject

_USAGE: Final = Pointer(("usage",))


@cache
def flow_of(to: str | Target) -> Flow:
    """Return how a target streams; raises UnknownFormat with advice."""
    load = codec_named(to).flow
    if load is None:
        known = [codec.id for codec in codecs().values() if codec.flow is not None]
        raise UnknownFormat(str(to), known, "its codec does not describe streams")
    return load()


class _CallQueue:
    """A queue of calls: while one is being written, the others wait."""

    __slots__ = ("_open", "_waiting")

    def __init__(self) -> None:
        self._open: Key | None = None
        self._waiting: dict[object, list[Step]] = {}

    def take(self, step: Step) -> list[Step]:
        """Return the steps that can be written now."""
        if isinstance(step, (AnswerStarted, TextPiece)):
            if self._open is None:
                return [step]
            self._waiting[object()] = [step]
            return []
        if self._open is None:
            self._open = step.key
        if step.key != self._open:
            self._waiting.setdefault(step.key, []).append(step)
            return []
        if not isinstance(step, Ended):
            return [step]
        self._open = None
        return [step, *self._next()]

    def _next(self) -> list[Step]:
        found: list[Step] = []
        while self._waiting and self._open is None:
            steps = self._waiting.pop(next(iter(self._waiting)))
            found += steps
            first = steps[0]
            if isinstance(first, Begun) and not isinstance(steps[-1], Ended):
                self._open = first.key
        return found


class Translator:
    """Converts payloads of one format to events of another; does no I/O."""

    def __init__(
        self,
        to: str | Target,
        source: str | None = None,
        binding: Binding | None = None,
        source_binding: Binding | None = None,
    ) -> None:
        self.answer: Answer | None = None
        """The whole answer with the target's names; None until the stream ends."""
        self.losses = Losses([])
        self.flow = flow_of(to)
        self._to = to
        self._writer: EventWriter = self.flow.write()
        self._bindings = source_binding, binding
        self._row = _CallQueue()
        self._begun = 0
        self._unended: dict[Key, None] = {}
        self._held: dict[Key, tuple[Begun, list[str]]] = {}
        self._is_open = False
        self._gathered: Accumulator | None = None
        self._reader: StepReader | None = None
        if source is not None:
            self._begin(source)

    def _begin(self, source: str) -> None:
        self._source = source
        self._gathered = codec_of(source).accumulate()
        self._reader = flow_of(source).read()

    def feed(self, event: JsonObject) -> list[JsonObject]:
        """Return the events for one payload."""
        if self._gathered is None or self._reader is None:
            chosen = max(codecs().values(), key=lambda codec: codec.sniff_event(event))
            if not chosen.sniff_event(event):
                raise NotAConversation("", "no provider streams events like this; name the format")
            self._begin(chosen.id)
            return self.feed(event)
        self._gathered.feed(event)
        return [new for step in self._reader.steps(event) for new in self._take(step)]

    def _take(self, step: Step) -> list[JsonObject]:
        if isinstance(step, Begun):
            self._unended[step.key] = None
        elif isinstance(step, Ended):
            self._unended.pop(step.key, None)
        ready = [later for now in self._changed(step) for later in self._row.take(now)]
        return [event for one in ready for event in self._write(one)]

    def _write(self, step: Step) -> list[JsonObject]:
        if isinstance(step, AnswerStarted):
            if self._is_open:
                return []  # it is sent once
            self._is_open = True
        before = [] if self._is_open else self._write(AnswerStarted(None, None))
        return [*before, *self._writer.write(step)]

    def _changed(self, step: Step) -> list[Step]:
        """Return the step; a call whose arguments change is returned whole, at its end."""
        if isinstance(step, Begun):
            if step.id is None and self.flow.needs_ids:
                step = step._replace(id=_invented(self._begun))
            self._begun += 1
            if any(self._bindings) or (step.is_text and not self.flow.free_text):
                self._held[step.key] = step, []
                return []
            return [step._replace(**self._spelled(step.name, step.namespace))]
        if isinstance(step, (AnswerStarted, TextPiece)) or step.key not in self._held:
            return [step]
        begun, pieces = self._held[step.key]
        if isinstance(step, Piece):
            pieces.append(step.text)
            return []
        del self._held[step.key]
        call = self._call(begun, "".join(pieces))
        self._carry(call)
        is_text = call.is_text and self.flow.free_text
        said = dump({"input": call.text or ""}) if call.is_text and not is_text else call.text
        begun = Begun(begun.key, call.id, call.name, is_text, call.namespace)
        begun = begun._replace(**self._spelled(call.name, call.namespace))
        return [begun, *([Piece(begun.key, said)] if said else []), Ended(begun.key)]

    @staticmethod
    def _call(begun: Begun, text: str) -> Call:
        call = Call(begun.name, None, begun.id, text, is_text=begun.is_text)
        call.namespace = begun.namespace
        if not begun.is_text:
            call.arguments, call.problem = read_arguments(text) if text else (None, NOT_JSON)
        return call

    def _spelled(self, name: str, namespace: str | None) -> dict[str, Any]:
        """Return the name with its namespace, where calls have none."""
        joint = self.flow.joint
        if not namespace or joint is None:
            return {"name": name, "namespace": namespace}
        return {"name": f"{namespace}{joint}{name}", "namespace": None}

    def _carry(self, call: Call) -> None:
        """Restore a call by the source's binding and render it by the target's."""
        back, forth = self._bindings
        name = f"{call.namespace}:{call.name}" if call.namespace else call.name
        arguments: Json = call.text if call.is_text or call.problem else call.arguments
        try:
            if back is not None:
                restored = back.restore(name, arguments)
                name = restored.name
                if restored.arguments is not None:
                    arguments = restored.arguments
            if forth is not None:
                shape = calls_of(forth).named(name)
                name, arguments = shape.wire_name, forth.render(name, arguments)[1]
                call.is_text = shape.inputs is None and shape.lens is None
            call.name, call.namespace = name, None
        except UnknownTool:  # a name that was not sent stays
            return
        if isinstance(arguments, str):
            call.text = arguments
        else:
            call.arguments, call.text, call.problem = arguments, dump(arguments), None

    def finish(self) -> list[JsonObject]:
        """Return the last events. Raises CutStream when the source has not sent its end event."""
        if self._gathered is None:
            raise CutStream("", "it is empty")
        answer = self._gathered.finish()
        if answer.stop is None:  # a failure in place of an answer, or in the middle of one
            raise CutStream(self._source, "it has no reason why the model stopped", answer)
        written, losses = self._whole(answer)
        events = [event for step in self._left() for event in self._take(step)]
        events += [] if self._is_open else self._write(AnswerStarted(answer.id, answer.model))
        events += self._writer.finish(written)
        self.answer, self.losses = answer, Losses(losses)
        return events

    def _left(self) -> list[Step]:
        """Return the ends of calls that the source left open although it ended."""
        return [Ended(key) for key in self._unended]

    def _whole(self, answer: Answer) -> tuple[JsonObject, list[Loss]]:
        """Return the answer as a whole response of the target, and what it cannot express."""
        if any(self._bindings):
            for call in answer.calls:
                self._carry(call)
        losses = self._identified(answer) if self.flow.needs_ids else []
        body, told, _ = write_answer(answer, self._to)
        losses += told
        usage, is_whole = self._counted(answer.usage)
        if usage and body.get(self.flow.usage) is None:
            body = {**body, self.flow.usage: usage}
            if is_whole:
                losses = [loss for loss in losses if loss.at != _USAGE]
        if len(answer.candidates) > 1 and all(loss.code != "L320" for loss in losses):
            losses.append(_loss("L320", ("candidates",), len(answer.candidates), 1))
        return body, losses

    @staticmethod
    def _identified(answer: Answer) -> list[Loss]:
        """Give calls the ids that they were sent with, and report invented ids."""
        losses: list[Loss] = []
        count = 0
        for index, message in enumerate(answer.messages):
            for number, part in enumerate(message.parts):
                if not isinstance(part, Call):
                    continue
                if part.id is None:
                    part.id = _invented(count)
                    place = ("candidates", 0, "messages", index, "parts", number, "id")
                    losses.append(_loss("L322", place, None, part.id))
                count += 1
        return losses

    def _counted(self, usage: Json) -> tuple[JsonObject, bool]:
        """Return the token counts by the target's names, and whether every count has one."""
        known = flow_of(self._source).counts
        if not isinstance(usage, dict):
            return {}, True
        found = {
            there: usage[here]
            for here, there in zip(known, self.flow.counts, strict=True)
            if here and there and isinstance(usage.get(here), int)
        }
        read, written, both = self.flow.counts
        if both and both not in found and read in found and written in found:
            found[both] = found[read] + found[written]
        return found, usage.keys() <= set(known)


def _invented(number: int) -> str:
    return f"call_{number}"


def _loss(code: str, at: tuple[str | int, ...], before: Json, after: Json) -> Loss:
    told = WriteLog()
    told.lose(code, at, before, after)
    return told.losses[0]


class Inbox:
    """Splits input into payloads: pieces of bytes or texts, dicts, objects of an SDK."""

    __slots__ = ("_events", "_is_over")

    def __init__(self) -> None:
        self._events = EventDecoder()
        self._is_over = False

    def take(self, item: Any) -> list[JsonObject]:
        """Return the payloads that one item completes; none after the end of the stream."""
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
        """Return a last event without an end mark; an event that is cut off gives none."""
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
                raise MalformedJson("the data of an event is not an object")
        return found


class TranslatedStream:
    """The translated events: iterate once, asynchronously where the source is async.

    ``losses`` and ``answer`` are complete when the iteration ends.
    """

    def __init__(self, stream: Any, translator: Translator, *, as_bytes: bool) -> None:
        self._stream, self._translator, self._as_bytes = stream, translator, as_bytes
        self._begun = False

    @property
    def losses(self) -> Losses:
        """What the target cannot express."""
        return self._translator.losses

    @property
    def answer(self) -> Answer | None:
        """The whole answer; None until the stream ends."""
        return self._translator.answer

    def _begin(self) -> Inbox:
        if self._begun:
            raise UsageError("a translated stream is iterated once: keep its events or its answer")
        self._begun = True
        return Inbox()

    def __iter__(self) -> Iterator[Any]:
        inbox = self._begin()
        for item in _items(self._stream):
            for payload in inbox.take(item):
                yield from self._out(self._translator.feed(payload))
        yield from self._last(inbox)

    async def __aiter__(self) -> AsyncIterator[Any]:
        if not hasattr(self._stream, "__aiter__"):
            for event in self:
                yield event
            return
        inbox = self._begin()
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
    """Translate a live stream of one provider into the events of another.

    ``stream`` is what ``accumulate`` accepts, or an async iterable of it: bytes however they are
    split, texts, dicts, objects of an SDK. Events are dicts, or with ``as_bytes`` the bytes of
    server-sent events. With ``source_binding`` calls are restored to the tools' own names and
    arguments; with ``binding`` they are written as that binding's target has them.

    Raises UnknownFormat at once; while iterating NotAConversation, and CutStream when the source
    ends without its provider's end event. ``losses`` has what could not be translated.

    >>> chunk = {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}
    >>> [event["type"] for event in translate_stream([chunk], "anthropic")][1:4]
    ['content_block_start', 'content_block_delta', 'content_block_stop']
    """
    if as_bytes and not flow_of(to).is_sse:
        raise UsageError(f"{to} has no server-sent events; take the events as dicts")
    translator = Translator(to, source, binding, source_binding)
    return TranslatedStream(stream, translator, as_bytes=as_bytes)
