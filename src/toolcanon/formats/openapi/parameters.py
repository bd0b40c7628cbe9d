"""Parameters of an operation: those of its path and its own, merged, with their styles."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from toolcanon.formats.openapi.document import Document, Operation, Steps, unreadable
from toolcanon.formats.openapi.findings import Finding, finding
from toolcanon.formats.openapi.media import is_json
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.references import is_schema

# The styles of each location, the default first.
STYLES: Final[dict[str, tuple[str, ...]]] = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form",),
}
_IGNORED_HEADERS: Final = frozenset({"accept", "content-type", "authorization"})
_MOST_HOPS: Final = 64
_TEMPLATE: Final = re.compile(r"\{([^{}]*)\}")


class Parameter(NamedTuple):
    """One parameter, and how its value is written."""

    name: str
    location: str
    required: bool
    schema: Json
    at: Steps
    """The place of its schema."""
    remarks: JsonObject
    """The parameter's own annotations, for the schema of the argument."""
    how: JsonObject
    """Style and the like, for the recipe, without defaults."""


def template_names(path: str) -> list[str]:
    """Return the placeholders of a path, each once and in order."""
    return list(dict.fromkeys(_TEMPLATE.findall(path)))


def parameters_of(document: Document, operation: Operation, told: list[Finding]) -> list[Parameter]:
    """Return every parameter in order: those of the path, then of the operation, which override.

    Within one list the first of a name counts.
    """
    stated: dict[tuple[str, str], tuple[JsonObject, Steps]] = {}
    for holder, at in ((operation.item, operation.item_at), (operation.stated, operation.at)):
        listed = holder.get("parameters", [])
        place: Steps = (*at, "parameters")
        if not isinstance(listed, list):
            raise unreadable(place, f"parameters must be a list, found {type(listed).__name__}")
        own: dict[tuple[str, str], tuple[JsonObject, Steps]] = {}
        for index, item in enumerate(listed):
            parameter, where = document.follow(item, (*place, index), "a parameter")
            key = _key(parameter, where)
            if key[0] == "header" and key[1] in _IGNORED_HEADERS:
                told.append(finding("parameter-ignored", where))
            elif key not in own:
                own[key] = (parameter, where)
            elif parameter != own[key][0]:
                told.append(finding("parameter-repeated", (*place, index)))
        stated |= own
    found = [_parameter(document, item, at, told) for item, at in stated.values()]
    return _fitted(found, operation, told)


def _key(parameter: JsonObject, at: Steps) -> tuple[str, str]:
    name, location = parameter.get("name"), parameter.get("in")
    if not isinstance(name, str) or not name:
        raise unreadable((*at, "name"), "a parameter must have a name")
    if not isinstance(location, str) or location not in STYLES:
        known = ", ".join(STYLES)
        raise unreadable((*at, "in"), f"a parameter is in one of {known}, not {location!r:.40}")
    return location, name.lower() if location == "header" else name


def _fitted(found: list[Parameter], operation: Operation, told: list[Finding]) -> list[Parameter]:
    """Return the parameters with every placeholder of the path, and none without a place."""
    opened = template_names(operation.path)
    described = {item.name for item in found if item.location == "path"}
    fitted = []
    for item in found:
        if item.location == "path" and item.name not in opened:
            told.append(finding("parameter-unplaced", item.at))
        else:
            fitted.append(item)
    for name in opened:
        if name not in described:
            told.append(finding("path-parameter-guessed", operation.at, name))
            fitted.append(Parameter(name, "path", True, {"type": "string"}, operation.at, {}, {}))
    return fitted


def _parameter(document: Document, stated: JsonObject, at: Steps, told: list[Finding]) -> Parameter:
    location = stated["in"]
    how: JsonObject = {}
    styles = STYLES[location]
    style = stated.get("style", styles[0])
    if style not in styles:
        told.append(finding("style-unknown", (*at, "style"), repr(style)[:40]))
        style = styles[0]
    if style != styles[0]:
        how["style"] = style
    explode = stated.get("explode")
    if isinstance(explode, bool) and explode != (style == "form"):
        how["explode"] = explode
    if stated.get("allowReserved") is True and location == "query":
        how["reserved"] = True
    schema, place = _schema(document, stated, at, how, told)
    if style == "deepObject" and _nests(schema):
        told.append(finding("nested-by-brackets", place))
    required = location == "path" or stated.get("required") is True
    return Parameter(stated["name"], location, required, schema, place, _remarks(stated), how)


def _schema(
    document: Document, stated: JsonObject, at: Steps, how: JsonObject, told: list[Finding]
) -> tuple[Json, Steps]:
    if is_schema(stated.get("schema")):
        return stated["schema"], (*at, "schema")
    content = stated.get("content")
    if isinstance(content, dict) and content:
        media, inner = next(iter(content.items()))
        said = [item.get("schema") for item in content.values() if isinstance(item, dict)]
        if any(schema != said[0] for schema in said):
            told.append(finding("media-types-differ", (*at, "content", media)))
        if is_json(media):
            how["json"] = True
        if isinstance(inner, dict) and is_schema(inner.get("schema")):
            place = (*at, "content", media, "schema")
            if is_json(media) or _is_text(document, inner["schema"]):
                return inner["schema"], place
            told.append(finding("parameter-as-text", place, media))
            return {"type": "string"}, at
    told.append(finding("schema-guessed", at))
    return {"type": "string"}, at


def _is_text(document: Document, schema: Json) -> bool:
    """Return whether a value of another media type than JSON is sent as text."""
    for _ in range(_MOST_HOPS):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            break
        found = document.find(schema["$ref"])
        schema = None if found is None else found.value
    return isinstance(schema, dict) and schema.get("type") == "string"


def _nests(schema: Json) -> bool:
    """Return whether a member of an object is declared as other than a scalar."""
    members = schema.get("properties") if isinstance(schema, dict) else None
    inner = list(members.values()) if isinstance(members, dict) else []
    return any(isinstance(item, dict) and item.get("type") in {"object", "array"} for item in inner)


def _remarks(stated: JsonObject) -> JsonObject:
    """Return the parameter's own annotations; its schema may be shared."""
    remarks: JsonObject = {}
    if isinstance(stated.get("description"), str) and stated["description"]:
        remarks["description"] = stated["description"]
    if stated.get("deprecated") is True:
        remarks["deprecated"] = True
    examples = stated.get("examples")
    if "example" in stated:
        remarks["examples"] = [stated["example"]]
    elif isinstance(examples, dict):
        values = [item["value"] for item in examples.values()
                  if isinstance(item, dict) and "value" in item]  # fmt: skip
        if values:
            remarks["examples"] = values
    return remarks
