"""The npm package ``ai`` judges conversations: its types by tsc, its code by node.

Every conversation goes there in both layouts. The package's own schemas take the messages, its own
conversion of UI messages finds the same calls and results as ours, and ``generateText`` hands all
of it to a model, which it refuses to do for a call without a result.
"""

import json
import subprocess

import pytest

import toolcanon as tc
from tests.corpus.test_conversations import LABELS, requests
from tests.oracle.test_ai_sdk import COMPILER, INSTALLED, OPTIONS, pytestmark  # noqa: F401
from tests.referee.histories import certain_faults
from tests.referee.sample_histories import PLAYS, perform
from tests.referee.sample_sdk import ROWS
from tests.unit.test_vercel_older import HISTORIES

JUDGE = """
import { convertToModelMessages, generateText, jsonSchema, modelMessageSchema,
  safeValidateUIMessages, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { readFileSync } from "node:fs";

globalThis.AI_SDK_LOG_WARNINGS = false;
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finishReason = { unified: "stop", raw: undefined };
const model = new MockLanguageModelV4({
  supportedUrls: { "*/*": [/.*/], "*": [/.*/] },
  doGenerate: async () => ({
    content: [{ type: "text", text: "ok" }], finishReason, usage, warnings: [],
  }),
});
const tools = { f: tool({ inputSchema: jsonSchema({ type: "object" }), execute: () => 1 }) };
const pairs = messages => JSON.stringify(messages
  .flatMap(message => Array.isArray(message.content) ? message.content : [])
  .filter(part => part.type === "tool-call" || part.type === "tool-result")
  .map(part => [part.type, part.toolCallId, part.toolName]));
const said = [];
for (const row of JSON.parse(readFileSync("rows.json", "utf8"))) {
  const wrong = [];
  for (const message of row.model ?? []) {
    const parsed = modelMessageSchema.safeParse(message);
    if (!parsed.success) wrong.push("schema: " + JSON.stringify(message).slice(0, 200));
  }
  try {
    if (row.ui?.length) {
      const checked = await safeValidateUIMessages({ messages: row.ui });
      if (!checked.success) wrong.push("ui: " + String(checked.error).slice(-200));
      const made = await convertToModelMessages(row.ui);
      if (row.model && pairs(made) !== pairs(row.model)) wrong.push("pairs: " + pairs(made));
      if (row.asks) row.model = made;
    }
    if (row.model?.length || row.asks) {
      await generateText({
        model, messages: row.model, tools, instructions: row.instructions ?? undefined,
        maxRetries: 0, allowSystemInMessages: row.system ?? false,
      });
    }
  } catch (error) {
    wrong.push(error.name + ": " + String(error.message).slice(0, 200));
  }
  said.push(wrong);
}
console.log(JSON.stringify(said));
"""
HEAD = 'import type { ModelMessage, UIMessage } from "ai";\n'


def judged(folder, rows):
    """What the package reports for each row."""
    (folder / "node_modules").symlink_to(INSTALLED)
    (folder / "rows.json").write_text(json.dumps(rows), "utf-8")
    (folder / "judge.mjs").write_text(JUDGE, "utf-8")
    done = subprocess.run(
        ["node", "judge.mjs"], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def typed(folder, rows):
    """The lines that the compiler prints, by one run for all rows."""
    (folder / "node_modules").symlink_to(INSTALLED)
    lines = [HEAD]
    for number, row in enumerate(rows):
        lines += [
            f"const {kind}{number}: {name}[] = {json.dumps(row[kind])};"
            for kind, name in (("model", "ModelMessage"), ("ui", "UIMessage"))
            if kind in row
        ]
    (folder / "rows.mts").write_text("\n".join([*lines, "export {};\n"]), "utf-8")
    command = [COMPILER, *OPTIONS.split(), "--types", "", "rows.mts"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    return [line for line in done.stdout.splitlines() if not line.startswith(" ")]


def written(body, **known):
    there, page = tc.switch(body, "vercel", **known), tc.switch(body, "vercel/ui", **known)
    return {
        "model": there.payload["messages"],
        "ui": page.payload["messages"],
        "instructions": there.payload.get("instructions"),
    }


@pytest.fixture(scope="module")
def corpus():
    found = [(where, written(body)) for label in LABELS for where, body, _ in requests(label)]
    assert len(found) > 300
    return [(where, row) for where, row in found if row["model"]]


@pytest.mark.corpus
def test_every_conversation_is_taken_by_the_package(tmp_path, corpus):
    said = judged(tmp_path, [row for _, row in corpus])
    wrong = [(where, words) for (where, _), words in zip(corpus, said, strict=True) if words]
    assert not wrong, wrong[:3]


@pytest.mark.corpus
def test_every_conversation_is_of_its_types(tmp_path, corpus):
    assert typed(tmp_path, [row for _, row in corpus][::4]) == []


def test_older_histories_become_messages_of_today(tmp_path):
    (tmp_path / "code").mkdir()
    (tmp_path / "types").mkdir()
    rows = [
        {layout: tc.switch(history, f"vercel/{layout}").payload for layout in ("model", "ui")}
        for history in HISTORIES
    ]
    assert judged(tmp_path / "code", rows) == [[] for _ in rows]
    assert typed(tmp_path / "types", rows) == []


CALL = {"type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {}}
RESULT = {"type": "tool-result", "toolCallId": "a", "toolName": "f"}
ASKED = [{"role": "user", "content": "go"}, {"role": "assistant", "content": [CALL]}]


def answered(output):
    return [*ASKED, {"role": "tool", "content": [{**RESULT, "output": output}]}]


def shown(**part):
    parts = [{"type": "tool-f", "toolCallId": "a", "input": {}, **part}]
    return [{"id": "1", "role": "assistant", "parts": parts}]


RIGHT = [
    {"model": answered({"type": "text", "value": "t"})},
    {"model": answered({"type": "execution-denied", "reason": "no"})},
    {"ui": shown(state="output-available", output=1)},
]
WRONG = [
    {"model": ASKED},
    {"model": [*answered({"type": "text", "value": "t"})[:2], ASKED[0]]},
    {"model": answered({"type": "text", "value": 1})},
    {"model": answered({"type": "words", "value": "t"})},
    {"model": [{"role": "developer", "content": "x"}]},
    {"model": [{"role": "system", "content": "x"}, ASKED[0]]},
    {"ui": shown(state="output-error")},
    {"ui": [{"role": "user", "parts": [{"type": "text", "text": "x"}]}]},
]
TYPED = [2, 3, 4, 6, 7]
"""Those that are not of their types either."""


def test_the_judges_refuse_what_is_wrong(tmp_path):
    (tmp_path / "code").mkdir()
    (tmp_path / "types").mkdir()
    said = judged(tmp_path / "code", [*RIGHT, *WRONG])
    assert [bool(words) for words in said] == [False] * len(RIGHT) + [True] * len(WRONG)
    told = "\n".join(typed(tmp_path / "types", [*RIGHT, *WRONG]))
    lines = {int(line.split("(")[1].split(",")[0]) - 3 for line in told.splitlines()}
    assert lines == {len(RIGHT) + number for number in TYPED}


def test_the_package_refuses_what_the_referee_is_certain_of(tmp_path):
    """And nothing else of the samples."""
    bodies = [
        body
        for rule, refusers, good, bad in PLAYS
        for body in (perform("vercel", good), perform("vercel", bad))
        if "vercel" in refusers
    ]
    unseen = {"number-not-finite", "empty-message"}  # JSON cannot say it, or nobody looks
    bodies += [body for rule, *_, good, bad in ROWS if rule not in unseen for body in (good, bad)]
    asked = [body for body in bodies if "approval-requested" in json.dumps(body)]
    bodies += [{"messages": [*body["messages"], body["messages"][0]]} for body in asked]
    said = judged(tmp_path, [_asked_with(body) for body in bodies])
    for body, words in zip(bodies, said, strict=True):
        assert bool(words) == bool(certain_faults("vercel", body)), (body, words)


def _asked_with(body):
    key = "ui" if any("parts" in message for message in body["messages"]) else "model"
    return {key: body["messages"], "system": body.get("allowSystemInMessages"), "asks": True}


DENIED = {"id": "ap", "approved": False, "reason": "not today"}
ASKS = {"id": "ap", "isAutomatic": True, "requestReason": "q", "signature": "s"}
META = {"providerMetadata": {"x": {"y": 1}}}
CALLED = {"callProviderMetadata": {"x": {"y": 1}}}
HOSTED = {"providerExecuted": True}
DONE = {"state": "output-available"}
STEP = {"type": "step-start"}
AT = {"url": "https://e.org/a.png", "mediaType": "image/png"}
INLINE = {"url": "data:application/pdf;base64,aGk=", "mediaType": "application/pdf"}
STEERED = [{"type": "text", "text": "s"}, {"type": "file", **AT}]


def words(text="words", **more):
    return {"type": "text", "text": text, **more}


def tool(name="c", **more):
    return {**shown(**more)[0]["parts"][0], "toolCallId": name}


def dynamic(**more):
    return {**tool(**more), "type": "dynamic-tool", "toolName": "g"}


# The parts of an answer; the package makes the same model messages of each.
ANSWERS = [
    [words(**META), words("two", state="done")],
    [{"type": "file", "filename": "n", **AT, **META}, {"type": "file", **INLINE}],
    [{"type": "file", **AT, "providerReference": {"openai": "f1"}}],
    [{"type": "reasoning", "text": "hm", **META}, {"type": "reasoning", "text": "", "id": "r"}],
    [{"type": "reasoning-file", **AT, **META}, {"type": "custom", "kind": "a.b", **META}],
    [words(), {"type": "source-url", "sourceId": "s", "url": "u"}, {"type": "data-x", "data": 1}],
    [STEP, words(), tool(**DONE, output="4"), tool("d", **DONE, output={"x": [1]}), STEP, words()],
    [tool(**DONE, output=None), words("after")],
    [tool(**DONE, output=1, **CALLED, resultProviderMetadata={"z": {}}, preliminary=True)],
    [dynamic(**DONE, output=[1], title="T", toolMetadata={"k": 1})],
    [tool(state="output-error", errorText="no file", **CALLED)],
    [tool(state="output-error", errorText="no JSON", input=None, rawInput='{"a":')],
    [tool(**DONE, output="x", approval={"id": "ap", "approved": True, "reason": "ok"})],
    [tool(state="approval-responded", approval={"id": "ap", "approved": True})],
    [tool(state="approval-responded", approval=DENIED)],
    [tool(state="approval-requested", approval=ASKS)],
    [tool(**DONE, output={"r": 1}, **HOSTED, **CALLED), words()],
    [tool(state="output-error", errorText="E", **HOSTED), dynamic(**DONE, output="s", **HOSTED)],
    [tool(state="input-available", **HOSTED)],
    [words(), {"type": "steering-message", "parts": STEERED}, words("two")],
    [],
]
USER = [words(**META), {"type": "file", **INLINE, **META}, {"type": "data-x", "data": 1}]
SYSTEM = [words("be "), words("brief", **META)]


def ran(folder, script, value):
    """What a script prints of a value."""
    (folder / "node_modules").symlink_to(INSTALLED)
    (folder / "value.json").write_text(json.dumps(value), "utf-8")
    (folder / "script.mjs").write_text(script, "utf-8")
    done = subprocess.run(
        ["node", "script.mjs"], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


CONVERT = """
import { convertToModelMessages } from "ai";
import { readFileSync } from "node:fs";
const made = [];
for (const page of JSON.parse(readFileSync("value.json", "utf8"))) {
  made.push(await convertToModelMessages(page));
}
console.log(JSON.stringify(made));
"""


def test_pages_become_the_model_messages_that_the_package_makes(tmp_path):
    asked = {"id": "1", "role": "user", "parts": [words("go")]}
    pages = [[asked, {"id": "2", "role": "assistant", "parts": parts}] for parts in ANSWERS]
    pages += [[{"id": "1", "role": "user", "parts": USER}]]
    pages += [[{"id": "0", "role": "system", "parts": SYSTEM}, asked]]
    made = ran(tmp_path, CONVERT, pages)
    for page, theirs in zip(pages, made, strict=True):
        assert plain(tc.switch(page, "vercel/model").payload) == plain(theirs)


def test_a_denial_stays_one(tmp_path):
    """The package reports it as an error once it is over; the text is the same."""
    page = [
        {"id": "2", "role": "assistant", "parts": [tool(state="output-denied", approval=DENIED)]}
    ]
    (theirs,) = ran(tmp_path, CONVERT, [page])
    ours = tc.switch(page, "vercel/model").payload
    said, told = ours[1]["content"][1]["output"], theirs[1]["content"][1]["output"]
    assert (said, told) == (
        {"type": "execution-denied", "reason": "not today"},
        {"type": "error-text", "value": "not today"},
    )


def plain(messages):
    """Content as a list, and files in one of the spellings that mean the same."""
    found = []
    for message in messages:
        content = message["content"]
        parts = [words(content)] if isinstance(content, str) else content
        found.append({**message, "content": [_plain(part) for part in parts]})
    return found


def _plain(part):
    match part:
        case {"data": {"type": "url", "url": url}}:
            return _plain({**part, "data": url})
        case {"data": str() as data} if data.startswith("data:"):
            return {**part, "data": data.partition(",")[2]}
    return part
