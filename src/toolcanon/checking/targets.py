"""The targets that tools are checked against, unknown ones included."""

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
    """One requested target: how tools are bound to it, and its dialect."""

    name: str
    bind_target: BindTarget | None
    """None for a target that does not exist."""
    dialect: Dialect | None
    """None when there is no dialect for it."""


def usual_targets() -> tuple[str, ...]:
    """Return the default targets of tools, in a fixed order."""
    named = [dialect for dialect in all_dialects().values() if dialect.usual]
    return tuple(dialect.id for dialect in sorted(named, key=lambda dialect: dialect.usual))


def asked(to: str | Target, model: str | None = None) -> Asked:
    """Return the target for a check; an unknown one is returned without a ``bind_target``.

    ``model`` chooses the dialect of targets that name only a format.
    """
    try:
        bind_target = known_target(to, model)
    except UsageError:
        if isinstance(to, Target):  # it exists, so the error is another one
            raise
        ensure_options(strict=False, model=model, via=None)
        return Asked(to, None, None)
    return Asked(str(to), bind_target, bind_target.choice.wanted)


def known_target(to: str | Target, model: str | None = None) -> BindTarget:
    """Return a known target. Raises UnknownFormat, NotWritable, UnknownDialect."""
    parsed = parse_target(to)
    if parsed.dialect is not None:
        model = None
    elif isinstance(to, Target):
        model = merged("model", to, model)
    bound: str | Target = to
    if parsed.layout is not None:  # every layout of messages has the same tools
        name = parsed.format.id
        bound = replace(to, format=name) if isinstance(to, Target) else name
    return find_bind_target(bound, model=model)


def model_advice(model: str) -> str | None:
    """Return a note on a model that chooses no dialect; None for a known one."""
    formats = registry().formats.values()
    bare = next(item.id for item in formats if item.write is not None and not item.dialects)
    if (
        find_bind_target(bare, model=model).choice.plain is not None
    ):  # the dialect was not given, so the model chose it
        return None
    known = sorted({name for dialect in all_dialects().values() for name in dialect.models})
    stem = model.lower().rpartition("/")[2]
    near = nearest(stem, known) or nearest(stem.partition("-")[0], known)
    hint = f"did you mean {near!r}?" if near else f"models begin with {', '.join(known)}"
    return f"note: the model {safe(model, _LONGEST)!r} is unknown, so it chooses no dialect; {hint}"
