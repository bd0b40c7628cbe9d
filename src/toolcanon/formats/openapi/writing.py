"""Write tools as documents: an operation as it was, or ``POST /name`` with a JSON body.

One tool is a document of one operation, many are one document. Where two tools have the same
operation, or come from documents that contradict each other, there are several.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from toolcanon.errors import ToolcanonError
from toolcanon.formats.openapi.document import ID, OpenAPIDocument, Steps, minor_version
from toolcanon.formats.openapi.reading import Sole, sole
from toolcanon.formats.openapi.slices import HEAD
from toolcanon.formats.wire import LoweredTool, own_extras
from toolcanon.formats.wire.format import AROUND, notes
from toolcanon.formats.wire.text_data import encoded, fragment
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import POSITIONS, Position

VERSION: Final = "3.1.1"
_INFO: Final = {"title": "Tools", "version": "1.0.0"}
_JSON: Final = "application/json"
_JOINED: Final = ("paths", "components")


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    """Return the tool as a document of one operation."""
    own = own_extras(tool, ID)
    kept = own.get("document")
    said = _read(kept)
    if said is None or not said.takes(tool.inputs):
        return _made(tool, wire)  # its arguments differ, so its recipe does not apply
    changes: JsonObject = {}
    # A name that was derived because two operations share one does not replace theirs, and is not
    # written where there was none.
    as_it_was = wire.verbatim or "operationId" not in said.operation.stated
    if wire.name != said.name and not (as_it_was and wire.name == own.get("name")):
        changes["operationId"] = wire.name
    for key, field in (("summary", "title"), ("description", "description"), ("tags", "tags")):
        if (new := getattr(tool, field) or None) != (said.words[field] or None):
            changes[key] = new
    return _changed(said, changes) if changes else said.document


def _read(kept: Json) -> Sole | None:
    """Return a summary of a kept document's operation; None if it was edited and is invalid."""
    if not isinstance(kept, dict) or minor_version(kept.get("openapi")) is None:
        return None
    try:
        return sole(kept)
    except ToolcanonError:
        return None


def _changed(said: Sole, changes: JsonObject) -> JsonObject:
    """Return the same document with other texts in its operation."""
    path, method = said.operation.path, said.operation.method
    operation = {**said.operation.stated, **changes}
    operation = {key: value for key, value in operation.items() if value or key not in changes}
    paths = {**said.document["paths"], path: {**said.operation.item, method: operation}}
    return {**said.document, "paths": paths}


def _made(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    """Return an operation for a tool from elsewhere, with JSON arguments and a JSON answer."""
    # An address cannot spell a lone surrogate.
    path = f"/{encoded(wire.name.encode(errors='backslashreplace').decode())}"
    at: Steps = ("paths", path, "post")
    operation: JsonObject = {"operationId": wire.name}
    if tool.title:
        operation["summary"] = tool.title
    if tool.description:
        operation["description"] = tool.description
    if tool.tags:
        operation["tags"] = tool.tags
    if wire.inputs:
        content = _content(wire.inputs, (*at, "requestBody"))
        operation["requestBody"] = {"required": True, "content": content}
    answer: JsonObject = {"description": "The answer."}
    if wire.outputs:
        answer["content"] = _content(wire.outputs, (*at, "responses", "200"))
    operation["responses"] = {"200": answer}
    return {"openapi": VERSION, "info": dict(_INFO), "paths": {path: {"post": operation}}}


def _content(schema: JsonObject, at: Steps) -> JsonObject:
    """Return a schema at its place; references to its root have to name that place."""
    place = Pointer((*at, "content", _JSON, "schema"))
    return {_JSON: {"schema": _moved(schema, f"#{fragment(str(place))}")}}


def _moved(schema: Json, root: str) -> Json:
    if not isinstance(schema, dict) or isinstance(schema.get("$id"), str):
        return schema  # references below an `$id` are relative to it
    new = dict(schema)
    ref = schema.get("$ref")
    if isinstance(ref, str) and (ref == "#" or ref.startswith("#/")):
        new["$ref"] = root + ref[1:]
    for key, value in schema.items():
        position = POSITIONS.get(key)
        if position is None:
            continue
        if isinstance(value, list):
            new[key] = [_moved(item, root) for item in value]
        elif isinstance(value, dict) and position is Position.SCHEMA_MAP:
            new[key] = {name: _moved(item, root) for name, item in value.items()}
        else:
            new[key] = _moved(value, root)
    return new


def assemble(items: Sequence[tuple[CanonicalTool, JsonObject]]) -> Json:
    """Return all of them as one document, or as few as possible."""
    families: dict[str, list[_Whole]] = {}
    for tool, document in items:
        family = families.setdefault(_family(document), [_Whole()])
        if not family[-1].takes(document):
            family.append(_Whole())
        family[-1].add(document, notes(own_extras(tool, ID)).get(AROUND))
    documents = [whole.finished() for family in families.values() for whole in family]
    return documents[0] if len(documents) == 1 else documents


def _family(document: JsonObject) -> str:
    """Return what two documents must have in common to become one."""
    info = document.get("info")
    named = [info.get("title"), info.get("version")] if isinstance(info, dict) else []
    return json.dumps([named, *(document.get(key) for key in HEAD)], sort_keys=True)


class _Whole:
    """Documents of a family, joined."""

    def __init__(self) -> None:
        self.document: JsonObject = {}
        self._tables: dict[tuple[str, str], JsonObject] = {}
        """Its path items and its sections of components."""
        self._referring: dict[str, JsonObject] = {}
        """Path items that were references."""

    def takes(self, part: JsonObject) -> bool:
        """Return whether nothing in it contradicts what is there."""
        for key in _JOINED:
            inner = part.get(key)
            for name, table in inner.items() if isinstance(inner, dict) else ():
                held = self._tables.get((key, name), {})
                for word in table if isinstance(table, dict) else ():
                    known, new = held.get(word, table[word]), table[word]
                    if known is not new and known != new:
                        return False
        return True

    def add(self, part: JsonObject, around: JsonObject | None) -> None:
        """Add a part, and how its path item was given; shared parts are added once."""
        if around is not None and part.get("paths"):
            *_, path = part["paths"]
            self._referring[path] = around
        for key, value in part.items():
            if key not in _JOINED or not isinstance(value, dict):
                self.document.setdefault(key, value)
                continue
            whole = self.document.setdefault(key, {})
            for name, inner in value.items():
                if isinstance(inner, dict) and isinstance(whole.get(name, {}), dict):
                    held = self._tables.setdefault((key, name), whole.setdefault(name, {}))
                    held.update(inner)
                else:
                    whole.setdefault(name, inner)

    def finished(self) -> JsonObject:
        """Return the document, with references where they stand for a whole path item."""
        if self._referring:
            document = OpenAPIDocument(self.document)
            paths = self.document["paths"]
            for path, given in self._referring.items():
                item = paths[path]
                paths[path] = given
                try:
                    whole, _ = document.item(path)
                except ToolcanonError:
                    whole = {}
                if whole != item:
                    paths[path] = item
        return self.document
