"""A JSON text edited in place: where its values are, and the least change of the text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from toolcanon.jsonio.types import Json, Pointer

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_decode: Final = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).raw_decode
_Tree: TypeAlias = dict[str, Any]
"""The steps to edit, as nested maps of their texts."""


class TextSpan(NamedTuple):
    """One value in a text, counted in characters from 0."""

    start: int
    """Where its key begins, or the value itself when it has none."""
    value: int
    end: int


def spans(text: str, wanted: Iterable[Pointer]) -> dict[Pointer, TextSpan]:
    """Return the places of those values that are there; ``text`` must be JSON.

    >>> spans('{"a": [1, 2]}', [Pointer(("a", 1))])[Pointer(("a", 1))]
    TextSpan(start=10, value=10, end=11)
    """
    pointers = list(wanted)
    tree: _Tree = {}
    for pointer in pointers:
        node = tree
        for step in pointer:
            node = node.setdefault(str(step), {})
    found: dict[tuple[str, ...], TextSpan] = {}
    start = _blank(text, 0)
    end = _value(text, start, tree, (), found)
    found[()] = TextSpan(start, start, end)
    keys = {pointer: tuple(map(str, pointer)) for pointer in pointers}
    return {pointer: found[key] for pointer, key in keys.items() if key in found}


def line_and_column(text: str, index: int) -> tuple[int, int]:
    """Both counted from 1, columns in characters."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def _blank(text: str, index: int) -> int:
    found = _BLANK.match(text, index)
    return index if found is None else found.end()


def _value(
    text: str, index: int, tree: _Tree, at: tuple[str, ...], found: dict[tuple[str, ...], TextSpan]
) -> int:
    """Return the end of a value; the places to edit inside it are recorded on the way."""
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
            found[*at, step] = TextSpan(start, value, index)
        index = _blank(text, index)
        if text[index] == ",":
            index = _blank(text, index + 1)
        number += 1
    return index + 1


_ABSENT: Final = object()
_INDENT: Final = re.compile(r"\n([ \t]+)")
_BLANKS: Final = " \t\r\n"
_COMMA_AFTER: Final = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")


def edited(text: str, before: Json, after: Json) -> str:
    r"""Return ``text``, whose value is ``before``, edited so that its value is ``after``.

    >>> edited('{"a": 1,\n "b": 2}', {"a": 1, "b": 2}, {"a": 1})
    '{"a": 1}'
    """
    lines = "\r\n" if "\r\n" in text else "\n"
    changes = list(_changes(before, after, ()))
    step = _step(text)
    found = spans(text, [Pointer(at) for at, _, _ in changes])
    replaced = [(found[Pointer(at)], new) for at, old, new in changes if _ABSENT not in (old, new)]
    # From the last to the first: text before a change keeps its place.
    for span, new in sorted(replaced, reverse=True, key=_begin):
        is_long = "\n" in text[span.value : span.end] or text[span.value] not in "{["
        written = _written(new, _margin(text, span.start), step if is_long else "", lines)
        text = text[: span.value] + written + text[span.end :]
    gone = [Pointer(at) for at, _, new in changes if new is _ABSENT]
    for span in sorted(spans(text, gone).values(), reverse=True):
        text = _without(text, span)
    added: dict[Pointer, list[tuple[str, Json]]] = {}
    for at, old, new in changes:
        if old is _ABSENT:
            added.setdefault(Pointer(at[:-1]), []).append((str(at[-1]), new))
    owners = [(span, added[owner]) for owner, span in spans(text, added).items()]
    for span, members in sorted(owners, reverse=True, key=lambda item: item[0].end):
        text = _with(text, span, members, step, lines)
    return text


def _begin(change: tuple[TextSpan, Json]) -> TextSpan:
    return change[0]


def _changes(
    before: Json, after: Json, at: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], Json, Json]]:
    """Yield the least values that differ, with their places."""
    if before is after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys([*before, *after]):
            old, new = before.get(key, _ABSENT), after.get(key, _ABSENT)
            if old is _ABSENT or new is _ABSENT:
                yield (*at, key), old, new
            else:
                yield from _changes(old, new, (*at, key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _changes(old, new, (*at, index))
    elif type(before) is not type(after) or before != after:
        yield at, before, after


def _without(text: str, span: TextSpan) -> str:
    """Return the text without a member and one of its commas."""
    start, end = span.start, span.end
    before = start
    while before and text[before - 1] in _BLANKS:
        before -= 1
    if before and text[before - 1] == ",":
        start = before - 1
    elif (after := _COMMA_AFTER.match(text, end)) is not None:
        end = after.end()
    return text[:start] + text[end:]


def _with(text: str, span: TextSpan, members: list[tuple[str, Json]], step: str, lines: str) -> str:
    """Return the text with new members at the end of an object, laid out as it is."""
    inside = text[span.value + 1 : span.end - 1]
    margin = _margin(text, span.start)
    if "\n" in inside:
        lead, joint = f"{lines}{margin}{step}", ","
    else:
        lead, joint, step = "", ", ", ""
    parts = [
        f"{lead}{json.dumps(key, ensure_ascii=False)}: "
        f"{_written(value, margin + step, step, lines)}"
        for key, value in members
    ]
    end = span.value + 1 + len(inside.rstrip())
    first = joint if inside.strip() else ""
    return text[:end] + first + joint.join(parts) + text[end:]


def _step(text: str) -> str:
    """Return the indentation of the text; empty without one."""
    found = _INDENT.search(text)
    return "" if found is None else found.group(1)


def _margin(text: str, index: int) -> str:
    """Return the blanks that the line of a place begins with."""
    start = text.rfind("\n", 0, index) + 1
    line = text[start:index]
    return line[: len(line) - len(line.lstrip())]


def _written(value: Json, margin: str, step: str, lines: str) -> str:
    if not step or not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=False)
    text = json.dumps(value, ensure_ascii=False, indent=step)
    return text.replace("\n", f"{lines}{margin}")
