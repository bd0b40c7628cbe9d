"""generateContent: odd shapes stay what they are, histories of others become what it accepts."""

import copy
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolcanon as tc
from tests.tables import table
from toolcanon.errors import CutStream, NotAConversation
from toolcanon.formats.gemini.messages import CODEC
from toolcanon.formats.gemini.stream import parse
from toolcanon.formats.wire.codec import NOT_JSON, NOT_OBJECT, WriteLog
from toolcanon.ir.conversation import (
    Answer,
    Call,
    Candidate,
    Conversation,
    Data,
    Media,
    Message,
    Native,
    Reasoning,
    Refusal,
    Result,
    Stop,
    Text,
    ToolChoice,
)


def user(*parts):
    return {"role": "user", "parts": list(parts)}


def model(*parts):
    return {"role": "model", "parts": list(parts)}


def call(**said):
    return {"functionCall": {"name": "f", **said}}


def answer(response=None, **said):
    body = {"name": "f", **said}
    return {"functionResponse": body if response is None else {**body, "response": response}}


PARTS = [
    {"text": "a"},
    {"text": ""},
    {"text": "a", "thoughtSignature": "c2ln"},
    {"text": "a", "thought": False},
    {"text": "a", "thought": True},
    {"text": "a", "thought": True, "thoughtSignature": "c2ln", "partMetadata": {"k": 1}},
    {"text": "a", "thought": True, "thought_signature": "c2ln"},
    {"thought": True, "thoughtSignature": "c2ln"},
    {"thought": True, "text": None, "thoughtSignature": None},
    {"thoughtSignature": "c2ln"},
    {"text": None, "functionCall": {"name": "f", "args": {}}},
    {"text": "a", "functionCall": {"name": "f", "args": {}}},
    {"functionCall": {"name": "f", "args": {}}, "function_call": {"name": "f", "args": {}}},
    call(args={"a": [1]}),
    call(args={}, id="c1"),
    call(args={}, id=None),
    call(args={}, id=5),
    call(),
    call(args=None),
    call(args=[1]),
    call(args="x"),
    call(args={}, willContinue=True),
    call(args={}, extra=1),
    {**call(args={}), "thoughtSignature": "c2ln"},
    {**call(args={}), "thought": True},
    {"function_call": {"name": "f", "args": {}}, "thought_signature": "c2ln"},
    {"functionCall": {"args": {}}},
    {"functionCall": {}},
    {"functionCall": None},
    {"functionCall": [1]},
    {"functionCall": {"name": "f", "$": 1}},
    answer({}),
    answer({"output": "15"}),
    answer({"output": 15}),
    answer({"output": None}),
    answer({"output": {"a": 1}}),
    answer({"output": {"error": "x"}}),
    answer({"output": {}}),
    answer({"error": "x"}),
    answer({"error": ""}),
    answer({"error": None}),
    answer({"error": False}),
    answer({"error": {"code": 1}}),
    answer({"error": "x", "output": 1}),
    answer({"output": 1, "more": 2}),
    answer({"error": None, "data": 1}),
    answer({"result": []}),
    answer({"ok": False, "error": "e"}),
    answer({"$ref": "#/a"}),
    answer({"a": 1}, id="c1"),
    answer({"a": 1}, id=None),
    answer({"a": 1}, id=7),
    answer({"a": 1}, name=None),
    answer({"a": 1}, willContinue=True, scheduling="SILENT"),
    answer({"a": 1}, parts=[]),
    answer({"a": 1}, parts=None),
    answer({}, parts=[{"inlineData": {"mimeType": "image/png", "data": "AA=="}}]),
    answer({"a": 1}, parts=[{"inline_data": {"mime_type": "image/png", "data": "AA=="}}]),
    answer({}, parts=[{"fileData": {"fileUri": "gs://b/f", "mimeType": "application/pdf"}}]),
    answer({}, parts=[{"other": 1}, None, 3]),
    answer(),
    {"functionResponse": {"name": "f", "response": None}},
    {"functionResponse": {"name": "f", "response": "text"}},
    {"functionResponse": {"name": "f", "response": [1]}},
    {"functionResponse": {"response": {"a": 1}}},
    {"function_response": {"name": "f", "response": {"a": 1}}},
    {"functionResponse": "x"},
    {**answer({"a": 1}), "partMetadata": {"k": 1}},
    {"inlineData": {"mimeType": "image/png", "data": "AA=="}},
    {"inlineData": {"mimeType": "image/png", "data": "AA==", "displayName": "n"}},
    {"inlineData": {"data": "AA=="}},
    {"inlineData": {"mimeType": "image/png"}},
    {"inlineData": {"mimeType": 1, "data": "AA=="}},
    {"inlineData": {"mimeType": "a/b", "mime_type": "c/d", "data": "AA=="}},
    {"inline_data": {"mime_type": "image/png", "data": "AA=="}, "mediaResolution": {}},
    {"inlineData": {"mimeType": "image/png", "data": "AA=="}, "thought": True},
    {"fileData": {"fileUri": "https://e.org/x", "mimeType": "video/mp4"}, "videoMetadata": {}},
    {"file_data": {"file_uri": "gs://b/f"}},
    {"fileData": {"fileUri": "https://generativelanguage.googleapis.com/v1beta/files/x"}},
    {"executableCode": {"language": "PYTHON", "code": "1", "id": "e1"}},
    {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}, "thoughtSignature": "c2ln"},
    {"toolCall": {"toolType": "FILE_SEARCH", "id": "t"}},
    {"toolResponse": {"toolType": "FILE_SEARCH", "id": "t", "response": {}}},
    {"text": 5},
    {"text": ["a"]},
    {"unheard": {"of": 1}},
    {"text": "a", "$": {"key": "x"}},
    {},
    None,
    "text",
    3,
    [],
]

CONTENTS = [
    {"parts": [{"text": "a"}]},
    {"parts": [call(args={})]},
    {"role": None, "parts": []},
    {"role": 5, "parts": []},
    {"role": "function", "parts": [answer({"a": 1})]},
    {"role": "function", "parts": [{"text": "a"}]},
    {"role": "assistant", "parts": [{"text": "a"}]},
    {"role": "system", "parts": [{"text": "a"}]},
    {"role": "narrator", "parts": [{"text": "a"}]},
    {"role": "model"},
    {"role": "model", "parts": None},
    {"role": "model", "parts": "x"},
    {"role": "user", "parts": {"text": "a"}},
    {"role": "user", "parts": [{"text": "a"}], "more": 1},
    user(answer({"a": 1}), {"text": "and"}),
    {},
    {"text": "a"},
    "just text",
]


def there_and_back(contents):
    before = copy.deepcopy(contents)
    told = WriteLog()
    written = CODEC.write_messages(CODEC.read_messages(contents, "m"), told)
    assert contents == before
    return written, [loss.code for loss in told.losses]


@table("part", PARTS, ids=json.dumps)
def test_parts_there_and_back(part):
    for content in (user(part), model({"text": "x"}, part), {"parts": [part, part]}):
        assert there_and_back([content, content]) == ([content, content], [])


@table("content", CONTENTS, ids=json.dumps)
def test_contents_there_and_back(content):
    assert there_and_back([content, user(), content]) == ([content, user(), content], [])


def test_neighbours_stay_apart():
    """Nothing of our own is regrouped, however unwise it is."""
    odd = [model(call(args={})), model({"text": "a"}), user(answer({})), user(answer({})),
           user({"text": "a"}, answer({}))]  # fmt: skip
    assert there_and_back(odd) == (odd, [])


def read(part):
    return CODEC.read_messages([model(part)], "m")[0].parts[0]


READ = [
    ({"text": "a", "thought": True, "thoughtSignature": "s"},
     Reasoning("a", "s", provider="gemini", model="m")),
    ({"thought": True, "thoughtSignature": "s"},
     Reasoning(None, "s", is_hidden=True, provider="gemini", model="m")),
    ({"text": "", "thoughtSignature": "s"}, Text("", {"gemini": {"thoughtSignature": "s"}})),
    (call(args={"a": 1}), Call("f", {"a": 1})),
    ({**call(args={}, id="c"), "thoughtSignature": "s"},
     Call("f", {}, "c", extras={"gemini": {"thoughtSignature": "s"}})),
    (answer({"output": "15"}), Result(None, [Text("15")], "f")),
    (answer({"error": "x"}, id="c"), Result("c", [Text("x")], "f", is_error=True)),
    (answer({"a": 1}), Result(None, [Data({"a": 1})], "f")),
    (answer({}), Result(None, [], "f")),
    ({"inlineData": {"mimeType": "audio/x", "data": "AA=="}}, Media("audio", "audio/x", "AA==")),
    ({"fileData": {"fileUri": "https://e.org/x.pdf", "mimeType": "application/pdf"}},
     Media("document", "application/pdf", url="https://e.org/x.pdf")),
]  # fmt: skip


@table("part, expected", READ)
def test_what_is_read(part, expected):
    assert read(part) == expected


@pytest.mark.parametrize(
    "part, problem",
    [(call(), None), (call(args=[1]), NOT_OBJECT), (call(args={}, willContinue=True), NOT_JSON)],
)
def test_calls_that_cannot_be_run_say_so(part, problem):
    assert read(part).problem == problem


@pytest.mark.parametrize(
    "response, is_error",
    [({"error": "x", "more": 1}, True), ({"error": None, "data": 1}, None), ({"error": 0}, None),
     ({"ok": False}, None), ({"output": {"error": "x"}}, None), ({"error": ""}, True)],
)  # fmt: skip
def test_failures_are_recognized_by_the_word_error(response, is_error):
    assert read(answer(response)).is_error is is_error


@pytest.mark.parametrize(
    "content, role",
    [(user({"text": "a"}), "user"), (user(answer({})), "tool"), (model({"text": "a"}), "assistant"),
     (user(answer({}), {"text": "a"}), "user"), ({"parts": [call(args={})]}, "assistant"),
     ({"role": "function", "parts": [answer({})]}, "tool"), (user(), "user")],
)  # fmt: skip
def test_roles(content, role):
    assert CODEC.read_messages([content], None)[0].role == role


def changed(part, change):
    messages = CODEC.read_messages([user(part)], None)
    change(messages[0].parts[0])
    return CODEC.write_messages(messages, WriteLog())[0]["parts"][0]


CHANGES = [
    ({"text": "a", "thoughtSignature": "s"}, lambda p: setattr(p, "text", "b"),
     {"text": "b", "thoughtSignature": "s"}),
    (call(), lambda p: setattr(p, "arguments", {"a": 1}), call(args={"a": 1})),
    (call(args=None), lambda p: setattr(p, "arguments", {"a": 1}), call(args={"a": 1})),
    (call(args=[1]), lambda p: setattr(p, "arguments", [2]), call(args={"arguments": [2]})),
    (call(args={}, id="c"), lambda p: setattr(p, "id", "d"), call(args={}, id="d")),
    (call(args={}), lambda p: setattr(p, "name", "g"), {"functionCall": {"name": "g", "args": {}}}),
    (answer({"output": "x"}), lambda p: setattr(p, "is_error", True), answer({"error": "x"})),
    (answer({"error": "x"}), lambda p: setattr(p, "is_error", False), answer({"output": "x"})),
    (answer({"error": "x", "a": 1}), lambda p: setattr(p, "is_error", False),
     answer({"output": {"error": "x", "a": 1}})),
    (answer({"a": 1}), lambda p: setattr(p, "is_error", True), answer({"error": {"a": 1}})),
    (answer({"a": 1}), lambda p: setattr(p, "content", [Text("t")]), answer({"output": "t"})),
    (answer({}), lambda p: setattr(p, "name", "g"),
     {"functionResponse": {"name": "g", "response": {}}}),
    (answer(), lambda p: setattr(p, "content", [Text("t")]), answer({"output": "t"})),
    ({"functionResponse": {"name": "f", "response": "x"}},
     lambda p: setattr(p, "content", [Text("y")]), answer({"output": "y"})),
    ({"inline_data": {"mime_type": "image/png", "data": "AA=="}},
     lambda p: setattr(p, "data", "BB=="),
     {"inline_data": {"mime_type": "image/png", "data": "BB=="}}),
]  # fmt: skip


@table("part, change, expected", CHANGES)
def test_fields_are_the_truth(part, change, expected):
    assert changed(part, change) == expected


def test_a_role_that_was_changed_is_written():
    messages = CODEC.read_messages([{"parts": [{"text": "a"}]}, {"role": "x", "parts": []}], None)
    for message in messages:
        message.role = "assistant"
    assert [m["role"] for m in CODEC.write_messages(messages, WriteLog())] == ["model", "model"]


def write(*messages):
    told = WriteLog()
    return CODEC.write_messages(list(messages), told), [loss.code for loss in told.losses]


def of(role, *parts, **fields):
    return Message(role, list(parts), **fields)


def test_answers_to_one_turn_stand_together_in_the_order_of_the_calls():
    contents, codes = write(
        of("user", Text("go")),
        of("assistant", Text("calling")),
        of("assistant", Call("f", {}, "a"), Call("g", {"x": 1}, "b")),
        of("assistant", Call("f", {}, "c")),
        of("tool", Result("b", [Text("2")])),
        of("tool", Result("c", [Text("3")]), Result("a", [Text("1")], is_error=True)),
        of("user", Text("thanks")),
        of("assistant", Text("done")),
    )
    f, g = {"name": "f"}, {"name": "g"}
    assert contents == [
        user({"text": "go"}),
        model({"text": "calling"}, call(args={}, id="a"),
              {"functionCall": {**g, "args": {"x": 1}, "id": "b"}}, call(args={}, id="c")),
        user({"functionResponse": {**f, "response": {"error": "1"}, "id": "a"}},
             {"functionResponse": {**g, "response": {"output": "2"}, "id": "b"}},
             {"functionResponse": {**f, "response": {"output": "3"}, "id": "c"}}),
        user({"text": "thanks"}),
        model({"text": "done"}),
    ]  # fmt: skip
    assert codes == []


def test_words_beside_answers_come_after_them():
    contents, _ = write(
        of("assistant", Call("f", {}, "a")),
        of("user", Text("see"), Result("a", [Text("1")]), Text("there")),
    )
    assert contents[1:] == [
        user(answer({"output": "1"}, id="a")),
        user({"text": "see"}, {"text": "there"}),
    ]


def test_an_id_that_is_used_again_means_the_last_call():
    contents, _ = write(
        of("assistant", Call("f", {}, "call_0")), of("tool", Result("call_0", [Text("1")])),
        of("assistant", Call("g", {}, "call_0")), of("tool", Result("call_0", [Text("2")])),
    )  # fmt: skip
    names = [content["parts"][0]["functionResponse"]["name"] for content in contents[1::2]]
    assert names == ["f", "g"]


@pytest.mark.parametrize(
    "result, name",
    [(Result("x", []), "x"), (Result(None, []), "unknown"), (Result(None, [], "n"), "n"),
     (Result("x", [], "n"), "n")],
)  # fmt: skip
def test_an_answer_to_nothing_still_has_a_name(result, name):
    assert write(of("tool", result))[0][0]["parts"][0]["functionResponse"]["name"] == name


PNG = Media("image", "image/png", "AA==")
PNG_PART = {"inlineData": {"mimeType": "image/png", "data": "AA=="}}
RESPONSES = [
    ([Text("x")], None, {"output": "x"}, []),
    ([Text('{"a": 1}')], None, {"output": '{"a": 1}'}, []),
    ([Text("1")], None, {"output": "1"}, []),
    ([Text("x")], True, {"error": "x"}, []),
    ([Text("a"), Text("b")], None, {"output": "a\nb"}, []),
    ([], None, {}, []),
    ([], True, {"error": ""}, []),
    ([Data({"a": 1})], None, {"a": 1}, []),
    ([Data({"a": 1})], True, {"error": {"a": 1}}, []),
    ([Data([1])], None, {"output": [1]}, ["L306"]),
    ([Data({"error": None})], None, {"output": {"error": None}}, ["L306"]),
    ([Data({"output": 1})], None, {"output": {"output": 1}}, ["L306"]),
    ([Text('{"a":1}'), Data({"a": 1})], None, {"a": 1}, []),
    ([Text("a"), Data({"a": 1})], None, {"output": 'a\n{"a":1}'}, ["L305"]),
    ([Data({"a": [{"$ref": "#/x"}]})], None, {"output": '{"a":[{"$ref":"#/x"}]}'}, ["L305"]),
    ([Media("document", text="t")], None, {"output": "t"}, []),
    ([Media("file", file_id="file-1")], None, {"output": "[file: file-1]"}, ["L302"]),
    ([Native("other", "reference", {})], None, {}, ["L307"]),
    ([Text("x", {"other": {"cache": 1}})], None, {"output": "x"}, ["L308"]),
]


@table("content, is_error, response, codes", RESPONSES)
def test_results_of_others(content, is_error, response, codes):
    contents, told = write(of("tool", Result("c", content, "f", is_error)))
    assert contents == [user(answer(response, id="c"))]
    assert told == codes
    again = CODEC.read_messages(contents, None)[0].parts[0]
    assert again.is_error is is_error


def test_media_of_results_stand_beside_the_response():
    contents, told = write(of("tool", Result("c", [Text("see"), PNG], "f")))
    assert contents == [user(answer({"output": "see"}, id="c", parts=[PNG_PART]))]
    assert told == []


FOREIGN = [
    (Refusal("no"), [{"text": "no"}], ["L319"]),
    (Text(""), [], []),
    (Text("a", {"other": {"cache": 1}}), [{"text": "a"}], ["L308"]),
    (Text("a", {"other": {"$": {"form": 1}}}), [{"text": "a"}], []),
    (Reasoning("a", "s", provider="other"), [], ["L301"]),
    (Reasoning("a"), [], ["L301"]),
    (Reasoning("a", "s", provider="gemini"),
     [{"text": "a", "thought": True, "thoughtSignature": "s"}], []),
    (Native("other", "search", {}), [], ["L307"]),
    (Data([1]), [{"text": "[1]"}], ["L305"]),
    (PNG, [PNG_PART], []),
    (Media("image", data="AA=="),
     [{"inlineData": {"mimeType": "application/octet-stream", "data": "AA=="}}], []),
    (Media("image", "image/png", url="https://e.org/i.png"),
     [{"fileData": {"fileUri": "https://e.org/i.png", "mimeType": "image/png"}}], []),
    (Media("document", text="é", name="n"),
     [{"inlineData": {"mimeType": "text/plain", "data": "w6k=", "displayName": "n"}}], []),
    (Media("file", file_id="file-1"), [{"text": "[file: file-1]"}], ["L302"]),
    (Call("f", text="rm *", is_text=True), [call(args={"input": "rm *"})], ["L312"]),
    (Call("f", {"a": 1}, text='{"a":1}'), [call(args={"a": 1})], []),
    (Call("f", None, text="{cut", problem=NOT_JSON), [call(args={"arguments": "{cut"})], ["L313"]),
    (Call("f", None, text="", problem=NOT_JSON), [call(args={})], []),
    (Call("f", None), [call(args={})], []),
    (Call("f", [1]), [call(args={"arguments": [1]})], ["L313"]),
    (Call("f", {}, namespace="n"), [{"functionCall": {"name": "n:f", "args": {}}}], ["L315"]),
]  # fmt: skip


@table("part, parts, codes", FOREIGN)
def test_parts_of_others(part, parts, codes):
    contents, told = write(of("assistant", part))
    assert contents == ([model(*parts)] if parts else [])
    assert told == codes


def test_a_result_bears_the_name_that_its_call_was_written_with():
    contents, _ = write(
        of("assistant", Call("f", {}, "c", namespace="n")), of("tool", Result("c", [], "f"))
    )
    assert contents[1]["parts"][0]["functionResponse"]["name"] == "n:f"


def test_roles_of_others():
    contents, codes = write(
        of("user", Text("a"), name="ann"), of("developer", Text("b")), of("system", Text("c"))
    )
    assert contents == [user({"text": text}) for text in "abc"]
    assert codes == ["L314", "L310", "L310"]


BODY = {"contents": [user({"text": "a"})]}
CONFIGS = [
    ({"mode": "AUTO"}, ToolChoice("auto")),
    ({"mode": "VALIDATED"}, ToolChoice("auto")),
    ({"mode": "NONE"}, ToolChoice("none")),
    ({"mode": "ANY"}, ToolChoice("required")),
    ({"mode": "any"}, ToolChoice("required")),
    ({"mode": "ANY", "allowedFunctionNames": []}, ToolChoice("required")),
    ({"mode": "ANY", "allowedFunctionNames": ["f"]}, ToolChoice("tool", ["f"])),
    ({"mode": "ANY", "allowed_function_names": ["f", "g"]},
     ToolChoice("subset", ["f", "g"], is_required=True)),
    ({"mode": "VALIDATED", "allowedFunctionNames": ["f"]}, ToolChoice("subset", ["f"])),
    ({"mode": "AUTO", "allowedFunctionNames": ["f"]}, ToolChoice("subset", ["f"])),
    ({"mode": "ANY", "streamFunctionCallArguments": True}, ToolChoice("required")),
    ({}, None),
    ({"mode": 5}, None),
    ({"mode": "NEVER"}, None),
    ({"mode": "ANY", "allowedFunctionNames": "f"}, None),
    ({"mode": "ANY", "allowedFunctionNames": [1]}, None),
]  # fmt: skip


@table("config, expected", CONFIGS)
def test_choices(config, expected):
    for key, inner in (("toolConfig", "functionCallingConfig"),
                       ("tool_config", "function_calling_config")):  # fmt: skip
        for more in ({}, {"includeServerSideToolInvocations": True}):
            body = {**BODY, key: {inner: config, **more}}
            found = CODEC.read_request(body)
            assert CODEC.write_request(found, WriteLog()) == body
            choice = found.tool_choice
            if expected is None:
                assert choice is None
            else:
                assert (choice.mode, choice.names, choice.is_required) == (
                    expected.mode, expected.names, expected.is_required,
                )  # fmt: skip


@pytest.mark.parametrize(
    "choice, config",
    [
        (ToolChoice("auto"), {"mode": "AUTO"}),
        (ToolChoice("none"), {"mode": "NONE"}),
        (ToolChoice("required"), {"mode": "ANY"}),
        (ToolChoice("tool", ["f"]), {"mode": "ANY", "allowedFunctionNames": ["f"]}),
        (ToolChoice("subset", ["f"]), {"mode": "VALIDATED", "allowedFunctionNames": ["f"]}),
        (
            ToolChoice("subset", ["f", "g"], is_required=True),
            {"mode": "ANY", "allowedFunctionNames": ["f", "g"]},
        ),
    ],
)
def test_choices_of_others_and_changed_ones(choice, config):
    body = CODEC.write_request(Conversation(tool_choice=choice), WriteLog())
    assert body["toolConfig"] == {"functionCallingConfig": config}
    own = {**BODY, "toolConfig": {"functionCallingConfig": {"mode": "VALIDATED"}, "x": 1}}
    found = CODEC.read_request(own)
    found.tool_choice.mode, found.tool_choice.names = choice.mode, choice.names
    found.tool_choice.is_required = choice.is_required
    config = {"mode": "VALIDATED"} if choice.mode == "auto" else config
    assert CODEC.write_request(found, WriteLog())["toolConfig"] == {
        "functionCallingConfig": config, "x": 1,
    }  # fmt: skip


BODIES = [
    BODY,
    {"contents": []},
    {"contents": user({"text": "a"})},
    {"contents": "a"},
    {**BODY, "systemInstruction": {"parts": [{"text": "s"}]}},
    {**BODY, "systemInstruction": {"role": "user", "parts": [{"text": "s"}]}},
    {**BODY, "systemInstruction": {"role": "model", "parts": [{"text": "s"}]}},
    {**BODY, "system_instruction": {"parts": {"text": "s"}}},
    {**BODY, "system_instruction": "s"},
    {**BODY, "systemInstruction": None, "tools": None, "toolConfig": None},
    {**BODY, "tools": []},
    {**BODY, "tools": [{"functionDeclarations": []}], "generationConfig": {"seed": 1}, "x": 1},
    {**BODY, "toolConfig": {}},
    {**BODY, "toolConfig": {"retrievalConfig": {}}},
    {**BODY, "toolConfig": "x"},
    {**BODY, "model": "models/m"},
    {**BODY, "model": 5},
]


@table("body", BODIES, ids=json.dumps)
def test_bodies_there_and_back(body):
    before, told = copy.deepcopy(body), WriteLog()
    assert CODEC.write_request(CODEC.read_request(body), told) == before
    assert (body, told.losses) == (before, [])


def test_a_choice_joins_what_is_there():
    found = CODEC.read_request({**BODY, "toolConfig": {"retrievalConfig": {}}})
    found.tool_choice = ToolChoice("none")
    assert CODEC.write_request(found, WriteLog())["toolConfig"] == {
        "retrievalConfig": {}, "functionCallingConfig": {"mode": "NONE"},
    }  # fmt: skip


def test_requests_of_others():
    told = WriteLog()
    body = CODEC.write_request(
        Conversation(
            [of("system", Text("b")), of("developer", Text("c")), of("user", Text("d")),
             of("system", Text("e"))],
            system=of("system", Text("a")), parallel_calls=False, model="x",
            extras={"other": {"temperature": 1}},
        ),
        told,
    )  # fmt: skip
    assert body == {
        "systemInstruction": {"parts": [{"text": "a"}, {"text": "b"}, {"text": "c"}]},
        "contents": [user({"text": "d"}), user({"text": "e"})],
    }
    assert [(loss.code, str(loss.at)) for loss in told.losses] == [
        ("L318", "/extras"), ("L310", "/messages/1"), ("L310", "/messages/3"),
        ("L317", "/parallel_calls"),
    ]  # fmt: skip


REFUSED = [
    (CODEC.read_request, {}, "/contents"),
    (CODEC.read_request, {"contents": None}, "/contents"),
    (CODEC.read_request, {"contents": [1]}, "/contents/0"),
    (CODEC.read_request, {"contents": [user(), None]}, "/contents/1"),
    (CODEC.read_request, {**BODY, "systemInstruction": [1]}, "/systemInstruction"),
    (CODEC.read_answer, {}, ""),
    (CODEC.read_answer, {"error": {"code": 400}}, ""),
    (CODEC.read_answer, {"candidates": [1]}, "/candidates/0"),
    (CODEC.read_answer, {"candidates": [{"content": []}]}, "/candidates/0/content"),
    (CODEC.read_result, {"functionResponse": 1}, ""),
]


@table("reader, value, at", REFUSED)
def test_refused_with_a_place(reader, value, at):
    with pytest.raises(NotAConversation) as caught:
        reader(value)
    assert caught.value.at == at


def test_one_result_alone():
    expected = Result("c", [Text("x")], "f")
    part = answer({"output": "x"}, id="c")
    assert CODEC.read_result(part) == CODEC.read_result(part["functionResponse"]) == expected


ANSWERS = [
    {"candidates": []},
    {"candidates": [{}]},
    {"candidates": [{"content": model({"text": "a"}), "finishReason": "STOP", "index": 0}]},
    {"candidates": [{"content": {"parts": [{"text": "a"}]}, "finish_reason": "MAX_TOKENS"}]},
    {"candidates": [{"content": {}, "finishReason": "SAFETY"}]},
    {"candidates": [{"content": None, "finishReason": "TOMORROWS_REASON"}]},
    {"candidates": [{"content": user({"text": "a"}), "finishReason": 5}]},
    {"candidates": [{"content": model({"text": "a"})}, {"content": model({"text": "b"})}]},
    {"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": "m", "responseId": "r"},
    {"candidates": None, "usage_metadata": {"x": 1}, "model_version": "m", "createTime": "t"},
    {"candidates": "x", "responseId": 5, "usageMetadata": {}},
]


@table("body", ANSWERS, ids=json.dumps)
def test_answers_there_and_back(body):
    before, told = copy.deepcopy(body), WriteLog()
    assert CODEC.write_answer(CODEC.read_answer(body), told) == before
    assert (body, told.losses) == (before, [])


@pytest.mark.parametrize(
    "word, parts, reason",
    [("STOP", [{"text": "a"}], "end"), ("STOP", [call(args={})], "tool_call"),
     ("MAX_TOKENS", [call(args={})], "length"), ("SPII", [], "filter"), ("OTHER", [], "unknown"),
     ("UNEXPECTED_TOOL_CALL", [], "bad_call"), ("TOO_MANY_TOOL_CALLS", [], "too_many"),
     ("CONTINUATION", [], "pause")],
)  # fmt: skip
def test_why_the_model_stopped(word, parts, reason):
    found = CODEC.read_answer({"candidates": [{"content": model(*parts), "finishReason": word}]})
    assert found.stop == Stop(reason, word)


def test_answers_of_others():
    told = WriteLog()
    said = [of("assistant", Text("a")), of("assistant", Call("f", {}, "c"))]
    found = Answer([Candidate(said, Stop("stop_text", "stop_sequence"))], "m", "r", {"in": 1}, "x")
    assert CODEC.write_answer(found, told) == {
        "candidates": [{"content": model({"text": "a"}, call(args={}, id="c")),
                        "finishReason": "STOP"}],
        "modelVersion": "m", "responseId": "r",
    }  # fmt: skip
    assert [loss.code for loss in told.losses] == ["L321", "L308"]


def test_a_foreign_stop_reason_is_translated():
    told = WriteLog()
    found = Answer([Candidate([], Stop("unknown", "weird"))], format="other")
    assert CODEC.write_answer(found, told) == {"candidates": [{"finishReason": "OTHER"}]}
    assert [loss.code for loss in told.losses] == ["L321"]


def chunk(*parts, **fields):
    return {"candidates": [{"content": model(*parts), **fields}], "modelVersion": "m"}


def streamed(*chunks):
    before = copy.deepcopy(chunks)
    stream = CODEC.accumulate()
    for item in chunks:
        stream.feed(item)
    assert chunks == before
    return stream.finish()


END = chunk({"text": ""}, finishReason="STOP")


def piece(path=None, more=None, **value):
    said = {} if path is None else {"partialArgs": [{"jsonPath": path, **value}]}
    if more:
        said["willContinue"] = True
    return chunk({"functionCall": said})


START = chunk({"functionCall": {"name": "f", "willContinue": True}, "thoughtSignature": "s"})
STREAMS = [
    ([chunk({"text": "a"}), chunk({"text": "b"}), END], [Text("ab")]),
    ([chunk({"text": "t", "thought": True}), chunk({"text": "u", "thought": True}),
      chunk({"text": "a"}), END],
     [Reasoning("tu", provider="gemini", model="m"), Text("a")]),
    ([chunk({"text": "a"}), chunk({"text": "", "thoughtSignature": "s"}, finishReason="STOP")],
     [Text("a"), Text("", {"gemini": {"thoughtSignature": "s"}})]),
    ([chunk(call(args={"a": 1})), chunk(call(args={"a": 2}, id="c")), END],
     [Call("f", {"a": 1}), Call("f", {"a": 2}, "c")]),
    ([START, piece("$.a", True, stringValue="x", willContinue=True),
      piece("$.a", True, stringValue="y"), piece(), END],
     [Call("f", {"a": "xy"}, extras={"gemini": {"thoughtSignature": "s"}})]),
    ([chunk({"functionCall": {"name": "f", "willContinue": True}}),
      piece("$.a[0].b", True, numberValue=1), piece("$.a[1]['c d']", True, boolValue=False),
      piece('$["e"]', True, nullValue="NULL_VALUE"), piece(), START, piece(), END],
     [Call("f", {"a": [{"b": 1}, {"c d": False}], "e": None}),
      Call("f", {}, extras={"gemini": {"thoughtSignature": "s"}})]),
    ([chunk({"executableCode": {"code": "1"}}), END],
     [Native("gemini", "executableCode", {"executableCode": {"code": "1"}})]),
    ([END], []),
]  # fmt: skip


@pytest.mark.parametrize("chunks, expected", STREAMS)
def test_streams(chunks, expected):
    found = streamed(*chunks)
    assert [part for message in found.messages for part in message.parts] == expected
    assert found.stop.word == "STOP"
    assert streamed(chunks) == found  # as a list, which is how it comes without SSE


def test_candidates_are_distinguished_by_their_index():
    first = {"candidates": [{"content": model({"text": "b"}), "index": 1}]}
    over = {"finishReason": "STOP"}
    second = {"candidates": [{"content": model({"text": "a"}), "index": 0, **over},
                             {"content": model({"text": "B"}), "index": 1, **over}]}  # fmt: skip
    assert [c.messages[0].text for c in streamed(first, second).candidates] == ["a", "bB"]


CUT = [
    ([], []),
    ([chunk({"text": "a"})], ["a"]),
    ([chunk({"text": "a"}), {"error": {"message": "overloaded"}}], ["a"]),
    ([chunk({"text": "a"}), {"error": "x"}, END], ["a"]),
    ([{"usageMetadata": {}}], []),
]


@pytest.mark.parametrize("chunks, texts", CUT)
def test_a_cut_stream_hands_over_what_there_is(chunks, texts):
    with pytest.raises(CutStream) as caught:
        streamed(*chunks)
    assert [message.text for message in caught.value.partial.messages] == texts


@table(
    "pieces",
    [[piece("$.a", True, stringValue="x")], [piece("$.a[5]", True, stringValue="x"), piece()],
     [piece("a", True, stringValue="x"), piece()], [piece("$.a", True), piece()],
     [piece("$..a", True, stringValue="x"), piece()], [piece("$", True, stringValue="x"), piece()],
     [piece("$[0]", True, stringValue="x"), piece()], [piece(7, True, stringValue="x"), piece()],
     [piece("$.a", True, stringValue="x"), piece("$.a.b", True, stringValue="x"), piece()],
     [chunk({"functionCall": {"partialArgs": 5}})],
     [chunk({"functionCall": {"partialArgs": [5]}})]],
)  # fmt: skip
def test_arguments_that_are_not_whole_are_marked(pieces):
    (found,) = streamed(START, *pieces, END).calls
    assert found.problem == NOT_JSON


def test_a_blocked_prompt_is_an_answer_without_candidates():
    found = streamed({"promptFeedback": {"blockReason": "SAFETY"}})
    assert (found.candidates, found.stop) == ([], None)


@pytest.mark.parametrize("event", [None, "x", 3, {"candidates": [3]}])
def test_what_is_no_chunk_is_refused(event):
    with pytest.raises(NotAConversation):
        CODEC.accumulate().feed(event)


def test_paths_that_are_long_or_broken_take_no_time():
    assert parse("$" + ".a" * 100_000) is None
    assert parse("$['" + "\\'" * 50_000) is None
    assert parse("$['it\\'s \\u00e9']") == ["it's é"]


@pytest.mark.parametrize(
    "message, score",
    [(user({"text": "a"}), 1), (model(call(args={})), 1), ({"role": "user", "content": "a"}, 0),
     ({"role": "user", "parts": [{"type": "text", "text": "a"}]}, 0), ({}, 0), ({"parts": 5}, 0)],
)  # fmt: skip
def test_detection_of_messages(message, score):
    assert CODEC.sniff(message) == score


@pytest.mark.parametrize(
    "body", [{}, {"messages": []}, {"contents": 5}, {"contents": [5]}, {"candidates": 5},
             {"candidates": [5]}, {"usageMetadata": 1}],
)  # fmt: skip
def test_detection_of_bodies_that_are_none(body):
    assert CODEC.sniff_body(body) == CODEC.sniff_answer(body) == 0


KEYS = """role parts text thought thoughtSignature functionCall function_call functionResponse name
args id response output error inlineData mimeType data fileData fileUri candidates content index
finishReason willContinue partialArgs jsonPath stringValue $ inner bare whole wrapped""".split()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.sampled_from(["user", "model", "$.a", "f"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
        | st.fixed_dictionaries({"name": st.just("f")}, optional={"args": inner, "id": inner})
    ),
    max_leaves=16,
)
PART = st.dictionaries(st.sampled_from(KEYS[2:]), JSON, max_size=3) | JSON
CONTENT = st.fixed_dictionaries(
    {}, optional={"role": JSON, "parts": st.lists(PART, max_size=3) | JSON, "x": JSON}
)


@given(st.lists(CONTENT | JSON, max_size=3))
def test_hostile_contents_are_kept_or_refused(contents):
    try:
        written, codes = there_and_back(contents)
    except NotAConversation:
        return
    assert (written, codes) == (contents, [])


@given(st.dictionaries(st.sampled_from(["contents", "systemInstruction", "toolConfig", "tools"]),
                       JSON | st.lists(CONTENT, max_size=2)))  # fmt: skip
def test_hostile_bodies_are_kept_or_refused(body):
    CODEC.sniff_body(body)
    try:
        found = CODEC.read_request(body)
    except NotAConversation:
        return
    assert CODEC.write_request(found, WriteLog()) == body


CHUNK = st.fixed_dictionaries(
    {"candidates": st.lists(st.fixed_dictionaries({}, optional={
        "content": CONTENT | JSON, "index": JSON, "finishReason": JSON}), max_size=2) | JSON},
    optional={"error": JSON, "promptFeedback": JSON, "modelVersion": JSON},
)  # fmt: skip


@given(st.lists(CHUNK, max_size=4))
def test_hostile_streams_end_in_an_answer_or_a_typed_error(chunks):
    before = copy.deepcopy(chunks)
    for item in chunks:
        try:
            found = CODEC.read_answer(item)
        except NotAConversation:
            continue
        assert CODEC.write_answer(found, WriteLog()) == item
    with suppress(CutStream, NotAConversation):
        streamed(*chunks)
    assert chunks == before


@pytest.mark.parametrize(
    "config",
    [
        {"systemInstruction": "S", "tools": [{"functionDeclarations": [{"name": "f"}]}]},
        {
            "system_instruction": {"parts": [{"text": "S"}]},
            "tool_config": {"function_calling_config": {"mode": "ANY"}},
            "temperature": 0.5,
        },
        {},
    ],
)
def test_the_arguments_of_the_sdk_s_call_are_a_request(config):
    """`Binding.request` gives them too: nothing below `config` may be lost."""
    body = {"model": "m", "contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
    body["config"] = config
    found = tc.read_conversation(body)
    assert tc.write_conversation(found, "gemini").payload == body
    there = tc.switch(body, "openai").payload
    assert [message["role"] for message in there["messages"]] == (
        ["system", "user"] if config else ["user"]
    )
    assert ("tools" in there) == ("tools" in config)
