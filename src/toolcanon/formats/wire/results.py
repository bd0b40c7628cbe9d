"""Results of tools as content: repeated values, error texts, provider parts, plain text.

Servers send a structured value and, for clients that accept only text, the same as text. A model
needs it once. Where the text holds the whole value, targets that accept only text get the text; a
value that holds the whole text replaces it. Both are sent where they differ.

A failure with more members (``errorType``, ``details``) is such an envelope already and is sent
unchanged. Reading accepts exactly these shapes as a failure, so that a tool's own text is never
taken for one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, TypeAlias, TypeVar

from toolcanon.formats.wire.codec import (
    NOT_OBJECT,
    NOTES,
    Content,
    WriteLog,
    dump,
    foreign_keys,
    has_foreign,
    in_words,
    noted,
    read_arguments,
)
from toolcanon.ir.conversation import Data, Native, Part, Result, Text
from toolcanon.ir.response import ERROR_KINDS
from toolcanon.jsonio import DEEPEST
from toolcanon.jsonio.types import Json, JsonObject

T = TypeVar("T")
_NONE: Final[frozenset[int]] = frozenset()


def result_text(result: Result) -> str:
    """Return a result as text: texts as they are, values as JSON, names of the other parts."""
    return "\n".join(map(in_words, once(result.content)))


def once(content: list[T], *, values: bool = False) -> list[T]:
    """Return the content without repetitions; ``values`` where values are sent as such."""
    skipped = repeated(content, values=values)
    if not skipped:
        return content
    return [part for index, part in enumerate(content) if index not in skipped]


def skipped(
    content: list[Content], told: WriteLog, at: Iterable[str | int], *, values: bool = False
) -> frozenset[int]:
    """Return what to leave out, and report it: a value that is sent as text, keys of a text."""
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
    """Return the places of repeated parts; ``values`` where a value is sent as such."""
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
    """Return whether texts say all of a value: as it is, or within the one member of an object."""
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
    """Return whether a text is a member of an object, at any depth outside lists."""
    if not isinstance(value, dict):
        return False
    return any(
        (isinstance(inner, (str, dict, list)) and _is_spelled(text, inner))
        or _is_within(text, inner)
        for inner in value.values()
    )


def _is_same(one: Json, other: Json) -> bool:
    """Return whether two values are the same JSON; members have no order, and 1.0 is 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            _is_same(here, there) for here, there in zip(one, other, strict=True)
        )
    return bool(one == other) and isinstance(one, bool) is isinstance(other, bool)


SAID: Final = "said"
"""A note: the envelope as it was read, so that writing it again is not a change."""
_PLAIN: Final = frozenset({"ok", "error"})
_KINDS: Final = ("errorType", "error_type")
_FULL: Final = frozenset({*_PLAIN, *_KINDS, "details"})


def envelope(text: str) -> str:
    """Return the text of an error envelope."""
    return dump({"ok": False, "error": text})


def _failure(text: str) -> JsonObject | None:
    """Return the failure that a text is; None for any other text."""
    if not text.startswith("{") or '"ok"' not in text:
        return None
    value, problem = read_arguments(text)
    is_one = (
        problem is None
        and _PLAIN <= value.keys() <= _FULL
        and value["ok"] is False
        and isinstance(value["error"], str)
        and all(value[key] in ERROR_KINDS for key in _KINDS if key in value)
        and isinstance(value.get("details", {}), dict)
    )
    return value if is_one else None


def unwrap_error(result: Result, format_id: str) -> None:
    """Mark a result as an error where its first and only text is an error envelope.

    The message of a plain envelope is kept as text; one with more members stays as it is.
    """
    first = result.content[0] if result.content else None
    if isinstance(first, Data) and len(result.content) == 1 and isinstance(first.value, dict):
        text = dump(first.value)
        if _failure(text) is not None:  # which a caller forgot to turn into text
            result.content = [first := Text(text)]
    if first.__class__ is not Text or first.extras is not None or first.text[:1] != "{":
        return
    failure = _failure(first.text)
    if failure is None or any(isinstance(part, Text) for part in result.content[1:]):
        return
    result.is_error = True
    if failure.keys() > _PLAIN:
        return
    kept = result.extras or {}
    own = kept.get(format_id, {})
    notes = {**own.get(NOTES, {}), SAID: first.text}
    result.extras = {**kept, format_id: {**own, NOTES: notes}}
    first.text = failure["error"]


def wrap_error(
    result: Result, text: str, format_id: str, told: WriteLog, at: tuple[str | int, ...]
) -> str:
    """Return the envelope of a result's text; the one that was read while its text is the same."""
    said: str | None = noted(result.extras, format_id).get(SAID)
    if said is not None and (_failure(said) or {}).get("error") == text:
        return said
    failure = _failure(text)
    if failure is not None and failure.keys() > _PLAIN:
        return text
    made = envelope(text)
    told.lose("L304", (*at, "is_error"), True, made)
    return made


Place: TypeAlias = tuple[str | int, ...]


_SERVED: Final = "server_tool_use"


def is_unread_call(part: Part, format_id: str, types: tuple[str, ...]) -> bool:
    """Whether a part is a call of a format that its reader could not read: ``types`` are those.

    A call that the provider answers itself may look alike; its type shows it.
    """
    if not isinstance(part, Native) or part.format != format_id or part.type not in types:
        return False
    inner = part.value.get(part.type) if isinstance(part.value, dict) else None
    return not (isinstance(inner, dict) and inner.get("type") == _SERVED)


class Natives:
    """The native parts of one format. A part's type begins with its place: ``content.thing``."""

    __slots__ = ("_id",)

    def __init__(self, format_id: str) -> None:
        self._id = format_id

    def make(self, place: str, value: Json) -> Native:
        """Return a native part for what has no other shape; ``place`` is what it is a part of."""
        kind = value.get("type") if isinstance(value, dict) else None
        return Native(self._id, f"{place}.{kind}" if isinstance(kind, str) else place, value)

    def has(self, part: Native, place: str) -> bool:
        """Return whether it is of this format and goes there."""
        return part.format == self._id and part.type.partition(".")[0] == place

    def tell_foreign(self, part: Part, told: WriteLog, at: Place) -> None:
        """Report keys of another provider that go no further."""
        if part.__class__ is not Native and has_foreign(part.extras, self._id):  # type: ignore[union-attr]
            told.lose("L308", (*at, "extras"), foreign_keys(part.extras, self._id))  # type: ignore[union-attr]


Rename: TypeAlias = Callable[[str], str]
"""What the target calls a tool."""


def texts_in(value: Json, keys: Collection[str], depth: int = 0) -> Iterator[str]:
    """Yield the texts under some keys, at any depth, in order, without encoded bytes."""
    if depth > DEEPEST:
        return
    if isinstance(value, list):
        for item in value:
            yield from texts_in(item, keys, depth + 1)
    elif isinstance(value, dict) and value.get("type") != "base64":
        for key, item in value.items():
            if key in keys:
                yield from _texts(item)
            if isinstance(item, (dict, list)):
                yield from texts_in(item, keys, depth + 1)


def _texts(value: Json) -> list[str]:
    """Return a text, or a list of texts."""
    found = value if isinstance(value, list) else [value]
    return [item for item in found if isinstance(item, str) and item.strip()]


def ran(name: Json, given: Json) -> str | None:
    """That a tool ran, and with what; None where it has no name.

    >>> ran("web_search", {"query": "news"})
    '[Ran web_search: news]'
    """
    if not isinstance(name, str):
        return None
    if isinstance(given, dict) and len(given) == 1:
        (given,) = given.values()
    if isinstance(given, list) and given and all(isinstance(item, str) for item in given):
        given = "; ".join(given)
    words = given if isinstance(given, str) else dump(given) if given else ""
    return f"[Ran {name}: {words}]" if words.strip() else f"[Ran {name}]"


def answered(name: Json, texts: Iterable[Json]) -> str | None:
    """Return the answer as text; None where there is none."""
    said = [text for text in texts if isinstance(text, str) and text.strip()]
    return "\n".join([f"[Result of {name}]", *said]) if said else None


def named(names: Iterable[str], rename: Rename) -> str | None:
    """Return the names of the tools that were found; None where there are none."""
    found = ", ".join(map(rename, names))
    return f"[Tools found: {found}]" if found else None
