"""What a rule is: a code, a name, what it says and why, an example, and the look itself."""

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
    """What is wrong here, in one sentence; texts of the tool in it are made safe when shown."""
    remedy: str = ""
    """What to do here, when more can be said than the rule's own remedy."""
    level: Level | None = None
    """How bad, when it is not as the rule has it."""
    fix: Fix | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One thing to look for. ``look`` sees one tool, ``compare`` sees all that come together."""

    code: str
    """``S`` and three digits for safety, ``Q`` for quality, ``C`` for what is refused anywhere."""
    name: str
    level: Level
    says: str
    """What is wrong, as a clause: "a text holds characters that nobody sees"."""
    why: str
    remedy: str
    wrong: tuple[JsonObject, ...]
    """Tools it finds something in, in MCP's words where those can say it."""
    right: tuple[JsonObject, ...]
    """The same, mended: it finds nothing there."""
    look: Callable[[Subject], Iterable[Hit]] | None = None
    compare: Callable[[Sequence[Subject]], Iterable[tuple[int, Hit]]] | None = None
    """Hits with the number of the tool each is about; asked where there are several tools."""
