"""The provider's own types judge the contents we write: keys they do not know are refused."""

import pytest
from pydantic import TypeAdapter

from tests.conftest import rows
from tests.tables import table
from toolcanon.formats.gemini.messages import CODEC
from toolcanon.formats.wire.codec import NOT_JSON, WriteLog
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

types = pytest.importorskip("google.genai.types")
CONTENTS = TypeAdapter(list[types.Content])


def judge(contents):
    """The types, and the rules of the service that no type knows."""
    for content in CONTENTS.validate_python(contents):
        assert content.role in {"user", "model"}
        assert content.parts
        for part in content.parts:
            held = part.model_dump(exclude_none=True).keys()
            assert len(held - {"thought", "thought_signature", "part_metadata"}) == 1
    for before, content in zip([None, *contents], contents, strict=False):
        answers = [part for part in content["parts"] if "functionResponse" in part]
        if answers:
            assert len(answers) == len(content["parts"])
            calls = [part for part in before["parts"] if "functionCall" in part]
            assert [c["functionCall"]["name"] for c in calls] == [
                a["functionResponse"]["name"] for a in answers
            ]
            assert [c["functionCall"].get("id") for c in calls] == [
                a["functionResponse"].get("id") for a in answers
            ]


EXTRAS = {"other": {"cache": {"type": "x"}, "$": {"form": "y"}}}
CONTENT = [
    [Text("x", EXTRAS)],
    [],
    [Data({"a": 1}, EXTRAS)],
    [Data([1, {"$ref": "x"}])],
    [Data(None)],
    [Text("a"), Media("image", "image/png", "AA==", extras=EXTRAS), Data({"error": 1})],
    [Media("document", "application/pdf", "AA==", name="n")],
    [Media("image", "image/png", url="https://e.org/i")],
    [Media("file", file_id="file-1")],
    [Media("document", text="t")],
    [Native("other", "reference", {"a": 1})],
]


@table("content", CONTENT)
@table("is_error", [None, False, True])
@table("apart", [False, True])
def test_histories_of_others(content, is_error, apart):
    results = [
        Result("b", content, is_error=is_error, extras=EXTRAS),
        Result("a", [Text("1")], is_error=is_error),
    ]
    answers = [Message("tool", [result]) for result in results]
    if not apart:
        answers = [Message("user", [Text("see"), *results, Text("there")], extras=EXTRAS)]
    history = [
        Message("system", [Text("s", EXTRAS)]),
        Message("user", [Text("go"), Media("image", "image/png", "AA=="), Text("")], name="ann"),
        Message("assistant", [Reasoning("t", "s", provider="other"), Text("w"), Refusal("r")]),
        Message("assistant", [Call("f", {"x": 1}, "a", extras=EXTRAS)]),
        Message("assistant", [Call("g", None, "b", text="{cut", problem=NOT_JSON)]),
        *answers,
        Message("developer", [Text("d")]),
        Message("assistant", [Call("h", text="raw", id="c", is_text=True, namespace="n")]),
        Message("tool", [Result("c", [Text("ok")], is_text=True)]),
        Message("assistant", [Native("other", "search", {}), Text("done")]),
    ]
    contents = CODEC.write_messages(history, WriteLog())
    judge(contents)
    again = CODEC.read_messages(contents, None)
    assert CODEC.write_messages(again, WriteLog()) == contents
    body = CODEC.write_request(
        Conversation(history, tool_choice=ToolChoice("tool", ["f"])), WriteLog()
    )
    types.ToolConfig.model_validate(body["toolConfig"])
    types.Content.model_validate(body["systemInstruction"])
    judge(body["contents"])


def test_answers_of_others():
    for reason in ("end", "stop_text", "tool_call", "length", "filter", "bad_call", "pause",
                   "too_many", "unknown"):  # fmt: skip
        said = [Message("assistant", [Text("a", EXTRAS), Call("f", {}, "c")])]
        answer = Answer([Candidate(said, Stop(reason, "word"), EXTRAS)], "m", "r", {"in": 1}, "x")
        found = types.GenerateContentResponse.model_validate(CODEC.write_answer(answer, WriteLog()))
        assert found.candidates[0].finish_reason in list(types.FinishReason)


def test_a_stream_of_sdk_objects():
    chunks = [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]}
        for text in ("a", "b")
    ]
    chunks[1]["candidates"][0]["finishReason"] = "STOP"
    stream = CODEC.accumulate()
    for chunk in chunks:
        stream.feed(types.GenerateContentResponse.model_validate(chunk))
    answer = stream.finish()
    assert (answer.messages[0].text, answer.stop) == ("ab", Stop("end", "STOP"))


@pytest.mark.corpus
def test_recorded_ones_pass_before_and_after():
    for row in rows("gemini", "conversations"):
        body = row["body"].get("request")
        if body is not None:
            CONTENTS.validate_python(body["contents"])
            CONTENTS.validate_python(
                CODEC.write_request(CODEC.read_request(body), WriteLog())["contents"]
            )
