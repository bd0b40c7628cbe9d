"""Streams of every provider: however the bytes are split, and wherever they are cut."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolcanon as tc
from tests.conftest import rows
from toolcanon.errors import CutStream
from toolcanon.formats.wire.streams import payloads

FAMILIES = ("openai", "openai-responses", "anthropic", "gemini", "bedrock")
LABELS = {"openai_chat": "openai", "openai_responses": "openai-responses", "anthropic": "anthropic",
          "gemini": "gemini", "bedrock": "bedrock"}  # fmt: skip
every_family = pytest.mark.parametrize("family", FAMILIES)

# --- what is streamed: words, then calls, each in pieces


ARGUMENTS = st.dictionaries(
    st.text('ab é"\\\n漢😀', min_size=1, max_size=3),
    st.one_of(st.integers(-9, 9), st.text('x {}[]"\\\r\né😀', max_size=6), st.just([{}])),
    max_size=3,
)


@st.composite
def pieces_of(draw, text):
    cuts = draw(st.lists(st.integers(0, len(text)), max_size=3).map(sorted))
    edges = [0, *cuts, len(text)]
    return [text[a:b] for a, b in pairwise(edges)]


@st.composite
def answers(draw):
    words = draw(st.text("a\n é😀:", min_size=1, max_size=8))
    said = draw(pieces_of(words))
    calls = []
    for number in range(draw(st.integers(0, 2))):
        arguments = draw(ARGUMENTS)
        text = json.dumps(arguments, ensure_ascii=draw(st.booleans()))
        calls.append((f"call_{number}", f"f{number}", arguments, draw(pieces_of(text))))
    return said, calls


# --- how each provider streams it


def chat_events(said, calls):
    head = {"id": "r", "object": "chat.completion.chunk", "created": 1, "model": "m"}

    def chunk(delta, reason=None):
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    yield chunk({"role": "assistant", "content": ""})
    for piece in said:
        yield chunk({"content": piece})
    for index, (call_id, name, _, pieces) in enumerate(calls):
        opened = {"id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
        yield chunk({"tool_calls": [{"index": index, **opened}]})
        for piece in pieces:
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, "tool_calls" if calls else "stop")
    yield {**head, "choices": [], "usage": {"total_tokens": 3}}


def responses_events(said, calls):
    head = {"id": "r", "object": "response", "model": "m", "created_at": 1}
    yield {"type": "response.created", "response": {**head, "status": "in_progress", "output": []}}
    text = {"type": "output_text", "text": "".join(said), "annotations": []}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed"}
    yield {"type": "response.output_item.added", "output_index": 0,
           "item": {**message, "status": "in_progress", "content": []}}  # fmt: skip
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    yield {"type": "response.content_part.added", **place, "part": {**text, "text": ""}}
    for piece in said:
        yield {"type": "response.output_text.delta", **place, "delta": piece}
    yield {"type": "response.output_text.done", **place, "text": "".join(said)}
    yield {"type": "response.output_item.done", "output_index": 0,
           "item": {**message, "content": [text]}}  # fmt: skip
    output = [{**message, "content": [text]}]
    for index, (call_id, name, _, pieces) in enumerate(calls, 1):
        item = {"id": f"fc_{index}", "type": "function_call", "call_id": call_id, "name": name}
        started = {**item, "arguments": "", "status": "in_progress"}
        yield {"type": "response.output_item.added", "output_index": index, "item": started}
        place = {"item_id": f"fc_{index}", "output_index": index}
        for piece in pieces:
            yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
        whole = {**item, "arguments": "".join(pieces), "status": "completed"}
        yield {"type": "response.function_call_arguments.done", **place, "name": name,
               "arguments": whole["arguments"]}  # fmt: skip
        yield {"type": "response.output_item.done", "output_index": index, "item": whole}
        output.append(whole)
    yield {"type": "response.completed",
           "response": {**head, "status": "completed", "output": output}}  # fmt: skip


def claude_events(said, calls):
    message = {"id": "r", "type": "message", "role": "assistant", "model": "m", "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1}}
    yield {"type": "message_start", "message": message}
    yield {"type": "ping"}
    blocks = [({"type": "text", "text": ""}, "text_delta", "text", said)]
    blocks += [
        ({"type": "tool_use", "id": call_id, "name": name, "input": {}}, "input_json_delta",
         "partial_json", pieces)
        for call_id, name, _, pieces in calls
    ]  # fmt: skip
    for index, (block, kind, key, pieces) in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        for piece in pieces:
            delta = {"type": kind, key: piece}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    reason = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": reason, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def gemini_events(said, calls):
    def chunk(*parts, **more):
        content = {"role": "model", "parts": list(parts)}
        return {"candidates": [{"content": content, "index": 0, **more}], "modelVersion": "m"}

    for piece in said:
        yield chunk({"text": piece})
    for call_id, name, arguments, _ in calls:
        yield chunk({"functionCall": {"id": call_id, "name": name, "args": arguments}})
    yield chunk({"text": ""}, finishReason="STOP")


def converse_events(said, calls):
    yield {"messageStart": {"role": "assistant"}}
    for piece in said:
        yield {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": piece}}}
    yield {"contentBlockStop": {"contentBlockIndex": 0}}
    for index, (call_id, name, _, pieces) in enumerate(calls, 1):
        start = {"toolUse": {"toolUseId": call_id, "name": name}}
        yield {"contentBlockStart": {"contentBlockIndex": index, "start": start}}
        for piece in pieces:
            delta = {"toolUse": {"input": piece}}
            yield {"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}}
        yield {"contentBlockStop": {"contentBlockIndex": index}}
    yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}
    yield {"metadata": {"usage": {"totalTokens": 3}}}


STREAMS = {
    "openai": chat_events,
    "openai-responses": responses_events,
    "anthropic": claude_events,
    "gemini": gemini_events,
    "bedrock": converse_events,
}


def as_bytes(family, events, end="\n", comments=False):
    """Server-sent events, as the family's service writes them."""
    lines = []
    for event in events:
        lines += [": keep-alive", ""] if comments else []
        lines += [f"event: {event['type']}"] if "type" in event else []
        lines += [f"data: {json.dumps(event, ensure_ascii=False)}", ""]
    lines += ["data: [DONE]", ""] if family == "openai" else []
    return "".join(f"{line}{end}" for line in lines).encode()


@st.composite
def splits(draw, data):
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    edges = [0, *cuts, len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


def words(answer):
    return "".join(message.text for message in answer.messages)


# --- the claims


@every_family
@given(data=st.data())
@settings(max_examples=40)
def test_any_split_gives_the_same_answer(family, data):
    said, calls = data.draw(answers())
    events = list(STREAMS[family](said, calls))
    end = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    sent = as_bytes(family, events, end, comments=data.draw(st.booleans()))
    whole = tc.accumulate(events)
    assert whole.format == family
    assert words(whole) == "".join(said)
    assert [(call.id, call.name, call.arguments) for call in whole.calls] == [
        (call_id, name, arguments) for call_id, name, arguments, _ in calls
    ]
    assert whole.stop.reason == ("tool_call" if calls else "end")
    assert tc.accumulate(data.draw(splits(sent))) == whole
    assert tc.accumulate(iter([sent])) == whole
    assert tc.accumulate(sent.decode()) == whole
    assert tc.accumulate([json.dumps(event) for event in events]) == whole
    assert tc.accumulate(sent[n : n + 1] for n in range(len(sent))) == whole


@every_family
@given(data=st.data())
@settings(max_examples=60)
def test_cut_anywhere_it_reports_the_cut_or_is_complete(family, data):
    said, calls = data.draw(answers())
    sent = as_bytes(family, STREAMS[family](said, calls))
    whole = tc.accumulate(sent)
    for length in data.draw(st.lists(st.integers(0, len(sent) - 1), min_size=1, max_size=12)):
        check_cut([sent[:length]], whole)


def check_cut(stream, whole, source=None):
    """A cut stream is refused, and what had arrived is no more than what was sent."""
    try:
        answer = tc.accumulate(stream, source=source)
    except CutStream as cut:
        calls = [] if cut.partial is None else cut.partial.calls
    else:
        assert answer.candidates == whole.candidates
        return
    for call, meant in zip(calls, whole.calls, strict=False):
        assert call.name == meant.name
        if call.arguments != meant.arguments:  # half of them are none, and never {}
            assert call.arguments is None
            assert call.problem is not None
            assert meant.text is None or meant.text.startswith(call.text)


@every_family
def test_every_cut_of_one_stream(family):
    """Each byte, of a stream whose arguments look whole before they are."""
    pieces = ['{"a": ', "{}", ', "b": 1', "}"]
    arguments = {"a": {}, "b": 1}
    events = list(STREAMS[family](["hé"], [("call_0", "f", arguments, pieces)]))
    sent = as_bytes(family, events)
    whole = tc.accumulate(sent)
    for length in range(len(sent)):
        check_cut([sent[:length]], whole)
    ended = [n for n in range(len(events)) if not is_refused(events[:n])]
    assert all(n >= len(events) - 1 for n in ended)  # only what is said of usage may be missing


def is_refused(events):
    try:
        tc.accumulate(events)
    except CutStream:
        return True
    return False


def test_an_empty_stream_is_a_cut_one():
    for nothing in ([], b"", "", [b""], b": only a comment\n\n", b"data: [DONE]\n\n"):
        with pytest.raises(CutStream):
            tc.accumulate(nothing)


# --- recorded streams


def recorded(label):
    """(row, bytes, payloads) of every stream that was recorded as such."""
    for row in rows(label, "conversations"):
        body = row["body"]
        if text := body.get("response_stream"):
            yield row["id"], text.encode(), list(payloads(text))
        elif chunks := body.get("response_chunks"):
            events = [json.loads(each) if isinstance(each, str) else each for each in chunks]
            yield row["id"], as_bytes(LABELS[label], events), events


@pytest.mark.corpus
@pytest.mark.parametrize("label", LABELS)
def test_recorded_streams_are_detected_split_and_cut(label):
    seen = 0
    for where, sent, events in recorded(label):
        if "interaction" in str(events[0])[:40]:  # another method of the same provider
            continue
        if sum(event.get("type") == "message_start" for event in events) > 1:  # several in a row
            continue
        whole = tc.accumulate(events)
        assert whole.format == LABELS[label], where
        assert tc.accumulate(sent) == whole, where
        assert tc.accumulate(sent.replace(b"\n", b"\r\n")) == whole, where
        for size in (1, 7, 4096):
            chunks = [sent[n : n + size] for n in range(0, len(sent), size)]
            assert tc.accumulate(chunks) == whole, (where, size)
        for length in range(0, len(sent), max(1, len(sent) // 40)):
            check_cut([sent[:length]], whole)
        seen += 1
    assert seen
