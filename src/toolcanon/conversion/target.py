"""Targets: ``format`` or ``format/dialect[@version]``, options, and the selected dialect.

A target is a text of that grammar or a ``Target``, which holds the options of conversion as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from toolcanon.dialect import Dialect
from toolcanon.errors import BadOption, UnknownDialect, UnknownFormat, UsageError
from toolcanon.formats.wire import Format, LoweredTool, WritableFormat
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering import Check, passthrough
from toolcanon.naming.profiles import Profile, profile_named
from toolcanon.registry import get_format, get_target, meant, registry

AUTO = "auto"
_LEAST_ROOM = 16  # a recognizable beginning and a digest


@dataclass(frozen=True, slots=True)
class Choice:
    """The dialects that a tool is lowered to."""

    plain: Dialect | None
    """None: schemas are written unchanged."""
    strict: Dialect | None
    """The dialect of strict mode; None where the target has none."""
    mode: bool | str
    """Whether strict mode is requested: no, yes, or where nothing is lost by it ("auto")."""
    verbatim: bool = False
    """Whether names and spellings are written unchanged, too."""
    passes: Check | None = None
    """Whether ``plain`` takes the schema of arguments as it is; None where it never does."""

    @property
    def wanted(self) -> Dialect | None:
        """The dialect that tools must be in."""
        return self.strict if self.mode else self.plain


VERBATIM = Choice(None, None, mode=False, verbatim=True)


def choose(
    target: WritableFormat,
    strict: bool | str = False,  # noqa: FBT001, FBT002 - the public contract has it so
    dialect: str | None = None,
    model: str | None = None,
    via: str | None = None,
) -> Choice:
    """Return the dialects of a target for the given options."""
    ensure_options(strict, model, via)
    if dialect is not None:
        named, pin = find_dialect(dialect), _pin(dialect)
        named = _beside(f"{named.id}/{via}", pin) or named  # the dialect that this route accepts
        if named.strict:
            plain = _beside(named.id.removesuffix("/strict"), pin) or _first(target)
            return _choice(plain, named, strict or True)
        return _choice(named, _strict(named, pin), strict)
    plain = _first(target)
    if model is not None or via is not None:
        plain = _by_model(target, model, via) or plain
    return _choice(plain, None if plain is None else _strict(plain), strict)


def _choice(plain: Dialect | None, strict: Dialect | None, mode: bool | str) -> Choice:  # noqa: FBT001
    passes = None if plain is None else passthrough(plain)
    return Choice(plain, strict, mode, passes=passes)


def ensure_options(strict: object, model: object, via: object) -> None:
    """Raise BadOption for a value of a wrong type."""
    if strict not in (False, True, AUTO):
        raise BadOption("strict", strict, (True, False, AUTO))
    if model is not None and not isinstance(model, str):
        raise BadOption("model", model, wants="the id of a model, as a string")
    if via is not None and not isinstance(via, str):
        raise BadOption("via", via, wants="the name of a route, as a string")


def _first(target: WritableFormat) -> Dialect | None:
    return target.dialects[0] if target.dialects else None


def all_dialects() -> dict[str, Dialect]:
    """Return every dialect of every installed format, by id. Not to be changed."""
    return registry().dialects


def find_dialect(name: str) -> Dialect:
    """Return a dialect by id, or by id and version, also an old one.

    Raises UnknownDialect with advice.

    The name of a server may follow a colon, for clients that count it in the length of tool names.
    """
    known, name = all_dialects(), str(name)
    asked, _, server = name.partition(":")
    wanted, _, version = asked.partition("@")
    found = known.get(wanted)
    if found is None or (server and not (found.names and found.names.prefix)):
        raise UnknownDialect(name, tuple(known), meant(name))
    if version:
        pins = {item.version: item for item in found.versions}
        if version not in pins:
            raise UnknownDialect(name, tuple(item.pinned for item in found.versions))
        found = pins[version]
    return _behind(found, server) if server else found


def _pin(name: str) -> str:
    """Return the version in a name; empty for the newest."""
    return str(name).partition(":")[0].partition("@")[2]


def _beside(dialect_id: str, pin: str) -> Dialect | None:
    """Return a dialect of the same date as a pinned one, so that a pin holds for both."""
    found = all_dialects().get(dialect_id)
    return found.as_of(pin) if found is not None and pin else found


def _behind(found: Dialect, server: str) -> Dialect:
    """Return the dialect with the length that this server's name leaves for tool names."""
    names = None if found.names is None else found.names.behind(server)
    if names is not None and names.room < _LEAST_ROOM:
        raise UsageError(
            f"the server's name {server!r} is too long: names of tools have no characters left"
        )
    return replace(found, names=names)


def _strict(plain: Dialect, pin: str = "") -> Dialect | None:
    return plain if plain.strict else _beside(f"{plain.id}/strict", pin)


def _by_model(target: WritableFormat, model: str | None, via: str | None) -> Dialect | None:
    """Return the dialect of a model on a route; the target's own family comes first."""
    found = [d for d in all_dialects().values() if not d.strict and serves(d, model, via)]
    own = [d for d in found if d in target.dialects]
    if via is not None:
        for group in (own, found):
            routed = [d for d in group if via in d.routes]
            if routed:
                return routed[0]
    if own:
        return own[0]
    # In the envelope of another provider a gateway translates: its dialect is the one that counts.
    return next((d for d in found if d.routes), found[0] if found else None)


def serves(dialect: Dialect, model: str | None, via: str | None) -> bool:
    """Return whether a dialect is the one of a model, or of a route where no model is given."""
    if model is None:
        return via in dialect.routes
    return any(
        re.search(rf"(?:^|[/.:]){re.escape(name)}", model.lower()) for name in dialect.models
    )


Naming: TypeAlias = str | Profile | Mapping[str, Any]
"""The id of a naming profile, a profile, or a table: of the keys of a profile, or of names only."""

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
    """The provider's strict mode: no, yes, or where nothing is lost by it ("auto")."""
    dialect: str | None = None
    """The dialect to lower to, in the envelope of ``format``."""
    model: str | None = None
    """The id of a model, which selects the dialect that it accepts."""
    via: str | None = None
    """The route to the model, such as a gateway, which may accept less than the model."""
    naming: Naming | None = None
    """The names that the client uses: a naming profile, its id, or a table."""

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
    """The parts of a target's name."""

    format: Format
    dialect: str | None = None
    """The dialect in the name, as ``find_dialect`` accepts it; None for a format alone."""
    layout: str | None = None
    """One of several layouts of messages in the format, as ``codec_of`` accepts it."""


def parse_target(to: str | Target) -> ParsedTarget:
    """Read a target. Raises UnknownFormat, UnknownDialect or NotWritable, with advice.

    A dialect is searched among the format's own, then among those of its family.

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
    """Return the part of a name that is the id of a format."""
    return _BEHIND.split(name, maxsplit=1)[0]


def _dialect_of(found: Format, name: str) -> str:
    """Return the id of the dialect in a name: the format's own, or one of its family."""
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
    """Return the format whose id begins this one's, such as another API of one provider."""
    stem = found.id.rpartition("-")[0]
    return registry().formats.get(stem) if stem else None


def known_targets() -> tuple[str, ...]:
    """Return every name that a target can have."""
    formats = registry().formats.values()
    return tuple(
        dict.fromkeys([*(item.id for item in formats if item.write is not None), *all_dialects()])
    )


def targets_of(to: str | Target | Iterable[str | Target]) -> tuple[str | Target, ...]:
    """Return one target or several, each once and in order."""
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
                f"the target {to!r} contradicts model={model!r}, which accepts "
                f"{spoken[0].id}; leave one of them out"
            )


def merged(name: str, to: Target, given: _Option, absent: object = None) -> _Option:
    """Return an option of a target, or the same option given beside it.

    Raises UsageError where both are given and differ.
    """
    own: _Option = getattr(to, name)
    if given in (absent, own):
        return own
    if own == absent:
        return given
    raise UsageError(f"the target {str(to)!r} contradicts {name}={given!r}; leave one of them out")


def bind_options(to: str | Target, model: str | None, naming: Naming | None) -> dict[str, Any]:
    """Return the keyword arguments of ``bind_target`` for a target and the options beside it."""
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
    """Return the naming profile that was given. Raises UnknownProfile, BadConfig, BadOption."""
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


_MOST_KNOWN: Final = 1024
_MOST_NAMED: Final = 256


@dataclass(frozen=True, slots=True, eq=False)
class BindTarget:
    """One target with its dialects."""

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
    """Return the target for these options. Raises UnknownFormat, NotWritable, UnknownDialect."""
    try:
        found = _known[to, strict, dialect, model, via, lower]  # type: ignore[index]  # see below
    except (KeyError, TypeError):  # not seen before, or an unhashable value
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
    """Return the bind target of a ``Target``, which holds options itself."""
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
    """Return a target that was not seen before, and keep it for the next time."""
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
    if len(_known) >= _MOST_KNOWN:  # many different models must not fill the memory
        _known.clear()
    found = BindTarget(_opened(target, choice), choice)
    _known[to, strict, dialect, model, via, lower] = found
    return found


def _opened(target: WritableFormat, choice: Choice) -> WritableFormat:
    """Return the target; without a rule for names it takes the rule of what opens its envelope."""
    names = None if choice.plain is None else choice.plain.names
    if names is None or target.names is not None:
        return target
    return changed(target, names=names)


def named(bind_target: BindTarget, naming: Naming) -> BindTarget:
    """Return the target with a naming profile, whose names descriptions may mention."""
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
    """Return the target with other fields."""
    return replace(target, **changes)  # type: ignore[type-var]  # every target is a Format


def telling(bind_target: BindTarget, tools: Iterable[CanonicalTool]) -> BindTarget:
    """Return the target whose descriptions use the outside names of the tools they mention."""
    target, profile = bind_target.target, bind_target.target.naming
    if profile is None or not profile.mentions:
        return bind_target
    names = profile.sent(tool.name for tool in tools)

    def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
        told = profile.told(tool.description, names)
        if told != tool.description:
            tool = tool.model_copy(update={"description": told})
        return target.write(tool, wire)

    return BindTarget(changed(target, write=write), bind_target.choice)
