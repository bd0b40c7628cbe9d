"""The lens as functions: made once, when asked, however it is nested, and never without an end."""

import copy

import pytest

from tests.tables import table
from toolcanon.errors import BadReceipt
from toolcanon.lowering import Lens
from toolcanon.lowering import lens as lens_module
from toolcanon.lowering.step import Trouble

ABSENT = {"op": "absent", "keys": ["x"]}
ENTRIES = {"op": "entries"}
OPTIONS = {"op": "options", "keys": ["o"]}
LISTED = [{"key": "a", "value": 1}]


def lens(root, **defs):
    return Lens({"version": 1, "root": root, "defs": defs})


# A node, what the model sent, and what it means.
NODES = [
    ({}, {"x": None}, {"x": None}),
    ({"ops": [ABSENT]}, {"x": None, "y": None}, {"y": None}),
    ({"properties": {"p": {"ops": [ENTRIES]}}}, {"p": LISTED, "q": LISTED},
     {"p": {"a": 1}, "q": LISTED}),
    ({"additionalProperties": {"ops": [ENTRIES]}}, {"p": LISTED}, {"p": {"a": 1}}),
    ({"properties": {"p": {}}, "additionalProperties": {"ops": [ENTRIES]}},
     {"p": LISTED, "q": LISTED}, {"p": LISTED, "q": {"a": 1}}),
    ({"items": {"ops": [ENTRIES]}}, [LISTED, 5], [{"a": 1}, 5]),
    ({"prefixItems": [{}, {"ops": [ENTRIES]}], "items": {"ops": [ABSENT]}},
     [LISTED, LISTED, {"x": None}], [LISTED, {"a": 1}, {}]),
    ({"$ref": "D"}, {"x": None}, {}),
    ({"$ref": "D", "ops": [{"op": "absent", "keys": ["y"]}]}, {"x": None, "y": None}, {}),
    ({"anyOf": [{"wire": {"types": ["array"]}, "lens": {"ops": [ENTRIES]}},
                {"wire": {"types": ["object"]}, "lens": {"ops": [ABSENT]}}]}, LISTED, {"a": 1}),
    ({"anyOf": [{"wire": {"schema": {"required": ["z"]}}, "lens": {}},
                {"wire": {"schema": {"$ref": "#/$defs/w"}}, "lens": {"ops": [ABSENT]}}]},
     {"x": None}, {}),
]  # fmt: skip


@table("node, sent, meant", NODES)
def test_every_kind_of_node(node, sent, meant):
    before = copy.deepcopy(sent)
    made = Lens({"version": 1, "root": node, "defs": {"D": {"ops": [ABSENT]}},
                 "wire": {"w": {"type": "object"}}})  # fmt: skip
    assert made.restore(sent) == meant
    assert sent == before, "must not be changed"
    assert made.restore(made.apply(meant)) == meant


def test_troubles_say_where_and_in_which_order():
    inner = {"properties": {"l": {"items": {"ops": [OPTIONS]}}}, "ops": [OPTIONS]}
    made = lens({"properties": {"b": inner, "a": inner}})
    troubles = [Trouble(("before",), "stays")]
    made.restore({"a": {"o": 1, "l": [{"o": 2}, {}, {"o": 3}]}, "b": {"o": 4}}, troubles)
    assert [trouble.at for trouble in troubles] == [
        ("before",), ("a", "l", 0, "o"), ("a", "l", 2, "o"), ("a", "o"), ("b", "o"),
    ]  # fmt: skip


def nested(depth):
    value = {"x": None}
    for _ in range(depth):
        value = {"x": None, "n": value}
    return value


@pytest.mark.parametrize(
    "made",
    [
        lens({"properties": {"n": {"$ref": "#"}}, "ops": [ABSENT]}),
        lens({"$ref": "D"}, D={"properties": {"n": {"$ref": "E"}}, "ops": [ABSENT]},
             E={"properties": {"n": {"$ref": "D"}}, "ops": [ABSENT]}),
    ],
)  # fmt: skip
def test_recursion_reaches_as_deep_as_a_document_may(made):
    troubles = []
    assert "None" not in str(made.restore(nested(250), troubles))
    assert troubles == []
    assert made.restore(nested(900), troubles) is not None
    assert [trouble.says for trouble in troubles] == ["nested too deep to be understood"]


@pytest.mark.parametrize(
    "made",
    [
        lens({"$ref": "#", "ops": [ABSENT]}),
        lens({"$ref": "D"}, D={"$ref": "E"}, E={"$ref": "D"}),
        lens({"anyOf": [{"lens": {"$ref": "#"}}]}),
        lens({"$ref": "nowhere"}),
    ],
)
def test_circles_end(made):
    assert made.restore({"x": 1}) == made.apply({"x": 1}) == {"x": 1}


def test_a_chain_of_definitions_longer_than_the_stack():
    links = {f"D{n}": {"$ref": f"D{n + 1}"} for n in range(3000)}
    made = lens({"$ref": "D0"}, **links, D3000={"ops": [ABSENT]})
    troubles = []
    found = made.restore({"x": None}, troubles)
    assert found == {} or troubles


def test_it_is_made_when_asked_for_and_once(monkeypatch):
    asked = []
    make = lens_module.way_of
    monkeypatch.setattr(
        lens_module, "way_of", lambda *given: asked.append(given[1]) or make(*given)
    )
    made = lens({"ops": [ABSENT]})
    assert asked == []
    for _ in range(3):
        made.restore({"x": None})
    assert asked == ["restore"]
    made.apply({})
    assert asked == ["restore", "apply"]


def test_an_unknown_operation():
    with pytest.raises(BadReceipt, match="'turn'"):
        lens({"ops": [{"op": "turn"}]}).restore({})
