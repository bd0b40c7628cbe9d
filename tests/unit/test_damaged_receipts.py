"""Receipts that were edited: what is damaged is reported, and no error of ours looks like it."""

import copy
from contextlib import suppress

import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.conversations.switch_receipt import Withheld
from toolcanon.conversion import receipt as receipts
from toolcanon.errors import BadReceipt
from toolcanon.ir import CanonicalTool
from toolcanon.ir.conversation import ToolChoice

TOOL = {
    "name": "f",
    "description": "F",
    "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
}


def written(at, before="x"):
    """A receipt with one change that applies."""
    made = tc.convert(TOOL, to="openai")
    found = copy.deepcopy(made.receipt())
    found["tools"][0]["restore"] = [{"at": at, "seen": None, "before": before}]
    return made.payload, found


@pytest.mark.parametrize(
    "at", ["name", "/name/x", "/name/x/y", "/inputs/required/x", "/inputs/required/0/x"]
)
def test_a_change_that_has_no_object_to_go_to_is_damaged(at):
    payload, found = written(at)
    with pytest.raises(BadReceipt, match="damaged"):
        tc.convert(payload, to="mcp", receipt=found)


def test_extras_that_are_not_an_object_are_damaged():
    payload, found = written("/extras", before=["x"])
    with pytest.raises(BadReceipt):
        tc.convert(payload, to="mcp", receipt=found)


def test_an_error_of_ours_is_not_a_damaged_receipt(monkeypatch):
    def broken(*_):
        raise TypeError("ours")

    payload, found = written("/extras/mcp/title")
    monkeypatch.setattr(receipts, "_put", broken)
    with pytest.raises(TypeError, match="ours"):
        tc.convert(payload, to="mcp", receipt=found)


SOUND = Withheld(
    ToolChoice("subset", ["f"]), None, [(0, CanonicalTool(name="g", description="G"))]
).to_dict()


def test_withheld_tools_come_back():
    found = Withheld.from_dict(SOUND)
    assert found.to_dict() == SOUND


@table(
    "change",
    [
        {"choice": None},
        {"choice": []},
        {"choice": {"messages": 5}},
        {"sent": "none"},
        {"tools": None},
        {"tools": {"at": 0}},
        {"tools": ["f"]},
        {"tools": [{"at": None, "tool": SOUND["tools"][0]["tool"]}]},
        {"tools": [{"at": 0}]},
        {"tools": [{"at": 0, "tool": 5}]},
    ],
)
def test_a_damaged_choice_of_tools_is_reported(change):
    with pytest.raises(BadReceipt):
        Withheld.from_dict({**SOUND, **change})


@pytest.mark.parametrize("document", [None, [], "x", {}])
def test_a_choice_of_tools_is_an_object(document):
    with pytest.raises(BadReceipt):
        Withheld.from_dict(document)


def places(node, at=()):
    """Every place of a document below its root."""
    inner = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in inner:
        yield (*at, key)
        if isinstance(value, dict | list):
            yield from places(value, (*at, key))


def damaged(document, at, value):
    found = copy.deepcopy(document)
    node = found
    for key in at[:-1]:
        node = node[key]
    node[at[-1]] = value
    return found


RICH = {
    "name": "f.g",
    "inputSchema": {
        "type": "object",
        "properties": {
            "$x": {"type": "string"},
            "m": {"type": "object", "additionalProperties": {"type": "integer"}},
            "e": {"enum": [1, "a", None]},
            "t": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
            "u": {"anyOf": [{"type": "object", "properties": {"a b": {"type": "string"}}},
                            {"type": "array", "items": {"type": "string"}}]},
        },
    },
}  # fmt: skip


@table("target", ["anthropic", "openai/strict", "gemini/openapi"])
def test_a_receipt_that_is_damaged_anywhere_is_never_an_internal_error(target):
    binding = tc.bind(RICH, target)
    receipt = binding.receipt()
    given = {"$x": "s", "m": {"k": 1}, "e": "a", "t": ["x", 1], "u": {"a b": "c"}}
    name, wire = binding.render("f.g", given)
    refused = 0
    for at in places(receipt):
        for value in (None, 3, True, "x", [], {}, [{}], {"k": []}):
            try:
                back = tc.Binding.from_receipt(damaged(receipt, at, value))
                back.restore(name, wire)
                back.render("f.g", given)
            except tc.ToolcanonError:
                refused += 1
    assert refused > 100


def test_a_receipt_of_a_switch_that_is_damaged_anywhere_is_never_an_internal_error():
    history = [{"role": "user", "content": "hi"}]
    done = tc.switch({"model": "m", "messages": history, "tools": [RICH]}, "anthropic")
    receipt = done.receipt()
    for at in places(receipt):
        for value in (None, 3, "x", [], {}, [{}]):
            with suppress(tc.ToolcanonError):
                tc.switch(done.payload, "openai", receipt=damaged(receipt, at, value))
