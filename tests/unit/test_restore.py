"""Calls come back as the tool's own, from what models really send, in this process or another."""

import copy
import json
import subprocess
import sys

import pytest

import toolcanon as tc
from toolcanon.conversion.verify import verify
from toolcanon.errors import AmbiguousCall, BadReceipt, UnknownTool, UsageError

TEXT, WHOLE, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
SCHEMA = {
    "type": "object",
    "properties": {
        "city": TEXT,
        "days": WHOLE,
        "rate": {"type": "number"},
        "loud": FLAG,
        "tags": {"type": "array", "items": TEXT},
        "where": {"type": "object", "properties": {"x": WHOLE, "note": TEXT}, "required": ["x"]},
        "counts": {"type": "object", "additionalProperties": WHOLE},
        "may": {"type": ["string", "null"]},
        "either": {"anyOf": [WHOLE, TEXT]},
    },
    "required": ["city"],
    "additionalProperties": False,
}
TOOL = tc.CanonicalTool(name="weather", description="The weather.", inputs=SCHEMA)
TARGETS = [
    "openai", "openai/strict", "openai-responses", "openai-responses/strict", "anthropic",
    "anthropic/strict", "gemini", "gemini/openapi", "bedrock", "bedrock/strict", "mcp", "langchain",
]  # fmt: skip


def bound(dialect="openai", tool=TOOL):
    return tc.bind(tool, dialect.partition("/")[0], dialect=dialect)


def restored(sent, dialect="openai", tool=TOOL):
    binding = bound(dialect, tool)
    before = copy.deepcopy(sent)
    found = binding.restore(binding.names[tool.id], sent)
    assert sent == before, "must not be changed"
    return found


# What is sent, what it means, and the repairs told.
SENT = [
    ({"city": "Rome"}, {"city": "Rome"}, []),
    ('{"city": "Rome", "days": 3}', {"city": "Rome", "days": 3}, []),
    (b'{"city": "Rome"}', {"city": "Rome"}, []),
    ('"{\\"city\\": \\"Rome\\"}"', {"city": "Rome"}, ["R001"]),
    (json.dumps(json.dumps(json.dumps({"city": "Rome"}))), {"city": "Rome"}, ["R001", "R001"]),
    ({"city": "Rome", "days": None}, {"city": "Rome"}, ["R003"]),
    ({"city": "A", "where": {"x": 1, "note": None}}, {"city": "A", "where": {"x": 1}}, ["R003"]),
    ({"city": "Rome", "may": None}, {"city": "Rome", "may": None}, []),
    ({"city": "Rome", "days": "3"}, {"city": "Rome", "days": 3}, ["R004"]),
    ({"city": "Rome", "rate": "0.5"}, {"city": "Rome", "rate": 0.5}, ["R004"]),
    ({"city": "Rome", "rate": "-1e2"}, {"city": "Rome", "rate": -100.0}, ["R004"]),
    ({"city": "Rome", "loud": "True"}, {"city": "Rome", "loud": True}, ["R004"]),
    ({"city": "Rome", "loud": "false"}, {"city": "Rome", "loud": False}, ["R004"]),
    ({"city": 12}, {"city": "12"}, ["R005"]),
    ({"city": True}, {"city": "true"}, ["R005"]),
    ({"city": "Rome", "tags": [1, "b"]}, {"city": "Rome", "tags": ["1", "b"]}, ["R005"]),
    ({"city": "Rome", "tags": '["a", "b"]'}, {"city": "Rome", "tags": ["a", "b"]}, ["R002"]),
    ({"city": "Rome", "where": '{"x": 1}'}, {"city": "Rome", "where": {"x": 1}}, ["R002"]),
    ({"city": "A", "where": '{"x": "1"}'}, {"city": "A", "where": {"x": 1}}, ["R002", "R004"]),
    ({"city": "Rome", "counts": {"a": "1"}}, {"city": "Rome", "counts": {"a": 1}}, ["R004"]),
    # Text that looks like something else is text where text is wanted.
    ({"city": '{"x": 1}'}, {"city": '{"x": 1}'}, []),
    ({"city": "null"}, {"city": "null"}, []),
    ({"city": "12", "either": "12"}, {"city": "12", "either": "12"}, []),
]  # fmt: skip


@pytest.mark.parametrize("sent, meant, repairs", SENT)
def test_what_models_send_is_mended_and_told(sent, meant, repairs):
    found = restored(sent)
    assert found.ok, found.message
    assert found.arguments == meant
    assert [item.code for item in found.repairs] == repairs
    assert found.name == "weather"
    assert found.message == ""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("sent, meant, repairs", SENT)
def test_any_target_means_the_same(target, sent, meant, repairs):
    """The call as that target would have written it comes back whole, also as text."""
    binding = bound(target)
    name, wire = binding.render("weather", meant)
    for form in (wire, json.dumps(wire), json.dumps(json.dumps(wire))):
        found = binding.restore(name, form)
        assert found.ok, found.message
        assert found.arguments == meant


# What cannot be mended: it is refused, with words for the model.
REFUSED = [
    ({}, "city"),
    ({"city": None}, "null"),
    ({"city": "Rome", "days": "three"}, "/days"),
    ({"city": "Rome", "days": "3.5"}, "/days"),
    ({"city": "Rome", "days": 1.5}, "/days"),
    ({"city": "Rome", "loud": "yes"}, "/loud"),
    ({"city": "Rome", "where": {"note": "n"}}, "/where"),
    ({"city": "Rome", "where": "[1]"}, "/where"),
    ({"city": "Rome", "nonsense": 1}, "nonsense"),
    ({"city": ["Rome"]}, "/city"),
    ([], "object"),
    (5, "object"),
]


@pytest.mark.parametrize("sent, says", REFUSED)
def test_what_is_wrong_is_said_in_words_for_the_model(sent, says):
    found = restored(sent)
    assert not found.ok
    assert says in found.message
    assert found.message.startswith("The arguments of weather cannot be used:")
    assert found.message.endswith("Correct them and call the tool again.")
    assert json.loads(json.dumps(found.to_dict()))["problems"]


@pytest.mark.parametrize(
    "sent", ["not json", '{"city": "Ro', "{'city': 'Rome'}", "", "  ", None, b"\xff"]
)
def test_garbage_never_becomes_an_empty_object(sent):
    found = restored(sent)
    assert found.arguments is None
    assert not found.ok
    assert "send a JSON object" in found.message
    assert found.repairs == ()


def test_messages_are_short_and_harmless():
    inputs = {"type": "object", "additionalProperties": WHOLE}
    sent = {f"m{number}": "\x1b[31m" + "x" * 5000 for number in range(50)}
    message = restored(sent, tool=tc.CanonicalTool(name="f", inputs=inputs)).message
    assert len(message) < 4000
    assert "\x1b" not in message
    assert "more" in message.splitlines()[-2]


EMPTY = [{}, {"type": "object"}, {"type": "object", "properties": {}}]


@pytest.mark.parametrize("inputs", EMPTY)
@pytest.mark.parametrize("sent", ["", " ", None, "{}", {}, b""])
@pytest.mark.parametrize("target", TARGETS)
def test_a_tool_without_parameters_takes_nothing_for_none(target, sent, inputs):
    found = restored(sent, target, tc.CanonicalTool(name="ping", inputs=inputs))
    assert found.ok, found.message
    assert found.arguments == {}
    assert [item.code for item in found.repairs] == ([] if sent in ("{}", {}) else ["R006"])


def test_unused_options_of_strict_mode_come_back_as_absent():
    found = restored({**dict.fromkeys(SCHEMA["properties"]), "city": "Rome"}, "openai/strict")
    assert found.arguments == {"city": "Rome"}
    assert found.repairs == ()


def test_a_free_text_tool_takes_text():
    tool = tc.read({"type": "custom", "custom": {"name": "run"}}, "openai")[0]
    for target in ("openai", "anthropic"):
        binding = tc.bind(tool, target)
        name, wire = binding.render("run", "ls -l")
        found = binding.restore(name, wire)
        assert found.ok, found.message
        assert found.arguments == "ls -l"


def test_unknown_tools_are_named_with_advice():
    binding = tc.bind([TOOL, tc.CanonicalTool(name="news")], "openai")
    for ask in (binding.restore, binding.render):
        with pytest.raises(UnknownTool, match="weather") as caught:
            ask("wether", {})
        assert "did you mean" in str(caught.value).lower()
    with pytest.raises(UnknownTool):
        binding.tool_choice("nothing-like-it")


def test_other_names_go_there_and_come_back():
    tool = tc.CanonicalTool(name="get weather!", namespace="home", inputs={"type": "object"})
    for target in ("openai", "anthropic", "gemini", "bedrock"):
        binding = tc.bind(tool, target)
        wire = binding.names[tool.id]
        assert wire != tool.id
        assert binding.needs_restore
        assert binding.restore(wire, {}).name == tool.id
        assert binding.render(tool.id, {}) == (wire, {})


# From a receipt, in a process that never saw the tools.

CHILD = """
import json, sys
import toolcanon as tc
given = json.load(sys.stdin)
binding = tc.Binding.from_receipt(given["receipt"])
found = [binding.restore(name, sent).to_dict() for name, sent in given["calls"]]
print(json.dumps({"restored": found, "names": binding.names,
                  "choice": binding.tool_choice("weather"), "receipt": binding.receipt()}))
"""


def test_a_receipt_works_in_another_process():
    for target in ("openai/strict", "gemini/openapi"):
        binding = bound(target)
        wire_name = binding.names["weather"]
        sent = [meant for _, meant, _ in SENT]
        calls = [(wire_name, binding.render("weather", value)[1]) for value in sent]
        calls += [(wire_name, "garbage"), (wire_name, {"days": []})]
        receipt = binding.receipt()
        done = subprocess.run(
            [sys.executable, "-c", CHILD],
            input=json.dumps({"receipt": receipt, "calls": calls}),
            capture_output=True,
            text=True,
            check=True,
        )
        told = json.loads(done.stdout)
        assert told["restored"] == [binding.restore(*call).to_dict() for call in calls]
        assert told["names"] == binding.names
        assert told["choice"] == binding.tool_choice("weather")
        assert told["receipt"] == receipt


def test_a_binding_from_a_receipt_has_no_payload():
    again = tc.Binding.from_receipt(bound().receipt())
    with pytest.raises(AttributeError, match="receipt"):
        _ = again.payload


def damaged():
    """A receipt, each time with another part replaced."""
    whole = bound("openai/strict").receipt()
    yield from (None, 5, "x", [], {}, {"tools": []})
    for key in ("toolcanon-receipt", "ir", "format", "tools"):
        for value in (None, 99, "x", [5], {"x": 1}):
            if value != whole[key]:
                yield {**whole, key: value}
    (entry,) = whole["tools"]
    for key in ("id", "wire", "inputs", "wire_inputs", "lens"):
        for value in (None, 5, [], "x" if key not in {"id", "wire"} else {}):
            yield {**whole, "tools": [{**entry, key: value}]}
    lens = entry["lens"]
    for wrong in (
        {"version": 2}, {"root": 5}, {"root": {"ops": [{"op": "nope"}]}}, {"root": {"ops": 5}},
        {"root": {"ops": [5]}}, {"root": {"ops": [{"op": "absent"}]}}, {"root": {"properties": 5}},
        {"root": {"properties": {"city": 5}}}, {"root": {"anyOf": 5}}, {"root": {"$ref": 5}},
        {"root": {"ops": [{"op": "rename", "names": 5}]}}, {"defs": 5}, {"defs": {"a": 5}},
        {"root": {"ops": [{"op": "words", "table": [5]}]}}, {"root": {"items": 5}},
    ):  # fmt: skip
        yield {**whole, "tools": [{**entry, "lens": {**lens, **wrong}}]}


@pytest.mark.parametrize("receipt", [pytest.param(r, id=str(i)) for i, r in enumerate(damaged())])
def test_damaged_receipts_are_refused(receipt):
    def used():
        binding = tc.Binding.from_receipt(copy.deepcopy(receipt))
        binding.restore("weather", {"city": "Rome", "tags": ["a"]})
        binding.render("weather", {"city": "Rome", "tags": ["a"]})

    with pytest.raises(BadReceipt):
        used()


# Requests and choices, as the providers' own types have them.


def checked(type_):
    adapter = pytest.importorskip("pydantic").TypeAdapter(type_)
    return lambda value: adapter.validate_python(value, strict=True, extra="forbid")


def openai_types():
    pytest.importorskip("openai")
    from openai.types.chat import (
        ChatCompletionNamedToolChoiceParam,
        ChatCompletionToolUnionParam,
    )

    return ChatCompletionToolUnionParam, ChatCompletionNamedToolChoiceParam


def responses_types():
    pytest.importorskip("openai")
    from openai.types.responses import ToolChoiceFunctionParam, ToolParam

    return ToolParam, ToolChoiceFunctionParam


def anthropic_types():
    pytest.importorskip("anthropic")
    from anthropic.types import ToolChoiceToolParam, ToolUnionParam

    return ToolUnionParam, ToolChoiceToolParam


@pytest.mark.parametrize(
    "target, types",
    [
        ("openai", openai_types),
        ("openai-responses", responses_types),
        ("anthropic", anthropic_types),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_requests_and_choices_fit_the_types(target, types, strict):
    tool_type, choice_type = types()
    binding = tc.bind([TOOL, tc.CanonicalTool(name="ping")], target, strict=strict)
    request = binding.request()
    assert set(request) == {"tools"}
    assert len(request["tools"]) == 2
    for tool in request["tools"]:
        checked(tool_type)(tool)
    checked(choice_type)(binding.tool_choice("weather"))


@pytest.mark.parametrize("strict", [False, True])
def test_gemini_requests_fit_the_model(strict):
    types = pytest.importorskip("google.genai.types")
    binding = tc.bind([TOOL], "gemini", strict=strict)
    request = binding.request()
    types.GenerateContentConfig.model_validate(request["config"])
    assert ("toolConfig" in request["config"]) == strict
    choice = binding.tool_choice("weather")
    types.GenerateContentConfig.model_validate({**request["config"], "toolConfig": choice})


@pytest.mark.parametrize("strict", [False, True])
def test_bedrock_requests_fit_the_service(strict):
    session = pytest.importorskip("botocore.session").get_session()
    from botocore.validate import ParamValidator

    shape = session.get_service_model("bedrock-runtime").operation_model("Converse").input_shape
    binding = tc.bind([TOOL], "bedrock", strict=strict)
    request = binding.request()
    request["toolConfig"]["toolChoice"] = binding.tool_choice("weather")
    body = {"modelId": "m", **request}
    assert ParamValidator().validate(body, shape).generate_report() == ""


def test_a_request_without_tools_is_empty():
    assert tc.bind([], "openai").request() == {}


def test_where_nothing_can_be_chosen_that_is_said():
    with pytest.raises(UsageError, match="json-schema"):
        tc.bind(TOOL, "json-schema").tool_choice("weather")


def test_a_name_that_two_namespaces_have_is_told_and_not_guessed():
    tools = [
        tc.CanonicalTool(name="search", namespace=group, inputs={"type": "object"})
        for group in ("files", "mail")
    ]
    bound = tc.bind(tools, "openai-responses")
    assert verify(bound).violations == []
    for binding in (bound, tc.Binding.from_receipt(bound.receipt())):
        with pytest.raises(AmbiguousCall, match="files:search or mail:search"):
            binding.restore("search", {})
        assert binding.restore("mail:search", {}).name == "mail:search"
