"""Server-sent events, and the steps into which readers split streams of all providers.

The same events result from any split of the bytes, in linear time and bounded memory. Unlike a
browser, the reader returns a last event without a blank line after it, because some servers end in
that way.

Readers split one provider's events into steps, writers make another's events of them, and patches
change calls within the events of one provider and leave everything else unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import orjson

from toolcanon.errors import BadEncoding, LimitExceeded, MalformedJson, ToolcanonError
from toolcanon.formats.wire.codec import plain_object
from toolcanon.jsonio import DEFAULT_LIMITS, loads
from toolcanon.jsonio.canonical import may_be_rounded
from toolcanon.jsonio.types import Json, JsonObject

Event: TypeAlias = tuple[str, str]
"""The name of an event, "message" when it has none, and its data."""

DONE: Final = "[DONE]"
_MARK: Final = b"\xef\xbb\xbf"
_LF: Final = 10


class EventDecoder:
    r"""Takes bytes, gives events.

    >>> events = EventDecoder()
    >>> events.feed(b"event: ping\r"), events.feed(b"\ndata: 1\ndata: 2\n\n")
    ([], [('ping', '1\n2')])
    >>> events.feed(b"data: last"), events.close()
    ([], [('message', 'last')])
    """

    __slots__ = ("_after_cr", "_data", "_is_first", "_limit", "_line", "_name", "_size")

    def __init__(self, limit: int = DEFAULT_LIMITS.line) -> None:
        self._limit = limit
        """The largest size of one event, in bytes."""
        self._start()
        self._is_first = True

    def _start(self) -> None:
        self._line: list[bytes] = []
        self._data: list[str] = []
        self._name = ""
        self._size = 0
        self._after_cr = False

    @property
    def is_idle(self) -> bool:
        """Whether nothing is kept: the next byte begins an event."""
        return not (self._line or self._data or self._name)

    def feed(self, data: bytes) -> list[Event]:
        """Return the events that these bytes complete."""
        if self._after_cr and data:
            self._after_cr = False
            if data[0] == _LF:  # the other half of a line end
                data = data[1:]
        events: list[Event] = []
        for piece in data.splitlines(keepends=True):
            self._size += len(piece)
            if self._size > self._limit:
                raise LimitExceeded("line", self._limit, self._size, " (one server-sent event)")
            end = piece[-1:]
            if end not in b"\r\n":
                self._line.append(piece)
                continue
            self._line.append(piece[:-2] if piece[-2:] == b"\r\n" else piece[:-1])
            self._end_line(events)
        self._after_cr = self._after_cr or data[-1:] == b"\r"
        return events

    def close(self) -> list[Event]:
        """Return the rest when the stream ends; afterwards a new one may begin."""
        events: list[Event] = []
        if self._line:
            self._end_line(events)
        self._dispatch(events)
        self._start()
        self._is_first = True
        return events

    def _end_line(self, events: list[Event]) -> None:
        line = self._line[0] if len(self._line) == 1 else b"".join(self._line)
        self._line.clear()
        if self._is_first:
            self._is_first = False
            line = line.removeprefix(_MARK)
        if not line:
            self._dispatch(events)
            return
        try:
            field, _, value = line.decode().partition(":")
        except UnicodeDecodeError as error:
            raise BadEncoding("not UTF-8", error.start) from None
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
        elif not self._data and not self._name:
            self._size = 0  # a comment; keeping a connection open must not fill the limit

    def _dispatch(self, events: list[Event]) -> None:
        if self._data:
            events.append((self._name or "message", "\n".join(self._data)))
            self._data.clear()
        self._name, self._size = "", 0


def payloads(stream: Any, limit: int = DEFAULT_LIMITS.line) -> Iterator[JsonObject]:
    """Yield the payloads of a stream of any kind.

    ``stream`` is bytes or text of server-sent events, or an iterable of: pieces of such bytes or
    texts (with their line ends), JSON texts of payloads, dicts, objects of an SDK. It ends with the
    data ``[DONE]``, or with its input. A last event that is cut off is left out: the reader of the
    whole answer notices the missing end.
    """
    events = EventDecoder(limit)
    for item in _items(stream):
        if not isinstance(item, (bytes, str)):
            yield _payload(item)
            continue
        if events.is_idle and _is_json(item):
            yield _load(item)
            continue
        data = item.encode("utf-8", "surrogatepass") if isinstance(item, str) else item
        for _, text in events.feed(data):
            if text.strip() == DONE:
                return
            if text:
                yield _load(text)
    try:  # an event cut off within a character or a value is left out
        last = [_load(text) for _, text in events.close() if text.strip() not in {"", DONE}]
    except ToolcanonError:
        return
    yield from last


def _items(stream: Any) -> Iterable[Any]:
    if isinstance(stream, (bytearray, memoryview)):
        return (bytes(stream),)
    if isinstance(stream, (bytes, str, dict)) or hasattr(stream, "model_dump"):
        return (stream,)
    return stream  # type: ignore[no-any-return]


def _is_json(item: bytes | str) -> bool:
    """Return whether it is a payload itself: no line of an event begins like an object."""
    return item.lstrip()[:1] in ("{", b"{")


def _load(text: bytes | str) -> JsonObject:
    try:
        value: Json = orjson.loads(text)
    except orjson.JSONDecodeError:
        value = loads(text).value  # raises with the reason and the place
    else:
        if may_be_rounded(text):
            value = loads(text, duplicates=True).value
    if not isinstance(value, dict):
        raise MalformedJson("the data of an event is not an object")
    return value


def _payload(item: Any) -> JsonObject:
    if isinstance(item, dict) or hasattr(item, "model_dump"):
        return plain_object(item)
    raise MalformedJson(f"an event must be an object, not {type(item).__name__}")


Key: TypeAlias = int
"""Which call of the stream is meant."""


class AnswerStarted(NamedTuple):
    """A candidate begins."""

    id: str | None
    model: str | None


class TextPiece(NamedTuple):
    """A piece of text."""

    text: str
    is_refusal: bool = False


class Begun(NamedTuple):
    """A call, before its arguments."""

    key: Key
    id: str | None
    name: str
    is_text: bool = False
    """Its pieces are a text for the tool, rather than the JSON of arguments."""
    namespace: str | None = None


class Piece(NamedTuple):
    """Some more of the arguments of a call."""

    key: Key
    text: str


class Ended(NamedTuple):
    """There will be no more of a call."""

    key: Key


Step: TypeAlias = AnswerStarted | TextPiece | Begun | Piece | Ended


class StepReader(Protocol):
    """Splits events into steps. The accumulator reads what is not a step (reasoning, counts)."""

    def steps(self, event: JsonObject) -> list[Step]:
        """Return the steps of one event."""


class EventWriter(Protocol):
    """Writes events. One call is written at a time."""

    def write(self, step: Step) -> list[JsonObject]:
        """Return the events of one step."""

    def finish(self, body: JsonObject) -> list[JsonObject]:
        """Return the last events. ``body`` is the whole answer, had it come at once."""


class StreamRestorer(Protocol):
    """Restores a model's calls for the caller that registered the tools."""

    @property
    def own_tools(self) -> Json:
        """The tools of the request before; None when they are those that were sent."""

    @property
    def own_choice(self) -> Json:
        """The choice of tools of the request before."""

    def name(self, name: str, namespace: str | None = None) -> str:
        """Return the tool's own name."""

    def is_held(self, name: str, namespace: str | None = None) -> bool:
        """Return whether arguments come back otherwise, so that pieces of them are of no use."""

    def value(self, name: str, arguments: Json, namespace: str | None = None) -> Json:
        """Return the tool's own arguments; what cannot be read stays as it is."""

    def text(self, name: str, arguments: str, namespace: str | None = None) -> str:
        """Restore arguments that are sent as text."""


class Patcher(Protocol):
    """Changes the calls in the events of one stream."""

    def patch(self, event: JsonObject) -> list[JsonObject]:
        """Return the replacement of an event: the same object where nothing changes."""

    def close(self) -> list[JsonObject]:
        """Return what was held back when the stream ends without its end event."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Patch:
    """How one provider's answers are changed in flight, as functions."""

    answer: Callable[[JsonObject, StreamRestorer], JsonObject]
    """A whole body; the very same object where nothing changes."""
    events: Callable[[StreamRestorer], Patcher]
    echoes: bool = False
    """Whether answers repeat the tools of the request."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flow:
    """How one provider streams, as functions."""

    read: Callable[[], StepReader]
    write: Callable[[], EventWriter]
    usage: str
    """Where an answer counts tokens,"""
    counts: tuple[str, str, str]
    """and what it calls those read, those written, and all of them; "" for what it does not."""
    needs_ids: bool = True
    """Whether every call has an id."""
    joint: str | None = "_"
    """What joins namespace and name; None where they are separate."""
    free_text: bool = False
    """Whether a call can be a text."""
    last: str = ""
    """The data of a last event that is not a payload."""
    is_sse: bool = True
    """Whether events go over the wire as server-sent ones."""


def text_of(value: Json) -> str | None:
    """Return a text that is not empty; None for anything else."""
    return value if isinstance(value, str) and value else None
