"""The SDKs' types and the rules of turns judge histories written for Anthropic and Bedrock."""

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from tests.conftest import rows
from tests.oracle.test_sdk_types import consume
from toolcanon.formats.anthropic.messages import CODEC as ANTHROPIC
from toolcanon.formats.bedrock.messages import CODEC as BEDROCK
from toolcanon.formats.wire.codec import WriteLog
from toolcanon.ir.conversation import (
    Call,
    Conversation,
    Data,
    Media,
    Message,
    Native,
    Reasoning,
    Refusal,
    Result,
    Text,
)

CODECS = {"anthropic": ANTHROPIC, "bedrock": BEDROCK}


def anthropic_judge(*, beta=False):
    from anthropic.types import MessageParam, TextBlockParam
    from anthropic.types.beta import BetaMessageParam

    messages = TypeAdapter(list[BetaMessageParam if beta else MessageParam])
    system = TypeAdapter(str | list[TextBlockParam])

    def judge(body):
        consume(messages.validate_python(body["messages"], extra="forbid"))
        if "system" in body:
            consume(system.validate_python(body["system"], extra="forbid"))

    return judge


def bedrock_judge():
    import botocore.session
    from botocore.validate import ParamValidator

    model = botocore.session.Session().get_service_model("bedrock-runtime")
    shape = model.operation_model("Converse").input_shape

    def judge(body):
        body = {"modelId": "m", **body}
        report = ParamValidator().validate(body, shape).generate_report()
        assert not report, report
        check_facets(body, shape)

    return judge


def check_facets(value, shape):
    """Enums, lengths and patterns are in the service model, but its validator skips them."""
    facets = shape.metadata
    if shape.type_name == "structure" and isinstance(value, dict):
        for key, inner in shape.members.items():
            if key in value:
                check_facets(value[key], inner)
    elif shape.type_name == "list":
        for item in value:
            check_facets(item, shape.member)
    elif shape.type_name == "string":
        assert value in facets.get("enum", [value]), value
        assert facets.get("min", 0) <= len(value) <= facets.get("max", len(value)), value
        assert re.fullmatch(facets.get("pattern", ".*"), value, re.DOTALL), value


@pytest.fixture(scope="module")
def judges():
    return {"anthropic": anthropic_judge(), "bedrock": bedrock_judge()}


def views(target, message):
    """(kind, id) of every block, of any family."""
    for block in message["content"]:
        if target == "anthropic":
            keys = {"tool_use": "id", "tool_result": "tool_use_id"}
            kind = block["type"]
            yield kind, block.get(keys.get(kind)), block.get("text")
        else:
            (tag,) = block
            kind = {"toolUse": "tool_use", "toolResult": "tool_result"}.get(tag, tag)
            inner = block[tag]
            yield (
                kind,
                inner.get("toolUseId") if isinstance(inner, dict) else None,
                block.get("text"),
            )


def check_turns(target, messages):
    """Roles alternate, calls are answered at once and first, nothing is empty."""
    waiting = []
    last = None
    for message in messages:
        blocks = list(views(target, message))
        assert message["role"] != last
        assert blocks
        last = message["role"]
        answers = [id_ for kind, id_, _ in blocks if kind == "tool_result"]
        assert sorted(answers) == sorted(waiting)
        assert [kind for kind, _, _ in blocks[: len(answers)]] == ["tool_result"] * len(answers)
        waiting = [id_ for kind, id_, _ in blocks if kind == "tool_use"]
        assert len(set(waiting)) == len(waiting)
        texts = [text for kind, _, text in blocks if kind == "text"]
        assert all(texts)
        if target == "bedrock":
            assert all(text.strip() for text in texts)
    return waiting


MEDIA = st.sampled_from(
    [
        Media("image", "image/png", "aGk="),
        Media("image", "image/bmp", "aGk="),
        Media("image", url="https://example.com/a.png"),
        Media("image", url="data:image/png;base64,aGk="),
        Media("document", "application/pdf", "aGk=", name="a_b.pdf"),
        Media("document", "text/plain", text="words", name=""),
        Media("document", url="s3://bucket/key", mime="text/csv"),
        Media("file", file_id="file-1"),
        Media("audio", "audio/wav", "aGk="),
        Media("video", "video/mp4", "aGk="),
    ]
)
TEXT = st.builds(
    Text,
    st.sampled_from(["", " ", "a", "b c"]),
    st.sampled_from([None, {"openai": {"x": 1}}, {"gemini": {"$": {"k": 1}}}]),
)
DATA = st.builds(Data, st.sampled_from([{"a": 1}, [1], None, "x"]))
NATIVE = st.just(Native("openai-responses", "web_search_call", {"type": "web_search_call"}))
CONTENT = st.lists(st.one_of(TEXT, MEDIA, DATA, NATIVE), max_size=3)


@st.composite
def exchanges(draw):
    """A well-paired history as any provider could have had it, spread over messages at will."""
    messages = [Message("user", [Text("begin")])]
    number = 0
    for _ in range(draw(st.integers(1, 4))):
        said = draw(
            st.lists(
                st.one_of(
                    TEXT,
                    MEDIA,
                    NATIVE,
                    st.builds(Refusal, st.just("no")),
                    st.just(Reasoning("t", "s", provider="gemini")),
                ),
                max_size=2,
            )
        )
        count = draw(st.integers(0, 3))
        has_ids = draw(st.booleans())
        ids = [
            draw(st.sampled_from(["call_{}", "a.{}:", "é{}" * 40])).replace("{}", str(number + n))
            if has_ids
            else None
            for n in range(count)
        ]
        number += count
        calls = [
            Call("f", draw(st.sampled_from([{}, {"a": [1]}])), id_)
            if n % 2 == 0
            else Call("g", None, id_, text='{"a', problem="not-json")
            for n, id_ in enumerate(ids)
        ]
        parts = [*said, Text("x"), *calls]
        cut = draw(st.integers(0, len(parts)))
        messages += [Message("assistant", parts[:cut]), Message("assistant", parts[cut:])]
        results = [
            Result(call.id, draw(CONTENT), call.name, draw(st.sampled_from([None, True, False])))
            for call in calls
        ]
        if has_ids:
            results = draw(st.permutations(results))
        words = [Text("and")]
        if draw(st.booleans()):
            messages.append(Message("user", words))
            messages += [Message("tool", [result]) for result in results]
        else:
            messages.append(Message("user", [*words, *results]))
        if draw(st.booleans()):
            messages.append(Message(draw(st.sampled_from(["system", "developer"])), [Text("s")]))
    return messages


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(messages=exchanges())
def test_any_history_is_accepted_and_keeps_the_rules(judges, messages):
    for target, codec in CODECS.items():
        told = WriteLog()
        body = codec.write_request(Conversation(messages, format="x"), told)
        judges[target](body)
        assert check_turns(target, body["messages"]) == []
        assert body == codec.write_request(Conversation(messages, format="x"), WriteLog())
        # Written once, it is the target's own and changes no more.
        assert codec.write_request(codec.read_request(body), WriteLog()) == body
        calls = sum(len(message.calls) for message in messages)
        assert sum(len(message.calls) for message in codec.read_request(body).messages) == calls


@pytest.mark.corpus
@pytest.mark.parametrize("target", CODECS)
@pytest.mark.parametrize("source", CODECS)
def test_recorded_histories_are_accepted(judges, source, target):
    """Also when they come home without the marks that would keep them as they were."""
    judge = anthropic_judge(beta=True) if source == target == "anthropic" else judges[target]
    seen = 0
    for row in rows(source, "conversations"):
        body = row["body"].get("request")
        if not isinstance(body, dict):
            continue
        read = CODECS[source].read_request(body)
        read.tools = read.tool_choice = read.extras = read.model = None
        for message in read.messages:
            message.extras = None
        if source == target and not is_accepted(judge, {"messages": body["messages"]}):
            continue  # the recorded one was not either
        judge(CODECS[target].write_request(read, WriteLog()))
        seen += 1
    assert seen > 40


def is_accepted(judge, body):
    try:
        judge(body)
    except (ValidationError, AssertionError):
        return False
    return True


@pytest.mark.parametrize("target", CODECS)
def test_the_judges_can_say_no(judges, target):
    """A judge that accepts anything proves nothing."""
    wrong = {
        "anthropic": [
            [{"role": "user", "content": [{"type": "text", "text": "x", "extra": 1}]}],
            [{"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f"}]}],
            [
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "1", "is_error": None}],
                }
            ],
            [{"role": "tool", "content": "x"}],
        ],
        "bedrock": [
            [{"role": "user", "content": "x"}],
            [{"role": "user", "content": [{"text": "x", "type": "text"}]}],
            [{"role": "tool", "content": [{"text": "x"}]}],
            [{"role": "user", "content": [{"toolResult": {"toolUseId": "é", "content": []}}]}],
        ],
    }
    for messages in wrong[target]:
        with pytest.raises((ValidationError, AssertionError)):
            judges[target]({"messages": messages})


def test_the_referee_can_say_no():
    call = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "1", "content": []}
    text = {"type": "text", "text": "x"}
    asked, answered = (
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    )
    assert check_turns("anthropic", [asked, answered]) == []
    for wrong in (
        [answered, asked],
        [asked, asked],
        [asked, {"role": "user", "content": [text]}],
        [asked, {"role": "user", "content": [text, result]}],
        [{"role": "user", "content": []}],
    ):
        with pytest.raises(AssertionError):
            check_turns("anthropic", wrong)


def sdk_stream(events):
    """What the SDK itself makes of the events."""
    from anthropic.lib.streaming._beta_messages import accumulate_event

    message, buffers = None, {}
    for event in events:
        if event["type"] == "message_start":
            message, buffers = None, {}
        if event["type"] != "ping":
            message = accumulate_event(
                event=event, current_snapshot=message, json_bufs=buffers, request_headers=None
            )
    return message.to_dict()


@pytest.mark.corpus
def test_streams_agree_with_the_sdk():
    seen = 0
    for row in rows("anthropic", "conversations"):
        lines = row["body"].get("response_stream", "").splitlines()
        events = [json.loads(line[5:]) for line in lines if line.startswith("data:")]
        if not events:
            continue
        stream = ANTHROPIC.accumulate()
        for event in events:
            stream.feed(event)
        ours = ANTHROPIC.write_answer(stream.finish(), WriteLog())
        theirs = sdk_stream(events)
        assert ours["content"] == theirs["content"], row["id"]
        for key in ("id", "model", "role", "stop_reason"):
            assert ours[key] == theirs[key], row["id"]
        assert ours["usage"]["output_tokens"] == theirs["usage"]["output_tokens"], row["id"]
        seen += 1
    assert seen > 5
