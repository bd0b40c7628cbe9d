"""Losses for people: quiet about what changes nothing, plain about what does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from toolcanon.checking.compatibility import REFUSALS
from toolcanon.diagnostics import CODES, Effect, Loss, LossKinds
from toolcanon.jsonio.types import Json
from toolcanon.text import safe, safe_json

REJECTIONS: Final = frozenset(REFUSALS)
"""What was asked for and refused outright: a tool, or its strictness."""

_MOST_GROUPS: Final = 10
_MOST_KNOWN: Final = 4096
_MOST_TOOLS: Final = 3
_SHOWN: Final = 60
_MATERIAL: Final = Effect.NARROWED | Effect.WIDENED
_WORDS: Final = {
    Effect.NARROWED: "narrowed",
    Effect.WIDENED: "widened",
    Effect.HINT_LOST: "hints lost",
    Effect.EXACT: "exact rewrites",
}
_WORST_FIRST: Final = tuple(_WORDS)


class Sort(NamedTuple):
    """Losses of one code that cost the same."""

    code: str
    effect: Effect

    @property
    def is_told(self) -> bool:
        """Whether people hear of it unasked."""
        return bool(self.effect & _MATERIAL) or self.code in REJECTIONS


class _Count:
    """How often losses of one sort were met, and with which tools first."""

    __slots__ = ("times", "tools")

    def __init__(self) -> None:
        self.times = 0
        self.tools: dict[str, None] = {}

    def add(self, times: int, tool: str) -> None:
        self.times += times
        if len(self.tools) <= _MOST_TOOLS:
            self.tools[tool] = None


class Tally:
    """Counts losses as they come, however many, and says it all in a few lines.

    When verbose, each is told as it comes.
    """

    def __init__(self, *, verbose: bool, talk: Callable[[str], None] | None) -> None:
        self._talk = talk if verbose else None
        self._counts: dict[Sort, _Count] = {}
        # By identity, of those that are kept here: rows hand over the same ones again and again,
        # and a look at each effect costs more than all the rest.
        self._grouped: dict[int, tuple[LossKinds, list[tuple[_Count, int]]]] = {}

    def add(self, losses: Iterable[Loss]) -> None:
        """Take more of them into account."""
        for loss in losses:
            if self._talk is not None:
                self._talk(loss_line(loss))
            self._of(Sort(loss.code, loss.effect)).add(1, loss.tool)

    def add_kinds(self, tool: str, kinds: LossKinds) -> None:
        """The same where nobody asked for the places."""
        known = self._grouped.get(id(kinds))
        if known is None:
            if len(self._grouped) >= _MOST_KNOWN:
                self._grouped.clear()
            counts = Counter(kinds)
            groups = [(self._of(Sort(*sort)), times) for sort, times in counts.items()]
            known = self._grouped[id(kinds)] = kinds, groups
        for count, times in known[1]:
            count.add(times, tool)

    def _of(self, sort: Sort) -> _Count:
        found = self._counts.get(sort)
        if found is None:
            found = self._counts[sort] = _Count()
        return found

    @property
    def is_verbose(self) -> bool:
        """Whether each loss is told as it comes."""
        return self._talk is not None

    def sorts(self) -> list[Sort]:
        """The sorts of losses seen, in the order in which they came."""
        return list(self._counts)

    def lines(self) -> Iterator[str]:
        """What costs something by code, unless all were listed before; then the totals."""
        if self._talk is None:
            told = sorted((sort for sort in self._counts if sort.is_told), key=_rank)
            yield from map(self._group, told[:_MOST_GROUPS])
            if len(told) > _MOST_GROUPS:
                yield f"… and {len(told) - _MOST_GROUPS} more kinds; -v shows all"
        yield from self._totals()

    def _group(self, sort: Sort) -> str:
        code = CODES[sort.code]
        tools = [safe(tool, 40) for tool in self._counts[sort].tools]
        more = " and more" if len(tools) > _MOST_TOOLS else ""
        return (
            f"{code.code} {code.name} ({sort.effect.words()}) x{self._counts[sort].times}: "
            f"{code.says} ({', '.join(tools[:_MOST_TOOLS])}{more})"
        )

    def _totals(self) -> Iterator[str]:
        counts = dict.fromkeys(_WORDS, 0)
        for sort, count in self._counts.items():
            counts[_worst(sort.effect)] += count.times
        if self._talk is None:
            del counts[Effect.EXACT]  # nobody need hear of what changes nothing
        said = [f"{_WORDS[effect]} {count}" for effect, count in counts.items() if count]
        lists = "" if self._talk is not None else "-v lists them, "
        if said:
            yield f"losses: {', '.join(said)} ({lists}toolcanon explain CODE tells why)"


def _rank(sort: Sort) -> tuple[int, str, int]:
    """The worst first; else by code, whichever way rows took and told them."""
    worst = -1 if sort.code in REJECTIONS else _WORST_FIRST.index(_worst(sort.effect))
    return worst, sort.code, sort.effect.value


def loss_line(loss: Loss) -> str:
    """One loss in full."""
    change = f"{_shown(loss.before)} -> {_shown(loss.after)}"
    return (
        f"{loss.code} {loss.name} ({loss.effect.words()}) {safe(loss.tool, _SHOWN)}"
        f" at {safe(str(loss.at) or '/', _SHOWN)}: {change}"
    )


def _shown(value: Json) -> str:
    return "nothing" if value is None else safe(safe_json(value, indent=None), _SHOWN)


def _worst(effect: Effect) -> Effect:
    return next(member for member in _WORST_FIRST if member in effect)  # nothing is in anything
