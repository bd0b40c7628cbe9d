"""Where values stand in a JSON text: for lines and columns in reports, and for small edits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple, TypeAlias

from toolcanon.jsonio.pointer import Pointer

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_decode: Final = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).raw_decode
_Tree: TypeAlias = dict[str, Any]
"""The steps that are wanted, as nested maps of their texts."""


class Span(NamedTuple):
    """One value in a text, counted in characters from 0."""

    start: int
    """Where its key begins, or the value itself when it has none."""
    value: int
    end: int


def spans(text: str, wanted: Iterable[Pointer]) -> dict[Pointer, Span]:
    """The places of those values that are there; ``text`` must be JSON.

    >>> spans('{"a": [1, 2]}', [Pointer(("a", 1))])[Pointer(("a", 1))]
    Span(start=10, value=10, end=11)
    """
    pointers = list(wanted)
    tree: _Tree = {}
    for pointer in pointers:
        node = tree
        for step in pointer:
            node = node.setdefault(str(step), {})
    found: dict[tuple[str, ...], Span] = {}
    start = _blank(text, 0)
    end = _value(text, start, tree, (), found)
    found[()] = Span(start, start, end)
    keys = {pointer: tuple(map(str, pointer)) for pointer in pointers}
    return {pointer: found[key] for pointer, key in keys.items() if key in found}


def line_and_column(text: str, index: int) -> tuple[int, int]:
    """Both counted from 1, columns in characters."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def _blank(text: str, index: int) -> int:
    found = _BLANK.match(text, index)
    return index if found is None else found.end()


def _value(
    text: str, index: int, tree: _Tree, at: tuple[str, ...], found: dict[tuple[str, ...], Span]
) -> int:
    """The end of a value; what is wanted inside is written down on the way."""
    if not tree or text[index] not in "{[":
        return _decode(text, index)[1]
    is_object = text[index] == "{"
    index = _blank(text, index + 1)
    number = 0
    while text[index] not in "}]":
        start, step = index, str(number)
        if is_object:
            step, index = _decode(text, index)
            index = _blank(text, _blank(text, index) + 1)  # over the colon
        inner = tree.get(step)
        value = index
        if inner is None:
            index = _decode(text, index)[1]
        else:
            index = _value(text, index, inner, (*at, step), found)
            found[*at, step] = Span(start, value, index)
        index = _blank(text, index)
        if text[index] == ",":
            index = _blank(text, index + 1)
        number += 1
    return index + 1
