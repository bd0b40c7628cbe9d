"""A stream in steps that every provider has: words, and calls that begin, grow and end.

Readers take one provider's events apart into steps, writers make another's events of them, and
patches change calls within the events of one provider and leave everything else alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject

Key: TypeAlias = int
"""Which call of the stream is meant."""


class Opened(NamedTuple):
    """Somebody answers."""

    id: str | None
    model: str | None


class Said(NamedTuple):
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


Step: TypeAlias = Opened | Said | Begun | Piece | Ended


class StepReader(Protocol):
    """Takes events apart. What is no step (thoughts, counts) whoever accumulates knows."""

    def steps(self, event: JsonObject) -> list[Step]:
        """What one event says."""


class EventWriter(Protocol):
    """Writes events. One call is written at a time."""

    def write(self, step: Step) -> list[JsonObject]:
        """The events of one step."""

    def finish(self, body: JsonObject) -> list[JsonObject]:
        """The last events. ``body`` is the whole answer, had it come at once."""


class Back(Protocol):
    """How a model's calls come back to whoever registered the tools."""

    @property
    def own_tools(self) -> Json:
        """The tools as they stood in the request before; None when they are what was sent."""

    @property
    def own_choice(self) -> Json:
        """The same for the choice among them."""

    def name(self, name: str, namespace: str | None = None) -> str:
        """The tool's own name."""

    def is_held(self, name: str, namespace: str | None = None) -> bool:
        """Whether arguments come back otherwise, so that pieces of them are of no use."""

    def value(self, name: str, arguments: Json, namespace: str | None = None) -> Json:
        """The tool's own arguments; what cannot be read stays as it is."""

    def text(self, name: str, arguments: str, namespace: str | None = None) -> str:
        """The same for arguments that travel as text."""


class Patcher(Protocol):
    """Changes the calls in the events of one stream."""

    def patch(self, event: JsonObject) -> list[JsonObject]:
        """What stands for an event: the very same object where nothing changes."""

    def close(self) -> list[JsonObject]:
        """What was held back when the stream ends without its end."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Patch:
    """How one provider's answers are changed in flight."""

    answer: Callable[[JsonObject, Back], JsonObject]
    """A whole body; the very same object where nothing changes."""
    events: Callable[[Back], Patcher]
    echoes: bool = False
    """Whether answers repeat the tools of the request."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flow:
    """How one provider streams."""

    read: Callable[[], StepReader]
    write: Callable[[], EventWriter]
    usage: str
    """Where an answer counts tokens,"""
    counts: tuple[str, str, str]
    """and what it calls those read, those written, and all of them; "" for what it does not."""
    needs_ids: bool = True
    """Whether every call has an id."""
    joint: str | None = "_"
    """What stands between namespace and name; None where they stand apart."""
    free_text: bool = False
    """Whether a call can be a text."""
    last: str = ""
    """The data of a last event that is no payload."""
    is_sse: bool = True
    """Whether events go over the wire as server-sent ones."""


def text_of(value: Json) -> str | None:
    """A text that says something; None for anything else."""
    return value if isinstance(value, str) and value else None
