"""Claims about every recorded conversation with Anthropic's API."""

import copy
import json

import pytest

from tests.conftest import rows
from toolcanon.errors import CutStream
from toolcanon.formats.anthropic.messages import CODEC
from toolcanon.formats.wire.codec import WriteLog

pytestmark = pytest.mark.corpus


def bodies(key):
    for row in rows("anthropic", "conversations"):
        body = row["body"].get(key)
        if isinstance(body, dict) and ("messages" in body or "content" in body):
            yield row["id"], body


def streams():
    for row in rows("anthropic", "conversations"):
        body = row["body"]
        chunks = body.get("response_chunks")
        if not chunks:
            lines = body.get("response_stream", "").splitlines()
            chunks = [line[5:] for line in lines if line.startswith("data:")]
        if chunks:
            yield row["id"], [json.loads(chunk) for chunk in chunks]


def test_requests_come_back_as_they_were():
    seen = 0
    for row_id, body in bodies("request"):
        before, told = copy.deepcopy(body), WriteLog()
        assert CODEC.write_request(CODEC.read_request(body), told) == before, row_id
        assert body == before, row_id
        assert not told.losses, row_id
        assert CODEC.sniff_body(body) >= 0.5, row_id
        seen += 1
    assert seen > 50


def test_messages_come_back_as_they_were():
    for row_id, body in bodies("request"):
        told = WriteLog()
        read = CODEC.read_messages(body["messages"], None)
        assert CODEC.write_messages(read, told) == body["messages"], row_id
        assert not told.losses, row_id


def test_responses_come_back_as_they_were():
    seen = 0
    for row_id, body in bodies("response"):
        before, told = copy.deepcopy(body), WriteLog()
        answer = CODEC.read_answer(body)
        assert CODEC.write_answer(answer, told) == before, row_id
        assert not told.losses, row_id
        assert CODEC.sniff_answer(body) == 1.0
        calls = [block["id"] for block in body["content"] if block["type"] == "tool_use"]
        assert [call.id for call in answer.calls] == calls, row_id
        seen += 1
    assert seen > 50


def test_streams_are_put_together_and_cut_ones_refused():
    seen = 0
    for row_id, events in streams():
        stream = CODEC.accumulate()
        for event in events:
            stream.feed(event)
        answer = stream.finish()
        assert answer.stop is not None, row_id
        assert all(call.problem is None for call in answer.calls), row_id
        body = CODEC.write_answer(answer, WriteLog())
        again = CODEC.read_answer(body)
        assert CODEC.write_answer(again, WriteLog()) == body, row_id
        ends = [n for n, event in enumerate(events) if event["type"] == "message_stop"]
        for length in range(ends[0] + 1):
            cut = CODEC.accumulate()
            for event in events[:length]:
                cut.feed(event)
            with pytest.raises(CutStream):
                cut.finish()
        seen += 1
    assert seen > 3
