"""Every text of a tool that a model or a person reads, with its place and its role."""

from __future__ import annotations

from functools import partial
from typing import Final, Literal, NamedTuple, TypeAlias

from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.references import Place

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
    for field in ("tags", "examples"):
        if value := said.get(field):
            _add_strings(out, value, (field,), "value")
    if grammar := said.get("grammar"):
        out.append(TextAt(Pointer(("grammar", "definition")), grammar.definition, "remark"))
    for format_id, kept in (said.get("extras") or {}).items():
        _add_strings(out, kept, ("extras", format_id), "remark")
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
