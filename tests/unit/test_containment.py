"""Contained, not contained with a witness, or unknown: never a guess."""

import time

import jsonschema_rs
import pytest

from tests.tables import table
from tests.unit.test_normal_form import OTHER, SAME, doubling
from toolcanon.schema.algebra.containment import contained, shrink
from toolcanon.schema.algebra.containment.answer import closed
from toolcanon.schema.algebra.containment.engine import GOALS
from toolcanon.schema.algebra.containment.regex_inclusion import inclusion
from toolcanon.schema.algebra.normal.terms import NormalFormBudget
from toolcanon.schema.keywords import ANNOTATIONS, POSITIONS
from toolcanon.schema.validate import judge

S, INT, N, X = {"type": "string"}, {"type": "integer"}, {"type": "null"}, {"type": "number"}


def objects(_required=(), **members):
    return {"type": "object", "properties": members, "required": list(_required)}


def arrays(items, **more):
    return {"type": "array", "items": items, **more}


TAGGED = {"oneOf": [objects(["k"], k={"const": "a"}, x=S), objects(["k"], k={"const": "b"}, y=INT)]}

YES = [
    ("fewer types", S, {"type": ["string", "null"]}),
    ("integers are numbers", INT, X),
    ("nothing is contained in everything", False, S),
    ("wider bounds", {**INT, "minimum": 2}, {"minimum": 1.5}),
    ("open and closed bounds", {**X, "exclusiveMinimum": 1}, {"minimum": 1}),
    ("multiples of multiples", {**X, "multipleOf": 0.75}, {"multipleOf": 0.25}),
    ("numbers of a short list", {**INT, "minimum": 1, "maximum": 3}, {"enum": [1, 2, 3, 4]}),
    ("wider lengths", {**S, "minLength": 2, "maxLength": 3}, {"minLength": 1}),
    ("a pattern in another", {**S, "pattern": "^[a-c]{2}$"}, {"pattern": "^[a-z]+$"}),
    ("anything matches", S, {"pattern": "a*"}),
    ("values of the right length", {"enum": ["a", "bb"]}, {"maxLength": 2}),
    ("values of objects", {"const": {"a": 1}}, objects(a=INT)),
    ("booleans by value", {"type": "boolean"}, {"anyOf": [{"const": True}, {"const": False}]}),
    ("required stays", objects(["a"], a=S), {"required": ["a"]}),
    ("required by another", {**objects(["a"]), "dependentRequired": {"a": ["b"]}},
     {"required": ["b"]}),
    ("members by pattern", {**objects(a1=S), "additionalProperties": False},
     {"patternProperties": {"^a": S}}),
    ("patterns alike", {"patternProperties": {"^a": INT}}, {"patternProperties": {"^a": X}}),
    ("names", {**objects(ab=S), "additionalProperties": False},
     {"propertyNames": {"maxLength": 2}}),
    ("counted members", objects(["a", "b"]), {"minProperties": 2}),
    ("closed objects are small", {**objects(a=S), "additionalProperties": False},
     {"maxProperties": 1}),
    ("tuples", {"type": "array", "prefixItems": [INT], "items": False}, arrays(INT, maxItems=1)),
    ("one item is unique", arrays(S, maxItems=1), {"uniqueItems": True}),
    ("items that fit", arrays(INT, minItems=2), {"contains": X, "minContains": 2}),
    ("not", S, {"not": INT}),
    ("not, by a tag", objects(["k"], k={"const": "a"}),
     {"not": objects(["k"], k={"const": "b"})}),
    ("oneOf that is apart", {"anyOf": [S, INT]}, {"oneOf": [S, INT]}),
    ("oneOf by a tag", objects(["k"], k={"const": "a"}, x=S), TAGGED),
    ("a union, value by value", objects(["k"], k={"enum": ["a", "b"]}, x=S, y=INT),
     {"anyOf": [objects(["k"], k={"const": "a"}), objects(["k"], k={"const": "b"})]}),
    ("a union, there or not", objects(a=S),
     {"anyOf": [{"required": ["a"]}, {"properties": {"a": False}}]}),
    ("the same overlapping choice",
     {**objects(), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
     {"oneOf": [{"required": ["b"], "title": "x"}, {"required": ["a"]}]}),
    ("a condition that is met", objects(["a", "b"]),
     {"if": {"required": ["a"]}, "then": {"required": ["b"]}}),
    ("a condition that never holds", S, {"if": INT, "then": False}),
    ("else", {**objects(), "not": {"required": ["a"]}},
     {"if": {"required": ["a"]}, "else": {"type": "object"}}),
    ("dependent", objects(["a", "b"]), {"dependentSchemas": {"a": {"required": ["b"]}}}),
    ("unevaluated", {**objects(a=S), "additionalProperties": False},
     {"allOf": [objects(a=S)], "unevaluatedProperties": False}),
    ("unevaluated before, and closed",
     {**objects(a=S), "anyOf": [objects(b=S), objects(c=S)], "unevaluatedProperties": False},
     {**objects(a=S, b=S, c=S), "additionalProperties": False}),
    ("recursion against its unrolling",
     {"$ref": "#/$defs/t", "$defs": {"t": objects(n={"$ref": "#/$defs/t"}, v=INT)}},
     objects(v=X, n=objects(v=X, n={"$ref": "#"}))),
    ("the same words that nobody understands", {**S, "fancy": 1}, {**S, "fancy": 1, "title": "t"}),
    ("a format that nobody asserts", S, {**S, "format": "fancy"}),
]  # fmt: skip

NO = [
    ("type", S, INT, ""),
    ("fractions", X, INT, 0.5),
    ("null", {"type": ["string", "null"]}, S, None),
    ("everything", {}, False, []),
    ("items: false", arrays(S), {"items": False}, [""]),
    ("minimum", {**INT, "minimum": 0}, {"minimum": 1}, 0),
    ("maximum", INT, {**INT, "maximum": 200}, 201),
    ("the bound itself", {**X, "minimum": 0}, {"exclusiveMinimum": 0}, 0),
    ("between the bounds", {**X, "minimum": 0.5}, {"minimum": 0.75}, 0.5),
    ("multiples", INT, {"multipleOf": 2}, 1),
    ("length", S, {**S, "minLength": 1}, ""),
    ("longer", S, {"maxLength": 2}, None),
    ("anchored", {**S, "pattern": "^[A-Z]{2}"}, {"pattern": "^[A-Z]{2}$"}, "AAa"),
    ("a list", S, {"enum": ["a"]}, ""),
    ("a value gone", {"enum": ["a", "b"]}, {"enum": ["a"]}, "b"),
    ("true is not one", {"const": True}, {"const": 1}, True),
    ("format", S, {**S, "format": "date"}, ""),
    ("required", objects(a=S), objects(["a"], a=S), {}),
    ("required below", objects(o=objects(a=S)), objects(o=objects(["a"], a=S)), {"o": {}}),
    ("a smaller member", objects(["z"], z=S, a=X), objects(a=INT), {"z": "", "a": 0.5}),
    ("items", arrays(X), arrays(INT), [0.5]),
    ("count", arrays(INT), arrays(INT, maxItems=1), [0, 0]),
    ("unique", arrays(INT), arrays(INT, uniqueItems=True), [0, 0]),
    ("contains", arrays(X), {"contains": INT}, []),
    ("not", S, {"not": {"const": "a"}}, "a"),
    ("overlapping oneOf", {"anyOf": [S, {**S, "minLength": 1}]},
     {"oneOf": [S, {**S, "minLength": 1}]}, "x"),
    ("a branch gone", {"anyOf": [INT, S]}, INT, ""),
    ("dependency", objects(a=INT, b=INT), {"dependentRequired": {"a": ["b"]}}, {"a": 0}),
    ("condition", objects(a=INT, b=INT),
     {"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": 0}),
    ("names", objects(ab=S), {"propertyNames": {"maxLength": 1}}, {"ab": ""}),
    ("recursion", {"$ref": "#/$defs/t", "$defs": {"t": objects(n={"$ref": "#/$defs/t"}, v=X)}},
     objects(v=INT, n={"$ref": "#"}), {"v": 0.5}),
    ("safe integers, by the letter", INT, {**INT, "maximum": 2**53 - 1}, 2**53),
]  # fmt: skip

# Read by declared members.
INPUTS = [
    ("an optional member more", objects(a=S), objects(a=S, b=INT), "yes", None),
    ("a member less", objects(a=S, b=INT), objects(a=S), "no", {"b": 0}),
    ("a member less, though open", objects(a=S, b=INT),
     {**objects(a=S), "additionalProperties": {}}, "no", {"b": 0}),
    ("all members gone", objects(a=S), {"type": "object"}, "no", {"a": ""}),
    ("an empty schema", objects(a=S), {}, "no", {"a": ""}),
    ("items that may be anything", arrays(objects(a=S)), arrays({}), "no", [{"a": ""}]),
    ("a part and its whole declare the same member",
     {"allOf": [objects(o=objects(a=S)), objects(o=objects(b=S))]}, objects(o=objects(a=S)), "no",
     {"o": {"b": ""}}),
    ("closed", objects(a=S), {**objects(a=S), "additionalProperties": False}, "yes", None),
    ("closed, and open before", {**objects(a=S), "additionalProperties": True},
     {**objects(a=S), "additionalProperties": False}, "yes", None),
    ("opened", {**objects(a=S), "additionalProperties": False}, objects(a=S), "yes", None),
    ("a map", objects(m={"type": "object"}),
     objects(m={"type": "object", "additionalProperties": S}), "no", {"m": {"x": []}}),
    ("a map that declares members", objects(m={"type": "object"}), objects(m=objects(a=S)),
     "no", {"m": {"a": []}}),
    ("members of a map", objects(m=objects(a=S)),
     objects(m={"type": "object", "additionalProperties": S}), "yes", None),
    ("members in branches", {**objects(a=S), "anyOf": [objects(b=S), objects(c=S)]},
     objects(a=S, b=S, c=S), "yes", None),
    ("a member of a branch less", {**objects(a=S), "anyOf": [objects(b=S), objects(c=S)]},
     objects(a=S, b=S), "no", {"c": ""}),
    ("members of parts", {"allOf": [objects(a=S), objects(b=S)]}, objects(a=S, b=S), "yes", None),
    ("members with names of ours",
     {**objects(self=S), "anyOf": [objects(cls=S), objects(members=S)]},
     objects(self=S, cls=S, members=S), "yes", None),
    ("dynamic members", {**objects(), "patternProperties": {"^x": S}}, objects(a=S), "no",
     {"x": ""}),
    ("safe integers", objects(a=INT),
     objects(a={**INT, "maximum": 2**53 - 1, "minimum": 1 - 2**53}), "yes", None),
    ("safe integers of numbers", objects(a=X), objects(a={**X, "maximum": 2**53 - 1}), "no", ...),
]  # fmt: skip

UNKNOWN = [
    ("a keyword", S, {**S, "fancy": 1}, "fancy is not supported"),
    ("a reference", S, {"$ref": "#/nowhere"}, "cannot be resolved"),
    ("a remote reference", S, {"$ref": "https://example.com/"}, "cannot be resolved"),
    ("look-around", {**S, "pattern": "^a"}, {"pattern": "^(?=a)a"}, "unknown whether"),
]

# One as the other, for outputs.
OUTPUTS = [
    ("a member more", objects(a=S, b=S), objects(a=S), "yes"),
    ("another value", objects(a={"enum": ["x", "y"]}), objects(a={"enum": ["x"]}), "no"),
    ("no longer required", objects(a=S), objects(["a"], a=S), "no"),
    ("a closed one", objects(a=S, b=S), {**objects(a=S), "additionalProperties": False}, "no"),
]


def is_proven(one, other, witness):
    return judge(one).accepts(witness) is True and judge(other).accepts(witness) is False


@table("name, one, other", YES, ids=[row[0] for row in YES])
def test_contained(name, one, other):
    assert contained(one, other).answer == "yes"


@table("name, one, other, witness", NO, ids=[row[0] for row in NO])
def test_not_contained(name, one, other, witness):
    found = contained(one, other)
    assert found.answer == "no", found
    assert found.reason
    if witness is not None or name == "null":
        assert repr(found.witness) == repr(witness)
    if name != "format":
        assert is_proven(one, other, found.witness)


@table("name, one, other, answer, witness", INPUTS, ids=[r[0] for r in INPUTS])
def test_inputs_are_read_by_declared_members(name, one, other, answer, witness):
    found = contained(one, other, reading="inputs")
    assert found.answer == answer, found
    if witness is not ...:
        assert found.witness == witness
    if answer == "no":
        assert is_proven(
            closed(one, maps=True), closed(other, maps=False, lenient=True), found.witness
        )


@pytest.mark.parametrize("name, one, other, answer", OUTPUTS, ids=[row[0] for row in OUTPUTS])
def test_outputs_stay_open(name, one, other, answer):
    assert contained(one, other, reading="outputs").answer == answer


@pytest.mark.parametrize("name, one, other, reason", UNKNOWN, ids=[row[0] for row in UNKNOWN])
def test_not_known(name, one, other, reason):
    found = contained(one, other)
    assert found.answer == "unknown"
    assert reason in found.reason
    assert found.witness is None


@table("name, one, other", SAME, ids=[row[0] for row in SAME])
def test_other_words_are_contained_both_ways(name, one, other):
    assert contained(one, other).answer == "yes"
    assert contained(other, one).answer == "yes"


@table("name, one, other", OTHER, ids=[row[0] for row in OTHER])
def test_near_misses_are_distinguished_or_declare_something_else(name, one, other):
    same = {"a member that may be anything is declared", "a pattern next to a format"}
    answers = {contained(one, other).answer, contained(other, one).answer}
    assert (answers == {"yes"}) == (name in same)


def test_the_rejecting_keyword_is_reported():
    one, other = objects(o=objects(a=X)), objects(o=objects(a=INT))
    assert str(contained(one, other).at) == "/properties/o/properties/a/type"
    other = {"$ref": "#/$defs/x", "$defs": {"x": objects(o=objects(a=INT))}}
    assert str(contained(one, other).at) == "/$defs/x/properties/o/properties/a/type"


PATTERNS = [
    ("^a$", "a", True), ("a", "^a$", False), ("^[0-9]+$", r"^\d+$", True),
    (r"^\w+$", "^[a-z]", False),
    ("^(foo|bar)$", "^[a-z]{3}$", True), ("^.$", "^.{1,2}$", True), ("^a{2,4}$", "^a{1,3}$", False),
    ("^a*b$", "b$", True), ("x", "", True), ("", "x", False), ("^$", "^a?$", True),
    (r"^\d{4}-\d{2}$", r"^\d{4}-(0[1-9]|1[0-2])$", False), ("(?=a)a", "a", None),
    ("(?i)a", "a", None),
    (r"^\p{L}$", "^.$", None), ("(a|b)*a(a|b){30}", "^[ab]*$", None), ("^[^/]+$", "^[^/]*$", True),
]  # fmt: skip


@table("one, other, answer", PATTERNS)
def test_patterns_contain_each_other(one, other, answer):
    found = inclusion(one, other, NormalFormBudget())
    assert found.holds is answer
    for text in found.apart:
        assert judge({"pattern": one}).accepts(text)
        assert judge({"pattern": other}).accepts(text) is False


def test_shrinking():
    assert shrink({"a": 1, "b": [3, 4]}, lambda v: "b" in v) == {"b": []}
    assert shrink("long", lambda v: len(v) > 1) == "lo"
    assert shrink(200, lambda v: v > 100) == 200


def hostile(leaf):
    deep = leaf
    for _ in range(300):
        deep = {"properties": {"a": deep}, "required": ["a"]}
    bomb = doubling(30)
    bomb["$defs"]["d30"] = leaf
    return {
        "references": bomb,
        "depth": deep,
        "unions": {"allOf": [{"anyOf": [{"required": [f"a{i}"]}, {"required": [f"b{i}"]}]}
                             for i in range(30)], "properties": {"z": leaf}},
        "branches": {"oneOf": [{"properties": {f"a{i}": leaf}} for i in range(60)]},
        "conditions": {"allOf": [{"if": {"required": [f"a{i}"]}, "then": {"required": [f"b{i}"]}}
                                 for i in range(30)], "properties": {"z": leaf}},
        "values": {"enum": [f"v{i}" for i in range(20_000)] + [leaf.get("maximum", 0)]},
    }  # fmt: skip


@table("name", list(hostile(INT)))
@table("reading", ["plain", "inputs"])
def test_hostile_schemas_are_answered_soon(name, reading):
    one, other = hostile(INT)[name], hostile({**INT, "maximum": 5})[name]
    start = time.process_time()
    assert contained(one, other, reading=reading).answer != "yes"
    assert time.process_time() - start < 3


WORDS = sorted({*GOALS, *POSITIONS, *ANNOTATIONS, "$ref", "$dynamicRef", "$id", "minContains"})
MISREAD = [None, True, 0, -1, 1.5, 10**400, "x", [], [None], [1, "a"], [{}], {}, {"a": None},
           {"a": ["b", {}]}, {"(": {}}, {"type": []}, {"allOf": None}]  # fmt: skip


@table("word", WORDS)
def test_keywords_that_cannot_be_read_are_no_accident(word):
    """Whatever a keyword holds, the answer is one of three, and an unknown has its reason."""
    plain = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    for value in MISREAD:
        odd = {**plain, word: value}
        deep = {**plain, "properties": {"a": {"type": "string", word: value}}}
        for one, other in ((odd, plain), (plain, odd), (deep, plain), (plain, deep), (odd, deep)):
            for reading in ("plain", "inputs", "outputs"):
                found = contained(one, other, reading=reading)
                assert found.answer != "unknown" or found.reason, (one, other)


def test_an_object_is_closed_beside_a_list_that_is_none():
    schema = {"allOf": None, "properties": {"a": {}}, "anyOf": [{"properties": {"b": {}}}]}
    assert closed(schema, maps=False, lenient=True)["allOf"][0]["properties"] == {
        "a": True,
        "b": True,
    }


@pytest.mark.parametrize("own, asked", [("date", "email"), ("email", "ipv4"), ("uri", "uuid")])
def test_a_text_of_its_own_format_proves_that_another_one_refuses_it(own, asked):
    found = contained({"type": "string", "format": own}, {"type": "string", "format": asked})
    assert found.answer == "no"
    taken = jsonschema_rs.validator_for({"format": own}, validate_formats=True)
    refusing = jsonschema_rs.validator_for({"format": asked}, validate_formats=True)
    assert taken.is_valid(found.witness)
    assert not refusing.is_valid(found.witness)
