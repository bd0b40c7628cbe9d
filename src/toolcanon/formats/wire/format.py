"""A format is a value: facts on top, four small functions below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from toolcanon.dialect import Dialect, NamePolicy, Source
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio.types import Json, JsonObject

if TYPE_CHECKING:
    from toolcanon.formats.wire.codec import Codec
    from toolcanon.naming.profiles import Profile


class Match(NamedTuple):
    """How much a definition looks like a format, and why. ``many``: it wraps several tools."""

    score: float
    evidence: str
    many: bool = False


class Wire(NamedTuple):
    """What a writer needs beside the tool: everything that lowering decided."""

    name: str
    inputs: JsonObject
    outputs: JsonObject
    verbatim: bool
    strict: bool | None = None
    """What the tool is to say of strictness; None for nothing."""
    dialect: Dialect | None = None
    """What its schemas were lowered to."""
    namespace: str | None = None
    """What its namespace is called there; None where it has none or the name holds it."""


def each(items: Sequence[tuple[CanonicalTool, JsonObject]]) -> Json:
    """The usual way to hand over many tools: a list."""
    return [item for _, item in items]


def beside(tools: Json, strict: bool) -> JsonObject:  # noqa: FBT001
    """The usual way to hand tools over in a request."""
    del strict
    return {"tools": tools}


def codec_beside(module: str) -> Callable[[], Codec]:
    """The codec in ``messages`` beside a module, loaded late: only conversations need it."""

    def load() -> Codec:
        found: Codec = import_module(f"{module.rpartition('.')[0]}.messages").CODEC
        return found

    return load


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Format:
    """How one provider wraps tools.

    Readers rename keys and unwrap; they never rewrite schemas. What they do not understand goes
    to ``extras`` under their id, so that writing back loses nothing. All functions are pure.
    """

    id: str
    title: str
    sources: tuple[Source, ...] = ()
    known_as: tuple[str, ...] = ()
    """Names that people use for it in lower case: they get a suggestion, not a conversion."""

    signals: frozenset[str]
    """Keys whose presence makes it worth asking ``sniff``."""
    anywhere: bool = False
    """Whether it is also worth asking when no key is a signal to anybody: records by name."""
    sniff: Callable[[JsonObject], Match | None]
    rank: int = 9
    """Who wins between equal scores: the lower."""
    containers: tuple[tuple[str, ...], ...] = ()
    """Where wrappers and request bodies of this provider keep tools; ``*`` is every element."""
    adopt: Callable[[Any], JsonObject | None] | None = None
    """Turns a live object of this provider's library into a definition, without importing it."""

    read: Callable[[JsonObject], CanonicalTool]
    spread: Callable[[JsonObject], list[CanonicalTool]] | None = None
    """Reads a definition that wraps several tools."""
    write: Callable[[CanonicalTool, Wire], JsonObject] | None = None
    """None for a format that can only be read."""
    needs: frozenset[str] = frozenset()
    """Keys without which a tool is refused there, and which no other format has a word for."""
    is_regular: bool = False
    """Whether what it drops of a tool follows from the tool's keys alone (``predicted_losses``)."""
    schema_signals: frozenset[str] = frozenset()
    """Keywords at the root of a schema that make its reader see another of its shapes."""
    carries: frozenset[str] = frozenset()
    """Keys of its own that tools in the envelopes of others carry for it."""
    is_document: bool = False
    """Whether tools are parts of a document, so that what is around one is not about it."""
    assemble: Callable[[Sequence[tuple[CanonicalTool, JsonObject]]], Json] = each

    request: Callable[[Json, bool], JsonObject] = beside
    """All tools, and whether strictness was asked for, as arguments of the SDK's call."""
    force: Callable[[str, bool], Json] | None = None
    """The choice of one tool by its name there; the flag tells a free-text tool."""

    codec: Callable[[], Codec] | None = None
    """How it writes conversations; loaded when somebody asks."""

    dialects: tuple[Dialect, ...] = ()
    """What it accepts of JSON Schema, the usual one first; none for a format that takes all."""
    names: NamePolicy | None = None
    """Legal tool names; None when anything goes."""
    namespaces: bool = False
    """Whether tools can be grouped; elsewhere the namespace becomes part of the name."""
    calls_name_spaces: bool = False
    """Whether calls name the namespace, which then has to be a legal name."""
    is_catalog: bool = False
    """Whether its groups are those of a catalog, which no model is shown as namespaces."""
    naming: Profile | None = None
    """The names that tools go by there; set for one way of asking, never by a format itself."""
    kinds: frozenset[Kind] = field(default=frozenset({Kind.FUNCTION}))
    """The kinds of any origin it can express; its own built-in tools are always written back."""


class WritableFormat(Protocol):
    """A format that can be written, as the registry hands it out."""

    def __hash__(self) -> int: ...
    @property
    def id(self) -> str: ...
    @property
    def sniff(self) -> Callable[[JsonObject], Match | None]: ...
    @property
    def read(self) -> Callable[[JsonObject], CanonicalTool]: ...
    @property
    def spread(self) -> Callable[[JsonObject], list[CanonicalTool]] | None: ...
    @property
    def write(self) -> Callable[[CanonicalTool, Wire], JsonObject]: ...
    @property
    def needs(self) -> frozenset[str]: ...
    @property
    def is_regular(self) -> bool: ...
    @property
    def schema_signals(self) -> frozenset[str]: ...
    @property
    def carries(self) -> frozenset[str]: ...
    @property
    def assemble(self) -> Callable[[Sequence[tuple[CanonicalTool, JsonObject]]], Json]: ...
    @property
    def request(self) -> Callable[[Json, bool], JsonObject]: ...
    @property
    def force(self) -> Callable[[str, bool], Json] | None: ...
    @property
    def dialects(self) -> tuple[Dialect, ...]: ...
    @property
    def names(self) -> NamePolicy | None: ...
    @property
    def namespaces(self) -> bool: ...
    @property
    def calls_name_spaces(self) -> bool: ...
    @property
    def is_catalog(self) -> bool: ...
    @property
    def naming(self) -> Profile | None: ...
    @property
    def kinds(self) -> frozenset[Kind]: ...
