"""Verdicts, origins and what a report can be asked."""

from __future__ import annotations

import copy
import json
from dataclasses import fields

import pytest
from click.testing import CliRunner

import toolcanon as tc
from toolcanon.checking.outcome import CheckReport
from toolcanon.checking.payloads import check
from toolcanon.checking.source_positions import Origins
from toolcanon.cli.main import toolcanon as command
from toolcanon.conversion.target import all_dialects
from toolcanon.dialect import Dialect, SizeLimits
from toolcanon.errors import CheckFailed, UnreadableTool
from toolcanon.ir import trusted_tool
from toolcanon.jsonio import Pointer

OBJECT = {"type": "object"}
CHAT = {"type": "function", "function": {"name": "f", "description": "d", "parameters": OBJECT}}


def nested(levels: int) -> dict:
    schema: dict = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    return schema


@pytest.mark.parametrize(
    ("inputs", "target", "verdict", "rewritten"),
    [
        (OBJECT, "mcp", "ok", False),
        (nested(3), "anthropic", "ok", False),
        (nested(3), "openai/strict", "ok", True),
        (nested(12), "openai/strict", "rejected", False),
        (nested(12), "openai", "ok", False),
        ({**OBJECT, "properties": {"a": {"type": "float"}}}, "anthropic", "ok", True),
        (
            {**OBJECT, "properties": {"a": {"not": {"type": "null"}}}},
            "gemini/openapi",
            "lossy",
            True,
        ),
        (OBJECT, "nowhere", "unknown", False),
        (OBJECT, "canonical", "unknown", False),
    ],
)
def test_verdicts(inputs: dict, target: str, verdict: str, rewritten: bool) -> None:
    report = check(tc.CanonicalTool(name="f", inputs=inputs), target)
    cell = report.cells["f"][target]
    assert (cell.verdict, cell.is_rewritten) == (verdict, rewritten)
    assert report.matrix == {"f": {target: verdict}}


MEMBERS = {"u": {"type": "string"}, "v": {"type": "string"}}
REWORDED = [
    ({"required": "u"}, [], True),
    ({"properties": {"u": {"type": "str"}}}, [], True),
    ({"required": "u or v"}, [("L119", "warning")], False),
    ({"properties": {"u": {"type": "string", "enum": "1-5"}}}, [("L119", "warning")], False),
    ({"properties": {"u": {"type": "json"}}}, [("L116", "info")], False),
    ({"properties": {"u": {"type": "string", "required": False}}, "required": ["u"]},
     [("L116", "info")], False),
]  # fmt: skip


@pytest.mark.parametrize("inputs, told, is_safe", REWORDED)
def test_losses_and_guesses_of_an_upgrade_are_reported_and_no_safe_fix(
    inputs: dict, told: list[tuple[str, str]], is_safe: bool
) -> None:
    tool = {"name": "f", "description": "d", "inputSchema": {**OBJECT, "properties": MEMBERS,
                                                             **inputs}}  # fmt: skip
    report = check(tool, "anthropic")
    found = [(one.code, one.level) for one in report.findings if one.code.startswith("L")]
    assert found == told
    (loose,) = [one for one in report.findings if one.code == "C205"]
    assert loose.fix is not None
    assert loose.fix.is_safe is is_safe


def test_what_is_rejected_names_the_fact_and_its_source() -> None:
    (found,) = check(tc.CanonicalTool(name="f", inputs=nested(12)), "openai/strict").findings
    assert (found.code, found.level) == ("C202", "error")
    assert "12 levels, 10 at most" in found.message
    assert found.source.startswith("openai/strict@")
    assert "structured-outputs" in found.source


def test_the_tools_of_a_request_are_counted() -> None:
    many = [tc.CanonicalTool(name=f"f{number}", inputs=OBJECT) for number in range(130)]
    report = check(many, "openai")
    assert [tool for tool, row in report.matrix.items() if row["openai"] == "rejected"] == [
        "f128",
        "f129",
    ]


def source_of(tools: list, target: str, code: str) -> str:
    return next(found.source for found in check(tools, target).findings if found.code == code)


@pytest.mark.parametrize(
    "target, source",
    [
        ("mcp/cursor", "Snowflake-Labs/mcp/issues/77"),
        ("mcp/vscode", "microsoft/vscode/issues/261213"),
        ("mcp/claude-desktop", "claude-ai-mcp/issues/587"),
        ("mcp/windsurf", "docs.windsurf.com"),
        ("openai", "zed/issues/32946"),
        ("openai/strict", "zed/issues/32946"),
        ("groq", "ha-groq-cloud-api/issues/25"),
        ("gemini", ""),  # nobody told where that number stands
    ],
)
def test_a_limit_names_its_own_source(target: str, source: str) -> None:
    many = [tc.CanonicalTool(name=f"f{number}", inputs=OBJECT) for number in range(520)]
    told = source_of(many, target, "C203")
    assert source in told
    assert (", from " in told) is bool(source)


def test_other_facts_name_theirs() -> None:
    large = tc.CanonicalTool(name="f", inputs={**OBJECT, "description": "d" * 17_000})
    assert "issues/77296" in source_of([large], "mcp/claude-desktop", "C203")
    twice = tc.CanonicalTool(name="f", inputs=OBJECT)
    assert "composio/issues/2788" in source_of([twice, twice], "mcp/cursor", "C110")
    members = {f"m{number}": {"type": "string"} for number in range(201)}
    wide = tc.CanonicalTool(
        name="f", inputs={"type": "object", "properties": members, "required": ["m1"]}
    )
    assert "tool-use-parameter-types" in source_of([wide], "cohere/strict", "C202")
    short = {"type": "object", "properties": {"tools": {"type": "string", "minLength": 2}}}
    bound = tc.CanonicalTool(name="f", inputs={**short, "required": ["tools"]})
    assert "browser-use/issues/3098" in source_of([bound], "mistral/strict", "L228")


def test_sources_are_about_facts_that_there_are() -> None:
    known = {field.name for field in (*fields(Dialect), *fields(SizeLimits))}
    for dialect in all_dialects().values():
        for source in dialect.sources:
            assert known.issuperset(source.about), (dialect.id, source)


PAYLOADS = [
    (CHAT, "", "/function/parameters/properties/q/pattern"),
    ([CHAT], "/0", "/0/function/parameters/properties/q/pattern"),
    (
        {"model": "m", "tools": [CHAT]},
        "/tools/0",
        "/tools/0/function/parameters/properties/q/pattern",
    ),
]


@pytest.mark.parametrize(("payload", "tool", "place"), PAYLOADS)
def test_places_lead_into_the_input(payload: object, tool: str, place: str) -> None:
    given = copy.deepcopy(payload)
    one = given
    for step in tc_steps(tool):
        one = one[step]
    schema = {"type": "object", "properties": {"q": {"type": "string", "pattern": "(?=a)"}}}
    one["function"]["parameters"] = schema
    before = copy.deepcopy(given)
    report = check(given, "openai/strict")
    assert [str(found.origin) for found in report.findings if found.code == "L228"] == [place]
    assert given == before


def tc_steps(pointer: str) -> list:
    return [int(step) if step.isdigit() else step for step in pointer.split("/")[1:]]


OPERATION = {"parameters": [{"name": "q", "in": "query"}], "description": "Look\u200b it up."}
API = {
    "openapi": "3.1.0",
    "paths": {
        "/a": {"get": OPERATION},
        "/b": {"post": {"operationId": "b", "requestBody": {
            "$ref": "#/components/requestBodies/B"}}},
    },
    "components": {"requestBodies": {"B": {"content": {"*/*": {}}}}},
}  # fmt: skip
SOLE = {"openapi": "3.1.0", "paths": {"/a": {"get": OPERATION}}}
ROW = {"api_name": "g", "required_parameters": [{"name": "a"}, {"name": "a", "type": "NUMBER"}]}
OPERATION_GUESSES = ["/paths/~1a/get", "/paths/~1a/get/parameters/0"]
BODY_GUESSES = ["/components/requestBodies/B/content/*~1*"]
GUESSED = [
    (SOLE, OPERATION_GUESSES),
    (API, OPERATION_GUESSES + BODY_GUESSES),
    ([API, SOLE], [f"/0{at}" for at in OPERATION_GUESSES + BODY_GUESSES]
     + [f"/1{at}" for at in OPERATION_GUESSES]),
    (ROW, ["/required_parameters/1"]),
    ({"tools": [CHAT, ROW]}, ["/tools/1/required_parameters/1"]),
]  # fmt: skip


@pytest.mark.parametrize(("payload", "places"), GUESSED)
def test_guesses_are_found_at_their_place(payload: object, places: list[str]) -> None:
    given = json.loads(json.dumps(payload))
    found = check(given, "mcp", select="Q120").findings
    assert list(dict.fromkeys(str(each.origin) for each in found)) == places
    tools = {tool.id: tool for tool in reversed(tc.read(given))}
    for each in found:
        guess = each.at.resolve(tools[each.subject.partition(" ")[0]].to_dict())
        assert str(each.origin).endswith(guess["at"])
        assert each.message == f"guessed at {guess['at']}: {guess['why']}"


def test_guesses_of_another_input_have_no_place_here() -> None:
    (tool,) = tc.read(ROW)
    for given in (tool, tool.to_dict(), [tool.to_dict(), CHAT]):
        (found,) = check(given, "mcp", select="Q120").findings
        assert (found.origin, str(found.at)) == (None, "/extras/rapidapi/$/guesses/0")


@pytest.mark.parametrize(
    ("place", "origin"),
    [
        ("/required_parameters/1", "/0/required_parameters/1"),
        ("/required_parameters/7/name", "/0/required_parameters"),
        ("/required_parameters/x", "/0/required_parameters"),
        ("required_parameters", "/0"),
        (None, "/0"),
    ],
)
def test_a_guess_leads_as_far_as_there_is_something(place: object, origin: str) -> None:
    noted = {"rapidapi": {"$": {"guesses": [{"at": place, "why": "w"}]}}}
    tool = trusted_tool({"name": "g", "extras": noted}, ROW)
    at = Pointer(("extras", "rapidapi", "$", "guesses", 0))
    assert str(Origins([ROW], [ROW]).of(0, tool, at)) == origin
    assert str(Origins([ROW], [ROW]).of(0, tool, Pointer(at[:3]))) == "/0"


def test_texts_of_a_document_of_many_are_found_where_they_stand() -> None:
    found, *_ = check([API], "mcp", select="S101").findings
    assert (found.subject, str(found.origin)) == ("get_a", "/0/paths/~1a/get/description")


@pytest.mark.parametrize("level", ["error", "rejected", "warning", "lossy", "info"])
def test_raising(level: str) -> None:
    bad = check(tc.CanonicalTool(name="f", inputs=nested(12)), "openai/strict")
    with pytest.raises(CheckFailed) as caught:
        bad.raise_if(level)
    assert caught.value.exit_code == 1
    check(tc.CanonicalTool(name="f", inputs=OBJECT), ["anthropic", "mcp"]).raise_if(level)


def test_raising_on_a_word_that_means_nothing() -> None:
    with pytest.raises(ValueError, match="'worst' is not one of error"):
        check(CHAT, "mcp").raise_if("worst")


@pytest.mark.parametrize(
    ("targets", "compatible"),
    [(["mcp"], True), (["mcp", "nowhere"], None), (["nowhere", "openai/strict"], False)],
)
def test_compatible_is_no_when_unknown(targets: list[str], compatible: bool | None) -> None:
    report = check(tc.CanonicalTool(name="f", inputs=nested(12)), targets)
    assert report.compatible is compatible


def test_a_check_reports_the_same_twice() -> None:
    first, second = (check([CHAT, {**CHAT}]).to_dict() for _ in range(2))
    assert first == second


def test_an_empty_report_has_no_verdict_to_raise() -> None:
    CheckReport((), (), {}, ()).raise_if("ok")


@pytest.mark.parametrize("as_tool", [False, True])
def test_a_key_that_is_not_a_string_is_reported_by_its_place(as_tool):
    inputs = {"type": "object", "properties": {1: {"type": "string"}}}
    given = {"name": "f", "input_schema": inputs}
    place = "/properties/1"
    if as_tool:
        given = trusted_tool({"name": "f", "inputs": inputs})
    with pytest.raises(UnreadableTool, match=place):
        tc.check([given])


def test_name_of_an_older_draft_is_neither_odd_nor_a_rewrite():
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
              "properties": {"a": {"type": "string"}}, "additionalProperties": False}  # fmt: skip
    report = tc.check({"name": "f", "inputSchema": schema}, ["anthropic", "openai"])
    assert not report.cells["f"]["anthropic"].is_rewritten
    assert "C205" not in {finding.code for finding in report.findings}
    schema["properties"]["a"]["nullable"] = True
    report = tc.check({"name": "f", "inputSchema": schema}, ["anthropic", "openai"])
    assert report.cells["f"]["anthropic"].is_rewritten
    assert "C205" in {finding.code for finding in report.findings}


def test_fix_reports_what_it_leaves_and_why(tmp_path) -> None:
    path = tmp_path / "tool.json"
    for kind, is_left in (("list of str or int", True), ("str", False)):
        inputs = {"type": "object", "properties": {"a": {"type": kind, "description": "The ids."}}}
        path.write_text(json.dumps({"name": "f", "description": "d", "inputSchema": inputs}))
        before = path.read_text()
        ran = CliRunner().invoke(command, ["check", str(path), "-t", "openai", "--fix"])
        assert ("--fix does not change C205" in ran.stderr) is is_left
        assert (path.read_text() == before) is is_left
    tool = json.loads(before.replace('"str"', '"List[date]"'))
    (loose,) = [one for one in check(tool, "openai").findings if one.code == "C205"]
    assert '"List[date]"' in loose.message
    assert "date" in loose.message.partition(" is read as ")[2]


def test_findings_at_one_place_have_the_same_origin_at_every_target() -> None:
    tool = {
        "name": "f",
        "inputSchema": {"type": "object", "properties": {"a": {"not": {"const": 1}}}},
    }
    found = [
        finding
        for finding in check({"tools": [tool]}, ["openai/strict", "gemini/openapi"]).findings
        if "not" in finding.at
    ]
    assert {finding.target for finding in found} == {"openai/strict", "gemini/openapi"}
    assert {str(finding.origin) for finding in found} == {"/tools/0/inputSchema/properties/a/not"}
    assert {finding.subject for finding in found} == {"f"}
