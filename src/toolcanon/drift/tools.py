"""Compare two versions of one tool by every family of rules."""

from __future__ import annotations

from collections.abc import Iterator

from toolcanon.diagnostics.change import Change
from toolcanon.drift.pair import Pair
from toolcanon.drift.rules.annotations import claims
from toolcanon.drift.rules.identity import identity
from toolcanon.drift.rules.inputs import inputs
from toolcanon.drift.rules.metadata import metadata
from toolcanon.drift.rules.outputs import outputs
from toolcanon.drift.rules.security import security
from toolcanon.drift.rules.texts import texts, with_limits
from toolcanon.drift.telling import amended
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer

_TEXTS = frozenset({"input-description-changed", "output-description-changed"})


def tool_changes(before: CanonicalTool, after: CanonicalTool) -> list[Change]:
    """Return every change of a tool, in the order of the rules."""
    pair = Pair(before, after)
    if not pair.differs:
        return []
    found = list(_contract(pair))
    found += [*texts(pair, found), *claims(pair), *metadata(pair)]
    found += security(pair, found)
    return [amended(change, tool=pair.name) for change in found]


def _contract(pair: Pair) -> Iterator[Change]:
    yield from identity(pair)
    for rule in (inputs, outputs):
        found = list(rule(pair))
        if not any(change.name in _TEXTS for change in found):
            yield from found
            continue
        told = {change.place for change in found if change.name not in _TEXTS}
        holders = told | {Pointer(place[:-1]) for place in told}
        for change in found:
            is_told = Pointer(change.place[:-1]) in holders
            yield with_limits(change, is_told=is_told) if change.name in _TEXTS else change
