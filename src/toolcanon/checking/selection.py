"""Which findings are told: by code, by name, or by the beginning of a code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Self

from toolcanon.checking.rules import rules
from toolcanon.diagnostics import CODES, FINDINGS
from toolcanon.errors import UnknownCode

_USUAL: Final = frozenset({"C", "L", "S"})
"""Compatibility, what is lost on the way, safety. Quality is looked at when somebody asks."""
_EVERYTHING: Final = "ALL"


@dataclass(frozen=True, slots=True)
class Selection:
    """What to tell: what is selected, less what is ignored."""

    select: frozenset[str] = _USUAL
    ignore: frozenset[str] = frozenset()

    @classmethod
    def of(cls, select: Iterable[str] = (), ignore: Iterable[str] = ()) -> Self:
        """Selecting nothing means the usual. Raises UnknownCode for a word that means nothing."""
        chosen, left = (tuple(item.strip() for item in words) for words in (select, ignore))
        for word in (*chosen, *left):
            ensure_known(word)
        return cls(frozenset(map(_key, chosen)) or _USUAL, frozenset(map(_key, left)))

    def takes(self, code: str, name: str) -> bool:
        """Whether a finding is told."""
        return _has(self.select, code, name) and not _has(self.ignore, code, name)


def means(word: str, code: str, name: str) -> bool:
    """Whether one word of a selection means a finding."""
    return _has(frozenset({_key(word.strip())}), code, name)


def _has(words: frozenset[str], code: str, name: str) -> bool:
    beginnings = accumulate(code)
    return bool(words) and not words.isdisjoint((name, _EVERYTHING, *beginnings))


def _key(word: str) -> str:
    """Codes, also their beginnings, in upper case; names as they are."""
    is_code = word[1:].isdigit() or len(word) == 1 or word.upper() == _EVERYTHING
    return word.upper() if is_code else word


def ensure_known(word: str) -> None:
    """Raises UnknownCode, with advice, for a word that means nothing."""
    known = {code.code: code.name for code in CODES.values()}
    known |= {found.code: found.name for found in FINDINGS.values()}
    known |= {rule.code: rule.name for rule in rules().values()}
    key = _key(word.strip())
    if key == _EVERYTHING or key in known.values():
        return
    if key and any(code.startswith(key) for code in known):
        return
    raise UnknownCode(word, [*known, *known.values()])
