"""Read YAML as the JSON it represents; OpenAPI documents are often YAML.

Scalars follow the core schema of YAML 1.2, restricted to JSON: no dates, no infinities, no keys
other than strings, no repeated keys. Merge keys are older than 1.2 but in use, so they are applied.
Each use of an alias counts towards the limits, before aliases are expanded.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from toolcanon.errors import (
    DuplicateKey,
    LimitExceeded,
    LoneSurrogate,
    MalformedJson,
    MissingPackage,
    NumberOutOfRange,
)
from toolcanon.jsonio import Limits, Loaded, Pointer
from toolcanon.jsonio.types import Json

_TAG: Final = "tag:yaml.org,2002:"
_MERGE: Final = f"{_TAG}merge"
# YAML 1.2.2, section 10.3.2. The first pattern that fits decides.
_CORE: Final[dict[str, re.Pattern[str]]] = {
    "null": re.compile(r"(?:~|null|Null|NULL|)\Z"),
    "bool": re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"),
    "int": re.compile(r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\Z"),
    "float": re.compile(
        r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
    ),
    "merge": re.compile(r"<<\Z"),
}
_BASES: Final = {"0o": 8, "0x": 16}


def load_yaml(data: bytes, limits: Limits) -> Loaded:
    """Parse one document.

    Raises MalformedJson, DuplicateKey, NumberOutOfRange, LoneSurrogate, LimitExceeded and
    MissingPackage.
    """
    node = _composed(data, limits)
    return Loaded(None if node is None else _value(node, limits), (), len(data))


def places_in_yaml(
    data: bytes, limits: Limits, wanted: Iterable[Pointer]
) -> dict[Pointer, tuple[int, int]]:
    """Return line and column, from 1, of the values that exist; a member has those of its key."""
    root = _composed(data, limits)
    if root is None:
        return {}
    members: dict[int, dict[str, tuple[Any, Any]]] = {}
    found: dict[Pointer, tuple[int, int]] = {}
    for pointer in wanted:
        node, mark = root, root.start_mark
        for step in pointer:
            if id(node) not in members:
                members[id(node)] = _members(node)
            node, mark = members[id(node)].get(str(step), (None, None))
            if node is None:
                break
        if mark is not None:
            found[pointer] = _place(mark)
    return found


def _members(node: Any) -> dict[str, tuple[Any, Any]]:
    """Return the children of a node by step: the value, and where it begins."""
    if node.id == "scalar":
        return {}
    if node.id == "mapping":
        return {_text(key): (value, key.start_mark) for key, value in _pairs(node)}
    return {str(number): (value, value.start_mark) for number, value in enumerate(node.value)}


def _package() -> Any:
    try:
        import yaml  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingPackage("PyYAML", "yaml", "read YAML") from None
    return yaml


@cache
def _loader(yaml: Any) -> Any:
    """Return PyYAML's safe loader, with the scalars of the 1.2 core schema instead of 1.1."""
    loader: Any = type("CoreLoader", (yaml.SafeLoader,), {"yaml_implicit_resolvers": {}})
    for kind, pattern in _CORE.items():
        loader.add_implicit_resolver(_TAG + kind, pattern, None)
    return loader


def _composed(data: bytes, limits: Limits) -> Any:
    """Return the nodes of a document, checked against the limits."""
    yaml = _package()
    if len(data) > limits.bytes:
        raise LimitExceeded("bytes", limits.bytes)
    try:
        loader = _loader(yaml)(data)
        node = loader.get_single_node()
    except RecursionError:
        raise LimitExceeded("depth", limits.depth) from None
    except yaml.reader.ReaderError as error:
        raise MalformedJson(f"as YAML, {' '.join(str(error).split())}") from None
    # The scanner converts any escape to a character, and fails on some invalid ones.
    except (yaml.YAMLError, ValueError, OverflowError, LookupError) as error:
        mark = getattr(error, "problem_mark", None) or loader.get_mark()
        reason = str(getattr(error, "problem", None) or error).lower()
        raise MalformedJson(f"as YAML, {reason}", *_place(mark)) from None
    if node is not None:
        _weigh(node, limits)
    return node


def _weigh(node: Any, limits: Limits) -> None:
    """Raise LimitExceeded if the document is too large with its aliases; each node is visited once.

    What a merge key adds counts where it is merged.
    """
    known: dict[int, tuple[int, int]] = {}

    def weight(node: Any, above: int) -> tuple[int, int]:
        found = known.get(id(node))
        if found is None:
            if above > limits.depth:  # also for an alias of an ancestor
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
    if node.id == "scalar":
        return []
    return [value for _, value in node.value] if node.id == "mapping" else list(node.value)


def _pairs(node: Any) -> list[tuple[Any, Any]]:
    """Return the keys and values of a mapping after those it merges; the last of equal keys wins.

    Of several merged mappings the first wins, so they come in reverse order.
    """
    merged: list[tuple[Any, Any]] = []
    own: dict[str, tuple[Any, Any]] = {}
    for key, value in node.value:
        place = _place(key.start_mark)
        if key.id != "scalar":
            raise MalformedJson("a key that is not a string", *place)
        if key.tag != _MERGE:
            name = _text(key)
            if name in own:
                raise DuplicateKey(name, _place(own[name][0].start_mark), place)
            own[name] = (key, value)
            continue
        for source in reversed(value.value) if value.id == "sequence" else (value,):
            if source.id != "mapping":
                reason = (
                    "a merge key needs a mapping or a list of them; quote it to make it a string"
                )
                raise MalformedJson(reason, *place)
            merged += _pairs(source)
    return [*merged, *own.values()]


def _value(node: Any, limits: Limits) -> Json:
    if node.id == "scalar":
        return _scalar(node, limits)
    if node.id == "sequence":
        return [_value(child, limits) for child in node.value]
    members = {_text(key): value for key, value in _pairs(node)}
    return {name: _value(value, limits) for name, value in members.items()}


def _scalar(node: Any, limits: Limits) -> Json:
    """Return a scalar by its tag; without a JSON type it is a string."""
    kind = node.tag.removeprefix(_TAG)
    if kind not in {"null", "bool", "int", "float"}:
        return _text(node)
    text: str = node.value
    place = _place(node.start_mark)
    if _CORE[kind].match(text) is None:
        raise MalformedJson(f"{text[:40]!r} is tagged as {kind}, but is not one", *place)
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() == "true"
    return _number(text, kind, limits, place)


def _number(text: str, kind: str, limits: Limits, place: tuple[int, int]) -> int | float:
    """Return a number that JSON can represent exactly as it was written."""
    most = min(limits.digits, sys.get_int_max_str_digits() or limits.digits)
    if len(text) > most:
        where = f" at line {place[0]}, column {place[1]}"
        raise LimitExceeded("digits", most, len(text), where)
    if kind == "int":
        return int(text, _BASES.get(text[:2], 10))
    words = text.lower()
    value = math.nan if words[-1] in "fn" else float(text)
    vanished = value == 0 and words.partition("e")[0].strip("-+0.") != ""
    if vanished or not math.isfinite(value):
        raise NumberOutOfRange(text, *place)
    return value


def _text(node: Any) -> str:
    """Return a string; two escapes of a surrogate pair are one character, as in JSON."""
    text: str = node.value
    if text.isascii():
        return text
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeError:
        line, column = _place(node.start_mark)
        raise LoneSurrogate(f"line {line}, column {column}") from None


def _place(mark: Any) -> tuple[int, int]:
    return mark.line + 1, mark.column + 1
