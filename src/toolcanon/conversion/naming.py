"""A way with a naming profile on it: tools go out, and calls come back, by the profile's names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from toolcanon.conversion.way import Way
from toolcanon.formats.wire import Target, Wire
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import JsonObject
from toolcanon.naming.profiles import Profile, profile_named

Naming: TypeAlias = str | Profile | Mapping[str, Any]
"""The id of a profile, a profile, or a table: of a profile's keys, or simply of names."""

_MOST: Final = 256
_TABLE: Final = frozenset({"names", "style", "aliases", "internal", "mentions"})
_named: dict[tuple[object, ...], Way] = {}


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


def named(way: Way, naming: Naming) -> Way:
    """The same way under a profile's names; plain tools take no short cut there."""
    profile = profile_of(naming)
    tables = (tuple(sorted(table.items())) for table in (profile.names, profile.aliases))
    key = (way, profile.id, *tables, profile.style, profile.internal, profile.mentions)
    found = _named.get(key)
    if found is None:
        if len(_named) >= _MOST:
            _named.clear()
        found = _named[key] = Way(_with(way.target, naming=profile, plain=None), way.choice)
    return found


def telling(way: Way, tools: Iterable[CanonicalTool]) -> Way:
    """The way by which descriptions tell the outside names of the tools they mention, too."""
    target, profile = way.target, way.target.naming
    if profile is None or not profile.mentions:
        return way
    names = profile.sent(tool.name for tool in tools)

    def write(tool: CanonicalTool, wire: Wire) -> JsonObject:
        told = profile.told(tool.description, names)
        if told != tool.description:
            tool = tool.model_copy(update={"description": told})
        return target.write(tool, wire)

    return Way(_with(target, write=write), way.choice)


def _with(target: Target, **changes: Any) -> Target:
    return replace(target, **changes)  # type: ignore[type-var]  # every target is a Format
