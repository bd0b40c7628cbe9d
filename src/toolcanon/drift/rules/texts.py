"""Changes of texts, which a model reads."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from toolcanon.diagnostics.change import Change
from toolcanon.drift.pair import ToolPair
from toolcanon.drift.report import amended, here, told
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
_DIGITS: Final = re.compile(r"\d+")
_LIMITING: Final = (
    "up to", "at most", "at least", "max", "min", "no more", "no fewer", "no less", "limit",
    "between", "within", "exceed", "more than", "less than", "over", "default", "first", "last",
    "longer than", "shorter than",
)  # fmt: skip
"""Beginnings of limits."""
_NEAR: Final = 60
"""The largest number of characters before the number of a limit."""
_MANY: Final = 32
_CUES: Final = ("required", "mandatory", "must", "exclusive")
_SEARCHED: Final = 20_000
_MARKS: Final = ",._"
_FEW: Final = 40


def texts(pair: ToolPair, changes: Iterable[Change] = ()) -> Iterator[Change]:
    """Yield the changes of the description of the tool; ``changes`` are those of its schemas."""
    before, after = pair.before.description, pair.after.description
    if before == after:
        return
    place = here("description")
    if not before.strip() or not after.strip():
        if before.strip() or after.strip():
            name = "description-added" if after.strip() else "description-removed"
            yield told(name, both=place, before=before, after=after, model_visible=True)
        return
    plain = _plain(before), _plain(after)
    if plain[0] == plain[1]:
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
    yield _reworded(change, plain, known=_numbers(changes))


def with_limits(change: Change, *, is_told: bool) -> Change:
    """Return the change of a member's text as one of a limit when the text has another limit.

    With ``is_told`` the schema changed at the same place, and the text only follows it.
    """
    if isinstance(change.before, str) and isinstance(change.after, str):
        plain = _plain(change.before), _plain(change.after)
        if plain[0] == plain[1]:
            return amended(change, model_visible=False)
        return _reworded(change, plain, is_told=is_told)
    return change


def _numbers(changes: Iterable[Change]) -> frozenset[str]:
    """Return the numbers that changed in a schema."""
    values = [value for change in changes for value in (change.before, change.after)]
    return frozenset(str(value) for value in values if is_number(value))


def _reworded(
    change: Change,
    plain: tuple[str, str],
    *,
    is_told: bool = False,
    known: frozenset[str] = frozenset(),
) -> Change:
    before, after = str(change.before), str(change.after)
    hint = f"{similarity(before, after):.0%} of the words are the same"
    if is_told:
        return amended(change, hint=hint)
    old, new = _limits(before, plain[0]), _limits(after, plain[1])
    added = [words for key, words in new.items() if key not in old and known.isdisjoint(key)]
    removed = [words for key, words in old.items() if key not in new and known.isdisjoint(key)]
    if not (added or removed):
        return amended(change, hint=hint)
    statement = f"states {added[0]!r}" if added else f"no longer states {removed[0]!r}"
    where = change.message.removesuffix(" changed")
    return told("description-constraint-changed", f"{where} {statement}", at=change.at,
                was=change.was, before=before, after=after, severity="low", hint=hint,
                model_visible=True)  # fmt: skip


def similarity(one: str, other: str) -> float:
    """Return the share of words that two texts have in common."""
    mine, theirs = one.split(), other.split()
    total = len(mine) + len(theirs)
    if len(mine) < _FEW and len(theirs) < _FEW:
        own, others_own = set(mine), set(theirs)
        if len(own) + len(others_own) == total:  # no word occurs twice, as in most short texts
            return 2 * len(own & others_own) / total if total else 1.0
    words, others = Counter(mine), Counter(theirs)
    both = words.keys() & others.keys()
    shared = sum(map(min, map(words.__getitem__, both), map(others.__getitem__, both)))
    return 2 * shared / total if total else 1.0


def _limits(text: str, plain: str) -> dict[tuple[str, ...], str]:
    """Return the limits and conditions in a text, normalized, with their original text."""
    words = (plain if len(text) <= _SEARCHED else _plain(text[:_SEARCHED])).lower()
    found: dict[tuple[str, ...], str] = {}
    numbers = [match.start() for match in islice(_DIGITS.finditer(words), _MANY)]
    for match in _LIMIT.finditer(words) if _may_limit(words, numbers) else ():
        kind = "default" if match.group().startswith("default") else "limit"
        found.setdefault((kind, match[1].strip(_MARKS)), match.group().strip())
    for match in _RANGE.finditer(words) if len(numbers) > 1 else ():
        key = ("range", match[1].strip(_MARKS), match[2].strip(_MARKS))
        found.setdefault(key, match.group())
    for match in _CONDITION.finditer(words) if any(map(words.__contains__, _CUES)) else ():
        found.setdefault(("condition", *match.group().split()[:4]), match.group().strip())
    return found


def _may_limit(words: str, numbers: list[int]) -> bool:
    """Precheck whether a limit may be before one of the numbers."""
    if len(numbers) == _MANY:
        return True
    before = [words[max(0, at - _NEAR) : at] for at in numbers]
    return any(any(map(piece.__contains__, _LIMITING)) for piece in before)


def _plain(text: str) -> str:
    """Return a text with normalized line ends, blanks and quotes."""
    if text.isprintable() and text.isascii() and "  " not in text:  # the most common case
        return text.strip()
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_QUOTES)
    return " ".join(text.split())
