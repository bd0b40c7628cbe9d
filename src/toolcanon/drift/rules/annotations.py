"""Hints on behaviour: the claims of a server, compared as hosts interpret them.

A hint that is not stated has a default, and two of them have no meaning for a read-only tool. So
stating a default changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from toolcanon.diagnostics.change import Change, Severity
from toolcanon.drift.pair import Pair
from toolcanon.drift.telling import here, told
from toolcanon.infer import infer
from toolcanon.ir import stated_hints

DEFAULTS: Final = {
    "read_only": False, "destructive": True, "idempotent": False, "open_world": True,
}  # fmt: skip
_MOVES: Final[dict[tuple[str, bool], tuple[str, Severity]]] = {
    ("read_only", False): ("annotation-readonly-dropped", "high"),
    ("read_only", True): ("annotation-readonly-claimed", "medium"),
    ("destructive", True): ("annotation-destructive-raised", "high"),
    ("destructive", False): ("annotation-destructive-cleared", "high"),
    ("idempotent", False): ("annotation-idempotent-dropped", "low"),
    ("idempotent", True): ("annotation-idempotent-claimed", "low"),
    ("open_world", True): ("annotation-openworld-raised", "medium"),
    ("open_world", False): ("annotation-openworld-cleared", "low"),
}
OF_WRITERS: Final = frozenset({"destructive", "idempotent"})
_TITLE: Final = "title"


def claims(pair: Pair) -> Iterator[Change]:
    """Yield the changes of what the tool claims about itself."""
    if pair.states_hints():
        yield from _hints(pair)
    if pair.is_same_format:
        yield from _others(pair)


def _hints(pair: Pair) -> Iterator[Change]:
    before, after = stated_hints(pair.before), stated_hints(pair.after)
    if before == after:
        return
    moved = False
    for hint in _compared(before, after):
        old, new = _effective(before, hint), _effective(after, hint)
        if hint == "destructive" and _effective(before, "read_only"):
            old = False  # a read-only tool is not destructive
        if old == new:
            continue
        moved = True
        name, severity = _MOVES[hint, new]
        if hint == "read_only" and new and _is_writing(pair):
            severity = "high"
        yield told(name, both=here("hints", hint), before=old, after=new, severity=severity)
    for hint in sorted({*before, *after}.difference(DEFAULTS)):
        if before.get(hint) != after.get(hint):
            moved = True
            yield told("annotation-unknown-changed", f"the hint {hint} changed",
                       both=here("hints", hint), before=before.get(hint),
                       after=after.get(hint))  # fmt: skip
    if not moved:
        is_more = len(after) >= len(before)
        name = "annotation-default-made-explicit" if is_more else "annotation-default-omitted"
        yield told(name, both=here("hints"), before={**before}, after={**after})


def _effective(stated: Mapping[str, bool], hint: str) -> bool:
    return stated.get(hint, DEFAULTS[hint])


def _compared(before: Mapping[str, bool], after: Mapping[str, bool]) -> Iterator[str]:
    """Yield the hints that apply on both sides, or that a tool states when it begins to write."""
    for hint in DEFAULTS:
        read_only = [_effective(stated, "read_only") for stated in (before, after)]
        if (
            hint not in OF_WRITERS
            or not any(read_only)
            or (read_only == [True, False] and hint == "destructive" and after.get(hint))
        ):
            yield hint


def _is_writing(pair: Pair) -> bool:
    """Return whether the text contradicts a read-only claim."""
    after = pair.after
    return infer(after.name, after.description, {}, {}).side_effects


def _others(pair: Pair) -> Iterator[Change]:
    before, after = (extras.get("annotations") or {} for extras in pair.extras)
    if not isinstance(before, dict) or not isinstance(after, dict):
        return
    for key in {**before, **after}:
        old, new = before.get(key), after.get(key)
        if old == new or key == "deprecated":
            continue
        name = "annotation-title-changed" if key == _TITLE else "annotation-unknown-changed"
        yield told(name, both=here("extras", str(pair.after.source_format), "annotations", key),
                   before=old, after=new)  # fmt: skip
