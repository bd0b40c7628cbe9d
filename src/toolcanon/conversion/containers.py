"""Where wrappers and request bodies keep their tools: the formats say, this looks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.registry import registry


class Hit(NamedTuple):
    """Something that should be a tool or a list of tools; ``formats`` keep theirs there."""

    at: Pointer
    value: Json
    formats: tuple[str, ...]


@cache
def _paths() -> dict[tuple[str, ...], tuple[str, ...]]:
    paths: dict[tuple[str, ...], tuple[str, ...]] = {}
    for item in registry().formats.values():
        for path in item.containers:
            paths[path] = (*paths.get(path, ()), item.id)
    return paths


def contents(body: JsonObject) -> list[Hit]:
    """Every place of a body that holds tools, in the order of the formats' tables."""
    return [
        Hit(at, value, formats)
        for path, formats in _paths().items()
        for at, value in _follow(body, path, Pointer())
    ]


def text_of_tools(body: JsonObject) -> str | None:
    """Return the key under which tools are given as the text of a list or object; None for none."""
    for key, *below in _paths():
        value = body.get(key)
        if not below and isinstance(value, str) and value.lstrip()[:1] in {"[", "{"}:
            return key
    return None


def _follow(value: Json, path: tuple[str, ...], at: Pointer) -> Iterator[tuple[Pointer, Json]]:
    if not path:
        if isinstance(value, (list, dict)):
            yield at, value
    elif path[0] == "*":
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from _follow(item, path[1:], at / index)
    elif isinstance(value, dict) and path[0] in value:
        yield from _follow(value[path[0]], path[1:], at / path[0])
