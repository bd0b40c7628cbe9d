"""What tools are bound to: a target and a choice of dialects, found once for a set of options."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from toolcanon.conversion.choice import VERBATIM, Choice, choose
from toolcanon.conversion.target import (
    Naming,
    Target,
    ensure_agreement,
    merged,
    parse_target,
    profile_of,
)
from toolcanon.errors import BadOption, UnknownDialect, UsageError
from toolcanon.formats.wire import WritableFormat
from toolcanon.registry import get_target

_MOST_KNOWN: Final = 1024
_MOST_NAMED: Final = 256


@dataclass(frozen=True, slots=True, eq=False)
class BindTarget:
    """One target, with the dialects that were chosen for it."""

    target: WritableFormat
    choice: Choice


_known: Final[dict[tuple[str | bool | None, ...], BindTarget]] = {}
_named: Final[dict[tuple[object, ...], BindTarget]] = {}


def find_bind_target(  # noqa: PLR0913, PLR0917 - asked for every tool, and keywords cost
    to: str | Target,
    strict: bool | str = False,  # noqa: FBT001, FBT002
    dialect: str | None = None,
    model: str | None = None,
    via: str | None = None,
    lower: bool = True,  # noqa: FBT001, FBT002
    naming: Naming | None = None,
) -> BindTarget:
    """The target for these options. Raises UnknownFormat, NotWritable, UnknownDialect."""
    try:
        found = _known[to, strict, dialect, model, via, lower]  # type: ignore[index]  # see below
    except (KeyError, TypeError):  # not asked for yet, or a value that no text is
        if isinstance(to, Target):
            return _of_value(to, strict, dialect, model, via, lower, naming)
        found = _found(to, strict, dialect, model, via, lower)
    return found if naming is None else named(found, naming)


def _of_value(  # noqa: PLR0913, PLR0917 - the options beside a target
    to: Target,
    strict: bool | str,  # noqa: FBT001
    dialect: str | None,
    model: str | None,
    via: str | None,
    lower: bool,  # noqa: FBT001
    naming: Naming | None,
) -> BindTarget:
    """The same for a target that holds options of its own."""
    return find_bind_target(
        to.format,
        merged("strict", to, strict, absent=False),
        merged("dialect", to, dialect),
        merged("model", to, model),
        merged("via", to, via),
        lower,
        merged("naming", to, naming),
    )


def _found(  # noqa: PLR0913, PLR0917 - as above
    to: str,
    strict: bool | str,  # noqa: FBT001
    dialect: str | None,
    model: str | None,
    via: str | None,
    lower: bool,  # noqa: FBT001
) -> BindTarget:
    """A target that was not asked for before, kept for the next time."""
    parsed = parse_target(to)
    target, own = get_target(parsed.format.id), parsed.dialect
    if parsed.layout is not None:
        raise UnknownDialect(str(to), tuple(dialect.id for dialect in target.dialects))
    if lower not in (True, False):
        raise BadOption("lower", lower, (True, False))
    if own is not None:
        if not lower:
            text = f"{to!r} names a dialect, and verbatim (lower=False) lowers to none"
            raise UsageError(text)
        ensure_agreement(to, own, strict, dialect, model)
    choice = choose(target, strict, own or dialect, model, via) if lower else VERBATIM
    if len(_known) >= _MOST_KNOWN:  # ever new models must not fill the memory
        _known.clear()
    found = BindTarget(_opened(target, choice), choice)
    _known[to, strict, dialect, model, via, lower] = found
    return found


def _opened(target: WritableFormat, choice: Choice) -> WritableFormat:
    """The target, with the rule for names of whoever opens its envelope, if it has none itself."""
    names = None if choice.plain is None else choice.plain.names
    if names is None or target.names is not None:
        return target
    return changed(target, names=names)


def named(bind_target: BindTarget, naming: Naming) -> BindTarget:
    """The same target under a profile's names, which descriptions may mention."""
    profile = profile_of(naming)
    tables = (tuple(sorted(table.items())) for table in (profile.names, profile.aliases))
    key = (bind_target, profile.id, *tables, profile.style, profile.internal, profile.mentions)
    found = _named.get(key)
    if found is None:
        if len(_named) >= _MOST_NAMED:
            _named.clear()
        found = _named[key] = BindTarget(
            changed(bind_target.target, naming=profile, is_regular=False), bind_target.choice
        )
    return found


def changed(target: WritableFormat, **changes: Any) -> WritableFormat:
    """The target with other fields."""
    return replace(target, **changes)  # type: ignore[type-var]  # every target is a Format
