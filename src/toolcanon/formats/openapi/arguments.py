"""Parameters and bodies of an operation as arguments of one tool."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import IntEnum
from typing import Final, NamedTuple

from toolcanon.formats.openapi.composition import Cost, Direction, names_in
from toolcanon.formats.openapi.document import (
    DocumentNote,
    DocumentValue,
    OpenAPIDocument,
    Operation,
    Steps,
    an_object,
    finding,
    unreadable,
)
from toolcanon.formats.openapi.schemas import Schemas
from toolcanon.formats.openapi.serialization import (
    OCTETS,
    STYLED,
    BodyEncoding,
    concrete,
    is_any,
    is_json,
    is_range,
    kind_of,
    preferred,
)
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import ANNOTATIONS, TYPES
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


class OperationParameter(NamedTuple):
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


def parameters_of(
    document: OpenAPIDocument, operation: Operation, told: list[DocumentNote]
) -> list[OperationParameter]:
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


def _fitted(
    found: list[OperationParameter], operation: Operation, told: list[DocumentNote]
) -> list[OperationParameter]:
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
            fitted.append(
                OperationParameter(name, "path", True, {"type": "string"}, operation.at, {}, {})
            )
    return fitted


def _parameter(
    document: OpenAPIDocument, stated: JsonObject, at: Steps, told: list[DocumentNote]
) -> OperationParameter:
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
    schema, place = _parameter_schema(document, stated, at, how, told)
    if style == "deepObject" and _nests(schema):
        told.append(finding("nested-by-brackets", place))
    required = location == "path" or stated.get("required") is True
    return OperationParameter(
        stated["name"], location, required, schema, place, _remarks(stated), how
    )


def _parameter_schema(
    document: OpenAPIDocument,
    stated: JsonObject,
    at: Steps,
    how: JsonObject,
    told: list[DocumentNote],
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


def _is_text(document: OpenAPIDocument, schema: Json) -> bool:
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


ARGUMENT: Final = 12
"""The cost of an argument: among the properties, in the recipe, and in between."""
TEXT: Final[JsonObject] = {"type": "string"}
_OBJECT: Final[JsonObject] = {"type": "object"}
_WITHOUT_BODY: Final = frozenset({"get", "head", "delete", "options", "trace"})
_OBJECT_WORDS: Final = ("properties", "required", "additionalProperties", "patternProperties")
# Keywords that an object may have and still be no more than its members.
_PLAIN: Final = ANNOTATIONS | {"type", "properties", "required", "example", "xml", "externalDocs"}
_MOST_LOOKS: Final = 128  # each may be a nested call


class Body(NamedTuple):
    """A request body, before its arguments have names."""

    kind: BodyEncoding
    media: str
    required: bool
    schema: Json
    at: Steps
    is_object: bool
    members: tuple[str, ...]
    """Members that can be arguments; empty when the body is one argument."""
    needed: frozenset[str]
    description: str
    how: JsonObject
    """The entries of its members in the recipe: encodings, and which are bytes."""


class _Likely(IntEnum):
    NO = 0
    MAYBE = 1
    YES = 2


def body_of(schemas: Schemas, operation: Operation, told: list[DocumentNote]) -> Body | None:
    """Return the body of an operation; None if it has none."""
    document = schemas.document
    if operation.stated.get("requestBody") is None:
        return None
    stated, at = document.follow(
        operation.stated["requestBody"], (*operation.at, "requestBody"), "a request body"
    )
    content = an_object(stated.get("content", {}), (*at, "content"), "content")
    media = preferred(content)
    if media is None:
        return None
    at = (*at, "content", media)
    holder = an_object(content[media], at, "a media type")
    look = _look(media, holder)
    if any(_look(other, content[other]) != look for other in content):
        told.append(finding("media-types-differ", at))
    if operation.method in _WITHOUT_BODY:
        told.append(finding("body-unusual", at, operation.method.upper()))
    kind = kind_of(media)
    if is_any(media):
        told.append(finding("body-assumed-json", at))
    elif is_range(media):
        told.append(finding("body-type-assumed", at, concrete(media)))
    schema, place = _arguments_schema(schemas, holder, at, told)
    likely = _Looks(document).judge(schema)
    if kind is BodyEncoding.JSON and likely is _Likely.MAYBE:
        told.append(finding("body-assumed-object", place))
    if kind is BodyEncoding.TEXT or (kind is not BodyEncoding.JSON and likely is _Likely.NO):
        kind, schema, place = _as_text(document, media, schema, place, told)
    needed = _needed(schemas, schema) if kind is not BodyEncoding.TEXT else {}
    members = _members(schemas, schema, needed) if kind is not BodyEncoding.TEXT else ()
    required = stated.get("required") is True
    if not required and needed:
        told.append(finding("body-assumed-required", at))
        required = True
    description = stated.get("description")
    return Body(
        kind,
        concrete(media),
        required,
        schema,
        place,
        kind is not BodyEncoding.TEXT and likely is not _Likely.NO,
        members,
        frozenset(needed),
        description if isinstance(description, str) else "",
        _Form(schemas, kind, told).how(holder, at, schema, place),
    )


def _arguments_schema(
    schemas: Schemas, holder: JsonObject, at: Steps, told: list[DocumentNote]
) -> tuple[Json, Steps]:
    schema = _look(at[-1], holder)
    if is_schema(holder.get("schema")):
        return schemas.resolved(schema, (*at, "schema"), told)
    return schema, at


def _look(media: Json, holder: Json) -> Json:
    """Return the schema of a media type as stated, or its default."""
    if isinstance(holder, dict) and is_schema(holder.get("schema")):
        return holder["schema"]
    return TEXT if kind_of(media) is BodyEncoding.TEXT else _OBJECT


def _as_text(
    document: OpenAPIDocument, media: str, schema: Json, at: Steps, told: list[DocumentNote]
) -> tuple[BodyEncoding, Json, Steps]:
    if schema is TEXT or _Looks(document).bytes_of(schema) is not None:
        told.append(finding("binary-as-text", at))
    if isinstance(schema, dict) and schema.get("type") == "string":
        return BodyEncoding.TEXT, schema, at
    told.append(finding("body-as-text", at, media))
    return BodyEncoding.TEXT, TEXT, at


def _needed(schemas: Schemas, schema: Json) -> dict[str, None]:
    """Return the required members that can be sent, each once and in order."""
    listed = names_in(schema)
    if not listed:
        return {}
    schemas.budget.spend(Cost.HELD, ARGUMENT * len(listed))
    unsent = schemas.composition.flagged_members(schema, Direction.REQUEST)
    return dict.fromkeys(name for name in listed if name not in unsent)


def _members(schemas: Schemas, schema: Json, needed: Collection[str]) -> tuple[str, ...]:
    """Return the members, if the body is no more than them; required ones count as members."""
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return ()
    stated = schema["properties"]
    schemas.budget.spend(Cost.HELD, ARGUMENT * len(stated))  # many bodies may share it
    plain = schema.get("type", "object") == "object" and all(
        key in _PLAIN
        or str(key)[:2] == "x-"
        or (key in {"additionalProperties", "nullable"} and value is False)
        for key, value in schema.items()
    )
    undeclared = [name for name in needed if name not in stated]
    if not plain or (undeclared and "additionalProperties" in schema):  # no body can be valid
        return ()
    is_flagged = schemas.composition.is_flagged
    sent = [name for name in stated if not is_flagged(stated[name], Direction.REQUEST)]
    return (*sent, *undeclared)


class _Form:
    """The entries of a form's members in the recipe, which no other body has."""

    def __init__(self, schemas: Schemas, kind: BodyEncoding, told: list[DocumentNote]) -> None:
        self.document = schemas.document
        self.budget = schemas.budget
        self.kind = kind
        self.told = told
        self.left = _MOST_LOOKS
        self.seen: set[Steps] = set()

    def how(self, holder: JsonObject, at: Steps, schema: Json, place: Steps) -> JsonObject:
        """Return encodings, and which members are raw bytes, for the kind of body with them."""
        if self.kind not in {BodyEncoding.FORM, BodyEncoding.MULTIPART}:
            return {}
        how: JsonObject = {}
        found = self._encodings(holder, at)
        members = self._members(schema, place) if self.kind is BodyEncoding.MULTIPART else {}
        for name, member in members.items():
            media = _Looks(self.document).bytes_of(member.value)
            if media is None:
                continue
            self.told.append(finding("binary-as-text", member.at))
            how.setdefault("binary", []).append(name)
            if media != OCTETS:  # the default
                found[name] = {"contentType": media, **found.get(name, {})}
        return {"encoding": found, **how} if found else how

    def _members(self, schema: Json, at: Steps) -> dict[str, DocumentValue]:
        """Return every member that a schema declares at any place."""
        self.left -= 1
        if self.left < 0 or not isinstance(schema, dict):
            return {}
        parts: list[dict[str, DocumentValue]] = []
        target = self.document.find(schema["$ref"]) if isinstance(schema.get("$ref"), str) else None
        if target is not None and target.at not in self.seen:
            self.seen.add(target.at)
            parts.append(self._members(target.value, target.at))
        stated = schema.get("properties")
        if isinstance(stated, dict):
            self.budget.spend(Cost.HELD, ARGUMENT * len(stated))
            parts.append(
                {name: DocumentValue((*at, "properties", name), stated[name]) for name in stated}
            )
        for key in ("allOf", "anyOf", "oneOf"):
            listed = schema.get(key)
            inner = [
                self._members(item, (*at, key, index))
                for index, item in enumerate(listed if isinstance(listed, list) else ())
            ]
            parts.append(_joined(key, inner))
        return _joined("allOf", parts)

    def _encodings(self, holder: JsonObject, at: Steps) -> JsonObject:
        encodings = holder.get("encoding")
        found: JsonObject = {}
        for name, stated in encodings.items() if isinstance(encodings, dict) else ():
            if not isinstance(stated, dict):
                continue
            kept = {
                key: stated[key]
                for key, kinds in (("style", str), ("explode", bool), ("contentType", str))
                if isinstance(stated.get(key), kinds)
            }
            if stated.get("allowReserved") is True:
                kept["reserved"] = True
            place = (*at, "encoding", name)
            styled = [key for key in STYLED if key in kept]
            if styled and self.kind is BodyEncoding.MULTIPART and not self.document.siblings:
                self.told.append(finding("encoding-ignored", place, ", ".join(styled)))
                kept = {key: value for key, value in kept.items() if key not in styled}
            if kept.get("style") == "deepObject":
                self.told.append(finding("nested-by-brackets", place))
            if kept:
                found[name] = kept
        return found


def _joined(key: str, parts: list[dict[str, DocumentValue]]) -> dict[str, DocumentValue]:
    """Return one table of many; schemas of the same member are joined."""
    found: dict[str, list[DocumentValue]] = {}
    for part in parts:
        for name, member in part.items():
            found.setdefault(name, []).append(member)
    return {
        name: said[0]
        if len(said) == 1
        else DocumentValue(said[0].at, {key: [x.value for x in said]})
        for name, said in found.items()
    }


class _Looks:
    """The kinds of values of schemas; unknown beyond a work limit."""

    def __init__(self, document: OpenAPIDocument) -> None:
        self.document = document
        self.left = _MOST_LOOKS

    def judge(self, schema: Json) -> _Likely:
        """Return whether they are objects."""
        self.left -= 1
        if self.left < 0 or schema is True:
            return _Likely.MAYBE
        if not isinstance(schema, dict):
            return _Likely.NO
        kind = schema.get("type")
        if isinstance(kind, str) and kind in TYPES:
            return _Likely.YES if kind == "object" else _Likely.NO
        if isinstance(kind, list) and kind:
            others = [word for word in kind if word not in ("object", "null")]
            return _Likely.NO if others or "object" not in kind else _Likely.YES
        return self._untyped(schema)

    def _untyped(self, schema: JsonObject) -> _Likely:
        values = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if isinstance(values, list) and not all(isinstance(value, dict) for value in values):
            return _Likely.NO
        ref = schema.get("$ref")
        if isinstance(ref, str):
            found = self.document.find(ref)
            return _Likely.MAYBE if found is None else self.judge(found.value)
        unions = [schema[key] for key in ("anyOf", "oneOf") if isinstance(schema.get(key), list)]
        answers = [min(map(self.judge, branches)) for branches in unions if branches]
        parts = schema.get("allOf")
        if isinstance(parts, list):
            answers += map(self.judge, parts)
        if _Likely.NO in answers:
            return _Likely.NO
        told = any(word in schema for word in _OBJECT_WORDS) or _Likely.YES in answers
        return _Likely.YES if told else _Likely.MAYBE

    def bytes_of(self, schema: Json, *, alone: bool = True) -> str | None:
        """Return the media type of raw bytes; None for others. An empty schema is bytes."""
        self.left -= 1
        if self.left < 0 or not isinstance(schema, dict):
            return None
        if not schema:
            return OCTETS if alone else None
        media = schema.get("contentMediaType")
        if isinstance(media, str) and "contentEncoding" not in schema:
            return media
        if schema.get("format") == "binary":
            return OCTETS
        if schema.get("type") == "array":
            return self.bytes_of(schema.get("items"))
        ref = schema.get("$ref")
        if isinstance(ref, str):
            found = self.document.find(ref)
            return None if found is None else self.bytes_of(found.value, alone=alone)
        return self._bytes_within(schema)

    def _bytes_within(self, schema: JsonObject) -> str | None:
        parts = schema.get("allOf")
        for part in parts if isinstance(parts, list) else ():
            if (media := self.bytes_of(part, alone=False)) is not None:
                return media
        for key in ("anyOf", "oneOf"):
            branches = schema.get(key)
            if isinstance(branches, list):
                said = [item for item in branches if item != {"type": "null"}]
                found = [self.bytes_of(item, alone=False) for item in said]
                if found and None not in found:
                    return found[0]
        return None
