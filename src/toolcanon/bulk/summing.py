"""Rows of which only sums are asked: the short way for files of millions.

Most rows hold one tool that is like one seen before and keeps its schema. Then nothing is made of
it but what is written: no conversion that could be asked for places, lenses or a receipt. Tests
hold the short way to the long one.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from toolcanon.bulk.row_columns import COLUMNS
from toolcanon.bulk.rows import Converter
from toolcanon.conversion.api import WORD, Conversion
from toolcanon.conversion.choice import AUTO
from toolcanon.conversion.find_history import history_keys
from toolcanon.conversion.lanes import Passed, kin_of, plain_item
from toolcanon.conversion.observe import OBSERVERS
from toolcanon.conversion.way import Sorts
from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering import Lowered, lower_new
from toolcanon.lowering.closing import closing
from toolcanon.lowering.quick import never
from toolcanon.lowering.unchanged import unchanged

Told: TypeAlias = tuple[tuple[str, Sorts], ...]
"""Codes and effects of losses, with the tool that each is of."""

_MOST: Final = 65_536
_new = tuple.__new__  # a named tuple's own constructor costs twice as much


class SummedRow(NamedTuple):
    """A row as it goes on, and what sums over many rows need to know of it."""

    row: Json
    sorts: Told
    needs_restore: bool


class Summing:
    """Converts rows that the loader read as a converter does."""

    def __init__(self, converter: Converter) -> None:
        self._converter = converter
        self.field = converter.tools_field
        self._histories = frozenset() if self.field is None else history_keys() | COLUMNS
        self.way = way = converter.way()
        dialect = way.choice.plain
        self.is_short = not (
            converter.source is not None
            or converter.calls_field is not None
            or converter.keep_original
            or way.choice.mode == AUTO
            or dialect is None
            or dialect.limits.schema_bytes is not None
        )
        self._glance = None if dialect is None else unchanged(dialect)
        self._close = never if way.choice.strict is None else closing(way.choice.strict)
        self._beside: dict[tuple[object, ...], Sorts] = {}
        """What tools of one sort lose beside their schema, for those whose schema is lowered."""

    def _may_have_history(self, row: JsonObject) -> bool:
        """Whether a column could hold a conversation or calls, under whatever name."""
        if not self._histories.isdisjoint(row):
            return True
        return any(
            key != self.field and (value.__class__ in {list, dict} or "role" in str(value))
            for key, value in row.items()
        )

    def __call__(self, row: Json) -> SummedRow:
        """One row. Raises InputError with what is wrong."""
        field, way = self.field, self.way
        tool: Json = row if field is None else row.get(field) if row.__class__ is dict else None
        passed = None
        if field is not None and tool is not None and self._may_have_history(row):
            tool = None
        if tool.__class__ is dict and self.is_short and not OBSERVERS:
            passed = self.passed(tool)
        if passed is None:
            done = self._converter.row(row)
            return SummedRow(done.row, done.sorts(), done.needs_restore)
        made = passed.item if field is None else {**row, field: passed.item}
        words = 0 if passed.is_same else passed.words
        if words is not None:
            sorts = way.sorts.get(kin_of(tool, passed))
            if sorts is not None:
                if words:
                    sorts = (WORD,) * words + sorts
                told = ((passed.name, sorts),) if sorts else ()
                return _new(SummedRow, (made, told, passed.is_renamed))
        elif passed.lowered is not None:
            return SummedRow(made, *self._lowered(tool, passed, passed.lowered))
        seen = Conversion.plain(tool, way, passed)
        return SummedRow(made, seen.sorts(), seen.needs_restore)

    def passed(self, tool: JsonObject) -> Passed | None:
        """What a lane makes of a tool."""
        way = self.way
        try:
            return plain_item(tool, way.target, way.choice, self._lower, None, self._glance)
        except RecursionError:
            return None  # whoever goes the long way tells it

    def _lower(self, schema: JsonObject, dialect: Dialect) -> Lowered:
        found = self._close(schema) if dialect.strict else None
        return lower_new(schema, dialect) if found is None else found

    def _lowered(self, tool: JsonObject, passed: Passed, lowered: Lowered) -> tuple[Told, bool]:
        """Of a tool whose schema was lowered: what that cost, and what the same tools lose else."""
        sorts = tuple((loss.code, loss.effect) for loss in lowered.losses(passed.name, "inputs"))
        # An envelope may change what the root of a schema says.
        kin = (kin_of(tool, passed), *lowered.schema)
        beside = self._beside.get(kin)
        if beside is not None:
            needs_restore = passed.is_renamed or lowered.document is not None
            return ((passed.name, sorts + beside),), needs_restore
        seen = Conversion.plain(tool, self.way, passed)
        told = tuple(sort for _, found in seen.sorts() for sort in found)
        if told[: len(sorts)] == sorts:
            if len(self._beside) >= _MOST:
                self._beside.clear()
            self._beside[kin] = told[len(sorts) :]
        return seen.sorts(), seen.needs_restore
