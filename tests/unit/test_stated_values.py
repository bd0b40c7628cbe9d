"""Defaults and examples go out as values of the schema that goes out."""

import pytest

import toolcanon as tc
from tests.tables import table
from tests.unit.test_steps import dialect_of
from toolcanon.conversion.target import all_dialects
from toolcanon.lowering import lower
from toolcanon.lowering.notes import note
from toolcanon.schema import upgrade
from toolcanon.schema.validate import judge

WORDS = {"type": "integer", "enum": [1, 2]}
MAP = {"type": "object", "additionalProperties": {"type": "string"}}
OLD = all_dialects()["gemini/openapi"]

# A member, its default before and after, in a dialect of string enums and without maps.
DEFAULTS = [
    ({**WORDS, "default": 1}, "1"),
    ({**WORDS, "default": "2"}, "2"),  # a word already
    ({"enum": [1, "a"], "default": 1}, "1"),
    ({"const": 5, "default": 5}, "5"),
    ({"type": ["integer", "null"], "enum": [1, None], "default": None}, None),
    ({"anyOf": [WORDS, {"type": "null"}], "default": 2}, "2"),
    ({"type": "array", "items": WORDS, "default": [2, 1]}, ["2", "1"]),
    ({"type": "object", "properties": {"n": WORDS}, "default": {"n": 1}}, {"n": "1"}),
    ({**MAP, "default": {"a": "b"}}, [{"key": "a", "value": "b"}]),
    ({**MAP, "default": {}}, []),
    ({"type": "string", "default": "x"}, "x"),
]


def member(schema, dialect):
    lowered = lower({"type": "object", "properties": {"x": schema}}, dialect)
    told = {(loss.code, loss.at[-1]): loss for loss in lowered.losses("t", "inputs")}
    return lowered.schema["properties"]["x"], told


@table("schema, wanted", DEFAULTS)
def test_defaults_are_values_of_the_written_schema(schema, wanted):
    written, told = member(schema, OLD)
    assert written["default"] == wanted
    assert judge(upgrade(written).schema).accepts(written["default"])
    if wanted != schema["default"]:
        loss = told["L250", "default"]
        assert (loss.before, loss.after, loss.effect) == (
            schema["default"],
            wanted,
            tc.Effect.EXACT,
        )
    else:
        assert ("L250", "default") not in told


def test_examples_are_values_of_the_written_schema():
    dialect = dialect_of("enum_strings=True maps=False")
    written, told = member({**WORDS, "examples": [2, 7, 1]}, dialect)
    assert written["examples"] == ["2", "1"]
    assert told["L250", "examples"].before == [2, 7, 1]
    written, _ = member({**MAP, "examples": [{"a": "b"}, {}]}, dialect)
    assert written["examples"] == [[{"key": "a", "value": "b"}], []]


def test_default_that_is_no_value_goes_with_a_report():
    written, told = member({**WORDS, "default": 7}, OLD)
    assert "default" not in written
    assert told["L229", "default"].effect == tc.Effect.HINT_LOST


def test_coded_enum_names_the_type_that_changed():
    for schema, before, after in (
        (WORDS, "integer", "string"),
        ({"type": ["integer", "null"], "enum": [1, None]}, ["integer", "null"],
         ["string", "null"]),
        ({"enum": [1, 2]}, None, "string"),
    ):  # fmt: skip
        _, told = member(schema, OLD)
        assert (told["L213", "type"].before, told["L213", "type"].after) == (before, after)
    assert ("L213", "type") not in member({"type": "string", "enum": ["a", ""]}, OLD)[1]


def test_defaults_behind_references_in_the_making_stay():
    schema = {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}], "default": {"b": "c"}}
    whole = {"type": "object", "properties": {"x": schema}, "$defs": {"a": MAP}}
    for name, dialect in all_dialects().items():
        sent = lower(whole, dialect).schema
        assert "x" in sent["properties"], name


def test_notes_show_values_as_they_are_to_be_written():
    strict = all_dialects()["openai/strict"]
    written, _ = member({**MAP, "default": {"a": "b"}}, strict)
    assert written["description"] == '(default: [{"key":"a","value":"b"}])'
    written, _ = member({**WORDS, "examples": [2]}, OLD)
    assert written["description"] == '(examples: ["2"])'


SHOWN = [("", 'default: ""'),
         (" ", 'default: " "'), ("a\n", 'default: "a\\n"'), ("a", "default: a"),
         (None, "default: null"), ([], "default: []"), (0, "default: 0"), (False, "default: false"),
         ("\ud800 ", 'default: "? "')]  # fmt: skip


@pytest.mark.parametrize("value, text", SHOWN)
def test_notes_quote_empty_strings(value, text):
    assert note("default", value) == text
    written, _ = member({"type": ["string", "null"], "default": ""}, all_dialects()["ollama"])
    assert written["description"] == '(default: "")'


def test_no_examples_make_no_note():
    assert note("examples", []) is None
