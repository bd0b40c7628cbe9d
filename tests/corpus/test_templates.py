"""Every definition as a row: by templates the same as converted, to every target."""

from __future__ import annotations

import pytest

from tests.conftest import LABELS, rows
from tests.laws import TARGETS
from tests.tables import table
from tests.text_rows import TextRows

pytest.importorskip("toolcanon.bulk._templates", reason="no compiler was at hand")
pytestmark = pytest.mark.corpus

MORE = ("bfcl_raw", "acebench_raw", "seal_tools", "rapidapi")


@table("strict", [False, True])
@table("target", TARGETS)
def test_rows_are_written_as_by_the_converter(target, strict):
    made = TextRows(target, strict=strict)
    for label in dict.fromkeys([*LABELS, *MORE]):
        for row in rows(label):
            made.compare({"id": row["id"], "tool": row["definition"]}, row["id"], times=2)
            definition = row["definition"]
            if isinstance(definition, dict) and isinstance(definition.get("function"), dict):
                strict = {**definition, "function": {**definition["function"], "strict": True}}
                made.compare({"tool": strict}, row["id"], times=2)
