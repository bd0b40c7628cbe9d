"""Every definition as a row: by templates the same as converted, to every target."""

from __future__ import annotations

from functools import cache

import pytest

from tests.conftest import LABELS, chosen_targets, rows
from tests.laws import TARGETS
from tests.tables import table
from tests.text_rows import TextRows

pytest.importorskip("toolcanon.bulk._templates", reason="no compiler was at hand")
pytestmark = pytest.mark.corpus

MORE = ("bfcl_raw", "acebench_raw", "seal_tools", "rapidapi")


@cache
def rows_by_target() -> dict[str, list[dict]]:
    """Return the rows that each target is tried with, by label: templates learn from many."""
    found = {target: [] for target in TARGETS}
    for label in dict.fromkeys([*LABELS, *MORE]):
        of_label = list(rows(label))
        for target in chosen_targets(label, TARGETS, most=6):
            found[target].extend(of_label)
    return found


@table("strict", [False, True])
@table("target", TARGETS)
def test_rows_are_written_as_by_the_converter(target, strict):
    made = TextRows(target, strict=strict)
    for row in rows_by_target()[target]:
        made.compare({"id": row["id"], "tool": row["definition"]}, row["id"], times=2)
        definition = row["definition"]
        if isinstance(definition, dict) and isinstance(definition.get("function"), dict):
            strict = {**definition, "function": {**definition["function"], "strict": True}}
            made.compare({"tool": strict}, row["id"], times=2)
