"""Targets by name, one grammar for every verb: ``format`` or ``format/dialect[@version]``."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from toolcanon.conversion.choice import AUTO, all_dialects, find_dialect, serves
from toolcanon.errors import UnknownDialect, UnknownFormat, UsageError
from toolcanon.formats.wire import Target
from toolcanon.registry import get_target, meant, registry

_BEHIND: Final = re.compile(r"[/@:]")


class Named(NamedTuple):
    """A target as it was asked for."""

    target: Target
    dialect: str | None = None
    """The dialect that the name holds, as ``find_dialect`` takes it; None for a mere format."""


def _head(name: str) -> str:
    """The part of a name that is a format's."""
    return _BEHIND.split(name, maxsplit=1)[0]


def target_named(to: str) -> Named:
    """Find a target. Raises UnknownFormat, NotWritable, UnknownDialect, each with advice.

    >>> target_named("openai/strict").target.id
    'openai'
    """
    name, head = str(to), _head(str(to))
    if name in registry().formats or head == name:
        return Named(get_target(to))
    if head not in registry().formats:
        raise UnknownFormat(name, tuple(registry().formats), near=meant(name))
    target = get_target(head)
    try:
        found = find_dialect(name)
    except UnknownDialect as error:
        own = tuple(dialect.id for dialect in target.dialects)
        pins = tuple(pin for pin in error.known if "@" in pin)
        raise UnknownDialect(name, pins or own or error.known) from None
    if found.id not in {dialect.id for dialect in target.dialects}:
        raise UnknownDialect(name, tuple(dialect.id for dialect in target.dialects))
    return Named(target, name)


def agreed(  # noqa: PLR0913, PLR0917 - the options beside a target
    to: str,
    named: str,
    strict: bool | str,  # noqa: FBT001
    dialect: str | None,
    model: str | None,
    lower: bool,  # noqa: FBT001
) -> str:
    """The dialect that a target names, unless an option contradicts it. Raises UsageError."""
    if not lower:
        raise UsageError(f"{to!r} names a dialect, and verbatim (lower=False) lowers to none")
    plain = _head(to)
    if dialect is not None and dialect != named:
        advice = f"leave one of them out, or use to={plain!r} with dialect={dialect!r}"
        raise UsageError(f"the target {to!r} contradicts dialect={dialect!r}; {advice}")
    found = find_dialect(named)
    if found.strict and strict == AUTO:
        advice = f"use to={plain!r} with strict={AUTO!r}"
        raise UsageError(f"the target {to!r} contradicts strict={AUTO!r}; {advice}")
    if model is not None:
        spoken = [item for item in all_dialects().values() if serves(item, model, None)]
        family = _head(found.id)
        if spoken and not any(_head(item.id) == family for item in spoken):
            raise UsageError(
                f"the target {to!r} contradicts model={model!r}, which speaks "
                f"{spoken[0].id}; leave one of them out"
            )
    return named
