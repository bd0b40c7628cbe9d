"""A way with a naming profile on it: tools go out, and calls come back, by the profile's names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from toolcanon.conversion.bind_target import BindTarget
from toolcanon.formats.wire import Target, Wire
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import JsonObject
from toolcanon.naming.profiles import Profile, profile_named

Naming: TypeAlias = str | Profile | Mapping[str, Any]
"""The id of a profile, a profile, or a table: of a profile's keys, or simply of names."""

_MOST: Final = 256
_TABLE: Final = frozenset({"names", "style", "aliases", "internal", "mentions"})
_named: dict[tuple[object, ...], BindTarget] = {}


def profile_of(naming: Naming) -> Profile:
    """What was meant. Raises UnknownProfile, BadConfig."""
    if isinstance(naming, Profile):
        return naming
    if isinstance(naming, str):
        return profile_named(naming)
    table = dict(naming)
    if not all(isinstance(outside, str) for outside in table.values()) or table.keys() <= _TABLE:
        return Profile.of("table", table, "naming")
    return Profile("table", table)


def named(bind_target: BindTarget, naming: Naming) -> BindTarget:
    """The same way under a profile's names, which descriptions may mention."""
    profile = profile_of(naming)
    tables = (tuple(sorted(table.items())) for table in (profile.names, profile.aliases))
    key = (bind_target, profile.id, *tables, profile.style, profile.internal, profile.mentions)
    found = _named.get(key)
    if found is None:
        if len(_named) >= _MOST:
            _named.clear()
        found = _named[key] = BindTarget(
            _with(bind_target.target, naming=profile, is_regular=False), bind_target.choice
        )
    return found


def telling(bind_target: BindTarget, tools: Iterable[CanonicalTool]) -> BindTarget:
    """The way by which descriptions tell the outside names of the tools they mention, too."""
    target, profile = bind_target.target, bind_target.target.naming
    if profile is None or not profile.mentions:
        return bind_target
    names = profile.sent(tool.name for tool in tools)

    def write(tool: CanonicalTool, wire: Wire) -> JsonObject:
        told = profile.told(tool.description, names)
        if told != tool.description:
            tool = tool.model_copy(update={"description": told})
        return target.write(tool, wire)

    return BindTarget(_with(target, write=write), bind_target.choice)


def _with(target: Target, **changes: Any) -> Target:
    return replace(target, **changes)  # type: ignore[type-var]  # every target is a Format
