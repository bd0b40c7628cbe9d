"""What the referee reports: where, which rule, and in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Fault:
    at: str  # a JSON pointer
    rule: str
    says: str


def below(prefix: str, faults: Iterable[Fault]) -> Iterator[Fault]:
    """The same faults, seen from further up."""
    for fault in faults:
        yield replace(fault, at=prefix + fault.at)
