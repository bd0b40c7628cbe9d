"""Where references lead, which places come back to themselves, and what inlining would cost."""

import time

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables import table
from toolcanon.schema.references import References, ReferenceTarget, has_references, may_recur

TREE = {"type": "object", "properties": {"kids": {"items": {"$ref": "#/$defs/Tree"}}}}
ROOT = {
    "$id": "https://x.test/root",
    "$defs": {
        "a/b": {"type": "null"},
        "a~b": {"type": "string"},
        "100%": {"type": "integer"},
        "Box[int]": {"type": "number"},
        "ü": {"type": "boolean"},
        "yes": True,
        "": {"title": "empty name"},
        "anchored": {"$anchor": "here", "type": "array"},
        "dynamic": {"$dynamicAnchor": "node"},
        "Part": {"$id": "Part", "properties": {"x": {"$anchor": "inner", "type": "null"}}},
        "old": {"$id": "#/old"},
    },
    "components": {"schemas": {"Pet": {"type": "object"}}},
    "allOf": [{"type": "object"}, {"minProperties": 1}],
    "properties": {"$anchor": {"$anchor": "property"}, "$ref": {"type": "string"}},
    "const": {"$anchor": "data"},
    "enum": [{"$anchor": "data"}],
    "default": {"$anchor": "data", "$id": "data"},
    "examples": [{"$anchor": "data"}],
}

FINDS = [
    ("#", ()),
    ("", ()),
    ("#/$defs/a~1b", ("$defs", "a/b")),
    ("#/$defs/a~0b", ("$defs", "a~b")),
    ("#/$defs/100%", ("$defs", "100%")),
    ("#/$defs/100%25", ("$defs", "100%")),
    ("#/$defs/Box%5Bint%5d", ("$defs", "Box[int]")),
    ("#/$defs/Box[int]", ("$defs", "Box[int]")),
    ("#/%24defs/%C3%BC", ("$defs", "ü")),
    ("#/$defs/yes", ("$defs", "yes")),
    ("#/$defs/", ("$defs", "")),
    ("#/allOf/1", ("allOf", 1)),
    ("#/components/schemas/Pet", ("components", "schemas", "Pet")),
    ("#/properties/$ref", ("properties", "$ref")),
    ("#here", ("$defs", "anchored")),
    ("#node", ("$defs", "dynamic")),
    ("#property", ("properties", "$anchor")),
    ("#inner", ("$defs", "Part", "properties", "x")),
    ("https://x.test/root", ()),
    ("https://x.test/root#", ()),
    ("https://x.test/root#/allOf/0", ("allOf", 0)),
    ("https://x.test/root#here", ("$defs", "anchored")),
    ("Part", ("$defs", "Part")),
    ("Part#", ("$defs", "Part")),
    ("Part#/properties/x", ("$defs", "Part", "properties", "x")),
    ("Part#inner", ("$defs", "Part", "properties", "x")),
]

MISSES = [
    "#/$defs/nobody",
    "#/$defs/Part/properties/x/type",  # a string is no schema
    "#/allOf/2",
    "#/allOf/-1",
    "#/allOf/01",
    "#/allOf/\u0661",
    "#/allOf/" + "9" * 5000,
    "#/allOf",
    "#data",
    "data",
    "#nobody",
    "Part#here",
    "https://x.test/root#inner",
    "https://elsewhere.test/",
    "other.json#/a",
]


def at(pointer, value):
    for step in pointer:
        value = value[step]
    return value


@table("ref, pointer", FINDS)
def test_finds(ref, pointer):
    assert References(ROOT).find(ref) == ReferenceTarget(pointer, at(pointer, ROOT))


@table("ref", MISSES)
def test_finds_nothing(ref):
    assert References(ROOT).find(ref) is None


def document(root_id=None, part_id=None, *, ref, part="$defs"):
    """A root and a part, each with its own idea of ``#/$defs/x`` and ``#x``; both refer."""
    own = {"$ref": ref, "$defs": {"x": {"const": "part", "$anchor": "xp"}}}
    parts = {"x": {"const": "root", "$anchor": "xr"}, "part": own}
    found = {"$defs": parts} if part == "$defs" else {"$defs": {"x": parts["x"]}, part: own}
    if root_id is not None:
        found["$id"] = root_id
    if part_id is not None:
        own["$id"] = part_id
    return found


X, IN_PART = ("$defs", "x"), ("$defs", "part", "$defs", "x")
A, B = "https://a.test/a", "https://a.test/b"
# Identifiers of root and part, a reference in the part, and where it certainly leads.
EXACT = [
    (None, None, "#/$defs/x", X),
    (None, "", "#/$defs/x", X),
    (None, "#", "#/$defs/x", X),
    (None, "#/old", "#/$defs/x", X),
    (None, None, "#xr", X),
    (None, None, "#xp", IN_PART),
    (A, None, "#/$defs/x", X),
    (A, None, A + "#xr", X),
    ("odd id!", None, "#xr", X),
    (A, None, B, None),
    (A, B, "#/$defs/x", IN_PART),
    (A, B + "#", "#/$defs/x", IN_PART),
    (A, B, "#xp", IN_PART),
    (A, B, "#xr", None),
    (A, B, A + "#xr", X),
    (A, B, B, ("$defs", "part")),
    (None, B, "#/$defs/x", IN_PART),
    ("a", "b", "a#/$defs/x", X),
    ("a", "b", "#/$defs/x", IN_PART),
    # The part might be another for a validator, or its identifier might.
    (A, A, "#/$defs/x", None),
    (A, "b", "#/$defs/x", None),
    (A, "https://a.test/x/../a", "#/$defs/x", None),
    (A, "https://a.test/%61", "#/$defs/x", None),
    (A, "https://a.test", "#/$defs/x", None),
    (A, B, "b", None),
]


@table("root_id, part_id, ref, pointer", EXACT)
def test_finds_exactly_or_not_at_all(root_id, part_id, ref, pointer):
    root = document(root_id, part_id, ref=ref)
    found = References(root).find_exactly(ref, root["$defs"]["part"])
    assert found == (None if pointer is None else ReferenceTarget(pointer, at(pointer, root)))
    if pointer in {X, IN_PART} and part_id != "#/old" and root_id != "odd id!":
        judge = jsonschema_rs.Draft202012Validator({**root, "allOf": [{"$ref": "#/$defs/part"}]})
        assert judge.is_valid("root" if pointer == X else "part")


def test_finds_exactly_from_dark_corners():
    root = document(A, B, ref="#/$defs/x", part="components")
    found = References(root).find_exactly("#/$defs/x", root["components"])
    assert found == ReferenceTarget(X, root["$defs"]["x"])
    root["$defs"]["other"] = {"$id": "https://a.test/c"}
    assert References(root).find_exactly("#/$defs/x", root["components"]) is None


def test_finds_exactly_no_duplicate_anchor():
    root = {"$defs": {"a": {"$anchor": "x"}, "b": {"$dynamicAnchor": "x"}}}
    assert References(root).find("#x") == ReferenceTarget(("$defs", "a"), {"$anchor": "x"})
    assert References(root).find_exactly("#x", root) is None


HAS = [
    ({"$ref": "#"}, True),
    ({"$dynamicRef": "#x"}, True),
    ({"properties": {"a": {"items": {"$ref": "#"}}}}, True),
    ({"anyOf": [True, {"$ref": "#"}]}, True),
    ({"$defs": {"a": {"not": {"$ref": "https://elsewhere.test/"}}}}, True),
    ({"properties": {"$ref": {"type": "string"}}}, False),
    ({"$ref": {"type": "string"}}, False),
    ({"enum": [{"$ref": "#"}], "const": {"$ref": "#"}, "default": {"$ref": "#"}}, False),
    ({"examples": [{"$ref": "#"}], "x-more": {"$ref": "#"}}, False),
    (True, False),
    ({"properties": "odd", "anyOf": {"a": 1}, "items": None}, False),
]


@table("schema, expected", HAS)
def test_has_references(schema, expected):
    assert has_references(schema) is expected


# A name, a root, which places are recursive, what places cost.
GRAPHS = [
    ("plain", {"type": "object", "properties": {"a": {}, "b": True}}, {(): False}, {(): 3}),
    (
        "tree",
        {"$ref": "#/$defs/Tree", "$defs": {"Tree": TREE}},
        {(): False, ("$defs", "Tree"): True, ("$defs", "Tree", "properties", "kids"): True},
        {(): 3, ("$defs", "Tree"): 3},
    ),
    ("to the root", {"items": {"$ref": "#"}}, {(): True, ("items",): True}, {(): 2}),
    ("itself", {"$ref": "#"}, {(): True}, {(): 1}),
    (
        "two in turn",
        {
            "properties": {"x": {"$ref": "#/$defs/a"}},
            "$defs": {"a": {"items": {"$ref": "#/$defs/b"}}, "b": {"items": {"$ref": "#/$defs/a"}}},
        },
        {(): False, ("properties", "x"): False, ("$defs", "a"): True, ("$defs", "b"): True},
        {(): 3},
    ),
    (
        "used twice",
        {
            "properties": {"x": {"$ref": "#/$defs/a"}, "y": {"$ref": "#/$defs/a", "not": {}}},
            "$defs": {"a": {"items": {}}, "unused": {"items": {"$ref": "#"}}},
        },
        {(): False, ("$defs", "a"): False, ("$defs", "unused"): False},
        {(): 6, ("$defs", "unused"): 7},
    ),
    (
        "into data and dark corners",
        {
            "properties": {"x": {"$ref": "#/components/P"}, "y": {"$ref": "#/nowhere"}},
            "components": {"P": {"items": {"$ref": "#/components/P"}}},
            "enum": [{"$ref": "#"}],
        },
        {(): False, ("components", "P"): True, ("enum", 0): False, ("nothing",): False},
        {(): 4, ("nothing",): 0},
    ),
    ("remote", {"items": {"$ref": "https://elsewhere.test/"}}, {(): False}, {(): 2}),
    (
        "by anchor",
        {"$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}},
        {(): True},
        {(): 2},
    ),
]


@pytest.mark.parametrize("root, recursive, costs", [row[1:] for row in GRAPHS],
                         ids=[row[0] for row in GRAPHS])  # fmt: skip
def test_graphs(root, recursive, costs):
    references = References(root)
    assert {place: references.is_recursive(place) for place in recursive} == recursive
    assert {place: references.cost(place) for place in costs} == costs


def test_members_that_need_not_be_there_end_a_recursion():
    def kids(name):
        return {"properties": {"kids": {"items": {"$ref": f"#/$defs/{name}"}}}}

    defs = {
        "tree": kids("tree"),
        "full": {**kids("full"), "required": ["kids"]},
        "map": {"additionalProperties": {"$ref": "#/$defs/map"}},
    }
    needed = References({"$defs": defs}, optional=False)
    found = {name: needed.is_recursive(("$defs", name)) for name in defs}
    assert found == {"tree": False, "full": True, "map": True}


def test_pointers_of_text_steps_work_too():
    root = {"anyOf": [{"items": {"$ref": "#/anyOf/0"}}]}
    assert References(root).is_recursive(("anyOf", "0"))
    assert References(root).cost(("anyOf", "0")) == 2


CIRCLES = [
    ({"$ref": "#"}, (), True),
    ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, ("$defs", "a"), True),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a", "title": "t"}}}, (), True),
    ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "null"}}}, ("$defs", "a"), False),
    ({"$defs": {"a": {"$ref": "#/$defs/a", "type": "null"}}}, ("$defs", "a"), False),
    ({"$defs": {"a": {"$ref": "#/$defs/b"}}}, ("$defs", "a"), False),
    ({"items": {"$ref": "#"}}, (), False),
    ({"items": {"$ref": "#"}}, ("items",), False),
    ({"$ref": "#/$defs/a", "$defs": {"a": True}}, (), False),
    ({}, ("nowhere",), False),
]


@table("root, pointer, expected", CIRCLES)
def test_meaningless(root, pointer, expected):
    assert References(root).is_meaningless(pointer) is expected


def chain(length, last):
    defs = {f"d{n}": {"items": {"$ref": f"#/$defs/d{n + 1}"}} for n in range(length)}
    return {"$ref": "#/$defs/d0", "$defs": {**defs, f"d{length}": last}}


@pytest.mark.parametrize("last, recursive", [({}, False), ({"$ref": "#/$defs/d0"}, True)])
def test_long_chains(last, recursive):
    references = References(chain(5000, last))
    assert references.is_recursive(("$defs", "d0")) is recursive
    assert references.is_recursive(("$defs", "d4999")) is recursive
    assert not references.is_recursive(())
    assert references.cost(()) == (2 if recursive else 5001)
    assert not references.is_meaningless(())


def test_long_circle_of_nothing():
    defs = {f"d{n}": {"$ref": f"#/$defs/d{(n + 1) % 3000}"} for n in range(3000)}
    assert References({"$defs": defs}).is_meaningless(("$defs", "d7"))


def bomb(levels, width):
    ref = "#/$defs/d{}".format
    defs = {
        f"d{n}": {"properties": {f"p{i}": {"$ref": ref(n + 1)} for i in range(width)}}
        for n in range(levels)
    }
    return {"$ref": ref(0), "$defs": {**defs, f"d{levels}": {}}}


@pytest.mark.parametrize("levels, width", [(30, 2), (11, 10), (50, 50)])
def test_bombs_are_counted_not_set_off(levels, width):
    started = time.process_time()
    cost = References(bomb(levels, width)).cost(())
    assert cost == sum(width**level for level in range(levels + 1))
    assert time.process_time() - started < 0.5


def test_many_references_to_something_wide():
    wide = {"properties": {f"p{i}": {} for i in range(10_000)}}
    users = [{"$ref": "#/$defs/wide"}] * 10_000
    started = time.process_time()
    assert References({"anyOf": users, "$defs": {"wide": wide}}).cost(()) == 1 + 10_000 * 10_001
    assert time.process_time() - started < 2


def test_sums_stay_short():
    assert References(bomb(5000, 2)).cost(()) == 10**100


def test_nothing_is_changed():
    root = {"$ref": "#/$defs/Tree", "$defs": {"Tree": TREE}}
    before = repr(root)
    references = References(root)
    references.cost(())
    references.find("#x")
    assert repr(root) == before


NAMES = [f"d{n}" for n in range(5)]
REF = st.sampled_from(NAMES).map(lambda name: {"$ref": f"#/$defs/{name}"})
NODE = st.recursive(
    REF | st.just({"type": "string"}),
    lambda inner: st.fixed_dictionaries(
        {"properties": st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)}
    ),
    max_leaves=4,
)
DEFS = st.fixed_dictionaries(dict.fromkeys(NAMES, NODE))


def reaches(defs, schema, goal, path=()):
    """By plain recursion: can we get from here to the definition?"""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return name == goal or (name not in path and reaches(defs, defs[name], goal, (*path, name)))
    return any(reaches(defs, child, goal, path) for child in schema.get("properties", {}).values())


def inlined(defs, schema):
    if "$ref" in schema:
        return inlined(defs, defs[schema["$ref"].removeprefix("#/$defs/")])
    return 1 + sum(inlined(defs, child) for child in schema.get("properties", {}).values())


@given(DEFS)
def test_recursion_and_cost_agree_with_plain_recursion(defs):
    references = References({"$defs": defs})
    circles = {name for name in NAMES if reaches(defs, defs[name], name)}
    assert {name for name in NAMES if references.is_recursive(("$defs", name))} == circles
    for name in NAMES:
        if not any(name == goal or reaches(defs, defs[name], goal) for goal in circles):
            assert references.cost(("$defs", name)) == inlined(defs, defs[name])


@settings(max_examples=60)
@given(st.text(max_size=6), st.sampled_from(["properties", "$defs"]))
def test_names_are_found_as_a_validator_finds_them(name, key):
    escaped = name.replace("~", "~0").replace("/", "~1")
    ref = f"#/{key}/" + "".join(f"%{byte:02X}" for byte in escaped.encode())
    root = {key: {name: {"const": 1}}}
    assert References(root).find(ref) == ReferenceTarget((key, name), {"const": 1})
    judge = jsonschema_rs.Draft202012Validator({**root, "allOf": [{"$ref": ref}]})
    assert judge.is_valid(1)
    assert not judge.is_valid(2)


@given(st.dictionaries(st.sampled_from(NAMES), NODE, max_size=4), NODE)
def test_a_precheck_never_misses_a_cycle(defs, root):
    schema = {"properties": {"x": root}, "$defs": defs}
    references = References(schema)
    places = [(), *(("$defs", name) for name in defs)]
    if any(map(references.is_recursive, places)):
        assert may_recur(schema)


GLANCES = [
    ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/c"}, "c": {}}}, False),
    ({"$defs": {"a": {"$ref": "#/definitions/a"}}, "definitions": {"a": {}}}, False),
    ({"$defs": {"a": {"$ref": "#/definitions/a"}},
      "definitions": {"a": {"$ref": "#/$defs/a"}}}, True),
    ({"$defs": {"a/b": {"$ref": "#/$defs/a~1b"}}}, True),
    ({"$defs": {"é": {"items": {"$ref": "#/$defs/é"}}}}, True),
    ({"$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}}, True),
    ({"properties": {"$ref": {"type": "string"}}}, False),
    ({"$defs": {"a": {"enum": [2**80]}}}, True),
    ({"$defs": []}, True),
    ({}, False),
]  # fmt: skip


@table("schema, expected", GLANCES)
def test_prechecks(schema, expected):
    assert may_recur(schema) is expected


def test_a_precheck_of_a_long_chain_is_given_up():
    defs = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(20_000)}
    began = time.process_time()
    assert may_recur({"$defs": defs})
    assert time.process_time() - began < 1
