"""Verdicts, origins and what a report can be asked."""

from __future__ import annotations

import copy

import pytest

import toolcanon as tc
from toolcanon.checking.outcome import CheckReport
from toolcanon.checking.tools import check
from toolcanon.errors import CheckFailed, UnreadableTool

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
def test_places_lead_into_what_was_handed_in(payload: object, tool: str, place: str) -> None:
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


@pytest.mark.parametrize("level", ["error", "rejected", "warning", "lossy", "info"])
def test_raising(level: str) -> None:
    bad = check(tc.CanonicalTool(name="f", inputs=nested(12)), "openai/strict")
    with pytest.raises(CheckFailed) as caught:
        bad.raise_if(level)
    assert caught.value.exit_code == 1
    check(tc.CanonicalTool(name="f", inputs=OBJECT), ["anthropic", "mcp"]).raise_if(level)


def test_raising_on_a_word_that_means_nothing() -> None:
    with pytest.raises(ValueError, match="'worst' is none of error"):
        check(CHAT, "mcp").raise_if("worst")


@pytest.mark.parametrize(
    ("targets", "compatible"),
    [(["mcp"], True), (["mcp", "nowhere"], None), (["nowhere", "openai/strict"], False)],
)
def test_compatible_is_no_when_unknown(targets: list[str], compatible: bool | None) -> None:
    report = check(tc.CanonicalTool(name="f", inputs=nested(12)), targets)
    assert report.compatible is compatible


def test_a_check_says_the_same_twice() -> None:
    first, second = (check([CHAT, {**CHAT}]).to_dict() for _ in range(2))
    assert first == second


def test_an_empty_report_has_no_verdict_to_raise() -> None:
    CheckReport((), (), {}, ()).raise_if("ok")


@pytest.mark.parametrize("as_tool", [False, True])
def test_a_key_that_is_no_text_is_told_by_its_place(as_tool):
    inputs = {"type": "object", "properties": {1: {"type": "string"}}}
    given = {"name": "f", "input_schema": inputs}
    place = "/properties/1"
    if as_tool:
        given = tc.CanonicalTool.trusted({"name": "f", "inputs": inputs})
    with pytest.raises(UnreadableTool, match=place):
        tc.check([given])
