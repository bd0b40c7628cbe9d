"""Rows: one by one, in batches, in other processes; the lane's sums are those of the long road."""

import json
import pickle

import pytest

import toolcanon as tc
from tests.conftest import format_cases
from toolcanon.errors import NotACall, NoTools, ToolcanonError, UsageError

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
    [{"calls_field": "calls"}, {"on_error": "perhaps"}, {"dialect": "nobody/knows"}, {"to": "no"}],
)
def test_wrong_options_are_told_at_once(options):
    with pytest.raises(ToolcanonError):
        tc.Converter(**{"to": "openai", **options})


def test_what_is_no_batch():
    for batch in (5, "text"):
        with pytest.raises(UsageError):
            converter().batch(batch)
    with pytest.raises(UsageError):
        tc.Converter("openai").batch({"a": [1]})


@pytest.mark.parametrize("target", ["anthropic", "openai", "gemini", "mcp"])
def test_sums_by_the_lane_are_those_of_the_losses(target):
    seen = 0
    for _, case in format_cases():
        row = case["definition"]
        try:
            quick = tc.convert(row, target)
        except ToolcanonError:
            continue
        passed = getattr(quick, "_passed", None)
        seen += passed is not None and passed.is_same
        losses = tc.convert(row, target).losses
        told = [(tool, *sort) for tool, sorts in quick.sorts() for sort in sorts]
        assert told == [(loss.tool, loss.code, loss.effect) for loss in losses]
        fresh = tc.bind(tc.read(row), target) if not quick.single else tc.convert(row, target)
        assert quick.needs_restore == any(
            item.wire is not None and (item.lens is not None or item.wire.name != item.tool.id)
            for item in fresh.bound
        )
    assert seen
