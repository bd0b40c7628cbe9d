"""Results that say one thing twice: in words, and as a value.

Servers send a structured value and, for clients that know only text, the same in words. A model
needs it once. Where the words say all of the value, targets that take only text get the words; a
value that says all of the words takes their place. Both are sent where they differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from toolcanon.formats.wire.codec import (
    NOT_OBJECT,
    Content,
    Told,
    foreign_keys,
    has_foreign,
    in_words,
    read_arguments,
)
from toolcanon.ir.conversation import Data, Result, Text
from toolcanon.jsonio.types import Json

T = TypeVar("T")
_NONE: Final[frozenset[int]] = frozenset()


def result_text(result: Result) -> str:
    """A result for whoever takes only text: texts as they are, values as JSON, the rest named."""
    return "\n".join(map(in_words, once(result.content)))


def once(content: list[T], *, values: bool = False) -> list[T]:
    """The content without what it says twice; ``values`` where values go out as such."""
    skipped = repeated(content, values=values)
    if not skipped:
        return content
    return [part for index, part in enumerate(content) if index not in skipped]


def skipped(
    content: list[Content], told: Told, at: Iterable[str | int], *, values: bool = False
) -> frozenset[int]:
    """What to leave out, and the report of it: a value that is told as text, keys of a text."""
    found = repeated(content, values=values)
    for index in sorted(found):
        part, place = content[index], (*at, "content", index)
        if isinstance(part, Data):
            told.lose("L305", place)
        elif isinstance(part, Text):
            value = content[-1].value if isinstance(content[-1], Data) else None
            if not _is_spelled(part.text, value):
                told.lose("L330", place, part.text, value)
            if has_foreign(part.extras, ""):
                told.lose("L308", place, foreign_keys(part.extras, ""))
    return found


def repeated(content: Sequence[object], *, values: bool = False) -> frozenset[int]:
    """The places of what other parts say already; ``values`` where a value goes out as such."""
    if len(content) < 2:  # noqa: PLR2004 - a text and its value
        return _NONE
    *before, last = content
    if not isinstance(last, Data) or any(isinstance(part, Data) for part in before):
        return _NONE
    words = {n: part.text for n, part in enumerate(before) if isinstance(part, Text)}
    if not words:
        return _NONE
    texts = list(words.values())
    if _spell(texts, last.value):
        return frozenset(words) if values else frozenset({len(before)})
    return frozenset(words) if all(_is_within(text, last.value) for text in texts) else _NONE


def _spell(texts: list[str], value: Json) -> bool:
    """Whether texts say all of a value: as it is, or within the one member of an object."""
    if len(texts) == 1 and _is_spelled(texts[0], value):
        return True
    if isinstance(value, dict) and len(value) == 1:
        (inner,) = value.values()
        return _spell(texts, inner)
    return (
        isinstance(value, list)
        and len(value) == len(texts)
        and all(_is_spelled(text, item) for text, item in zip(texts, value, strict=True))
    )


def _is_spelled(text: str, value: Json) -> bool:
    if isinstance(value, str) and text.strip() == value.strip():
        return True
    said, problem = read_arguments(text)
    return problem in {None, NOT_OBJECT} and _is_same(said, value)


def _is_within(text: str, value: Json) -> bool:
    """Whether a text is a member of an object, at any depth; a place in a list would be lost."""
    if not isinstance(value, dict):
        return False
    return any(
        (isinstance(inner, (str, dict, list)) and _is_spelled(text, inner))
        or _is_within(text, inner)
        for inner in value.values()
    )


def _is_same(one: Json, other: Json) -> bool:
    """Whether two values are the same JSON; members have no order, and 1.0 is 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            _is_same(here, there) for here, there in zip(one, other, strict=True)
        )
    return bool(one == other) and isinstance(one, bool) is isinstance(other, bool)
