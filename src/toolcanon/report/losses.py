"""Losses for people: quiet about what changes nothing, plain about what does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from toolcanon.diagnostics import CODES, Effect, Loss, Losses
from toolcanon.jsonio.types import Json
from toolcanon.text import safe, safe_json

_MOST_GROUPS = 10
_SHOWN = 60


def loss_lines(losses: Losses, *, verbose: bool = False) -> Iterator[str]:
    """One line per loss when verbose; otherwise material ones by code, then the totals."""
    if not losses:
        return
    if verbose:
        yield from map(_line, losses)
    else:
        yield from _groups(losses.material)
    yield _totals(losses)


def _line(loss: Loss) -> str:
    change = f"{_shown(loss.before)} -> {_shown(loss.after)}"
    return (
        f"{loss.code} {loss.name} ({loss.effect.words()}) {safe(loss.tool, _SHOWN)}"
        f" at {safe(str(loss.at) or '/', _SHOWN)}: {change}"
    )


def _shown(value: Json) -> str:
    return "nothing" if value is None else safe(safe_json(value, indent=None), _SHOWN)


def _groups(losses: Losses) -> Iterator[str]:
    codes = list(dict.fromkeys(loss.code for loss in losses))
    for code in islice(codes, _MOST_GROUPS):
        members = [loss for loss in losses if loss.code == code]
        entry = CODES[code]
        names = list(dict.fromkeys(safe(loss.tool, 40) for loss in members))
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""  # noqa: PLR2004
        yield (
            f"{code} {entry.name} ({entry.effect.words()}) x{len(members)}: {entry.says} "
            f"({', '.join(names[:3])}{more})"
        )
    if len(codes) > _MOST_GROUPS:
        yield f"… and {len(codes) - _MOST_GROUPS} more kinds; -v shows all"


def _totals(losses: Losses) -> str:
    counts = dict.fromkeys(("narrowed", "widened", "hint-lost", "exact"), 0)
    for loss in losses:
        counts[_worst(loss.effect)] += 1
    words = {
        "narrowed": "narrowed",
        "widened": "widened",
        "hint-lost": "hints lost",
        "exact": "exact rewrites",
    }
    said = [f"{count} {words[key]}" for key, count in counts.items() if count]
    return f"losses: {', '.join(said)} (-v lists them, toolcanon explain CODE tells why)"


def _worst(effect: Effect) -> str:
    for member in (Effect.NARROWED, Effect.WIDENED, Effect.HINT_LOST):
        if member in effect:
            return member.words()
    return Effect.EXACT.words()
