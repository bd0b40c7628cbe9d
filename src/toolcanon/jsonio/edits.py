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
_COMMA_BEFORE: Final = re.compile(r",[ \t\r\n]*$")
_COMMA_AFTER: Final = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")


def edited(text: str, before: Json, after: Json) -> str:
    r"""``text``, which says ``before``, so that it says ``after``.

    >>> edited('{"a": 1,\n "b": 2}', {"a": 1, "b": 2}, {"a": 1})
    '{"a": 1}'
    """
    changes = list(_changes(before, after, ()))
    step = _step(text)
    found = spans(text, [Pointer(at) for at, _, _ in changes])
    replaced = [(found[Pointer(at)], new) for at, old, new in changes if _ABSENT not in (old, new)]
    for span, new in sorted(replaced, reverse=True, key=lambda item: item[0]):
        written = _written(new, _margin(text, span.start), step)
        text = text[: span.value] + written + text[span.end :]
    for gone in (Pointer(at) for at, _, new in changes if new is _ABSENT):
        text = _without(text, spans(text, [gone])[gone])
    added: dict[Pointer, list[tuple[str, Json]]] = {}
    for at, old, new in changes:
        if old is _ABSENT:
            added.setdefault(Pointer(at[:-1]), []).append((str(at[-1]), new))
    for owner, members in added.items():
        text = _with(text, spans(text, [owner])[owner], members, step)
    return text


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
    before = _COMMA_BEFORE.search(text, 0, start)
    if before is not None:
        start = before.start()
    elif (after := _COMMA_AFTER.match(text, end)) is not None:
        end = after.end()
    return text[:start] + text[end:]


def _with(text: str, span: Span, members: list[tuple[str, Json]], step: str) -> str:
    """The text with new members at the end of an object, laid out as it is."""
    inside = text[span.value + 1 : span.end - 1]
    margin = _margin(text, span.start)
    if "\n" in inside:
        lead, joint = f"\n{margin}{step}", ","
    else:
        lead, joint, step = "", ", ", ""
    parts = [
        f"{lead}{json.dumps(key, ensure_ascii=False)}: {_written(value, margin + step, step)}"
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


def _written(value: Json, margin: str, step: str) -> str:
    if not step or not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=step).replace("\n", f"\n{margin}")
