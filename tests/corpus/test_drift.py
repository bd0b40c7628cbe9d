"""Real versions of real tools: labelled by hand, and all of them held to what must always hold."""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from functools import cache

import pytest

import toolcanon as tc
from tests.conftest import ROOT, corpus_folder, rows
from tests.tables import table
from toolcanon.drift.diff import diff
from toolcanon.schema.algebra.containment import contained
from toolcanon.schema.validate import judge

pytestmark = pytest.mark.corpus

FILES = ("github_mcp_pairs", "server_release_pairs")
DEFINITIONS = sorted(path.stem for path in (corpus_folder() / "definitions").glob("*.jsonl"))
ALARMS = {"breaking", "security"}
DEVELOPED_ON = 60
"""Labels, in the order of their hashes, that were looked at while the rules were written."""


def say(line):
    sys.stdout.write(f"\n{line}\n")


@cache
def pairs():
    if not (corpus_folder() / "drift").exists():
        pytest.skip(f"no corpus at {corpus_folder()}")
    found = {}
    for name in FILES:
        path = corpus_folder() / "drift" / f"{name}.jsonl"
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found[row["id"]] = row
    return found


@cache
def reports():
    return {name: diff(row["before"], row["after"]) for name, row in pairs().items()}


def labels():
    path = ROOT / "tests" / "labels" / "drift.jsonl"
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return sorted(found, key=lambda row: hashlib.sha256(row["id"].encode()).hexdigest())


@pytest.mark.parametrize("part", ["developed on", "held out", "all"])
def test_alarms_agree_with_labels(part, record_property):
    chosen = labels()
    if part != "all":
        chosen = chosen[:DEVELOPED_ON] if part == "developed on" else chosen[DEVELOPED_ON:]
    found = [(row, reports()[row["id"]].verdict) for row in chosen]
    right = sum(row["alarm"] and verdict in ALARMS for row, verdict in found)
    missed = [row["id"] for row, verdict in found if row["alarm"] and verdict not in ALARMS]
    false = [row["id"] for row, verdict in found if not row["alarm"] and verdict in ALARMS]
    exact = sum(row["verdict"] == verdict for row, verdict in found)
    recall = right / max(1, right + len(missed))
    precision = right / max(1, right + len(false))
    figures = f"recall {recall:.3f}, precision {precision:.3f}, exact {exact}/{len(found)}"
    record_property(part, figures)
    say(f"drift labels, {part}: {figures}; missed {missed}, false {false}")
    assert recall >= 0.95
    assert precision >= 0.95


def test_few_verdicts_are_unknown_and_each_has_a_reason(record_property):
    counts = Counter(report.verdict for report in reports().values())
    record_property("verdicts", dict(counts))
    say(f"drift corpus: {dict(counts)}")
    assert counts["unknown"] <= 0.03 * len(reports())
    for report in reports().values():
        for change in report.changes:
            assert change.verdict != "unknown" or change.reason


def test_breaking_changes_have_a_proof_or_a_reason_without_one():
    for name, report in reports().items():
        row = pairs()[name]
        for change in report.changes:
            if change.verdict != "breaking":
                continue
            assert change.witness is not None or change.reason, (name, change.name)
            if change.witness is not None and change.name.startswith("input-"):
                before, after = (tc.read(row[side])[0].input_schema for side in ("before", "after"))
                value = change.witness.value
                assert judge(before).accepts(value) is True, (name, change)
                if change.witness.outcome == "refused" and "format" not in change.name:
                    assert judge(after).accepts(value) is False, (name, change)


def test_single_changes_and_the_whole_agree():
    """One engine asks about each demand by itself, and about the whole: both must say the same."""
    for name, row in pairs().items():
        schemas = [{"type": "object", **tc.read(row[side])[0].input_schema}
                   for side in ("before", "after")]  # fmt: skip
        whole = contained(*schemas, reading="inputs").answer
        found = [
            change
            for change in reports()[name].changes
            if change.verdict == "breaking" and change.name.startswith("input-")
        ]
        single = [change for change in found if "default" not in change.name]
        assert bool(single) == (whole == "no"), (name, whole, [change.name for change in single])


@table("label", DEFINITIONS)
def test_no_change_reports_nothing(label, record_property):
    """Every definition that can be read, beside a copy of itself; see ``rows`` for how many."""
    compared = 0
    for row in rows(label):
        definition = row["definition"]
        try:
            tc.read(definition)
        except tc.ToolcanonError:
            continue
        compared += 1
        again = json.loads(json.dumps(definition))
        assert not diff(definition, again).changes, row["id"]
    record_property(f"compared with themselves, {label}", compared)
    assert compared


def test_renames_are_found_in_real_histories(record_property):
    """A removal and an addition in one release, alike in what they take and say, are one tool."""
    path = corpus_folder() / "drift" / "server_release_toolset_changes.jsonl"
    if not path.exists():
        pytest.skip(f"no corpus at {corpus_folder()}")
    found = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        kept = [{"name": "kept", "inputSchema": {"type": "object"}}]
        report = diff([*kept, *row["removed"]], [*kept, *row["added"]])
        found |= {(c.before, c.after) for c in report.changes if c.name == "tool-renamed"}
    record_property("renames", sorted(found))
    say(f"renames: {sorted(found)}")
    assert found >= {
        ("read-query", "read_query"),
        ("take_memory_snapshot", "take_heapsnapshot"),
        ("browser_save_as_pdf", "browser_pdf_save"),
    }
    assert ("git_list_files", "git_status") not in found
