"""The result of a check: where a rule is broken, how, and by which tool or call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from toolcanon.dialect.history import Case

if TYPE_CHECKING:
    from toolcanon.checking.history.history import History


class Breach(NamedTuple):
    """One place where a rule is broken."""

    at: tuple[str | int, ...]
    subject: str = ""
    says: str = ""
    """What is wrong here, where the rule's own sentence is too general."""
    case: Case = ""


Check: TypeAlias = "Callable[[History], Iterable[Breach]]"
