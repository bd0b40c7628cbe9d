"""Claims about every recorded request, response and stream of the two chat families."""

import copy
import json

import pytest

from tests.conftest import rows
from toolcanon.errors import CutStream, NotAConversation
from toolcanon.formats.openai.messages import CODEC as CHAT
from toolcanon.formats.openai_responses.messages import CODEC as RESPONSES
from toolcanon.formats.wire.codec import WriteLog

pytestmark = pytest.mark.corpus

FAMILIES = {"openai_chat": CHAT, "openai_responses": RESPONSES}
family = pytest.mark.parametrize("label", FAMILIES)

# Bodies of other APIs that ended up under these labels, by what is missing.
ELSEWHERE = {"/choices", "/output", "/input", ""}


# Losses that leave words behind which nobody said, or take some away.
WORDS_CHANGE = {"L302", "L303", "L305", "L307", "L319"}


def bodies(label, kind):
    for row in rows(label, "conversations"):
        if kind in row["body"]:
            yield row["id"], row["body"][kind]


def events(body):
    """The payloads of a recorded stream."""
    if "response_chunks" in body:
        return [json.loads(e) if isinstance(e, str) else e for e in body["response_chunks"]]
    lines = body["response_stream"].splitlines()
    data = [line[5:].strip() for line in lines if line.startswith("data:")]
    return [json.loads(text) for text in data if text != "[DONE]"]


def streams(label):
    for row in rows(label, "conversations"):
        if {"response_chunks", "response_stream"} & set(row["body"]):
            yield row["id"], events(row["body"])


def same(one, other):
    """Equal as JSON: 1 is neither true nor 1.0."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def check(read, write, body, where):
    before, told = copy.deepcopy(body), WriteLog()
    try:
        found = read(body)
    except NotAConversation as error:
        if error.at in ELSEWHERE:
            return None
        raise
    assert same(body, before), where
    assert same(write(found, told), body), where
    assert not told.losses, where
    return found


@family
def test_requests_come_back_as_they_were(label):
    codec, seen, calls = FAMILIES[label], 0, 0
    for where, body in bodies(label, "request"):
        found = check(codec.read_request, codec.write_request, body, where)
        if found is not None:
            seen += 1
            calls += sum(len(message.calls) for message in found)
            assert codec.sniff_body(body) > 0, where
    assert seen > 50
    assert calls > 10


@family
def test_message_lists_come_back_as_they_were(label):
    codec, key = FAMILIES[label], "messages" if label == "openai_chat" else "input"
    for where, body in bodies(label, "request"):
        if isinstance(body.get(key), list):
            check(codec.read_messages, codec.write_messages, body[key], where)


@family
def test_responses_come_back_as_they_were(label):
    codec, seen = FAMILIES[label], 0
    for where, body in bodies(label, "response"):
        found = check(codec.read_answer, codec.write_answer, body, where)
        if found is not None and found.candidates:
            seen += 1
            assert found.stop is not None or body["status"] in {"queued", "in_progress"}, where
            if found.calls and found.stop.reason != "unknown":
                assert found.stop.reason == "tool_call", where
    assert seen > 30


@family
def test_every_stream_is_an_answer(label):
    codec, seen = FAMILIES[label], 0
    for where, payloads in streams(label):
        before, accumulator = copy.deepcopy(payloads), codec.accumulate()
        for event in payloads:
            accumulator.feed(event)
        answer = accumulator.finish()
        assert same(payloads, before), where
        assert answer.messages or own_error(answer), where
        assert all(call.problem is None for call in answer.calls), where
        body = codec.write_answer(answer, WriteLog())
        assert same(codec.write_answer(codec.read_answer(body), WriteLog()), body), where
        seen += 1
    assert seen >= 5


def own_error(answer):
    return answer.extras[answer.format]["error"]


@family
def test_a_stream_cut_anywhere_reports_it_and_invents_no_arguments(label):
    codec = FAMILIES[label]
    for where, payloads in streams(label):
        whole = codec.accumulate()
        for event in payloads:
            whole.feed(event)
        texts = [call.text for call in whole.finish().calls]
        accumulator = codec.accumulate()
        for event in payloads:
            is_end = "error" in event or event.get("type") in {"error", "response.completed"}
            if is_end or any(c.get("finish_reason") for c in event.get("choices", ())):
                break
            accumulator.feed(event)
            with pytest.raises(CutStream) as cut:
                accumulator.finish()
            for call, text in zip(cut.value.partial.calls, texts, strict=False):
                assert text.startswith(call.text), where
                assert call.arguments is None or call.text == text, where


def test_responses_streams_say_the_same_without_their_last_event():
    """What the pieces make up is what the provider repeats at the end."""
    seen = 0
    for where, payloads in streams("openai_responses"):
        end = payloads[-1]
        if end["type"] != "response.completed":
            continue
        accumulator = RESPONSES.accumulate()
        for event in payloads[:-1]:
            accumulator.feed(event)
        hollow = {**end, "response": {**end["response"], "output": []}}
        accumulator.feed(hollow)
        calls = RESPONSES.read_answer(end["response"]).calls
        made = accumulator.finish().calls
        assert [(c.id, c.name, c.text) for c in made] == [(c.id, c.name, c.text) for c in calls], (
            where
        )
        # Without the events that close an item, the pieces alone say the same.
        accumulator = RESPONSES.accumulate()
        for event in payloads[:-1]:
            if not event["type"].endswith(".done"):
                accumulator.feed(event)
        accumulator.feed(hollow)
        made = accumulator.finish().calls
        assert [(c.id, c.name, c.text) for c in made] == [(c.id, c.name, c.text) for c in calls], (
            where
        )
        seen += 1
    assert seen > 20


@pytest.mark.parametrize(
    "source, target", [(CHAT, RESPONSES), (RESPONSES, CHAT)], ids=["to", "fro"]
)
def test_the_other_family_states_it_too_and_always_the_same_way(source, target):
    label = next(label for label, codec in FAMILIES.items() if codec is source)
    for where, body in bodies(label, "request"):
        try:
            found = source.read_request(body)
        except NotAConversation:
            continue
        before, told = copy.deepcopy(found), WriteLog()
        made = target.write_request(found, told)
        assert found == before, where
        assert same(target.write_request(source.read_request(body), WriteLog()), made), where
        back = target.read_request(made)
        assert same(target.write_request(back, WriteLog()), made), where
        ids = [call.id for message in found for call in message.calls]
        assert [call.id for message in back for call in message.calls] == ids or None in ids, where
        if not WORDS_CHANGE & {loss.code for loss in told.losses}:
            assert texts_of(back) == texts_of(found), where


def texts_of(conversation):
    return "".join(
        part.text
        for message in conversation.everything()
        for part in message.parts
        if part.__class__.__name__ == "Text"
    )
