"""Normal forms and containment, refuted as hard as we can: any schema, any rewrite, any change."""

import copy

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.sampling import sample
from toolcanon.schema.algebra.containment import contained, shrink
from toolcanon.schema.algebra.containment.answer import closed
from toolcanon.schema.algebra.normal import normal_form
from toolcanon.schema.validate import judge

# Values that every schema is tried with, whatever its sampler finds.
PROBES = [
    None, True, False, 0, 1, -1, 2, 3, 5, 10, 0.5, 1.5, 1.0, "", "a", "b", "ab", "abc", "0", "a0",
    "é", [], [0], ["a"], [0, 0], [1, "a"], ["a", "b", "a"], [[]], [None, 1, "a"], {}, {"a": 1},
    {"a": "a"}, {"b": 1}, {"a": 1, "b": "a"}, {"a": None, "c": []}, {"x": 1}, {"a": {"a": 1}},
    {"a": {"b": "a"}}, {"a": [1]}, {"b": {}}, {"c": "b", "a": 0.5}, {"a": 1, "b": 1, "c": 1},
    {"a": {"a": {"a": {}}}},
]  # fmt: skip

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = st.sampled_from(
    [None, True, False, 0, 1, 2, 1.0, 0.5, "", "a", "b", "abc", [], {}, {"a": 1}]
)
TYPES = st.sampled_from("null boolean integer number string array object".split())
BOUNDS = st.sampled_from([-1, 0, 0.5, 1, 1.0, 2, 2.5, 3, 10])
COUNTS = st.integers(0, 3)
PATTERNS = st.sampled_from(["", "^a", "a$", "^[a-c]+$", "[0-9]", "^(a|b)$", "^.{2}$", "b?c"])
KEYWORDS = {
    "minimum": BOUNDS, "maximum": BOUNDS, "exclusiveMinimum": BOUNDS, "exclusiveMaximum": BOUNDS,
    "multipleOf": st.sampled_from([1, 2, 3, 0.5, 1.5]), "minLength": COUNTS, "maxLength": COUNTS,
    "pattern": PATTERNS, "minItems": COUNTS, "maxItems": COUNTS, "uniqueItems": st.booleans(),
    "minProperties": COUNTS, "maxProperties": COUNTS,
    "required": st.lists(NAMES, max_size=2, unique=True),
    "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=1), max_size=2),
    "enum": st.lists(SCALARS, min_size=1, max_size=4), "const": SCALARS,
    "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
}  # fmt: skip


def inner(schemas):
    """Keywords that hold schemas."""
    some = st.lists(schemas, min_size=1, max_size=3)
    return {
        "properties": st.dictionaries(NAMES, schemas, max_size=3),
        "patternProperties": st.dictionaries(PATTERNS, schemas, max_size=1),
        "additionalProperties": schemas,
        "unevaluatedProperties": schemas,
        "items": schemas,
        "prefixItems": some,
        "contains": schemas,
        "propertyNames": picked({"pattern": PATTERNS, "maxLength": COUNTS}, 2),
        "anyOf": some,
        "oneOf": some,
        "allOf": some,
        "not": schemas,
        "if": schemas,
        "then": schemas,
        "else": schemas,
        "dependentSchemas": st.dictionaries(NAMES, schemas, max_size=1),
    }  # fmt: skip


def picked(table, most):
    def build(keys):
        return st.fixed_dictionaries({key: table[key] for key in keys})

    return st.lists(st.sampled_from(sorted(table)), max_size=most, unique=True).flatmap(build)


LEAVES = st.booleans() | picked(KEYWORDS, 3) | TYPES.map(lambda kind: {"type": kind})
REFERENCES = st.sampled_from([{"$ref": "#/$defs/d"}, {"$ref": "#/$defs/e"}])


def grown(schemas):
    return st.builds(
        lambda one, other: {**one, **other}, picked(inner(schemas), 2), picked(KEYWORDS, 2)
    )


PLAIN = st.recursive(LEAVES, grown, max_leaves=5)
REFERRING = st.builds(
    lambda root, d, e: {**root, "$defs": {"d": d, "e": e}},
    st.recursive(LEAVES | REFERENCES, grown, max_leaves=4).filter(lambda s: isinstance(s, dict)),
    st.builds(
        lambda kind, schema: {"type": kind, "properties": {"a": schema}, "items": schema},
        st.sampled_from(["object", "array"]),
        LEAVES | REFERENCES,
    ),
    LEAVES,
)
SCHEMAS = PLAIN | REFERRING
LAWS = settings(
    max_examples=150,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def values_for(*schemas, most=60):
    for schema in schemas:
        found = sample(schema, most=most)
        yield from found.valid
        yield from found.invalid
    yield from PROBES


@LAWS
@given(SCHEMAS)
def test_a_normal_form_is_its_own_and_accepts_the_same(schema):
    before = copy.deepcopy(schema)
    form = normal_form(schema)
    assert schema == before
    assert normal_form(form) == form
    assume(judge(schema).judged)
    one, other = judge(schema), judge(form)
    for value in values_for(schema, form, most=24):
        assert one.accepts(value) == other.accepts(value), value


@LAWS
@given(SCHEMAS)
def test_a_normal_form_is_contained_both_ways_or_nothing_is_known(schema):
    form = normal_form(schema)
    assert contained(schema, form).answer != "no"
    assert contained(form, schema).answer != "no"


@LAWS
@given(SCHEMAS, SCHEMAS)
def test_answers_are_never_refuted(one, other):
    found = contained(one, other)
    ours, theirs = judge(one), judge(other)
    assume(ours.judged and theirs.judged)
    if found.answer == "no":
        assert ours.accepts(found.witness)
        assert theirs.accepts(found.witness) is False
    elif found.answer == "yes":
        for value in values_for(one, other, most=100):
            if ours.accepts(value):
                assert theirs.accepts(value), value


def said(schema):
    """Parameters of a tool: an object whose members say nothing of members they do not declare."""
    words = ("additionalProperties", "patternProperties", "propertyNames", "unevaluatedProperties")
    return not any(word in str(schema) for word in words)


def declares(schema):
    """Whether every member that has to be there is declared beside."""
    if isinstance(schema, list):
        return all(map(declares, schema))
    if not isinstance(schema, dict):
        return True
    required, members = schema.get("required"), schema.get("properties")
    if isinstance(required, list) and not {*required} <= {*(members or ())}:
        return False
    return all(map(declares, schema.values()))


PARAMETERS = st.builds(
    lambda members, required: {"type": "object", "properties": members, "required": required},
    st.dictionaries(NAMES, PLAIN.filter(said), min_size=1, max_size=2),
    st.lists(NAMES, max_size=1),
)


@LAWS
@given(PARAMETERS, PARAMETERS)
def test_answers_about_inputs_are_never_refuted(one, other):
    found = contained(one, other, reading="inputs")
    strict, lax = (judge(closed(one, maps=maps)) for maps in (False, True))
    # Who no longer asks for a member that nobody declared takes it still.
    theirs = judge(closed(other, maps=False, lenient=True) if declares(one) else other)
    assume(strict.judged and theirs.judged)
    if found.answer == "no":
        assert lax.accepts(found.witness)
        assert judge(closed(other, maps=False, lenient=True)).accepts(found.witness) is False
    elif found.answer == "yes":
        for value in values_for(closed(one, maps=False), most=100):
            if strict.accepts(value):
                assert theirs.accepts(value), value


# Rewrites that change nothing: one for each row of the table of equivalent spellings.


def shuffled(node, chance):
    keys = list(node)
    chance.shuffle(keys)
    return {key: node[key] for key in keys}


def lists_shuffled(node, chance):
    out = dict(node)
    for key in ("required", "enum", "anyOf", "oneOf", "allOf"):
        if isinstance(out.get(key), list):
            out[key] = chance.sample(out[key], len(out[key]))
    return out


def annotated(node, chance):
    return {"title": "T", **node, "description": "d", "examples": [1], "$comment": "c"}


def wrapped(node, chance):
    return {chance.choice(["allOf", "anyOf", "oneOf"]): [node]}


def doubled(node, chance):
    return {chance.choice(["allOf", "anyOf"]): [node, copy.deepcopy(node)]}


def neutral(node, chance):
    said = {"minLength": 0, "minItems": 0, "minProperties": 0, "uniqueItems": False, "pattern": "",
            "required": [], "dependentRequired": {}}  # fmt: skip
    return {**said, **node}


def listed(node, chance):
    if "const" in node and "enum" not in node:
        return {"enum" if key == "const" else key: [value] if key == "const" else value
                for key, value in node.items()}  # fmt: skip
    return node


def branched(node, chance):
    kinds = node.get("type")
    if not isinstance(kinds, list):
        return node
    rest = {key: value for key, value in node.items() if key != "type"}
    return {"anyOf": [{**rest, "type": kind} for kind in kinds]}


def floated(node, chance):
    return {key: float(value) if type(value) is int and key[:3] in {"min", "max"} else value
            for key, value in node.items()}  # fmt: skip


REWRITES = [
    shuffled, lists_shuffled, annotated, wrapped, doubled, neutral, listed, branched, floated,
]  # fmt: skip


def rewritten(schema, chance):
    if not isinstance(schema, dict):
        return schema if chance.random() < 0.7 else ({} if schema else {"not": {}})
    out = dict(schema)
    for key in ("properties",):
        if isinstance(out.get(key), dict):
            out[key] = {name: rewritten(child, chance) for name, child in out[key].items()}
    for key in ("items", "additionalProperties", "not"):
        if key in out:
            out[key] = rewritten(out[key], chance)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in out:
            out[key] = [rewritten(child, chance) for child in out[key]]
    for rule in chance.sample(REWRITES, 2):
        out = rule(out, chance)
    return out


@LAWS
@given(PLAIN, st.randoms(use_true_random=False))
def test_a_rewrite_that_changes_nothing_is_seen_as_such(schema, chance):
    other = rewritten(schema, chance)
    if normal_form(schema) == normal_form(other):
        return
    answers = contained(schema, other), contained(other, schema)
    assert "no" not in [found.answer for found in answers]


# Changes that refuse something: proven, and by the smallest value.

TIGHTER = [
    ({"type": "integer"}, {"maximum": 7}),
    ({"type": "number"}, {"type": "integer"}),
    ({"type": "string"}, {"minLength": 1}),
    ({"type": "string"}, {"maxLength": 3}),
    ({"type": "string"}, {"pattern": "^[a-z]+$"}),
    ({"type": "string"}, {"enum": ["a", "b"]}),
    ({"type": "string"}, {"not": {"const": "a"}}),
    ({"type": ["string", "null"]}, {"type": "string"}),
    ({"enum": ["a", "b", 1]}, {"enum": ["a", 1]}),
    ({"type": "array", "items": {"type": "string"}}, {"maxItems": 2}),
    ({"type": "array", "items": {"type": "string"}}, {"uniqueItems": True}),
    ({"type": "array", "items": {"type": "string"}}, {"items": {"type": "string", "minLength": 2}}),
    ({"type": "object", "properties": {"a": {}, "b": {}}}, {"required": ["a"]}),
    ({"type": "object", "properties": {"a": {}, "b": {}}}, {"dependentRequired": {"a": ["b"]}}),
    ({"type": "object", "properties": {"a": {}, "b": {}}}, {"maxProperties": 1}),
    ({"type": "object", "properties": {"a": {}, "b": {}}}, {"properties": {"a": {}}}),
]  # fmt: skip


def buried(schema, how):
    """The schema somewhere inside another."""
    for step in how:
        if step == 0:
            schema = {"type": "object", "properties": {"a": schema, "z": {"type": "boolean"}},
                      "required": ["z"]}  # fmt: skip
        elif step == 1:
            schema = {"type": "array", "items": schema, "minItems": 1}
        elif step == 2:
            schema = {"anyOf": [{"type": "boolean"}, schema]}
        elif step == 3:
            schema = {"allOf": [schema, {"title": "t"}]}
    return {"$ref": "#/$defs/x", "$defs": {"x": schema}} if 4 in how else schema


@LAWS
@given(st.sampled_from(TIGHTER), st.lists(st.integers(0, 4), max_size=4))
def test_what_is_refused_now_is_proven(change, how):
    before, more = change
    after = {**before, **more}
    one, other = buried(before, how), buried(after, how)
    found = contained(one, other, reading="inputs")
    assert found.answer == "no", found
    assert judge(one).accepts(found.witness)
    assert judge(closed(other, maps=False, lenient=True)).accepts(found.witness) is False
    assert contained(other, one, reading="inputs").answer == "yes"


@LAWS
@given(
    st.recursive(SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(NAMES, v, max_size=3))
)
def test_shrinking_keeps_what_it_must(value):
    def keeps(other):
        return type(other) is type(value) and bool(other) == bool(value)

    least = shrink(value, keeps)
    assert keeps(least)
    assert len(repr(least)) <= len(repr(value))
