"""Check whether a type surely has a JSON Schema, without writing the schema.

Writing a schema costs as much as making a model, and a program defines its tools long before it
sends any. So a schema is written on first use, unless that might fail: errors are reported where a
tool is defined. Only types that are known never to fail pass. The names below are those of
pydantic's core schemas; in versions with other names, the schema is written at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType
from typing import Any, Final

from pydantic import BaseModel
from pydantic_core import CoreSchema

_LEAVES: Final = frozenset(
    "any none bool int float str bytes date time datetime timedelta decimal uuid url "
    "definition-ref".split()
)
_INNER: Final = frozenset(
    "nullable default list tuple set frozenset dict union definitions typed-dict typed-dict-field "
    "model model-fields model-field dataclass dataclass-args dataclass-field".split()
)
_BELOW: Final = (
    "schema",
    "items_schema",
    "keys_schema",
    "values_schema",
    "choices",
    "fields",
    "definitions",
    "extras_schema",
)
_HARMLESS: Final = frozenset({"pydantic_js_updates", "pydantic_js_functions"})
_WORDS: Final = frozenset({str, int, float, bool, NoneType})
_OWN: Final = BaseModel.__get_pydantic_json_schema__.__func__  # type: ignore[attr-defined]
_FIELDS: Final = frozenset({"dataclass", "typed-dict"})


def is_sayable(core: CoreSchema) -> bool:
    """Return whether writing the schema cannot fail."""
    nodes: list[Any] = [core]
    while nodes:
        node = nodes.pop()
        kind = node["type"]
        if "serialization" in node:
            return False
        if kind in _LEAVES:
            if "metadata" in node and not _is_harmless(node["metadata"]):
                return False
        elif kind in {"literal", "enum"}:
            if not all(type(word) in _WORDS for word in _words(node)):
                return False
        elif kind not in _INNER or not _is_plain(node, kind):
            return False
        else:
            nodes.extend(_below(node, kind))
    return True


def _words(node: Any) -> Iterator[Any]:
    if node["type"] == "literal":
        return iter(node["expected"])
    hooked = hasattr(node["cls"], "__get_pydantic_json_schema__")
    return iter([...] if hooked else [member.value for member in node["members"]])


def _is_plain(node: Any, kind: str) -> bool:
    """Return whether a node has no hooks or settings of its own."""
    if node.get("computed_fields") or node.get("root_model"):
        return False
    if kind == "model":
        config = node["cls"].model_config
        if "json_schema_extra" in config or "model_title_generator" in config:
            return False
    elif kind in _FIELDS and getattr(node.get("cls"), "__pydantic_config__", None):
        return False
    return _is_harmless(node.get("metadata"))


def _is_harmless(metadata: Any) -> bool:
    if not metadata:
        return True
    functions = metadata.get("pydantic_js_functions", ())
    own = all(getattr(function, "__func__", None) is _OWN for function in functions)
    return own and metadata.keys() <= _HARMLESS


def _below(node: Any, kind: str) -> Iterator[Any]:
    for word in _BELOW:
        inner = node.get(word)
        if inner is None or (word == "fields" and kind == "dataclass"):  # these are names
            continue
        if word == "fields" and isinstance(inner, dict):
            yield from inner.values()
        elif isinstance(inner, list):
            for item in inner:
                yield item[0] if isinstance(item, tuple) else item
        else:
            yield inner
