"""What a conversation with tools is, whoever wrote it: messages of parts.

Everything that more than one provider can say has a field of its own; what only one knows (cache
marks, signatures on a part, how an empty text was spelled) stands in ``extras`` under that
format's id, and only that format reads it. Fields are the truth: change one and the change is
written. Plain ``slots`` dataclasses, because a history has thousands of parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from toolcanon.errors import NotAConversation
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
        from toolcanon.ir.conversation_json import to_dict  # noqa: PLC0415 - which imports this

        return to_dict(self)

    @staticmethod
    def from_dict(document: JsonObject) -> Conversation:
        """The way back. Raises NotAConversation with a place."""
        from toolcanon.ir.conversation_json import from_dict  # noqa: PLC0415 - which imports this

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
