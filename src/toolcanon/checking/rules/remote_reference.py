"""S114: a reference to another document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.jsonio.types import Json
from toolcanon.schema.references import Place
from toolcanon.schema.resources import by_place
from toolcanon.text import safe

_SHOWN: Final = 120


def _look(subject: Subject) -> Iterator[Hit]:
    far = [text for text in subject.texts if text.role == "reference" and text.text[:1] != "#"]
    if not far:
        return
    tool = subject.tool
    local = {*_resolved(tool.input_schema, "inputs"), *_resolved(tool.output_schema, "outputs")}
    reported: set[str] = set()
    for text in far:
        address = text.text.partition("#")[0]
        if tuple(text.at) in local or address in reported:
            continue
        reported.add(address)
        yield Hit(text.at, f"refers to {safe(text.text, _SHOWN)}")


def _resolved(schema: Json, side: str) -> Iterator[Place]:
    """Return references that resolve by an identifier within the schema."""
    if isinstance(schema, dict):
        yield from ((side, *at) for at, _, now in by_place(schema)[1] if now is not None)


RULE = Rule(
    code="S114",
    name="remote-reference",
    level="error",
    says="a reference points to another document",
    why="A client that fetches it lets a definition reach into its network, and the document may "
    "change after review. toolcanon never fetches it; providers reject it or accept anything "
    "in its place.",
    remedy="copy the schema into `$defs`",
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
