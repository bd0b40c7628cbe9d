"""A JSON text changed as little as it takes to say something else: layout and order stay."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from toolcanon.jsonio.pointer import Pointer
from toolcanon.jsonio.spans import Span, spans
from toolcanon.jsonio.types import Json

_ABSENT: Final = object()
_INDENT: Final = re.compile(r"\n([ \t]+)")
_BLANKS: Final = " \t\r\n"
_COMMA_AFTER: Final = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")


def edited(text: str, before: Json, after: Json) -> str:
    r"""``text``, which says ``before``, so that it says ``after``.

    >>> edited('{"a": 1,\n "b": 2}', {"a": 1, "b": 2}, {"a": 1})
    '{"a": 1}'
    """
    lines = "\r\n" if "\r\n" in text else "\n"
    changes = list(_changes(before, after, ()))
    step = _step(text)
    found = spans(text, [Pointer(at) for at, _, _ in changes])
    replaced = [(found[Pointer(at)], new) for at, old, new in changes if _ABSENT not in (old, new)]
    # From the last to the first: what stands before a change keeps its place.
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


def _begin(change: tuple[Span, Json]) -> Span:
    return change[0]


def _changes(
    before: Json, after: Json, at: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], Json, Json]]:
    """The least values that differ, with their places."""
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


def _without(text: str, span: Span) -> str:
    """The text without a member and one of its commas."""
    start, end = span.start, span.end
    before = start
    while before and text[before - 1] in _BLANKS:
        before -= 1
    if before and text[before - 1] == ",":
        start = before - 1
    elif (after := _COMMA_AFTER.match(text, end)) is not None:
        end = after.end()
    return text[:start] + text[end:]


def _with(text: str, span: Span, members: list[tuple[str, Json]], step: str, lines: str) -> str:
    """The text with new members at the end of an object, laid out as it is."""
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
    """How the text indents; empty when it does not."""
    found = _INDENT.search(text)
    return "" if found is None else found.group(1)


def _margin(text: str, index: int) -> str:
    """The blanks that the line of a place begins with."""
    start = text.rfind("\n", 0, index) + 1
    line = text[start:index]
    return line[: len(line) - len(line.lstrip())]


def _written(value: Json, margin: str, step: str, lines: str) -> str:
    if not step or not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=False)
    text = json.dumps(value, ensure_ascii=False, indent=step)
    return text.replace("\n", f"{lines}{margin}")
