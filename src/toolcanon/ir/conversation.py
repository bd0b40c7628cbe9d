"""A conversation with tools, whoever wrote it, and its JSON.

Everything that more than one provider can say has a field of its own; what only one knows (cache
marks, signatures on a part, how an empty text was spelled) stands in ``extras`` under that
format's id, and only that format reads it. Fields are the truth: change one and the change is
written. Plain ``slots`` dataclasses, because a history has thousands of parts.

What a field says by default is left out. Parts are told apart by ``type``, in the words of
``PARTS``; the type of a native block, which would stand in its way, is called ``kind``. What may
stand in a field follows from its annotation, so a new field needs nothing here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from toolcanon.errors import NotAConversation
from toolcanon.jsonio import Pointer, copy_json
from toolcanon.jsonio.types import Json, JsonObject

Extras: TypeAlias = dict[str, JsonObject] | None
"""What only one format knows, by format id; None for nothing."""

Role: TypeAlias = Literal["system", "developer", "user", "assistant", "tool"]
MediaKind: TypeAlias = Literal["image", "audio", "video", "document", "file"]
StopReason: TypeAlias = Literal[
    "end", "stop_text", "tool_call", "length", "filter", "bad_call", "pause", "too_many", "unknown"
]
ChoiceMode: TypeAlias = Literal["auto", "none", "required", "tool", "subset"]


@dataclass(slots=True)
class Text:
    """Words."""

    text: str
    extras: Extras = None


@dataclass(slots=True)
class Refusal:
    """Words by which a model declines."""

    text: str
    extras: Extras = None


@dataclass(slots=True)
class Media:
    """An image, a sound, a file: its bytes as base64 text, or where they are."""

    kind: MediaKind
    mime: str | None = None
    data: str | None = None
    """Base64 text."""
    url: str | None = None
    file_id: str | None = None
    """At the provider that the part was read from."""
    text: str | None = None
    """Of a document that is plain text."""
    name: str | None = None
    extras: Extras = None


@dataclass(slots=True)
class Data:
    """A JSON value that is told as such rather than as text."""

    value: Json
    extras: Extras = None


@dataclass(slots=True)
class Reasoning:
    """What a model thought, in words or sealed; of use only to the one that wrote it."""

    text: str | None = None
    seal: str | None = None
    """A signature, or the whole thought in a form that only its provider can read."""
    is_hidden: bool = False
    """There is no text, only the seal."""
    id: str | None = None
    provider: str | None = None
    """The format it was read from."""
    model: str | None = None
    extras: Extras = None


@dataclass(slots=True)
class Call:
    """A model asks for a tool.

    ``text`` is what the model wrote where the wire carries arguments as text; it is written again
    as long as it says the same as ``arguments``. A call whose text is no JSON object keeps it,
    has ``arguments`` None or whatever it says, and tells why in ``problem``.
    """

    name: str
    arguments: Json = None
    id: str | None = None
    text: str | None = None
    problem: str | None = None
    is_text: bool = False
    """A free-text call: ``text`` is the input itself, and there are no arguments."""
    namespace: str | None = None
    extras: Extras = None


@dataclass(slots=True)
class Native:
    """Something that only one provider has: a built-in tool at work, a state to hand back.

    Written to its own format as it stands; elsewhere reported.
    """

    format: str
    type: str
    value: Json
    id: str | None = None

    @property
    def kind(self) -> str:
        """Its type without the place that leads it."""
        return self.type.rpartition(".")[2]


@dataclass(slots=True)
class Result:
    """What a tool answered."""

    call_id: str | None
    content: list[Text | Media | Data | Native] = field(default_factory=list)
    name: str | None = None
    is_error: bool | None = None
    """None where nobody said."""
    is_text: bool = False
    """The answer to a free-text call."""
    extras: Extras = None


Part: TypeAlias = Text | Refusal | Media | Data | Reasoning | Call | Result | Native


@dataclass(slots=True)
class Message:
    """One message, or one item where a provider has no messages."""

    role: Role
    parts: list[Part] = field(default_factory=list)
    name: str | None = None
    """Who speaks, where several share a role."""
    extras: Extras = None

    @property
    def calls(self) -> list[Call]:
        """The calls among its parts."""
        return [part for part in self.parts if part.__class__ is Call]

    @property
    def results(self) -> list[Result]:
        """The results among its parts."""
        return [part for part in self.parts if part.__class__ is Result]

    @property
    def text(self) -> str:
        """Its words, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))


@dataclass(slots=True)
class ToolChoice:
    """Which tools a model may or must call."""

    mode: ChoiceMode
    names: list[str] = field(default_factory=list)
    """Of "tool" one, of "subset" those that are allowed."""
    is_required: bool = False
    """Of "subset": whether one of them must be called."""
    extras: Extras = None


@dataclass(slots=True)
class Conversation:
    """A history, with what goes beside it in a request."""

    messages: list[Message] = field(default_factory=list)
    system: Message | None = None
    """The system prompt where a provider keeps it apart."""
    tools: Json = None
    """As the provider's request has them; ``read`` takes them."""
    tool_choice: ToolChoice | None = None
    parallel_calls: bool | None = None
    model: str | None = None
    format: str = ""
    """The format it was read from."""
    extras: Extras = None
    """Beside what only one format knows: every setting of the request that is not about tools."""

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)

    def copy_with(self, **changes: Any) -> Conversation:
        """A copy with other values in some fields; it shares the others."""
        made = Conversation(
            self.messages, self.system, self.tools, self.tool_choice, self.parallel_calls,
            self.model, self.format, self.extras,
        )  # fmt: skip
        for name, value in changes.items():
            setattr(made, name, value)
        return made

    def everything(self) -> list[Message]:
        """The messages, the system prompt first."""
        return self.messages if self.system is None else [self.system, *self.messages]

    def to_dict(self) -> JsonObject:
        """Plain JSON; its schema is published."""
        return to_dict(self)

    @staticmethod
    def from_dict(document: JsonObject) -> Conversation:
        """The way back. Raises NotAConversation with a place."""
        found = from_dict(document)
        if not isinstance(found, Conversation):
            raise NotAConversation("", "it is an answer")
        return found


@dataclass(slots=True)
class Stop:
    """Why a model stopped."""

    reason: StopReason
    word: str | None = None
    """In the provider's own word."""


@dataclass(slots=True)
class Candidate:
    """One of the answers of a model."""

    messages: list[Message] = field(default_factory=list)
    stop: Stop | None = None
    extras: Extras = None


@dataclass(slots=True)
class Answer:
    """What a provider sent back for a request."""

    candidates: list[Candidate] = field(default_factory=list)
    model: str | None = None
    id: str | None = None
    usage: Json = None
    """As the provider counts."""
    format: str = ""
    extras: Extras = None

    @property
    def messages(self) -> list[Message]:
        """Of the first candidate: what belongs into the history."""
        return self.candidates[0].messages if self.candidates else []

    @property
    def calls(self) -> list[Call]:
        """The calls of the first candidate that it does not answer itself, in order."""
        results = [result for message in self.messages for result in message.results]
        done = {result.call_id for result in results} - {None}
        calls = [call for message in self.messages for call in message.calls]
        return [call for call in calls if call.id not in done] if done else calls

    @property
    def stop(self) -> Stop | None:
        """Why the first candidate ended."""
        return self.candidates[0].stop if self.candidates else None


PARTS: Final[dict[str, type[Part]]] = {
    "text": Text,
    "refusal": Refusal,
    "media": Media,
    "data": Data,
    "reasoning": Reasoning,
    "call": Call,
    "result": Result,
    "native": Native,
}
"""How parts are told apart in JSON."""


VERSION: Final = 1
"""Raised when a document of the version before can no longer be read as it stands."""

HEADS: Final[dict[type[Conversation | Answer], str]] = {
    Conversation: "toolcanon-conversation",
    Answer: "toolcanon-answer",
}
"""The key by which a document says what it is; its value is the version."""

TAG: Final = "type"
OTHER_KEYS: Final[dict[tuple[type, str], str]] = {(Native, "type"): "kind"}
"""Fields whose key in JSON is not their name."""

RECORDS: Final[dict[str, type]] = {
    "Message | None": Message,
    "ToolChoice | None": ToolChoice,
    "Stop | None": Stop,
}
"""What stands in a field with such an annotation; and so on below."""

LISTS: Final[dict[str, type]] = {"list[Message]": Message, "list[Candidate]": Candidate}
PART_LISTS: Final[dict[str, tuple[str, ...]]] = {
    "list[Part]": tuple(PARTS),
    "list[Text | Media | Data | Native]": ("text", "media", "data", "native"),
}
WORDS: Final[dict[str, tuple[str, ...]]] = {
    "Role": get_args(Role),
    "MediaKind": get_args(MediaKind),
    "StopReason": get_args(StopReason),
    "ChoiceMode": get_args(ChoiceMode),
}

_TAGS: Final = {kind: tag for tag, kind in PARTS.items()}
_ABSENT: Final = object()


def to_dict(thing: Conversation | Answer) -> JsonObject:
    """Plain JSON that shares nothing with what was handed in."""
    return {HEADS[type(thing)]: VERSION, **_write(thing)}


def from_dict(document: Json) -> Conversation | Answer:
    """What ``to_dict`` was given. Raises NotAConversation with a place."""
    if not isinstance(document, dict):
        raise NotAConversation("", f"an object is wanted, not {type(document).__name__}")
    for kind, mark in HEADS.items():
        if mark in document:
            version = document[mark]
            if version is True or version != VERSION:
                raise NotAConversation(f"/{mark}", f"only version {VERSION} can be read here")
            rest = {key: value for key, value in document.items() if key != mark}
            found: Conversation | Answer = _read(kind, rest, Pointer())
            return found
    raise NotAConversation("", f"it has neither of {', '.join(HEADS.values())}")


class RecordField(NamedTuple):
    """A field of a record, as it stands in JSON."""

    name: str
    key: str
    annotation: str
    default: Any
    """As the field has it; ``MISSING`` where it must be said."""


@cache
def members(kind: type) -> dict[str, RecordField]:
    """The members of a record by their keys."""
    found = [
        RecordField(name, OTHER_KEYS.get((kind, name), name), str(item.type), _default(item))
        for item in fields(kind)
        for name in (item.name,)
    ]
    return {member.key: member for member in found}


def _default(item: Field[Any]) -> Any:
    return item.default if item.default_factory is MISSING else item.default_factory()


def _write(record: object) -> JsonObject:
    out: JsonObject = {}
    kind: type = record.__class__
    for key, member in members(kind).items():
        value = getattr(record, member.name)
        default = member.default
        if value is default or (value == default and type(value) is type(default)):
            continue
        if isinstance(record, Call) and key == "arguments" and _is_said_by_text(record):
            continue
        out[key] = _written(value, member.annotation)
    return out


def _written(value: Any, annotation: str) -> Json:
    if annotation in PART_LISTS:
        return [{TAG: _TAGS[type(part)], **_write(part)} for part in value]
    if annotation in LISTS:
        return [_write(item) for item in value]
    if annotation in RECORDS and value is not None:
        return _write(value)
    return copy_json(value)


def _is_said_by_text(call: Call) -> bool:
    """Whether the arguments hold numbers that JSON has no words for; the text has them too."""
    if call.problem is None or call.text is None:
        return False
    try:
        json.dumps(call.arguments, allow_nan=False)
    except ValueError:
        return repr(_reread(call.text)) == repr(call.arguments)
    return False


def _reread(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _read(kind: type, document: Json, at: Pointer) -> Any:
    if not isinstance(document, dict):
        raise NotAConversation(str(at), f"an object is wanted, not {type(document).__name__}")
    known = members(kind)
    for key in document:
        if key not in known:
            raise NotAConversation(str(at / key), f"{kind.__name__.lower()} has no such member")
    given = {}
    for key, member in known.items():
        value = document.get(key, _ABSENT)
        if value is not _ABSENT:
            given[member.name] = _taken(value, member.annotation, at / key)
        elif member.default is MISSING:
            raise NotAConversation(str(at / key), f"{kind.__name__.lower()} needs it")
    record = kind(**given)
    if kind is Call and "arguments" not in document and record.text is not None:
        record.arguments = _reread(record.text)
        if not _is_said_by_text(record):
            record.arguments = None
    return record


def _taken(value: Json, annotation: str, at: Pointer) -> Any:
    if annotation in RECORDS:
        return None if value is None else _read(RECORDS[annotation], value, at)
    if annotation in LISTS:
        kind = LISTS[annotation]
        return [_read(kind, item, at / place) for place, item in enumerate(_listed(value, at))]
    if annotation in PART_LISTS:
        tags = PART_LISTS[annotation]
        return [_part(item, tags, at / place) for place, item in enumerate(_listed(value, at))]
    says, is_fine = LEAVES[annotation]
    if not is_fine(value):
        raise NotAConversation(str(at), f"{says} is wanted here")
    return copy_json(value)


def _listed(value: Json, at: Pointer) -> list[Json]:
    if not isinstance(value, list):
        raise NotAConversation(str(at), f"a list is wanted, not {type(value).__name__}")
    return value


def _part(value: Json, tags: tuple[str, ...], at: Pointer) -> Part:
    tag = value.get(TAG) if isinstance(value, dict) else None
    if not isinstance(tag, str) or tag not in tags:
        raise NotAConversation(str(at), f"a part is an object whose type is {', '.join(tags)}")
    rest = {key: item for key, item in value.items() if key != TAG}
    part: Part = _read(PARTS[tag], rest, at)
    return part


def _is_extras(value: Json) -> bool:
    return value is None or (
        isinstance(value, dict) and all(isinstance(item, dict) for item in value.values())
    )


def _one_of(words: tuple[str, ...]) -> Callable[[Json], bool]:
    return lambda value: isinstance(value, str) and value in words


LEAVES: Final[dict[str, tuple[str, Callable[[Json], bool]]]] = {
    "str": ("a text", lambda value: isinstance(value, str)),
    "str | None": ("a text or null", lambda value: value is None or isinstance(value, str)),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "bool | None": (
        "true, false or null",
        lambda value: value is None or isinstance(value, bool),
    ),
    "list[str]": (
        "a list of texts",
        lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
    ),
    "Json": ("JSON", lambda _: True),
    "Extras": ("null or an object of objects", _is_extras),
    **{name: (f"one of {', '.join(words)}", _one_of(words)) for name, words in WORDS.items()},
}
