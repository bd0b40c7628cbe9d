"""A wrong tag turns a test red: every effect a code claims is flipped, and the laws must notice."""

import re

import pytest

from tests.lens_laws import violations
from tests.tables import table
from tests.unit.test_steps import ENGINE, SAID, dialect_of
from toolcanon.diagnostics import CODES, Effect
from toolcanon.lowering import lower
from toolcanon.lowering.engine import Lowered
from toolcanon.schema import upgrade

MATERIAL = Effect.WIDENED | Effect.NARROWED
TEXT, WHOLE = {"type": "string"}, {"type": "integer"}


def obj(**members):
    return {"type": "object", "properties": members, "required": list(members)}


# Beside the shortest schemas for each code: those that make a code claim something else.
MORE = [
    ("L201", "references.keep=False", {**obj(a={"$ref": "#/$defs/t"}), "$defs": {"t": TEXT}}),
    ("L203", "references.keep=False", {**obj(a={"$ref": "#/$defs/t"}), "$defs": {"t": TEXT}}),
    ("L216", "typed=True references.anywhere=False", obj(a={})),
    ("L207", "keywords.allOf=REJECTED",
     obj(a={"allOf": [{**TEXT, "pattern": "^a"}, {**TEXT, "pattern": "b$"}]})),
    ("L209", "root_unions=False",
     {**obj(a=TEXT), "anyOf": [{"type": "object"}, {"required": ["a"]}]}),
    ("L210", "keywords.if=REJECTED", {**obj(a=TEXT), "if": {"required": ["a"]}}),
    ("L211", "keywords.oneOf=REJECTED", obj(a={"oneOf": [TEXT, WHOLE]})),
    ("L219", "keywords.prefixItems=REJECTED",
     obj(a={"type": "array", "prefixItems": [TEXT, WHOLE], "minItems": 2, "items": False})),
    ("L219", "keywords.prefixItems=REJECTED",  # asks for more than there are places for
     obj(a={"type": "array", "prefixItems": [TEXT, WHOLE], "minItems": 3})),
    ("L222", "closed=True", obj(a={**obj(b=TEXT), "additionalProperties": True})),
    ("L222", "keywords.additionalProperties=REJECTED",  # a map then
     obj(a={"type": "object", "additionalProperties": False})),
    ("L222", "keywords.additionalProperties=REJECTED",
     obj(a={**obj(b=TEXT), "additionalProperties": False})),
    ("L215", "typed=True", obj(a={"enum": ["x", 1]})),
    ("L228", "keywords.minLength=REJECTED", obj(a={"type": "string", "minLength": 0})),
    ("L228", "keywords.maxLength=REJECTED", obj(a={"type": "string", "maxLength": 2})),
]  # fmt: skip
ROWS = [*((code, text, schema) for _, code, text, schema in SAID), *ENGINE, *MORE]
UNJUDGED = {
    "L204": "what a reference to nowhere accepts cannot be judged",
    "L233": "nor what a malformed keyword accepts",
    "L237": "said of a binding, not of a schema",
    "L239": "the same",
}


def lowered_to(text, schema):
    dialect = dialect_of(text)
    return lower(schema, dialect), dialect


def claims(lowered, code):
    return {
        CODES[code].effect if effect is None else effect
        for said, effect, *_ in lowered.log
        if said == code
    }


def flipped(lowered, code, effect):
    """The same lowering with another claim for one code."""
    log = [(said, effect if said == code else tag, *rest) for said, tag, *rest in lowered.log]
    return Lowered(lowered.schema, lowered.document, log, lowered.rewrites, lowered.size)


def others(claimed):
    """What a code could have claimed instead."""
    if claimed & MATERIAL:
        return [Effect.EXACT]
    return [Effect.WIDENED, Effect.NARROWED]


def notices(code, claimed, wrong):
    """Whether some schema refutes the wrong claim."""
    for said, text, schema in ROWS:
        if said == code:
            lowered, dialect = lowered_to(text, schema)
            if claimed in claims(lowered, code):
                lie = flipped(lowered, code, wrong)
                if lie.effect != lowered.effect and violations(schema, lie, dialect):
                    return True
    return False


FOUND = sorted(
    {
        (code, claimed)
        for code, text, schema in ROWS
        if code not in UNJUDGED
        for claimed in claims(lowered_to(text, schema)[0], code)
    },
    key=str,
)


@table("code, text, schema", ROWS)
def test_the_true_claims_hold(code, text, schema):
    lowered, dialect = lowered_to(text, schema)
    assert claims(lowered, code), "the schema must need it"
    assert violations(upgrade(schema).schema, lowered, dialect) == []


@pytest.mark.parametrize(
    "code, claimed, wrong",
    [
        pytest.param(
            code,
            claimed,
            wrong,
            id=f"{code}: {claimed.words()} told as {wrong.words()}",
        )
        for code, claimed in FOUND
        for wrong in others(claimed)
    ],
)
def test_a_wrong_claim_is_noticed(code, claimed, wrong):
    assert notices(code, claimed, wrong)


def test_every_code_is_put_to_the_test():
    lowering = {code for code in CODES if re.fullmatch("L2..", code)}
    assert {code for code, _ in FOUND} | set(UNJUDGED) == lowering


@table("code, claimed", FOUND)
def test_the_default_of_a_code_is_among_its_claims(code, claimed):
    """What ``explain`` states of a code is what some schema shows."""
    assert any(CODES[code].effect == effect for said, effect in FOUND if said == code), claimed


@pytest.mark.parametrize("beside", [[], [{"minimum": 3}]], ids=str)
@pytest.mark.parametrize("branch", [{"const": None}, {"enum": [None]}, {"type": "null"}], ids=str)
def test_a_null_of_another_type_is_no_null(branch, beside):
    dialect = dialect_of("nullable=True")
    schema = obj(a={**WHOLE, "anyOf": [branch, *beside]})
    assert violations(schema, lower(schema, dialect), dialect) == []


@pytest.mark.parametrize("key", ["not", "if"])
def test_what_is_widened_below_a_negation_narrows(key):
    dialect = dialect_of("enum_typed=True")
    odd = {"type": "integer", "enum": ["1"]}  # nothing fits, so the type gives way
    node = {key: odd} if key == "not" else {"if": odd, "then": {"const": "2"}}
    schema = obj(a=node)
    lowered = lower(schema, dialect)
    assert claims(lowered, "L214") == {Effect.NARROWED if key == "not" else MATERIAL}
    found = violations(schema, lowered, dialect)
    assert [item for item in found if not item[0].startswith("never")] == []
