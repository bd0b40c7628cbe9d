"""Changes of results: readers must find the declared members, and be able to parse them."""

from __future__ import annotations

from collections.abc import Iterator

from toolcanon.diagnostics.change import Change
from toolcanon.drift.pair import Pair
from toolcanon.drift.schemas import schema_changes
from toolcanon.drift.telling import here, told


def outputs(pair: Pair) -> Iterator[Change]:
    """Yield the changes of the schema of the results; no schema declares nothing."""
    if "outputs" not in pair.differing:
        return
    before, after = pair.before.outputs, pair.after.outputs
    if not before and not after:
        return
    if before and after:
        yield from schema_changes(pair, "output")
    elif pair.is_same_format:
        name = "output-schema-added" if after else "output-schema-removed"
        reason = "" if after else "any result is possible now: no schema is declared"
        yield told(name, both=here("outputs"), before=before or None, after=after or None,
                   reason=reason)  # fmt: skip
