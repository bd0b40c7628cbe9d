"""Laws of the generateContent codec, on every recorded conversation."""

import copy
import json

import pytest

from tests.conftest import rows
from toolcanon.errors import NotAConversation
from toolcanon.formats.gemini.messages import CODEC
from toolcanon.formats.wire.codec import WriteLog
from toolcanon.formats.wire.streams import payloads
from toolcanon.ir.conversation import Native

pytestmark = pytest.mark.corpus


def requests():
    for row in rows("gemini", "conversations"):
        body = row["body"].get("request")
        if body is not None:
            yield row["id"], body


def responses():
    """Whole ones; the label also has rows of other methods, which are no conversations."""
    for row in rows("gemini", "conversations"):
        found = row["body"].get("response")
        for body in found if isinstance(found, list) else [found]:
            if isinstance(body, dict) and "candidates" in body:
                yield row["id"], body


def streams():
    for row in rows("gemini", "conversations"):
        body = row["body"]
        found = body.get("response_stream") or body.get("response_chunks") or body.get("response")
        if isinstance(found, (list, str)) and "interaction" not in str(found[:1]):
            yield row["id"], found


def test_requests_there_and_back():
    for name, body in requests():
        before, told = copy.deepcopy(body), WriteLog()
        assert CODEC.sniff_body(body) == 1.0, name
        assert CODEC.write_request(CODEC.read_request(body), told) == before, name
        assert (body, told.losses) == (before, []), name
        contents = body["contents"]
        assert CODEC.write_messages(CODEC.read_messages(contents, None), told) == contents, name


def test_responses_there_and_back():
    for name, body in responses():
        before, told = copy.deepcopy(body), WriteLog()
        assert CODEC.sniff_answer(body) == 1.0, name
        assert CODEC.write_answer(CODEC.read_answer(body), told) == before, name
        assert (body, told.losses) == (before, []), name


def test_every_function_part_is_understood():
    for name, body in requests():
        kinds = [
            part.type
            for message in CODEC.read_request(body)
            for part in message.parts
            if isinstance(part, Native)
        ]
        assert set(kinds) <= {
            "executableCode",
            "codeExecutionResult",
            "toolCall",
            "toolResponse",
        }, name


def test_streams_say_what_their_chunks_say():
    seen = 0
    for name, stream in streams():
        chunks = list(payloads(stream))
        accumulator = CODEC.accumulate()
        for chunk in chunks:
            accumulator.feed(chunk)
        answer = accumulator.finish()
        parts = [
            part
            for chunk in chunks
            for candidate in chunk.get("candidates", ())
            for part in candidate.get("content", {}).get("parts", ())
        ]
        words = [part for part in parts if "text" in part and not part.get("thought")]
        assert "".join(message.text for message in answer.messages) == "".join(
            part["text"] for part in words
        ), name
        named = [part["functionCall"]["name"] for part in parts
                 if part.get("functionCall", {}).get("name")]  # fmt: skip
        assert [call.name for call in answer.calls] == named, name
        assert all(call.problem is None for call in answer.calls), name
        seals = json.dumps(parts).count("thoughtSignature")
        whole = CODEC.write_answer(answer, WriteLog())
        assert json.dumps(whole).count("thoughtSignature") == seals, name
        seen += 1
    assert seen


def test_rows_of_other_methods_are_refused():
    for row in rows("gemini", "conversations"):
        body = row["body"].get("response")
        if isinstance(body, dict) and "candidates" not in body:
            with pytest.raises(NotAConversation):
                CODEC.read_answer(body)
