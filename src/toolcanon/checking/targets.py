"""What tools are checked against: targets by name, also those that do not exist."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from toolcanon.conversion.bind_target import BindTarget, find_bind_target
from toolcanon.conversion.choice import all_dialects, ensure_options
from toolcanon.conversion.target import Target, merged, parse_target
from toolcanon.dialect import Dialect
from toolcanon.errors import UsageError, nearest
from toolcanon.registry import registry
from toolcanon.text import safe

_LONGEST: Final = 60


class Asked(NamedTuple):
    """One target: how tools get there, and the dialect they have to be in."""

    name: str
    bind_target: BindTarget | None
    """None for a target that does not exist."""
    dialect: Dialect | None
    """None when nothing is known of what it accepts."""


def usual_targets() -> tuple[str, ...]:
    """What tools are checked against when nobody says otherwise, in a fixed order."""
    named = [dialect for dialect in all_dialects().values() if dialect.usual]
    return tuple(dialect.id for dialect in sorted(named, key=lambda dialect: dialect.usual))


def asked(to: str | Target, model: str | None = None) -> Asked:
    """A target to check against. One that does not exist is told apart, not refused: see ``Asked``.

    ``model`` chooses the dialect of targets that name a mere format.
    """
    try:
        bind_target = known_target(to, model)
    except UsageError:
        if isinstance(to, Target):  # it exists, so something else is wrong
            raise
        ensure_options(strict=False, model=model, via=None)
        return Asked(to, None, None)
    return Asked(str(to), bind_target, bind_target.choice.wanted)


def known_target(to: str | Target, model: str | None = None) -> BindTarget:
    """The same of a target that has to exist. Raises UnknownFormat, NotWritable, UnknownDialect."""
    parsed = parse_target(to)
    if parsed.dialect is not None:
        model = None
    elif isinstance(to, Target):
        model = merged("model", to, model)
    bound: str | Target = to
    if parsed.layout is not None:  # tools are the same in every layout of messages
        name = parsed.format.id
        bound = replace(to, format=name) if isinstance(to, Target) else name
    return find_bind_target(bound, model=model)


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
