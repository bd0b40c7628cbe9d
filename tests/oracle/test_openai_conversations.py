"""The SDK's own types judge conversations written from anywhere: no extra keys, nothing lazy."""

import copy
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from tests.conftest import rows
from toolcanon.errors import NotAConversation
from toolcanon.formats.openai.messages import CODEC as CHAT
from toolcanon.formats.openai_responses.messages import CODEC as RESPONSES
from toolcanon.formats.wire.codec import WriteLog
from toolcanon.ir.conversation import (
    Answer,
    Call,
    Candidate,
    Conversation,
    Data,
    Media,
    Message,
    Native,
    Reasoning,
    Refusal,
    Result,
    Stop,
    Text,
    ToolChoice,
)


def drain(value):
    """Force fields that a type checks only when they are read."""
    if isinstance(value, dict):
        return {key: drain(item) for key, item in value.items()}
    if isinstance(value, (str, bytes, int, float, bool, type(None))):
        return value
    return [drain(item) for item in value]


def chat_request():
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

    return TypeAdapter(CompletionCreateParamsNonStreaming)


def responses_request():
    from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

    return TypeAdapter(ResponseCreateParamsNonStreaming)


def chat_answer():
    from openai.types.chat import ChatCompletion

    return TypeAdapter(ChatCompletion)


def responses_answer():
    from openai.types.responses import Response

    return TypeAdapter(Response)


JUDGES = {
    "chat": (CHAT, chat_request, chat_answer, "openai_chat"),
    "responses": (RESPONSES, responses_request, responses_answer, "openai_responses"),
}


@pytest.fixture(scope="module", params=JUDGES)
def judged(request):
    codec, asks, answers, label = JUDGES[request.param]
    asks, answers = asks(), answers()
    return (
        codec,
        lambda body: drain(asks.validate_python(body, extra="forbid")),
        answers.validate_python,
        label,
    )


def accepts(judge, body):
    try:
        judge(copy.deepcopy(body))
    except ValidationError:
        return False
    return True


# What a conversation read from anybody else may hold.

words = st.sampled_from(["hello", "", '{"ok":false,"error":"no"}', "a\nb", "é"])
foreign = st.sampled_from([None, {"elsewhere": {"cache_control": {"type": "ephemeral"}}}])
pngs = st.builds(Media, kind=st.just("image"), mime=st.just("image/png"), data=st.just("AAAA"))
media = st.one_of(
    pngs,
    st.builds(Media, kind=st.just("image"), url=st.just("https://a.example/b.png"), extras=foreign),
    st.builds(
        Media,
        kind=st.sampled_from(["audio", "video", "document", "file"]),
        mime=st.sampled_from([None, "audio/wav", "video/mp4", "application/pdf", "text/plain"]),
        data=st.sampled_from([None, "AAAA"]),
        url=st.sampled_from([None, "https://a.example/b"]),
        file_id=st.sampled_from([None, "file_1"]),
        name=st.sampled_from([None, "b.pdf"]),
        text=st.sampled_from([None, "plain"]),
    ),
)
texts = st.builds(Text, words, foreign)
values = st.sampled_from([{"a": 1}, [1], None, "x", {"ok": True}])
ids = st.sampled_from([None, "call_1", "call_2", "toolu.3"])
alien = st.builds(Native, st.just("elsewhere"), st.just("web_search"), values)
calls = st.one_of(
    st.builds(
        Call,
        name=st.sampled_from(["f", "g"]),
        arguments=values,
        id=ids,
        namespace=st.sampled_from([None, "ns"]),
        extras=foreign,
    ),
    st.builds(Call, name=st.just("t"), id=ids, text=words, is_text=st.just(True)),
    st.builds(Call, name=st.just("f"), id=ids, text=st.just('{"a":'), problem=st.just("not-json")),
)
results = st.builds(
    Result,
    ids,
    st.lists(st.one_of(texts, media, st.builds(Data, values), alien), max_size=3),
    name=st.sampled_from([None, "f"]),
    is_error=st.sampled_from([None, True, False]),
    is_text=st.booleans(),
    extras=foreign,
)
thoughts = st.builds(
    Reasoning,
    words,
    seal=st.sampled_from([None, "sealed"]),
    provider=st.sampled_from([None, "elsewhere"]),
)
said = st.one_of(texts, calls, thoughts, alien, media, st.builds(Refusal, words))
given_ = st.one_of(texts, results, media, alien, st.builds(Data, values))
messages = st.one_of(
    st.builds(Message, st.just("assistant"), st.lists(said, max_size=4), extras=foreign),
    st.builds(Message, st.sampled_from(["user", "tool"]), st.lists(given_, max_size=4)),
    st.builds(Message, st.sampled_from(["system", "developer"]), st.lists(texts, max_size=2)),
    st.builds(Message, st.just("user"), st.lists(texts), name=st.just("ann")),
)
choices = st.one_of(
    st.builds(ToolChoice, st.sampled_from(["auto", "none", "required"])),
    st.builds(ToolChoice, st.just("tool"), st.just(["f"])),
    st.builds(ToolChoice, st.just("subset"), st.just(["f", "g"]), st.booleans()),
)
conversations = st.builds(
    Conversation,
    st.lists(messages, max_size=6),
    system=st.one_of(st.none(), st.builds(Message, st.just("system"), st.lists(texts))),
    tool_choice=st.one_of(st.none(), choices),
    parallel_calls=st.sampled_from([None, True, False]),
    model=st.just("m"),
    format=st.just("elsewhere"),
    extras=st.sampled_from([None, {"elsewhere": {"max_tokens": 5}}]),
)
TOOLS = {
    "chat": [{"type": "function", "function": {"name": "f"}}],
    "responses": [{"type": "function", "name": "f", "parameters": {}, "strict": False}],
}


@settings(max_examples=150)
@given(conversations, st.booleans())
def test_a_conversation_from_anywhere_is_written_as_the_sdk_has_it(judged, conversation, has_tools):
    codec, judge, _, _ = judged
    if has_tools:
        conversation.tools = TOOLS["chat" if codec is CHAT else "responses"]
    before, told = copy.deepcopy(conversation), WriteLog()
    body = codec.write_request(conversation, told)
    assert conversation == before
    assert judge(copy.deepcopy(body))
    again = WriteLog()
    assert codec.write_request(conversation, again) == body
    assert again.losses == told.losses
    assert codec.write_request(codec.read_request(body), quiet := WriteLog()) == body
    assert not quiet.losses


@settings(max_examples=100)
@given(conversations)
def test_results_follow_the_calls_of_their_group(judged, conversation):
    """In Chat nothing may stand between a result and the ones before it but other results."""
    codec, _, _, _ = judged
    if codec is not CHAT:
        return
    told = WriteLog()
    written = codec.write_messages(conversation.messages, told)
    moved = [loss for loss in told.losses if loss.code == "L303"]
    shown = [m for m in written if m["role"] == "user" and "from tool call" in str(m["content"])]
    assert bool(moved) == bool(shown)
    for message, following in pairwise(written):
        if message in shown:
            before = written[written.index(message) - 1]
            assert before["role"] == "tool"
        if message["role"] == "tool" and following["role"] == "user" and following not in shown:
            assert "in the next user message" not in str(message["content"])


@settings(max_examples=100)
@given(
    st.lists(
        st.builds(Message, st.just("assistant"), st.lists(said, max_size=4), extras=foreign),
        max_size=3,
    ),
    st.sampled_from(["end", "stop_text", "tool_call", "length", "filter", "bad_call", "pause"]),
    st.integers(1, 2),
)
def test_an_answer_from_anywhere_is_written_as_the_sdk_has_it(judged, turn, reason, count):
    codec, _, judge, _ = judged
    one = Candidate(turn, Stop(reason, "their_word"))
    answer = Answer([one] * count, "m", None, {"tokens": 3}, "elsewhere", None)
    told = WriteLog()
    body = codec.write_answer(answer, told)
    assert judge(body)
    assert codec.write_answer(codec.read_answer(body), WriteLog()) == body
    assert ("L320" in {loss.code for loss in told.losses}) == (count == 2 and codec is RESPONSES)


@pytest.mark.corpus
def test_what_the_sdk_accepted_it_accepts_again_after_a_change(judged):
    codec, judge, _, label = judged
    seen = 0
    for row in rows(label, "conversations"):
        body = row["body"].get("request")
        if not isinstance(body, dict) or not accepts(judge, without_stream(body)):
            continue
        conversation = codec.read_request(without_stream(body))
        for message in conversation:
            for part in message.parts:
                if isinstance(part, Text):
                    part.text += "!"
                elif isinstance(part, Call) and not part.is_text:
                    part.arguments = {"changed": True}
                elif isinstance(part, Result):
                    part.is_error = True
        assert judge(codec.write_request(conversation, WriteLog())), row["id"]
        seen += 1
    assert seen > 20


def without_stream(body):
    return {key: value for key, value in body.items() if key != "stream"}


@pytest.mark.corpus
@pytest.mark.parametrize("source", JUDGES)
@pytest.mark.parametrize("target", JUDGES)
def test_recorded_histories_are_written_validly_for_the_other_family(source, target):
    if source == target:
        return
    codec, label = JUDGES[source][0], JUDGES[source][3]
    writer, adapter = JUDGES[target][0], JUDGES[target][1]()
    seen = 0
    for row in rows(label, "conversations"):
        body = row["body"].get("request")
        if not isinstance(body, dict):
            continue
        try:
            conversation = codec.read_request(body)
        except NotAConversation:
            continue
        conversation.tools = TOOLS[target]
        conversation.model = "m"
        written = writer.write_request(conversation, WriteLog())
        assert drain(adapter.validate_python(written, extra="forbid")), row["id"]
        seen += 1
    assert seen > 20
