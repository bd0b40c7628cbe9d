"""The canonical tool itself."""

import copy
import json
import pickle

import pytest

import toolcanon as tc
from toolcanon.errors import UnreadableTool
from toolcanon.ir import IR_VERSION
from toolcanon.text import safe, safe_json


def test_a_trusted_tool_behaves_like_a_validated_one():
    definition = {"name": "f", "title": "T", "inputSchema": {"type": "object"}}
    (trusted,) = tc.read(definition)
    validated = tc.CanonicalTool.model_validate(trusted.model_dump())
    assert trusted == validated
    assert trusted.model_dump_json() == validated.model_dump_json()
    for clone in (
        copy.copy(trusted),
        copy.deepcopy(trusted),
        trusted.model_copy(),
        pickle.loads(pickle.dumps(trusted)),  # noqa: S301 - our own bytes
    ):
        assert clone == trusted
    changed = trusted.model_copy(update={"title": "U"})
    assert (changed.title, trusted.title) == ("U", "T")
    trusted.tags.append("x")
    assert tc.read(definition)[0].tags == []
    assert trusted != 3
    assert "name='f'" in repr(trusted)
    with pytest.raises(AttributeError):
        _ = trusted.nothing
    with pytest.raises(TypeError):
        hash(trusted)


COPIES = [
    copy.copy,
    copy.deepcopy,
    lambda tool: tool.model_copy(update={"title": "T"}),
    lambda tool: pickle.loads(pickle.dumps(tool)),  # noqa: S301 - our own bytes
]


@pytest.mark.parametrize("copied", COPIES)
def test_copies_know_what_the_tool_was_read_from(copied):
    definition = {"name": "read_file", "inputSchema": {"type": "object"}}
    (tool,) = tc.read(definition)
    assert tool.capabilities.action == "read"
    other = copied(tool)
    assert other.original_definition == definition
    assert not other.has_own_original
    assert other.capabilities == tool.capabilities


def test_capabilities_follow_the_words_unless_given():
    tool = tc.CanonicalTool(name="read_file")
    assert tool.capabilities.action == "read"
    tool.name = "delete_file"
    assert tool.capabilities.action == "delete"
    tool.capabilities = tc.ToolCapability(action="own")
    assert tool.capabilities.action == "own"
    hinted = tc.CanonicalTool(name="delete_x", hints=tc.ToolHints(read_only=True))
    assert hinted.capabilities.side_effects is False


def test_hints_assigned_after_reading_count():
    definition = {"name": "f", "inputSchema": {"type": "object"},
                  "annotations": {"readOnlyHint": True}}  # fmt: skip
    for change in (lambda tool: setattr(tool, "hints", tc.ToolHints(destructive=True)),
                   lambda tool: setattr(tool.hints, "destructive", True)):  # fmt: skip
        (tool,) = tc.read(definition)
        change(tool)
        assert tc.bind(tool, "mcp").payload["annotations"]["destructiveHint"] is True
    (tool,) = tc.read(definition)
    copied = tool.model_copy(update={"hints": tc.ToolHints()})
    assert "annotations" not in tc.bind(copied, "mcp").payload


def test_schemas_are_upgraded_when_looked_at():
    tool = tc.CanonicalTool(name="f", inputs={"type": "dict"}, outputs={"type": "STRING"})
    assert (tool.input_schema, tool.output_schema) == ({"type": "object"}, {"type": "string"})
    assert tool.inputs == {"type": "dict"}
    tool.inputs = {"type": "object"}
    assert tool.input_schema is tool.inputs


def test_only_the_requested_output_is_printed():
    plain = tc.CanonicalTool(name="f").to_dict()
    assert len(plain) == 9
    full = tc.CanonicalTool(
        name="f", namespace="n", hints=tc.ToolHints(strict=False), kind="freeform", timeout=3
    )
    assert full.id == "n:f"
    assert list(full.to_dict())[9:] == ["namespace", "timeout", "hints", "kind"]
    assert full.to_dict()["hints"] == {"strict": False}


def test_ensure_valid():
    assert tc.CanonicalTool(name="f").ensure_valid().name == "f"
    for bad in ({"name": " "}, {"name": "f", "inputs": {"type": "array"}}):
        with pytest.raises(UnreadableTool):
            tc.CanonicalTool(**bad).ensure_valid()


def test_published_schema_accepts_what_we_print_and_refuses_what_we_refuse():
    from pathlib import Path

    import jsonschema_rs

    path = Path(__file__).parents[2] / "docs" / "schemas" / f"canonical-tool.v{IR_VERSION}.json"
    validator = jsonschema_rs.validator_for(json.loads(path.read_text(encoding="utf-8")))
    assert validator.is_valid(tc.CanonicalTool(name="f", title="T").to_dict())
    assert not validator.is_valid({"version": "1"})
    assert not validator.is_valid({"name": "f", "kind": "spoon"})


@pytest.mark.parametrize(
    "text, shown",
    [
        ("plain ünïcode 漢字 😀", "plain ünïcode 漢字 😀"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x9b\x7f", "\\x9b\\x7f"),
        ("\u202e\u200b\ufeff", "\\u202e\\u200b\\ufeff"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_safe(text, shown):
    assert safe(text) == shown
    assert json.loads(safe_json(text)) == text
    assert not set(safe_json(text)) & set("\x1b\x9b\x7f\u202e\u200b\ufeff\U000e0041\u2028")


def test_safe_never_cuts_silently():
    assert safe("x" * 20, 5) == "xxxxx… 15 more characters"
