"""The referee is awake: every rule faults a bad sample and passes a good one beside it."""

import ast
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.referee import judge_payload, judge_schema, judge_tool, judged, parameters
from tests.referee.facts import COLUMNS
from tests.referee.patterns import features
from tests.referee.sample_frameworks import PAYLOADS as MORE_PAYLOADS
from tests.referee.sample_frameworks import SCHEMAS as FRAMEWORKS
from tests.referee.sample_frameworks import TOOLS as MORE_TOOLS
from tests.referee.sample_same_envelope import SCHEMAS as SAME_ENVELOPE
from tests.referee.sample_schemas import NODE, TEXT, TWINS, closed, obj, ref, with_defs
from tests.referee.sample_schemas import SCHEMAS as OTHERS
from tests.referee.sample_tools import PAYLOADS as REQUESTS
from tests.referee.sample_tools import TOOLS as WRAPPED
from tests.referee.sample_tools import chat
from tests.referee.sample_words import FORMATS, KEYWORDS, value_for
from tests.tables import table

SCHEMAS = [*OTHERS, *SAME_ENVELOPE, *FRAMEWORKS]
TOOLS = [*WRAPPED, *MORE_TOOLS]
PAYLOADS = [*REQUESTS, *MORE_PAYLOADS]
JUDGED = """
    anthropic anthropic/strict bedrock bedrock/strict cohere cohere/strict deepseek deepseek/strict
    gemini gemini/openapi gemini/openapi/litellm groq groq/strict huggingface json-schema
    json-schema/2019-09 json-schema/2020-12 json-schema/draft-04 json-schema/draft-06
    json-schema/draft-07 langchain llamaindex mcp mcp/2024-11-05 mcp/2025-03-26 mcp/2025-06-18
    mcp/2025-11-25 mcp/claude-code mcp/claude-desktop mcp/cursor mcp/vscode mcp/windsurf mistral
    mistral/strict ollama openai openai-responses openai-responses/strict openai/llguidance
    openai/outlines openai/strict smolagents utcp vercel xai xai/strict
"""
"""What the referee knows. Tests leave out what it does not know, so no column may get lost."""


@table("rule, dialect, good, bad", SCHEMAS)
def test_a_schema_rule_is_awake(rule, dialect, good, bad):
    before = json.dumps([good, bad])
    for each in (dialect, *TWINS.get(dialect, ())):
        assert judge_schema(good, each) == []
        if bad is not None or rule == "malformed":
            assert rule in {fault.rule for fault in judge_schema(bad, each)}
    assert json.dumps([good, bad]) == before


@table("rule, envelope, dialect, good, bad", TOOLS)
def test_an_envelope_rule_is_awake(rule, envelope, dialect, good, bad):
    assert judge_tool(good, envelope, dialect) == []
    assert rule in {fault.rule for fault in judge_tool(bad, envelope, dialect)}


@table("rule, envelope, dialect, good, bad", PAYLOADS)
def test_a_request_rule_is_awake(rule, envelope, dialect, good, bad):
    assert judge_payload(good, envelope, dialect) == []
    assert rule in {fault.rule for fault in judge_payload(bad, envelope, dialect)}


@table(
    "dialect, takes, refuses, rule",
    [(*row, "keyword") for row in KEYWORDS] + [(*row, "format") for row in FORMATS],
)
def test_words_are_taken_or_refused(dialect, takes, refuses, rule):
    for each in (dialect, *TWINS.get(dialect, ())):
        around = closed if COLUMNS[each].strict else obj
        for word in (takes + " " + refuses).split():
            more = {word: value_for(word)} if rule == "keyword" else {"format": word}
            found = {fault.rule for fault in judge_schema(around(a={**TEXT, **more}), each)}
            assert (rule in found) == (word in refuses.split()), (each, word)


def spoken_rules():
    """The names of rules in the referee's own source: given to a Fault, or rows of limits."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem.startswith(("test", "sample")):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Fault":
                yield node.args[1]
            elif path.stem == "limits" and isinstance(node, ast.Tuple):
                yield node.elts[0]


def test_every_rule_there_is_has_its_samples():
    rules = {node.value for node in spoken_rules() if isinstance(node, ast.Constant)}
    sampled = {row[0] for row in (*SCHEMAS, *TOOLS, *PAYLOADS)}
    assert {"keyword", "name", "limit-levels"} <= rules <= sampled
    assert {row[1] for row in SCHEMAS} | {row[2] for row in (*TOOLS, *PAYLOADS)} >= {*COLUMNS}


def test_no_dialect_loses_its_column():
    assert sorted(COLUMNS) == JUDGED.split()
    assert judged(dict.fromkeys([*COLUMNS, "acme"], 1)) == dict.fromkeys(COLUMNS, 1)


def test_a_fault_has_its_place():
    bad = [chat(), chat(name="g", parameters=obj(**{"a/b": {"type": "array"}}))]
    (fault,) = judge_payload(bad, "openai", "openai")
    assert (fault.at, fault.rule) == ("/1/function/parameters/properties/a~1b", "array-items")


@pytest.mark.parametrize(
    "pattern, found",
    [
        ("^a(?:b)[(?=]$", {"anchor"}),
        (r"a(?:b)[^(?=$]\^", set()),
        (r"\(?=a", set()),
        (r"\\b", set()),
        ("(?<=a)b", {"look-around"}),
        ("(?P<x>a)(?P=x)", {"back-reference"}),
        (r"(?<x>a)\k<x>\B", {"back-reference", "word-boundary"}),
    ],
)
def test_patterns_are_read_and_not_searched(pattern, found):
    assert features(pattern) == found


@table(
    "schema, paths",
    [
        (True, []),
        (obj(a=TEXT, b=obj(c=TEXT)), [("a",), ("b",), ("b", "c")]),
        (obj(properties=obj(type=TEXT)), [("properties",), ("properties", "type")]),
        (obj(a={"type": "array", "items": obj(b=TEXT)}), [("a",), ("a", "b")]),
        (obj(a={"prefixItems": [TEXT, obj(b=TEXT)]}), [("a",), ("a", "b")]),
        (obj(a={"additionalProperties": obj(b=TEXT)}), [("a",), ("a", "b")]),
        (obj(a={"patternProperties": {"^x": obj(b=TEXT)}}), [("a",), ("a", "b")]),
        (
            {"anyOf": [obj(a=TEXT), obj(b=TEXT)], "allOf": [obj(a=TEXT, c=TEXT)]},
            [("a",), ("b",), ("c",)],
        ),
        ({"if": obj(a=TEXT), "then": obj(b=TEXT), "else": obj(c=TEXT)}, [("a",), ("b",), ("c",)]),
        ({"dependentSchemas": {"x": obj(a=TEXT)}, "not": obj(z=TEXT)}, [("a",)]),
        (with_defs(obj(a=ref("X")), X=obj(b=TEXT), Y=obj(unused=TEXT)), [("a",), ("a", "b")]),
        (with_defs(obj(a=ref("Node")), Node=NODE), [("a",), ("a", "next")]),
        (obj(value=TEXT, next={"$ref": "#"}), [("value",), ("next",)]),
        (obj(a=False, b=True), [("b",)]),
        (obj(a=ref("gone"), b={"$ref": "http://x"}), [("a",), ("b",)]),
    ],
)
def test_parameters_are_found_however_deep(schema, paths):
    assert parameters(schema) == paths


def test_parameters_do_not_explode():
    doubling = {f"D{n}": obj(x=ref(f"D{n + 1}"), y=ref(f"D{n + 1}")) for n in range(40)}
    with pytest.raises(OverflowError):
        parameters(with_defs(obj(a=ref("D0")), **doubling, D40=TEXT))


def test_a_long_chain_of_references_is_walked():
    chain = {f"D{n}": closed(x=ref(f"D{n + 1}")) for n in range(3000)}
    schema = with_defs(closed(a=ref("D0")), **chain, D3000=TEXT)
    assert judge_schema(schema, "anthropic/strict") == []


KEYS = (
    "type properties items anyOf allOf $ref $defs enum required format minItems name strict tools "
    "function parameters input_schema toolSpec functionDeclarations inputSchema title custom"
).split()
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["object", "#", "#/a", "array", "custom"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES, st.sampled_from(sorted(COLUMNS)))
def test_any_json_is_judged_and_not_stumbled_over(value, dialect):
    judge_schema(value, dialect)
    parameters(value)
    for envelope in (
        *("openai", "openai-responses", "anthropic", "gemini", "mcp", "bedrock"),
        *("mistral", "cohere", "ollama", "xai", "deepseek", "groq"),
        *("vercel", "huggingface", "smolagents", "llamaindex", "utcp"),
    ):
        judge_payload(value, envelope, dialect)
        judge_payload([value], envelope, dialect)
