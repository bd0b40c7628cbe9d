"""Engines that enforce a schema while a model writes, for self-hosted servers.

vLLM, SGLang and llama.cpp have this format and pass schemas to such an engine. How each handles a
keyword was measured on small schemas, and a test measures it again (``tests/engines``).
"""

from __future__ import annotations

from dataclasses import replace

from toolcanon.dialect import (
    Dialect,
    NamePolicy,
    ReferenceRules,
    SizeLimits,
    Source,
    Support,
    table,
)
from toolcanon.formats.wire.dialects import FORMATS, HELD

_VERSION = "2026-11-18"
_MEASURED = "2026-11"
_SPOKEN = "title description default deprecated readOnly writeOnly examples"
_NAMED = "$schema $id $comment $vocabulary"
_CONTENT = "contentEncoding contentMediaType contentSchema"

LLGUIDANCE = Dialect(
    id="openai/llguidance",
    version=_VERSION,
    title="enforced by llguidance",
    sources=(Source("llguidance 1.9.1, measured", _MEASURED, "keywords, formats and shapes"),),
    keywords=table(
        Support.ENFORCED,
        accepted=f"{_SPOKEN} {_CONTENT} $comment $vocabulary",
        rejected=(
            "not if then else oneOf dependentSchemas dependentRequired propertyNames uniqueItems "
            "contains minContains maxContains unevaluatedItems unevaluatedProperties "
            # These two only for objects whose declared members are all required.
            "minProperties maxProperties allOf dependencies "
            "$schema $id $anchor $dynamicRef $dynamicAnchor"
        ),
    ),
    formats=FORMATS | {"uri"},
    plain_patterns=True,
    references=ReferenceRules(anywhere=False, siblings=False),
    enum_typed=True,
    largest_bound=2**62,
    lengths_beside_pattern=(40, 64),
    name_patterns=1,
    empty_enums=False,
    strict=True,
)
"""It rejects what it cannot enforce, so nothing is sent that is not enforced."""

OUTLINES = replace(
    HELD,
    id="openai/outlines",
    version=_VERSION,
    title="enforced by Outlines",
    sources=(Source("outlines-core 0.2.14, measured", _MEASURED, "keywords, formats and shapes"),),
    keywords=table(
        Support.ENFORCED,
        # It ignores these.
        accepted=(
            f"{_SPOKEN} {_NAMED} {_CONTENT} "
            "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf uniqueItems"
        ),
        # It rejects some of these, and enforces the others incorrectly.
        rejected=(
            "pattern patternProperties propertyNames minProperties maxProperties prefixItems "
            "contains minContains maxContains unevaluatedItems unevaluatedProperties "
            "dependentRequired dependentSchemas dependencies oneOf allOf not if then else "
            "$anchor $dynamicRef $dynamicAnchor"
        ),
    ),
    others=Support.ACCEPTED,
    formats=frozenset({"date", "email", "uri", "uuid"}),
    references=ReferenceRules(keep=False, recursive=False),
    # Each optional member multiplies the expression, at every level.
    all_required=True,
    type_lists=False,
    members=NamePolicy(r'^"\\\x00-\x1f', 1_000),
    nested_members=True,
    limits=SizeLimits(),
)
"""It makes one regular expression of a schema, so only what that describes can be written."""
