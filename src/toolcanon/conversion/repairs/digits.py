"""Integers that the target stores with fewer digits: nothing is changed, the loss is reported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import orjson

from toolcanon.conversion.repairs.tale import Tale
from toolcanon.conversion.repairs.terms import Terms
from toolcanon.formats.wire.echo import once
from toolcanon.ir.conversation import Call, Conversation, Data, Media, Result
from toolcanon.jsonio import DEEPEST
from toolcanon.jsonio.types import Json

_MANY_DIGITS: Final = re.compile(rb"\d{16}")


def report_digits(conversation: Conversation, terms: Terms, tale: Tale) -> None:
    """Report every such integer in arguments, and in results that are sent as values."""
    largest = terms.rules.largest_integer
    if largest is None:
        return
    for message in conversation.messages:
        for part in message.parts:
            if part.__class__ is Call:
                if _may_hold_any(part.arguments):
                    for place, number, stored in _lost(part.arguments, largest, ("arguments",)):
                        tale.lose("L332", part, *place, before=number, after=stored)
            elif part.__class__ is Result:
                for place, number, stored in lost_digits(part, largest):
                    tale.lose("L332", part, *place, before=number, after=stored)


def lost_digits(result: Result, largest: int) -> Iterator[tuple[tuple[str, ...], int, int | None]]:
    """Places in a result whose integers lose digits, with the integer and what is stored.

    Beside other words a value is sent as text, which keeps all digits.
    """
    said = [held for held in once(result.content, values=True) if not isinstance(held, Media)]
    if len(said) == 1 and isinstance(said[0], Data) and _may_hold_any(said[0].value):
        number = next(n for n, held in enumerate(result.content) if held is said[0])
        yield from _lost(said[0].value, largest, ("content", str(number)))


def _may_hold_any(value: Json) -> bool:
    try:
        return _MANY_DIGITS.search(orjson.dumps(value)) is not None
    except TypeError:  # integers beyond 64 bits, depth
        return True


def _lost(
    value: Json, largest: int, lead: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], int, int | None]]:
    for place, number in _beyond(value, largest, ()):
        stored = _stored(number)
        if stored != number:
            yield (*lead, *place), number, stored


def _stored(number: int) -> int | None:
    """What is left of an integer in a double; None where it is too large for one."""
    try:
        return int(float(number))
    except OverflowError:
        return None


def _beyond(
    value: Json, largest: int, at: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], int]]:
    if value.__class__ is int:
        if abs(value) > largest:
            yield at, value
    elif len(at) > DEEPEST:
        return
    elif value.__class__ is dict:
        for key, item in value.items():
            yield from _beyond(item, largest, (*at, key))
    elif value.__class__ is list:
        for index, item in enumerate(value):
            yield from _beyond(item, largest, (*at, str(index)))
