"""The security of an operation: alternatives, each of several schemes with their scopes."""

from __future__ import annotations

from typing import Final, NamedTuple, Self

from toolcanon.jsonio.types import Json, JsonObject


class Security(NamedTuple):
    """The alternatives, and the required permissions as text."""

    alternatives: list[JsonObject]
    permissions: list[str]

    @classmethod
    def of(cls, listed: list[Json]) -> Self:
        """Return the security of a list of requirements."""
        alternatives = [item for item in listed if isinstance(item, dict)]
        return cls(alternatives, permissions(alternatives))


NOBODY: Final = Security([], [])
"""No requirements, so no authentication."""


def permissions(alternatives: list[JsonObject]) -> list[str]:
    """Return the required permissions: ``scheme`` or ``scheme:scope``.

    All of the list is required, so alternatives are one entry, with `` | `` between them and
    `` & `` within them. Where one of them is empty, nothing is required.

    >>> permissions([{"oauth": ["read", "write"]}])
    ['oauth:read', 'oauth:write']
    >>> permissions([{"oauth": ["read", "write"]}, {"key": []}])
    ['oauth:read & oauth:write | key']
    """
    worded = [_words(item) for item in alternatives]
    if not worded or [] in worded:
        return []
    if len(worded) == 1:
        return worded[0]
    return [" | ".join(dict.fromkeys(" & ".join(words) for words in worded))]


def _words(alternative: JsonObject) -> list[str]:
    words: list[str] = []
    for scheme, scopes in alternative.items():
        named = scopes if isinstance(scopes, list) else []
        words += [f"{scheme}:{scope}" for scope in named] or [str(scheme)]
    return words
