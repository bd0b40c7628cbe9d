"""Where tools are bound to: a target and a choice of dialects, found once for each way of asking.

Bound tools are remembered with it (see ``remembered``), so that everything about a way is one
look-up away.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from toolcanon.conversion.asked import agreed, target_named
from toolcanon.conversion.choice import VERBATIM, Choice, choose
from toolcanon.diagnostics import Effect
from toolcanon.formats.wire import Target

if TYPE_CHECKING:
    from toolcanon.conversion.remembered import Remembered

_MOST_WAYS: Final = 1024
Sorts: TypeAlias = tuple[tuple[str, Effect], ...]
"""Codes and effects of losses."""


class Way:
    """One target, spoken to in one manner."""

    __slots__ = ("choice", "known", "met", "remembers", "sorts", "target")

    def __init__(self, target: Target, choice: Choice) -> None:
        self.target = target
        self.choice = choice
        self.remembers = choice.plain is not None
        self.known: dict[bytes | None, Remembered] = {}
        self.met: set[int] = set()
        """Digests of tools that were bound once; the second time they are remembered."""
        self.sorts: dict[tuple[object, ...], Sorts] = {}
        """What tools of one sort lose, for those that need no lowering."""


ways: Final[dict[tuple[str | bool | None, ...], Way]] = {}


def way_to(  # noqa: PLR0913, PLR0917 - asked for every tool, and keywords cost
    to: str,
    strict: bool | str = False,  # noqa: FBT001, FBT002
    dialect: str | None = None,
    model: str | None = None,
    via: str | None = None,
    lower: bool = True,  # noqa: FBT001, FBT002
) -> Way:
    """The way that was asked for. Raises UnknownFormat, NotWritable, UnknownDialect."""
    key = (to, strict, dialect, model, via, lower)
    try:
        return ways[key]
    except (KeyError, TypeError):  # not asked for yet, or no id at all
        target, named = target_named(to)
    if named is not None:
        dialect = agreed(to, named, strict, dialect, model, lower)
    choice = choose(target, strict, dialect, model, via) if lower else VERBATIM
    if len(ways) >= _MOST_WAYS:  # whoever asks for ever new models must not fill the memory
        ways.clear()
    way = ways[key] = Way(_opened(target, choice), choice)
    return way


def _opened(target: Target, choice: Choice) -> Target:
    """The target, with the rule for names of whoever opens its envelope, if it has none itself."""
    names = None if choice.plain is None else choice.plain.names
    if names is None or target.names is not None:
        return target
    return replace(target, names=names)  # type: ignore[type-var]  # every target is a Format
