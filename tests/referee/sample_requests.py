"""Requests that break one rule only their own provider has, each beside one that does not."""

from functools import partial
from typing import Any

from tests.referee.sample_histories import SOME, SURE, perform

Row = tuple[str, str, bool, dict[str, Any], dict[str, Any]]


def with_message(family: str, message: Any, play: str = "ask", **more: Any) -> dict[str, Any]:
    """A play, and one more message at its end."""
    body = perform(family, play, **more)
    key = next(key for key in ("messages", "input", "contents") if key in body)
    return {**body, key: [*body[key], message]}


def said(*blocks: Any, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": list(blocks)}


def chat_call(arguments: Any, play_on: bool = True) -> dict[str, Any]:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}}
    body = with_message("openai", {"role": "assistant", "tool_calls": [call]})
    body["messages"] += perform("openai", "result:a")["messages"] if play_on else []
    return body


def item_call(**more: Any) -> dict[str, Any]:
    body = perform("openai-responses", "ask call:a result:a")
    body["input"][1].update(more)
    return body


def thinking_turn(*blocks: Any, **more: Any) -> dict[str, Any]:
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    body = with_message("anthropic", said(*blocks, use, role="assistant"), **more)
    return {**body, "messages": body["messages"] + perform("anthropic", "result:a")["messages"]}


def converse_turn(*blocks: Any, **more: Any) -> dict[str, Any]:
    use = {"toolUse": {"toolUseId": "a", "name": "f", "input": {}}}
    body = with_message("bedrock", said(*blocks, use, role="assistant"), **more)
    return {**body, "messages": body["messages"] + perform("bedrock", "result:a")["messages"]}


def result(family: str, block: Any, *before: Any) -> dict[str, Any]:
    if family == "gemini":
        parts = {"role": "user", "parts": [*before, {"functionResponse": block}]}
        return with_message(family, parts, "ask call:a")
    wrapped = {"toolResult": block} if family == "bedrock" else {"type": "tool_result", **block}
    return with_message(family, said(*before, wrapped), "ask call:a")


def with_input(family: str, value: Any) -> dict[str, Any]:
    body = perform(family, "ask call:a result:a")
    if family == "gemini":
        body["contents"][1]["parts"][0]["functionCall"]["args"] = value
    elif family == "bedrock":
        body["messages"][1]["content"][0]["toolUse"]["input"] = value
    else:
        body["messages"][1]["content"][0]["input"] = value
    return body


def with_seal(seal: str | None, play: str = "ask call:a result:a") -> dict[str, Any]:
    body = perform("gemini", play, model="models/gemini-3-pro")
    for content in body["contents"]:
        for part in content["parts"]:
            if "thoughtSignature" in part:
                part["thoughtSignature"] = seal
                if seal is None:
                    del part["thoughtSignature"]
    return body


def items(*list_: Any, **more: Any) -> dict[str, Any]:
    return perform("openai-responses", "", **{**more, "input": list(list_)})


TEXT = {"type": "text", "text": "words"}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2VhbA=="}
ASK = {"role": "user", "content": "words"}
SAY = {"role": "assistant", "content": "words"}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VhbA=="}
CONVERSE_THOUGHT = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}
ON = {"type": "enabled", "budget_tokens": 1024}
F, G = {"name": "f"}, {"name": "g"}
SCHEMA = {"type": "object"}
SPEC = {"toolSpec": {"name": "f", "inputSchema": {"json": SCHEMA}}}
IMAGE = {"type": "image", "source": {"type": "url", "url": "https://x.example/a.png"}}
MESSAGE = {"type": "message", "role": "assistant", "status": "completed",
           "content": [{"type": "output_text", "text": "w", "annotations": []}]}  # fmt: skip


def blanks(family: str, *blocks: Any, role: str = "user") -> dict[str, Any]:
    return with_message(family, said(*blocks, role=role), "ask say" if role == "user" else "ask")


def choice(family: str, value: Any, **more: Any) -> dict[str, Any]:
    if family == "gemini":
        config = {"functionCallingConfig": value}
        return perform(family, "ask", **{"toolConfig": config, **more})
    if family == "bedrock":
        return perform(family, "ask", toolConfig={"tools": [SPEC], "toolChoice": value, **more})
    return perform(family, "ask", **{"tool_choice": value, **more})


NAMED = {"type": "function", "function": F}
ALLOWED = {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", **F}]}
FIELDS = "additionalModelRequestFields"
DONE = {"tool_use_id": "a"}
UNSAID: dict[str, Any] = {"toolUseId": "a", "content": []}
REPLY = {"id": "a", **F, "response": {}}
TOOL = {"role": "tool", "tool_call_id": "a"}
SEARCH = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
REFERENCE = {"type": "item_reference", "id": "msg_1"}
NAMES = "allowedFunctionNames"
flat = partial(perform, "openai-responses")
flat_choice = partial(choice, "openai-responses")

WORDS: list[Row] = [
    ("text-before-result", "anthropic", SURE,
     with_message("anthropic", said({"type": "tool_result", **DONE}, TEXT), "ask call:a"),
     result("anthropic", DONE, TEXT)),
    ("text-before-result", "anthropic", SURE,
     result("anthropic", DONE), result("anthropic", DONE, IMAGE)),
    ("text-before-result", "bedrock", SOME,
     result("bedrock", UNSAID, {"cachePoint": {"type": "default"}}),
     result("bedrock", UNSAID, {"text": "w"})),
    ("text-beside-result", "bedrock", SOME, result("bedrock", UNSAID),
     result("bedrock", UNSAID, {"text": "w"})),
    ("text-beside-result", "gemini", SOME, result("gemini", REPLY),
     result("gemini", REPLY, {"text": "w"})),
    ("system-misplaced", "anthropic", SURE,
     with_message("anthropic", said(TEXT, role="system"), model="claude-opus-4-8"),
     with_message("anthropic", said(TEXT, role="system"), model="claude-sonnet-4-5-20250929")),
    ("empty-text", "anthropic", SURE, blanks("anthropic", TEXT),
     blanks("anthropic", TEXT, {**TEXT, "text": ""})),
    ("empty-text", "anthropic", SURE, thinking_turn({**TEXT, "text": "\n"}),
     thinking_turn({**TEXT, "text": ""})),
    ("empty-text", "anthropic", SURE, perform("anthropic", "ask"),
     perform("anthropic", "", messages=[{"role": "user", "content": " \n"}])),
    ("empty-text", "anthropic", SOME, blanks("anthropic", TEXT, IMAGE),
     blanks("anthropic", {**TEXT, "text": " "}, IMAGE)),
    ("empty-text", "anthropic", SURE, perform("anthropic", "ask", system=""),
     perform("anthropic", "ask", system="  ")),
    ("empty-text", "anthropic", SURE, perform("anthropic", "ask", system=[TEXT]),
     perform("anthropic", "ask", system=[{**TEXT, "text": ""}])),
    ("empty-text", "bedrock", SURE,
     blanks("bedrock", {"text": "w"}), blanks("bedrock", {"text": ""})),
    ("empty-text", "bedrock", SURE, result("bedrock", UNSAID),
     result("bedrock", {**UNSAID, "content": [{"text": " "}]})),
    ("empty-text", "gemini", SOME,
     with_message("gemini", {"role": "model", "parts": [{"text": "", "thoughtSignature": "YQ=="}]}),
     with_message("gemini", {"role": "model", "parts": [{"text": ""}]})),
    ("empty-message", "openai", SURE, with_message("openai", SAY),
     with_message("openai", {"role": "assistant", "content": None})),
    ("empty-message", "openai", SURE,
     with_message("openai", {"role": "assistant", "refusal": "no"}),
     with_message("openai", {**SAY, "tool_calls": []})),
    ("empty-message", "anthropic", SURE,
     blanks("anthropic", role="assistant"), blanks("anthropic")),
    ("empty-message", "gemini", SURE, perform("gemini", "ask"),
     with_message("gemini", {"role": "model", "parts": []})),
    ("empty-message", "bedrock", SURE, perform("bedrock", "ask"), blanks("bedrock")),
    ("no-messages", "openai", SURE, perform("openai", "ask"), perform("openai", "")),
    ("no-messages", "gemini", SURE, perform("gemini", "ask"), perform("gemini", "")),
    ("error-without-words", "anthropic", SURE, result("anthropic", {**DONE, "content": ""}),
     result("anthropic", {**DONE, "content": "", "is_error": True})),
    ("error-without-words", "bedrock", SURE, result("bedrock", UNSAID),
     result("bedrock", {**UNSAID, "status": "error"})),
    ("null-field", "anthropic", SURE, result("anthropic", {**DONE, "is_error": False}),
     result("anthropic", {**DONE, "is_error": None})),
    ("null-field", "anthropic", SURE, perform("anthropic", "ask"),
     perform("anthropic", "ask", tools=[{**F, "description": None, "input_schema": SCHEMA}])),
    ("result-media", "openai", SOME,
     with_message("openai", {**TOOL, "content": [TEXT]}, "ask call:a"),
     with_message("openai", {**TOOL, "content": [IMAGE]}, "ask call:a")),
    ("result-no-object", "gemini", SURE, result("gemini", REPLY),
     result("gemini", {"id": "a", **F, "response": [1]})),
    ("result-no-object", "bedrock", SURE, result("bedrock", {**UNSAID, "content": [{"json": {}}]}),
     result("bedrock", {**UNSAID, "content": [{"json": [1]}]})),
    ("result-id-differs", "gemini", SOME, result("gemini", {**F, "response": {}}),
     result("gemini", {"id": "b", **F, "response": {}})),
    ("orphan-result", "anthropic", SURE,
     with_message("anthropic", said(SEARCH, FOUND, role="assistant")),
     with_message("anthropic", said(FOUND, role="assistant"))),
]  # fmt: skip

ARGUMENTS: list[Row] = [
    *(("arguments-no-object", family, SURE, with_input(family, {"a": 1}), with_input(family, bad))
      for family in ("anthropic", "gemini", "bedrock") for bad in ([1], "{}", None)),
    *(("arguments-no-object", "openai", SOME, chat_call('{"a": 1}'), chat_call(bad))
      for bad in ("", "null", "[]", '"{}"', '{"a": ', '{"a": NaN}')),
    ("arguments-no-object", "openai-responses", SOME, item_call(), item_call(arguments="[1]")),
    ("arguments-no-text", "openai", SURE, chat_call("{}"), chat_call({})),
    ("arguments-no-text", "openai-responses", SURE, item_call(), item_call(arguments={})),
    *(("number-not-finite", family, SURE, perform(family, "ask call:a result:a", temperature=0.5),
       perform(family, "ask call:a result:a", temperature=bad))
      for family in ("openai", "openai-responses", "anthropic", "gemini", "bedrock")
      for bad in (float("inf"), float("nan"))),
    ("item-id-illegal", "openai-responses", SURE, item_call(id="fc_1"), item_call(id="call_1")),
    ("item-id-illegal", "openai-responses", SOME, items(ASK, {**MESSAGE, "id": "msg_1"}),
     items(ASK, {**MESSAGE, "id": "x_1"})),
    ("item-not-stored", "openai-responses", SOME, items(ASK, REFERENCE),
     items(ASK, REFERENCE, store=False)),
]  # fmt: skip

THOUGHTS: list[Row] = [
    ("foreign-reasoning", "anthropic", SURE, thinking_turn(THOUGHT),
     thinking_turn({**THOUGHT, "signature": "skip_thought_signature_validator"})),
    ("foreign-reasoning", "bedrock", SURE, converse_turn(CONVERSE_THOUGHT),
     converse_turn({"reasoningContent": {"reasoningText": {
         "text": "hm", "signature": "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="}}})),
    ("foreign-reasoning", "gemini", SURE, with_seal("skip_thought_signature_validator"),
     with_seal("gAAAA*")),
    ("reasoning-unsealed", "anthropic", SURE, thinking_turn(THOUGHT),
     thinking_turn({"type": "thinking", "thinking": "hm"})),
    ("reasoning-unsealed", "bedrock", SOME, converse_turn(CONVERSE_THOUGHT),
     converse_turn({"reasoningContent": {"reasoningText": {"text": "hm"}}})),
    ("reasoning-unsealed", "openai-responses", SOME, items(ASK, REASONING, SAY, store=False),
     items(ASK, {"type": "reasoning", "id": "rs_1", "summary": []}, SAY, store=False)),
    ("reasoning-alone", "openai-responses", SURE, items(ASK, REASONING, SAY, ASK),
     items(ASK, REASONING, ASK)),
    ("reasoning-alone", "openai-responses", SURE, items(ASK, REASONING, REASONING, SAY),
     items(ASK, SAY, REASONING)),
    ("summary-missing", "openai-responses", SURE, items(ASK, REASONING, SAY),
     items(ASK, {"type": "reasoning", "id": "rs_1"}, SAY)),
    ("reasoning-missing", "anthropic", SURE, thinking_turn(THOUGHT, thinking=ON),
     thinking_turn(thinking=ON)),
    ("reasoning-missing", "anthropic", SURE,
     {**thinking_turn(thinking=ON), "messages": [*thinking_turn()["messages"], ASK]},
     thinking_turn(TEXT, thinking=ON)),
    ("reasoning-missing", "anthropic", SOME, thinking_turn(thinking={"type": "disabled"}),
     thinking_turn(thinking={"type": "adaptive"})),
    ("reasoning-missing", "bedrock", SOME,
     converse_turn(CONVERSE_THOUGHT, **{FIELDS: {"thinking": ON}}),
     converse_turn(**{FIELDS: {"thinking": ON}})),
    ("reasoning-missing", "openai-responses", SOME,
     items(ASK, REASONING, {**MESSAGE, "id": "msg_1"}, model="gpt-5"),
     items(ASK, {**MESSAGE, "id": "msg_1"}, model="gpt-5")),
    ("seal-missing", "gemini", SURE, with_seal("c2VhbA=="), with_seal(None)),
    ("seal-missing", "gemini", SURE, with_seal(None, "ask call:a result:a say ask"),
     with_seal(None, "ask call:a result:a call:b result:b")),
    ("seal-missing", "gemini", SOME, {**with_seal(None), "model": "gemini-2.5-pro"},
     {**with_seal(None), "model": "latest"}),
    ("seal-missing", "openai", SOME,
     perform("openai", "ask call:a result:a", model="gemini-2.5-pro"),
     perform("openai", "ask call:a result:a", model="gemini-3-pro")),
]  # fmt: skip

REQUESTS: list[Row] = [
    ("tool-name-twice", "openai", SOME, perform("openai", "ask"),
     perform("openai", "ask", tools=[{"type": "function", "function": F}] * 2)),
    ("tool-name-twice", "openai-responses", SOME, flat("ask"),
     flat("ask", tools=[{"type": "function", **F}] * 2)),
    ("tool-name-twice", "openai-responses", SOME,
     flat("ask", tools=[
         {"type": "namespace", "name": "n", "description": "d", "tools": [
             {"type": "function", "name": "f"}]},
         {"type": "function", "name": "f", "parameters": SCHEMA, "strict": False}]),
     flat("ask", tools=[
         {"type": "namespace", "name": "n", "tools": [{"type": "function", **F}] * 2}])),
    ("tool-name-twice", "anthropic", SURE, perform("anthropic", "ask"),
     perform("anthropic", "ask", tools=[{**F, "input_schema": SCHEMA}] * 2)),
    ("tool-name-twice", "gemini", SURE, perform("gemini", "ask"),
     perform("gemini", "ask", tools=[{"functionDeclarations": [F]}] * 2)),
    ("tool-name-twice", "bedrock", SURE, perform("bedrock", "ask"),
     perform("bedrock", "ask", toolConfig={"tools": [SPEC] * 2})),
    ("tools-missing", "bedrock", SURE, perform("bedrock", "ask", toolConfig=None),
     perform("bedrock", "ask call:a result:a", toolConfig=None)),
    ("tools-missing", "anthropic", SOME, perform("anthropic", "ask", tools=None),
     perform("anthropic", "ask call:a result:a", tools=None)),
    ("choice-without-tools", "openai", SURE, choice("openai", "auto"),
     choice("openai", "auto", tools=None)),
    ("choice-without-tools", "openai", SOME, choice("openai", "none"),
     choice("openai", "none", tools=None)),
    ("choice-without-tools", "openai-responses", SURE, flat_choice("auto", tools=None),
     flat_choice("required", tools=None)),
    ("choice-without-tools", "anthropic", SOME, choice("anthropic", {"type": "auto"}),
     choice("anthropic", {"type": "auto"}, tools=None)),
    ("choice-without-tools", "gemini", SOME, choice("gemini", {"mode": "ANY"}),
     choice("gemini", {"mode": "ANY"}, tools=None)),
    ("choice-without-tools", "bedrock", SURE, choice("bedrock", {"auto": {}}),
     choice("bedrock", {"auto": {}}, tools=[])),
    ("choice-unknown", "openai", SURE, choice("openai", NAMED),
     choice("openai", {"type": "function", "function": G})),
    ("choice-unknown", "openai-responses", SURE, flat_choice(ALLOWED),
     flat_choice({**ALLOWED, "tools": [{"type": "function", **G}]})),
    ("choice-unknown", "anthropic", SURE, choice("anthropic", {"type": "tool", **F}),
     choice("anthropic", {"type": "tool", **G})),
    ("choice-unknown", "gemini", SOME, choice("gemini", {"mode": "ANY", NAMES: ["f"]}),
     choice("gemini", {"mode": "ANY", NAMES: ["g"]})),
    ("choice-unknown", "bedrock", SOME,
     choice("bedrock", {"tool": F}), choice("bedrock", {"tool": G})),
    ("forced-while-thinking", "anthropic", SURE, choice("anthropic", {"type": "auto"}, thinking=ON),
     choice("anthropic", {"type": "any"}, thinking=ON)),
    ("forced-while-thinking", "anthropic", SOME,
     choice("anthropic", {"type": "tool", **F}, thinking={"type": "disabled"}),
     choice("anthropic", {"type": "tool", **F}, thinking={"type": "adaptive"})),
    ("forced-while-thinking", "bedrock", SOME, choice("bedrock", {"any": {}}),
     {**choice("bedrock", {"any": {}}), FIELDS: {"thinking": ON}}),
]  # fmt: skip

ROWS = [*WORDS, *ARGUMENTS, *THOUGHTS, *REQUESTS]
