"""A walk over a tool: every text that a model reads, every parameter, each once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias

from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema import Upgraded
from toolcanon.schema.cached_property import kept
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.malformed import Flaw, lost_references
from toolcanon.schema.references import REFERENCES, Place, subschemas
from toolcanon.text.hidden_text import Hidden, has_long_run, hidden, without_classes
from toolcanon.text.homoglyphs import is_plain, reading, spaced
from toolcanon.text.injection_phrases import FoundPhrase, Wordings, possible, said, words_in

Role: TypeAlias = Literal[
    "name", "title", "description", "parameter", "value", "reference", "remark"
]
"""The role of a text: the name of a tool or a server, a title, a description, the name of a
parameter, a value (of an enum, a default, an example), an address of a schema, or anything else
that is sent along."""

_ROLES: Final[dict[str, Role]] = {
    "title": "title",
    "description": "description",
    "default": "value",
    "const": "value",
    "enum": "value",
    "examples": "value",
    "example": "value",
    "$ref": "reference",
    "$dynamicRef": "reference",
    "$recursiveRef": "reference",
}
_NAME: Final = Pointer(("name",))
_FIELDS: Final[tuple[tuple[str, Role, Pointer], ...]] = (
    ("namespace", "name", Pointer(("namespace",))),
    ("title", "title", Pointer(("title",))),
    ("description", "description", Pointer(("description",))),
    ("category", "remark", Pointer(("category",))),
    ("version", "remark", Pointer(("version",))),
)
_FOR_MACHINES: Final = frozenset({"required", "type", "format", "$schema", "$id"})
_KNOWN: Final = frozenset(
    """
    $anchor $comment $dynamicAnchor $recursiveAnchor $vocabulary dependentRequired deprecated
    exclusiveMaximum exclusiveMinimum maxContains maxItems maxLength maxProperties maximum
    minContains minItems minLength minProperties minimum multipleOf nullable pattern readOnly
    uniqueItems writeOnly contentEncoding contentMediaType
    """.split()
) | frozenset(_ROLES)
"""Keywords that are not text themselves; any other key is."""
_pointer: Final = partial(tuple.__new__, Pointer)
"""Makes pointers from tuples without a Python call: a tool has many."""


class TextAt(NamedTuple):
    """One text with its place and its role."""

    at: Pointer
    text: str
    role: Role

    @property
    def is_pattern(self) -> bool:
        """Whether it is a regular expression, which spells characters out."""
        return self.at[-1] == "pattern" or "patternProperties" in self.at[-2:-1]


_text: Final = partial(tuple.__new__, TextAt)
"""Makes texts without a Python call."""


def texts_of(tool: CanonicalTool) -> tuple[TextAt, ...]:
    """Return the texts of a tool: its own, those of its schemas, then those of other fields."""
    said = tool.__dict__
    out = [TextAt(_NAME, tool.name, "name")]
    for field, role, place in _FIELDS:
        if isinstance(text := said.get(field), str) and text:
            out.append(TextAt(place, text, role))
    for side in ("inputs", "outputs"):
        if schema := said.get(side):
            _add_inner(out, schema, (side,))
    for name in ("tags", "examples"):
        if value := said.get(name):
            _add_strings(out, value, (name,), "value")
    if grammar := said.get("grammar"):
        out.append(TextAt(Pointer(("grammar", "definition")), grammar.definition, "remark"))
    for format_id, extras in (said.get("extras") or {}).items():
        _add_strings(out, extras, ("extras", format_id), "remark")
    return tuple(out)


def _add_schema(out: list[TextAt], schema: JsonObject, at: Place) -> None:
    """Add the texts of a schema with the names of its members, without machine-readable words."""
    for key, value in schema.items():
        position = POSITIONS.get(key)
        if position is not None:
            _add_held(out, key, value, position, at)
        elif key in _FOR_MACHINES:
            if not _is_plain(value):
                _add_strings(out, value, (*at, key), "remark")
        else:
            place = (*at, key)
            if key not in _KNOWN:
                out.append(_text((_pointer(place), key, "remark")))
            _add_strings(out, value, place, _ROLES.get(key, "remark"))


def _add_held(out: list[TextAt], key: str, value: Json, position: Position, at: Place) -> None:
    """Add the texts at a position for schemas, whether or not it holds one."""
    if position is Position.SCHEMA_MAP and isinstance(value, dict):
        role: Role = "parameter" if key == "properties" else "remark"
        for name, inner in value.items():
            place = (*at, key, name)
            out.append(_text((_pointer(place), name, role)))
            _add_inner(out, inner, place)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _add_inner(out, inner, (*at, key, index))
    else:
        _add_inner(out, value, (*at, key))


def _add_inner(out: list[TextAt], value: Json, at: Place) -> None:
    if isinstance(value, dict):
        _add_schema(out, value, at)
    else:
        _add_strings(out, value, at, "remark")


def _is_plain(value: Json) -> bool:
    """Return whether only machines read this: a printable word, or a list of them."""
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return not isinstance(value, str) or (
        value.isascii() and value.isprintable() and " " not in value
    )


def _add_strings(out: list[TextAt], value: Json, at: Place, role: Role) -> None:
    """Add the texts in a value, keys included."""
    if isinstance(value, str):
        out.append(_text((_pointer(at), value, role)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _add_strings(out, item, (*at, index), role)
    elif isinstance(value, dict):
        for key, item in value.items():
            out.append(_text((_pointer((*at, key)), key, role)))
            _add_strings(out, item, (*at, key), role)


_NAMES: Final = frozenset({"name", "parameter"})
_HOLDING: Final = frozenset(POSITIONS)
_MOST_RUNS: Final = 5000
"""The number of runs inspected in one text; a text with more of them is reported by these."""


class ToolParameter(NamedTuple):
    """One declared member of the arguments, at any depth."""

    at: Pointer
    name: str
    schema: JsonObject
    """As JSON Schema 2020-12; empty for ``true``."""
    is_required: bool
    level: int
    """The number of objects around it; 1 at the top."""


class ToolView:
    """One tool under examination."""

    def __init__(self, tool: CanonicalTool) -> None:
        self.tool = tool

    @property
    def name(self) -> str:
        return self.tool.id

    @property
    def is_function(self) -> bool:
        """Whether it takes arguments by name; built-in and free-text tools have no schema."""
        return self.tool.kind is Kind.FUNCTION

    @kept
    def inputs(self) -> Upgraded:
        """The schema of the arguments as JSON Schema 2020-12, and what was rewritten for it."""
        return self.tool.upgraded("inputs")

    @kept
    def outputs(self) -> Upgraded | None:
        """The schema of the results, upgraded in the same way; None where there is none."""
        return self.tool.upgraded("outputs") if self.tool.__dict__.get("outputs") else None

    @property
    def schema(self) -> JsonObject:
        """The schema of the arguments as JSON Schema 2020-12."""
        return self.inputs.schema

    @kept
    def nodes(self) -> tuple[tuple[Pointer, JsonObject], ...]:
        """Every object schema of the arguments with its place, the root first."""
        return tuple(_nodes(self.schema, ("inputs",)))

    @kept
    def answers(self) -> tuple[tuple[Pointer, JsonObject], ...]:
        """Every object schema of the results with its place, the root first."""
        return () if self.outputs is None else tuple(_nodes(self.outputs.schema, ("outputs",)))

    @kept
    def lost_references(self) -> tuple[tuple[Pointer, Flaw], ...]:
        """References of both schemas that have no target or lead back to themselves."""
        return tuple(
            (Pointer((str(nodes[0][0][0]), *flaw.at)), flaw)
            for nodes in (self.nodes, self.answers)
            if any(key in node for _, node in nodes for key in REFERENCES)
            for flaw in lost_references(nodes[0][1])
        )

    @kept
    def parameters(self) -> tuple[ToolParameter, ...]:
        """Every declared member, in order."""
        return tuple(_parameters(self.schema, ("inputs",), 1))

    @kept
    def texts(self) -> tuple[TextAt, ...]:
        """Every text that reaches a model or a person: names, titles, descriptions, values."""
        return texts_of(self.tool)

    @kept
    def joined(self) -> str:
        """All texts joined: what this one lacks need not be searched for in each."""
        return " ".join([text.text for text in self.texts])

    @kept
    def unusual(self) -> tuple[TextAt, ...]:
        """The texts with characters other than printable ASCII."""
        if is_plain(self.joined):
            return ()
        return tuple([text for text in self.texts if not is_plain(text.text)])

    @kept
    def hidden(self) -> tuple[tuple[TextAt, tuple[Hidden, ...]], ...]:
        """The texts with invisible characters, and those characters."""
        found = [(text, tuple(islice(_hidden(text), _MOST_RUNS))) for text in self.unusual]
        return tuple([(text, runs) for text, runs in found if runs])

    @kept
    def readings(self) -> tuple[str, ...]:
        """Each text as a model reads it, in the same order; see ``toolcanon.text.homoglyphs``."""
        return tuple(
            [
                reading(spaced(text.text) if text.role in _NAMES else text.text)
                for text in self.texts
            ]
        )

    @kept
    def words(self) -> str:
        """All readings joined."""
        if not self.joined.isascii():
            return " ".join(self.readings)
        names = [spaced(text.text) for text in self.texts if text.role in _NAMES]
        return reading(" ".join((self.joined, *names)))

    @kept
    def vocabulary(self) -> frozenset[str]:
        """The words of all readings."""
        return words_in(self.words)

    @kept
    def has_long_run(self) -> bool:
        """Whether any word is long enough for a key or an encoded sentence."""
        return has_long_run(self.joined)

    def saying(self, wordings: Wordings) -> Iterator[tuple[TextAt, FoundPhrase]]:
        """Yield the texts with one of these wordings."""
        wanted = possible(wordings, self.words, self.vocabulary)
        if wanted:
            for text, words in zip(self.texts, self.readings, strict=True):
                for found in said(words, wanted):
                    yield text, found


def _hidden(text: TextAt) -> Iterator[Hidden]:
    """Yield hidden characters; not in regular expressions, whose classes contain them openly."""
    return hidden(without_classes(text.text) if text.is_pattern else text.text)


def _nodes(schema: Json, at: Place) -> Iterator[tuple[Pointer, JsonObject]]:
    if isinstance(schema, dict):
        yield Pointer(at), schema
        if not _HOLDING.isdisjoint(schema):
            for place, inner in subschemas(schema):
                yield from _nodes(inner, (*at, *place))


def _parameters(schema: Json, at: Place, level: int) -> Iterator[ToolParameter]:
    if not isinstance(schema, dict) or _HOLDING.isdisjoint(schema):
        return
    members, required = schema.get("properties"), schema.get("required")
    wanted = required if isinstance(required, list) else []
    for name, member in members.items() if isinstance(members, dict) else ():
        known = member if isinstance(member, dict) else {}
        yield ToolParameter(Pointer((*at, "properties", name)), name, known, name in wanted, level)
    for place, inner in subschemas(schema):
        deeper = level + (place[0] == "properties")
        yield from _parameters(inner, (*at, *place), deeper)
