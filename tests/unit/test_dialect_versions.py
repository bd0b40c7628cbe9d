"""Versions of dialects: earlier facts stay pinnable, and a pin holds for what goes with it."""

from dataclasses import replace

import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.conversion import target
from toolcanon.conversion.target import choose, find_dialect
from toolcanon.errors import UnknownDialect
from toolcanon.registry import builtin_formats, get_target
from toolcanon.report.dialects import dialect_lines

DIALECTS = [found for item in builtin_formats().values() for found in item.dialects]
FIRST = replace(find_dialect("groq/strict"), version="2026-10", earlier=())
SECOND = replace(FIRST, version="2026-11", earlier=(FIRST,))
THIRD = replace(FIRST, version="2026-11-18", earlier=(SECOND, FIRST))


@pytest.fixture(autouse=True)
def _three_versions(monkeypatch):
    known = {**target.all_dialects(), THIRD.id: THIRD}
    monkeypatch.setattr(target, "all_dialects", lambda: known)


@pytest.mark.parametrize(
    "name, found",
    [
        ("groq/strict", THIRD),
        ("groq/strict@2026-11-18", THIRD),
        ("groq/strict@2026-11", SECOND),
        ("groq/strict@2026-10", FIRST),
    ],
)
def test_a_version_is_found_by_its_pin(name, found):
    assert find_dialect(name) is found
    assert choose(get_target("groq"), dialect=name).strict is found


def test_an_unknown_version_lists_every_pin():
    with pytest.raises(UnknownDialect) as caught:
        find_dialect("groq/strict@1999")
    assert caught.value.known == (
        "groq/strict@2026-11-18", "groq/strict@2026-11", "groq/strict@2026-10",
    )  # fmt: skip


def test_a_pin_holds_for_the_strict_dialect_beside_it():
    target = get_target("groq")
    assert choose(target, strict=True, dialect="groq").strict is THIRD
    assert choose(target, strict=True, dialect="groq@2026-11").strict is SECOND


@pytest.mark.parametrize(
    "version, found",
    [("2027", THIRD), ("2026-11-18", THIRD), ("2026-11-17", SECOND), ("2026-10", FIRST),
     ("2020", FIRST)],
)  # fmt: skip
def test_as_of_is_the_newest_that_is_not_later(version, found):
    assert THIRD.as_of(version) is found


def test_an_earlier_version_has_the_same_home():
    assert FIRST.id.partition("/")[0] == "groq"


def test_earlier_pins_are_shown():
    assert "  earlier:     groq/strict@2026-11, groq/strict@2026-10" in dialect_lines(THIRD)


@table("dialect", DIALECTS, ids=lambda dialect: dialect.id)
def test_versions_of_a_dialect_are_whole_and_in_order(dialect):
    versions = [found.version for found in dialect.versions]
    assert versions == sorted(set(versions), reverse=True)
    for found in dialect.earlier:
        assert found.id == dialect.id
        assert not found.earlier
        assert found.strict is dialect.strict


@table("dialect", DIALECTS, ids=lambda dialect: dialect.id)
def test_every_pin_can_be_used_and_is_in_the_receipt(dialect):
    home = get_target(dialect.id.partition("/")[0])
    tool = tc.CanonicalTool(name="f", description="d", inputs={"type": "object"})
    for found in dialect.versions:
        done = tc.bind(tool, home.id, dialect=found.pinned)
        assert done.receipt()["tools"][0]["dialect"] in {found.pinned, *_plain(dialect)}


def _plain(dialect):
    """Where a tool without parameters cannot be strict, that is reported and it falls back."""
    plain = target.all_dialects().get(dialect.id.removesuffix("/strict"))
    return {plain.pinned} if dialect.id == "cohere/strict" else set()


EMPTY = {
    "no parameters": {},
    "no schema": None,
    "closed root": {"type": "object", "properties": {}, "additionalProperties": False},
    "nested": {
        "type": "object",
        "properties": {
            "a": {"type": "object", "additionalProperties": False},
            "b": {"type": "array", "items": {"type": "object", "properties": {},
                                             "additionalProperties": False}},
            "c": {"anyOf": [{"$ref": "#/$defs/none"}, {"type": "null"}]},
            "d": {"type": ["object", "null"], "additionalProperties": False},
        },
        "required": ["a", "b"],
        "$defs": {"none": {"type": "object", "additionalProperties": False}},
    },
}  # fmt: skip


@pytest.mark.parametrize("target", ["openai", "openai-responses"])
@pytest.mark.parametrize("name", EMPTY)
def test_strict_objects_without_members_list_what_is_required(target, name):
    schema = EMPTY[name]
    tool = {"name": "f", "description": "d", "input_schema": {"type": "object"}}
    if schema is not None:
        tool["input_schema"] = schema
    (now,) = _objects(_parameters(tool, target), [])[:1]
    assert now["required"] == list(now["properties"])
    for node in _objects(_parameters(tool, target), []):
        assert node["required"] == list(node["properties"])
        assert node["additionalProperties"] is False
    pinned = _objects(_parameters(tool, target, dialect=f"{target}/strict@2026-11"), [])
    assert any("required" not in node for node in pinned)


def _parameters(tool, target, **options):
    done = tc.convert(tool, target, strict=True, **options).payload
    return done.get("function", done)["parameters"]


def _objects(node, found):
    """Every schema that is an object, at any depth."""
    if isinstance(node, dict):
        if "properties" in node:
            found.append(node)
        for value in node.values():
            _objects(value, found)
    for item in node if isinstance(node, list) else ():
        _objects(item, found)
    return found
