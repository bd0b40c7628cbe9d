"""Whether a default or an example fits its own schema, at little cost."""

from __future__ import annotations

from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.judge import judge
from toolcanon.schema.keywords import TYPES
from toolcanon.schema.values import has_type

_SILENT: Final = frozenset({"default", "deprecated", "description", "examples", "title", "type"})
_DEFINITIONS: Final = ("$defs", "definitions")


def refusal(value: Json, node: JsonObject, root: JsonObject) -> str | None:
    """Return why a schema rejects a value; None when it accepts it or cannot be evaluated.

    A validator is built only where the schema has more than a type.
    """
    if node.keys() <= _SILENT:
        kind = node.get("type")
        if not isinstance(kind, list):
            if not isinstance(kind, str) or kind not in TYPES or has_type(value, (kind,)):
                return None
            return f"it is not of type {kind}"
    if node is not root:
        node = {**node, **{word: root[word] for word in _DEFINITIONS if word in root}}
    problems = judge(node).problems(value)
    return problems[0].message if problems else None
