"""Texts: what a model reads, whatever the schema says."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from toolcanon.diagnostics.change import Change
from toolcanon.drift.pair import Pair
from toolcanon.drift.telling import here, told
from toolcanon.schema.values import is_number

_QUOTES: Final = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-",
    "\u2026": "...", "\u00a0": " ",
})  # fmt: skip
_LIMIT: Final = re.compile(
    r"""(?x)
    \b(?:up\ to|at\ (?:most|least)|max(?:imum)?|min(?:imum)?|no\ (?:more|fewer|less)\ than
       |limit(?:ed)?(?:\ (?:to|of))?|between|within|exceed(?:s|ing)?|more\ than|less\ than|over
       |default(?:s)?(?:\ (?:to|is|value))?|first|last|longer\ than|shorter\ than)
    \b[^.\n\d]{0,30}?(\d[\d,._]*)\s?([a-z%]{0,12})"""
)
_RANGE: Final = re.compile(r"\b(\d[\d,._]*)\s?(?:-|to|\.\.)\s?(\d[\d,._]*)\b")
_CONDITION: Final = re.compile(
    r"\b(?:(?:only )?required (?:if|when|for|unless)|mandatory (?:if|when|for)|"
    r"must (?:also )?be (?:provided|set|given) (?:if|when|with)|mutually exclusive)\b[^.\n]{0,40}"
)
_DIGITS: Final = re.compile(r"\d")
_CUES: Final = ("required", "mandatory", "must", "exclusive")
_SEARCHED: Final = 20_000
_MARKS: Final = ",._"


def texts(pair: Pair, changes: Iterable[Change] = ()) -> Iterator[Change]:
    """What changed in the description of the tool; ``changes`` are those of its schemas."""
    before, after = pair.before.description, pair.after.description
    if before == after:
        return
    place = here("description")
    if not before.strip() or not after.strip():
        if before.strip() or after.strip():
            name = "description-added" if after.strip() else "description-removed"
            yield told(name, both=place, before=before, after=after, model_visible=True)
        return
    if _plain(before) == _plain(after):
        yield told("description-whitespace-changed", both=place, before=before, after=after)
        return
    change = told(
        "description-changed",
        "the description changed",
        both=place,
        before=before,
        after=after,
        model_visible=True,
    )
    yield _reworded(change, known=_numbers(changes))


def with_limits(change: Change, *, is_told: bool) -> Change:
    """The change of a member's text, told as one of a limit when the words name another one.

    ``is_told`` says that the schema changed at the same place: then the words only follow it.
    """
    if isinstance(change.before, str) and isinstance(change.after, str):
        if _plain(change.before) == _plain(change.after):
            return replace(change, model_visible=False)
        return _reworded(change, is_told=is_told)
    return change


def _numbers(changes: Iterable[Change]) -> frozenset[str]:
    """The numbers that changed in a schema, too."""
    values = [value for change in changes for value in (change.before, change.after)]
    return frozenset(str(value) for value in values if is_number(value))


def _reworded(
    change: Change, *, is_told: bool = False, known: frozenset[str] = frozenset()
) -> Change:
    before, after = str(change.before), str(change.after)
    old, new = _limits(before), _limits(after)
    hint = f"{similarity(before, after):.0%} of the words are the same"
    fresh = [words for key, words in new.items() if key not in old and known.isdisjoint(key)]
    gone = [words for key, words in old.items() if key not in new and known.isdisjoint(key)]
    if is_told or not (fresh or gone):
        return replace(change, hint=hint)
    says = f"says {fresh[0]!r} now" if fresh else f"no longer says {gone[0]!r}"
    where = change.message.removesuffix(" changed")
    return told("description-constraint-changed", f"{where} {says}", at=change.at,
                was=change.was, before=before, after=after, severity="low", hint=hint,
                model_visible=True)  # fmt: skip


def similarity(one: str, other: str) -> float:
    """The share of words that two texts have in common."""
    words, others = Counter(one.split()), Counter(other.split())
    total = sum(words.values()) + sum(others.values())
    return 2 * sum((words & others).values()) / total if total else 1.0


def _limits(text: str) -> dict[tuple[str, ...], str]:
    """The limits and conditions that a text names, in one spelling, with its own words."""
    words = _plain(text[:_SEARCHED]).lower()
    found: dict[tuple[str, ...], str] = {}
    has_numbers = _DIGITS.search(words) is not None
    for match in _LIMIT.finditer(words) if has_numbers else ():
        kind = "default" if match.group().startswith("default") else "limit"
        found.setdefault((kind, match[1].strip(_MARKS)), match.group().strip())
    for match in _RANGE.finditer(words) if has_numbers else ():
        key = ("range", match[1].strip(_MARKS), match[2].strip(_MARKS))
        found.setdefault(key, match.group())
    for match in _CONDITION.finditer(words) if any(cue in words for cue in _CUES) else ():
        found.setdefault(("condition", *match.group().split()[:4]), match.group().strip())
    return found


def _plain(text: str) -> str:
    """A text without what nobody reads: line ends, doubled blanks, kinds of quotes."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_QUOTES).split())
