"""Rows of which only sums are asked come out as they do the long way."""

import json

import pytest

import toolcanon as tc
from tests.conftest import format_cases
from tests.unit.test_rows import WORDY
from toolcanon.bulk.summing import Summing
from toolcanon.conversion.observe import observe
from toolcanon.errors import NoTools, ToolcanonError

TARGETS = [
    ("anthropic", {}),
    ("openai", {}),
    ("gemini", {}),
    ("gemini", {"dialect": "gemini/openapi"}),
    ("mcp", {"dialect": "mcp/claude-desktop"}),
    ("openai", {"strict": True}),
    ("openai", {"strict": "auto"}),
    ("anthropic", {"strict": True}),
    ("gemini", {"strict": True}),
    ("vercel", {"strict": True}),
    ("mistral", {"strict": True}),
    ("anthropic", {"lower": False}),
    ("bedrock", {"naming": {"f": "g"}}),
    ("vercel", {}),
    ("openai", {"dialect": "gemini/openapi"}),
]
ODD = [
    {"name": "a b", "input_schema": {"type": "object"}},
    {"name": "f", "inputSchema": {"type": "object", "properties": {"a b": {"type": "string"}}}},
    {"name": "f", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
    {"name": "f", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": False}},
    {"name": "f", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}},
    {"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": True},
    {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}, "x": 1},
    {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}, "x": ""},
    {"name": "f", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}},
    {"name": "f", "description": "", "input_schema": {"type": "object"}},
    {"name": "f", "description": "", "input_schema": {"type": "OBJECT"}, "strict": True},
    {"type": "function", "function": {"name": "f", "parameters": {"type": "object"},
                                      "strict": True}},
    [{"name": "f", "input_schema": {"type": "object"}}],
    json.dumps({"name": "f", "input_schema": {"type": "object"}}),
    {}, [], 5, None, "no JSON",
]  # fmt: skip


def definitions():
    return [*(case["definition"] for _, case in format_cases()), *WORDY.values(), *ODD]


def outcome(convert, row):
    try:
        return convert(row)
    except ToolcanonError as error:
        return type(error), str(error)


@pytest.mark.parametrize("target, options", TARGETS)
@pytest.mark.parametrize("more", [{}, {"keep_original": True}, {"source": "mcp"}])
def test_sums_are_those_of_the_long_way(target, options, more):
    converter = tc.Converter(target, tools_field="tools", **options, **more)
    short = Summing(converter)

    def long(row):
        done = converter.row(row)
        told = [(tool, *sort) for tool, sorts in done.done.sorts() for sort in sorts]
        return json.dumps(done.row), told, done.needs_restore

    def brief(row):
        made, sorts, needs_restore = short(row)
        told = [(tool, *sort) for tool, found in sorts for sort in found]
        return json.dumps(made), told, needs_restore

    for _ in range(2):  # the second time by what the first one learned
        for number, definition in enumerate(definitions()):
            row = {"id": number, "tools": definition, "more": [1]}
            before = json.dumps(row)
            assert outcome(brief, row) == outcome(long, row), definition
            assert json.dumps(row) == before


def test_a_row_may_be_the_tool_itself():
    given = {"name": "f", "input_schema": {"type": "object"}}
    done = Summing(tc.Converter("mcp"))(given)
    assert done.row == {"name": "f", "inputSchema": {"type": "object"}}
    assert not done.needs_restore


@pytest.mark.parametrize("row", [5, [], {}, {"tools": None}])
def test_a_row_without_tools_is_refused(row):
    with pytest.raises(NoTools):
        Summing(tc.Converter("mcp", tools_field="tools"))(row)


def test_observers_are_told():
    summing = Summing(tc.Converter("anthropic"))
    row = {"name": "f", "inputSchema": {"type": "object"}, "title": "lost"}
    summing(row)
    heard = []
    stop = observe(heard.append)
    try:
        summing(row)
    finally:
        stop()
    assert heard
