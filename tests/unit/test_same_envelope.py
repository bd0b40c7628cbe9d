"""Providers that share an envelope: whose tool is it, and what is different with each."""

import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.conversion.target import all_dialects
from toolcanon.errors import UnreadableTool, UsageError
from toolcanon.lowering import lower
from toolcanon.schema.measure import measure

FAMILY = ("cohere", "deepseek", "groq", "mistral", "ollama", "xai")
TEXT = {"type": "string"}


def function(name="f", **members):
    schema = {"type": "object", "properties": members}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


def why_not_strict(bound):
    return {loss.tool: loss.after for loss in bound.losses if loss.code == "L237"}


@pytest.mark.parametrize("definition", [function(a=TEXT), {"function": {"name": "f"}}])
def test_no_format_claims_what_all_write(definition):
    found = tc.detect(definition)
    assert found.format == "openai"
    assert set(FAMILY) <= set(found.candidates)
    assert tc.detect([definition, definition]).format == "openai"


@pytest.mark.parametrize(
    "definition, format_id",
    [
        ({"type": "connector", "connector_id": "c"}, "mistral"),
        ({"type": "browser_search"}, "groq"),
        ({"type": "x_search"}, "xai"),
        ({"type": "web_search"}, "openai-responses"),
        ({"type": "code_interpreter"}, "openai-responses"),
    ],
)
def test_what_one_alone_writes_is_theirs(definition, format_id):
    assert tc.detect(definition).format == format_id


@table("target", FAMILY)
@table(
    "definition, place",
    [
        ({"type": "function", "function": "f"}, "/function"),
        ({"type": "function", "function": {}}, "/function/name"),
        ({"type": "function", "function": {"name": "f", "parameters": 1}}, "/function/parameters"),
    ],
)
def test_problems_are_reported_in_terms_of_the_named_format(target, definition, place):
    with pytest.raises(UnreadableTool) as told:
        tc.read(definition, source=target)
    assert (told.value.format, told.value.at) == (target, place)


EMPTY = {"type": "object", "properties": {}, "additionalProperties": False}


@pytest.mark.parametrize("target", ["cohere", "deepseek"])
def test_all_tools_are_strict_or_none(target):
    good, bad = function("good", a=TEXT), function("bad", a=EMPTY)
    both = tc.bind([good, bad], target, strict=True)
    assert why_not_strict(both) == {
        "good": "not every tool of the request can be strict",
        "bad": "an object without members",
    }
    assert both.payload[0]["function"]["parameters"] == good["function"]["parameters"]
    assert not any(item["function"].get("strict") for item in both.payload)
    assert "strict_tools" not in both.request()
    assert both.restore("good", {"a": "x"}).arguments == {"a": "x"}
    alone = tc.bind([good, function("other", b=TEXT)], target, strict=True)
    assert why_not_strict(alone) == {}
    assert alone.restore("good", {"a": None}).arguments == {}


def test_one_strict_tool_does_not_make_its_neighbours_strict():
    said = function("said", a=TEXT)
    said["function"]["strict"] = True
    bound = tc.bind([said, function("unsaid", a=TEXT)], "deepseek")
    assert list(why_not_strict(bound)) == ["said"]
    assert not why_not_strict(tc.bind([said, function("unsaid", a=TEXT)], "mistral"))


@pytest.mark.parametrize("mode, asked", [(False, None), (True, True), ("auto", True)])
def test_a_strict_request_is_marked_as_a_whole(mode, asked):
    tool = function(a=TEXT)
    tool["function"]["parameters"]["required"] = ["a"]
    assert tc.bind(tool, "cohere", strict=mode).request().get("strict_tools") is asked


@pytest.mark.parametrize("strict", [True, False])
def test_a_request_states_how_strict_its_tools_are(strict):
    tool = function(a=TEXT)
    tool["function"]["parameters"]["required"] = ["a"]
    body = {"model": "m", "messages": [], "strict_tools": strict, "tools": [tool]}
    assert tc.detect(body).format == tc.detect([body]).format == "cohere"
    for source in (None, "cohere"):
        (read,) = tc.read(body, source=source)
        assert (read.source_format, read.hints.strict) == ("cohere", strict)
    assert tc.convert(body, "openai").payload[0]["function"]["strict"] is strict
    same = tc.convert(body, "cohere")
    assert same.binding.request().get("strict_tools", False) is strict
    (told,) = [loss for loss in same.losses if loss.code == "L007"]
    assert (str(told.at), told.before) == ("/hints/strict", strict)


def test_what_states_no_strictness_is_not_taken_for_it():
    body = {"strict_tools": None, "tools": [function(a=TEXT)]}
    assert tc.detect(body).format == "cohere"
    assert tc.read(body)[0].hints.strict is None
    assert tc.read({**body, "tools": []}) == []
    for wrong, place in (
        ({**body, "strict_tools": "yes"}, "/strict_tools"),
        ({**body, "tools": [function(), {"type": "function"}]}, "/tools/1/function"),
    ):
        with pytest.raises(UnreadableTool) as told:
            tc.read(wrong)
        assert told.value.at == place


def test_members_of_a_request_are_counted():
    hundred = {f"m{number}": TEXT for number in range(100)}
    tools = [function(f"f{number}", **hundred) for number in range(3)]
    assert why_not_strict(tc.bind(tools[:2], "cohere", strict=True)) == {}
    assert "members" in why_not_strict(tc.bind(tools, "cohere", strict=True))["f2"]


def test_one_member_is_required_where_none_was():
    written = tc.bind(function(a=TEXT, b=TEXT), "cohere", strict=True)
    schema = written.payload["function"]["parameters"]
    assert schema["required"] == ["a"]
    assert schema["properties"]["b"] == TEXT
    assert written.restore("f", {"a": None, "b": "x"}).arguments == {"b": "x"}


def test_a_root_without_members_is_strict_at_one_and_not_at_the_other():
    assert why_not_strict(tc.bind(function(), "deepseek", strict=True)) == {}
    assert why_not_strict(tc.bind(function(), "cohere", strict=True))


def test_a_union_within_a_union_is_not_strict_where_branches_need_types():
    pair = {"anyOf": [TEXT, {"type": "integer"}]}
    told = why_not_strict(
        tc.bind(function(a={"anyOf": [pair, {"type": "boolean"}]}), "deepseek", strict=True)
    )
    assert told == {"f": "a union within a union"}
    named = {"type": "object", "properties": {"anyOf": {"type": "array", "items": pair}}}
    assert measure(named).stacked == ()
    assert measure({"anyOf": [pair]}).stacked == (("anyOf", 0),)


@pytest.mark.parametrize(
    "pattern, kept",
    [("a+", True), (r"[^$]\$\^", True), ("^a", False), ("a$", False), (r"\\$", False)],
)
def test_patterns_without_anchors(pattern, kept):
    schema = {"type": "object", "properties": {"a": {**TEXT, "pattern": pattern}}}
    written = lower(schema, all_dialects()["cohere/strict"]).schema["properties"]["a"]
    assert ("pattern" in str(written.get("anyOf", written)).split("description")[0]) is kept


@pytest.mark.parametrize(
    "schema, written",
    [
        ({"type": "object"}, {"type": "object", "additionalProperties": True}),
        ({"type": ["object", "null"]}, {"type": ["object", "null"], "additionalProperties": True}),
        (EMPTY, EMPTY),
        ({"type": "object", "properties": {"b": TEXT}}, None),
        ({"type": "object", "additionalProperties": TEXT}, None),
    ],
)
def test_an_object_states_that_it_is_open_where_that_is_not_the_default(schema, written):
    bound = tc.bind(function(a=schema), "xai").payload
    assert bound["function"]["parameters"]["properties"]["a"] == (written or schema)


def test_only_some_targets_take_a_named_tool_choice():
    for target in ("cohere", "ollama"):
        with pytest.raises(UsageError):
            tc.bind(function(a=TEXT), target).tool_choice("f")
    for target in ("mistral", "xai", "deepseek", "groq"):
        chosen = tc.bind(function(a=TEXT), target).tool_choice("f")
        assert chosen == {"type": "function", "function": {"name": "f"}}


@pytest.mark.parametrize(
    "target, model, spoken",
    [
        ("mistral", "mistral-large-latest", "mistral"),
        ("openai", "grok-4.3", "xai"),
        ("groq", "openai/gpt-oss-120b", "groq"),
        ("openai", "gpt-5", "openai"),
        ("openai", "deepseek-chat", "deepseek"),
        ("cohere", "command-a-03-2025", "cohere"),
    ],
)
def test_models_speak_their_dialect(target, model, spoken):
    bound = tc.bind(function(a=TEXT), target, model=model)
    assert bound._bound[0].wire.dialect.id == spoken
