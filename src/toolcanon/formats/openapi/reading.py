"""Operations read as tools, and the names made for them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence, Sized
from typing import Final, NamedTuple

from toolcanon.errors import LimitExceeded, UnreadableTool
from toolcanon.formats.openapi.arguments import (
    ARGUMENT,
    Body,
    OperationParameter,
    body_of,
    parameters_of,
)
from toolcanon.formats.openapi.composition import Cost, Direction
from toolcanon.formats.openapi.document import (
    ID,
    DocumentNote,
    OpenAPIDocument,
    Operation,
    Steps,
    finding,
)
from toolcanon.formats.openapi.schemas import TABLES, SchemaMove, Schemas
from toolcanon.formats.openapi.serialization import is_json, preferred
from toolcanon.formats.openapi.slices import Slices
from toolcanon.formats.wire import build
from toolcanon.formats.wire.format import AROUND, GUESSES
from toolcanon.ir import STATED_HINTS, CanonicalTool, ToolSecurity
from toolcanon.jsonio import LONGEST_NAME, Pointer, current_limits
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.references import is_schema

_ODD: Final = re.compile(r"[^A-Za-z0-9]+")
_LONGEST_MADE: Final = 64
_DIGEST: Final = 8
_CLAIMS: Final = (None, "name-cut", "name-made")  # the findings of names, by priority


class Named(NamedTuple):
    """The name of a tool, and the finding that explains it."""

    name: str
    finding: str | None = None
    met: bool = False
    """Whether another operation has the name that this one would have."""


def tool_names(operations: Sequence[Operation]) -> list[Named]:
    """Return a name for each operation, which depends on itself and on equal names.

    Of several with the same name, a stated one keeps it rather than a derived one.
    """
    wanted = [_wanted(operation) for operation in operations]
    holders: dict[str, int] = {}
    for index in sorted(range(len(wanted)), key=lambda index: _CLAIMS.index(wanted[index].finding)):
        holders.setdefault(wanted[index].name, index)
    taken = set(holders)
    found: list[Named] = []
    for index, (operation, named) in enumerate(zip(operations, wanted, strict=True)):
        if holders[named.name] == index:
            found.append(named)
            continue
        name = _digested(operation, named.name, LONGEST_NAME)
        while name in taken:  # only by intent
            name = name[:-_DIGEST] + _digest(name)
        taken.add(name)
        found.append(Named(name, named.finding or "name-repeated", met=True))
    return found


def _wanted(operation: Operation) -> Named:
    stated = operation.stated.get("operationId")
    if isinstance(stated, str) and stated.strip():
        if len(stated) <= LONGEST_NAME:
            return Named(stated)
        return Named(_digested(operation, stated, LONGEST_NAME), "name-cut")
    words = _ODD.sub("_", f"{operation.method}{operation.path}").strip("_")
    if len(words) > _LONGEST_MADE:
        words = _digested(operation, words, _LONGEST_MADE)
    return Named(words, "name-made")


def _digested(operation: Operation, name: str, longest: int) -> str:
    return f"{name[: longest - _DIGEST - 1]}_{_digest(f'{operation.method} {operation.path}')}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGEST]


def argument_names(wanted: Sequence[tuple[str, str]]) -> list[str]:
    """Return a unique name for each (name, location), in order.

    The first keeps its name, a further one gets its location as a suffix.

    >>> argument_names([("id", "path"), ("id", "body"), ("id_body", "body")])
    ['id', 'id_body_2', 'id_body']
    """
    originals = {name for name, _ in wanted}
    used: set[str] = set()
    numbers: Counter[str] = Counter()
    found: list[str] = []
    for name, location in wanted:
        argument = name
        if name in used:
            stem = argument = f"{name}_{location}"
            while argument in originals or argument in used:
                numbers[stem] += 1
                argument = f"{stem}_{numbers[stem] + 1}"
        used.add(argument)
        found.append(argument)
    return found


# The methods' properties by RFC 9110, section 9.2.
_HINTS: Final[dict[str, dict[str, bool]]] = {
    **{method: {"read_only": True} for method in ("get", "head", "options", "trace")},
    "put": {"idempotent": True},
    "delete": {"destructive": True, "idempotent": True},
}
_GOOD: Final = re.compile("2([0-9]{2}|XX)")


class _Arguments(NamedTuple):
    """The object of arguments, and how to split it again."""

    inputs: JsonObject
    parameters: list[JsonObject]
    body: JsonObject | None


def spread(definition: JsonObject) -> list[CanonicalTool]:
    """Return every operation of a document as a tool."""
    limits = current_limits()
    document = OpenAPIDocument(definition)
    schemas = Schemas(document, limits)
    operations = list(document.operations())
    if len(operations) > limits.tools:
        raise LimitExceeded("tools", limits.tools, len(operations))
    slices = Slices(document, operations, schemas.subtypes, schemas.budget)
    return [
        _tool(schemas, operation, named, slices.kept(index), slices.shown(index))
        for index, (operation, named) in enumerate(
            zip(operations, tool_names(operations), strict=True)
        )
    ]


def read(definition: JsonObject) -> CanonicalTool:
    """Return the only operation of a document."""
    tools = spread(definition)
    if len(tools) > 1:
        raise _too_many(tools)
    return tools[0]


class Sole(NamedTuple):
    """A summary of the only operation of a document."""

    document: JsonObject
    operation: Operation
    name: str
    words: JsonObject
    inputs: JsonObject
    """The arguments, without definitions: those of many tools would be too much."""

    def takes(self, inputs: JsonObject) -> bool:
        """Return whether these are its arguments, whatever annotations they have as a whole."""
        own, given = (
            {key: schema[key] for key in schema if key not in ANNOTATIONS and key not in TABLES}
            for schema in (self.inputs, inputs)
        )
        return own == given


def sole(definition: JsonObject) -> Sole:
    """Return the texts and the arguments of the only operation of a document."""
    document = OpenAPIDocument(definition)
    operations = list(document.operations())
    if len(operations) > 1:
        raise _too_many(operations)
    (operation,), (named,) = operations, tool_names(operations)
    schemas = Schemas(document, current_limits(), defining=False)
    inputs = _arguments(schemas, operation, []).inputs
    return Sole(document.root, operation, named.name, _words(operation.stated), inputs)


def _too_many(found: Sized) -> UnreadableTool:
    reason = f"expected one operation, found {len(found)}"
    return UnreadableTool(ID, "/paths", reason)


def _tool(
    schemas: Schemas, operation: Operation, named: Named, kept: JsonObject, shown: JsonObject
) -> CanonicalTool:
    document, stated = schemas.document, operation.stated
    told: list[DocumentNote] = list(document.findings)
    if named.finding is not None:
        told.append(finding(named.finding, operation.at))
    said: JsonObject = {"name": named.name}
    arguments = _arguments(schemas, operation, told)
    words = {
        **_words(stated),
        "inputs": arguments.inputs,
        "outputs": _outputs(schemas, operation, told),
        STATED_HINTS: dict(_HINTS.get(operation.method, {})),
    }
    said |= {field: value for field, value in words.items() if value}
    own: JsonObject = {"request": _request(document, operation, arguments), "document": kept}
    if operation.security.alternatives:
        own["security"], needed = operation.security
        if needed:
            said["security"] = ToolSecurity(required_permissions=needed)
    if stated.get("deprecated") is True:
        own["deprecated"] = True
    if named.met:
        own["name"] = named.name
    schemas.budget.spend(Cost.HELD, len(told))
    noted: JsonObject = {GUESSES: [item.noted() for item in dict.fromkeys(told)]} if told else {}
    if kept is not document.root and "$ref" in operation.given:
        noted[AROUND] = operation.given
    return build(ID, said, own, noted, shown)


def _words(stated: JsonObject) -> JsonObject:
    """Return the texts: a summary alone is both title and description."""
    summary, description = (
        text if isinstance(text, str) else ""
        for text in (stated.get("summary"), stated.get("description"))
    )
    tags = stated.get("tags")
    plain = isinstance(tags, list) and all(isinstance(tag, str) for tag in tags)
    return {
        "title": summary,
        "description": description or summary,
        "tags": tags if plain else [],
    }


def _request(document: OpenAPIDocument, operation: Operation, arguments: _Arguments) -> JsonObject:
    """Return the recipe for requests from arguments."""
    request: JsonObject = {"method": operation.method, "path": operation.path}
    for holder in (operation.stated, operation.item, document.root):
        servers = holder.get("servers")
        if isinstance(servers, list) and servers:
            request["servers"] = servers
            break
    if arguments.parameters:
        request["parameters"] = arguments.parameters
    if arguments.body is not None:
        request["body"] = arguments.body
    return request


def _arguments(schemas: Schemas, operation: Operation, told: list[DocumentNote]) -> _Arguments:
    parameters = parameters_of(schemas.document, operation, told)
    schemas.budget.spend(Cost.HELD, ARGUMENT * len(parameters))
    body = body_of(schemas, operation, told)
    recipe: JsonObject | None = None
    if body is not None:
        recipe = {"content": body.media, "kind": body.kind.value, **body.how}
        if body.required:
            recipe["required"] = True
    if body is not None and body.is_object and not parameters:
        made = schemas.whole(body.schema, body.at, Direction.REQUEST)
        told += made.findings
        inputs = made.schema if isinstance(made.schema, dict) else {}
        if body.description and "description" not in inputs:
            inputs = {**inputs, "description": body.description}
        return _Arguments(inputs, [], recipe)
    if not parameters and body is None:
        return _Arguments({}, [], None)
    return _Merger(schemas, told).merge(parameters, body, recipe)


class _Merger:
    """Merges parameters and body into the members of one object."""

    def __init__(self, schemas: Schemas, told: list[DocumentNote]) -> None:
        self.schemas = schemas
        self.told = told
        self.properties: JsonObject = {}
        self.required: list[str] = []
        self.needs: dict[str, None] = {}

    def merge(
        self, parameters: list[OperationParameter], body: Body | None, recipe: JsonObject | None
    ) -> _Arguments:
        wanted = [(item.name, item.location) for item in parameters]
        members = () if body is None else body.members
        if body is not None:
            wanted += [(name, "body") for name in members or ("body",)]
        names = argument_names(wanted)
        listed: list[JsonObject] = []
        for item, argument in zip(parameters, names, strict=False):
            self._add(argument, item.name, item.schema, item.at, item.remarks)
            if item.required:
                self.required.append(argument)
            where = {"argument": argument, "name": item.name, "in": item.location}
            needed = {"required": True} if item.required and item.location != "path" else {}
            listed.append({**where, **needed, **item.how})
        if body is not None and recipe is not None:
            self._add_body(body, names[len(parameters) :], recipe)
        inputs: JsonObject = {"type": "object", "properties": self.properties}
        if body is not None and members and (words := _described(body)):
            inputs["description"] = words
        if self.required:
            inputs["required"] = self.required
        defined = self.schemas.definitions(self.needs, Direction.REQUEST)
        self.told += defined.findings
        if defined.schema:
            inputs["$defs"] = defined.schema
        return _Arguments(inputs, listed, recipe)

    def _add_body(self, body: Body, names: list[str], recipe: JsonObject) -> None:
        if not body.members:
            (argument,) = names
            remarks = {"description": body.description} if body.description else {}
            self._add(argument, "body", body.schema, body.at, remarks)
            if body.required:
                self.required.append(argument)
            recipe["argument"] = argument
            return
        recipe["members"] = dict(zip(names, body.members, strict=True))
        stated = body.schema["properties"]
        for argument, member in recipe["members"].items():
            is_stated = member in stated  # otherwise it is only required
            at = (*body.at, *(("properties", member) if is_stated else ("required",)))
            self._add(argument, member, stated.get(member, {}), at, {})
            if member in body.needed:
                self.required.append(argument)

    def _add(self, argument: str, name: str, schema: Json, at: Steps, remarks: JsonObject) -> None:
        if argument != name:
            self.told.append(finding("argument-renamed", at, argument))
        home = SchemaMove(at, str(Pointer(("properties", argument))))
        made = self.schemas.make(schema, home, Direction.REQUEST)
        self.needs.update(dict.fromkeys(made.needs))
        self.told += made.findings
        plain = made.schema if isinstance(made.schema, dict) else {} if made.schema else {"not": {}}
        self.properties[argument] = {**plain, **remarks} if remarks else made.schema


def _described(body: Body) -> str:
    """Return the description of a body as a whole."""
    own = body.schema.get("description")
    return body.description or (own if isinstance(own, str) else "")


def _outputs(schemas: Schemas, operation: Operation, told: list[DocumentNote]) -> Json:
    """Return the schema of a successful answer; None when none is described."""
    found = _responses(schemas.document, operation)
    if not found:
        return {}
    best = next((item for item in found if item.is_json), found[0])
    made = schemas.whole(best.schema, best.at, Direction.RESPONSE)
    if not schemas.budget.affords(Cost.ANSWERED, made.weight):
        told.append(finding("answer-left-out", best.at))
        return {}
    if any(schema != best.schema for item in found for schema in item.said):
        told.append(finding("answers-differ", best.at))
    told += made.findings
    return made.schema if isinstance(made.schema, dict) else {}


class _Response(NamedTuple):
    """An answer with a schema."""

    is_json: bool
    schema: Json
    at: Steps
    said: tuple[Json, ...]
    """The schemas of all its media types, including this one."""


def _responses(document: OpenAPIDocument, operation: Operation) -> list[_Response]:
    """Return the successful responses, or else the default one."""
    responses = operation.stated.get("responses")
    if not isinstance(responses, dict):
        return []
    good = sorted(status for status in responses if _GOOD.fullmatch(status))
    described: list[_Response] = []
    for status in good or ["default"]:
        if status not in responses:
            continue
        at = (*operation.at, "responses", status)
        response, at = document.follow(responses[status], at, "a response")
        content = response.get("content")
        media = preferred(content) if isinstance(content, dict) else None
        said = _schemas_in(content)
        if media in said:
            place = (*at, "content", str(media), "schema")
            described.append(_Response(is_json(media), said[media], place, tuple(said.values())))
    return described


def _schemas_in(content: Json) -> dict[Json, Json]:
    """Return the schemas of the media types that have one."""
    return {
        media: holder["schema"]
        for media, holder in (content.items() if isinstance(content, dict) else ())
        if isinstance(holder, dict) and is_schema(holder.get("schema"))
    }
