"""Which dialect a binding speaks: named, chosen by model and route, or the target's own."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from toolcanon.dialect import Dialect
from toolcanon.errors import BadOption, UnknownDialect, UsageError
from toolcanon.formats.wire import WritableFormat
from toolcanon.registry import meant, registry

AUTO = "auto"
_LEAST_ROOM = 16  # a beginning that still tells something, and a digest


class Choice(NamedTuple):
    """What a tool is lowered to."""

    plain: Dialect | None
    """None: schemas go out as they are."""
    strict: Dialect | None
    """What it takes to be strict; None where nothing does."""
    mode: bool | str
    """Whether strictness is asked for: no, yes, or where it costs nothing ("auto")."""
    verbatim: bool = False
    """Whether names and spellings go out as they are, too."""

    @property
    def wanted(self) -> Dialect | None:
        """The dialect that tools have to be in."""
        return self.strict if self.mode else self.plain


VERBATIM = Choice(None, None, mode=False, verbatim=True)


def choose(
    target: WritableFormat,
    strict: bool | str = False,  # noqa: FBT001, FBT002 - the public contract has it so
    dialect: str | None = None,
    model: str | None = None,
    via: str | None = None,
) -> Choice:
    """The dialects for a target, by what was asked for."""
    ensure_options(strict, model, via)
    if dialect is not None:
        named, pin = find_dialect(dialect), _pin(dialect)
        named = _beside(f"{named.id}/{via}", pin) or named  # as it gets through there
        if named.strict:
            plain = _beside(named.id.removesuffix("/strict"), pin) or _first(target)
            return Choice(plain, named, strict or True)
        return Choice(named, _strict(named, pin), strict)
    plain = _first(target)
    if model is not None or via is not None:
        plain = _by_model(target, model, via) or plain
    return Choice(plain, None if plain is None else _strict(plain), strict)


def ensure_options(strict: object, model: object, via: object) -> None:
    """Raise BadOption for a value that these options do not take."""
    if strict not in (False, True, AUTO):
        raise BadOption("strict", strict, (True, False, AUTO))
    if model is not None and not isinstance(model, str):
        raise BadOption("model", model, wants="the id of a model, as a text")
    if via is not None and not isinstance(via, str):
        raise BadOption("via", via, wants="the name of a route, as a text")


def _first(target: WritableFormat) -> Dialect | None:
    return target.dialects[0] if target.dialects else None


def all_dialects() -> dict[str, Dialect]:
    """Every dialect of every installed format, by id. Not to be changed."""
    return registry().dialects


def find_dialect(name: str) -> Dialect:
    """A dialect by id, or by id and version, however old; raises UnknownDialect with advice.

    Behind a colon may stand the name of the server, for those who count it with tool names.
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
    """The version that a name asks for; none where the newest will do."""
    return str(name).partition(":")[0].partition("@")[2]


def _beside(dialect_id: str, pin: str) -> Dialect | None:
    """A dialect that goes with a named one: of the time of its pin, so that a pin keeps both."""
    found = all_dialects().get(dialect_id)
    return found.as_of(pin) if found is not None and pin else found


def _behind(found: Dialect, server: str) -> Dialect:
    """The dialect with the room that this server's name leaves for names of tools."""
    names = None if found.names is None else found.names.behind(server)
    if names is not None and names.room < _LEAST_ROOM:
        raise UsageError(f"the server's name {server!r} leaves no room for names of tools")
    return replace(found, names=names)


def _strict(plain: Dialect, pin: str = "") -> Dialect | None:
    return plain if plain.strict else _beside(f"{plain.id}/strict", pin)


def _by_model(target: WritableFormat, model: str | None, via: str | None) -> Dialect | None:
    """The dialect that a model speaks on a route; the target's own family comes first."""
    found = [d for d in all_dialects().values() if not d.strict and serves(d, model, via)]
    own = [d for d in found if d in target.dialects]
    if via is not None:
        for group in (own, found):
            routed = [d for d in group if via in d.routes]
            if routed:
                return routed[0]
    if own:
        return own[0]
    # In a foreign envelope somebody translates: what is spoken through others is what counts.
    return next((d for d in found if d.routes), found[0] if found else None)


def serves(dialect: Dialect, model: str | None, via: str | None) -> bool:
    """Whether a dialect is the one of a model, or of a route where no model is named."""
    if model is None:
        return via in dialect.routes
    return any(
        re.search(rf"(?:^|[/.:]){re.escape(name)}", model.lower()) for name in dialect.models
    )
