"""The known formats: modules of ``toolcanon.formats``, and plugins by entry point.

A plugin gives its ``Format`` value under the entry point group ``toolcanon.formats``. A plugin
that fails to load is reported and left out; the others still work.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from toolcanon.errors import NotWritable, UnknownFormat

if TYPE_CHECKING:
    from toolcanon.dialect import Dialect
    from toolcanon.formats.wire import Format, WritableFormat

ENTRY_POINTS = "toolcanon.formats"


class BrokenPlugin(NamedTuple):
    """A plugin that could not be used, with the reason."""

    name: str
    source: str
    reason: str


class Registry(NamedTuple):
    """All usable formats by id, their dialects, and the plugins that failed."""

    formats: dict[str, Format]
    dialects: dict[str, Dialect]
    """Every dialect of every format, by id."""
    broken: tuple[BrokenPlugin, ...] = ()


@cache
def registry() -> Registry:
    """Find all formats; the result is kept for the life of the process."""
    formats = builtin_formats()
    broken: list[BrokenPlugin] = []
    for name, source, load in _plugins():
        try:
            found = load()
            problem = _problem(found, formats)
        except Exception as error:  # noqa: BLE001 - a plugin may raise anything
            problem = f"{type(error).__name__}: {error}"
        if problem:
            broken.append(BrokenPlugin(name, source, problem))
        else:
            formats[found.id] = found
    dialects = {dialect.id: dialect for found in formats.values() for dialect in found.dialects}
    return Registry(formats, dialects, tuple(broken))


@cache
def _builtin_formats() -> tuple[Format, ...]:
    package = import_module("toolcanon.formats")
    found: list[Format] = [
        import_module(f"{package.__name__}.{module.name}").FORMAT
        for module in pkgutil.iter_modules(package.__path__)
        if module.name != "wire"
    ]
    return tuple(sorted(found, key=lambda item: (item.rank, item.id)))


def builtin_formats() -> dict[str, Format]:
    """Return the formats of this package, by rank and then by id."""
    return {item.id: item for item in _builtin_formats()}


def _plugins() -> list[tuple[str, str, Callable[[], Any]]]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow, and only needed here

    return [
        (point.name, point.value, point.load)
        for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda p: (p.name, p.value))
    ]


def _problem(found: object, formats: dict[str, Format]) -> str:
    from toolcanon.formats.wire import Format  # noqa: PLC0415 - keeps `--help` light

    if not isinstance(found, Format):
        return f"expected a Format, found {type(found).__name__}"
    if found.id in formats:
        return f"the id {found.id!r} is already used"
    return ""


def get_format(format_id: str) -> Format:
    """Return the format with this id; raises UnknownFormat with advice."""
    found = registry()
    known = found.formats.get(str(format_id))
    if known is None:
        trouble = next(
            (f"its plugin failed: {b.reason}" for b in found.broken if b.name == format_id), ""
        )
        near = "" if trouble else meant(str(format_id))
        raise UnknownFormat(str(format_id), tuple(found.formats), trouble, near)
    return known


def meant(name: str) -> str:
    """Return the target, with its dialect, that a common name means; empty if none."""
    head, slash, rest = name.lower().partition("/")
    for item in registry().formats.values():
        if head in item.known_as:
            asked = f"{item.id}{slash}{rest}"
            is_known = any(dialect.id == asked for dialect in item.dialects)
            return asked if is_known else item.id
    return ""


_targets: dict[str, WritableFormat] = {}


def get_target(format_id: str) -> WritableFormat:
    """Return the format with this id; raises NotWritable if it can only be read."""
    try:
        return _targets[format_id]
    except (KeyError, TypeError):  # not cached yet, or not an id
        found = get_format(str(format_id))
    if found.write is None:
        writable = tuple(item.id for item in registry().formats.values() if item.write is not None)
        raise NotWritable(found.id, writable)
    target = _targets[found.id] = cast("WritableFormat", found)  # its write was checked above
    return target
