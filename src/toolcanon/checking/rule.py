"""The type of a rule: code, name, message, reason, examples, and the check itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from toolcanon.checking.subject import Subject
from toolcanon.diagnostics import Fix, Level
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import JsonObject


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule found at one place of the canonical tool."""

    at: Pointer
    message: str
    """What is wrong here, in one sentence; reports escape text that comes from the tool."""
    remedy: str = ""
    """What to do here, if it differs from the rule's remedy."""
    level: Level | None = None
    """The level, if it differs from the rule's."""
    fix: Fix | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. ``look`` checks one tool, ``compare`` all tools that are given together."""

    code: str
    """``S`` and three digits for safety, ``Q`` for quality, ``C`` for what every target rejects."""
    name: str
    level: Level
    says: str
    """What is wrong, as a clause: "a text has invisible characters"."""
    why: str
    remedy: str
    wrong: tuple[JsonObject, ...]
    """Tools it reports, in MCP's format where possible."""
    right: tuple[JsonObject, ...]
    """The same tools, corrected: it reports nothing."""
    look: Callable[[Subject], Iterable[Hit]] | None = None
    compare: Callable[[Sequence[Subject]], Iterable[tuple[int, Hit]]] | None = None
    """Yields hits with the number of their tool; called where there are several tools."""
