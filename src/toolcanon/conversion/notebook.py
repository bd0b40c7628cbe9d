"""A conversion for notebooks: what was lost, as a small table."""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics import Effect, Loss
from toolcanon.text import safe_json
from toolcanon.text.markup import Tone, table

_ROWS: Final = 50
_MATERIAL: Final = Effect.WIDENED | Effect.NARROWED


def losses_html(losses: tuple[Loss, ...], source: str, target: str) -> str:
    """The losses of a conversion, those first that change which arguments can be said."""
    ordered = sorted(losses, key=lambda loss: not loss.effect & _MATERIAL)
    rows = [_row(loss) for loss in ordered[:_ROWS]]
    left = len(ordered) - _ROWS
    more = [f"… and {left:,} more"] if left > 0 else []
    head = ("tool", "code", "effect", "place", "before", "after")
    total = f"{source} to {target}: {len(losses):,} {'loss' if len(losses) == 1 else 'losses'}"
    return table(head, rows, (*more, total))


def _row(loss: Loss) -> list[str | tuple[str, Tone]]:
    tone: Tone = "fair" if loss.effect & _MATERIAL else "good"
    sides = (loss.before, loss.after)
    values = ("" if value is None else safe_json(value, indent=None) for value in sides)
    kind = f"{loss.code} {loss.name}"
    return [loss.tool, kind, (loss.effect.words(), tone), str(loss.at) or "/", *values]
