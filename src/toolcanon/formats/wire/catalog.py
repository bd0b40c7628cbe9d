"""Catalogs that keep parameters as lists or maps, and no schema: both ways.

A reader builds the schema. A writer takes it apart again where it is no more than members and which
of them are required; any other schema is written whole, so nothing is lost. How a definition had
spelled its part is kept where writing would not give the same, and put back as long as it still
says what the tool says.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Final

from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire.extras import ABSENT, GUESSES, WRITTEN, notes
from toolcanon.formats.wire.texts import object_in_text
from toolcanon.jsonio.types import Json, JsonObject

_PARTS: Final = frozenset({"type", "properties", "required"})


def object_schema(members: JsonObject, required: list[Json] | None = None) -> JsonObject:
    """The schema of an object with these members."""
    schema: JsonObject = {"type": "object", "properties": members}
    if required:
        schema["required"] = required
    return schema


def members_of(schema: JsonObject) -> tuple[JsonObject, list[str]] | None:
    """Members and required names, in their order; None for a schema that says anything else."""
    members, required = schema.get("properties"), schema.get("required", ())
    if not schema.keys() <= _PARTS or schema.get("type") != "object":
        return None
    if not isinstance(members, dict) or not all(isinstance(one, dict) for one in members.values()):
        return None
    if "required" in schema and not _names_some(required, members):
        return None
    return members, list(required)


def _names_some(required: Json, members: JsonObject) -> bool:
    """Whether it is a list of members, none of them twice and not empty."""
    return (
        isinstance(required, list)
        and bool(required)
        and all(isinstance(name, str) and name in members for name in required)
        and len(set(required)) == len(required)
    )


def object_at(row: JsonObject, key: str, format_id: str) -> JsonObject:
    """The object under a key, be it spelled as text; nothing where there is none."""
    value = row.get(key)
    found = object_in_text(value) if isinstance(value, str) else value
    if isinstance(found, dict):
        return found
    if value:
        raise UnreadableTool(format_id, f"/{key}", f"{key} must be an object of parameters")
    return {}


def entries_at(row: JsonObject, key: str, format_id: str) -> Iterator[tuple[str, str, JsonObject]]:
    """The parameters of a list: where each stands, its name, and what else is said of it."""
    entries = row.get(key) or []
    if not isinstance(entries, list):
        raise UnreadableTool(format_id, f"/{key}", f"{key} must be a list of parameters")
    for index, entry in enumerate(entries):
        at = f"/{key}/{index}"
        if not isinstance(entry, dict):
            raise UnreadableTool(format_id, at, "a parameter must be an object")
        name = entry.get("name")
        if not isinstance(name, str) or not name:
            reason = "a parameter needs a name that is not empty"
            raise UnreadableTool(format_id, f"{at}/name", reason)
        yield at, name, {word: value for word, value in entry.items() if word != "name"}


def guess(noted: JsonObject, at: str, why: str) -> None:
    """Tell what had to be guessed, and where."""
    noted.setdefault(GUESSES, []).append({"at": at, "why": why})


def without(row: JsonObject, keys: Container[str]) -> JsonObject:
    """The rest of a row."""
    return {key: value for key, value in row.items() if key not in keys}


def note_spelling(
    noted: JsonObject, definition: JsonObject, written: JsonObject, keys: Iterable[str]
) -> None:
    """Keep what writing would spell differently."""
    absent = [key for key in keys if key in written and key not in definition]
    spelled = {
        key: definition[key]
        for key in keys
        if key in definition and (key not in written or definition[key] != written[key])
    }
    if absent:
        noted[ABSENT] = absent
    if spelled:
        noted[WRITTEN] = spelled


def respell(
    written: JsonObject, own: JsonObject, still_says: Callable[[JsonObject], bool]
) -> JsonObject:
    """What was written as the definition had spelled it, unless it says something else by now."""
    noted = notes(own)
    absent, spelled = noted.get(ABSENT, ()), noted.get(WRITTEN, {})
    if not absent and not spelled:
        return written
    before = {key: value for key, value in written.items() if key not in absent} | spelled
    return before if still_says(before) else written
