"""A JSON Schema document as a tool: the title is its name, the members are its arguments."""

from __future__ import annotations

from pydantic import ValidationError

from toolcanon.dialect import Dialect, ReferenceRules, Source, Support, table
from toolcanon.formats.wire import Format, LoweredTool, Match, notes, own_extras
from toolcanon.formats.wire.format import SHAPE, keep_aside
from toolcanon.ir import CanonicalTool, ToolCapability, ToolSecurity, trusted_tool
from toolcanon.jsonio.types import JsonObject
from toolcanon.schema.keywords import URIS, DraftMeaning

ID = "json-schema"
UNTITLED = "untitled"
NAMED = "named"
_APPLICATORS = ("$ref", "allOf", "anyOf", "oneOf", "definitions", "$defs", "patternProperties")
_ENVELOPES = frozenset("args_schema function inputSchema input_schema parameters schema".split())
_OURS = frozenset({"title", "description", "x-outputs", "x-capabilities", "x-security"})


_DECLARED = Match(0.95, "'$schema'")
_KEYWORDS = Match(0.6, "keywords of a schema document")
_MEMBERS = Match(0.5, "'properties' without a name")


def sniff(definition: JsonObject) -> Match | None:
    if "tools" in definition or ("name" in definition and not _is_named_document(definition)):
        return None
    if isinstance(definition.get("$schema"), str):
        return _DECLARED
    if "$id" in definition or any(key in definition for key in _APPLICATORS):
        return _KEYWORDS
    if "properties" in definition or isinstance(definition.get("enum"), list):
        return _MEMBERS
    return None


def _is_named_document(definition: JsonObject) -> bool:
    """Return whether it states that it is a schema, and has members, beside its name."""
    if not isinstance(definition.get("$schema"), str) or not _ENVELOPES.isdisjoint(definition):
        return False
    return isinstance(definition.get("properties"), dict) or definition.get("type") == "object"


def read(definition: JsonObject) -> CanonicalTool:
    title = definition.get("title")
    said: JsonObject = {"source_format": ID}
    noted: JsonObject = {}
    inputs = {key: value for key, value in definition.items() if key not in _OURS}
    if isinstance(definition.get("name"), str) and definition["name"]:
        said["name"] = inputs.pop("name")
        noted[SHAPE] = NAMED
        if "title" in definition:
            inputs["title"] = title
    elif isinstance(title, str) and title:
        said["name"] = title
    else:
        said["name"] = _name_from_id(definition)
        noted[SHAPE] = UNTITLED
        if "title" in definition:
            inputs["title"] = title
    description = definition.get("description")
    if isinstance(description, str) and description:
        said["description"] = description
    elif "description" in definition:
        inputs["description"] = description
    _read_extensions(definition, said, inputs)
    if inputs:
        said["inputs"] = inputs
    if noted:
        said["extras"] = {ID: keep_aside({}, noted)}
    return trusted_tool(said, definition)


def _read_extensions(definition: JsonObject, said: JsonObject, inputs: JsonObject) -> None:
    outputs = definition.get("x-outputs")
    if isinstance(outputs, dict) and outputs:
        said["outputs"] = outputs
    elif "x-outputs" in definition:
        inputs["x-outputs"] = outputs
    for key, field, model in (
        ("x-capabilities", "capabilities", ToolCapability),
        ("x-security", "security", ToolSecurity),
    ):
        if key not in definition:
            continue
        stated = definition[key]
        try:
            said[field] = model.model_validate(stated)
        except ValidationError:
            inputs[key] = stated
        else:
            if said[field].model_dump() != stated:
                del said[field]
                inputs[key] = stated


def _name_from_id(definition: JsonObject) -> str:
    """Return ``trip`` for ``https://example.com/schemas/trip.schema.json``; empty without an id."""
    stated = definition.get("$id") or definition.get("id") or ""
    if not isinstance(stated, str):
        return ""
    return stated.rstrip("/#").rpartition("/")[2].partition(".")[0]


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    said = tool.__dict__
    out: JsonObject = {}
    if not wire.verbatim:
        draft = wire.dialect.draft if wire.dialect is not None else None
        out["$schema"] = wire.inputs.get("$schema", URIS[draft or DraftMeaning.LATEST])
    shape = notes(own_extras(tool, ID)).get(SHAPE) if wire.verbatim else None
    if shape != UNTITLED:
        out["name" if shape == NAMED else "title"] = wire.name
    if description := said.get("description"):
        out["description"] = description
    for key, value in wire.inputs.items():
        out.setdefault(key, value)
    if wire.outputs:
        out["x-outputs"] = wire.outputs
    if tool.has_own_capabilities:
        out["x-capabilities"] = tool.capabilities.model_dump()
    if tool.security is not None:
        out["x-security"] = tool.security.model_dump()
    return out


_UNCOUNTED = "minContains maxContains unevaluatedItems unevaluatedProperties"
_REMARKS_OF_2019 = "deprecated contentSchema $vocabulary"
_REMARKS_OF_07 = f"{_REMARKS_OF_2019} $comment readOnly writeOnly contentEncoding contentMediaType"


def _dialect(name: str, draft: DraftMeaning, where: str, says: str, **changes: str) -> Dialect:
    """Return the dialect of a draft of JSON Schema: documents in its keywords."""
    return Dialect(
        id=f"{ID}/{name}",
        version="2026-11",
        title=f"JSON Schema {name}",
        sources=(
            Source(where, "2026-11", says),
            Source("jsonschema-rs 0.60.3", "2026-11", "its meta-schema and validator, executed"),
        ),
        draft=draft,
        keywords=table(Support.ACCEPTED, **changes),
        references=ReferenceRules(unresolved=True),
        booleans=draft > DraftMeaning.D4,
        root_object=False,
    )


DIALECTS = (
    _dialect(
        "2020-12",
        DraftMeaning.LATEST,
        "https://json-schema.org/draft/2020-12/json-schema-core",
        "keywords",
    ),
    _dialect(
        "2019-09",
        DraftMeaning.D2019,
        "https://json-schema.org/draft/2020-12/release-notes",
        "positional items, dynamic references, contains beside unevaluatedItems",
    ),
    _dialect(
        "draft-07",
        DraftMeaning.D7,
        "https://json-schema.org/draft/2019-09/release-notes",
        "$defs, dependencies, anchors, siblings of $ref, counts",
        ignored=_REMARKS_OF_2019,
        rejected=_UNCOUNTED,
    ),
    _dialect(
        "draft-06",
        DraftMeaning.D6,
        "https://json-schema.org/draft-07/json-schema-release-notes",
        "if, then, else, annotations",
        ignored=_REMARKS_OF_07,
        rejected=_UNCOUNTED,
    ),
    _dialect(
        "draft-04",
        DraftMeaning.D4,
        "https://json-schema.org/draft-06/json-schema-release-notes",
        "id, const, contains, propertyNames, exclusive bounds, booleans, empty lists",
        ignored=f"{_REMARKS_OF_07} examples",
        rejected=f"{_UNCOUNTED} propertyNames",
    ),
)

FORMAT = Format(
    id=ID,
    title="JSON Schema document",
    sources=(Source("https://json-schema.org/draft/2020-12", "2026-11", "keywords"),),
    signals=frozenset({"$schema", "$id", "properties", "enum", *_APPLICATORS}),
    sniff=sniff,
    read=read,
    write=write,
    dialects=DIALECTS,
)
