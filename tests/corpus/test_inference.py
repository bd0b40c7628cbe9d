"""Inference against two hundred tools that were labelled without knowledge of its rules."""

import json

import pytest

import toolcanon as tc
from tests.conftest import LABELS, ROOT, corpus_folder
from toolcanon.infer import infer, parameter_words
from toolcanon.ir import stated_hints

pytestmark = pytest.mark.corpus

LABELLED = ROOT / "tests" / "labels" / "side_effects.jsonl"


@pytest.fixture(scope="module")
def labelled():
    """(tool, whether it has side effects) of every labelled row."""
    wanted = {}
    for line in LABELLED.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        wanted[row["label"], row["id"]] = row["side_effects"]
    found = []
    for label in sorted({label for label, _ in wanted}):
        path = corpus_folder() / "definitions" / f"{label}.jsonl"
        if not path.exists():
            pytest.skip(f"no corpus at {corpus_folder()}")
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if (label, row["id"]) in wanted:
                tool = tc.read(row["definition"], source=LABELS[label])[0]
                found.append((tool, wanted[label, row["id"]]))
    assert len(found) == len(wanted)
    return found


@pytest.mark.parametrize("with_hints", [True, False], ids=["with hints", "words only"])
def test_side_effects_are_found_and_little_else(labelled, with_hints):
    hits = [0, 0, 0, 0]
    for tool, label in labelled:
        hints = stated_hints(tool) if with_hints else None
        found = infer(tool.name, tool.description, hints, parameter_words(tool.inputs))
        hits[2 * label + found.side_effects] += 1
    _, wrong, missed, right = hits
    precision, recall = right / (right + wrong), right / (right + missed)
    print(f"precision {precision:.3f}, recall {recall:.3f} of {sum(hits)}")  # noqa: T201 - the figures
    assert precision >= 0.9
    assert recall >= 0.9


def test_a_tool_reports_what_inference_finds(labelled):
    for tool, _ in labelled:
        found = infer(tool.name, tool.description, stated_hints(tool), parameter_words(tool.inputs))
        said = tool.capabilities
        assert (said.action, said.domain, said.side_effects, said.idempotent) == found[:4]
