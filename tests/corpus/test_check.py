"""Verdicts on real tools beside a referee that knows nothing of this package."""

from __future__ import annotations

from collections import Counter

import pytest

import toolcanon as tc
from tests.conftest import LABELS
from tests.corpus.test_lowering import DOCUMENTS, TOLERATED, tools
from tests.referee import judge_tool
from tests.tables import table
from toolcanon.checking.compatibility import usual_targets
from toolcanon.checking.payloads import check
from toolcanon.conversion.target import find_dialect
from toolcanon.lowering import lower

pytestmark = pytest.mark.corpus

TARGETS = usual_targets()


def faults(payload, target):
    envelope = target.partition("/")[0]
    found = judge_tool(payload, envelope, target)
    return [fault for fault in found if fault.rule not in TOLERATED.get(envelope, ())]


def sent(tool, target, **options):
    return tc.bind(tool, target.partition("/")[0], **options).payload


@table("label", [label for label in LABELS if label not in DOCUMENTS])
def test_verdicts_do_not_contradict_the_referee(label, record_property):
    counts = Counter()
    for where, tool in tools(label):
        report = check(tool, select=["C"])
        (row,) = report.cells.values()
        for target, cell in row.items():
            counts[target, cell.verdict] += 1
            place = (where, tool.name, target)
            assert cell.verdict != "unknown", place
            if cell.verdict == "rejected":
                told = [found for found in report.findings if found.target == target]
                assert any(found.level == "error" and found.source for found in told), place
                dialect = find_dialect(target)
                if dialect.strict:  # the referee finds it too much as well
                    schema = lower(tool.inputs, dialect).schema
                    forced = tc.CanonicalTool(name=tool.name, inputs=schema)
                    assert faults(sent(forced, target, lower=False), target), place
                continue
            assert not faults(sent(tool, target, dialect=target), target), place
            if tool.inputs and not cell.is_rewritten and cell.verdict == "ok":
                as_it_is = tc.CanonicalTool(name=tool.id, inputs=tool.inputs)
                found = faults(sent(as_it_is, target, lower=False), target)
                assert {fault.rule for fault in found} <= {"strict-flag"}, place
    for (target, verdict), count in sorted(counts.items()):
        record_property(f"{label} {target} {verdict}", count)
