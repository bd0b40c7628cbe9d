"""What breaks other converters, for every dialect: nothing is refused, lost or comes back wrong."""

import copy
import json
import signal
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest

import toolcanon as tc
from tests.conftest import has_whole_corpus
from tests.lens_laws import violations
from tests.referee import judge_schema, judge_tool, judged, parameters
from tests.tables import table, tried
from toolcanon.conversion.target import all_dialects
from toolcanon.dialect import JSON_SCHEMA
from toolcanon.lowering import lower
from toolcanon.schema import upgrade
from toolcanon.schema.validate import judge

DIALECTS = judged(all_dialects())
ALIKE = {"mcp/2025-11-25", "mcp/2025-06-18", "mcp/2025-03-26", "openai-responses/strict"}
DISTINCT = {name: dialect for name, dialect in DIALECTS.items() if name not in ALIKE}
# What is said of a dialect and leads to no other work: who says it, and when it is chosen.
ABOUT = {"id": "", "version": "", "title": "", "sources": (), "models": (), "routes": ()}
PLANS = {
    str(plan): (name, dialect)
    for name, dialect in reversed(DISTINCT.items())
    for plan in [replace(dialect, **ABOUT)]
}
"""One dialect for each plan of the engine: how long it takes depends on nothing else."""
FOLLOWING = {
    repr((dialect.references, dialect.closed, dialect.root_unions)): (name, dialect)
    for name, dialect in PLANS.values()
}
"""One dialect for each way in which references are followed and unions are written."""
TEXT, WHOLE, NUMBER, NULL = ({"type": word} for word in ("string", "integer", "number", "null"))
FLAG, LIST = {"type": "boolean"}, {"type": "array", "items": {"type": "string"}}


def obj(members=None, /, **more):
    return {"type": "object", "properties": {**(members or {}), **more}}


def needs(*names, **members):
    return {**obj(members), "required": list(names)}


def entries(value):
    return {"type": "object", "additionalProperties": value}


def ref(name):
    return {"$ref": f"#/$defs/{name}"}


def either(*branches, **more):
    return {"anyOf": list(branches), **more}


NODE = needs("value", value=TEXT, next={"$ref": "#/$defs/node"})
TREE = needs("name", name=TEXT, kids={"type": "array", "items": {"$ref": "#/$defs/tree"}})
CAT = needs("kind", "lives", kind={"const": "cat"}, lives=WHOLE)
DOG = needs("kind", "name", kind={"const": "dog"}, name=TEXT)

TORTURE = {
    "every keyword as a parameter": obj(dict.fromkeys(JSON_SCHEMA, TEXT)),
    "every keyword as a required parameter": needs(
        *JSON_SCHEMA, **dict.fromkeys(JSON_SCHEMA, obj(inner=TEXT))
    ),
    "every keyword as a nested parameter": obj(a=obj(dict.fromkeys(JSON_SCHEMA, WHOLE))),
    "a linked list": {**obj(head=ref("node")), "$defs": {"node": NODE}},
    "a tree": {**needs("tree", tree=ref("tree")), "$defs": {"tree": TREE}},
    "a tree of maps": {
        **needs("tree", tree=ref("t")),
        "$defs": {"t": obj(kids=entries(ref("t")), leaf=TEXT)},
    },
    "two definitions that know each other": {
        **obj(a=ref("a")),
        "$defs": {"a": obj(b=ref("b"), x=TEXT), "b": obj(a=ref("a"), y=WHOLE)},
    },
    "a root that refers": {"$ref": "#/$defs/args", "$defs": {"args": needs("a", a=TEXT, b=WHOLE)}},
    "a root that refers to what refers": {
        "$ref": "#/$defs/one",
        "$defs": {"one": ref("two"), "two": needs("a", a=TEXT)},
    },
    "a recursive root": needs("name", name=TEXT, child={"$ref": "#"}),
    "references into members": obj(
        {"a/b": TEXT, "c~d": WHOLE, "e f": LIST, "h%i": FLAG},
        one={"$ref": "#/properties/a~1b"},
        two={"$ref": "#/properties/c~0d"},
        three={"$ref": "#/properties/e%20f"},
        four={"$ref": "#/properties/e%20f/items"},
        five={"$ref": "#/properties/h%25i"},
    ),
    "a reference beside keywords": {
        **obj(a={**ref("t"), "description": "said here", "minLength": 2}),
        "$defs": {"t": {**TEXT, "maxLength": 5, "description": "said there"}},
    },
    "an anchor": {**obj(a={"$ref": "#here"}), "$defs": {"x": {**TEXT, "$anchor": "here"}}},
    "definitions of old": {
        **obj(a={"$ref": "#/definitions/t"}),
        "definitions": {"t": {**TEXT, "enum": ["x", "y"]}},
    },
    "definitions in groups": {
        **needs("a", a={"$ref": "#/$defs/group/many"}, b={"$ref": "#/$defs/group/pair"}),
        "$defs": {
            "group": {
                "one": needs("x", x=TEXT),
                "many": {"type": "array", "items": {"$ref": "#/$defs/group/one"}},
                "pair": {"type": "array", "items": [{"$ref": "#/$defs/group/one"}, WHOLE]},
            }
        },
    },
    "unused definitions": {**obj(a=TEXT), "$defs": {"unused": obj(b=TEXT)}},
    "a definition used again, with words of its own": {
        **needs("a", "b", a=ref("i"), b={**ref("i"), "description": "the second"}),
        "$defs": {
            "i": needs("n", n=TEXT, more={"type": "array", "items": {**ref("t")}}),
            "t": {**TEXT, "minLength": 2},
        },
    },
    "a definition used again, with bounds of its own": {
        **needs(
            "a",
            a=ref("t"),
            b={**ref("t"), "minLength": 3},
            c={"type": "array", "items": {**ref("t"), "maxLength": 1}},
        ),
        "$defs": {"t": {**TEXT, "title": "T"}},
    },
    "definitions of one name": {
        **needs(
            "a",
            "b",
            a={"$ref": "#/definitions/t"},
            b=ref("t"),
            c={"$ref": "#/properties/t"},
            t=FLAG,
        ),
        "$defs": {"t": TEXT},
        "definitions": {"t": WHOLE},
    },
    "a root that refers to itself": {"$ref": "#", "description": "nothing"},
    "a root that refers to what refers to it": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#"}}},
    "a tree that needs its branches": {
        **obj(tree=ref("t")),
        "$defs": {"t": needs("kids", kids={"type": "array", "items": ref("t")}, name=TEXT)},
    },
    "maps of themselves": {**obj(a=ref("m")), "$defs": {"m": entries(ref("m"))}},
    "a remote reference": needs("a", a={"$ref": "https://example.com/schema.json#/a"}, b=TEXT),
    "a reference to nothing": obj(a=ref("missing"), b={"$ref": "#/properties/nothing"}),
    "a reference to itself": {**obj(a=ref("loop")), "$defs": {"loop": ref("loop")}},
    "a union of three with null": needs("a", a=either(TEXT, WHOLE, NULL), b=either(LIST, NULL)),
    "an optional union of three with null": obj(a=either(TEXT, WHOLE, NULL), b=either(TEXT, NULL)),
    "null only": needs("a", a=NULL, b={"enum": [None]}, c={"const": None}),
    "a root union of required groups": {
        **obj(a=TEXT, b=WHOLE, c=FLAG),
        "anyOf": [{"required": ["a"]}, {"required": ["b", "c"]}],
    },
    "a union of required groups that names no type": needs(
        "a",
        a={
            **needs("x", x=TEXT, y=TEXT, z=WHOLE),
            "anyOf": [{"required": ["y"]}, {"required": ["z"]}],
        },
        b={"properties": {"x": TEXT}, "required": ["x"], "anyOf": [obj(y=TEXT), obj(z=WHOLE)]},
        c={"properties": {"x": TEXT}, "anyOf": [{"required": ["y"]}, {"required": ["z"]}]},
    ),
    "a root union of objects": either(needs("a", a=TEXT), needs("b", b=WHOLE), type="object"),
    "a root union of maps": {
        "type": "object",
        "anyOf": [
            {"required": ["a"], "additionalProperties": WHOLE},
            {"required": ["b"], "additionalProperties": TEXT},
        ],
    },
    "a root union of members and a map": either(
        {**needs("a", a=obj(b=TEXT)), "additionalProperties": False},
        {"additionalProperties": TEXT},
        type="object",
    ),
    "a root union of one map by pattern": either(
        {"patternProperties": {"^[0-9]+$": WHOLE}, "additionalProperties": False}, type="object"
    ),
    "a root oneOf of objects": {"type": "object", "oneOf": [CAT, DOG]},
    "a root allOf": {"type": "object", "allOf": [needs("a", a=TEXT), obj(b=WHOLE)]},
    "a root that is not": {**obj(a=TEXT), "not": {"required": ["a"]}},
    "a root list": LIST,
    "a root text": TEXT,
    "a root union of anything": either(TEXT, obj(a=TEXT)),
    "a root enum": {"enum": ["a", "b"]},
    "constants": needs("a", "b", a={"const": "x"}, b={"const": 1}, c={"const": True}),
    "a constant object": needs("a", a={"const": {"k": [1, None]}}),
    "enums of numbers": needs("a", a={"type": "integer", "enum": [1, 2, 3]}, b={"enum": [0.5, 1]}),
    "mixed enums": needs("a", a={"enum": ["1", 1, True, None, ""]}, b={"enum": ["a", ["a"], {}]}),
    "enums that disagree with their type": obj(
        a={"type": "string", "enum": [1, 2]}, b={"type": "integer", "enum": [1, "x"]}
    ),
    "bounds of numbers": needs(
        "a",
        a={"type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 2},
        b={"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    ),
    "bounds of text": needs(
        "a",
        a={"type": "string", "minLength": 1, "maxLength": 3, "pattern": "^[a-z]+$"},
        b={"type": "string", "format": "date-time"},
        c={"type": "string", "format": "made-up"},
        d={"type": "string", "pattern": r"^(?!x)\w+$"},
    ),
    "bounds of lists": obj(a={**LIST, "minItems": 2, "maxItems": 4, "uniqueItems": True}),
    "bounds of objects": obj(a={**entries(TEXT), "minProperties": 1, "maxProperties": 2}),
    "options": needs("a", a=TEXT, b={**TEXT, "default": "x"}, c=obj(d=WHOLE), e=LIST),
    "options that may be null": obj(
        a={"type": ["string", "null"]}, b={"type": ["string", "null"], "default": None}
    ),
    "a map": needs("a", a=entries(WHOLE), b=entries(obj(x=TEXT))),
    "maps of maps": obj(a=entries(entries(entries(WHOLE)))),
    "a map beside members": obj(a={**needs("x", x=TEXT), "additionalProperties": WHOLE}),
    "a map beside members like its own": obj(
        a={**obj(x={**WHOLE, "description": "how many"}, y=NUMBER), "additionalProperties": WHOLE}
    ),
    "a map beside members of another type": obj(a={**obj(x=TEXT), "additionalProperties": WHOLE}),
    "a closed object of branches": obj(
        a={**either(obj(b=TEXT), {"type": "object"}), "additionalProperties": False}
    ),
    "required and forbidden": obj(
        a={"type": "object", "required": ["b"], "additionalProperties": False}
    ),
    "required twice": {**obj(a=TEXT), "required": ["a", "a"]},
    "a map by pattern": obj(
        a={"type": "object", "patternProperties": {"^x": TEXT}, "additionalProperties": False}
    ),
    "a map with legal names": obj(a={**entries(TEXT), "propertyNames": {"pattern": "^[a-z]$"}}),
    "a map that does not say it is an object": obj(
        a={"additionalProperties": needs("x", x=TEXT)}, b={"patternProperties": {"": WHOLE}}
    ),
    "open objects": obj(a={"type": "object"}, b={**obj(x=TEXT), "additionalProperties": True}),
    "a map or a list": needs("a", a=either(entries(WHOLE), {"type": "array", "items": FLAG})),
    "a map or a tuple": needs(
        "a", a=either(entries(WHOLE), {"type": "array", "prefixItems": [TEXT, WHOLE]})
    ),
    "two objects of different options": needs("a", a=either(obj(x=TEXT), obj(y=entries(WHOLE)))),
    "lists of types": needs("a", a={"type": ["string", "null"]}, b={"type": ["string", "integer"]}),
    "a list of shaped types": needs(
        "a", a={"type": ["object", "array", "null"], "items": TEXT, "properties": {"x": WHOLE}}
    ),
    "a list that may be null": needs("a", a={"type": ["array", "null"], "items": WHOLE}),
    "a list of anything that may be null": needs("a", a={"type": ["array", "null"]}),
    "true": needs("a", a=True, b={"type": "array", "items": True}),
    "false": obj(a=TEXT, b=False),
    "no parameters": {"type": "object"},
    "no properties": {"type": "object", "properties": {}},
    "nothing": {},
    "anything": needs("a", a={}, b={"description": "anything"}),
    "lists of anything": needs("a", a={"type": "array"}, b={"type": "array", "items": {}}),
    "tuples": needs(
        "a", a={"type": "array", "prefixItems": [TEXT, WHOLE], "minItems": 2, "items": False}
    ),
    "tuples with a rest": needs(
        "a", a={"type": "array", "prefixItems": [TEXT, WHOLE], "items": FLAG}
    ),
    "tuples of old": needs(
        "a", a={"type": "array", "items": [TEXT, WHOLE], "additionalItems": False}
    ),
    "tuples of one kind": needs(
        "a", a={"type": "array", "prefixItems": [WHOLE, WHOLE], "minItems": 2, "items": False}
    ),
    "inheritance": {
        **needs("pet", pet={"allOf": [ref("base"), needs("bark", bark=FLAG)]}),
        "$defs": {"base": needs("name", name=TEXT, age=WHOLE)},
    },
    "inheritance that clashes": needs(
        "a", a={"allOf": [{**TEXT, "pattern": "^a"}, {**TEXT, "pattern": "z$"}]}
    ),
    "a discriminated union": needs("pet", pet={"oneOf": [CAT, DOG]}),
    "a discriminated union by reference": {
        **needs(
            "pet",
            pet={"oneOf": [ref("cat"), ref("dog")], "discriminator": {"propertyName": "kind"}},
        ),
        "$defs": {"cat": CAT, "dog": DOG},
    },
    "oneOf that overlaps": needs("a", a={"oneOf": [WHOLE, NUMBER]}),
    "conditions": {
        **obj(kind={**TEXT, "enum": ["a", "b"]}),
        "if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]},
        "then": {"properties": {"x": TEXT}, "required": ["x"]},
        "else": {"properties": {"y": WHOLE}},
    },
    "dependencies": {
        **obj(a=TEXT, b=TEXT),
        "dependentRequired": {"a": ["b"]},
        "dependentSchemas": {"b": obj(c=WHOLE)},
    },
    "odd names": obj(
        {"a b": TEXT, "ä": TEXT, "a.b": TEXT, "x" * 80: TEXT, "": TEXT, "1": TEXT, "a_b": TEXT}
    ),
    "odd names beside references": {
        **obj({"@a": TEXT}, b={"allOf": [either(obj(c=ref("c")), obj(d=ref("d")))]}),
        "$defs": {"c": TEXT, "d": WHOLE},
    },
    "odd names in conditions": {
        **obj({"a b": TEXT, "c d": WHOLE}, e=TEXT),
        "if": {"not": {"required": ["a b"]}},
        "then": {"required": ["e"]},
        "else": {"properties": {"c d": {"minimum": 5}}},
        "dependentRequired": {"c d": ["e"]},
        "dependentSchemas": {"c d": {"properties": {"a b": {"minLength": 2}}}},
    },
    "odd names below": obj(a=obj({"a b": TEXT, "$x": WHOLE, "9": FLAG})),
    "words of catalogs": obj(
        a={"type": "dict"},
        b={"type": "float"},
        c={"type": "any"},
        d={"type": "tuple"},
        e={"type": "STRING", "nullable": True},
    ),
    "required flags": obj(
        a={"type": "string", "required": True}, b={"type": "string", "required": False}
    ),
    "required and not declared": {**obj(a=TEXT), "required": ["a", "b"]},
    "a member called input": {"type": "array", "items": needs("input", input=TEXT)},
    "members called key and value": obj(a=entries(needs("key", "value", key=TEXT, value=TEXT))),
    "members called like our own": obj(
        a={
            **needs("additional_properties", additional_properties=TEXT),
            "additionalProperties": WHOLE,
        },
        value=either(TEXT, NULL),
    ),
}


def bound(schema, dialect):
    tool = tc.CanonicalTool(name="f", inputs=schema)
    return tc.bind(tool, dialect.id.partition("/")[0], dialect=dialect.id)


def lost(schema, lowered):
    """The parameters that are nowhere any more."""
    renamed = {x.before: x.after for x in lowered.losses("f", "inputs") if x.code == "L226"}
    kept = {path[-1] for path in parameters(lowered.schema)}
    wanted = {path[-1] for path in parameters(upgrade(schema).schema)}
    return {name for name in wanted if not {name, renamed.get(name)} & kept}


def faults(found):
    return [(item.at, item.rule, item.says) for item in found]


def endure(name, dialect):
    schema = copy.deepcopy(TORTURE[name])
    binding = bound(schema, dialect)
    (item,) = binding._bound
    used = item.wire.dialect
    written = item.lowered or lower(schema, used)  # the same where it goes out as it is
    payload = json.loads(json.dumps(binding.payload))
    envelope = binding.format
    assert faults(judge_tool(payload, envelope, used.id)) == []
    assert violations(item.tool.input_schema, written, used) == []
    if judge(item.tool.input_schema).judged:
        assert judge(upgrade(written.schema).schema).judged, "otherwise nothing was proved"
    assert lost(schema, written) == set()
    assert schema == TORTURE[name], "must not be changed"
    if used is not dialect:  # not strict, for its size: it has to conform all the same
        lowered = lower(schema, dialect)
        rules = {fault.rule for fault in judge_schema(lowered.schema, dialect.id)}
        assert {rule for rule in rules if not rule.startswith("limit")} == set()
        assert violations(item.tool.input_schema, lowered, dialect) == []
        assert lost(schema, lowered) == set()


@table("name", TORTURE)
def test_torture(name, subtests):
    for target, dialect in DIALECTS.items():  # one after the other, for they share the samples
        with tried(subtests, target):
            endure(name, dialect)


@table("value", [[], {}, [True], {"a": 1}, {"a": 1, "b": 2}])
@table("name", DIALECTS)
def test_an_empty_list_does_not_come_back_as_a_map(name, value):
    binding = bound(TORTURE["a map or a list"], DIALECTS[name])
    found = binding.restore(*binding.render("f", {"a": value}))
    assert found.ok, found.message
    assert found.arguments == {"a": value}


def bomb(levels, width, *, wrap=obj, leaf=TEXT):
    """Every definition uses the next one several times: small to say, huge written out."""
    names = [f"m{number}" for number in range(width)]
    defs = {f"d{n}": wrap({name: ref(f"d{n + 1}") for name in names}) for n in range(levels)}
    return {**obj(a=ref("d0")), "$defs": {**defs, f"d{levels}": leaf}}


def union_of(members):
    return {"anyOf": list(members.values())}


def all_of(members):
    return {"allOf": list(members.values())}


BOMBS = {
    "2^30 members": bomb(30, 2),
    "10^11 members": bomb(11, 10),
    "3^24 members": bomb(24, 3),
    "2^30 branches": bomb(30, 2, wrap=union_of),
    "2^30 parts": bomb(30, 2, wrap=all_of),
    "10^11 branches of objects": bomb(11, 10, wrap=union_of, leaf=obj(x=TEXT)),
    "2^30 lists": bomb(30, 2, wrap=lambda m: {"type": "array", "prefixItems": list(m.values())}),
    "2^30 members that come round": bomb(30, 2, leaf=obj(again=ref("d0"))),
}


def triangle(count):
    """Every definition may be every later one, and all of them lead back to the first."""
    later = [[ref(f"d{j}") for j in range(i + 1, count)] for i in range(count)]
    back = [obj({f"k{i}": ref("d0")}) for i in range(count)]
    defs = {f"d{i}": {"anyOf": [*later[i], back[i]]} for i in range(count)}
    return {**obj(x=ref("d0")), "$defs": defs}


def ring(count):
    members = obj(**{f"k{j}": ref(f"d{j}") for j in range(count)})
    defs = {f"d{i}": {"anyOf": [ref(f"d{(i + 1) % count}"), members]} for i in range(count)}
    return {**obj(x=ref("d0")), "$defs": defs}


def chain(count):
    defs = {f"d{i}": {"allOf": [ref(f"d{i + 1}")]} for i in range(count)}
    return {**obj(x=ref("d0")), "$defs": {**defs, f"d{count}": TEXT}}


def ladder(count):
    """Every definition is twice the next one, and a union leads in."""
    defs = {f"d{i}": all_of({"a": ref(f"d{i + 1}"), "b": ref(f"d{i + 1}")}) for i in range(count)}
    return {**obj(x=either(ref("d0"), ref("d1"))), "$defs": {**defs, f"d{count}": obj(y=TEXT)}}


TANGLES = {
    "triangle": (triangle, 20),
    "ring": (ring, 15),
    "chain": (chain, 800),
    "ladder": (ladder, 40),
}


@contextmanager
def alarm():
    """What would never end fails; each row of a table has a minute of its own."""

    def ring(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 60)  # by the clock, and others may be at work
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@table("name", BOMBS)
@table("dialect", [one for _, one in PLANS.values()], ids=[name for name, _ in PLANS.values()])
def test_bombs(dialect, name):
    before = json.dumps(BOMBS[name])
    start = time.process_time()
    with alarm():
        binding = bound(BOMBS[name], dialect)
        losses = binding.losses
    (item,) = binding._bound
    spent = time.process_time() - start
    assert spent < 3  # one that goes off takes hours; a busy machine takes twice as long
    assert json.dumps(BOMBS[name]) == before
    assert len(json.dumps(binding.payload)) < 5_000_000
    rules = {
        fault.rule for fault in judge_tool(binding.payload, binding.format, item.wire.dialect.id)
    }
    assert {rule for rule in rules if not rule.startswith("limit")} == set()
    lowered = lower(BOMBS[name], dialect)
    refers = dialect.references
    if not refers.keep:
        assert losses, "what was not written out must be told"
        assert "L205" in {loss.code for loss in lowered.losses("f", "inputs")}


@table("make, count", TANGLES.values(), ids=TANGLES)
@table(
    "dialect", [one for _, one in FOLLOWING.values()], ids=[name for name, _ in FOLLOWING.values()]
)
def test_tangles(dialect, make, count):
    """References by the hundred are not compared each with each for ever."""
    check_tangle(dialect, make, count)


@pytest.mark.corpus
@pytest.mark.skipif(not has_whole_corpus(), reason="`make corpus` runs it")
@table(
    "dialect", [one for _, one in FOLLOWING.values()], ids=[name for name, _ in FOLLOWING.values()]
)
def test_a_long_chain(dialect):
    check_tangle(dialect, chain, 3000)


def check_tangle(dialect, make, count):
    start = time.process_time()
    with alarm():
        binding = bound(make(count), dialect)
        assert binding.losses is not None
    assert time.process_time() - start < 10  # half a second on a quiet machine, hours if it fails
    assert len(json.dumps(binding.payload)) < 5_000_000


MADE = (3, "x", [3], {"x": 3}, True)
KEYWORDS = (*JSON_SCHEMA, "definitions", "dependencies", "nullable", "id", "example")


def holding(keyword, value):
    """A keyword with some value: below the root, at it, and beside what it could be about."""
    about = next((t for key, t in ABOUT.items() if key in keyword.lower()), TEXT)
    yield obj(a={keyword: value}, b=TEXT)
    yield {**obj(a=TEXT), keyword: value}
    yield needs("a", a={**about, keyword: value})


ABOUT = {"items": LIST, "contain": LIST, "propert": obj(x=TEXT), "required": obj(x=TEXT),
         "depend": obj(x=TEXT), "m": WHOLE, "anyof": either(TEXT, NULL)}  # fmt: skip


def wrongs(schema):
    """Who crashes, and whose result does not conform."""
    before = json.dumps(schema)
    for name, dialect in DISTINCT.items():
        try:
            lowered = lower(schema, dialect)
            found = judge_schema(lowered.schema, name)
            lowered.losses("f", "inputs")
        except Exception as error:  # noqa: BLE001 - whichever it is, it is wrong
            yield name, before, repr(error)
        else:
            # What is about the whole request is decided by whoever binds.
            found = [fault for fault in found if fault.rule != "limit-no-members"]
            yield from ((name, before, fault.at, fault.rule) for fault in found)
    assert json.dumps(schema) == before, "must not be changed"


@table("keyword", KEYWORDS)
def test_malformed_keywords(keyword):
    schemas = [schema for value in MADE for schema in holding(keyword, value)]
    assert [wrong for schema in schemas for wrong in wrongs(schema)] == []


@table("keyword", KEYWORDS)
def test_keywords_that_are_null(keyword):
    assert [wrong for schema in holding(keyword, None) for wrong in wrongs(schema)] == []
