"""Which findings are reported: by code, by name, or by the beginning of a code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Self

from toolcanon.checking.rules import rules
from toolcanon.diagnostics import CODES, FINDINGS
from toolcanon.errors import UnknownCode

_USUAL: Final = frozenset({"C", "L", "S"})
"""Compatibility, losses and safety. Quality is checked only when it is selected."""
_EVERYTHING: Final = "ALL"


@dataclass(frozen=True, slots=True)
class Selection:
    """What to report: selected codes without ignored ones."""

    select: frozenset[str] = _USUAL
    ignore: frozenset[str] = frozenset()

    @classmethod
    def of(cls, select: Iterable[str] = (), ignore: Iterable[str] = ()) -> Self:
        """Return a selection, by default the usual one. Raises UnknownCode for an unknown entry."""
        chosen, left = (tuple(item.strip() for item in words) for words in (select, ignore))
        for word in (*chosen, *left):
            ensure_known(word)
        return cls(frozenset(map(_key, chosen)) or _USUAL, frozenset(map(_key, left)))

    def takes(self, code: str, name: str) -> bool:
        """Return whether a finding is reported."""
        return _has(self.select, code, name) and not _has(self.ignore, code, name)


def means(word: str, code: str, name: str) -> bool:
    """Return whether one entry of a selection matches a finding."""
    return _has(frozenset({_key(word.strip())}), code, name)


def _has(words: frozenset[str], code: str, name: str) -> bool:
    beginnings = accumulate(code)
    return bool(words) and not words.isdisjoint((name, _EVERYTHING, *beginnings))


def _key(word: str) -> str:
    """Return codes and their beginnings in upper case, names unchanged."""
    is_code = word[1:].isdigit() or len(word) == 1 or word.upper() == _EVERYTHING
    return word.upper() if is_code else word


def ensure_known(word: str) -> None:
    """Raise UnknownCode, with advice, for an unknown entry."""
    known = {code.code: code.name for code in CODES.values()}
    known |= {found.code: found.name for found in FINDINGS.values()}
    known |= {rule.code: rule.name for rule in rules().values()}
    key = _key(word.strip())
    if key == _EVERYTHING or key in known.values():
        return
    if key and any(code.startswith(key) for code in known):
        return
    raise UnknownCode(word, [*known, *known.values()])
