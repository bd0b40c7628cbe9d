"""Readers of flat definitions: name, description and parameters beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from toolcanon.errors import LimitExceeded, UnreadableTool
from toolcanon.formats.wire.format import BESIDE, BUILTIN, NOTES, SPELLING, TEXT, keep_aside
from toolcanon.formats.wire.text_data import object_in_text
from toolcanon.ir import STATED_HINTS, CanonicalTool, Grammar, Kind, stated_hints, trusted_tool
from toolcanon.jsonio import LONGEST_NAME
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.upgrade.property_maps import property_map

TEXT_SCHEMA: JsonObject = {"type": "string"}


def read_grammar(said: JsonObject, left: JsonObject, noted: JsonObject, *, nested: bool) -> None:
    """Turn a leftover ``format`` into the grammar it states; the schema of the input is a text."""
    said["kind"] = Kind.FREEFORM
    said["inputs"] = dict(TEXT_SCHEMA)
    if "format" not in left:
        return
    stated = left.pop("format")
    grammar = _grammar(stated, nested=nested)
    if grammar is not None:
        said["grammar"] = grammar
    elif stated is None or stated == {"type": "text"}:
        noted.setdefault(SPELLING, {})["format"] = stated  # the default, spelled out
    else:
        left["format"] = stated


def _grammar(stated: Json, *, nested: bool) -> Grammar | None:
    inner = stated.get("grammar") if nested and isinstance(stated, dict) else stated
    expected = {"syntax", "definition"} if nested else {"type", "syntax", "definition"}
    if (
        not isinstance(inner, dict)
        or inner.keys() != expected
        or stated.get("type") != "grammar"
        or (nested and len(stated) > len({"type", "grammar"}))
        or not isinstance(inner["syntax"], str)
        or not isinstance(inner["definition"], str)
    ):
        return None
    return Grammar(syntax=inner["syntax"], definition=inner["definition"])


def write_grammar(tool: CanonicalTool, out: JsonObject, *, nested: bool) -> None:
    """State the grammar, if the tool has one."""
    grammar = tool.grammar
    if grammar is None:
        return
    body = {"syntax": grammar.syntax, "definition": grammar.definition}
    out["format"] = {"type": "grammar", "grammar": body} if nested else {"type": "grammar", **body}


def as_parameter() -> JsonObject:
    """Return the schema of a function that takes the text as its only argument."""
    return {
        "type": "object",
        "properties": {"input": dict(TEXT_SCHEMA)},
        "required": ["input"],
    }


ANNOTATIONS: Final = "annotations"
HINTS: Final = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}


def read_annotations(left: JsonObject, said: JsonObject, noted: JsonObject) -> None:
    """The four hints go where every format looks; ``title`` and the rest stay as they are."""
    stated = left[ANNOTATIONS]
    if not isinstance(stated, dict):
        return
    del left[ANNOTATIONS]
    if not stated:
        noted.setdefault(SPELLING, {})[ANNOTATIONS] = stated
        return
    hints: dict[str, bool] = {}
    rest: JsonObject = {}
    for key, value in stated.items():
        name = HINTS.get(key)
        if name is not None and value.__class__ is bool:
            hints[name] = value
        else:
            rest[key] = value
    if hints:
        said[STATED_HINTS] = hints
    if rest:
        left[ANNOTATIONS] = rest


def write_annotations(
    tool: CanonicalTool, own: JsonObject, out: JsonObject, *, verbatim: bool
) -> None:
    """Restore the four hints to the annotations."""
    hints = stated_hints(tool)
    more = own.get(ANNOTATIONS)
    more = more if isinstance(more, dict) else {}
    if hints or more:
        annotations = {key: hints[name] for key, name in HINTS.items() if name in hints}
        annotations |= {
            key: value
            for key, value in more.items()
            if verbatim or (key not in HINTS and (key != "title" or isinstance(value, str)))
        }
        if annotations:
            out[ANNOTATIONS] = annotations


class _Unknown:
    """The type of a value under a key that a format does not have."""


_NO_SLOT: Final[tuple[str, type]] = ("", _Unknown)


class Slots(NamedTuple):
    """A reader's table: where each key of the format goes, and of which JSON type it must be."""

    fields: Mapping[str, tuple[str, type]]
    hints: Mapping[str, str]


def reading(
    fields: Mapping[str, tuple[str, type]], hints: Mapping[str, str] | None = None
) -> Slots:
    """Make a table; a hint is always a boolean."""
    return Slots(fields, hints or {})


def take(
    definition: JsonObject, slots: Slots, format_id: str, under: str = ""
) -> tuple[JsonObject, JsonObject, JsonObject]:
    """Split a definition into our fields, left-over keys, and notes.

    Null and empty values mean absent: they are noted as a spelling. A schema or a name of the wrong
    type is an error, any other value of the wrong type is left over unchanged. ``under`` is the
    place of the definition in its wrapper, for errors.
    """
    fields, hints = slots
    slot_of = fields.get
    said: JsonObject = {}
    left: JsonObject = {}
    noted: JsonObject = {}
    stated: dict[str, bool] | None = None
    for key, value in definition.items():
        field, kind = slot_of(key, _NO_SLOT)
        if value.__class__ is kind and value:
            said[field] = value
        elif value.__class__ is bool and key in hints:
            stated = stated or {}
            stated[hints[key]] = value
        elif kind is _Unknown and (value is not None or key not in hints):
            left[key] = value
        elif value is None or (not value and value is not False):
            noted.setdefault(SPELLING, {})[key] = value
        elif isinstance(value, kind):  # a subclass: OrderedDict, StrEnum
            said[field] = value
        elif (spelled := _spelled_out(value, kind)) is not None:
            if spelled:
                said[field] = spelled
            noted.setdefault(TEXT if spelled else SPELLING, {})[key] = value
        elif field in {"name", "inputs"}:
            words = "a string" if kind is str else "a JSON Schema object"
            reason = f"{key} must be {words}, found {type(value).__name__}"
            raise UnreadableTool(format_id, f"{under}/{key}", reason)
        else:
            left[key] = value
    if stated is not None:
        said[STATED_HINTS] = stated
    if "required" in left and "inputs" in said:
        _take_required(definition, slots, said, left, noted)
    return said, left, noted


def _spelled_out(value: Json, wanted: type) -> JsonObject | None:
    """Return the object that a text holds in place of one; a blank text is an empty object."""
    if wanted is not dict or not isinstance(value, str):
        return None
    return object_in_text(value) if value.strip() else {}


def _take_required(
    definition: JsonObject, slots: Slots, said: JsonObject, left: JsonObject, noted: JsonObject
) -> None:
    """Catalogs put the names of required members beside the schema instead of into it."""
    schema, names = said["inputs"], left["required"]
    members = (property_map(schema) or schema).get("properties")
    if (
        "required" in schema
        or not isinstance(names, list)
        or not names
        or not isinstance(members, dict)
        or not all(isinstance(name, str) and name in members for name in names)
    ):
        return
    for key in definition:
        if slots.fields.get(key, ("",))[0] == "inputs" and definition[key]:
            said["inputs"] = {**schema, "required": left.pop("required")}
            noted[BESIDE] = {key: ["required"]}
            return


def build(  # noqa: PLR0913, PLR0917 - the parts of a tool
    format_id: str,
    said: JsonObject,
    left: JsonObject,
    noted: JsonObject,
    definition: JsonObject,
    under: str = "",
    name_key: str = "name",
) -> CanonicalTool:
    """Return the tool, with what is left over and noted kept aside under the format's id."""
    name = said.get("name")
    if not name or not isinstance(name, str):
        reason = "a tool needs a name that is not empty"
        raise UnreadableTool(format_id, f"{under}/{name_key}", reason)
    if len(name) > LONGEST_NAME:
        raise LimitExceeded("name", LONGEST_NAME, len(name))
    if left or noted:
        said["extras"] = {format_id: keep_aside(left, noted) if left else {NOTES: noted}}
    said["source_format"] = format_id
    return trusted_tool(said, definition)


def build_builtin(format_id: str, name: object, definition: JsonObject) -> CanonicalTool:
    """Return a tool that only its provider understands, kept unchanged."""
    said: JsonObject = {"name": str(name), "kind": Kind.BUILTIN}
    return build(format_id, said, {}, {BUILTIN: definition}, definition)
