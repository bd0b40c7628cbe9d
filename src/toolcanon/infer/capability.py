"""Action, domain and side effects from a tool's name, description and hints.

Whole words decide, never parts of words ("blacklist" lists nothing). The name outweighs the
description, changing verbs outweigh reading ones wherever they stand, and what a hint states
outweighs every guess. A call that changes something is not taken to be repeatable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from toolcanon.infer.words import CHANGING, CHANGING_IN_PROSE, DOMAINS, NEGATIONS, READING

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+")
_FORMS = ("", "s", "es", "d", "ed", "ing")
_PRESENT = ("", "s", "es")  # "files created yesterday" says nothing of creating


class Inference(NamedTuple):
    """What was concluded, and from what."""

    action: str
    domain: str
    side_effects: bool
    idempotent: bool
    evidence: tuple[str, ...]


def infer(name: str, description: str, hints: Mapping[str, bool] | None = None) -> Inference:
    """Guess what a tool does. Pure and deterministic; unknown stays empty or "general".

    ``hints`` may state ``read_only`` and ``idempotent``.

    >>> infer("read_file", "Read the contents of a file")[:4]
    ('read', 'filesystem', False, True)
    """
    said = hints or {}
    evidence: list[str] = []
    action, changes = _verb(_words(name), _words(description), evidence)
    repeatable = not changes
    domain = _domain(name, description, evidence)
    if "read_only" in said:
        changes = not said["read_only"]
        repeatable = True if said["read_only"] else repeatable
        evidence.append(f"read-only hint is {str(said['read_only']).lower()}")
    if "idempotent" in said:
        repeatable = said["idempotent"]
        evidence.append(f"idempotent hint is {str(said['idempotent']).lower()}")
    return Inference(action, domain, changes, repeatable, tuple(evidence))


def _verb(name: list[str], description: list[str], evidence: list[str]) -> tuple[str, bool]:
    """The first verb found in order of weight, and whether it changes anything."""
    for place, words, verbs, forms, changes in (
        ("name", name, CHANGING, _FORMS, True),
        ("description", description, CHANGING_IN_PROSE, _PRESENT, True),
        ("name", name, READING, _FORMS, False),
        ("description", description, CHANGING, _PRESENT, True),
        ("description", description, READING, _FORMS, False),
    ):
        for word in _asserted(words):
            stem = _stem(word, verbs, forms)
            if stem is not None:
                evidence.append(f"{word!r} in the {place}")
                return stem, changes
    return "", False


def _domain(name: str, description: str, evidence: list[str]) -> str:
    for place, text in (("name", name), ("description", description)):
        for word in _words(text):
            domain = DOMAINS.get(word)
            if domain is not None:
                evidence.append(f"{word!r} in the {place}")
                return domain
    return "general"


def _words(text: str) -> list[str]:
    """Lower-case words, camelCase and snake_case taken apart."""
    return [word.lower() for word in _WORD.findall(text[:4096])]


def _asserted(words: list[str]) -> Iterator[str]:
    """The words that no negation stands before."""
    reach = 0
    for word in words:
        if word in NEGATIONS:
            reach = 3
        elif reach:
            reach -= 1
        else:
            yield word


def _stem(word: str, verbs: frozenset[str], forms: tuple[str, ...]) -> str | None:
    for suffix in forms:
        stem = word.removesuffix(suffix)
        if stem == word and suffix:
            continue
        if stem in verbs:
            return stem
        if f"{stem}e" in verbs and suffix in {"ed", "ing"}:
            return f"{stem}e"
    return None
