"""Which keyword is shown to hold in which way."""

from __future__ import annotations

from typing import Final

from toolcanon.schema.containment import elements, logic, members, scalars
from toolcanon.schema.containment.asking import Goal

GOALS: Final[dict[str, Goal]] = {
    "type": scalars.types,
    "enum": scalars.values,
    "const": scalars.values,
    "minimum": scalars.bound,
    "maximum": scalars.bound,
    "exclusiveMinimum": scalars.bound,
    "exclusiveMaximum": scalars.bound,
    "multipleOf": scalars.multiple,
    "minLength": scalars.length,
    "maxLength": scalars.length,
    "pattern": scalars.pattern,
    "format": scalars.text_format,
    "anyOf": logic.any_of,
    "oneOf": logic.one_of,
    "not": logic.denied,
    "if": logic.conditional,
    "properties": members.declared,
    "patternProperties": members.matching,
    "additionalProperties": members.additional,
    "unevaluatedProperties": members.unevaluated,
    "required": members.required,
    "minProperties": members.count,
    "maxProperties": members.count,
    "propertyNames": members.names,
    "dependentRequired": members.entailed,
    "dependentSchemas": members.dependent,
    "prefixItems": elements.prefix,
    "items": elements.rest,
    "minItems": elements.count,
    "maxItems": elements.count,
    "uniqueItems": elements.unique,
    "contains": elements.contains,
}

SAYABLE: Final = frozenset(
    "anyOf oneOf not if patternProperties propertyNames dependentSchemas contains "
    "pattern format".split()
)
"""Keywords that mean the same wherever they stand, so that the same words are proof enough."""
