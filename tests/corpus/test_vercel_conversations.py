"""Every recorded conversation in both layouts of the AI SDK: whole there, at home, and back."""

import copy
import json
from collections import Counter
from functools import cache

import pytest

import toolcanon as tc
from tests.corpus.test_conversations import LABELS, requests, same
from tests.corpus.test_switch import REASONS, check_kept, facts, words_of_natives
from tests.referee.histories import certain_faults
from tests.tables import table
from toolcanon.conversations.switch import switch

pytestmark = pytest.mark.corpus

LAYOUTS = ("vercel/model", "vercel/ui")
every_label = table("label", LABELS)
every_layout = table("layout", LAYOUTS)


@cache
def recorded(label):
    return list(requests(label))


def errors(payload):
    found = tc.lint(payload, "vercel", source="vercel")
    return [finding for finding in found if finding.level == "error"]


@every_label
@every_layout
def test_conversations_are_whole_in_each_layout(label, layout):
    seen = 0
    for where, body, read in recorded(label):
        before = copy.deepcopy(body)
        there = switch(body, layout)
        assert same(body, before), where
        assert json.loads(json.dumps(there.payload)) == there.payload, where
        assert not errors(there.payload), where
        assert not certain_faults("vercel", there.payload), where
        check_kept(read, tc.read_conversation(there.payload, source="vercel"), there, where)
        seen += 1
    assert seen > 30


@every_label
@every_layout
def test_there_and_back(label, layout):
    own, whole = LABELS[label], 0
    for where, body, read in recorded(label):
        there = switch(body, layout)
        for receipt in (None, there.receipt()):
            back = switch(there.payload, own, source="vercel", receipt=receipt)
            got, was = facts(tc.read_conversation(back.payload, source=own)), facts(read)
            got["texts"] -= Counter(words_of_natives(there))
            told = {one.code for done in (there, back) for one in (*done.losses, *done.repairs)}
            for kind, reasons in REASONS.items():
                assert got[kind] == was[kind] or told & reasons, (where, kind)
            whole += got == was
    assert whole > 40


@every_label
@every_layout
def test_its_own_messages_are_recognised_and_left_alone(label, layout):
    """Unless all content is text, which every family writes alike."""
    for where, body, _ in recorded(label):
        payload = switch(body, layout).payload
        listed = payload["messages"]
        if any(map(_says_more, listed)):
            assert tc.read_conversation(listed).format == "vercel", where
        done = switch(listed, "vercel", source="vercel")
        assert same(done.payload, listed), where
        assert not done.repairs, where


@every_label
def test_layouts_become_each_other(label):
    """What a page holds, a model is asked with, and the other way round."""
    for where, body, _ in recorded(label):
        model, page = (switch(body, layout).payload["messages"] for layout in LAYOUTS)
        assert facts(read(switch(page, "vercel/model").payload)) == facts(read(model)), where
        assert facts(read(switch(model, "vercel/ui").payload)) == facts(read(page)), where


def _says_more(message):
    content = message.get("parts", message.get("content"))
    is_page = "parts" in message
    return is_page or any(part["type"] != "text" for part in content if isinstance(part, dict))


def read(messages):
    return tc.read_conversation(messages, source="vercel")
