"""Rows: one by one, in batches, in other processes; the lane's sums are those of the long road."""

import json
import math
import pickle
from collections import Counter

import pytest

import toolcanon as tc
from tests.conftest import format_cases
from tests.tables import table
from toolcanon.errors import NotACall, NoTools, RefusedArguments, ToolcanonError, UsageError
from toolcanon.jsonio import DEFAULT_LIMITS, loads, loads_line
from toolcanon.registry import registry

WEATHER = {
    "name": "get weather",
    "description": "d",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "by": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
        "required": ["city"],
    },
}
CALLS = {
    "bare": {"name": "get weather", "arguments": {"city": "x"}},
    "arguments as text": {"name": "get weather", "arguments": '{"city": "x"}'},
    "wrapped": {
        "id": "1",
        "type": "function",
        "function": {"name": "get weather", "arguments": '{"city": "x"}'},
    },
    "a block": {"type": "tool_use", "id": "t", "name": "get weather", "input": {"city": "x"}},
}


def nested(value, depth):
    for _ in range(depth):
        value = [value]
    return value


def nested_texts(times, depth):
    """Each text is within every limit, and the next is inside it."""
    text = "[]"
    for _ in range(times):
        text = json.dumps(nested(text, depth))
    return text


def converter(**options):
    return tc.Converter("openai", strict=True, tools_field="tools", calls_field="calls", **options)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("encoded", [False, True])
def test_calls_are_written_by_the_binding_of_the_tools(call, encoded):
    row = {"id": 7, "tools": [WEATHER], "calls": [call]}
    if encoded:
        row = {**row, "tools": json.dumps([WEATHER]), "calls": json.dumps([call])}
    out = converter()(row)
    assert out["id"] == 7
    assert isinstance(out["tools"], str) == isinstance(out["calls"], str) == encoded
    tools, calls = (json.loads(x) if encoded else x for x in (out["tools"], out["calls"]))
    binding = tc.bind(tc.read([WEATHER]), "openai", strict=True)
    assert tools == binding.payload
    (made,) = calls
    inner = made.get("function", made)
    arguments = inner.get("input", inner.get("arguments"))
    assert isinstance(arguments, str) == isinstance(
        call.get("function", call).get("arguments"), str
    )
    arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
    assert (inner["name"], arguments) == binding.render("get weather", {"city": "x"})
    assert made.get("id") == call.get("id")
    assert binding.restore(inner["name"], arguments).arguments == {"city": "x"}


def test_nothing_given_is_changed_and_the_original_can_be_kept():
    row = {"tools": [WEATHER], "calls": [CALLS["bare"]]}
    before = json.dumps(row)
    out = converter(keep_original=True)(row)
    assert json.dumps(row) == before
    assert out["tools_original"] == [WEATHER]
    assert out["calls_original"] == [CALLS["bare"]]


def test_an_original_is_not_written_over_what_is_there():
    with pytest.raises(UsageError, match="tools_original"):
        converter(keep_original=True)({"tools": [WEATHER], "tools_original": "mine"})


def test_columns_are_the_same_whatever_a_batch_holds():
    made = converter(keep_original=True, on_error="skip")
    names = ["tools", "calls", "tools_original", "calls_original"]
    for tools, calls in ([WEATHER], [CALLS["bare"]]), ([WEATHER], None), (5, None):
        assert list(made.batch({"tools": [tools], "calls": [calls]})) == names


@pytest.mark.parametrize("times", [0, 1, 2])
@pytest.mark.parametrize("each", [False, True], ids=["the list", "each tool"])
def test_tools_keep_their_encoding(each, times):
    def encoded(tools):
        value = [json.dumps(tool) for tool in tools] if each else tools
        for _ in range(times):
            value = json.dumps(value)
        return value

    def decoded(value):
        for _ in range(times):
            value = json.loads(value)
        return [json.loads(tool) for tool in value] if each else value

    other = {**WEATHER, "name": "other"}
    plain = converter()({"tools": [WEATHER, other]})["tools"]
    assert decoded(converter()({"tools": encoded([WEATHER, other])})["tools"]) == plain


@pytest.mark.parametrize("field", ["tools", "calls"])
def test_keys_that_stand_twice_in_a_text(field):
    row = {"tools": json.dumps([WEATHER]), "calls": json.dumps([CALLS["bare"]])}
    row[field] = row[field].replace('{"name":', '{"name": "other", "name":')
    with pytest.raises(ToolcanonError):
        converter()(row)
    told = []
    assert converter(on_duplicates=told.append)(row) == converter()({**row, field: json.dumps(
        json.loads(row[field]))})  # fmt: skip
    assert told == [("name",)]


def test_what_is_remembered_cannot_be_spoiled():
    made = converter()
    first = made({"tools": [WEATHER]})
    expected = json.dumps(first)
    first["tools"][0]["function"]["parameters"].clear()
    assert json.dumps(made({"tools": [WEATHER]})) == expected


def test_batches_of_rows_and_of_columns():
    rows = [{"id": n, "tools": [WEATHER], "calls": [CALLS["bare"]]} for n in range(3)]
    made = converter()
    expected = [made(row) for row in rows]
    assert made.batch(rows) == made.batch(tuple(rows)) == expected
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    assert made.batch(columns) == {name: [row[name] for row in expected] for name in expected[0]}


def test_a_converter_travels():
    made = converter(on_error="skip")
    made({"tools": [WEATHER]})
    again = pickle.loads(pickle.dumps(made))  # noqa: S301
    assert len(pickle.dumps(made)) < 1000
    rows = [{"tools": [WEATHER]}, {"tools": 5}, {}]
    assert again.batch(rows) == made.batch(rows) == [made({"tools": [WEATHER]})]


@pytest.mark.parametrize(
    "row, error",
    [
        ({}, NoTools),
        (5, NoTools),
        ({"tools": None}, NoTools),
        ({"tools": "{"}, ToolcanonError),
        ({"tools": [WEATHER], "calls": 5}, NotACall),
        ({"tools": [WEATHER], "calls": nested([], 5000)}, NotACall),
        ({"tools": [WEATHER], "calls": nested_texts(12, 200)}, NotACall),
        ({"tools": [WEATHER], "calls": [{"name": "other", "arguments": {}}]}, ToolcanonError),
        (
            {"tools": [WEATHER], "calls": [{"name": "get weather", "arguments": "{"}]},
            ToolcanonError,
        ),
    ],
)
def test_a_row_that_cannot_be_converted(row, error):
    with pytest.raises(error):
        converter()(row)
    good = {"tools": [WEATHER]}
    with pytest.raises(error) as caught:
        converter().batch([good, row])
    assert caught.value.row == 1
    assert converter(on_error="skip").batch([good, row]) == [converter()(good)]


@pytest.mark.parametrize(
    "options",
    [
        {"calls_field": "calls"},
        {"keep_original": True},
        {"calls_field": "tools", "tools_field": "tools"},
        {"on_error": "perhaps"},
        {"dialect": "nobody/knows"},
        {"to": "no"},
    ],
)
def test_wrong_options_are_reported_at_once(options):
    with pytest.raises(ToolcanonError):
        tc.Converter(**{"to": "openai", **options})


def test_what_is_no_batch():
    for batch in (5, "text"):
        with pytest.raises(UsageError):
            converter().batch(batch)
    with pytest.raises(UsageError):
        tc.Converter("openai").batch({"a": [1]})


SUMMED = [
    ("anthropic", {}),
    ("openai", {}),
    ("gemini", {}),
    ("gemini", {"dialect": "gemini/openapi"}),
    ("mcp", {"dialect": "mcp/claude-desktop"}),
    ("openai", {"strict": True}),
    ("openai", {"strict": "auto"}),
    ("anthropic", {"strict": True}),
    ("mistral", {"strict": True}),
    ("anthropic", {"lower": False}),
    ("bedrock", {"naming": {"f": "g"}}),
    ("vercel", {}),
]


@table("target, options", SUMMED)
def test_rows_are_converted_and_summed_as_tools_are(target, options):
    rows = tc.Converter(target, tools_field="tools", **options)
    seen = 0
    for definition in [*(case["definition"] for _, case in format_cases()), *WORDY.values()]:
        row = {"id": 1, "tools": definition, "more": [1]}
        before = json.dumps(row)
        try:
            done = rows.row(row)
        except ToolcanonError as error:
            with pytest.raises(type(error)):
                tc.convert(definition, target, **options)
            continue
        seen += 1
        assert json.dumps(row) == before
        expected = tc.convert(definition, target, **options)
        assert json.dumps(done.row) == json.dumps({**row, "tools": expected.payload})
        summed = Counter((tool, *kind) for tool, kinds in done.kinds() for kind in kinds)
        assert summed == Counter((loss.tool, loss.code, loss.effect) for loss in expected.losses)
        assert done.summed() == (done.row, done.kinds(), expected.needs_restore)
    assert seen


WORDY = {
    "upper-case types": {
        "name": "f",
        "description": "d",
        "parameters": {
            "type": "OBJECT",
            "properties": {
                "a": {"type": "STRING"},
                "b": {"type": "ARRAY", "items": {"type": "INTEGER"}},
                "type": {"type": "STRING", "default": {"type": "STRING"}},
            },
        },
    },
    "sloppy words": {
        "type": "function",
        "function": {
            "name": "f",
            "parameters": {"type": "dict", "properties": {"a": {"type": "float"}}},
        },
    },
    "a word and a draft": {
        "name": "f",
        "inputSchema": {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {"a": {"type": "float"}},
        },
    },
    "a word and another rewrite": {
        "name": "f",
        "input_schema": {
            "type": "object",
            "properties": {"a": {"type": "float"}, "b": {"type": "string", "nullable": True}},
        },
    },
    "capitals in a wrapper": {
        "type": "function",
        "function": {"name": "f", "parameters": {"type": "Object", "properties": {}}},
    },
}


@table("definition", WORDY.values(), ids=WORDY)
@table(
    "target, dialect",
    [(f.id, d.id) for f in registry().formats.values() for d in f.dialects if not d.strict],
)
def test_words_for_types_are_summed_in_rows_as_in_tools(definition, target, dialect):
    done = tc.Converter(target, dialect=dialect).row(definition)
    slow = tc.bind(tc.read(definition)[0], target, dialect=dialect)
    assert json.dumps(done.row) == json.dumps(slow.payload)
    assert done.needs_restore == slow.needs_restore
    summed = Counter(kind for _, kinds in done.kinds() for kind in kinds)
    assert summed == Counter((loss.code, loss.effect) for loss in slow.losses)


@pytest.mark.parametrize("first", ["object", "OBJECT"])
def test_keys_that_two_formats_share_are_distinguished_by_type(first):
    for word in (first, "object", "OBJECT", "object"):
        given = {"name": "f", "description": "d", "parameters": {"type": word, "properties": {}}}
        for target in ("gemini", "openai", "anthropic"):
            for lower in (False, True):
                done = tc.convert(given, target, lower=lower)
                assert done.payload == tc.bind(tc.read(given)[0], target, lower=lower).payload
                assert done.source == tc.detect(given).format


def test_a_dialect_with_keys_of_its_own_gets_them():
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    given = {"name": "f", "inputSchema": schema}
    done = tc.convert(given, "gemini", dialect="gemini/openapi")
    assert done.payload == {"name": "f", "parameters": schema}


ESCAPED = {
    "as json.dumps does it": (b'{"name":"f","title":"\\u4e2d \\u20ac","parameters":{}}', True),
    "beyond the first plane": (b'{"name":"\\ud83d\\ude00"}', True),
    "of one byte": (b'{"name":"\\u00e9"}', True),
    "a key twice beside it": (b'{"name":"\\u4e2d","name":"\\u4e2d"}', False),
    "a number that changes beside it": (b'{"name":"\\u4e2d","n":1e999}', False),
    "half a pair": (b'{"name":"\\ud83d"}', False),
    "after a backslash": (b'{"name":"\\\\\\u4e2d"}', True),
}


@pytest.mark.parametrize("line, good", ESCAPED.values(), ids=ESCAPED)
def test_a_line_with_escapes_is_read_as_strictly(line, good):
    try:
        expected = loads(line).value
    except ToolcanonError as error:
        assert not good
        with pytest.raises(type(error)):
            loads_line(line, DEFAULT_LIMITS)
    else:
        assert good
        assert loads_line(line, DEFAULT_LIMITS).value == expected


BOTH = {"type": "object", "properties": {"a": {"type": "string"}, "n": {"type": "integer"}},
        "required": ["a"]}  # fmt: skip
UNFIT = {
    "a number as words": {"a": "x", "n": "three"},
    "nothing required": {"n": 1},
    "a member too many, where objects are closed": {"a": "x", "extra": 1},
    "a list": [],
    "null": None,
    "a list in text": "[]",
}


@pytest.mark.parametrize("arguments", UNFIT.values(), ids=UNFIT)
def test_a_label_never_contradicts_its_schema(arguments):
    calls = [{"name": "f", "arguments": each} for each in ({"a": "x"}, arguments)]
    row = {"tools": [{"name": "f", "parameters": BOTH}], "calls": calls}
    with pytest.raises(RefusedArguments, match="/calls/1: the call of f does not fit its tool"):
        converter()(row)
    assert converter(on_error="skip").batch([row]) == []


@pytest.mark.parametrize("text", ["print(1)", "123", '{"a": 1}'])
def test_free_text_is_no_json(text):
    row = {"tools": [{"type": "custom", "custom": {"name": "c", "format": {"type": "text"}}}],
           "calls": [{"type": "custom", "custom": {"name": "c", "input": text}}]}  # fmt: skip
    made = tc.Converter("anthropic", tools_field="tools", calls_field="calls")(row)
    (call,) = made["calls"]
    assert json.loads(call["custom"]["input"]) == {"input": text}


def test_numbers_of_any_size_pass_rows():
    huge = 10**30
    schema = {"type": "object", "properties": {"n": {"type": "integer", "maximum": huge}}}
    tools = [{"name": "f", "parameters": schema}]
    made = tc.Converter("openai", tools_field="tools", calls_field="calls")
    row = {
        "tools": json.dumps(tools),
        "calls": json.dumps([{"name": "f", "arguments": {"n": huge}}]),
    }
    done = made(row)
    assert json.loads(done["tools"])[0]["function"]["parameters"] == schema
    assert json.loads(done["calls"])[0]["arguments"]["n"] == huge
    (tool,) = made({"tools": tools})["tools"]
    assert tool["function"]["parameters"] == schema


def test_what_is_no_number_does_not_become_null():
    odd = [{"name": "f", "parameters": {"type": "object", "default": {"n": math.inf}}}]
    convert = tc.Converter("openai")
    for _ in range(3):
        made = convert(odd)
        assert made[0]["function"]["parameters"]["default"] == {"n": math.inf}


def test_namespaces_of_calls():
    best = {"type": "function", "name": "best", "parameters": {"type": "object"}}
    tools = [{"type": "namespace", "name": name, "tools": [best]} for name in ("one", "two")]
    calls = [{"type": "function_call", "name": "best", "namespace": name, "arguments": "{}"}
             for name in ("one", "two")]  # fmt: skip
    row = {"tools": tools, "calls": calls}
    fields = {"tools_field": "tools", "calls_field": "calls"}
    assert tc.Converter("openai-responses", **fields)(row)["calls"] == calls
    elsewhere = tc.Converter("anthropic", **fields)(row)
    names = [tool["name"] for tool in elsewhere["tools"]]
    assert [call["name"] for call in elsewhere["calls"]] == names
    assert len(set(names)) == 2
    assert not any("namespace" in call for call in elsewhere["calls"])


@pytest.mark.parametrize(
    "row, error, says",
    [
        ({"tools": "{", "calls": []}, NoTools, "field 'tools' is text that is not JSON"),
        ({"tools": [{"name": "f", "parameters": BOTH}], "calls": "["}, NotACall, "/calls"),
        ({"tools": [{"name": "f", "parameters": BOTH}],
          "calls": [{"name": "f", "arguments": "{a"}]}, NotACall, "/calls/0"),
    ],
)  # fmt: skip
def test_errors_name_the_field(row, error, says):
    with pytest.raises(error, match=says):
        converter()(row)


def test_columns_of_different_lengths():
    with pytest.raises(UsageError, match="equal length"):
        converter().batch({"tools": ["[]"], "calls": []})


def test_a_call_that_cannot_be_validated_is_not_taken_for_valid():
    kinds = [
        {"type": "object", "properties": {key: {"type": "array", "items": {"$ref": "#/$defs/F"}}},
         "required": [key]}
        for key in ("and", "or", "not")
    ]  # fmt: skip
    schema = {
        "type": "object",
        "properties": {"filter": {"$ref": "#/$defs/F"}, "n": {"type": "integer"}},
        "$defs": {"F": {"anyOf": [*kinds, {"type": "object", "properties": {"eq": {}}}]}},
    }
    held = {"eq": 1}
    for _ in range(9):
        held = {"and": [held, {"eq": 2}]}
    call = {"name": "f", "arguments": {"filter": held, "n": "wrong"}}
    made = tc.Converter("openai", tools_field="tools", calls_field="calls")
    with pytest.raises(RefusedArguments):
        made({"tools": [{"name": "f", "parameters": schema}], "calls": [call]})


def test_optional_in_a_type_makes_the_other_parameters_required():
    tools = [{"name": "f", "description": "d", "parameters": {
        "city": {"description": "c", "type": "str", "default": "Oslo"},
        "days": {"description": "n", "type": "int, optional", "default": 3},
    }}]  # fmt: skip
    calls = json.dumps([{"name": "f", "arguments": {"city": "X"}}])
    row = {"id": 1, "query": "q", "answers": calls,
           "tools": json.dumps(tools)}  # fmt: skip
    out = tc.Converter(to="openai", tools_field="tools", calls_field="answers")(row)
    (written,) = json.loads(out["tools"])
    assert written["function"]["parameters"]["required"] == ["city"]
    assert json.loads(out["answers"]) == json.loads(row["answers"])
