"""A fast path for schemas that differ in annotations alone, as most changes do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.drift.contract.difference import Difference
from toolcanon.drift.contract.questions import Path, path_words
from toolcanon.drift.contract.remarks import WORDS
from toolcanon.jsonio.types import JsonObject
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.normal.terms import alike
from toolcanon.schema.references import DEFINITIONS, REFERENCES, Place, subschemas

_SILENT: Final = frozenset({"$comment", "$schema"})
_DEEPER: Final = ANNOTATIONS.difference(WORDS, _SILENT)
"""Annotations other than text."""
_STEPS: Final = frozenset({"properties", "patternProperties", "items", "additionalProperties"})


class _More(Exception):
    """The difference is not in annotations alone."""


def wording(before: JsonObject, after: JsonObject) -> list[Difference] | None:
    """Return the differences if only text differs; None when a full comparison is needed.

    Both must have equal constraints.
    """
    try:
        return list(_words(before, after, (), ()))
    except _More:
        return None


def _words(before: JsonObject, after: JsonObject, path: Path, at: Place) -> Iterator[Difference]:
    """Yield the differences of text in schemas of equal shape."""
    for key in {**before, **after}:
        if key in WORDS:
            old, new = before.get(key), after.get(key)
            if not alike(old, new):
                was = (*at, key) if key in before else None
                now = (*at, key) if key in after else None
                yield Difference(WORDS[key], path_words(path), was, now, old, new)
        elif (
            key in REFERENCES
            or key in DEFINITIONS
            or (key in _DEEPER and not alike(before.get(key), after.get(key)))
        ):
            raise _More
    others = dict(subschemas(after))
    for steps, inner in subschemas(before):
        other = others[steps]
        if inner.__class__ is dict and inner != other:
            key = str(steps[0])
            step = ((key, steps[-1] if key == "properties" else 0),) if key in _STEPS else ()
            yield from _words(inner, other, (*path, *step), (*at, *steps))
