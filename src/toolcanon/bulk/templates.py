"""Rows written like a row that was converted before.

What is left of a tool without its name, texts and members is its outline. For each outline one
example, with placeholders in the holes, is converted, and what was written is the template of all
others. A member is learned from the first row that has it: written as it is, or, where it was
changed, from examples of its own with placeholders for its texts. Whatever a target does to tools
and members is learned that way; nothing here knows what a dialect accepts. Reading lines and
putting texts together is left to compiled code (``_templates.c``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import orjson

from toolcanon.bulk.member_parts import parts_of
from toolcanon.bulk.row_columns import COLUMNS
from toolcanon.bulk.rows import Converter, SummedRow
from toolcanon.bulk.template_examples import (
    Context,
    Example,
    Examples,
    Member,
    weight,
)
from toolcanon.bulk.template_reader import Known, reader_for
from toolcanon.conversion.find_history import history_keys
from toolcanon.conversion.observe import OBSERVERS
from toolcanon.diagnostics import LossKinds
from toolcanon.dialect.names import NamePolicy
from toolcanon.lowering.independent import member_names, members_are_independent, surely_fits

_new = tuple.__new__  # a named tuple's own constructor costs twice as much
_LONGEST_LINE: Final = 12 << 10
_MOST: Final = 4096  # outlines, and numbers of those met once
_MOST_BYTES: Final = 16 << 20  # of members
_ENTRY: Final = 512  # about what one weighs beside its texts

_Read: TypeAlias = tuple[bytes, str, Example, list[Member] | None]


class Templates:
    """Converts rows as a converter does, as far as they are like others."""

    def __init__(self, converter: Converter) -> None:
        way, field = converter.way(), converter.tools_field
        self._converter = converter
        self._field = field
        self._known: Known = {}
        self._met: set[int] = set()
        """Hashes of outlines that were met once."""
        self._examples = Examples(converter)
        self._held = 0
        self._names: NamePolicy | None = None
        self._read: Callable[[bytes, str | None], Any] | None = None
        plain = way.choice.plain
        if (
            plain is None
            or way.choice.mode
            or way.target.naming is not None
            or converter.source is not None
            or converter.calls_field is not None
            or converter.keep_original
            or not members_are_independent(plain)
        ):
            return
        self._names = member_names(plain)
        columns = () if field is None else history_keys() | COLUMNS
        reader = reader_for(way.target.names, self._names, columns, self._known)
        self._read = None if reader is None else reader.read

    def __call__(self, line: bytes) -> SummedRow | None:
        """The row as text, with a line's end, or as it was converted; None for what is unusual.

        Raises InputError for a row that cannot be converted.
        """
        if self._read is None or OBSERVERS or len(line) > _LONGEST_LINE:
            return None
        found = self._read(line, self._field)
        if found.__class__ is tuple:
            return self._summed(found)
        return None if found is None else self._learned(found, line)

    @staticmethod
    def _summed(found: _Read) -> SummedRow | None:
        text, name, example, beside = found
        if example.strict is not None and not surely_fits(text, example.strict):
            return None
        losses: tuple[tuple[str, LossKinds], ...]
        losses = ((name, example.losses),) if example.losses else ()
        if beside is None:
            return _new(SummedRow, (text, losses, False))
        losses += tuple((name, member.losses) for member in beside if member.losses)
        needs_restore = any(member.needs_restore for member in beside)
        return _new(SummedRow, (text, losses, needs_restore))

    # --- learning ---

    def _learned(self, found: Any, line: bytes) -> SummedRow | None:
        """What is read of a row once its outline and members are known; None if they are not."""
        if found.__class__ is bytes:
            return self._met_again(found, line) if self._is_met(found) else None
        example, odd = found
        self._learn_members(example.context, odd)
        found = self._found(line)
        return self._summed(found) if found.__class__ is tuple else None

    def _met_again(self, outline: bytes, line: bytes) -> SummedRow | None:
        """Learn an outline; its first row is converted, and has to be what is written by it."""
        self._learn(outline)
        found = self._found(line)
        if found.__class__ is list:
            self._learn_members(found[0].context, found[1])
            found = self._found(line)
        if found.__class__ is not tuple:
            return None
        summed = self._converter.row(orjson.loads(line)).summed()
        if not _is_same(self._summed(found), summed):
            self._known[outline] = None
        return summed

    def _found(self, line: bytes) -> Any:
        return None if self._read is None else self._read(line, self._field)

    def _is_composed(self, context: Context, outline: bytes) -> bool:
        """Whether a member has nothing but parts that are written as they are."""
        parts = parts_of(outline, self._names)
        if parts is None or not context.parts.issuperset(parts):
            return False
        context.members[outline] = True
        self._held += _ENTRY + len(outline)
        return True

    def _is_met(self, outline: bytes) -> bool:
        """Whether an outline was met before: many are not met again."""
        number = hash(outline)
        if number in self._met:
            return True
        if len(self._met) >= _MOST:
            self._met.clear()
        self._met.add(number)
        return False

    def _learn(self, outline: bytes) -> None:
        if len(self._known) >= _MOST:
            self._known.clear()
        found = self._examples.template(outline)
        made = None if found is None else (*found, found[1].context.members)
        self._known[outline] = made

    def _learn_members(self, context: Context, odd: Sequence[tuple[str, bytes]]) -> None:
        """Learn members that are met for the first time."""
        outlines = [outline for _, outline in odd if not self._is_composed(context, outline)]
        made = self._examples.members(context, outlines) if outlines else []
        for outline, member in zip(outlines, made, strict=True):
            self._held += _ENTRY + len(outline)
            if isinstance(member, tuple):
                self._held += sum(map(weight, member[0]))
            elif member:
                parts = parts_of(outline, self._names) or ()
                context.parts.update(parts)
                self._held += sum(map(len, parts))
            context.members[outline] = member
        if self._held > _MOST_BYTES:
            self._forget()

    def _forget(self) -> None:
        self._known.clear()
        self._examples.contexts.clear()
        self._held = 0


def _is_same(found: SummedRow | None, converted: SummedRow) -> bool:
    """Whether a template writes what the converter does."""
    if found is None:
        return True
    kinds = [Counter(_each_kind(row)) for row in (found, converted)]
    return (
        found.row == orjson.dumps(converted.row, option=orjson.OPT_APPEND_NEWLINE)
        and kinds[0] == kinds[1]
        and found.needs_restore == converted.needs_restore
    )


def _each_kind(row: SummedRow) -> Iterator[tuple[str, str, Any]]:
    for tool, kinds in row.losses:
        for code, effect in kinds:
            yield tool, code, effect
