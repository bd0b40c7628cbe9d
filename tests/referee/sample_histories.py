"""Histories that break one rule, each with one beside it that does not.

Most are little plays, written in words and performed on the wire of each family:
`ask` the user speaks, `say` the assistant does, `call:a,b` calls with these ids at once (`a=f`
names the tool), `result:a,b` their results as the provider wants them, `apart:a,b` each in its own
turn.
"""

import copy
from typing import Any


def _named(spec: str) -> list[tuple[str, str]]:
    pairs = [each.partition("=") for each in spec.split(",")]
    return [(id_, name or "f") for id_, _, name in pairs]


def _chat(word: str, spec: str) -> list[dict[str, Any]]:
    match word:
        case "call":
            calls = [
                {"id": id_, "type": "function", "function": {"name": name, "arguments": "{}"}}
                for id_, name in _named(spec)
            ]
            return [{"role": "assistant", "content": None, "tool_calls": calls}]
        case "result" | "apart":
            return [
                {"role": "tool", "tool_call_id": id_, "content": "r"} for id_, _ in _named(spec)
            ]
    return [{"role": "user" if word == "ask" else "assistant", "content": "words"}]


def _responses(word: str, spec: str) -> list[dict[str, Any]]:
    match word:
        case "call":
            return [
                {"type": "function_call", "call_id": id_, "name": name, "arguments": "{}"}
                for id_, name in _named(spec)
            ]
        case "result" | "apart":
            return [
                {"type": "function_call_output", "call_id": id_, "output": "r"}
                for id_, _ in _named(spec)
            ]
    return _chat(word, spec)


def _claude(word: str, spec: str) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"type": "text", "text": "words"}]
    match word:
        case "call":
            said = [
                {"type": "tool_use", "id": id_, "name": name, "input": {}}
                for id_, name in _named(spec)
            ]
        case "result" | "apart":
            said = [
                {"type": "tool_result", "tool_use_id": id_, "content": "r"}
                for id_, _ in _named(spec)
            ]
    role = "assistant" if word in {"say", "call"} else "user"
    return [{"role": role, "content": part} for part in _portions(word, said)]


def _portions(word: str, said: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    return [[part] for part in said] if word == "apart" else [said]


def _gemini(word: str, spec: str) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"text": "words"}]
    match word:
        case "call":
            said = [
                {"functionCall": {"id": id_, "name": name, "args": {}}}
                for id_, name in _named(spec)
            ]
            said[0]["thoughtSignature"] = "c2VhbA=="
        case "result" | "apart":
            said = [
                {"functionResponse": {"id": id_, "name": name, "response": {"output": 1}}}
                for id_, name in _named(spec)
            ]
    role = "model" if word in {"say", "call"} else "user"
    return [{"role": role, "parts": part} for part in _portions(word, said)]


def _converse(word: str, spec: str) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"text": "words"}]
    match word:
        case "call":
            said = [
                {"toolUse": {"toolUseId": id_, "name": name, "input": {}}}
                for id_, name in _named(spec)
            ]
        case "result" | "apart":
            said = [
                {"toolResult": {"toolUseId": id_, "content": [{"text": "r"}]}}
                for id_, _ in _named(spec)
            ]
    role = "assistant" if word in {"say", "call"} else "user"
    return [{"role": role, "content": part} for part in _portions(word, said)]


def _sdk(word: str, spec: str) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = [{"type": "text", "text": "words"}]
    match word:
        case "call":
            said = [
                {"type": "tool-call", "toolCallId": id_, "toolName": name, "input": {}}
                for id_, name in _named(spec)
            ]
        case "result" | "apart":
            output = {"type": "text", "value": "r"}
            said = [
                {"type": "tool-result", "toolCallId": id_, "toolName": name, "output": output}
                for id_, name in _named(spec)
            ]
    role = {"ask": "user", "result": "tool", "apart": "tool"}.get(word, "assistant")
    return [{"role": role, "content": part} for part in _portions(word, said)]


_SCHEMA = {"type": "object", "properties": {}}
_REQUESTS: dict[str, dict[str, Any]] = {
    "openai": {
        "model": "m",
        "tools": [{"type": "function", "function": {"name": "f", "parameters": _SCHEMA}}],
    },
    "openai-responses": {
        "model": "m",
        "tools": [{"type": "function", "name": "f", "parameters": _SCHEMA, "strict": False}],
    },
    "anthropic": {
        "model": "m",
        "max_tokens": 9,
        "tools": [{"name": "f", "input_schema": _SCHEMA}],
    },
    "gemini": {"tools": [{"functionDeclarations": [{"name": "f"}]}]},
    "bedrock": {
        "toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": _SCHEMA}}}]}
    },
    "vercel": {"model": "m", "tools": {"f": {"inputSchema": _SCHEMA}}},
}
_ACTORS = {
    "openai": ("messages", _chat),
    "openai-responses": ("input", _responses),
    "anthropic": ("messages", _claude),
    "gemini": ("contents", _gemini),
    "bedrock": ("messages", _converse),
    "vercel": ("messages", _sdk),
}


def perform(family: str, play: str, **more: Any) -> dict[str, Any]:
    """A whole request; a member that is given as None is left out."""
    key, actor = _ACTORS[family]
    steps = [step.partition(":") for step in play.split()]
    messages = [message for word, _, spec in steps for message in actor(word, spec)]
    whole = {**copy.deepcopy(_REQUESTS[family]), key: messages, **more}
    return {key: value for key, value in whole.items() if value is not None}


SURE, SOME = True, False
EVERYONE = dict.fromkeys(_ACTORS, SURE)
# The AI SDK passes on what it does not look at: the model's provider may refuse it.
SERVICES = {**EVERYONE, "vercel": SOME}
NEIGHBOURS = {family: SURE for family in _ACTORS if family != "openai-responses"}
LONG, LONGER = "x" * 41, "x" * 65

# rule, the families that refuse (surely or some models), a play that is fine, one that is not
PLAYS: list[tuple[str, dict[str, bool], str, str]] = [
    ("call-without-result", EVERYONE, "ask call:a result:a", "ask call:a ask"),
    ("call-without-result", EVERYONE, "ask call:a,b result:b,a", "ask call:a,b result:a"),
    ("call-without-result", EVERYONE, "ask call:a result:a say ask", "ask call:a say ask"),
    ("call-without-result", {**EVERYONE, "gemini": SOME}, "ask call:a result:a", "ask call:a"),
    ("orphan-result", SERVICES, "ask call:a result:a", "ask say result:a"),
    ("orphan-result", SERVICES, "ask call:a result:a", "result:a say ask"),
    (
        "orphan-result",
        {**SERVICES, "gemini": SOME},
        "ask call:a=f result:a=f",
        "ask call:a=f result:b=g",
    ),
    ("result-too-late", NEIGHBOURS, "ask call:a result:a", "ask call:a ask say result:a"),
    (
        "result-too-late",
        {**NEIGHBOURS, "vercel": SOME},
        "ask call:a,b result:a,b",
        "ask call:a,b result:a say result:b",
    ),
    (
        "result-too-late",
        {"openai": SURE, "anthropic": SURE, "bedrock": SOME, "gemini": SURE, "vercel": SURE},
        "ask call:a result:a",
        "ask call:a ask result:a",
    ),
    ("result-too-late", {"gemini": SURE}, "ask call:a,b result:a,b", "ask call:a,b apart:a,b"),
    ("result-too-late", {"openai": SURE}, "ask call:a result:a", "ask call:a say result:a"),
    (
        "call-id-twice",
        {**dict.fromkeys(_ACTORS, SOME), "anthropic": SURE, "bedrock": SURE},
        "ask call:a,b result:a,b",
        "ask call:a,a result:a,a",
    ),
    (
        "call-id-twice",
        {"anthropic": SURE, "bedrock": SOME, "openai-responses": SOME},
        "ask call:a result:a call:b result:b",
        "ask call:a result:a call:a result:a",
    ),
    (
        "two-results",
        {**SERVICES, "openai": SOME, "openai-responses": SOME},
        "ask call:a result:a",
        "ask call:a result:a,a",
    ),
    (
        "two-results",
        {**SERVICES, "openai-responses": SOME},
        "ask call:a result:a say ask",
        "ask call:a result:a say result:a",
    ),
    (
        "call-id-illegal",
        {"anthropic": SURE, "bedrock": SURE, "openai": SOME, "openai-responses": SOME},
        "ask call:a_1-B result:a_1-B",
        "ask call:a|b result:a|b",
    ),
    (
        "call-id-illegal",
        {"anthropic": SURE, "bedrock": SOME, "openai": SOME, "openai-responses": SOME},
        "ask call:ab result:ab",
        "ask call:a.b result:a.b",
    ),
    (
        "call-id-illegal",
        {"openai": SURE, "openai-responses": SURE, "bedrock": SURE},
        "ask call:a result:a",
        f"ask call:{LONGER} result:{LONGER}",
    ),
    (
        "call-id-illegal",
        {"openai": SOME},
        "ask call:a result:a",
        f"ask call:{LONG} result:{LONG}",
    ),
    (
        "call-id-illegal",
        {"openai": SOME, "openai-responses": SURE, "anthropic": SURE, "bedrock": SURE},
        "ask call:a result:a",
        "ask call:=f result:=f",
    ),
    (
        "call-name-illegal",
        {family: SURE for family in _ACTORS if family not in {"gemini", "vercel"}},
        "ask call:a=f-1 result:a=f-1",
        "ask call:a=f.1 result:a=f.1",
    ),
    (
        "call-name-illegal",
        {"gemini": SURE},
        "ask call:a=f.1 result:a=f.1",
        "ask call:a=1 result:a=1",
    ),
    (
        "call-name-illegal",
        {
            "openai": SURE,
            "openai-responses": SOME,
            "anthropic": SOME,
            "gemini": SOME,
            "bedrock": SURE,
        },
        "ask call:a result:a",
        f"ask call:a={LONGER} result:a={LONGER}",
    ),
    (
        "first-not-user",
        {"bedrock": SURE, "anthropic": SOME, "gemini": SOME},
        "ask say ask",
        "say ask",
    ),
    (
        "first-not-user",
        {"bedrock": SURE, "anthropic": SOME, "gemini": SURE},
        "ask call:a result:a",
        "call:a result:a",
    ),
    ("same-role-twice", {"bedrock": SURE}, "ask say ask", "ask ask"),
    (
        "same-role-twice",
        {"bedrock": SURE, "gemini": SOME},
        "ask call:a result:a",
        "ask say call:a result:a",
    ),
    ("ends-with-assistant", {"anthropic": SOME, "bedrock": SOME}, "ask say ask", "ask say"),
]
