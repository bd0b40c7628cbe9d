"""S111: a key or a password in a definition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.checking.texts import TextAt
from toolcanon.text.credentials import STEMS, credential

_USED: Final = frozenset({"default", "const"})
_SHORTEST: Final = 16


def _look(subject: Subject) -> Iterator[Hit]:
    joined = subject.joined
    may_hold = subject.has_long_run and (
        ("://" in joined and "@" in joined) or any(map(joined.__contains__, STEMS))
    )
    for text in subject.texts:
        if not may_hold and text.role != "value":
            continue
        is_used = text.role == "value" and not _USED.isdisjoint(text.at)
        if not (may_hold or is_used) or len(text.text) < _SHORTEST:
            continue
        what = credential(text.text, _parameter(text) if is_used else "")
        if what:
            yield Hit(text.at, f"this looks like {what}, {len(text.text):,} characters long",
                      level=None if is_used else "warning")  # fmt: skip


def _parameter(text: TextAt) -> str:
    """Return the name of the parameter that a value belongs to."""
    steps = text.at
    places = [at for at in range(len(steps) - 2, 0, -1) if steps[at - 1] == "properties"]
    return str(steps[places[0]]) if places else ""


RULE = Rule(
    code="S111",
    name="secret-in-value",
    level="error",
    says="a value looks like a secret",
    why="A definition is sent to models and stored in logs and caches, so a key in it is exposed.",
    remedy="revoke the secret, and let the server read it from its environment",
    wrong=(
        {
            "name": "query",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "api_key": {"type": "string", "default": "b7ed776c-7f0f-4dd2-ba9d-9c6a6e1f44cb"}
                },
            },
        },
        {
            "name": "query",
            "inputSchema": {
                "type": "object",
                "properties": {"db": {"const": "postgres://app:k7Rq2vX9@db.internal/main"}},
            },
        },
    ),
    right=(
        {
            "name": "query",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "api_key": {"type": "string", "default": "YOUR_API_KEY"},
                    "id": {"type": "string", "default": "b7ed776c-7f0f-4dd2-ba9d-9c6a6e1f44cb"},
                },
            },
        },
    ),
    look=_look,
)
