"""Losses for people: quiet about what changes nothing, plain about what does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from toolcanon.diagnostics import CODES, Code, Effect, Loss
from toolcanon.jsonio.types import Json
from toolcanon.text import safe, safe_json

_MOST_GROUPS = 10
_MOST_TOOLS = 3
_SHOWN = 60
_MATERIAL = Effect.NARROWED | Effect.WIDENED
_WORDS = {
    Effect.NARROWED: "narrowed",
    Effect.WIDENED: "widened",
    Effect.HINT_LOST: "hints lost",
    Effect.EXACT: "exact rewrites",
}


class Tally:
    """Counts losses as they come, however many, and says it all in a few lines.

    When verbose, each is told as it comes.
    """

    def __init__(self, *, verbose: bool, talk: Callable[[str], None] | None) -> None:
        self._talk = talk if verbose else None
        self._counts: Counter[str] = Counter()
        self._tools: dict[str, dict[str, None]] = {}

    def add(self, losses: Iterable[Loss]) -> None:
        """Take more of them into account."""
        for loss in losses:
            self._counts[loss.code] += 1
            if self._talk is not None:
                self._talk(loss_line(loss))
            tools = self._tools.setdefault(loss.code, {})
            if len(tools) <= _MOST_TOOLS:
                tools[loss.tool] = None

    def codes(self) -> list[Code]:
        """The kinds of losses seen, in the order in which they came."""
        return [CODES[code] for code in self._counts]

    def lines(self) -> Iterator[str]:
        """Material ones by code unless they were all listed before, then the totals."""
        if not self._counts:
            return
        if self._talk is None:
            material = [code for code in self.codes() if code.effect & _MATERIAL]
            yield from map(self._group, material[:_MOST_GROUPS])
            if len(material) > _MOST_GROUPS:
                yield f"… and {len(material) - _MOST_GROUPS} more kinds; -v shows all"
        yield self._totals()

    def _group(self, code: Code) -> str:
        tools = [safe(tool, 40) for tool in self._tools[code.code]]
        more = " and more" if len(tools) > _MOST_TOOLS else ""
        return (
            f"{code.code} {code.name} ({code.effect.words()}) x{self._counts[code.code]}: "
            f"{code.says} ({', '.join(tools[:_MOST_TOOLS])}{more})"
        )

    def _totals(self) -> str:
        counts = dict.fromkeys(_WORDS, 0)
        for code in self.codes():
            counts[_worst(code.effect)] += self._counts[code.code]
        said = [f"{_WORDS[effect]} {count}" for effect, count in counts.items() if count]
        lists = "" if self._talk is not None else "-v lists them, "
        return f"losses: {', '.join(said)} ({lists}toolcanon explain CODE tells why)"


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
    for member in (Effect.NARROWED, Effect.WIDENED, Effect.HINT_LOST):
        if member in effect:
            return member
    return Effect.EXACT
