"""A 2020-12 schema in the words of an older draft: the mirror of ``upgrade``.

What goes by another name is renamed, and what an older draft has no word for is said with those it
has, where that accepts the same. References follow what moves. ``minContains``, ``maxContains``,
``unevaluated…`` and ``propertyNames`` cannot be said in some drafts: whoever asks leaves them out.
"""

from __future__ import annotations

from typing import NamedTuple

from toolcanon.errors import LimitExceeded
from toolcanon.jsonio import DEFAULT_LIMITS
from toolcanon.jsonio.types import JsonObject
from toolcanon.schema.drafts import Draft
from toolcanon.schema.older import handlers
from toolcanon.schema.writer import Record, Survey, Writer


class Downgraded(NamedTuple):
    """The schema in the words of a draft, and what was rewritten to get there."""

    schema: JsonObject
    log: list[Record]


def downgrade(schema: JsonObject, draft: Draft) -> Downgraded:
    """Write a 2020-12 schema as an older draft has it. Pure; the same object if it is fine as is.

    >>> downgrade({"prefixItems": [{"const": 1}], "items": False}, Draft.D7).schema
    {'items': [{'const': 1}], 'additionalItems': False}
    """
    words = handlers(draft)
    survey = Survey(schema, draft, words)
    if not survey.is_odd:
        return Downgraded(schema, [])
    writer = Writer(draft, survey, words)
    try:
        found = writer.node(schema, (), ())
        if writer.refers:  # by now it is known where everything goes, and references can follow
            writer = Writer(draft, survey, words, writer.moves)
            found = writer.node(schema, (), ())
    except RecursionError:
        raise LimitExceeded("depth", DEFAULT_LIMITS.depth) from None
    return Downgraded(found if writer.log else schema, writer.log)
