"""A codec: how one provider writes messages, requests, responses and streams.

Readers accept everything that a provider would have sent: what they do not understand becomes
``Native`` or goes to ``extras``, so that writing back loses nothing. Writers write any
conversation, independent of its source, and report what the target cannot express. All functions
are pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias

import orjson

from toolcanon.diagnostics import CODES, Loss
from toolcanon.errors import BadEncoding, LoneSurrogate, ToolcanonError
from toolcanon.ir.conversation import (
    Answer,
    Call,
    Conversation,
    Data,
    Extras,
    Media,
    MediaKind,
    Message,
    Native,
    Part,
    Result,
    Text,
)
from toolcanon.jsonio import Pointer, loads
from toolcanon.jsonio.canonical import may_be_rounded
from toolcanon.jsonio.types import Json, JsonObject

if TYPE_CHECKING:
    from toolcanon.formats.wire.streams import Flow, Patch

_TTLS: Final = frozenset({"5m", "1h"})
"""How long a cache can be asked to last, in the words that all of them have."""


class Mark(NamedTuple):
    """All that comes before it is to be cached."""

    said: Json
    """As the provider has it."""
    ttl: str | None
    is_whole: bool
    """Whether the block has no other members."""
    behind: int = -1
    """The number of the part that it follows; -1 where nothing comes before it."""
    tool: str | None = None
    """The name of the tool that it follows, where it is among tools."""


def mark_of(said: Json, word: str) -> Mark:
    """Return a provider's mark with this ``type`` and perhaps a ``ttl``; None for others."""
    inner = said if isinstance(said, dict) else {}
    ttl = inner.get("ttl")
    if not isinstance(ttl, str) or ttl not in _TTLS:
        ttl = None
    return Mark(said, ttl, inner in ({"type": word}, {"type": word, "ttl": ttl}))


def control(mark: Mark, word: str) -> JsonObject:
    """Return the provider's block for a mark."""
    return {"type": word} if mark.ttl is None else {"type": word, "ttl": mark.ttl}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CacheMarks:
    """The cache marks of one provider. Functions do not change their input."""

    take: Callable[[list[Part]], tuple[list[Part], list[Mark]]]
    """Parts without marks, the same list where there are none, and the marks."""
    put: Callable[[list[Part], Mark], list[Part] | None]
    """Parts with a mark; None where it has no place."""
    take_tools: Callable[[list[Json]], tuple[list[Json], list[Mark]]]
    put_tools: Callable[[list[Json], Mark], list[Json]]
    """The mark goes behind the tool that it names, or behind the last one; there are some."""


NOTES: Final = "$"
"""Our own notes among a format's extras: how something was spelled."""
MISSED: Final = "missed"
"""A note of what is more than a spelling, by key: others cannot say it, so its loss is reported."""
_NOTHING: Final[JsonObject] = {}
Content: TypeAlias = Text | Media | Data | Native
"""What a result can hold."""


class WriteLog:
    """The losses of a writer, in order, each with its place in the conversation."""

    __slots__ = ("losses",)

    def __init__(self) -> None:
        self.losses: list[Loss] = []

    def lose(
        self, code: str, at: Iterable[str | int], before: Json = None, after: Json = None
    ) -> None:
        """``at`` leads into the canonical conversation: "messages", 3, "parts", 0 and so on."""
        entry = CODES[code]
        place = Pointer(map(str, at))
        self.losses.append(Loss(code, entry.name, entry.effect, "", place, before, after))


class Accumulator(Protocol):
    """Puts a stream together again."""

    def feed(self, event: Json) -> None:
        """Take one event: the parsed payload of a server-sent event, or a chunk of an SDK."""

    def finish(self) -> Answer:
        """Return the whole answer. Raises CutStream when the end never came."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Codec:
    """How one provider writes conversations, as functions."""

    id: str
    sniff: Callable[[JsonObject], float]
    """How much one message looks like this provider's: 1.0 when no other provider writes this."""
    sniff_body: Callable[[JsonObject], float]
    """How much a request body looks like this provider's."""
    sniff_answer: Callable[[JsonObject], float]
    """How much a response body looks like this provider's."""

    read_messages: Callable[[list[Json], str | None], list[Message]]
    """Messages (or items), and the model that wrote the assistant's part of them, if known."""
    write_messages: Callable[[list[Message], WriteLog], list[Json]]
    read_request: Callable[[JsonObject], Conversation]
    write_request: Callable[[Conversation, WriteLog], JsonObject]
    """Tools are written unchanged: a caller that changes the target binds them first."""
    read_answer: Callable[[JsonObject], Answer]
    write_answer: Callable[[Answer, WriteLog], JsonObject]
    accumulate: Callable[[], Accumulator]
    read_result: Callable[[JsonObject], Result] | None = None
    """One result block alone, where it is an object of its own."""
    sniff_event: Callable[[JsonObject], float]
    """The same as ``sniff`` for an event of a stream."""
    history: str = "messages"
    """The key of a request under which the messages stand."""
    system: str = ""
    """The key beside them for the system prompt; empty where it is among them."""
    needs: tuple[str, ...] = ()
    """Settings that a request must have, beside the model."""
    say: Callable[[Native, Callable[[str], str]], str | None] | None = None
    """The words of a part that only this provider has; the function renames tools in them."""
    marks: CacheMarks | None = None
    """How it marks what to cache; None where it has no marks."""
    flow: Callable[[], Flow] | None = None
    """How it streams, loaded late; None where its streams cannot be translated."""
    patch: Callable[[], Patch] | None = None
    """How its answers are changed in flight, loaded late; None where that cannot be."""
    home: Callable[[list[Json]], Codec] | None = None
    """Given its messages as they were before a switch, writes those that come back from it; None
    where other providers keep all that its messages say, or where what they do not is reported."""
    layout: str = ""
    """The name of the layout that it writes, if it writes one only."""
    layouts: Mapping[str, Codec] = field(default_factory=dict)
    """Where its messages can be laid out in several ways: each by its name, which follows the id
    and a slash in a target. This codec itself leaves messages in the layout they were read from."""


def flow_beside(module: str) -> Callable[[], Flow]:
    """Return the flow in ``stream`` beside a module, loaded late: only streams need it."""
    return lambda: import_module(f"{module.rpartition('.')[0]}.stream").FLOW


def patch_beside(module: str) -> Callable[[], Patch]:
    """The patch in ``stream`` beside a module, loaded late: only boundaries need it."""
    return lambda: import_module(f"{module.rpartition('.')[0]}.stream").PATCH


def extras_of(format_id: str, left: JsonObject, noted: JsonObject | None = None) -> Extras:
    """Return a format's own entry, None when there is nothing to keep."""
    if NOTES in left:  # a foreign key that looks like ours: kept in our notes
        noted = {**(noted or {}), NOTES: left[NOTES]}
    if noted:
        return {format_id: {**left, NOTES: noted}}
    return {format_id: left} if left else None


def own(extras: Extras, format_id: str) -> JsonObject:
    """Return the extras of a format; empty where there are none. Not to be changed."""
    return _NOTHING if extras is None else extras.get(format_id, _NOTHING)


def noted(extras: Extras, format_id: str) -> JsonObject:
    """Our notes for a format. Not to be changed."""
    return own(extras, format_id).get(NOTES, _NOTHING)  # type: ignore[no-any-return]


def leftovers(extras: Extras, format_id: str) -> JsonObject:
    """Return what is restored to its place: the format's own keys without our notes."""
    found = own(extras, format_id)
    if NOTES not in found:
        return found
    left = {key: value for key, value in found.items() if key != NOTES}
    if NOTES in found[NOTES]:
        left[NOTES] = found[NOTES][NOTES]
    return left


def has_foreign(extras: Extras, format_id: str) -> bool:
    """Return whether another format has extras here that would be missed: not null, not notes."""
    if extras is None:
        return False
    for id_, kept in extras.items():
        if id_ == format_id or not kept:
            continue
        if MISSED in kept.get(NOTES, _NOTHING):
            return True
        for key, value in kept.items():
            if value is not None and key != NOTES:
                return True
    return False


def foreign_keys(extras: Extras, format_id: str) -> JsonObject:
    """Return the keys that other formats kept, by format, without our notes."""
    found: JsonObject = {}
    for id_, kept in (extras or _NOTHING).items():
        if id_ == format_id:
            continue
        left = kept
        if NOTES in kept:
            left = {**leftovers(extras, id_), **kept[NOTES].get(MISSED, _NOTHING)}
        said = {key: value for key, value in left.items() if value is not None}
        if said:
            found[id_] = said
    return found


_MEDIA: Final = ("kind", "mime", "data", "url", "file_id", "text", "name")


def shown(part: Part) -> Json:
    """Return the content of a part, for the report that it is not written."""
    if isinstance(part, Native):
        return part.value
    if isinstance(part, Call):
        return {"name": part.name, "arguments": part.arguments if part.text is None else part.text}
    if isinstance(part, Result):
        return {"call_id": part.call_id, "content": list(map(shown, part.content))}
    if isinstance(part, Media):
        said = {key: getattr(part, key) for key in _MEDIA}
        return {key: value for key, value in said.items() if value is not None}
    return part.value if isinstance(part, Data) else getattr(part, "text", None)


def is_bare(extras: Extras, format_id: str) -> bool:
    """Return whether a part has nothing to restore or to report, as without extras."""
    return extras is None or (format_id not in extras and not has_foreign(extras, format_id))


def rest(source: JsonObject, known: frozenset[str]) -> JsonObject:
    """Return the keys of an object that a reader did not take."""
    if known.issuperset(source):
        return {}
    return {key: value for key, value in source.items() if key not in known}


def take_text(left: JsonObject, key: str) -> str | None:
    """Return a text, taken out of what is left; anything else stays there."""
    value = left.get(key)
    if not isinstance(value, str):
        return None
    del left[key]
    return value


def take_flag(left: JsonObject, key: str) -> bool | None:
    """Remove and return a boolean; None for other values."""
    value = left.get(key)
    if not isinstance(value, bool):
        return None
    del left[key]
    return value


NOT_JSON: Final = "not-json"
NOT_OBJECT: Final = "not-an-object"
NOT_FINITE: Final = "not-finite"
NOT_WHOLE: Final = "not-whole"
"""Lone surrogates, which UTF-8 cannot encode."""
UNSENDABLE: Final = frozenset({NOT_FINITE, NOT_WHOLE})
"""Values of Python that JSON lacks."""


def read_arguments(text: str) -> tuple[Json, str | None]:
    """Return arguments as a model wrote them, and what is wrong with them.

    Nothing is repaired here: ``restore`` does that, with the schema of the tool.
    """
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return _read_odd(text)
    if may_be_rounded(text):
        return _read_odd(text)
    if value.__class__ is dict:
        return value, None
    return value, NOT_OBJECT


def _read_odd(text: str) -> tuple[Json, str | None]:
    """Read what the fast parser rejects: huge numbers, infinities, or text that is not JSON."""
    import json  # noqa: PLC0415 - hardly ever needed

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None, NOT_JSON
    try:
        loads(text, duplicates=True)
    except (LoneSurrogate, BadEncoding):
        return value, NOT_WHOLE
    except ToolcanonError:
        return value, NOT_FINITE
    return value, None if isinstance(value, dict) else NOT_OBJECT


def arguments_text(call: Call) -> str:
    """Return the arguments as text: the model's own while it has the same value."""
    text = call.text
    if text is not None:
        if call.problem is not None and call.arguments is None:
            return text
        try:
            written = orjson.dumps(call.arguments).decode()
        except TypeError:  # integers beyond 64 bits, depth: left to the careful reader below
            written = None
        if written == text:  # most models write no spaces
            return text
        value, _ = read_arguments(text)
        if value == call.arguments or repr(value) == repr(call.arguments):  # NaN equals nothing
            return text
    return dump({} if _says_nothing(call.arguments) else call.arguments)


def arguments_object(call: Call) -> tuple[JsonObject, str | None]:
    """Return the arguments where only an object can go, and the code of what that took."""
    if call.is_text:
        return {"input": call.text or ""}, "L312"
    value, text = call.arguments, call.text
    if isinstance(value, dict) and call.problem not in UNSENDABLE:
        return value, None
    if _says_nothing(value) and _says_nothing(text):
        return {}, None
    return {"arguments": value if text is None else text}, "L313"


def _says_nothing(value: Json) -> bool:
    """Return whether a call has no arguments; models and SDKs also write a blank text for that."""
    return value is None or (isinstance(value, str) and not value.strip())


def dump(value: Json) -> str:
    """Compact JSON text."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # integers beyond 64 bits, depth
        import json  # noqa: PLC0415 - hardly ever needed

        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def data_uri(media: Media) -> str | None:
    """Return the bytes, or their address, as one text."""
    if media.data is not None:
        return f"data:{media.mime or 'application/octet-stream'};base64,{media.data}"
    return media.url


def split_uri(uri: str) -> tuple[str | None, str] | None:
    """Type and base64 text of a data URI; None for any other."""
    if not uri.startswith("data:"):
        return None
    head, found, data = uri.partition(",")
    if not found or not head.endswith(";base64"):
        return None
    return head[5:-7] or None, data


def media_kind(mime: str | None) -> MediaKind:
    """Return the kind of media of a media type."""
    mime = (mime or "").lower()
    match mime.partition("/")[0]:
        case "image" | "audio" | "video" as kind:
            return kind
        case "text":
            return "document"
    return "document" if mime == "application/pdf" else "file"


def in_words(part: Content) -> str:
    """Return a text in place of a part, where only text is accepted."""
    if isinstance(part, Text):
        return part.text
    if isinstance(part, Data):
        return dump(part.value)
    if isinstance(part, Media):
        if part.text is not None:
            return part.text
        where = part.url or part.file_id or part.name
        return f"[{part.kind}{f' {part.mime}' if part.mime else ''}{f': {where}' if where else ''}]"
    return f"[{part.type}]"


def plain_object(thing: Any) -> JsonObject:
    """Return an object of an SDK, or a dict, as a dict."""
    if isinstance(thing, dict):
        return thing
    return thing.model_dump(mode="json", by_alias=True, exclude_unset=True)  # type: ignore[no-any-return]
