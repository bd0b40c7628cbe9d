"""What a rule is: a code, a level, texts, examples, and the function that finds its hits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from toolcanon.diagnostics import Fix, Level
from toolcanon.ir.walk import ToolView
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import TYPES
from toolcanon.schema.validate import judge
from toolcanon.schema.values import has_type

_SILENT: Final = frozenset({"default", "deprecated", "description", "examples", "title", "type"})
_DEFINITIONS: Final = ("$defs", "definitions")


def refusal(value: Json, node: JsonObject, root: JsonObject) -> str | None:
    """Return why a schema rejects a value; None when it accepts it or cannot be evaluated.

    A validator is built only where the schema has more than a type.
    """
    if node.keys() <= _SILENT:
        kind = node.get("type")
        if not isinstance(kind, list):
            if not isinstance(kind, str) or kind not in TYPES or has_type(value, (kind,)):
                return None
            return f"it is not of type {kind}"
    if node is not root:
        node = {**node, **{word: root[word] for word in _DEFINITIONS if word in root}}
    problems = judge(node).problems(value)
    return problems[0].message if problems else None


@dataclass(frozen=True, slots=True)
class RuleHit:
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
    look: Callable[[ToolView], Iterable[RuleHit]] | None = None
    compare: Callable[[Sequence[ToolView]], Iterable[tuple[int, RuleHit]]] | None = None
    """Yields hits with the number of their tool; called where there are several tools."""
