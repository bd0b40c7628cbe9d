"""Claims about every row of the corpus, tried on real definitions."""

import copy
import json

import pytest

import toolcanon as tc
from tests.conftest import LABELS, chosen_targets, rows
from tests.laws import TARGETS, check_pair, check_predicted_losses
from tests.tables import tried
from toolcanon.errors import NoTools, UnreadableTool

pytestmark = pytest.mark.corpus

# Rows that hold no tool one could call, each with the reason it is refused for.
NO_TOOL = {"a tool needs a name that is not empty"}


def read_or_reason(definition, source):
    try:
        return tc.read(definition, source=source)[0], None
    except UnreadableTool as error:
        return None, error.reason


@pytest.mark.parametrize("label", LABELS)
def test_every_row_is_read_with_its_parameters_or_refused_for_a_reason(label):
    for row in rows(label):
        definition = copy.deepcopy(row["definition"])
        tool, reason = read_or_reason(definition, LABELS[label])
        assert definition == row["definition"], row["id"]
        if tool is None:
            assert reason in NO_TOOL, row["id"]
            continue
        text = json.dumps(definition)
        if '"properties": {"' in text and tool.kind is tc.Kind.FUNCTION:
            assert tool.inputs, row["id"]


@pytest.mark.parametrize("label", LABELS)
def test_written_back_verbatim_it_is_the_same_json(label):
    for row in rows(label):
        tool, _ = read_or_reason(row["definition"], LABELS[label])
        if tool is None:
            continue
        tool.original_definition = {}  # writers may not lean on it
        assert tc.bind(tool, LABELS[label], lower=False).payload == row["definition"], row["id"]


@pytest.mark.parametrize("label", LABELS)
def test_there_and_back_is_whole_with_the_receipt_and_as_reported_without(label, subtests):
    for row in rows(label):
        tool, _ = read_or_reason(row["definition"], LABELS[label])
        for target in chosen_targets(row["definition"], TARGETS) if tool is not None else ():
            with tried(subtests, f"{row['id']} to {target}"):
                check_pair(tool, row["definition"], LABELS[label], target, row["id"])


@pytest.mark.parametrize("label", LABELS)
def test_both_roads_agree(label, subtests):
    for row in rows(label):
        if tc.detect(row["definition"]).format == "raw" or not row["definition"].get("name", "x"):
            continue
        for target in chosen_targets(row["definition"], TARGETS):
            with tried(subtests, f"{row['id']} to {target}"):
                check_predicted_losses(row["definition"], target, row["id"])


def test_every_target_is_chosen_for_rows_of_every_label():
    for label in LABELS:
        seen = [set(chosen_targets(row["definition"], TARGETS)) for row in rows(label)]
        assert set().union(*seen) == set(TARGETS) or len(seen) < 2 * len(TARGETS), label


def test_detection_agrees_with_the_labels():
    right = total = 0
    for label, expected in LABELS.items():
        for row in rows(label):
            found = tc.detect(row["definition"])
            total += 1
            # Where the shape is truly ambiguous, naming both is the right answer.
            right += found.format == expected or expected in found.candidates
    assert right / total >= 0.99


def test_strict_detection_is_nearly_as_good():
    """Without the benefit of ambiguity: only the one answer counts."""
    wrong = total = 0
    for label, expected in LABELS.items():
        for row in rows(label):
            total += 1
            wrong += tc.detect(row["definition"]).format != expected
    assert wrong / total <= 0.02


@pytest.mark.parametrize(
    "family", ["anthropic", "bedrock", "gemini", "openai_chat", "openai_responses"]
)
def test_tools_are_found_in_real_requests(family):
    found, refused = 0, []
    for row in rows(family, "conversations"):
        body = row["body"].get("request")
        if not isinstance(body, dict):
            continue
        before = copy.deepcopy(body)
        try:
            found += len(tc.read(body))
        except NoTools as error:
            refused.append((error.at, body.get("tools"), row["id"]))
        assert body == before
    assert found > 30
    # No tools at all, or one of a provider that has no format here yet, with its place.
    assert all(at or not tools for at, tools, _ in refused), refused
