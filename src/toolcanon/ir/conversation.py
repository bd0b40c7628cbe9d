"""A conversation with tools, independent of its provider, and its JSON.

Everything that more than one provider can express has a field of its own; what only one format
knows (cache marks, signatures on a part, the spelling of an empty text) is in ``extras`` under
that format's id, and only that format reads it. Writers read the fields, so a changed field is
written. Plain ``slots`` dataclasses, because a history has thousands of parts.

Fields with their default value are left out of JSON. The kind of a part is in ``type``, by the
keys of ``PARTS``; the type of a native block is in ``kind`` instead. The values of a field follow
from its annotation, so a new field needs no code here.
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
    """A piece of text."""

    text: str
    """The text itself."""
    extras: Extras = None


@dataclass(slots=True)
class Refusal:
    """A text by which a model declines to answer."""

    text: str
    """The text itself."""
    extras: Extras = None


@dataclass(slots=True)
class Media:
    """An image, audio, video or file: its bytes as base64 text, or where to find them."""

    kind: MediaKind
    """image, audio, video, document or file."""
    mime: str | None = None
    """The media type, such as image/png."""
    data: str | None = None
    """The bytes as base64 text."""
    url: str | None = None
    """An address from which the provider loads it."""
    file_id: str | None = None
    """The id of a file that is stored at the provider the part was read from."""
    text: str | None = None
    """The content of a document that is plain text."""
    name: str | None = None
    """The name of the file."""
    extras: Extras = None


@dataclass(slots=True)
class Data:
    """A JSON value that is sent as JSON rather than as text."""

    value: Json
    """The value itself."""
    extras: Extras = None


@dataclass(slots=True)
class Reasoning:
    """The reasoning of a model, as text or signed; only its own provider accepts a signature."""

    text: str | None = None
    """The reasoning, where the provider returns it."""
    seal: str | None = None
    """A signature, or the whole reasoning in a form that only its provider can read."""
    is_hidden: bool = False
    """Whether the provider hides the text, so that only the signature is here."""
    id: str | None = None
    """The provider's id of the block."""
    provider: str | None = None
    """The format it was read from."""
    model: str | None = None
    """The model that wrote it, where that is known."""
    extras: Extras = None


@dataclass(slots=True)
class Call:
    """A model's call of a tool.

    ``text`` is the arguments as the model wrote them, where a provider has them as text; it is
    written again while it means the same as ``arguments``. A call whose text is not a JSON object
    keeps the text, has its value or None in ``arguments``, and the reason in ``problem``.
    """

    name: str
    """The name of the tool, as the history has it."""
    arguments: Json = None
    """The arguments, usually an object; None where there are none or they cannot be read."""
    id: str | None = None
    """The id that the result refers to."""
    text: str | None = None
    """The arguments as the model wrote them."""
    problem: str | None = None
    """Why the text is not usable as arguments; None where it is."""
    is_text: bool = False
    """A free-text call: ``text`` is the input itself, and there are no arguments."""
    namespace: str | None = None
    """The group of tools that the name is in, where the provider has such groups."""
    extras: Extras = None


@dataclass(slots=True)
class Native:
    """A block that only one provider has, such as a call of a built-in tool.

    Written unchanged to its own format, and reported as a loss elsewhere.
    """

    format: str
    """The format it was read from."""
    type: str
    """The block's type in that format; a prefix with a dot is the place of the block."""
    value: Json
    """The block as that format has it."""
    id: str | None = None
    """The provider's id of the block."""

    @property
    def kind(self) -> str:
        """The type without the prefix of its place."""
        return self.type.rpartition(".")[2]


@dataclass(slots=True)
class Result:
    """The answer of a tool."""

    call_id: str | None
    """The id of the call that it answers."""
    content: list[Text | Media | Data | Native] = field(default_factory=list)
    """The parts of the answer."""
    name: str | None = None
    """The name of the tool, where the provider repeats it."""
    is_error: bool | None = None
    """Whether the tool failed; None where that is not stated."""
    is_text: bool = False
    """Whether it answers a free-text call."""
    extras: Extras = None


Part: TypeAlias = Text | Refusal | Media | Data | Reasoning | Call | Result | Native


@dataclass(slots=True)
class Message:
    """One message, or one item where a provider has no messages."""

    role: Role
    """system, developer, user, assistant or tool."""
    parts: list[Part] = field(default_factory=list)
    """The content, in order."""
    name: str | None = None
    """The name of the speaker, where several share a role."""
    extras: Extras = None

    @property
    def calls(self) -> list[Call]:
        """The calls among the parts."""
        return [part for part in self.parts if part.__class__ is Call]

    @property
    def results(self) -> list[Result]:
        """The results among the parts."""
        return [part for part in self.parts if part.__class__ is Result]

    @property
    def text(self) -> str:
        """The text parts, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))


@dataclass(slots=True)
class ToolChoice:
    """The choice of tools: which of them a model may or must call."""

    mode: ChoiceMode
    """auto, none, required (some tool), tool (one tool) or subset (some of these)."""
    names: list[str] = field(default_factory=list)
    """The one tool of "tool", the allowed tools of "subset"."""
    is_required: bool = False
    """Whether "subset" requires a call of one of them."""
    extras: Extras = None


@dataclass(slots=True)
class Conversation:
    """A history, with the other members of its request."""

    messages: list[Message] = field(default_factory=list)
    """The history, in order."""
    system: Message | None = None
    """The system prompt, where a provider keeps it beside the messages."""
    tools: Json = None
    """The tools as the provider's request has them; ``read`` accepts them."""
    tool_choice: ToolChoice | None = None
    """The choice of tools; None where the request has none."""
    parallel_calls: bool | None = None
    """Whether a model may make several calls at once; None where that is not stated."""
    model: str | None = None
    """The model of the request."""
    format: str = ""
    """The format it was read from."""
    extras: Extras = None
    """What only one format knows, and every setting of the request that is not about tools."""

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)

    def copy_with(self, **changes: Any) -> Conversation:
        """Return a copy with other values in some fields; it shares the others."""
        made = Conversation(
            self.messages, self.system, self.tools, self.tool_choice, self.parallel_calls,
            self.model, self.format, self.extras,
        )  # fmt: skip
        for name, value in changes.items():
            setattr(made, name, value)
        return made

    def everything(self) -> list[Message]:
        """Return the messages, the system prompt first."""
        return self.messages if self.system is None else [self.system, *self.messages]

    def to_dict(self) -> JsonObject:
        """Return plain JSON, as docs/schemas/conversation.v1.json describes it."""
        return to_dict(self)

    @staticmethod
    def from_dict(document: JsonObject) -> Conversation:
        """Read what ``to_dict`` wrote. Raises NotAConversation with a place."""
        found = from_dict(document)
        if not isinstance(found, Conversation):
            raise NotAConversation("", "it is an answer")
        return found


@dataclass(slots=True)
class Stop:
    """The reason why a model stopped."""

    reason: StopReason
    """The reason, in words that are the same for every provider."""
    word: str | None = None
    """The provider's own word for it."""


@dataclass(slots=True)
class Candidate:
    """One of the answers to a request."""

    messages: list[Message] = field(default_factory=list)
    """The messages of the model."""
    stop: Stop | None = None
    """Why the model stopped; None where that is not stated."""
    extras: Extras = None


@dataclass(slots=True)
class Answer:
    """The response of a provider to a request."""

    candidates: list[Candidate] = field(default_factory=list)
    """The answers; most requests have one."""
    model: str | None = None
    """The model that answered."""
    id: str | None = None
    """The provider's id of the response."""
    usage: Json = None
    """The token counts, as the provider reports them."""
    format: str = ""
    """The format it was read from."""
    extras: Extras = None

    @property
    def messages(self) -> list[Message]:
        """The messages of the first candidate: those to append to the history."""
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
"""Each kind of part by its ``type`` in JSON."""


VERSION: Final = 1
"""Raised when a document of the version before can no longer be read unchanged."""

HEADS: Final[dict[type[Conversation | Answer], str]] = {
    Conversation: "toolcanon-conversation",
    Answer: "toolcanon-answer",
}
"""The key that marks a document of this kind; its value is the version."""

TAG: Final = "type"
OTHER_KEYS: Final[dict[tuple[type, str], str]] = {(Native, "type"): "kind"}
"""Fields whose key in JSON is not their name."""

RECORDS: Final[dict[str, type]] = {
    "Message | None": Message,
    "ToolChoice | None": ToolChoice,
    "Stop | None": Stop,
}
"""The record in a field with such an annotation; lists of records and of parts follow."""

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
    """Return plain JSON that shares nothing with the input."""
    return {HEADS[type(thing)]: VERSION, **_write(thing)}


def from_dict(document: Json) -> Conversation | Answer:
    """Read what ``to_dict`` wrote. Raises NotAConversation with a place."""
    if not isinstance(document, dict):
        raise NotAConversation("", f"expected an object, not {type(document).__name__}")
    for kind, mark in HEADS.items():
        if mark in document:
            version = document[mark]
            if version is True or version != VERSION:
                raise NotAConversation(f"/{mark}", f"the only known version is {VERSION}")
            rest = {key: value for key, value in document.items() if key != mark}
            found: Conversation | Answer = _read(kind, rest, Pointer())
            return found
    raise NotAConversation("", f"it has no key {' or '.join(HEADS.values())}")


class RecordField(NamedTuple):
    """A field of a record in JSON."""

    name: str
    key: str
    annotation: str
    default: Any
    """The default of the field; ``MISSING`` where the field is required."""


@cache
def members(kind: type) -> dict[str, RecordField]:
    """Return the members of a record by their keys."""
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
    """Return whether the arguments have numbers that JSON lacks, such as NaN, as the text does."""
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
        raise NotAConversation(str(at), f"expected an object, not {type(document).__name__}")
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
            raise NotAConversation(str(at / key), f"{kind.__name__.lower()} requires it")
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
        raise NotAConversation(str(at), f"expected {says}")
    return copy_json(value)


def _listed(value: Json, at: Pointer) -> list[Json]:
    if not isinstance(value, list):
        raise NotAConversation(str(at), f"expected a list, not {type(value).__name__}")
    return value


def _part(value: Json, tags: tuple[str, ...], at: Pointer) -> Part:
    tag = value.get(TAG) if isinstance(value, dict) else None
    if not isinstance(tag, str) or tag not in tags:
        raise NotAConversation(str(at), f"expected an object with a type of {', '.join(tags)}")
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
    "str": ("a string", lambda value: isinstance(value, str)),
    "str | None": ("a string or null", lambda value: value is None or isinstance(value, str)),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "bool | None": (
        "true, false or null",
        lambda value: value is None or isinstance(value, bool),
    ),
    "list[str]": (
        "a list of strings",
        lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
    ),
    "Json": ("JSON", lambda _: True),
    "Extras": ("null or an object of objects", _is_extras),
    **{name: (f"one of {', '.join(words)}", _one_of(words)) for name, words in WORDS.items()},
}
