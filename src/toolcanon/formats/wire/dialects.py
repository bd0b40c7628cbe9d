"""Dialects that several providers share, as tables to start from.

``ADVISORY`` is JSON Schema shown to a model that nothing holds to it. ``GRAMMAR`` is the subset
that decoding by grammar understands.
"""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import Support, table

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
