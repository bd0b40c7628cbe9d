"""Lines of text for people: losses, repairs, verifications, detections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from toolcanon.diagnostics import CODES, Effect, Loss, LossKinds, Repair
from toolcanon.diagnostics.codes import REFUSALS
from toolcanon.jsonio.types import Json
from toolcanon.text import safe, safe_json

if TYPE_CHECKING:
    from toolcanon.conversion.verify import Verification, Violation

_REPAIR_SHOWN = 60


def repair_lines(repairs: Sequence[Repair], *, verbose: bool, is_done: bool) -> Iterator[str]:
    """Yield the repairs that were made or, with ``is_done`` false, that are needed."""
    if not repairs:
        return
    if verbose:
        yield from map(repair_line, repairs)
    else:
        groups: dict[str, list[Repair]] = {}
        for repair in repairs:
            groups.setdefault(repair.code, []).append(repair)
        for code, held in groups.items():
            where = safe(str(held[0].at) or "/", _REPAIR_SHOWN)
            more = " and elsewhere" if len(held) > 1 else ""
            yield f"{code} {CODES[code].name} x{len(held)}: {CODES[code].says} ({where}{more})"
    total = f"repairs: {len(repairs)}" if is_done else f"needed, not done: {len(repairs)}"
    lists = "" if verbose else "-v lists them, "
    yield f"{total} ({lists}toolcanon explain CODE explains them)"


def repair_line(repair: Repair) -> str:
    """Return one repair in full."""
    change = f"{_repaired_value(repair.before)} -> {_repaired_value(repair.after)}"
    return f"{repair.code} {repair.name} at {safe(str(repair.at) or '/', _REPAIR_SHOWN)}: {change}"


def _repaired_value(value: Json) -> str:
    return "nothing" if value is None else safe(safe_json(value, indent=None), _REPAIR_SHOWN)


_MOST_VIOLATIONS: Final = 20
_VIOLATION_SHOWN: Final = 200


def violation_lines(found: Verification) -> Iterator[str]:
    """Yield the first violations: tool, place, problem, value."""
    yield from map(_line, found.violations[:_MOST_VIOLATIONS])
    left = len(found.violations) - _MOST_VIOLATIONS
    if left > 0:
        yield f"… and {left:,} more violations"


def _line(violation: Violation) -> str:
    where = safe(str(violation.at) or "/", _VIOLATION_SHOWN)
    value = safe(safe_json(violation.value, indent=None), _VIOLATION_SHOWN)
    says = safe(violation.says, _VIOLATION_SHOWN)
    return f"violation: {safe(violation.tool, _VIOLATION_SHOWN)} at {where}: {says}: {value}"


def verified_line(found: Verification) -> str:
    """Return what was tested, in one line."""
    tools = "1 tool" if found.tools == 1 else f"{found.tools:,} tools"
    unjudged = f", {found.unjudged:,} without sampled arguments" if found.unjudged else ""
    outcome = "violated" if found.violations else "verified"
    ways = f"{found.there:,} to the target, {found.back:,} back"
    return f"{outcome}: {tools}, arguments tested: {ways}{unjudged}"


_WIDTH = 12


def detection_lines(
    found: str,
    confidence: Mapping[str, float],
    evidence: Mapping[str, str],
    *,
    first: Sequence[str],
    verbose: bool,
) -> Iterator[str]:
    """Yield the format; when verbose also all scores (``first`` on top) and the evidence."""
    yield f"Detected format: {found}"
    if not verbose:
        return
    yield ""
    yield "Confidence scores:"
    rest = sorted(name for name in confidence if name not in first)
    for name in (*first, *rest):
        yield f"  {name:{_WIDTH}s}: {confidence[name]:>4.0%}"
    reasons = [name for name in (*first, *rest) if name in evidence]
    if reasons:
        yield ""
        yield "Evidence:"
        for name in reasons:
            yield f"  {name:{_WIDTH}s}: {evidence[name]}"


REJECTIONS: Final = frozenset(REFUSALS)
"""The losses by which a tool, or its strict mode, is rejected."""

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
    """Losses of one code with the same effect."""

    code: str
    effect: Effect

    @property
    def is_listed(self) -> bool:
        """Return whether they are listed without -v."""
        return bool(self.effect & _MATERIAL) or self.code in REJECTIONS


class _Count:
    """How often losses of one sort occurred, and their first tools."""

    __slots__ = ("times", "tools")

    def __init__(self) -> None:
        self.times = 0
        self.tools: dict[str, None] = {}

    def add(self, times: int, tool: str) -> None:
        self.times += times
        if len(self.tools) <= _MOST_TOOLS:
            self.tools[tool] = None


class LossCounts:
    """Counts losses and reports them in a few lines.

    When verbose, each loss is reported when it is added.
    """

    def __init__(self, *, verbose: bool, talk: Callable[[str], None] | None) -> None:
        self._talk = talk if verbose else None
        self._counts: dict[Sort, _Count] = {}
        # By identity, of losses that are kept here: rows pass the same objects again and again, and
        # inspecting each effect costs more than the rest of this class.
        self._grouped: dict[int, tuple[LossKinds, list[tuple[_Count, int]]]] = {}

    def add(self, losses: Iterable[Loss]) -> None:
        """Count more losses."""
        for loss in losses:
            if self._talk is not None:
                self._talk(loss_line(loss))
            self._of(Sort(loss.code, loss.effect)).add(1, loss.tool)

    def add_kinds(self, tool: str, kinds: LossKinds) -> None:
        """Count losses whose places are not needed."""
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
        """Return whether each loss is reported when it is added."""
        return self._talk is not None

    def sorts(self) -> list[Sort]:
        """Return the sorts of losses so far, in order of first occurrence."""
        return list(self._counts)

    def lines(self) -> Iterator[str]:
        """Yield inexact losses by code, unless listed before; then the totals."""
        if self._talk is None:
            listed = sorted((sort for sort in self._counts if sort.is_listed), key=_rank)
            yield from map(self._group, listed[:_MOST_GROUPS])
            if len(listed) > _MOST_GROUPS:
                yield f"… and {len(listed) - _MOST_GROUPS} more kinds; -v shows all"
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
            del counts[Effect.EXACT]  # -v shows exact rewrites
        parts = [f"{_WORDS[effect]} {count}" for effect, count in counts.items() if count]
        lists = "" if self._talk is not None else "-v lists them, "
        if parts:
            yield f"losses: {', '.join(parts)} ({lists}toolcanon explain CODE explains them)"


def _rank(sort: Sort) -> tuple[int, str, int]:
    """Sort worst first, then by code, independent of the order in which rows were converted."""
    worst = -1 if sort.code in REJECTIONS else _WORST_FIRST.index(_worst(sort.effect))
    return worst, sort.code, sort.effect.value


def loss_line(loss: Loss) -> str:
    """Return one loss in full."""
    change = f"{_shown(loss.before)} -> {_shown(loss.after)}"
    return (
        f"{loss.code} {loss.name} ({loss.effect.words()}) {safe(loss.tool, _SHOWN)}"
        f" at {safe(str(loss.at) or '/', _SHOWN)}: {change}"
    )


def _shown(value: Json) -> str:
    return "nothing" if value is None else safe(safe_json(value, indent=None), _SHOWN)


def _worst(effect: Effect) -> Effect:
    return next(member for member in _WORST_FIRST if member in effect)  # Effect(0) is in any effect
