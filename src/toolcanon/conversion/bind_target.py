"""What tools are bound to: a target and a choice of dialects, found once for a set of options."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from toolcanon.conversion.choice import VERBATIM, Choice, agreed, choose, target_named
from toolcanon.formats.wire import Target

_MOST_KNOWN: Final = 1024


@dataclass(frozen=True, slots=True, eq=False)
class BindTarget:
    """One target, with the dialects that were chosen for it."""

    target: Target
    choice: Choice


_known: Final[dict[tuple[str | bool | None, ...], BindTarget]] = {}


def find_bind_target(  # noqa: PLR0913, PLR0917 - asked for every tool, and keywords cost
    to: str,
    strict: bool | str = False,  # noqa: FBT001, FBT002
    dialect: str | None = None,
    model: str | None = None,
    via: str | None = None,
    lower: bool = True,  # noqa: FBT001, FBT002
) -> BindTarget:
    """The target for these options. Raises UnknownFormat, NotWritable, UnknownDialect."""
    key = (to, strict, dialect, model, via, lower)
    try:
        return _known[key]
    except (KeyError, TypeError):  # not asked for yet, or no id at all
        target, named = target_named(to)
    if named is not None:
        dialect = agreed(to, named, strict, dialect, model, lower)
    choice = choose(target, strict, dialect, model, via) if lower else VERBATIM
    if len(_known) >= _MOST_KNOWN:  # ever new models must not fill the memory
        _known.clear()
    found = _known[key] = BindTarget(_opened(target, choice), choice)
    return found


def _opened(target: Target, choice: Choice) -> Target:
    """The target, with the rule for names of whoever opens its envelope, if it has none itself."""
    names = None if choice.plain is None else choice.plain.names
    if names is None or target.names is not None:
        return target
    return replace(target, names=names)  # type: ignore[type-var]  # every target is a Format
