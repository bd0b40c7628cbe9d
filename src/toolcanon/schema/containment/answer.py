"""Is one schema contained in another? Yes, no with a witness, or unknown with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, TypeAlias

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json
from toolcanon.schema.containment.engine import Engine, Reading
from toolcanon.schema.containment.failures import Failure
from toolcanon.schema.containment.witness import Court, shrink
from toolcanon.schema.normal.terms import Budget, Home, Spent, alike

Answer: TypeAlias = Literal["yes", "no", "unknown"]

_WORK: Final = 12_000
_MOST_CANDIDATES: Final = 60
_ROOT: Final = Pointer()


@dataclass(frozen=True, slots=True)
class Contained:
    """The answer; a *no* has a witness, and an *unknown* its reason."""

    answer: Answer
    witness: Json = None
    """A value of the one schema that the other refuses; ``null`` may be one, so ask ``answer``."""
    reason: str = ""
    at: Pointer = _ROOT
    """The keyword that refuses it, or that nobody could show to hold, in the other schema."""


_YES: Final = Contained("yes")


def contained(
    one: Json, other: Json, *, reading: Reading = "plain", budget: int = _WORK
) -> Contained:
    """Whether every value that one schema accepts is accepted by the other. Both are 2020-12.

    ``inputs`` are read by declared members: objects are closed to others on both sides, unless
    they say what others have to be. ``outputs`` stay open. Both take the bounds of safe integers
    for none. For inputs ask for the old schema in the new one, for outputs for the new in the old.

    >>> found = contained({"type": "integer", "minimum": 0}, {"exclusiveMinimum": 0})
    >>> found.answer, found.witness, found.at
    ('no', 0, Pointer('/exclusiveMinimum'))
    """
    return answered(Home(one), Home(other), reading, budget)


def answered(one: Home, other: Home, reading: Reading, budget: int = _WORK) -> Contained:
    """The same for documents about which more is asked: what was found out of them is kept."""
    if alike(one.root, other.root):
        return _YES
    engine = Engine(one, other, reading, Budget(budget))
    try:
        found = engine.root()
        if not found:
            return _YES
        return _proven(found, Court(one.root, other.root, closes=reading == "inputs"))
    except (Spent, RecursionError):
        return Contained("unknown", None, "comparing them takes too much work")


def _proven(found: list[Failure], court: Court) -> Contained:
    """A no for the first candidate that proves it; else nothing is known."""
    tried = 0
    for one in found:
        formats = one.at[-1:] == ("format",)
        for value in one.values:
            tried += 1
            if tried <= _MOST_CANDIDATES and court.proves(value, formats=formats):
                least = shrink(value, partial(court.proves, formats=formats))
                return Contained("no", least, one.reason, Pointer(one.at))
    for value in court.sampled():
        if court.refutes(value):
            least = shrink(value, court.refutes)
            return Contained("no", least, found[0].reason, Pointer(found[0].at))
    return Contained("unknown", None, f"unproven: {found[0].reason}", Pointer(found[0].at))
