"""What a provider's own tools did goes along in words when a conversation changes its provider."""

import json

import pytest

import toolcanon as tc
from tests.loopback import FAMILIES
from tests.referee.bodies import sdk_faults
from tests.referee.histories import certain_faults
from toolcanon import switch

HISTORY = {"openai-responses": "input", "gemini": "contents"}
SECRET = "c2VhbGVk"  # noqa: S105 - what only its provider can read


def result(kind, content):
    return {"type": f"{kind}_tool_result", "tool_use_id": "s1", "content": content}


def used(name, given):
    return {"type": "server_tool_use", "id": "s1", "name": name, "input": given}


FETCHED = {"type": "document", "title": "Home", "source": {"type": "text", "data": "A page."}}
PDF = {"type": "document", "source": {"type": "base64", "data": SECRET}}
FOUND = {"type": "web_search_result", "title": "News", "url": "https://n.example",
         "encrypted_content": SECRET}  # fmt: skip
# Blocks of an assistant's turn, and the words that others are to read of them.
ANTHROPIC = [
    ([used("web_search", {"query": "oslo"}), result("web_search", [FOUND])],
     ["[Ran web_search: oslo]", "[Result of web_search]\nNews\nhttps://n.example"]),
    ([used("web_search", {"query": "oslo"}),
      result("web_search", {"type": "web_search_tool_result_error",
                            "error_code": "max_uses_exceeded"})],
     ["[Ran web_search: oslo]", "[Result of web_search]\nmax_uses_exceeded"]),
    ([used("bash_code_execution", {"command": "ls -l"}),
      result("bash_code_execution", {"type": "bash_code_execution_result", "stdout": "a b",
                                     "stderr": "hm", "return_code": 0, "content": []})],
     ["[Ran bash_code_execution: ls -l]", "[Result of bash_code_execution]\na b\nhm"]),
    ([used("web_fetch", {"url": "https://n.example"}),
      result("web_fetch", {"type": "web_fetch_result", "url": "https://n.example",
                           "content": FETCHED})],
     ["[Ran web_fetch: https://n.example]",
      "[Result of web_fetch]\nhttps://n.example\nHome\nA page."]),
    ([used("web_fetch", {"url": "https://n.example"}),
      result("web_fetch", {"type": "web_fetch_result", "url": "https://n.example",
                           "content": PDF})],
     ["[Ran web_fetch: https://n.example]", "[Result of web_fetch]\nhttps://n.example"]),
    ([{"type": "mcp_tool_use", "id": "m1", "name": "ask", "server_name": "wiki",
       "input": {"q": "who", "n": 2}},
      {"type": "mcp_tool_result", "tool_use_id": "m1", "is_error": False,
       "content": [{"type": "text", "text": "me"}]}],
     ['[Ran wiki.ask: {"q":"who","n":2}]', "[Result of mcp]\nme"]),
    ([used("tool_search_tool_regex", {"query": "weather"}),
      result("tool_search", {"type": "tool_search_tool_search_result", "tool_references": [
          {"type": "tool_reference", "tool_name": "get_weather"}]})],
     ["[Ran tool_search_tool_regex: weather]", "[Tools found: get_weather]"]),
    ([{"type": "compaction", "content": "They spoke of rain."}],
     ["[Summary of what was said before]\nThey spoke of rain."]),
]  # fmt: skip
RESPONSES = [
    ({"type": "mcp_call", "id": "mcp_1", "server_label": "wiki", "name": "ask",
      "arguments": '{"q":"who"}', "output": "me"},
     '[Ran wiki.ask: {"q":"who"}]\n[Result of wiki.ask]\nme'),
    ({"type": "mcp_call", "id": "mcp_1", "server_label": "wiki", "name": "ask",
      "arguments": "{}", "output": None, "error": "gone"},
     "[Ran wiki.ask: {}]\n[Result of wiki.ask]\ngone"),
    ({"type": "web_search_call", "id": "ws_1", "status": "completed",
      "action": {"type": "search", "query": "oslo"}}, "[Ran web_search: oslo]"),
    ({"type": "code_interpreter_call", "id": "ci_1", "status": "completed", "container_id": "c",
      "code": "print(1)", "outputs": [{"type": "logs", "logs": "1"}]},
     "[Ran code_interpreter: print(1)]\n[Result of code_interpreter]\n1"),
    ({"type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["rain"],
      "results": [{"file_id": "f", "filename": "a.txt", "score": 1, "text": "It rains."}]},
     "[Ran file_search: rain]\n[Result of file_search]\na.txt\nIt rains."),
    ({"type": "shell_call", "call_id": "c9", "action": {"commands": ["ls", "pwd"]}},
     "[Ran shell: ls; pwd]"),
    ({"type": "shell_call_output", "call_id": "c9", "output": [
        {"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]},
     "[Result of shell]\na"),
]  # fmt: skip
GEMINI = [
    ({"executableCode": {"language": "PYTHON", "code": "print(1)"}}, "[Ran python code: print(1)]"),
    ({"executable_code": {"language": "PYTHON", "code": "1"}}, "[Ran python code: 1]"),
    ({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}, "[Result of code]\n1"),
    ({"toolCall": {"id": "t", "toolType": "FILE_SEARCH", "args": {"queries": ["rain"]}}},
     "[Ran file_search: rain]"),
    ({"toolResponse": {"id": "t", "toolType": "FILE_SEARCH", "response": {
        "result": [{"text": "It rains.", "file_search_store": "s"}]}}},
     "[Result of file_search]\nIt rains."),
]  # fmt: skip
BEDROCK = [
    ({"toolUse": {"toolUseId": "t", "name": "nova_grounding", "type": "server_tool_use",
                  "input": {"query": "rain"}}}, "[Ran nova_grounding: rain]"),
    ({"toolResult": {"toolUseId": "t", "type": "nova_grounding_result", "content": [
        {"text": "It rains."}, {"json": {"mm": 3}}]}},
     '[Result of nova_grounding]\nIt rains.\n{"mm":3}'),
]  # fmt: skip

WEB = {"toolCallId": "s1", "toolName": "web_search", "providerExecuted": True}
SHOWN = {"type": "tool-web_search", "toolCallId": "s1", "providerExecuted": True,
         "input": {"query": "oslo"}}  # fmt: skip
VERCEL = [
    ([{"type": "tool-call", **WEB, "input": {"query": "oslo"}},
      {"type": "tool-result", **WEB, "output": {"type": "json", "value": [{"title": "News"}]}}],
     ["[Ran web_search: oslo]", '[Result of web_search]\n[{"title":"News"}]']),
    ([{"type": "tool-call", **WEB, "input": {}},
      {"type": "tool-result", **WEB, "output": {"type": "content", "value": [
          {"type": "text", "text": "News"}, {"type": "media", "data": SECRET}]}}],
     ["[Ran web_search]", "[Result of web_search]\nNews"]),
    ([{**SHOWN, "state": "output-available", "output": "News"}],
     ["[Ran web_search: oslo]\n[Result of web_search]\nNews"]),
    ([{**SHOWN, "state": "output-error", "errorText": "No net."}],
     ["[Ran web_search: oslo]\n[Result of web_search]\nNo net."]),
]  # fmt: skip


def histories():
    for parts, words in VERCEL:
        key = "content" if "toolName" in parts[0] else "parts"
        made = [
            {"role": role, key: given}
            for role, given in (
                ("user", [{"type": "text", "text": "Go."}]),
                ("assistant", parts),
                ("user", [{"type": "text", "text": "On."}]),
            )
        ]
        yield "vercel", made, words
    for blocks, words in ANTHROPIC:
        said = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": blocks}]
        yield "anthropic", [*said, {"role": "user", "content": "On."}], words
    for item, words in RESPONSES:
        asked = {"role": "user", "content": "Go."}
        yield "openai-responses", [asked, item, {"role": "user", "content": "On."}], [words]
    for part, words in GEMINI:
        made = [
            {"role": role, "parts": [one]}
            for role, one in (("user", {"text": "Go."}), ("model", part), ("user", {"text": "On."}))
        ]
        yield "gemini", made, [words]
    for block, words in BEDROCK:
        made = [
            {"role": role, "content": [one]}
            for role, one in (
                ("user", {"text": "Go."}),
                ("assistant", block),
                ("user", {"text": "On."}),
            )
        ]
        yield "bedrock", made, [words]


@pytest.mark.parametrize("family", FAMILIES)
def test_what_server_tools_and_connectors_did_goes_along_in_words(family):
    for source, history, words in histories():
        done = switch({HISTORY.get(source, "messages"): history}, family, source=source)
        messages = done.payload[HISTORY.get(family, "messages")]
        if source == family:
            assert messages == history
            assert not [loss for loss in done.losses if loss.code in {"L307", "L333"}]
            continue
        read = tc.read_conversation(done.payload, source=family).messages
        texts = [part.text for one in read for part in one.parts if isinstance(part, tc.Text)]
        assert texts == ["Go.", *words, "On."], source
        told = [loss for loss in done.losses if loss.code in {"L307", "L333"}]
        assert [(loss.code, loss.after) for loss in told] == [("L333", word) for word in words]
        assert all(str(loss.at).startswith("/messages/1/parts/") for loss in told)
        assert SECRET not in json.dumps(messages)
        assert sdk_faults(family, messages) == []
        assert certain_faults(family, done.payload, model="m") == []


def test_what_has_no_words_is_reported_as_left_out():
    upload = {"type": "container_upload", "file_id": "f1"}
    said = [{"role": "user", "content": [upload, {"type": "text", "text": "Read it."}]}]
    done = switch(said, "gemini", source="anthropic")
    assert done.payload == [{"role": "user", "parts": [{"text": "Read it."}]}]
    assert [loss.code for loss in done.losses] == ["L307"]
    hidden = {"type": "code_execution_tool_result", "tool_use_id": "s1",
              "content": {"type": "encrypted_code_execution_result", "encrypted_stdout": SECRET,
                          "stderr": "", "return_code": 0, "content": []}}  # fmt: skip
    blocks = [used("code_execution", {"code": "1"}), hidden, {"type": "text", "text": "One."}]
    said = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": blocks}]
    done = switch(said, "openai", source="anthropic")
    assert [loss.code for loss in done.losses] == ["L333", "L307"]
    assert SECRET not in json.dumps(done.payload)


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "anthropic"])
def test_a_result_that_refers_to_tools_names_them_as_the_target_does(family):
    tools = [
        {"name": name, "description": "d", "input_schema": {"type": "object"}}
        for name in ("find", "x" * 70)
    ]
    call = {"type": "tool_use", "id": "t1", "name": "find", "input": {}}
    found = {"type": "tool_result", "tool_use_id": "t1", "content": [
        {"type": "tool_reference", "tool_name": "x" * 70}]}  # fmt: skip
    body = {"tools": tools, "messages": [
        {"role": "user", "content": "Go."}, {"role": "assistant", "content": [call]},
        {"role": "user", "content": [found]}]}  # fmt: skip
    done = switch(body, family, source="anthropic")
    name = done.binding.names["x" * 70]
    (answer,) = [
        one for each in tc.read_conversation(done.payload, source=family) for one in each.results
    ]
    assert [part.text for part in answer.content] == [f"[Tools found: {name}]"]
    (loss,) = [loss for loss in done.losses if loss.code == "L333"]
    assert str(loss.at) == "/messages/2/parts/0/content/0"
    assert certain_faults(family, done.payload, model="m") == []
