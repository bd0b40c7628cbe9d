"""Valid instances of a schema, including those at its bounds.

Deterministic, fast, and bounded for any schema. A validator checks every instance.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from toolcanon.jsonio.types import Json
from toolcanon.schema.sampling.build import Builder, Sample, key_of
from toolcanon.schema.sampling.facets import FacetReader, SampledNode
from toolcanon.schema.validate import Judge, Schema, judge

_VALID: Final = " valid"  # the goal at the root: that there is an instance


def sample(schema: Schema, *, most: int = 64) -> list[Json]:
    """Return valid instances of a schema, at most that many; declared members only.

    >>> sample({"type": "integer", "minimum": 1, "maximum": 3})
    [1, 3]
    """
    finder = InstanceSearch(schema, most)
    with suppress(RecursionError):  # deeper than any reasonable schema; found instances are kept
        finder.find()
    return [found.value for found in finder.valid]


class InstanceSearch:
    """One search: packed instances, then single ones for missed goals.

    A goal is a place of the schema and an event there: ``wanted`` and ``reached`` hold goals.
    """

    def __init__(self, schema: Schema, most: int) -> None:
        self.valid: list[Sample] = []
        self.reached: set[str] = set()
        self.wanted: dict[str, None] = {_VALID: None}
        self.most = most
        self.root = (SampledNode(schema, ""),)
        self.reader = FacetReader(schema)
        self.judge: Judge = judge(schema)
        self._schema = schema
        self._tried: set[bytes | str] = set()

    def find(self) -> None:
        for packed in (True, False):
            builder = Builder(self._schema, self.reader, packed=packed)
            found = builder.samples(self.root, ("",))
            self.wanted |= builder.wanted
            self._keep(found, fresh_only=not packed)
            if self.reached.issuperset(self.wanted):
                break

    def _keep(self, found: Iterable[Sample], *, fresh_only: bool) -> None:
        """Keep accepted instances; those with new goals first, if there is no room for all."""
        spare: list[Sample] = []
        for one in found:
            if len(self.valid) >= self.most:
                return
            fresh = not self.reached.issuperset(one.goals) or not self.valid
            if (fresh or not fresh_only) and is_new(one.value, self._tried):
                if not fresh:
                    spare.append(one)
                elif self.judge.accepts(one.value) is not False:
                    self.valid.append(one)
                    self.reached |= one.goals | {_VALID}
        for one in spare[: self.most - len(self.valid)]:
            if self.judge.accepts(one.value) is not False:
                self.valid.append(one)


def is_new(value: Json, known: set[bytes | str]) -> bool:
    """Add a value to the known ones; return whether it is new."""
    key = key_of(value)
    if key in known:
        return False
    known.add(key)
    return True
