"""The npm package ``ai`` judges streams: its schema the chunks, its page what we read of them."""

import pytest

import toolcanon as tc
from tests.oracle.test_ai_sdk import pytestmark  # noqa: F401
from tests.oracle.test_ai_sdk_conversations import ran
from tests.unit.test_vercel_messages import CHUNKS, OTHERS
from toolcanon.errors import CutStream

READ = """
import { readUIMessageStream, uiMessageChunkSchema } from "ai";
import { readFileSync } from "node:fs";
const told = [];
for (const chunks of JSON.parse(readFileSync("value.json", "utf8"))) {
  const wrong = [];
  let shown;
  for (const chunk of chunks) {
    const judged = await uiMessageChunkSchema().validate(chunk);
    if (!judged.success) wrong.push(chunk);
  }
  const stream = new ReadableStream({
    start(to) { chunks.forEach(chunk => to.enqueue(chunk)); to.close(); },
  });
  const onError = error => wrong.push(String(error));
  for await (const message of readUIMessageStream({ stream, onError })) shown = message;
  told.push([wrong, shown]);
}
console.log(JSON.stringify(told));
"""
READY = {"type": "tool-input-available", "toolCallId": "c", "toolName": "f", "input": {"a": 1}}
ASKED = {"type": "tool-approval-request", "toolCallId": "c", "approvalId": "ap", "signature": "s"}
SAID = {"type": "tool-approval-response", "approvalId": "ap"}
META = {"providerMetadata": {"a": {"b": 1}}}


def words(text="x", kind="text", **end):
    return [
        {"type": f"{kind}-start", "id": "1"},
        {"type": f"{kind}-delta", "id": "1", "delta": text},
        {"type": f"{kind}-end", "id": "1", **end},
    ]


def gave(**more):
    return {"type": "tool-output-available", "toolCallId": "c", "output": {"x": 1}, **more}


def start(**more):
    return {"type": "tool-input-start", "toolCallId": "c", "toolName": "f", **more}


def piece(text):
    return {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": text}


AGAIN = [{"type": "finish-step"}, {"type": "start-step"}]
STEPS = [
    [*words(), READY, gave(), *AGAIN, *words("y")],
    [READY, gave(preliminary=True)],
    [{**READY, **META, "title": "T", "toolMetadata": {"k": 1}}, gave(providerMetadata={"r": {}})],
    [READY, {"type": "tool-output-error", "toolCallId": "c", "errorText": "E"}],
    [{"type": "tool-input-error", "toolCallId": "c", "toolName": "f", "input": "{",
      "errorText": "bad", "dynamic": True}],
    [READY, ASKED, {**SAID, "approved": True}, gave()],
    [READY, ASKED, {**SAID, "approved": False, "reason": "no"},
     {"type": "tool-output-denied", "toolCallId": "c"}],
    [start(dynamic=True), piece("{}"), {**READY, "dynamic": True, "input": {}}],
    [start(inputEncoding="text"), piece("free"), {**READY, "input": "free"}],
    [{**READY, "providerExecuted": True}, gave(providerExecuted=True), *words(citations=[])],
    [*words("hm", "reasoning", **META), *words()],
    [{"type": "file", "url": "data:image/png;base64,aGk=", "mediaType": "image/png"},
     {"type": "source-url", "sourceId": "s", "url": "u", "title": "t"},
     {"type": "source-document", "sourceId": "s", "mediaType": "a/b", "title": "t"},
     {"type": "custom", "kind": "a.b"},
     {"type": "reasoning-file", "url": "https://e.org/a", "mediaType": "a/b"}],
    [{"type": "data-x", "data": 1}, {"type": "data-x", "data": 2},
     {"type": "data-y", "id": "1", "data": {"a": 1}}, {"type": "data-y", "id": "1", "data": 2}],
    [*words()[:2], {"type": "reset-step"}, *words("y")],
    [*words(), {"type": "finish-step"},
     {"type": "steering-message", "id": "q", "parts": [{"type": "text", "text": "s"}]},
     {"type": "start-step"}, READY],
    [{"type": "message-metadata", "messageMetadata": {"a": {"b": 1}, "l": [1]}},
     {"type": "message-metadata", "messageMetadata": {"a": {"c": 2}, "l": [2]}}],
    words()[:2],
]  # fmt: skip


def whole(chunks):
    begun = [{"type": "start", "messageId": "m"}, {"type": "start-step"}]
    return [*begun, *chunks, {"type": "finish-step"}, {"type": "finish"}]


def translated(family):
    """Our own chunks, written from another family's stream."""
    odd = ("data-", "tool-approval")
    usual = [chunk for chunk in CHUNKS if not chunk["type"].startswith(odd)]
    usual = [chunk for chunk in usual if chunk.get("toolCallId") != "c3"]
    theirs = list(tc.translate_stream(usual, family))
    return list(tc.translate_stream(theirs, "vercel", source=family))


def test_streams_are_taken_by_the_package_and_read_alike(tmp_path):
    streams = [CHUNKS, *map(whole, STEPS), *map(translated, OTHERS)]
    for chunks, (wrong, shown) in zip(streams, ran(tmp_path, READ, streams), strict=True):
        assert wrong == []
        ours = tc.write_answer(tc.accumulate(chunks, source="vercel"), "vercel").payload
        assert {"id": "", **ours} == shown


def test_the_judge_refuses_what_is_wrong(tmp_path):
    bad = [
        whole([{"type": "text-delta", "id": "9", "delta": "x"}]),
        whole([{"type": "tool-input-start", "toolCallId": "c"}]),
        whole([{"type": "what"}]),
    ]
    assert all(wrong for wrong, _ in ran(tmp_path, READ, bad))
    with pytest.raises(CutStream):
        tc.accumulate(bad[0], source="vercel")
