"""The steps, in the order in which a node meets them, and the operations they put into a lens."""

from __future__ import annotations

from typing import Final

from toolcanon.lowering.step import Op, Step
from toolcanon.lowering.steps import (
    all_of,
    closed,
    conditions,
    const,
    constant_unions,
    definitions,
    enums,
    folded_unions,
    items,
    keywords,
    lone_unions,
    maps,
    member_names,
    name_patterns,
    null_branches,
    one_of,
    optional,
    property_names,
    references,
    root,
    root_words,
    tuples,
    type_lists,
    types,
    unevaluated,
)

STEPS: Final[tuple[Step, ...]] = (
    # What a node really says: definitions, conjunctions, conditions, references.
    definitions.STEP,
    unevaluated.STEP,
    property_names.STEP,
    all_of.STEP,
    conditions.STEP,
    folded_unions.STEP,
    references.STEP,
    # Which values it means.
    constant_unions.STEP,
    one_of.STEP,
    const.STEP,
    root.STEP,
    enums.STEP,
    types.STEP,
    type_lists.STEP,
    null_branches.STEP,
    # What shape they have.
    tuples.STEP,
    maps.STEP,
    name_patterns.STEP,
    closed.STEP,
    member_names.STEP,
    optional.STEP,
    items.STEP,
    # What cannot be said in any other way.
    keywords.STEP,
    # What was remarked of it.
    lone_unions.STEP,
    root_words.STEP,
)

OPS: Final[dict[str, Op]] = {op.name: op for step in STEPS for op in step.ops}
