"""Targets, one grammar everywhere: ``format`` or ``format/dialect[@version]``.

A target is a text of that grammar or a ``Target``, which holds the options of conversion as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from toolcanon.conversion.choice import (
    AUTO,
    all_dialects,
    ensure_options,
    find_dialect,
    serves,
)
from toolcanon.errors import BadOption, UnknownDialect, UnknownFormat, UsageError
from toolcanon.formats.wire import Format
from toolcanon.naming.profiles import Profile, profile_named
from toolcanon.registry import get_format, get_target, meant, registry

Naming: TypeAlias = str | Profile | Mapping[str, Any]
"""The id of a profile, a profile, or a table: of a profile's keys, or simply of names."""

_BEHIND: Final = re.compile(r"[/@:]")
_TABLE: Final = frozenset({"names", "style", "aliases", "internal", "mentions"})
_Option = TypeVar("_Option")


@dataclass(frozen=True, slots=True)
class Target:
    """Where tools or conversations go, with the options of conversion.

    It is checked when it is made: raises UnknownFormat, NotWritable, UnknownDialect,
    UnknownProfile, BadOption, and UsageError for options that contradict the format.

    >>> str(Target("mcp", model="any"))
    'mcp (model any)'
    """

    format: str
    """A format, or ``format/dialect[@version]``."""
    _: KW_ONLY
    strict: bool | str = False
    """The provider's strict mode: no, yes, or where it costs nothing ("auto")."""
    dialect: str | None = None
    """What to lower to, whatever the envelope."""
    model: str | None = None
    via: str | None = None
    naming: Naming | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.format, str):
            raise BadOption("format", self.format, wants="the name of a format")
        ensure_options(self.strict, self.model, self.via)
        ensure_target(self.format)
        own = parse_target(self.format).dialect
        if self.dialect is not None:
            find_dialect(self.dialect)
        if own is not None:
            ensure_agreement(self.format, own, self.strict, self.dialect, self.model)
        if self.naming is not None:
            profile_of(self.naming)

    def __str__(self) -> str:
        said = ["strict" if self.strict is True else f"strict {self.strict}"] if self.strict else []
        said += [
            f"{name} {value}"
            for name, value in (("dialect", self.dialect), ("model", self.model), ("via", self.via))
            if value is not None
        ]
        if self.naming is not None:
            said.append(f"naming {profile_of(self.naming).id}")
        return f"{self.format} ({', '.join(said)})" if said else self.format


class ParsedTarget(NamedTuple):
    """What the name of a target says."""

    format: Format
    dialect: str | None = None
    """The dialect that the name holds, as ``find_dialect`` takes it; None for a mere format."""
    layout: str | None = None
    """One of several ways in which the format lays out messages, as ``codec_of`` takes it."""


def parse_target(to: str | Target) -> ParsedTarget:
    """Read a target. Raises UnknownFormat, UnknownDialect or NotWritable, with advice.

    A dialect is looked for among the format's own, then among those of its family.

    >>> parse_target("mcp/2025-11-25").dialect
    'mcp/2025-11-25'
    """
    name = to.format if isinstance(to, Target) else str(to)
    known = registry().formats
    plain = known.get(name)
    if plain is not None:
        return ParsedTarget(plain)
    head = _head(name)
    if head == name:
        return ParsedTarget(get_format(name))
    found = known.get(head)
    if found is None:
        raise UnknownFormat(name, tuple(known), near=meant(name))
    get_target(head)
    layouts = () if found.codec is None else [f"{head}/{way}" for way in found.codec().layouts]
    if name in layouts:
        return ParsedTarget(found, layout=name)
    try:
        return ParsedTarget(found, _dialect_of(found, name))
    except UnknownDialect as error:
        raise UnknownDialect(name, (*error.known, *layouts)) from None


def ensure_target(to: str) -> None:
    """Raise UnknownFormat, NotWritable or UnknownDialect unless this names a target."""
    parsed = parse_target(to)
    if parsed.layout is None:
        get_target(parsed.format.id)


def _head(name: str) -> str:
    """The part of a name that is a format's."""
    return _BEHIND.split(name, maxsplit=1)[0]


def _dialect_of(found: Format, name: str) -> str:
    """The dialect that a name means: the format's own, or one of its family."""
    own = {dialect.id for dialect in found.dialects}
    try:
        dialect = find_dialect(name)
    except UnknownDialect as error:
        pins = tuple(pin for pin in error.known if "@" in pin)
        family = _family_of(found)
        if family is None or pins:
            raise UnknownDialect(name, pins or tuple(own) or error.known) from None
        try:
            return _dialect_of(family, family.id + name[len(found.id) :])
        except UnknownDialect:
            known = (dialect.id for dialect in found.dialects)
            raise UnknownDialect(name, tuple(known)) from None
    if dialect.id not in own:
        raise UnknownDialect(name, tuple(dialect.id for dialect in found.dialects))
    return name


def _family_of(found: Format) -> Format | None:
    """The format whose id begins this one's, such as that of another API of one provider."""
    stem = found.id.rpartition("-")[0]
    return registry().formats.get(stem) if stem else None


def known_targets() -> tuple[str, ...]:
    """Every name that a target can have."""
    formats = registry().formats.values()
    return tuple(
        dict.fromkeys([*(item.id for item in formats if item.write is not None), *all_dialects()])
    )


def targets_of(to: str | Target | Iterable[str | Target]) -> tuple[str | Target, ...]:
    """One target or several, each once and in order."""
    is_one = isinstance(to, str | bytes | Target) or not isinstance(to, Iterable)
    named = {str(one): one for one in ([to] if is_one else to)}  # type: ignore[union-attr]  # many
    return tuple(one if isinstance(one, Target) else name for name, one in named.items())


def ensure_agreement(
    to: str,
    named: str,
    strict: bool | str,  # noqa: FBT001
    dialect: str | None,
    model: str | None,
) -> None:
    """Raise UsageError where an option contradicts the dialect that a target names."""
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


def merged(name: str, to: Target, given: _Option, absent: object = None) -> _Option:
    """An option of a target, or the same option beside it. Raises UsageError for two of them."""
    own: _Option = getattr(to, name)
    if given in (absent, own):
        return own
    if own == absent:
        return given
    raise UsageError(
        f"the target {str(to)!r} contradicts {name}={given!r}; say it once, in the target or beside"
    )


def bind_options(to: str | Target, model: str | None, naming: Naming | None) -> dict[str, Any]:
    """How tools are bound for a target, which may name a dialect, hold options, or neither."""
    named = parse_target(to).dialect
    if not isinstance(to, Target):
        return {"dialect": named, "model": model, "naming": naming}
    return {
        "strict": to.strict,
        "dialect": to.dialect or named,
        "model": merged("model", to, model),
        "via": to.via,
        "naming": merged("naming", to, naming),
    }


def profile_of(naming: Naming) -> Profile:
    """The profile that was meant. Raises UnknownProfile, BadConfig, BadOption."""
    if isinstance(naming, Profile):
        return naming
    if isinstance(naming, str):
        return profile_named(naming)
    if not isinstance(naming, Mapping):
        raise BadOption("naming", naming, wants="the id of a profile, a Profile or a table")
    table = dict(naming)
    if not all(isinstance(outside, str) for outside in table.values()) or table.keys() <= _TABLE:
        return Profile.of("table", table, "naming")
    return Profile("table", table)
