"""The laws of lowering on schemas that declare members wherever a schema may do so.

Under the profile ``exploring`` many more schemas are tried, and others each time.
"""

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.hidden_members import KNOWN, roots
from tests.lens_laws import by_declared, contradicted, lost_parameters, misnamed, unrendered
from tests.properties.test_lens_laws import DIALECTS, refuted
from toolcanon.lowering import lower
from toolcanon.schema import upgrade
from toolcanon.schema.validate import judge

# One of each kind: the others ask for the same of a schema.
KINDS = [
    "openai", "openai/strict", "anthropic", "anthropic/strict", "cohere/strict", "deepseek/strict",
    "gemini", "gemini/openapi", "ollama", "smolagents", "xai", "mcp/claude-desktop",
    "json-schema/draft-07",
]  # fmt: skip
SOME = ["openai", "openai/strict", "anthropic", "cohere/strict", "gemini/openapi"]
few = settings(
    max_examples=settings.default.max_examples // 20,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def tried(law):
    """A law for any schema, and for those that once refuted it."""
    found = given(roots, st.lists(st.sampled_from(KINDS), min_size=1, max_size=2))(law)
    for schema in KNOWN.values():
        found = example(schema, SOME)(found)
    return few(found)


def lost(schema, kind):
    return lost_parameters(schema, lower(schema, DIALECTS[kind]))


def untrue(schema, kind):
    dialect = DIALECTS[kind]
    accepts = judge(by_declared(upgrade(schema).schema)).accepts
    found = refuted(schema, lower(schema, dialect), dialect)
    return [one for one in found if one[0] != "narrowed" or accepts(one[1])]


def unsent(schema, kind):
    dialect = DIALECTS[kind]
    own, lowered = upgrade(schema).schema, lower(schema, dialect)
    return unrendered(own, lowered, dialect) + misnamed(own, lowered)


def misleading(schema, kind):
    dialect = DIALECTS[kind]
    return contradicted(upgrade(schema).schema, lower(schema, dialect), dialect)


LAWS = {"lost": lost, "untrue": untrue, "unsent": unsent, "misleading": misleading}


@tried
def test_no_parameter_is_lost_at_any_depth(schema, kinds):
    for kind in kinds:
        assert lost(schema, kind) == [], kind


@tried
def test_claims_hold_for_hidden_members(schema, kinds):
    for kind in kinds:
        assert untrue(schema, kind) == [], kind


@tried
def test_expressible_values_are_rendered_and_restored(schema, kinds):
    for kind in kinds:
        assert unsent(schema, kind) == [], kind


@tried
def test_notes_are_true_of_arguments(schema, kinds):
    for kind in kinds:
        assert misleading(schema, kind) == [], kind
