"""Compare descriptions, defaults and other annotations, which reject no value."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from toolcanon.drift.contract.difference import Difference
from toolcanon.drift.contract.questions import Questions
from toolcanon.drift.contract.twins import Said, Twin, Version
from toolcanon.jsonio.types import Json
from toolcanon.schema.containment import Contained
from toolcanon.schema.normal.terms import alike

WORDS: Final = {
    "description": "description-changed",
    "title": "title-changed",
    "examples": "examples-changed",
}
_CONTENT: Final = ("contentEncoding", "contentMediaType", "contentSchema")
_ONE_WAY: Final = ("readOnly", "writeOnly")
_DEFAULT: Final = "default"
_MORE: Final = frozenset({*_CONTENT, *_ONE_WAY, "deprecated"})
REMARKS: Final = _MORE | {*WORDS, _DEFAULT}


def remarks(
    twin: Twin, queries: Questions, differing: AbstractSet[str] | None
) -> Iterator[Difference]:
    """Yield the differences of annotations, of these keywords or of all."""
    if not twin.says(REMARKS):
        return
    for key, name in WORDS.items():
        if differing is None or key in differing:
            yield from _different(twin, key, name)
    if differing is None or not _MORE.isdisjoint(differing):
        yield from _more(twin, queries)
    yield from _default(twin, queries)


def _more(twin: Twin, queries: Questions) -> Iterator[Difference]:
    """Compare annotations other than text."""
    for key in _ONE_WAY:
        if _is_set(twin.before, key) != _is_set(twin.after, key):
            yield _plain(twin, key, "read-write-only-changed")
    if _is_set(twin.before, "deprecated") != _is_set(twin.after, "deprecated"):
        is_new = _is_set(twin.after, "deprecated")
        yield _plain(twin, "deprecated", "deprecated-set" if is_new else "deprecated-cleared")
    for key in _CONTENT:
        if not _same(twin.before.first(key), twin.after.first(key)):
            used = queries.used(twin.path)
            yield _plain(twin, key, "content-encoding-changed", used)


def _default(twin: Twin, queries: Questions) -> Iterator[Difference]:
    """Compare defaults; ``null`` where null is allowed is the same as no default."""
    old, new = twin.before.first(_DEFAULT), twin.after.first(_DEFAULT)
    old, new = _effective_default(old, twin.before), _effective_default(new, twin.after)
    if _same(old, new) or not twin.path or twin.path[-1][0] != "properties":
        return
    name = (
        "default-added" if old is None else "default-removed" if new is None else "default-changed"
    )
    omitted = None if old is None else queries.omitted(twin.path)
    yield Difference(
        name, twin.words,
        None if old is None else old.place(_DEFAULT), None if new is None else new.place(_DEFAULT),
        None if old is None else old.value, None if new is None else new.value,
        omitted, None, is_soft=new is None,
    )  # fmt: skip


def _effective_default(said: Said | None, version: Version) -> Said | None:
    if said is None or (said.value is None and "null" in version.kinds):
        return None
    return said


def _different(twin: Twin, key: str, name: str) -> Iterator[Difference]:
    if not _same(twin.before.first(key), twin.after.first(key)):
        yield _plain(twin, key, name)


def _plain(twin: Twin, key: str, name: str, narrowed: Contained | None = None) -> Difference:
    old, new = twin.before.first(key), twin.after.first(key)
    return Difference(
        name, twin.words,
        None if old is None else old.place(key), None if new is None else new.place(key),
        _value(old), _value(new), narrowed, is_soft=narrowed is not None,
    )  # fmt: skip


def _same(one: Said | None, other: Said | None) -> bool:
    if one is None or other is None:
        return one is other
    return alike(one.value, other.value)


def _value(said: Said | None) -> Json:
    return None if said is None else said.value


def _is_set(version: Version, key: str) -> bool:
    return any(value is True for value in version.values(key))
