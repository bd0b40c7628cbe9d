"""What tools are checked against: formats and dialects, by name."""

from __future__ import annotations

from typing import Final, NamedTuple

from toolcanon.conversion.bind_target import BindTarget, find_bind_target
from toolcanon.conversion.choice import all_dialects, find_dialect, home_of
from toolcanon.dialect import Dialect
from toolcanon.errors import UsageError, nearest
from toolcanon.registry import registry
from toolcanon.text import safe

_LONGEST: Final = 60


class Asked(NamedTuple):
    """One target: how tools get there, and the dialect they have to be in."""

    name: str
    bind_target: BindTarget | None
    """None for a target nobody knows."""
    dialect: Dialect | None
    """None when nothing is known of what it accepts."""


def usual_targets() -> tuple[str, ...]:
    """What tools are checked against when nobody says otherwise, in a fixed order."""
    named = [dialect for dialect in all_dialects().values() if dialect.usual]
    return tuple(dialect.id for dialect in sorted(named, key=lambda dialect: dialect.usual))


def known_targets() -> tuple[str, ...]:
    """Every name that can be asked for."""
    formats = registry().formats.values()
    return tuple(
        dict.fromkeys([*(item.id for item in formats if item.write is not None), *all_dialects()])
    )


def asked(name: str, model: str | None = None) -> Asked:
    """A target by name. One that does not exist is told apart, not refused: see ``Asked``."""
    try:
        bind_target = _bind_target(name, model)
    except UsageError:
        return Asked(name, None, None)
    choice = bind_target.choice
    return Asked(name, bind_target, choice.strict if choice.mode else choice.plain)


def model_advice(model: str) -> str | None:
    """What to say of a model that no dialect is chosen by; None for one that is known."""
    formats = registry().formats.values()
    bare = next(item.id for item in formats if item.write is not None and not item.dialects)
    if (
        find_bind_target(bare, model=model).choice.plain is not None
    ):  # it has none, so the model chose it
        return None
    known = sorted({name for dialect in all_dialects().values() for name in dialect.models})
    stem = model.lower().rpartition("/")[2]
    near = nearest(stem, known) or nearest(stem.partition("-")[0], known)
    hint = f"did you mean {near!r}?" if near else f"models begin with {', '.join(known)}"
    return (
        f"note: no dialect goes with the model {safe(model, _LONGEST)!r}, so none is chosen; {hint}"
    )


def _bind_target(name: str, model: str | None) -> BindTarget:
    if name in registry().formats:
        return find_bind_target(name, model=model)
    dialect = find_dialect(name)
    return find_bind_target(home_of(dialect), strict=dialect.strict, dialect=name)
