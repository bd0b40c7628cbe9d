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

JUDGE = """
import { convertToModelMessages, generateText, modelMessageSchema, safeValidateUIMessages }
  from "ai";
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
    }
    if (row.model?.length) {
      await generateText({
        model, messages: row.model, instructions: row.instructions ?? undefined, maxRetries: 0,
        allowSystemInMessages: row.system ?? false,
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
    """What the package says of each row."""
    (folder / "node_modules").symlink_to(INSTALLED)
    (folder / "rows.json").write_text(json.dumps(rows), "utf-8")
    (folder / "judge.mjs").write_text(JUDGE, "utf-8")
    done = subprocess.run(
        ["node", "judge.mjs"], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def typed(folder, rows):
    """The lines of what the compiler says, by one run for all rows."""
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


DENIED = {"id": "x", "approved": False, "reason": "not today"}
PAGE = [
    {"id": "1", "role": "user", "parts": [{"type": "text", "text": "go"}]},
    {
        "id": "2",
        "role": "assistant",
        "parts": [
            {"type": "step-start"},
            {"type": "text", "text": "I will.", "state": "done"},
            *(
                {**shown(**more)[0]["parts"][0], "toolCallId": name}
                for name, more in (
                    ("text", {"state": "output-available", "output": "4"}),
                    ("value", {"state": "output-available", "output": {"x": [1]}}),
                    ("error", {"state": "output-error", "errorText": "no file"}),
                    ("denied", {"state": "output-denied", "approval": DENIED}),
                    ("refused", {"state": "approval-responded", "approval": DENIED}),
                )
            ),
            {"type": "step-start"},
            {"type": "text", "text": "Done."},
        ],
    },
]


def test_pages_become_the_model_messages_that_the_package_makes(tmp_path):
    """Denials apart, which the package tells as errors once they are over."""
    ours = tc.switch(PAGE, "vercel/model").payload
    (tmp_path / "node_modules").symlink_to(INSTALLED)
    (tmp_path / "page.json").write_text(json.dumps(PAGE), "utf-8")
    (tmp_path / "convert.mjs").write_text(
        'import { convertToModelMessages } from "ai";\n'
        'import { readFileSync } from "node:fs";\n'
        'const page = JSON.parse(readFileSync("page.json", "utf8"));\n'
        "console.log(JSON.stringify(await convertToModelMessages(page)));\n",
        "utf-8",
    )
    done = subprocess.run(
        ["node", "convert.mjs"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    theirs = json.loads(done.stdout)

    def plain(messages):
        found = []
        for message in messages:
            content = message["content"]
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
            found.append((message["role"], sorted(map(_plain, parts))))
        return found

    assert plain(ours) == plain(theirs)


def _plain(part):
    output = part.get("output")
    if output is not None and output["type"] == "execution-denied":
        part = {**part, "output": {"type": "error-text", "value": output["reason"]}}
    return json.dumps(part, sort_keys=True)
