"""Claims about every recorded conversation with Bedrock's Converse API."""

import copy
import json

import pytest

from tests.conftest import rows
from toolcanon.errors import CutStream
from toolcanon.formats.bedrock.messages import CODEC
from toolcanon.formats.wire.codec import WriteLog

pytestmark = pytest.mark.corpus


def found(key):
    for row in rows("bedrock", "conversations"):
        body = row["body"].get(key)
        if body and "message" not in body:  # an error has one instead of an output
            yield row["id"], body


def test_requests_come_back_as_they_were():
    seen = 0
    for row_id, body in found("request"):
        before, told = copy.deepcopy(body), WriteLog()
        assert CODEC.write_request(CODEC.read_request(body), told) == before, row_id
        read = CODEC.read_messages(body["messages"], None)
        assert CODEC.write_messages(read, told) == before["messages"], row_id
        assert body == before, row_id
        assert not told.losses, row_id
        assert CODEC.sniff_body(body) == 1.0, row_id
        seen += 1
    assert seen > 30


def test_responses_come_back_as_they_were():
    seen = 0
    for row_id, body in found("response"):
        before, told = copy.deepcopy(body), WriteLog()
        answer = CODEC.read_answer(body)
        assert CODEC.write_answer(answer, told) == before, row_id
        assert not told.losses, row_id
        assert CODEC.sniff_answer(body) == 1.0
        content = body["output"]["message"]["content"]
        calls = [block["toolUse"]["toolUseId"] for block in content if "toolUse" in block]
        assert [call.id for call in answer.calls] == calls, row_id
        seen += 1
    assert seen > 30


def test_streams_are_put_together_and_cut_ones_refused():
    seen = 0
    for row_id, chunks in found("response_chunks"):
        events = [json.loads(chunk) for chunk in chunks]
        stream = CODEC.accumulate()
        for event in events:
            stream.feed(event)
        answer = stream.finish()
        assert answer.stop.reason == "tool_call", row_id
        assert answer.calls, row_id
        assert all(call.problem is None for call in answer.calls), row_id
        (end,) = [n for n, event in enumerate(events) if "messageStop" in event]
        for length in range(end + 1):
            cut = CODEC.accumulate()
            for event in events[:length]:
                cut.feed(event)
            with pytest.raises(CutStream):
                cut.finish()
        seen += 1
    assert seen > 3
