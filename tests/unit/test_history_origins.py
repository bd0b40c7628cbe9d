"""Findings in a conversation lead back into the input."""

import toolcanon as tc
from tests.tables import table

ASKED = {"role": "user", "content": "hello"}
CALL = {"id": "c1", "type": "function", "function": {"name": "f g", "arguments": "{}"}}
CHAT = [ASKED, {"role": "assistant", "content": "So.", "tool_calls": [CALL]}, ASKED]
USE = {"type": "tool_use", "id": "t1", "name": "f", "input": {"t1": "t1"}}
BLOCKS = [ASKED, {"role": "assistant", "content": [{"type": "text", "text": "So."}, USE]}, ASKED]
TWICE = {"functionCall": {"name": "f", "args": {}}}
SYSTEM = {"role": "system", "content": "Be brief."}
SAID = {"role": "assistant", "content": "So."}
ANSWER = {"role": "tool", "tool_call_id": "c1", "content": "hello"}
TURNS = [
    {"role": "user", "parts": [{"text": "hello"}]},
    {"role": "model", "parts": [TWICE, TWICE]},
    {"role": "user", "parts": [{"text": "hello"}]},
]


@table(
    ("payload", "target", "name", "origins"),
    [
        (CHAT, "openai", "call-without-result", ["/1/tool_calls/0"]),
        (CHAT, "openai", "call-name-illegal", ["/1/tool_calls/0/function/name"]),
        (CHAT, "anthropic", "call-without-result", ["/1/tool_calls/0"]),
        ({"messages": CHAT}, "openai", "call-without-result", ["/messages/1/tool_calls/0"]),
        (BLOCKS, "anthropic", "call-without-result", ["/1/content/1"]),
        (BLOCKS, "openai", "call-without-result", ["/1/content/1"]),
        ([ASKED, SAID], "anthropic", "ends-with-assistant", ["/1"]),
        ([SYSTEM, ASKED, SAID], "anthropic", "ends-with-assistant", ["/2"]),
        ({"messages": [SYSTEM, ASKED, SAID]}, "bedrock", "ends-with-assistant", ["/messages/2"]),
        ([ASKED, SAID, {**SAID, "content": "Or."}], "anthropic", "ends-with-assistant", ["/2"]),
        ([SYSTEM, *CHAT[:2], ANSWER, SAID], "anthropic", "ends-with-assistant", ["/4"]),
        ([SYSTEM, *CHAT], "anthropic", "call-without-result", ["/2/tool_calls/0"]),
        (
            {"contents": TURNS},
            "gemini",
            "call-without-result",
            ["/contents/1/parts/0/functionCall", "/contents/1/parts/1/functionCall"],
        ),
    ],
)
def test_origins(payload, target, name, origins):
    found = [finding for finding in tc.lint(payload, target) if finding.name == name]
    assert [str(finding.origin) for finding in found][: len(origins)] == origins
    assert found
