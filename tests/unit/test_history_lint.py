"""The linter of histories reports for every sample what the referee reports, at the same level."""

import copy
import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolcanon as tc
from tests.referee.histories import FAMILIES, judge_history
from tests.referee.sample_histories import PLAYS, perform
from tests.referee.sample_requests import ASK, REASONING, SAY, items
from tests.referee.test_histories import PERFORMED, ROWS, VALUES
from tests.tables import table
from tests.wire_histories import MISSHAPEN, UNREADABLE
from toolcanon.checking.history.lint import CHECKS, _known
from toolcanon.conversations.read_write import read_conversation
from toolcanon.diagnostics import FINDINGS
from toolcanon.errors import ToolcanonError, UnknownDialect
from toolcanon.report.explain import explain_lines, explain_list

HISTORY = {code: entry for code, entry in FINDINGS.items() if code.startswith("C1")}
NAMES = {entry.name: entry for entry in HISTORY.values()}
SAMPLES = [row for row in (*PERFORMED, *ROWS) if row[0] in NAMES]
BODIES = [(family, body) for _, family, _, *both in SAMPLES for body in both]
BY_TYPES = {"member-misshapen", "call-unreadable"}
"""What the types of the SDKs judge, and not the referee of histories."""
MISTYPED = [*(row[1:3] for row in MISSHAPEN), *UNREADABLE]

# Where we do not follow the referee, and why.
DIFFERENCES = {
    ("arguments-no-object", "gemini", '"args": null'): "In the JSON of protocol buffers null is "
    "taken for every field and means that it is not set (protobuf.dev, ProtoJSON).",
    ("call-without-result", "vercel", '"approval-requested"'): "It waits for the user, whom the "
    "page still asks: nobody asks a model before.",
    ("call-without-result", "vercel", '"tool-approval-request"'): "The same in the other layout.",
}


def levels(family, body):
    return {finding.name: finding.level for finding in tc.lint(body, family, source=family)}


def resolved(value, pointer):
    for step in pointer:
        if isinstance(value, list):
            value = value[int(step)]
        else:
            value = value[step] if isinstance(value, dict) else getattr(value, step)
    return value


@table("rule, family, certain, good, bad", SAMPLES)
def test_every_sample_is_judged_as_the_referee_judges_it(rule, family, certain, good, bad):
    assert rule not in levels(family, good)
    found = levels(family, bad)
    text = json.dumps(bad)
    if any((rule, family) == key[:2] and key[2] in text for key in DIFFERENCES):
        assert rule not in found  # otherwise the entry above has had its day
    else:
        assert found.get(rule) == ("error" if certain else "warning")


def test_the_differences_are_few():
    assert len(DIFFERENCES) <= 5
    for rule, family, text in DIFFERENCES:
        assert any(row[:2] == (rule, family) and text in json.dumps(row[4]) for row in SAMPLES)


@table(
    "rule, family, bad",
    [
        (rule, family, bad)
        for rule, refusers, _, bad in PLAYS
        for family in FAMILIES
        if family not in refusers
    ],
)
def test_a_rule_is_not_reported_for_other_formats(rule, family, bad):
    assert rule not in levels(family, perform(family, bad))


def test_names_that_are_safe_for_anthropic_are_those_that_bind_writes():
    """Its documentation has 64 or 128 characters: longer names are kept, with a warning."""
    tool = {"name": "x" * 70, "input_schema": {"type": "object"}}
    body = {
        "max_tokens": 9,
        "tools": [tool],
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "a", "name": "x" * 70, "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "r"}]},
        ],
    }  # fmt: skip
    (found,) = tc.check(body, to="anthropic").findings
    assert (found.code, found.level) == ("C109", "warning")
    assert "1 to 64" in found.message
    (name,) = tc.bind([tool], "anthropic").names.values()
    assert len(name) == 64
    home = tc.switch(body, "anthropic").payload
    assert home["tools"][0]["name"] == home["messages"][1]["content"][0]["name"] == "x" * 70


@table("family, body", BODIES)
def test_a_finding_states_what_where_and_the_fix(family, body):
    before = repr(body)
    found = tc.lint(body, family, source=family)
    assert tc.lint(body, family, source=family) == found
    assert repr(body) == before
    conversation = read_conversation(body, source=family)
    for finding in found:
        assert FINDINGS[finding.code].name == finding.name
        assert finding.message
        assert finding.remedy
        assert finding.quote
        assert finding.target == family
        resolved(conversation, finding.at)


def test_findings_come_in_the_order_of_the_history():
    body = perform("anthropic", "ask call:a ask call:b ask " + "say ask " * 10 + "call:c say")
    places = [int(finding.at[1]) for finding in tc.lint(body) if finding.at[0] == "messages"]
    assert places == sorted(places)
    assert len(places) == 4  # three calls, and the last word is the assistant's


def test_every_code_can_be_caused():
    caused = {finding.code for family, body in BODIES for finding in tc.lint(body, family)}
    caused |= {
        finding.code
        for family, history in MISTYPED
        for finding in tc.lint(history, family, source=family)
    }
    assert caused == set(HISTORY)


def test_every_rule_has_a_check_and_a_source_and_may_be_explained():
    assert set(CHECKS) == set(NAMES)
    for rules in _known().values():
        assert set(rules.refusals) <= set(CHECKS)
        for refusal in rules.refusals.values():
            assert refusal.quote
            assert refusal.source.where
            assert refusal.source.checked
            assert not set(refusal.unsure) & set(refusal.taken)
            for pattern in (refusal.models, refusal.sparing, rules.seals):
                re.compile(pattern)
    listed = "\n".join(explain_list())
    for entry in HISTORY.values():
        assert entry.code in listed
        assert list(explain_lines(entry.code)) == list(explain_lines(entry.name))
        assert any(entry.remedy in line for line in explain_lines(entry.code))


@table("family", FAMILIES)
@table(
    "play",
    [
        "ask say ask",
        "ask call:a result:a",
        "ask call:a,b,c result:c,a,b say ask",
        "ask call:a result:a call:b result:b say ask call:c result:c",
    ],
)
def test_ordinary_conversations_have_no_finding_at_all(family, play):
    body = perform(family, play)
    history = next(body[key] for key in ("messages", "input", "contents") if key in body)
    assert tc.lint(body, family, source=family) == []
    assert tc.lint(history, family, source=family) == []
    assert tc.lint(read_conversation(body, source=family)) == []


CHAT_CALL = {"role": "assistant", "content": None}
GEMINI_3 = "models/gemini-3-pro"
OUTPUT = {"type": "function_call_output", "call_id": "a", "output": "r"}
SEARCHED = {"type": "tool_search_call", "call_id": "a", "arguments": {}, "execution": "client"}
SYSTEM = {"role": "system", "content": "be brief"}


def between(family, message):
    body = perform(family, "ask call:a result:a")
    body["messages"].insert(2, message)
    return body


def unnamed(body):
    """Without ids, as older models of that provider write."""
    body = copy.deepcopy(body)
    for content in body["contents"]:
        for part in content["parts"]:
            for payload in part.values():
                if isinstance(payload, dict):
                    del payload["id"]
    return body


ASIDE = [
    # neighbours are joined where the provider joins them
    ("anthropic", perform("anthropic", "ask ask call:a,b apart:a,b ask"), {}),
    ("anthropic", perform("anthropic", "ask call:a say result:a"), {}),
    ("openai-responses", perform("openai-responses", "ask call:a ask result:a"), {}),
    # the system's words between a call and its result
    ("anthropic", between("anthropic", SYSTEM), {"result-too-late": "warning"}),
    ("openai", between("openai", SYSTEM), {"result-too-late": "error"}),
    # what the provider keeps is not missed
    ("openai-responses", items(ASK, OUTPUT), {"orphan-result": "error"}),
    ("openai-responses", items(OUTPUT, previous_response_id="resp_1"), {}),
    ("openai-responses", items(ASK, {"type": "item_reference", "id": "x"}, OUTPUT), {}),
    ("openai-responses", items(ASK, SEARCHED, OUTPUT), {}),
    # a call that may be answered later
    ("openai-responses",
     items(ASK, {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}",
                 "async": True}),
     {"call-without-result": "warning"}),
    # thoughts
    ("openai-responses", items(ASK, REASONING, SAY), {}),
    ("openai-responses", items(ASK, {**REASONING, "id": "x"}, SAY), {"item-id-illegal": "warning"}),
    # calls of old have no ids, others must
    ("openai",
     {"model": "m", "functions": [{"name": "f"}], "messages": [
         ASK, {**CHAT_CALL, "function_call": {"name": "f", "arguments": "{}"}},
         {"role": "function", "name": "f", "content": "r"}]},
     {}),
    ("openai",
     {"messages": [ASK, {**CHAT_CALL, "tool_calls": [
         {"type": "function", "function": {"name": "f", "arguments": "{}"}}]}]},
     {"call-id-illegal": "error", "call-without-result": "error"}),
    # what arguments say in a text is a text
    ("openai",
     {"messages": [ASK, {**CHAT_CALL, "tool_calls": [
         {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"a": 1e999}'}}]},
         {"role": "tool", "tool_call_id": "a", "content": "r"}]},
     {"arguments-no-object": "warning"}),
    # pairs by name and place
    ("gemini", unnamed(perform("gemini", "ask call:x=f,y=g,z=f result:x=f,z=f,y=g")), {}),
    ("gemini", unnamed(perform("gemini", "ask call:x=f,y=g result:x=f")),
     {"call-without-result": "error"}),
    ("gemini", unnamed(perform("gemini", "ask call:x=f result:x=f,y=f")), {"two-results": "error"}),
    # both spellings
    ("gemini", json.loads(json.dumps(perform("gemini", "ask call:a result:a", model=GEMINI_3))
                          .replace("thoughtSignature", "thought_signature")), {}),
    # a guest in this format
    ("openai", perform("openai", "ask call:a result:a", model="google/gemini-3-flash"),
     {"seal-missing": "warning"}),
    # tools that come later, or from elsewhere
    ("anthropic", perform("anthropic", "ask call:a result:a", tools=None,
                          mcp_servers=[{"type": "url", "url": "https://x.example", "name": "s"}]),
     {}),
    ("openai-responses",
     items(ASK, {"type": "additional_tools", "tools": [{"type": "function", "name": "g"}]},
           tool_choice={"type": "function", "name": "g"}),
     {}),
]  # fmt: skip


@table("family, body, expected", ASIDE)
def test_what_the_samples_leave_aside(family, body, expected):
    assert levels(family, body) == expected


def test_of_mere_messages_nothing_is_missed_that_a_request_has():
    body = perform("bedrock", "ask call:a result:a", toolConfig=None)
    assert levels("bedrock", body) == {"tools-missing": "error"}
    assert levels("bedrock", body["messages"]) == {}


def test_a_seal_of_another_model_or_provider():
    thought = tc.Reasoning("hm", "c2VhbA==", provider="anthropic", model="opus")
    said = tc.Message("assistant", [thought, tc.Text("so")])
    for model, provider, expected in (
        ("opus", "anthropic", []),
        ("sonnet", "anthropic", ["foreign-reasoning"]),
        ("opus", "gemini", ["foreign-reasoning"]),
    ):
        thought.provider = provider
        asked = [tc.Message("user", [tc.Text("x")])]
        history = tc.Conversation([*asked, said, *asked], model=model, format="anthropic")
        assert [finding.name for finding in tc.lint(history)] == expected


@table("family", FAMILIES)
@table("target", FAMILIES)
def test_a_history_is_arranged_for_its_target_before_it_is_judged(family, target):
    body = perform(family, "ask call:a result:a say ask call:b,c result:b,c")
    assert not {name for name, level in _for(body, target, family).items() if level == "error"}
    cut = perform(family, "ask call:a,b result:a")
    assert "call-without-result" in _for(cut, target, family)


def _for(body, target, family):
    return {finding.name: finding.level for finding in tc.lint(body, target, source=family)}


@pytest.mark.parametrize(
    "model, expected",
    [("gpt-5", None), (None, None), ("gemini-3-pro", "error"), ("gemini-2.5-pro", None)],
)
def test_only_the_targets_own_models_count(model, expected):
    body = perform("openai", "ask call:a result:a", model=model)
    assert _for(body, "gemini", "openai").get("seal-missing") == expected


def test_a_target_may_be_a_dialect_but_must_have_rules():
    body = perform("anthropic", "ask call:a ask")
    assert tc.lint(body, "openai/strict") == tc.lint(body, "openai")
    with pytest.raises(UnknownDialect):
        tc.lint(body, "mcp")


def test_long_histories_are_judged_in_a_moment():
    play = "ask " + " ".join(f"call:a{n} result:a{n}" for n in range(2000))
    bad = "ask " + " ".join(f"call:a say result:x{n} result:a" for n in range(500))
    for family in FAMILIES:
        began = time.process_time()
        assert tc.lint(perform(family, play), family, source=family) == []
        tc.lint(perform(family, bad), family, source=family)
        assert time.process_time() - began < 5


IDS = st.lists(st.sampled_from(["a", "b", "c", "a=g", "b=g"]), min_size=1, max_size=3)
SCENES = st.sampled_from(["ask", "say"]) | st.builds(
    lambda word, ids: f"{word}:{','.join(ids)}", st.sampled_from(["call", "result", "apart"]), IDS
)


@given(st.lists(SCENES, min_size=1, max_size=8), st.sampled_from(FAMILIES))
def test_whatever_is_played_we_and_the_referee_see_the_same(scenes, family):
    body = perform(family, " ".join(scenes))
    theirs = {(fault.rule, fault.certain) for fault in judge_history(family, body)}
    found = tc.lint(body, family, source=family)
    assert {(finding.name, finding.level == "error") for finding in found} == {
        fault for fault in theirs if fault[0] in NAMES
    }


@given(st.sampled_from(BODIES), st.data(), st.sampled_from(FAMILIES))
def test_any_shape_is_judged_and_not_stumbled_over(sample, data, target):
    family, body = sample
    body = copy.deepcopy(body)
    for _ in range(data.draw(st.integers(1, 3))):
        body = _spoilt(body, data)
    for wanted in (family, target):
        try:
            found = tc.lint(body, wanted, source=family)
        except ToolcanonError:
            continue
        assert all(finding.quote and finding.remedy for finding in found)


def _spoilt(body, data):
    """With any value at any place."""
    places = list(_places(body))
    if not places:
        return body
    holder, key = data.draw(st.sampled_from(places))
    holder[key] = data.draw(VALUES)
    return body


def _places(value):
    pairs = value.items() if isinstance(value, dict) else ()
    for key, inner in enumerate(value) if isinstance(value, list) else list(pairs):
        yield value, key
        yield from _places(inner)


@given(VALUES, st.sampled_from(FAMILIES))
def test_no_value_is_too_odd_to_be_refused_or_judged(value, family):
    for payload in (value, [value], {"messages": value}, {"contents": [value]}, {"input": value}):
        try:
            tc.lint(payload, family)
        except ToolcanonError:
            continue


def test_the_referee_knows_what_we_know():
    theirs = {fault.rule for family, body in BODIES for fault in judge_history(family, body)}
    assert set(NAMES) - BY_TYPES <= theirs
