"""What a provider's own tools did, in words that any model can read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TypeAlias

from toolcanon.formats.wire.codec import dump
from toolcanon.jsonio import DEEPEST
from toolcanon.jsonio.types import Json

Rename: TypeAlias = Callable[[str], str]
"""What the target calls a tool."""


def texts_in(value: Json, keys: Collection[str], depth: int = 0) -> Iterator[str]:
    """The texts under some keys, however deep they stand, in order; encoded bytes are none."""
    if depth > DEEPEST:
        return
    if isinstance(value, list):
        for item in value:
            yield from texts_in(item, keys, depth + 1)
    elif isinstance(value, dict) and value.get("type") != "base64":
        for key, item in value.items():
            if key in keys:
                yield from _texts(item)
            if isinstance(item, (dict, list)):
                yield from texts_in(item, keys, depth + 1)


def _texts(value: Json) -> list[str]:
    """A text, or a list of texts."""
    found = value if isinstance(value, list) else [value]
    return [item for item in found if isinstance(item, str) and item.strip()]


def ran(name: Json, given: Json) -> str | None:
    """That a tool ran, and with what; None where it has no name.

    >>> ran("web_search", {"query": "news"})
    '[Ran web_search: news]'
    """
    if not isinstance(name, str):
        return None
    if isinstance(given, dict) and len(given) == 1:
        (given,) = given.values()
    if isinstance(given, list) and given and all(isinstance(item, str) for item in given):
        given = "; ".join(given)
    words = given if isinstance(given, str) else dump(given) if given else ""
    return f"[Ran {name}: {words}]" if words.strip() else f"[Ran {name}]"


def answered(name: Json, texts: Iterable[Json]) -> str | None:
    """What it answered; None where that has no words."""
    said = [text for text in texts if isinstance(text, str) and text.strip()]
    return "\n".join([f"[Result of {name}]", *said]) if said else None


def named(names: Iterable[str], rename: Rename) -> str | None:
    """Which tools it found; None where it found none."""
    found = ", ".join(map(rename, names))
    return f"[Tools found: {found}]" if found else None
