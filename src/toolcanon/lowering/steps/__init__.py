"""The steps, in the order in which a node meets them, and the operations they put into a lens."""

from __future__ import annotations

from typing import Final

from toolcanon.lowering.step import Op, Step
from toolcanon.lowering.steps import (
    closed,
    conjunctions,
    enums,
    folded_unions,
    forbidden,
    lists,
    maps,
    names,
    references,
    root,
    unions,
)

STEPS: Final[tuple[Step, ...]] = (
    # The meaning of a node: definitions, conjunctions, conditions, references.
    references.DEFINITIONS_STEP,
    closed.UNEVALUATED_STEP,
    names.PROPERTY_NAMES_STEP,
    conjunctions.ALL_OF_STEP,
    conjunctions.CONDITIONS_STEP,
    folded_unions.STEP,
    references.REFERENCES_STEP,
    # Which values it means.
    unions.CONSTANT_UNIONS_STEP,
    unions.ONE_OF_STEP,
    enums.CONST_STEP,
    root.ROOT_STEP,
    enums.ENUMS_STEP,
    root.TYPES_STEP,
    root.TYPE_LISTS_STEP,
    unions.NULL_BRANCHES_STEP,
    # What shape they have.
    forbidden.STEP,
    lists.TUPLES_STEP,
    maps.STEP,
    names.NAME_PATTERNS_STEP,
    closed.CLOSED_STEP,
    names.MEMBER_NAMES_STEP,
    closed.OPTIONAL_STEP,
    lists.ITEMS_STEP,
    # What has no other form.
    enums.KEYWORDS_STEP,
    # What was remarked of it.
    unions.LONE_UNIONS_STEP,
    root.ROOT_WORDS_STEP,
)

OPS: Final[dict[str, Op]] = {op.name: op for step in STEPS for op in step.ops}
