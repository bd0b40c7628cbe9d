"""Every rule is held to its own examples: found in what is wrong, quiet about what is right."""

import re

import toolcanon as tc
from tests.tables import table
from toolcanon.checking.rules import rules
from toolcanon.diagnostics import FINDINGS
from toolcanon.ir import CanonicalTool
from toolcanon.ir.walk import ToolView

RULES = list(rules().values())
LEVELS = {"error", "warning", "info"}


def read(example):
    """Examples are MCP's tools, but for what only a catalog can say."""
    return tc.read(example, source="mcp" if "name" in example else None)[0]


def found(rule, definitions):
    """(number, hit) for every hit of a rule in some tools that come together."""
    subjects = [ToolView(read(definition)) for definition in definitions]
    hits = []
    if rule.look:
        hits += [(number, hit) for number, one in enumerate(subjects) for hit in rule.look(one)]
    if rule.compare:
        hits += list(rule.compare(subjects))
    return hits


@table("rule", RULES, ids=lambda rule: rule.code)
def test_it_finds_something_in_what_is_wrong(rule):
    assert rule.wrong
    if rule.compare is None:  # each example stands for itself
        for example in rule.wrong:
            assert found(rule, [example]), example
    else:
        assert found(rule, rule.wrong)


@table("rule", RULES, ids=lambda rule: rule.code)
def test_it_finds_nothing_in_what_is_right(rule):
    assert rule.right
    assert found(rule, rule.right) == []


@table("rule", RULES, ids=lambda rule: rule.code)
def test_hits_lead_somewhere_and_say_something(rule):
    for number, hit in found(rule, rule.wrong):
        tool = read(rule.wrong[number]).to_dict()
        tool["inputs"] = tool["inputs"] or {}
        hit.at.resolve(tool)
        assert hit.message.isprintable(), hit.message
        assert not hit.message.endswith(".")
        assert hit.level in {None, *LEVELS}


@table("rule", RULES, ids=lambda rule: rule.code)
def test_it_states_what_why_and_what_to_do(rule):
    assert re.fullmatch(r"[CSQ]\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    assert rule.level in LEVELS
    assert rule.look or rule.compare
    assert rule.says[0].islower()
    assert not rule.says.endswith(".")
    assert rule.why.endswith(".")
    assert rule.remedy[0].islower()
    assert not rule.remedy.endswith(".")


def test_codes_and_names_are_unique():
    others = {entry.code: entry.name for entry in FINDINGS.values()}
    assert not others.keys() & rules().keys()
    assert not set(others.values()) & {rule.name for rule in RULES}
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert list(rules()) == sorted(rules())


@table("rule", RULES, ids=lambda rule: rule.code)
def test_examples_are_not_changed_and_odd_tools_do_no_harm(rule):
    odd = [
        CanonicalTool(name="f"),
        CanonicalTool(name="f", inputs={"properties": None, "required": 3, "enum": "x"}),
        CanonicalTool(name="", inputs={"properties": {"": True, "a": "b"}, "items": [1, "x"]}),
        CanonicalTool(name="f", kind="freeform"),
        CanonicalTool(name="f", outputs={"$ref": 7, "default": {"a": [None, {"b": "c"}]}}),
    ]
    before = [tool.to_dict() for tool in odd]
    for tool in odd:
        if rule.look:
            list(rule.look(ToolView(tool)))
    if rule.compare:
        list(rule.compare([ToolView(tool) for tool in odd]))
    assert [tool.to_dict() for tool in odd] == before


def test_comparing_finds_nothing_in_a_tool_alone():
    examples = [example for rule in RULES for example in (*rule.wrong, *rule.right)]
    for rule in RULES:
        for example in examples if rule.compare else ():
            assert list(rule.compare([ToolView(read(example))])) == [], (rule.code, example)
