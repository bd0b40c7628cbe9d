"""Names, descriptions and schemas that a definition gives a second time, and differently.

A reader takes one of them; which one the author meant cannot be known. They are found among what
the reader left over, so no format has to look for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from toolcanon.formats.wire.extras import AROUND, NOTES, notes
from toolcanon.formats.wire.texts import object_in_text
from toolcanon.formats.wire.unread import PARAMETERS, holds_parameters, letters_of
from toolcanon.ir import CanonicalTool, Kind, stated_hints
from toolcanon.jsonio.types import Json, JsonObject

Field: TypeAlias = Literal["name", "description", "inputs", "outputs", "hint"]
_RESULTS: Final = frozenset({"outputschema", "returnschema", "resultschema", "responseschema"})
_WRAPPERS: Final = ({"json"}, {"jsonSchema"}, {"schema"})
_TEXTS: Final[tuple[Literal["name", "description"], ...]] = ("name", "description")


class Rival(NamedTuple):
    """A part of a definition that was not read, because another one says it differently."""

    at: tuple[str, ...]
    """Its place in the canonical tool."""
    field: Field
    """What it is about."""
    value: Json


def rivals(tool: CanonicalTool) -> Iterator[Rival]:
    """The parts that differ from what was read. Parts that say the same are not among them."""
    said = tool.__dict__
    if "extras" not in said or said.get("kind", Kind.FUNCTION) is not Kind.FUNCTION:
        return
    for format_id, own in said["extras"].items():
        at = ("extras", format_id)
        for key, value in own.items():
            if key != NOTES and (field := _schema_field(key, value, said)):
                yield Rival((*at, key), field, value)
        for key, value in notes(own).get(AROUND, {}).items():
            place = (*at, NOTES, AROUND, key)
            if field := _schema_field(key, value, said):
                yield Rival(place, field, value)
            elif key in _TEXTS and isinstance(value, str) and value not in {"", said.get(key)}:
                yield Rival(place, key, value)
            elif value.__class__ is bool and stated_hints(tool).get(key, value) is not value:
                yield Rival(place, "hint", value)


def may_rival(key: str) -> bool:
    """Whether a leftover key, by its name, may give a schema a second time."""
    letters = letters_of(key)
    return letters in PARAMETERS or letters in _RESULTS


def _schema_field(key: str, value: Json, said: JsonObject) -> Field | None:
    letters = letters_of(key)
    field: Field = "inputs" if letters in PARAMETERS else "outputs"
    if field == "outputs" and letters not in _RESULTS:
        return None
    schema = _schema(value)
    if not isinstance(schema, dict):
        return None
    if schema.get("type") != "object" and not holds_parameters(schema):
        return None
    return field if schema != said.get(field) else None


def _schema(value: Json) -> Json:
    """The schema itself, without the wrapper or the text that it may be in."""
    found = object_in_text(value) if isinstance(value, str) else value
    if isinstance(found, dict) and found.keys() in _WRAPPERS:
        (found,) = found.values()
    return found
