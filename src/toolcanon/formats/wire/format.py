"""A format: how one provider wraps tools, and the keys that it keeps aside.

Left-over keys are stored unchanged under the format's id. Notes on the definition itself (the
spelling of empty values, keys with another name …) are beside them under one key of ours, ``$``; a
left-over key that looks like it is escaped, so that no definition can forge a note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from toolcanon.dialect import Dialect, NamePolicy, Source
from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire.text_data import object_in_text
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio.types import Json, JsonObject

if TYPE_CHECKING:
    from toolcanon.formats.wire.codec import Codec
    from toolcanon.naming.profiles import Profile


@contextmanager
def located(under: str) -> Iterator[None]:
    """Put the place of a part before the place that its reader reports."""
    try:
        yield
    except UnreadableTool as error:
        raise UnreadableTool(error.format, f"{under}{error.at}", error.reason) from None


def as_object(item: Json, format_id: str) -> JsonObject:
    """Return the item, if it is an object; SDK objects inside wrappers are dumped."""
    if not isinstance(item, dict) and hasattr(item, "model_dump"):
        item = item.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if not isinstance(item, dict):
        raise UnreadableTool(format_id, "", "a tool must be an object")
    return item


def no_parameters() -> JsonObject:
    """Return a schema for a tool without parameters; its owner may change it."""
    return {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True)
class Match:
    """How much a definition looks like a format, and why. ``many``: it wraps several tools."""

    score: float
    evidence: str
    many: bool = False


@dataclass(slots=True)
class LoweredTool:
    """What a writer needs beside the tool: everything that lowering decided. Not to be changed."""

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
    """Return the usual way to hand over many tools: a list."""
    return [item for _, item in items]


def beside(tools: Json, strict: bool) -> JsonObject:  # noqa: FBT001
    """Return the usual way to hand tools over in a request."""
    del strict
    return {"tools": tools}


def codec_beside(module: str) -> Callable[[], Codec]:
    """Return the codec in ``messages`` beside a module, loaded late: only conversations need it."""

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
    write: Callable[[CanonicalTool, LoweredTool], JsonObject] | None = None
    """None for a format that can only be read."""
    needs: frozenset[str] = frozenset()
    """Keys without which the target rejects a tool, and which no other format has."""
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
    """All tools, and whether strict mode was requested, as arguments of the SDK's call."""
    force: Callable[[str, bool], Json] | None = None
    """Returns the choice of one tool by its wire name; the flag is true of a free-text tool."""

    codec: Callable[[], Codec] | None = None
    """The codec of its conversations; loaded on first use."""

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
    def write(self) -> Callable[[CanonicalTool, LoweredTool], JsonObject]: ...
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


Accepts: TypeAlias = Callable[[Json], bool]
Known: TypeAlias = Mapping[str, Accepts]
"""The leftover keys a provider knows, each with the values it takes."""


def anything(value: Json) -> bool:
    """Accept any value."""
    del value
    return True


def of_type(*types: type) -> Accepts:
    """Return a test for values of these JSON types, exactly (a boolean is not a number)."""
    return lambda value: type(value) in types


def one_of(*values: Json) -> Accepts:
    """One of a few scalars; 1 is not True."""
    return lambda value: any(type(value) is type(known) and value == known for known in values)


def list_of(accepts: Accepts) -> Accepts:
    """Return a test for lists whose every element is accepted."""
    return lambda value: isinstance(value, list) and all(map(accepts, value))


def members(required: Known, optional: Known | None = None) -> Accepts:
    """Return a test for objects with these members and no others."""
    known = {**required, **(optional or {})}
    return lambda value: (
        isinstance(value, dict)
        and required.keys() <= value.keys() <= known.keys()
        and all(known[key](item) for key, item in value.items())
    )


def either(*choices: Accepts) -> Accepts:
    """Return a function that accepts what one of these accepts."""
    return lambda value: any(accepts(value) for accepts in choices)


NOTES: Final = "$"

SPELLING: Final = "spelling"
"""Keys with values that say nothing: null, "", {}."""
ABSENT: Final = "absent"
"""Required keys of the format that were missing."""
KEYS: Final = "keys"
"""Our name of a key -> the one it went by."""
SHAPE: Final = "shape"
"""Which of the format's shapes the definition had."""
AROUND: Final = "around"
"""The keys of the wrapper around the definition."""
GROUP: Final = "group"
"""The keys of the namespace around the tool."""
BUILTIN: Final = "builtin"
"""A built-in tool, whole."""
TEXT: Final = "text"
"""Keys whose object came as a text, and that text."""
BESIDE: Final = "beside"
"""The key of a schema, and the keywords that were beside it."""
WRITTEN: Final = "written"
"""Keys that a catalog had spelled otherwise than we would, as they were."""
GUESSES: Final = "guesses"
"""What had to be guessed in reading: where, and why."""

_KINDS: Final[dict[str, type]] = {
    SPELLING: dict,
    ABSENT: list,
    KEYS: dict,
    SHAPE: str,
    AROUND: dict,
    GROUP: dict,
    BUILTIN: dict,
    TEXT: dict,
    BESIDE: dict,
    WRITTEN: dict,
    GUESSES: list,
}
_NOTHING: Final[JsonObject] = {}


def own_extras(tool: CanonicalTool, format_id: str) -> JsonObject:
    """This format's entry, empty when there is none. Not to be changed."""
    extras = tool.__dict__.get("extras")
    return extras.get(format_id, _NOTHING) if extras else _NOTHING


def notes(own: JsonObject) -> JsonObject:
    """Return our notes on the definition. Not to be changed."""
    return own.get(NOTES, _NOTHING)  # type: ignore[no-any-return]  # checked where it came in


def keep_aside(left: JsonObject, noted: JsonObject) -> JsonObject:
    """Return a format's entry from ``left``: keys like ours are escaped, notes are added."""
    for key in left:
        if key.__class__ is str and key[:1] == NOTES and _looks_like_ours(key):
            left = {f"{key}$" if _looks_like_ours(key) else key: left[key] for key in left}
            break
    if noted:
        left[NOTES] = noted
    return left


def _looks_like_ours(key: object) -> bool:
    return isinstance(key, str) and bool(key) and not key.strip("$")


def is_spelled(own: JsonObject, key: str) -> bool:
    """Return whether the source left a key out or empty in a way that verbatim writing repeats."""
    noted = notes(own)
    return key in noted.get(SPELLING, ()) or key in noted.get(ABSENT, ())


def unknown_extras(own: JsonObject, known: Iterable[str]) -> JsonObject:
    """Return the leftover keys that a format has no field for, as they were spelled."""
    return {
        key[:-1] if _looks_like_ours(key) else key: value
        for key, value in own.items()
        if key != NOTES and key not in known
    }


def carried(tool: CanonicalTool, known: Known) -> JsonObject:
    """Keys that the envelope of another format carried, beside the definition or inside it."""
    found: JsonObject = {}
    wanted = known.keys()
    for kept in tool.__dict__.get("extras", _NOTHING).values():
        if not wanted.isdisjoint(kept):
            _carry(kept, known, found)
        if NOTES in kept and AROUND in kept[NOTES]:
            _carry(kept[NOTES][AROUND], known, found)
    return found


def _carry(held: JsonObject, known: Known, found: JsonObject) -> None:
    for key, accepts in known.items():
        if held.get(key) is not None and accepts(held[key]):
            found.setdefault(key, held[key])


def restore_extras(out: JsonObject, own: JsonObject, known: Known, *, verbatim: bool) -> JsonObject:
    """Put leftover keys back: all of them verbatim, otherwise what the provider accepts."""
    if not verbatim:
        for key, accepts in known.items():
            if key in own and key not in out and accepts(own[key]):
                out[key] = own[key]
        return out
    noted = notes(own)
    renamed = noted.get(KEYS)
    if renamed:
        out = {renamed.get(key, key): value for key, value in out.items()}
    for key, value in own.items():
        if key != NOTES:
            out.setdefault(key[:-1] if _looks_like_ours(key) else key, value)
    for key, value in noted.get(SPELLING, _NOTHING).items():
        out.setdefault(key, value)
    if BESIDE in noted or TEXT in noted:
        _restore_schemas(out, noted)
    return out


def _restore_schemas(out: JsonObject, noted: JsonObject) -> None:
    """Put keywords back beside their schema, and the text in its place that still spells it."""
    for key, names in noted.get(BESIDE, _NOTHING).items():
        schema = out.get(key)
        if isinstance(schema, dict):
            out[key] = {name: value for name, value in schema.items() if name not in names}
            for name in names:
                if name in schema:
                    out.setdefault(name, schema[name])
    for key, text in noted.get(TEXT, _NOTHING).items():
        if key in out and isinstance(text, str) and object_in_text(text) == out[key]:
            out[key] = text


def check_extras(extras: Json) -> None:
    """Raise for notes of the wrong form: documents and receipts can be edited by anyone."""
    for format_id, own in extras.items():
        noted = own.get(NOTES, {})
        at = f"/extras/{format_id}/{NOTES}"
        if not isinstance(noted, dict):
            raise UnreadableTool("canonical", at, "notes must be an object")
        for name, value in noted.items():
            if name not in _KINDS or not isinstance(value, _KINDS[name]):
                raise UnreadableTool("canonical", f"{at}/{name}", "unknown or of the wrong type")
        names = [*noted.get(ABSENT, ()), *noted.get(KEYS, {}).values()]
        for beside in noted.get(BESIDE, {}).values():
            names += beside if isinstance(beside, list) else [beside, None]
        if not all(isinstance(name, str) for name in names):
            reason = f"{ABSENT}, {KEYS} and {BESIDE} hold names of keys"
            raise UnreadableTool("canonical", at, reason)
        for guessed in noted.get(GUESSES, ()):
            if not isinstance(guessed, dict) or guessed.keys() != {"at", "why"}:
                raise UnreadableTool(
                    "canonical", at, f"{GUESSES} must hold a place and a reason each"
                )
