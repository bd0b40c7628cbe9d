"""The dialects of constrained-decoding engines are what the engines do, measured again."""

from __future__ import annotations

import pytest

import toolcanon as tc
from tests.engines.judges import LLGUIDANCE, OUTLINES
from tests.engines.keyword_probes import FORMATS, KEYWORDS, OTHERS
from tests.engines.probes import measured
from tests.engines.shape_probes import SHAPES
from toolcanon.conversion.target import find_dialect
from toolcanon.dialect import Support
from toolcanon.schema.keywords import ANNOTATIONS

ENGINES = {"llguidance": LLGUIDANCE, "outlines": OUTLINES}

# Measured as enforced on a small schema, and yet not sent. The shapes below show where they fail.
CAUTIOUS = {
    "llguidance": set("minProperties maxProperties allOf $schema $id $anchor".split()),
    "outlines": set("minProperties unevaluatedItems unevaluatedProperties $dynamicAnchor".split()),
}
# What an engine does to a shape where it does not enforce it. Lowering avoids each of them, but
# for those that cost nothing: order, and the spelling of numbers and of control characters.
SHAPED = {
    "llguidance": {
        "great lengths beside a pattern": "refused",
        "patterns that exclude quotation marks": "ignored",
        "names by patterns that overlap": "refused",
        "names by a pattern beside a union": "misread",
        "patterns that look around": "refused",
        "patterns that refer back": "refused",
        "patterns with word boundaries": "refused",
        "bounds of 64 bits": "refused",
        "bounds with an exponent": "refused",
        "members in another order": "misread",
        "integers written with a fraction": "misread",
    },
    "outlines": {
        "lengths beside a pattern": "ignored",
        "lengths beside a pattern up to 40 and 64": "ignored",
        "great lengths beside a pattern": "ignored",
        "required members of a map": "ignored",
        "number of members where some are optional": "ignored",
        "names by patterns that overlap": "ignored",
        "names by a pattern beside a union": "misread",
        "further members beside declared ones": "misread",
        "type lists of scalars": "ignored",
        "type lists with objects": "misread",
        "members beside a union": "ignored",
        "type beside a union": "refused",
        "bound beside a reference": "ignored",
        "names of definitions with escapes": "refused",
        "recursion ten levels deep": "misread",
        "true as a schema": "refused",
        "nothing said of a value": "misread",
        "only a description": "refused",
        "members without a type": "misread",
        "closed objects without members": "refused",
        "objects that do not say that they are closed": "misread",
        "patterns that look around": "refused",
        "patterns that refer back": "refused",
        "patterns with word boundaries": "refused",
        "bounds of 62 bits": "ignored",
        "bounds beyond 64 bits": "ignored",
        "enums with values of another type": "ignored",
        "names of any character": "misread",
        "members in another order": "misread",
        "texts with escapes by number": "misread",
        "integers written with a fraction": "misread",
    },
}


@pytest.fixture(params=ENGINES)
def name(request):
    if not ENGINES[request.param].is_installed:
        pytest.skip("not installed")
    return request.param


def test_sources_name_the_version_that_is_measured(name):
    engine = ENGINES[name]
    (source,) = find_dialect(f"openai/{name}").sources
    assert source.where == f"{engine.package} {engine.version}, measured"


def test_keywords_are_as_measured(name):
    dialect = find_dialect(f"openai/{name}")
    wrong = {}
    for keyword, found in measured(ENGINES[name], {**KEYWORDS, **OTHERS}):
        support = dialect.support(keyword)
        allowed = {
            "refused": {Support.REJECTED},
            "misread": {Support.REJECTED},
            "ignored": {Support.REJECTED, Support.ACCEPTED},
            "enforced": {Support.ENFORCED},
        }[found]
        if found == "enforced" and (keyword in ANNOTATIONS or keyword in _SILENT):
            allowed = {Support.ACCEPTED}
        if keyword in CAUTIOUS[name]:
            assert found == "enforced", keyword
            allowed = {Support.REJECTED}
        if support not in allowed:
            wrong[keyword] = (found, support.name)
    assert not wrong


_SILENT = {
    *OTHERS, "$schema", "$id", "$comment", "$vocabulary",
    "contentEncoding", "contentMediaType", "contentSchema",
}  # fmt: skip


def test_formats_are_as_measured(name):
    enforced = {word for word, found in measured(ENGINES[name], FORMATS) if found == "enforced"}
    assert find_dialect(f"openai/{name}").formats == enforced


def test_shapes_are_as_measured(name):
    found = {shape: word for shape, word in measured(ENGINES[name], SHAPES) if word != "enforced"}
    assert found == SHAPED[name]


def test_shapes_that_an_engine_does_not_take_are_rewritten(name):
    """Each probe's schema, lowered to the engine's dialect, compiles."""
    for probes in {**KEYWORDS, **SHAPES}.values():
        for probe in probes:
            schema = {
                "type": "object",
                "properties": {"x": probe.schema},
                "required": ["x"],
                **probe.around,
            }
            tool = tc.CanonicalTool(name="t", inputs=schema)
            bound = tc.bind(tool, "openai", dialect=f"openai/{name}")
            ENGINES[name].compile(bound._bound[0].wire.inputs)
