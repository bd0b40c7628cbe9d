"""The linter of histories on recorded requests: with the referee, and not against the providers."""

import json
import re
from collections import Counter
from dataclasses import replace

import pytest

import toolcanon as tc
from tests.conftest import rows
from tests.referee.bodies import sdk_faults
from tests.referee.histories import certain_faults
from tests.referee.test_histories import LABELS
from toolcanon.conversations.read_write import read_conversation
from toolcanon.diagnostics import FINDINGS
from toolcanon.errors import NotAConversation

pytestmark = pytest.mark.corpus

NAMES = {entry.name for entry in FINDINGS.values()}
BY_TYPES = {"member-misshapen", "call-unreadable"}
"""What the types of the SDKs judge, and not the referee of histories."""
# What was answered with 200 although we call it an error, and why it stays one.
TAKEN = {
    ("openai", "empty-message"): "An empty list of calls, sent to another provider's service in "
    "this format; the one whose format it is answers 400 (empty_array).",
    ("anthropic", "call-id-twice"): "One id in two turns, each answered in place. The provider's "
    "reports speak of the whole conversation; at least one model let it pass.",
}
AT_MOST = 0.02


def recorded(label):
    """The conversations of a label, with the model that the address names, if it does."""
    for row in rows(label, "conversations"):
        body = row["body"]
        if not isinstance(body.get("request"), dict):
            continue
        try:
            conversation = read_conversation(body["request"], source=LABELS[label])
        except NotAConversation:  # a row of another method
            continue
        named = re.search(r"/models?/([^:/]+)", body.get("path") or "")
        if named and conversation.model is None:
            conversation = replace(conversation, model=named[1])
        yield row["id"], body, conversation


def errors(conversation, target=None):
    return {finding.name for finding in tc.lint(conversation, target) if finding.level == "error"}


@pytest.mark.parametrize("label", LABELS)
def test_what_is_certain_to_the_referee_is_an_error_to_us_and_nothing_else_is(label):
    for row, body, conversation in recorded(label):
        family, model = LABELS[label], conversation.model
        theirs = {fault.rule for fault in certain_faults(family, body["request"], model=model)}
        ours = errors(conversation)
        assert ours - BY_TYPES == theirs & NAMES, row
        if ours & BY_TYPES:
            assert sdk_faults(family, body["request"]), row


def test_what_was_taken_has_hardly_an_error():
    total, found = 0, Counter()
    for label, family in LABELS.items():
        for _, body, conversation in recorded(label):
            if body.get("status") == 200:
                total += 1
                found.update((family, name) for name in errors(conversation))
    assert found.keys() <= TAKEN.keys()
    assert found.total() <= AT_MOST * total


@pytest.mark.parametrize("label", LABELS)
def test_every_conversation_is_judged_for_every_provider(label):
    """Without a stumble, each finding whole, and nothing given changed."""
    for row, _, conversation in recorded(label):
        before = json.dumps(conversation.messages, default=vars_of)
        for target in LABELS.values():
            for finding in tc.lint(conversation, target):
                assert finding.target == target, row
                assert finding.quote, row
                assert finding.remedy, row
        assert json.dumps(conversation.messages, default=vars_of) == before, row


def vars_of(part):
    return {name: getattr(part, name) for name in part.__slots__}
