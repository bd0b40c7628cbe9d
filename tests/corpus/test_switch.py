"""Every recorded conversation, to every other provider: taken there, nothing lost unsaid, back."""

import copy
import json
import re
from collections import Counter

import pytest

import toolcanon as tc
from tests.corpus.test_conversations import (
    CALL_CHANGES,
    LABELS,
    NEEDED,
    RESULT_CHANGES,
    TEXT_CHANGES,
    parts,
    requests,
    said_by_call,
    said_by_result,
    same,
)
from tests.referee.bodies import sdk_faults, with_item_ids
from tests.referee.histories import certain_faults
from tests.referee.history_requests import declared_tools
from tests.referee.history_turns import read_history
from tests.stories.laws import answered
from tests.tables import table
from toolcanon.conversations.read_write import codec_of
from toolcanon.conversations.switch import switch
from toolcanon.conversations.trim import trim

pytestmark = pytest.mark.corpus

FAMILIES = tuple(LABELS.values())
PAIRS = [(label, to) for label in LABELS for to in FAMILIES if to != LABELS[label]]
EVERYWHERE = [(label, to) for label in LABELS for to in FAMILIES]
everywhere = table("label, target", EVERYWHERE)
every_pair = table("label, target", PAIRS)
every_label = pytest.mark.parametrize("label", LABELS)

# Repairs by which a call, a result or words may look otherwise afterwards.
CALLS = CALL_CHANGES | {"R112", "R113", "R120", "R126"}
RESULTS = RESULT_CHANGES | {"R102", "R103", "R108", "R111", "R113", "L333"}
TEXTS = TEXT_CHANGES | {"R108", "R109"}
IDS = {"R106", "R107"}
# What the request itself had wrong, in a tool that only its own provider has.
TOOLS = "/tools"


def told_at(done, place):
    """The codes of what is reported at a place, within it, or around it."""
    found = [(one.code, tuple(map(str, one.at))) for one in (*done.losses, *done.repairs)]
    return {c for c, at in found if at[: len(place)] == place or place[: len(at)] == at}


def check_kept(source, back, done, where):
    """Every call, result and text is there again, or its place is reported."""
    found = [part for _, part in parts(back)]
    names = {} if done.binding is None else done.binding.names
    calls = Counter(said_by_call(part) for part in found if isinstance(part, tc.Call))
    results = Counter(said_by_result(part) for part in found if isinstance(part, tc.Result))
    texts = "\0".join(part.text for part in found if isinstance(part, tc.Text))
    for place, part in parts(source):
        codes = told_at(done, place)
        if isinstance(part, tc.Call) and not codes & CALLS:
            name, arguments = said_by_call(part)
            said = (names.get(name, name), arguments)
            assert calls[said], (where, place, part)
            calls[said] -= 1
        elif isinstance(part, tc.Result) and not codes & RESULTS:
            assert results[said_by_result(part)], (where, place, part)
            results[said_by_result(part)] -= 1
        elif isinstance(part, tc.Text) and part.text.strip() and not codes & TEXTS:
            assert part.text in texts, (where, place, part)
    said = texts + "".join(text for answer in results for text in map(str, answer))
    for words in words_of_natives(done):
        assert words in said, (where, words)


def words_of_natives(done):
    """What became of blocks that only their own provider has."""
    return [loss.after for loss in done.losses if loss.code == "L333"]


@everywhere
def test_conversations_are_taken_by_every_provider(label, target):
    seen = 0
    for where, body, read in requests(label):
        before = copy.deepcopy(body)
        done = switch(body, target)
        assert same(body, before), where
        again = switch(body, target)
        assert same(again.payload, done.payload), where
        assert (again.losses, again.repairs) == (done.losses, done.repairs), where
        faults = sdk_faults(target, {**NEEDED[target], **with_item_ids(done.payload)})
        known = sdk_faults(target, {**NEEDED[target], **body}) if target == LABELS[label] else []
        assert not [fault for fault in faults if not fault.startswith(TOOLS)] or known, where
        assert not certain_faults(target, done.payload), where
        found = tc.lint(done.payload, target, source=target)
        assert not [finding for finding in found if finding.level == "error"], where
        check_kept(read, tc.read_conversation(done.payload, source=target), done, where)
        listed = body.get(codec_of(LABELS[label]).history)
        if isinstance(listed, list):
            assert isinstance(switch(listed, target, source=LABELS[label]).payload, list)
        seen += 1
    assert seen > 30


def history_of(family, payload):
    return read_history(family, payload, None, frozenset())


def answers_by_call(family, payload):
    """The words of what answers each call, in the order of the calls, as the wire pairs them."""
    calls = [block.at for turn in history_of(family, payload).turns for block in turn.of("call")]
    found = {
        call.at: frozenset(words_in(result.value)) for call, result in answered(family, payload)
    }
    return [found.get(at) for at in calls]


def words_in(value):
    """Every word in a value, also in JSON that is sent as text."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from words_in(key)
            yield from words_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from words_in(item)
    elif isinstance(value, str):
        try:
            held = json.loads(value)
        except ValueError:
            held = value
        if isinstance(held, (dict, list)):
            yield from words_in(held)
        else:
            yield from re.findall(r"\w{3,}", value)
    elif value is not None:
        yield str(value)


@everywhere
def test_no_result_belongs_to_another_call(label, target):
    seen = others = 0
    for where, body, _ in requests(label):
        done = switch(body, target)
        was, now = answers_by_call(LABELS[label], body), answers_by_call(target, done.payload)
        if len(was) != len(now):  # the oldest calls of Chat, and calls of built-in tools
            others += 1
            continue
        for number, words in enumerate(was):
            if words and now[number] is not None and not words <= now[number]:
                elsewhere = [held for place, held in enumerate(now) if place != number and held]
                assert not any(words <= held for held in elsewhere), (where, number)
        seen += 1
    assert seen > 30
    assert others <= 0.1 * seen


@everywhere
def test_tools_choice_and_history_name_a_tool_alike(label, target):
    seen = 0
    for where, body, read in requests(label):
        done = switch(body, target)
        declared = {tool.name for tool in declared_tools(history_of(target, done.payload))}
        names = {} if done.binding is None else done.binding.names
        called = {call.name for message in read.messages for call in message.calls}
        back = tc.read_conversation(done.payload, source=target)
        sent = {call.name for message in back.messages for call in message.calls}
        for name in called & names.keys():
            assert names[name] in sent, (where, name)
        if back.tool_choice is not None and declared:
            assert set(back.tool_choice.names) <= declared, where
        seen += len(called & names.keys()) + len(called & declared)
    assert seen > 5


def facts(conversation):
    """Calls, results and texts, with their ids."""
    held = [part for _, part in parts(conversation)]
    return {
        "calls": Counter((p.id, *said_by_call(p)) for p in held if isinstance(p, tc.Call)),
        "results": Counter((p.call_id, *said_by_result(p)) for p in held
                           if isinstance(p, tc.Result)),
        "texts": Counter(p.text for p in held if isinstance(p, tc.Text) and p.text.strip()),
    }  # fmt: skip


# What is told when one of them does not come back as it was.
REASONS = {
    "calls": CALLS | {"R106", "R107", "R126"},
    "results": RESULTS | {"R101", "R106", "R107"},
    "texts": TEXTS | {"R110", "L302", "L303", "L305"},
}
# A document needs a text beside it there, and gets its name.
ADDED = {"bedrock": "texts"}


@every_pair
def test_there_and_back_with_ids(label, target):
    source, whole = LABELS[label], 0
    for where, body, read in requests(label):
        there = switch(body, target)
        for receipt in (None, there.receipt()):
            back = switch(there.payload, source, source=target, receipt=receipt)
            got, was = facts(tc.read_conversation(back.payload, source=source)), facts(read)
            got["texts"] -= Counter(words_of_natives(there))
            told = {one.code for done in (there, back) for one in (*done.losses, *done.repairs)}
            for kind, reasons in REASONS.items():
                if ADDED.get(target) == kind:
                    assert not was[kind] - got[kind] or told & reasons, (where, kind)
                else:
                    assert got[kind] == was[kind] or told & reasons, (where, kind)
            whole += got == was
    assert whole > 40


@every_label
def test_at_home_only_what_is_refused_is_changed(label):
    own = LABELS[label]
    for where, body, _ in requests(label):
        done = switch(body, own)
        if not done.repairs:
            assert same(done.payload, body), where
        found = tc.lint(done.payload, own, source=own)
        assert not [finding for finding in found if finding.level == "error"], where
        assert not switch(done.payload, own, source=own).repairs, where


@every_label
def test_receipts_are_plain_json(label):
    for where, body, _ in requests(label):
        target = "anthropic" if LABELS[label] != "anthropic" else "openai"
        receipt = switch(body, target).receipt()
        assert json.loads(json.dumps(receipt)) == receipt, where


@every_label
def test_trimming_makes_nothing_worse(label):
    own = LABELS[label]
    for where, body, read in requests(label):
        known = {finding.name for finding in tc.lint(body, own, source=own)}
        for most in range(1, len(read.messages), 3):
            left = trim(body, messages=most, source=own)
            found = tc.lint(left.payload, own, source=own)
            names = {finding.name for finding in found if finding.level == "error"}
            assert names <= known, (where, most)
