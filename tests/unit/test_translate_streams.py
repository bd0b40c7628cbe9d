"""A stream of one provider as another's: the same words, the same calls, while it runs."""

import asyncio
import json

import pytest

import toolcanon as tc
from tests.conftest import rows
from tests.properties.test_streams import LABELS, STREAMS, as_bytes
from tests.tables import table
from toolcanon.conversations.stream import translate_stream
from toolcanon.errors import CutStream, NotAConversation, UnknownFormat, UsageError
from toolcanon.formats.wire.streams import payloads

FAMILIES = tuple(STREAMS)
PAIRS = [(source, to) for source in FAMILIES for to in FAMILIES]
every_pair = table("source, to", PAIRS)

SAID = ["Let ", "me ", "sée 😀."]
PIECES = ['{"a": ', '{"b": [1, null', '], "c": "é"}', "}"]
ARGUMENTS = {"a": {"b": [1, None], "c": "é"}}
CALLS = [
    ("call_0", "look_up", ARGUMENTS, PIECES),
    ("call_1", "list_all", {}, ["{", "}"]),
    ("call_2", "look_up", {"a": 1}, ['{"a":1}']),
]


def words(answer):
    return "".join(message.text for message in answer.messages)


def calls(answer):
    return [(call.id, call.name, call.arguments) for call in answer.calls]


def sent(family, said=SAID, called=CALLS):
    return list(STREAMS[family](said, called))


# --- what is carried


@every_pair
def test_words_calls_stop_and_ids_are_carried(source, to):
    translated = translate_stream(sent(source), to)
    answer = tc.accumulate(translated, source=to)
    assert answer.format == to
    assert words(answer) == "".join(SAID)
    assert calls(answer) == [(id_, name, arguments) for id_, name, arguments, _ in CALLS]
    assert answer.stop.reason == "tool_call"
    assert translated.answer.stop.reason == "tool_call"


@every_pair
def test_without_calls_it_ends_otherwise(source, to):
    answer = tc.accumulate(translate_stream(sent(source, called=[]), to), source=to)
    assert (words(answer), answer.calls, answer.stop.reason) == ("".join(SAID), [], "end")


@every_pair
def test_id_and_model_are_kept_where_both_have_them(source, to):
    answer = tc.accumulate(translate_stream(sent(source), to), source=to)
    if "bedrock" not in (source, to):
        assert answer.model == "m"
        assert answer.id == ("r" if source != "gemini" else answer.id)


@table("to", [family for family in FAMILIES if family != "bedrock"])
@table("source", FAMILIES)
def test_bytes_in_any_pieces_and_bytes_out(source, to):
    given = as_bytes(source, sent(source)) if source != "bedrock" else sent(source)
    out = b"".join(translate_stream(given, to, source=source, as_bytes=True))
    assert out.endswith(b"data: [DONE]\n\n") == (to == "openai")
    assert calls(tc.accumulate(out)) == [call[:3] for call in CALLS]
    if isinstance(given, bytes):
        single = [given[n : n + 1] for n in range(len(given))]
        assert b"".join(translate_stream(single, to, as_bytes=True)) == out


@every_pair
def test_words_and_arguments_do_not_wait(source, to):
    """Each event is answered before the next one is asked for."""
    events = sent(source)
    asked = 0

    def live():
        nonlocal asked
        for event in events:
            asked += 1
            yield event

    events_out = translate_stream(live(), to)
    seen = [(asked, json.dumps(event, ensure_ascii=False)) for event in events_out]
    first = next(at for at, text in seen if "Let" in text)
    named = next(at for at, text in seen if "look_up" in text)
    assert first < named < len(events)
    if source != "gemini" and to != "gemini":  # others send arguments in pieces
        assert sum('"a": ' in text or r"\"a\": " in text for _, text in seen) >= 1
        assert len({at for at, text in seen if "arguments" in text or "input" in text}) > 1


@every_pair
def test_an_async_stream_gives_the_same(source, to):
    async def live():
        for event in sent(source):
            yield event

    async def run():
        return [event async for event in translate_stream(live(), to)]

    assert asyncio.run(run()) == list(translate_stream(sent(source), to))


def test_parallel_calls_are_distinguished():
    def chunk(index, **function):
        call = {"index": index, "function": function}
        if "name" in function:
            call |= {"id": f"c{index}", "type": "function"}
        delta = {"tool_calls": [call]}
        return {"object": "chat.completion.chunk", "id": "x", "model": "m",
                "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}  # fmt: skip

    events = [
        chunk(0, name="f", arguments=""), chunk(1, name="g", arguments=""),
        chunk(0, arguments='{"a":'), chunk(1, arguments='{"b":'), chunk(0, arguments="1}"),
        chunk(1, arguments="2}"),
        {"object": "chat.completion.chunk",
         "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    ]  # fmt: skip
    for to in FAMILIES:
        found = calls(tc.accumulate(translate_stream(events, to), source=to))
        assert found == [("c0", "f", {"a": 1}), ("c1", "g", {"b": 2})]


def test_a_block_that_is_never_closed_is_closed_at_the_end():
    events = [e for e in sent("anthropic") if e["type"] != "content_block_stop"]
    for to in FAMILIES:
        assert calls(tc.accumulate(translate_stream(events, to), source=to)) == [
            c[:3] for c in CALLS
        ]


# --- counts, losses


def test_tokens_are_counted_in_the_targets_words():
    stream = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "x"}}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"messageStop": {"stopReason": "end_turn"}},
        {"metadata": {"usage": {"inputTokens": 2, "outputTokens": 3, "totalTokens": 5}}},
    ]
    expected = {
        "openai": {"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5},
        "openai-responses": {"input_tokens": 2, "output_tokens": 3, "total_tokens": 5},
        "anthropic": {"input_tokens": 2, "output_tokens": 3},
        "gemini": {"promptTokenCount": 2, "candidatesTokenCount": 3, "totalTokenCount": 5},
        "bedrock": {"inputTokens": 2, "outputTokens": 3, "totalTokens": 5},
    }  # fmt: skip
    for to, usage in expected.items():
        translated = translate_stream(stream, to)
        assert tc.accumulate(translated, source=to).usage == usage
        assert "usage" not in [str(loss.at).strip("/") for loss in translated.losses]


def test_what_cannot_be_carried_is_reported_at_the_end():
    events = sent("anthropic")
    thought = {"type": "thinking", "thinking": "", "signature": ""}
    events[2:2] = [
        {"type": "content_block_start", "index": 9, "content_block": thought},
        {"type": "content_block_delta", "index": 9,
         "delta": {"type": "thinking_delta", "thinking": "Hm."}},
        {"type": "content_block_stop", "index": 9},
    ]  # fmt: skip
    translated = translate_stream(events, "openai-responses")
    assert not translated.losses
    list(translated)
    assert "L301" in {loss.code for loss in translated.losses}


def test_ids_are_invented_where_needed_and_reported():
    part = {"functionCall": {"name": "f", "args": {}}}
    content = {"role": "model", "parts": [part, part]}
    stream = [{"candidates": [{"content": content, "finishReason": "STOP"}]}]
    for to in FAMILIES:
        translated = translate_stream(stream, to)
        ids = [call.id for call in tc.accumulate(translated, source=to).calls]
        told = [loss.after for loss in translated.losses if loss.code == "L322"]
        assert ids == ([None, None] if to == "gemini" else ["call_0", "call_1"])
        assert told == ([] if to == "gemini" else ids)


# --- bindings


TOOL = {
    "name": "files.find",
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer"},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "required": ["query"],
    },
}


@every_pair
def test_bindings_carry_names_and_arguments(source, to):
    own = {"query": "é", "labels": {"a": "b"}}
    here = tc.bind([TOOL], source, strict=True)
    there = tc.bind([TOOL], to, strict=True)
    name, wire = here.render("files.find", own)
    text = json.dumps(wire)
    called = [("call_0", name, wire, [text[:9], text[9:]])]
    stream = sent(source, called=called)
    answer = tc.accumulate(
        translate_stream(stream, to, source_binding=here, binding=there), source=to
    )
    assert [(c.name, c.arguments) for c in answer.calls] == [there.render("files.find", own)]
    answer = tc.accumulate(translate_stream(stream, to, source_binding=here), source=to)
    assert [(c.name, c.arguments) for c in answer.calls] == [("files.find", own)]


def test_a_name_that_was_not_sent_stays():
    bound = tc.bind([TOOL], "anthropic")
    stream = translate_stream(sent("openai"), "anthropic", binding=bound)
    assert calls(tc.accumulate(stream)) == [call[:3] for call in CALLS]


def test_free_text_calls_are_wrapped_where_there_are_none():
    item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c", "name": "sql"}
    stream = [
        {"type": "response.created", "response": {"id": "r", "model": "m", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "input": ""}},
        {"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": "SELECT "},
        {"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": '"x"'},
        {"type": "response.output_item.done", "output_index": 0,
         "item": {**item, "input": 'SELECT "x"'}},
        {"type": "response.completed",
         "response": {"id": "r", "model": "m", "status": "completed",
                      "output": [{**item, "input": 'SELECT "x"'}]}},
    ]  # fmt: skip
    for to in FAMILIES:
        (call,) = tc.accumulate(translate_stream(stream, to), source=to).calls
        if to.startswith("openai"):
            assert call.is_text
            assert call.text == 'SELECT "x"'
        else:
            assert call.arguments == {"input": 'SELECT "x"'}


# --- refusals


@table("family", FAMILIES)
@table("to", FAMILIES)
def test_a_cut_stream_is_refused_wherever_it_is_cut(family, to):
    events = sent(family)
    whole = tc.accumulate(events)
    for length in range(len(events)):
        try:
            answer = tc.accumulate(
                list(translate_stream(events[:length], to, source=family)), source=to
            )
        except CutStream:
            continue
        assert calls(answer) == calls(whole)


def test_misuse_is_reported_at_once():
    with pytest.raises(UnknownFormat):
        translate_stream([], "mcp")
    with pytest.raises(UnknownFormat):
        translate_stream([], "openai", source="nobody")
    with pytest.raises(UsageError):
        translate_stream([], "bedrock", as_bytes=True)
    with pytest.raises(NotAConversation):
        list(translate_stream([{"x": 1}], "openai"))


# --- recorded streams


def recorded(label):
    for row in rows(label, "conversations"):
        body = row["body"]
        if text := body.get("response_stream"):
            yield row["id"], list(payloads(text))
        elif chunks := body.get("response_chunks"):
            events = [json.loads(each) if isinstance(each, str) else each for each in chunks]
            yield row["id"], events


def sound(answer):
    """Calls as anybody can write them."""
    return [
        (call.name, call.text if call.is_text else call.arguments)
        for call in answer.calls
        if call.problem is None
    ]


def contradicts(events, whole):
    """Whether the end contradicts the pieces, as in one shortened fixture."""
    pieces = [e["delta"] for e in events if e.get("type") == "response.output_text.delta"]
    return not words(whole).startswith("".join(pieces))


@pytest.mark.corpus
@pytest.mark.parametrize("to", FAMILIES)
@pytest.mark.parametrize("label", LABELS)
def test_recorded_streams_say_the_same_elsewhere(label, to):
    seen = 0
    for where, events in recorded(label):
        if "interaction" in str(events[0])[:40]:  # another method of the same provider
            continue
        if sum(event.get("type") == "message_start" for event in events) > 1:  # several in a row
            continue
        first = tc.accumulate(events)
        if contradicts(events, first):
            continue
        if first.stop is None:  # a failure in place of an answer, or in the middle of one
            with pytest.raises(CutStream):
                list(translate_stream(events, to))
            continue
        at_once = tc.read_answer(tc.write_answer(first, to).payload, source=to)
        translated = translate_stream(events, to)
        streamed = tc.accumulate(list(translated), source=to)
        assert words(streamed) == words(at_once), where
        assert sound(streamed) == sound(at_once), where
        assert streamed.stop.reason == at_once.stop.reason, where
        for call, meant in zip(streamed.calls, first.calls, strict=True):
            assert meant.id is None or call.id == meant.id, where
        seen += 1
    assert seen


def test_a_translated_stream_is_iterated_once():
    events = [
        {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
         "choices": [{"index": 0, "delta": {"role": "assistant", "content": "hi"},
                      "finish_reason": "stop"}]},
    ]  # fmt: skip
    stream = tc.translate_stream(events, to="anthropic", source="openai")
    assert list(stream)
    with pytest.raises(tc.ToolcanonError, match="iterated once"):
        list(stream)
