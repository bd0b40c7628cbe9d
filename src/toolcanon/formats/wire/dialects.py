"""Dialects and history rules that several providers start from.

``ADVISORY`` is JSON Schema shown to a model that nothing holds to it. ``GRAMMAR`` is the subset
that decoding by grammar understands. A provider takes one of the dialects below by
``dataclasses.replace``, with its own id, sources and whatever it does differently.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from toolcanon.dialect import (
    Dialect,
    NamePolicy,
    ReferenceRules,
    SizeLimits,
    Source,
    Support,
    table,
)

ADVISORY: Final = table(Support.ACCEPTED)

FORMATS: Final = frozenset("date-time time date duration email hostname ipv4 ipv6 uuid".split())
"""String formats that grammars know."""

_UNSPEAKABLE: Final = (
    "allOf oneOf not if then else dependentSchemas dependentRequired patternProperties "
    "propertyNames unevaluatedItems unevaluatedProperties minProperties maxProperties "
    "uniqueItems prefixItems contains minContains maxContains contentEncoding contentMediaType "
    "contentSchema $dynamicRef $dynamicAnchor $vocabulary"
)
_NOT_WANTED: Final = "examples deprecated readOnly writeOnly $schema $id $anchor $comment"
_BOUNDS: Final = (
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems"
)

GRAMMAR: Final = table(
    Support.ENFORCED,
    accepted="description",
    ignored="title",
    rejected=f"{_UNSPEAKABLE} {_NOT_WANTED} default",
)
"""With bounds, without defaults."""

GRAMMAR_WITHOUT_BOUNDS: Final = table(
    Support.ENFORCED,
    accepted="title description default",
    rejected=f"{_UNSPEAKABLE} {_NOT_WANTED} {_BOUNDS}",
)

GRAMMAR_OF_SHAPES: Final = table(
    Support.ENFORCED,
    accepted="title description",
    rejected=f"{_UNSPEAKABLE} {_NOT_WANTED} {_BOUNDS} minItems pattern format default",
)
"""Types, members, enums, unions and references: what no grammar does without."""

CHAT_NAMES: Final = NamePolicy("a-zA-Z0-9_-", 64)

CHECKED: Final = Dialect(
    id="",
    version="",
    title="",
    keywords=ADVISORY,
    root_unions=False,
    root_properties=True,
    items=True,
    limits=SizeLimits(tools=128),
)
"""Nothing is enforced, but the root and lists are checked before the model is called."""

HELD: Final = Dialect(
    id="",
    version="",
    title="",
    keywords=GRAMMAR_OF_SHAPES,
    others=Support.REJECTED,
    formats=frozenset(),
    plain_patterns=True,
    references=ReferenceRules(anywhere=False, siblings=False),
    booleans=False,
    typed=True,
    union_siblings=False,
    root_unions=False,
    root_properties=True,
    closed=True,
    maps=False,
    items=True,
    enum_primitives=True,
    strict=True,
)
"""The minimum that every grammar requires."""

EVERY_MEMBER: Final = replace(
    HELD,
    keywords=GRAMMAR,
    formats=FORMATS,
    all_required=True,
    limits=SizeLimits(
        depth=10,
        properties=5000,
        enum_values=1000,
        characters=120_000,
        large_enum=(250, 15_000),
        tools=128,
    ),
)
"""No member is optional; there are bounds."""

OPTIONAL_MEMBERS: Final = replace(
    HELD,
    keywords=GRAMMAR_WITHOUT_BOUNDS,
    formats=FORMATS | {"uri"},
    largest_minimum_items=1,
    references=ReferenceRules(anywhere=False, siblings=False, recursive=False),
    members=NamePolicy("a-zA-Z0-9_.-", 64),
    limits=SizeLimits(optional=24, unions=16, tools=20),
)
"""Members may be optional, and how many is limited; there are no bounds and no recursion."""

DECODED: Final = Source(
    "tests/engines, executed",
    "2026-11-18",
    "what an engine of constrained decoding compiles",
    ("largest_bound", "lengths_beside_pattern", "empty_enums"),
)


def decoded(dialect: Dialect) -> Dialect:
    """Return a dialect whose schemas an engine of constrained decoding compiles."""
    return replace(dialect, largest_bound=2**62, lengths_beside_pattern=(40, 64), empty_enums=False)


NOT_FINITE: Final = Source("RFC 8259 section 6", "2026-11", "JSON has no word for them")
"""Why numbers that are not finite are rejected, with each provider's error message."""

STAND_IN_SEALS: Final = (
    "skip_thought_signature_validator",
    "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
)
"""What one provider accepts in place of a signature, as text and as base64; others reject it."""

ENDS_WITH_USER: Final = r"claude-(?:[a-z]+-)?(?:4[-.](?:[6-9]|[1-9]\d)|[5-9]|[1-9]\d)(?!\d)"
"""Models that end with the user: from 4.6 on."""
GOES_ON: Final = (
    r"claude-(?:instant|[123](?!\d)|(?:[a-z]+-)?[34](?:[-.][0-5])?(?:[-@]\d{6,}|-v\d|-latest|:|$))"
)
"""Models that go on with words of their own."""
