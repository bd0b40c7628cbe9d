"""Binding an equal tool again gives the same, and no change to a result reaches the memo."""

import copy
import json
from collections import OrderedDict
from enum import StrEnum

import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.conversion.predicted_losses import RECIPES, recipe_of
from toolcanon.conversion.target import find_bind_target
from toolcanon.jsonio import exact_bytes, is_pure
from toolcanon.lowering import memo
from toolcanon.lowering.engine import engine_of
from toolcanon.registry import get_target, registry

SCHEMAS = {
    "clean": {"type": "object", "properties": {"a": {"type": "string"}}},
    "words": {"type": "dict", "properties": {"a": {"type": "float"}}},
    "map": {
        "type": "object",
        "properties": {"m": {"type": "object", "additionalProperties": {"type": "integer"}}},
        "required": ["m"],
    },
    "bounds": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}},
    "nothing": {},
}
WAYS = [
    ("openai", {}),
    ("openai", {"strict": True}),
    ("anthropic", {"strict": "auto"}),
    ("gemini", {"dialect": "gemini/openapi"}),
    ("openai-responses", {}),
    ("mcp", {}),
]


def fresh(schema):
    return tc.read({"name": "a.b", "title": "T", "inputSchema": copy.deepcopy(schema)})[0]


def everything(bound):
    return bound.payload, bound.losses, bound.receipt(), bound.names, bound._bound[0].lens


@table("target, options", WAYS)
@table("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_the_second_time_is_like_the_first(schema, target, options):
    memo.forget()
    first = everything(tc.bind(fresh(schema), target, **options))
    for _ in range(3):
        assert everything(tc.bind(fresh(schema), target, **options)) == first


@table("target, options", WAYS)
@table("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_a_changed_payload_changes_nothing_else(schema, target, options):
    memo.forget()
    expected = copy.deepcopy(tc.bind(fresh(schema), target, **options).payload)
    for _ in range(3):
        spoiled = tc.bind(fresh(schema), target, **options).payload
        spoil(spoiled)
        assert tc.bind(fresh(schema), target, **options).payload == expected


@table("target, options", WAYS)
@table("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_a_changed_lens_changes_nothing_else(schema, target, options):
    memo.forget()
    expected = copy.deepcopy(tc.bind(fresh(schema), target, **options).lenses)
    for _ in range(3):
        made = tc.bind(fresh(schema), target, **options)
        for spoiled in filter(None, made.lenses):
            spoiled.clear()
        assert made.lenses == tc.bind(fresh(schema), target, **options).lenses == expected


WHOLE = {
    "both schemas": {"name": "f", "inputSchema": SCHEMAS["words"],
                     "outputSchema": SCHEMAS["words"]},
    "answer alone": {"name": "f", "inputSchema": SCHEMAS["clean"],
                     "outputSchema": SCHEMAS["words"]},
    "as it is": {"name": "f", "inputSchema": SCHEMAS["clean"], "outputSchema": SCHEMAS["clean"]},
    "more around it": {"name": "f", "input_schema": SCHEMAS["clean"],
                       "cache_control": {"type": "ephemeral"}},
    "free text": {"type": "custom", "custom": {"name": "f"}},
    "no schema": {"name": "f", "description": "d"},
}  # fmt: skip
SHAPES = [
    "openai",
    "anthropic",
    "gemini",
    "mcp",
    "bedrock",
    "smolagents",
    "json-schema",
    "canonical",
]


@table("target", SHAPES)
@table("definition", WHOLE.values(), ids=WHOLE)
def test_whatever_surrounds_the_schema(definition, target):
    def bound():
        return tc.bind(tc.read(copy.deepcopy(definition))[0], target)

    memo.forget()
    first = copy.deepcopy(everything(bound()))
    for _ in range(3):
        again = bound()
        assert everything(again) == first
        assert again.request() == bound().request()
        spoil(again.payload)


def test_what_was_written_may_be_changed_before_the_rest_is_asked_for():
    memo.forget()
    definition = {"type": "function", "function": {"name": "f", "parameters": SCHEMAS["map"]}}
    for _ in range(3):
        bound = tc.bind(tc.read(definition)[0], "openai", strict=True)
        bound.payload.clear()
        assert bound.restore("f", {"m": [{"key": "a", "value": 1}]}).arguments == {"m": {"a": 1}}


@pytest.mark.parametrize("odd", [(1, 2), float("nan")], ids=["tuple", "NaN"])
def test_what_text_would_change_is_not_kept(odd):
    memo.forget()
    for _ in range(4):
        tool = fresh(SCHEMAS["words"])
        tool.inputs["properties"]["a"]["default"] = odd
        payload = tc.bind(tool, "openai").payload
        kept = payload["function"]["parameters"]["properties"]["a"]["default"]
        assert kept is odd


def test_a_conversion_again():
    definition = {"name": "f", "title": "T", "inputSchema": SCHEMAS["map"]}
    first, second = (tc.convert(definition, "openai", source="mcp", strict=True) for _ in range(2))
    assert everything(first) == everything(second)


def test_a_changed_tool_is_bound_anew():
    tool = fresh(SCHEMAS["map"])
    tc.bind(tool, "openai", strict=True)
    tool.inputs["properties"]["more"] = {"type": "boolean"}
    payload = tc.bind(tool, "openai", strict=True).payload
    assert "more" in payload["function"]["parameters"]["properties"]


def test_observers_are_notified_every_time():
    told = []
    stop = tc.observe(told.append)
    try:
        for _ in range(2):
            tc.bind(fresh(SCHEMAS["bounds"]), "anthropic", strict=True)
        bound = tc.bind(fresh(SCHEMAS["bounds"]), "openai")
        bound.restore("a_b", {"n": "3"})
    finally:
        stop()
    kinds = [type(group[0]).__name__ for group in told]
    assert kinds == ["Loss", "Loss", "Loss", "Repair"]
    tc.bind(fresh(SCHEMAS["bounds"]), "openai")
    assert len(told) == 4


def spoil(value):
    if isinstance(value, dict):
        for item in list(value.values()):
            spoil(item)
        value.clear()
    elif isinstance(value, list):
        for item in value:
            spoil(item)
        value.clear()


def test_the_same_words_of_another_format_are_another_tool():
    definition = {"name": "f", "parametersJsonSchema": SCHEMAS["clean"]}
    own, foreign = tc.read(definition)[0], tc.read(definition)[0]
    own.source_format = "openai-responses"
    assert tc.bind(own, "openai-responses").payload["strict"] is None
    assert tc.bind(foreign, "openai-responses").payload["strict"] is False


@table("target", [item.id for item in registry().formats.values() if item.write])
def test_a_changed_payload_without_parameters_spoils_no_other(target):
    def written():
        return tc.convert({"type": "function", "function": {"name": "f"}}, target, lower=False)

    before = copy.deepcopy(written().payload)
    stack = [written().payload]
    while stack:
        item = stack.pop()
        stack += item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        if isinstance(item, dict):
            item["spoiled"] = True
    assert written().payload == before


class Word(StrEnum):
    STRING = "string"


ALIKE = {
    "tuple": ({"required": ("a",)}, {"required": ["a"]}),
    "text subclass": ({"title": Word.STRING}, {"title": "string"}),
    "dict subclass": (
        {"properties": OrderedDict(a={"type": "string", "pattern": "^x$"})},
        {"properties": {"a": {"type": "string", "pattern": "^x$"}}},
    ),
    "no number": ({"default": float("nan")}, {"default": None}),
}


@pytest.mark.parametrize("is_odd_first", [True, False])
@pytest.mark.parametrize("odd, plain", ALIKE.values(), ids=ALIKE)
def test_values_that_are_written_alike_are_not_confused(odd, plain, is_odd_first):
    base = {"type": "dict", "properties": {"a": {"type": "str", "pattern": "^x$"}}}

    def result(more):
        bound = tc.convert({"name": "f", "parameters": {**base, **more}}, "bedrock")
        return repr((bound.payload, bound.losses))

    memo.forget()
    expected = {}
    for more in (odd, plain):
        memo.forget()
        expected[id(more)] = result(more)
    memo.forget()
    for more in ((odd, plain) if is_odd_first else (plain, odd)) * 3:
        for _ in range(3):
            assert result(more) == expected[id(more)]


def test_rows_that_are_written_alike_are_not_confused():
    def tools(required):
        schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": required}
        return [
            {"name": "f", "parameters": schema},
            {"name": "g", "parameters": {"type": "object"}},
        ]

    convert = tc.Converter("anthropic")
    convert(tools(("a",)))
    assert convert(tools(["a"]))[0]["input_schema"]["required"] == ["a"]


def test_a_changed_loss_changes_no_other():
    schema = {"type": "object", "properties": {"a": {"type": "string", "not": {"enum": ["q"]}}}}
    memo.forget()
    for _ in range(4):
        found = tc.convert({"name": "f", "input_schema": schema}, "openai", strict=True).losses
        (loss,) = [loss for loss in found if loss.code == "L210"]
        assert loss.before == {"enum": ["q"]}
        loss.before["changed"] = True
        schema = {"type": "object", "properties": {"a": {"type": "string", "not": {"enum": ["q"]}}}}


HELD = {
    "type": "dict",
    "properties": {
        "a": {"type": "str", "not": {"enum": ["q"]}},
        "m": {"type": "object", "additionalProperties": {"anyOf": [{"type": "integer"}, {}]}},
        "d": {"type": "object", "properties": {"x": {"type": "float", "default": 1.5}}},
    },
    "required": ["a"],
}


@pytest.mark.parametrize("target, options", WAYS)
def test_tools_of_one_schema_have_losses_of_their_own(target, options):
    def bound(name):
        return tc.convert({"name": name, "parameters": copy.deepcopy(HELD)}, target, **options)

    expected = {}
    for name in ("f", "g"):
        memo.forget()
        expected[name] = copy.deepcopy((bound(name).payload, [*bound(name).losses]))
    memo.forget()
    for name in ("f", "f", "g", "g", "f"):
        made = bound(name)
        assert (made.payload, [*made.losses]) == expected[name]
        spoil(made.payload)
        for loss in made.losses:
            if loss.at[0] == "inputs":
                spoil(loss.before)
                spoil(loss.after)


def test_a_changed_loss_of_a_tool_without_parameters_changes_no_other():
    told = []
    for _ in range(2):
        made = tc.convert({"name": "f", "description": "d", "parameters": {}}, "anthropic")
        (loss,) = (loss for loss in made.losses if loss.at == ("inputs", "properties"))
        told.append(copy.deepcopy(loss.after))
        loss.after["spoiled"] = 1
        assert made.payload["input_schema"]["properties"] == {}
    assert told == [{}, {}]


def test_what_a_target_adds_to_a_tool_without_parameters_is_predicted():
    for target in ("openai", "anthropic", "gemini", "mcp", "bedrock"):
        (item,) = tc.bind(tc.CanonicalTool(name="f", description="d"), target)._bound
        said = {"name": "f", "description": "d", "source_format": "raw"}
        assert recipe_of(said, item.wire, get_target(target)) is not None, target


def test_a_changed_payload_changes_no_way_back():
    inner = {"type": "object", "additionalProperties": {"type": "string"}}
    branch = {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]}
    schema = {"type": "object", "properties": {"m": {"anyOf": [inner, branch]}}, "required": ["m"]}
    memo.forget()
    expected = None
    for _ in range(4):
        definition = {"name": "f", "input_schema": copy.deepcopy(schema)}
        bound = tc.convert(definition, "openai", strict=True)
        before = json.dumps(bound.lenses)
        spoil(bound.payload)
        assert json.dumps(bound.lenses) == before
        expected = expected or before
        assert before == expected


def test_caches_keep_no_keys_of_hostile_length():
    for number in range(50):
        tool = {"name": "f", "input_schema": {"type": "object", f"{number}" * 9_000: 1},
                f"x{number}" * 9_000: 1}  # fmt: skip
        assert tc.convert(tool, "openai").losses
    dialect = find_bind_target("openai").choice.plain
    held = [*(shape for *_, shape in RECIPES), *engine_of(dialect).root_plans]
    assert all(len(repr(shape)) < 9_000 for shape in held)


@pytest.mark.parametrize("around", [lambda v: v, lambda v: {"a": [1, v]}, lambda v: [{"(": v}]])
@pytest.mark.parametrize("odd", [(), (1, 2), float("nan"), float("inf"), -float("inf")], ids=repr)
def test_what_text_would_change_is_not_pure(odd, around):
    assert not is_pure(exact_bytes(around(odd)))


@pytest.mark.parametrize(
    "plain", [None, 1.5, "(x, y) nan", "f nan inf", ["(a)", {"(b c)": [True, -1e300]}]], ids=repr
)
def test_plain_json_is_pure(plain):
    assert is_pure(exact_bytes(plain))
