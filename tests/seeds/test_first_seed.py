"""The first seed document: its examples and promises, with only the import changed."""

import copy
import json

import pytest
from click.testing import CliRunner
from pydantic import ValidationError

from tests.tables import table
from toolcanon import (
    AnthropicParser,
    CanonicalizationResult,
    Canonicalizer,
    CanonicalTool,
    FormatDetector,
    LangChainParser,
    MCPParser,
    OpenAIParser,
    SourceFormat,
    ToolCapability,
    ToolSecurity,
    emit_anthropic,
    emit_bedrock,
    emit_gemini,
    emit_json_schema,
    emit_langchain,
    emit_mcp,
    emit_openai,
)
from toolcanon.cli import toolcanon
from toolcanon.compat.canonicalizer import (
    NO_DESCRIPTION,
    NO_NAME,
    NO_PARSER,
    UNDETECTED,
)
from toolcanon.registry import builtin_formats

OPENAI = {
    "type": "function",
    "function": {
        "name": "search_web",
        "description": "Search the web for a query string",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "The search query"}},
            "required": ["query"],
        },
    },
}
ANTHROPIC = {
    "name": "read_file",
    "description": "Read the contents of a file at the given path",
    "input_schema": {
        "type": "object",
        "properties": {"path": {"type": "string", "description": "Absolute file path"}},
        "required": ["path"],
    },
}
D = ANTHROPIC["description"]
P = ANTHROPIC["input_schema"]


@pytest.fixture
def run(tmp_path):
    def run(*args, payload=None):
        path = tmp_path / "my_tool.json"
        path.write_text(json.dumps(OPENAI if payload is None else payload), encoding="utf-8")
        return CliRunner().invoke(toolcanon, [a.replace("FILE", str(path)) for a in args])

    return run


def test_quick_start(run):
    result = run("canonicalize", "--input", "FILE")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "name": "search_web",
        "version": "1.0.0",
        "description": "Search the web for a query string",
        "capabilities": {
            "action": "search",
            "domain": "web",
            "side_effects": False,
            "idempotent": True,
            "cost_estimate": "unknown",
        },
        "inputs": OPENAI["function"]["parameters"],
        "outputs": {},
        "security": None,
        "source_format": "openai",
        "original_definition": OPENAI,
    }
    assert list(json.loads(result.stdout)) == [
        "name",
        "version",
        "description",
        "capabilities",
        "inputs",
        "outputs",
        "security",
        "source_format",
        "original_definition",
    ]


def test_quick_start_emit(run, tmp_path):
    canonical = str(tmp_path / "canonical.json")
    result = run("canonicalize", "--input", "FILE", "--output", canonical)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"Canonical tool written to {canonical}\n"
    result = run("emit", "--input", canonical, "--target", "anthropic")
    assert json.loads(result.stdout) == {
        "name": "search_web",
        "description": "Search the web for a query string",
        "input_schema": OPENAI["function"]["parameters"],
    }
    out = str(tmp_path / "openai_tool.json")
    result = run("emit", "--input", canonical, "--target", "openai", "--output", out)
    assert result.stderr == f"Emitted openai tool written to {out}\n"
    result = run("emit", "--input", canonical, "--target", "json-schema")
    assert "x-capabilities" in json.loads(result.stdout)


def test_emit_of_another_format_advises_what_emit_can_do(run):
    result = run("emit", "--input", "FILE", "--target", "mcp")
    assert result.exit_code == 2
    assert (
        "is not canonical, it looks like openai; canonicalize or convert it first" in result.stderr
    )
    assert "name the format" not in result.stderr


def test_basic_canonicalization():
    result = Canonicalizer().canonicalize(ANTHROPIC)
    assert result.source_format_detected is SourceFormat.anthropic
    assert result.tool.name == "read_file"
    assert result.tool.capabilities.action == "read"
    assert result.tool.capabilities.domain == "filesystem"
    assert result.warnings == []


def test_forcing_a_format():
    tool_def = {"name": "f", "description": "d", "inputSchema": {"type": "object"}}
    result = Canonicalizer().canonicalize(tool_def, source_format=SourceFormat.mcp)
    assert result.source_format_detected is SourceFormat.mcp
    both = {"name": "f", "inputSchema": {"title": "camel"}, "input_schema": {"title": "snake"}}
    forced = Canonicalizer().canonicalize(both, SourceFormat.mcp)
    assert forced.tool.inputs == {"title": "camel"}


def test_confidence_scores():
    scores = FormatDetector().confidence(OPENAI)
    lines = [
        f"{fmt.value:12s}: {score:.0%}"
        for fmt, score in sorted(scores.items(), key=lambda x: -x[1])
    ]
    assert lines[:2] == ["openai      : 100%", "raw         : 10%"]
    assert set(scores) == set(SourceFormat)


@pytest.mark.parametrize(
    "definition, expected",
    [
        (OPENAI, {"openai": 1.0, "raw": 0.1}),
        ({"name": "f", "parameters": {}}, {"openai": 0.7}),
        (ANTHROPIC, {"anthropic": 1.0}),
        ({"name": "f", "inputSchema": {}}, {"mcp": 1.0}),
        ({"args_schema": {}}, {"langchain": 0.9}),
        ({"schema": {}}, {"langchain": 0.9}),
        ({"name": "f", "properties": {}}, {"langchain": 0.6}),
        ({"name": "f", "inputSchema": {}, "parameters": {}}, {"mcp": 1.0, "openai": 0.7}),
        ({}, {"openai": 0, "anthropic": 0, "mcp": 0, "langchain": 0, "raw": 0.1}),
    ],
)
def test_scores(definition, expected):
    scores = FormatDetector().confidence(definition)
    assert {name: scores[SourceFormat(name)] for name in expected} == expected


@pytest.mark.parametrize(
    "definition, expected",
    [
        ({"type": "function"}, "raw"),
        ({"name": "f"}, "raw"),
        ({"name": "f", "description": "d"}, "raw"),
        ({"input_schema": {}}, "raw"),
        ({"name": "f", "properties": {}}, "langchain"),
        ({"name": "f", "inputSchema": {}, "parameters": {}}, "mcp"),
        ({"foo": "bar"}, "raw"),
        ({}, "raw"),
    ],
)
def test_detection(definition, expected):
    assert FormatDetector().detect(definition) == expected


@table(
    "value",
    [
        None,
        [],
        [1],
        "x",
        3,
        True,
        {"schema": "public"},
        {"name": "f", "parameters": "x"},
        {"function": None},
        {"name": None, "parameters": {}},
        {"type": "function", "function": {"name": 3}},
        {"inputSchema": 3, "name": {}},
    ],
)
@table("source_format", [None, *SourceFormat])
def test_never_raises(value, source_format):
    result = Canonicalizer().canonicalize(value, source_format)
    assert isinstance(result, CanonicalizationResult)
    assert result.tool.name != "None"


def test_warnings():
    result = Canonicalizer().canonicalize({"foo": "bar"})
    assert result.warnings == [UNDETECTED, NO_PARSER, NO_NAME, NO_DESCRIPTION]
    assert result.source_format_detected is SourceFormat.raw
    result = Canonicalizer().canonicalize({"name": "f", "parameters": "x"})
    assert result.warnings[0].startswith("Parser error for openai: ")
    result = Canonicalizer().canonicalize({"x": 1}, SourceFormat.raw)
    assert result.warnings == [NO_PARSER, NO_NAME, NO_DESCRIPTION]


@pytest.mark.parametrize(
    "definition, name, inputs",
    [
        ({"title": "t", "x": {}}, "t", {}),
        ({"name": "n", "title": "t"}, "n", {}),
        ({"function": {"name": "f"}}, "f", {}),
        ({"name": "n", "parameters": {}, "schema": {"a": 1}}, "n", {"a": 1}),
        ({"name": "n", "inputSchema": {"b": 1}, "schema": {"a": 1}}, "n", {"b": 1}),
    ],
)
def test_raw_extraction(definition, name, inputs):
    tool = Canonicalizer().canonicalize(definition, SourceFormat.raw).tool
    assert (tool.name, tool.inputs) == (name, inputs)
    assert tool.capabilities == ToolCapability()


NAMELESS = [
    ("openai", {"type": "function", "function": {"description": D, "parameters": P}}),
    ("openai", {"type": "function", "function": {"name": None, "description": D, "parameters": P}}),
    ("openai", {"type": "function", "function": {"name": 3, "description": D, "parameters": P}}),
    ("openai", {"description": D, "parameters": P}),
    ("openai-responses", {"type": "function", "description": D, "parameters": P}),
    ("anthropic", {"description": D, "input_schema": P}),
    ("anthropic", {"name": "", "description": D, "input_schema": P}),
    ("mcp", {"description": D, "inputSchema": P}),
    ("langchain", {"description": D, "args_schema": P}),
    ("bedrock", {"toolSpec": {"description": D, "inputSchema": {"json": P}}}),
    ("gemini", {"functionDeclarations": [{"description": D, "parametersJsonSchema": P}]}),
]


@table("is_forced", [False, True])
@table(("format_id", "definition"), NAMELESS)
def test_of_a_tool_without_a_name_the_rest_is_read(format_id, definition, is_forced):
    before = copy.deepcopy(definition)
    result = Canonicalizer().canonicalize(definition, format_id if is_forced else None)
    tool = result.tool
    assert (tool.name, tool.description, tool.inputs) == ("", D, P)
    assert (tool.capabilities.action, tool.capabilities.domain) == ("read", "filesystem")
    assert result.source_format_detected is tool.source_format is SourceFormat(format_id)
    assert result.warnings == [NO_NAME]
    assert tool.original_definition == definition == before


@pytest.mark.parametrize(
    "definition",
    [
        [{"description": D, "input_schema": P}],
        [{"name": None, "description": D, "input_schema": P}],
        {"tools": [{"description": D, "input_schema": P}]},
    ],
)
def test_of_a_listed_tool_without_a_name_the_rest_is_read(definition):
    result = Canonicalizer().canonicalize(definition)
    assert (result.tool.name, result.tool.description, result.tool.inputs) == ("", D, P)
    assert result.tool.capabilities.action == "read"
    assert result.source_format_detected is SourceFormat.anthropic
    assert result.warnings == [NO_NAME]


def test_a_title_is_the_name_of_a_tool_that_has_no_other():
    result = Canonicalizer().canonicalize({"title": "Read", "description": D, "inputSchema": P})
    assert (result.tool.name, result.tool.title, result.tool.inputs) == ("Read", "Read", P)
    assert result.tool.source_format is SourceFormat.mcp
    assert result.tool.capabilities.action == "read"
    assert result.warnings == []


def test_an_empty_schema_shows_its_format_without_a_name():
    result = Canonicalizer().canonicalize({"description": D, "input_schema": {}})
    assert (result.source_format_detected, result.tool.capabilities.action) == ("anthropic", "read")


@pytest.mark.parametrize("is_wrapped", [False, True])
def test_of_a_tool_that_nests_too_deeply_the_texts_are_read(is_wrapped):
    schema = {}
    for _ in range(3000):
        schema = {"properties": {"a": schema}}
    definition = {"name": "read_file", "description": D, "parameters": schema}
    if is_wrapped:
        definition = {"type": "function", "function": definition}
    result = Canonicalizer().canonicalize(definition)
    assert (result.tool.name, result.tool.description) == ("read_file", D)
    assert len(result.warnings) == 1
    assert result.warnings[0].startswith("Parser error for openai: limit-depth")


def test_lists_inside_lists_never_raise():
    inside = []
    for _ in range(3000):
        inside = [inside]
    assert Canonicalizer().canonicalize(inside).tool.name == ""


@pytest.mark.parametrize(
    "broken", [{"parameters": "x"}, {"parameters": 3, "name": None}, {"parameters": True}]
)
def test_a_part_that_cannot_be_read_takes_nothing_else_along(broken):
    definition = {"type": "function", "function": {"name": "read_file", "description": D, **broken}}
    result = Canonicalizer().canonicalize(definition)
    assert result.tool.name == (broken.get("name", "read_file") or "")
    assert (result.tool.description, result.tool.inputs) == (D, {})
    assert result.tool.source_format is SourceFormat.openai
    assert result.tool.capabilities.action == "read"
    assert result.warnings[0].startswith("Parser error for openai: ")
    assert "/function/parameters" in result.warnings[0]


def test_source_formats_are_members():
    assert {member.value for member in SourceFormat} == set(builtin_formats())
    for tool in (
        CanonicalTool(name="t"),
        CanonicalTool(name="t", source_format="raw"),
        CanonicalTool.model_validate({"name": "t"}),
        Canonicalizer().canonicalize({"foo": 1}).tool,
    ):
        assert tool.source_format is SourceFormat.raw
        assert tool.source_format.value == "raw"
        assert tool.to_dict()["source_format"] == "raw"
        assert type(tool.to_dict()["source_format"]) is str
    assert AnthropicParser().parse(ANTHROPIC).source_format is SourceFormat.anthropic
    assert CanonicalTool(name="t", source_format="of-a-plugin").source_format == "of-a-plugin"
    assert list(FormatDetector().confidence({}))[:5] == ["openai", "anthropic", "mcp", "langchain",
                                                         "raw"]  # fmt: skip


def test_parsers_and_their_formats():
    for parser, own, other in (
        (OpenAIParser, OPENAI, ANTHROPIC),
        (AnthropicParser, ANTHROPIC, OPENAI),
        (MCPParser, {"name": "f", "inputSchema": P}, OPENAI),
        (LangChainParser, {"name": "f", "args_schema": P}, OPENAI),
    ):
        assert (parser().can_parse(own), parser().can_parse(other)) == (True, False)
        assert parser().parse(own).source_format == parser.format


def test_langchain_forms():
    canon = Canonicalizer()
    fields = {"a": {}, "b": {"is_required": False}}
    tool = canon.canonicalize({"name": "f", "args_schema": {"model_fields": fields}}).tool
    assert tool.inputs == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "required": ["a"],
    }
    tool = canon.canonicalize({"name": "f", "properties": {"a": {}}}).tool
    assert tool.inputs == {"type": "object", "properties": {"a": {}}, "required": []}
    assert canon.canonicalize({"name": "f", "args_schema": {"x": 1}}).tool.inputs == {"x": 1}
    assert canon.canonicalize({"title": "t", "args_schema": {"x": 1}}).tool.name == "t"


def test_security_example():
    tool = CanonicalTool(
        name="delete_record",
        description="Permanently delete a database record by ID",
        capabilities=ToolCapability(
            action="delete",
            domain="database",
            side_effects=True,
            idempotent=False,
            cost_estimate="low",
        ),
        security=ToolSecurity(
            required_permissions=["db:write", "records:delete"],
            data_classification="confidential",
            pii_handling="processes",
        ),
        inputs={
            "type": "object",
            "properties": {"record_id": {"type": "string", "description": "Record primary key"}},
            "required": ["record_id"],
        },
        source_format=SourceFormat.raw,
    )
    schema = emit_json_schema(tool)
    assert schema["x-security"]["data_classification"] == "confidential"
    assert schema["x-capabilities"]["action"] == "delete"
    assert schema["$schema"] == "https://json-schema.org/draft/2019-09/schema"
    assert (schema["title"], schema["description"]) == (tool.name, tool.description)
    assert "x-outputs" not in schema


def test_model_defaults():
    tool = CanonicalTool(name="f")
    assert (tool.version, tool.description, tool.inputs, tool.outputs) == ("1.0.0", "", {}, {})
    assert (tool.security, tool.source_format, tool.original_definition) == (None, "raw", {})
    assert ToolCapability() == ToolCapability(
        action="", domain="", side_effects=False, idempotent=True, cost_estimate="unknown"
    )
    assert ToolSecurity().model_dump() == {
        "required_permissions": [],
        "data_classification": "public",
        "pii_handling": "none",
    }
    tool.inputs["x"] = 1
    assert CanonicalTool(name="g").inputs == {}
    for wrong in ({}, {"name": "f", "security": {"pii_handling": "eats"}}, {"name": None}):
        with pytest.raises(ValidationError):
            CanonicalTool(**wrong)
    assert SourceFormat.openai == "openai"
    assert SourceFormat.openai.value == "openai"


def test_nothing_is_shared_with_what_was_read():
    given = copy.deepcopy(OPENAI)
    result = Canonicalizer().canonicalize(given)
    emitted = emit_openai(result.tool)
    given["function"]["parameters"]["properties"].clear()
    emitted["function"]["parameters"]["required"].append("x")
    assert result.tool.inputs == OPENAI["function"]["parameters"]
    assert result.tool.original_definition == OPENAI
    assert emit_openai(result.tool) == OPENAI


def test_emitters():
    bare = CanonicalTool(name="f")
    empty = {"type": "object", "properties": {}}
    assert emit_openai(bare) == {
        "type": "function",
        "function": {"name": "f", "description": "", "parameters": empty},
    }
    assert emit_anthropic(bare) == {"name": "f", "description": "", "input_schema": empty}
    assert emit_mcp(bare) == {"name": "f", "description": "", "inputSchema": empty}
    assert emit_langchain(bare) == {"name": "f", "description": "", "args_schema": empty}
    assert emit_gemini(bare) == {"name": "f"}
    assert emit_bedrock(bare) == {"toolSpec": {"name": "f", "inputSchema": {"json": empty}}}
    untyped = CanonicalTool(name="f", inputs={"properties": {"a": {}}})
    assert list(emit_mcp(untyped)["inputSchema"]) == ["type", "properties"]
    odd = CanonicalTool(name="a b", inputs={"title": "T", "description": "inner"})
    assert emit_json_schema(odd)["title"] == "a b"
    assert emit_json_schema(odd, dialect="https://json-schema.org/draft/2020-12/schema")[
        "$schema"
    ].endswith("2020-12/schema")


@table(
    "name, description, action, domain, side_effects",
    [
        ("delete_record", "", "delete", "database", True),
        ("send_email", "Send an email", "send", "email", True),
        ("get_code", "", "get", "code", False),
        ("fetch_api", "", "fetch", "web", False),
        ("widget", "", "", "general", False),
        ("update_listing", "", "update", "general", True),
        ("get_or_create_user", "", "create", "general", True),
        ("poster", "", "", "general", False),
        ("list_items", "It does not delete anything", "list", "general", False),
        ("execute_sql", "", "execute", "database", True),
        ("tidy", "Reads rows and writes them back", "write", "general", True),
    ],
)
def test_inference(name, description, action, domain, side_effects):
    found = CanonicalTool(name=name, description=description).capabilities
    assert (found.action, found.domain, found.side_effects) == (action, domain, side_effects)
    assert found.idempotent is not side_effects
    assert found.cost_estimate == "unknown"


def test_detect_command(run):
    assert run("detect", "--input", "FILE").stdout == "Detected format: openai\n"
    assert run("detect", "--input", "FILE", "--verbose").stdout.splitlines()[:8] == [
        "Detected format: openai",
        "",
        "Confidence scores:",
        "  openai      : 100%",
        "  anthropic   :   0%",
        "  mcp         :   0%",
        "  langchain   :   0%",
        "  raw         :  10%",
    ]


def test_help_lists_the_formats_of_the_document(run):
    wanted = {"emit": ("openai", "anthropic", "mcp", "json-schema"),
              "canonicalize": ("openai", "anthropic", "mcp", "langchain", "raw")}  # fmt: skip
    for name, formats in wanted.items():
        options = "".join(run(name, "--help").stdout.partition("Examples:")[0].split())
        assert [one for one in formats if one not in options] == []


def test_command_details(run):
    result = run("canonicalize", "--input", "FILE", payload={"foo": 1})
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        f"Warning: {text}" for text in (UNDETECTED, NO_PARSER, NO_NAME, NO_DESCRIPTION)
    ]
    assert run("canonicalize", "--version").exit_code == 0
    assert run("canonicalize", "--input", "/nowhere").exit_code == 2
    assert run("canonicalize", "--input", "FILE", "--source-format", "nope").exit_code == 2
    assert run("emit", "--input", "FILE", "--target", "nope").exit_code == 2
    several = run("canonicalize", "FILE", payload=[OPENAI, ANTHROPIC])
    assert [tool["name"] for tool in json.loads(several.stdout)] == ["search_web", "read_file"]
