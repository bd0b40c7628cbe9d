"""S114: a schema that lies elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.jsonio.types import Json
from toolcanon.schema.references import subschemas
from toolcanon.text import safe

_SHOWN: Final = 120
_ABSOLUTE: Final = re.compile(r"[a-z][a-z0-9+.-]{0,20}:|[/\\\\]{2}|/(?!/)|~", re.IGNORECASE)
_DOCUMENT: Final = re.compile(r"[\w./ -]{1,200}\.(?:json|ya?ml)(?:#|$)", re.IGNORECASE)
# Schemas of schemas: every validator has them, none has to fetch them.
_BUILT_IN: Final = re.compile(r"https?://json-schema\.org/(?:draft[-/][\w-]+/|)(?:hyper-)?schema$")


def _look(subject: Subject) -> Iterator[Hit]:
    far = [text for text in subject.texts if text.role == "reference" and text.text[:1] != "#"]
    if not far:
        return
    own = {*_ids(subject.tool.inputs), *_ids(subject.tool.outputs)}
    told: set[str] = set()
    for text in far:
        address = text.text.partition("#")[0]
        if address in own or address in told:
            continue
        is_absolute = _ABSOLUTE.match(address) is not None
        if is_absolute or _DOCUMENT.match(text.text):
            told.add(address)
            is_harmless = not is_absolute or _BUILT_IN.match(address)
            yield Hit(text.at, f"refers to {safe(text.text, _SHOWN)}",
                      level="warning" if is_harmless else None)  # fmt: skip


def _ids(schema: Json) -> Iterator[str]:
    """The addresses under which a schema and its parts are known within it."""
    if isinstance(schema, dict):
        if isinstance(own := schema.get("$id"), str):
            yield own.partition("#")[0]
        for _, inner in subschemas(schema):
            yield from _ids(inner)


RULE = Rule(
    code="S114",
    name="remote-reference",
    level="error",
    says="a reference leads to another document",
    why="Fetching it would let a definition reach into the network of whoever reads it, and what "
    "comes back may change after review. It is never fetched here; providers refuse it or take "
    "anything in its place.",
    remedy="put the schema under $defs and refer to it there",
    wrong=(
        {
            "name": "add",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"$ref": "https://schemas.example.net/a.json"}},
            },
        },
    ),
    right=(
        {
            "name": "add",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/a"}},
                "$defs": {"a": {"type": "integer"}},
            },
        },
    ),
    look=_look,
)
