"""Who may call an operation: alternatives, each of several schemes with their scopes."""

from __future__ import annotations

from toolcanon.formats.openapi.document import Document
from toolcanon.jsonio.types import JsonObject


def requirements(document: Document, stated: JsonObject) -> list[JsonObject]:
    """The alternatives that hold for an operation: its own, or else the document's."""
    listed = stated["security"] if "security" in stated else document.root.get("security")
    if not isinstance(listed, list):
        return []
    return [item for item in listed if isinstance(item, dict)]


def permissions(alternatives: list[JsonObject]) -> list[str]:
    """What is needed, in words: ``scheme`` or ``scheme:scope``.

    All of the list is needed, so alternatives are one entry, with `` | `` between them and `` & ``
    within them. Where one of them is nothing at all, nothing is needed.

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
