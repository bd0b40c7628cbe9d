"""YAML documents as the JSON they stand for: what OpenAPI is most often written in.

Only the safe loader, and of what it makes only what JSON has: no dates, no keys that are no text,
no key twice. Aliases are counted as often as they are used before anybody follows them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolcanon.errors import DuplicateKey, LimitExceeded, MalformedJson, MissingPackage
from toolcanon.jsonio import Limits, Loaded, Pointer
from toolcanon.jsonio.types import Json

SUFFIXES = (".yaml", ".yml")


def load_yaml(data: bytes, limits: Limits) -> Loaded:
    """One document. Raises MalformedJson, DuplicateKey, LimitExceeded, MissingPackage."""
    yaml = _package()
    return Loaded(_value(_composed(data, limits), yaml.SafeLoader("")), (), len(data))


def places_in_yaml(
    data: bytes, limits: Limits, wanted: Iterable[Pointer]
) -> dict[Pointer, tuple[int, int]]:
    """Line and column of those values that are there, from 1; of a member where its key stands."""
    root = _composed(data, limits)
    members: dict[int, dict[str, tuple[Any, Any]]] = {}
    found: dict[Pointer, tuple[int, int]] = {}
    for pointer in wanted:
        node, mark = root, None if root is None else root.start_mark
        for step in pointer:
            if id(node) not in members:
                members[id(node)] = _members(node)
            node, mark = members[id(node)].get(str(step), (None, None))
            if node is None:
                break
        if mark is not None:
            found[pointer] = (mark.line + 1, mark.column + 1)
    return found


def _members(node: Any) -> dict[str, tuple[Any, Any]]:
    """What stands in a node, by its step: the value, and where it begins."""
    if node is None or node.id == "scalar":
        return {}
    if node.id == "mapping":
        return {key.value: (value, key.start_mark) for key, value in node.value}
    return {str(number): (value, value.start_mark) for number, value in enumerate(node.value)}


def _package() -> Any:
    try:
        import yaml  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingPackage("PyYAML", "yaml", "read YAML") from None
    return yaml


def _composed(data: bytes, limits: Limits) -> Any:
    """The nodes of a document, weighed."""
    yaml = _package()
    if len(data) > limits.bytes:
        raise LimitExceeded("bytes", limits.bytes)
    try:
        node = yaml.compose(data, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        reason = str(getattr(error, "problem", None) or error).lower()
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (None, None)
        raise MalformedJson(f"as YAML, {reason}", line, column) from None
    except RecursionError:
        raise LimitExceeded("depth", limits.depth) from None
    _weigh(node, limits)
    return node


def _weigh(node: Any, limits: Limits) -> None:
    """Refuse what would be too much once every alias is followed; each node is looked at once."""
    known: dict[int, tuple[int, int]] = {}

    def weight(node: Any, above: int) -> tuple[int, int]:
        found = known.get(id(node))
        if found is None:
            if above > limits.depth:  # an alias of what it stands in, too
                raise LimitExceeded("depth", limits.depth)
            inner = [weight(child, above + 1) for child in _children(node)]
            size = 1 + sum(count for count, _ in inner)
            found = known[id(node)] = (size, 1 + max((deep for _, deep in inner), default=0))
        if found[0] > limits.values:
            raise LimitExceeded("values", limits.values)
        if above + found[1] > limits.depth + 1:
            raise LimitExceeded("depth", limits.depth)
        return found

    weight(node, 0)


def _children(node: Any) -> list[Any]:
    if node is None or node.id == "scalar":
        return []
    return [value for _, value in node.value] if node.id == "mapping" else list(node.value)


def _value(node: Any, loader: Any) -> Json:
    if node is None:
        return None
    if node.id == "sequence":
        return [_value(child, loader) for child in node.value]
    if node.id == "mapping":
        out: dict[str, Json] = {}
        for key, child in node.value:
            name = key.value if key.id == "scalar" else None
            if name is None or key.tag == "tag:yaml.org,2002:merge":
                where = key.start_mark
                raise MalformedJson("a key that is no text", where.line + 1, where.column + 1)
            if name in out:
                again = (key.start_mark.line + 1, key.start_mark.column + 1)
                raise DuplicateKey(name, again, again)
            out[name] = _value(child, loader)
        return out
    kind = node.tag.rpartition(":")[2]
    if kind in {"int", "float", "bool", "null"}:
        return loader.construct_object(node)
    return node.value
