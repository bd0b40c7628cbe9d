"""Compare the responses of tools with those in their baselines."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from toolcanon.diagnostics.change import Change
from toolcanon.drift.shapes.comparing import compare_shapes
from toolcanon.drift.shapes.shape import Shape
from toolcanon.drift.telling import told
from toolcanon.watch.capturing import NO_RESPONSES
from toolcanon.watch.store import Known, Snapshot

NONE_REMEMBERED: Final = "responses were not compared: the baseline has none"
SOME_GIVEN: Final = "responses of {} were not compared: none were given for them"
NONE_GIVEN: Final = "responses were not compared: none were given (--responses FILE)"
_MOST: Final = 6
_HURTS: Final = frozenset({"security", "breaking", "unknown"})


class Answers(NamedTuple):
    """The result of comparing responses."""

    comparable: bool
    """Whether both sides have responses."""
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()


def has_answers(remembered: Known | Snapshot) -> bool:
    """Return whether a baseline has responses; those without members have no hash of their own."""
    shape = remembered.shape if isinstance(remembered, Snapshot) else None
    return shape is not None or remembered.response_pattern_hash != NO_RESPONSES


def comparable_hash(before: Snapshot, after: Snapshot) -> Snapshot:
    """Return the baseline with a hash of its responses where an earlier version stored none.

    Responses that are not objects had the hash of no responses then. Shapes show if they changed.
    """
    if before.response_pattern_hash != NO_RESPONSES:
        return before
    if before.shape is None or after.shape is None or _types(Shape.from_dict(after.shape)):
        return before
    return replace(before, response_pattern_hash=after.response_pattern_hash)


def compared_answers(before: Snapshot, after: Snapshot) -> Answers:
    """Compare by shapes where both sides have one; the caller compares the hashes.

    A change that breaks nobody is reported only where the hashes differ as well, else noted.
    """
    if after.shape is None:
        return Answers(comparable=False)
    if not has_answers(before):
        return Answers(comparable=False, notes=(NONE_REMEMBERED,))
    name, new = after.key.tool, Shape.from_dict(after.shape)
    is_other = before.response_pattern_hash != after.response_pattern_hash
    if before.shape is None:
        told_only = (_pattern_changed(name, None, new),) if is_other else ()
        return Answers(comparable=True, changes=told_only)
    old = Shape.from_dict(before.shape)
    found = compare_shapes(old, new, tool=name)
    notes = [f"{name}: {note}" for note in found.notes]
    changes = list(found.changes)
    if is_other and not changes:
        changes.append(_pattern_changed(name, old, new))
    if not is_other:
        changes = [change for change in changes if change.verdict in _HURTS]
        notes += [f"{name}: {one.message}" for one in found.changes if one.verdict not in _HURTS]
    return Answers(True, tuple(changes), tuple(notes))


def _pattern_changed(name: str, old: Shape | None, new: Shape) -> Change:
    """Return the change of differing hashes, with the top-level members that explain it."""
    if old is None:
        reason = "the earlier responses are known only by their hash"
        return told("response-pattern-changed", reason=reason, tool=name)
    was, now = _types(old), _types(new)
    sides = (
        ("came", sorted(now.keys() - was.keys())),
        ("went", sorted(was.keys() - now.keys())),
        ("of other types", [key for key in sorted(was) if was[key] != now.get(key, was[key])]),
    )
    parts = [f"{how}: {_few(names)}" for how, names in sides if names]
    return told(
        "response-pattern-changed",
        f"responses have another form ({'; '.join(parts)})" if parts else "",
        before={key: list(types) for key, types in was.items() if types != now.get(key)},
        after={key: list(types) for key, types in now.items() if types != was.get(key)},
        reason=f"too few to judge: {old.samples:,} responses before, {new.samples:,} now",
        tool=name,
    )


def _types(shape: Shape) -> dict[str, tuple[str, ...]]:
    """Return the top-level members of responses, including failures, and their types."""
    found: dict[str, set[str]] = {}
    for root in (shape.root, shape.failed):
        for key, node in root.object.members.items() if root.object is not None else ():
            found.setdefault(key, set()).update(kind for kind, _ in node.tallies())
    return {key: tuple(sorted(found[key])) for key in sorted(found)}


def _few(names: list[str]) -> str:
    more = f" and {len(names) - _MOST:,} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more
