"""What tools answered lately, compared with what they answered when they were remembered."""

from __future__ import annotations

from typing import Final, NamedTuple

from toolcanon.diagnostics.change import Change
from toolcanon.drift.shapes.comparing import compare_shapes
from toolcanon.drift.shapes.shape import Shape
from toolcanon.watch.capturing import NO_RESPONSES
from toolcanon.watch.store import Known, Snapshot

NONE_REMEMBERED: Final = "responses were not compared: the baseline has none"
NONE_GIVEN: Final = "responses were not compared: none were given (--responses FILE)"
_HURTS: Final = frozenset({"security", "breaking", "unknown"})


class Answers(NamedTuple):
    """What a comparison of responses gave."""

    comparable: bool
    """Whether there are any on both sides."""
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()


def has_answers(remembered: Known | Snapshot) -> bool:
    """Whether responses are remembered; those without members leave no hash of their own."""
    shape = remembered.shape if isinstance(remembered, Snapshot) else None
    return shape is not None or remembered.response_pattern_hash != NO_RESPONSES


def compared_answers(before: Snapshot, after: Snapshot) -> Answers:
    """Compare by shapes, where both have one; the hashes are compared by whoever asks.

    What hurts nobody is a change only where the hashes differ as well, and a note otherwise.
    """
    if after.shape is None:
        return Answers(comparable=False, notes=(NONE_GIVEN,) if has_answers(before) else ())
    if not has_answers(before):
        return Answers(comparable=False, notes=(NONE_REMEMBERED,))
    if before.shape is None:
        return Answers(comparable=True)
    name = after.key.tool
    found = compare_shapes(Shape.from_dict(before.shape), Shape.from_dict(after.shape), tool=name)
    notes = [f"{name}: {note}" for note in found.notes]
    changes = list(found.changes)
    if before.response_pattern_hash == after.response_pattern_hash:
        changes = [change for change in changes if change.verdict in _HURTS]
        notes += [f"{name}: {one.message}" for one in found.changes if one.verdict not in _HURTS]
    return Answers(True, tuple(changes), tuple(notes))
