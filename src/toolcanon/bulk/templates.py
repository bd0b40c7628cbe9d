"""Rows written like a row that was converted before.

What is left of a tool without its name, texts and members is its outline. For each outline one
example, with placeholders in the holes, is converted, and what was written is the template of all
others. Members are learned the same way, in examples of their own. Whatever a target does to tools
and members is learned; nothing here knows what a dialect accepts. Reading lines is left to
compiled code (``_templates.c``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import orjson

from toolcanon.bulk.row_columns import COLUMNS
from toolcanon.bulk.rows import Converter, SummedRow
from toolcanon.bulk.template_examples import TemplateContext, TemplateExample, TemplateExamples
from toolcanon.bulk.template_pieces import Known, Learned, TemplateMember, reader_for, weight
from toolcanon.conversations.find_history import history_keys
from toolcanon.conversion.losses import OBSERVERS
from toolcanon.diagnostics import LossKinds
from toolcanon.errors import ToolcanonError
from toolcanon.lowering.limits import (
    member_names,
    members_are_independent,
    optional_members_differ,
    surely_fits,
)

_LONGEST_LINE: Final = 12 << 10
_MOST: Final = 4096  # outlines, and numbers of those met once
_MOST_BYTES: Final = 16 << 20  # of members
_ENTRY: Final = 512  # about what one weighs beside its texts

Written: TypeAlias = tuple[bytes, str, TemplateExample, list[TemplateMember] | None]
"""A row as text with a line's end, its tool's name, and what its template and members add."""


class Templates:
    """Converts rows as a converter does, as far as they are like others."""

    def __init__(self, converter: Converter, longest: int = _LONGEST_LINE) -> None:
        bind_target, field = converter.bind_target(), converter.tools_field
        self._converter = converter
        self._field = field
        self._longest = min(longest, _LONGEST_LINE)
        self._known: Known = {}
        self._met: set[int] = set()
        """Hashes of outlines that were met once."""
        self._examples = TemplateExamples(converter)
        self._held = 0
        self._read: Callable[[bytes, str | None], Any] | None = None
        choice = bind_target.choice
        plain, strict, mode = choice.plain, choice.strict, choice.mode
        dialect = strict if mode else plain
        if (
            plain is None
            or dialect is None
            or mode not in (False, True)
            or bind_target.target.naming is not None
            or converter.source is not None
            or converter.calls_field is not None
            or converter.keep_original
            or not members_are_independent(dialect)
        ):
            return
        columns = () if field is None else history_keys() | COLUMNS
        reader = reader_for(
            bind_target.target.names,
            member_names(dialect),
            columns,
            self._known,
            tells_optional=optional_members_differ(dialect),
        )
        self._read = None if reader is None else reader.read

    @property
    def are_used(self) -> bool:
        """Whether rows may be written by templates; otherwise none needs to wait for others."""
        return self._read is not None and not OBSERVERS

    def __call__(self, lines: Sequence[bytes]) -> list[SummedRow | None]:
        """Return rows as text, with a line end; None for unusual ones."""
        return [None if one is None else summed(one) for one in self.written(lines)]

    def written(self, lines: Sequence[bytes]) -> list[Written | None]:
        """Return the result of a template, with its losses as templates and members store them.

        What many rows need is learned at once, so that it takes fewer examples.
        """
        read, field, longest = self._read, self._field, self._longest
        if read is None or not self.are_used:
            return [None] * len(lines)
        found: list[Any] = [read(line, field) if len(line) <= longest else None for line in lines]
        unknown = [at for at, one in enumerate(found) if one.__class__ is bytes]
        new: dict[bytes, int] = {}
        for at in unknown:
            if found[at] not in self._known and self._is_met(found[at]):
                self._learn(found[at])
                new[found[at]] = at
        for at in unknown:
            found[at] = read(lines[at], field) if found[at] in self._known else None
        odd = [at for at, one in enumerate(found) if one.__class__ is list]
        self._learn_members(found[at] for at in odd)
        for at in odd:
            found[at] = one = read(lines[at], field)
            if one.__class__ is not tuple:
                found[at] = None
        rows = [None if one is None or _may_be_too_much(one) else one for one in found]
        wrong = {outline for outline, at in new.items() if not self._is_right(lines[at], rows[at])}
        if wrong:
            self._known |= dict.fromkeys(wrong)
            rows = [None if one is None or one[2].outline in wrong else one for one in rows]
        return rows

    # --- learning ---

    def _is_right(self, line: bytes, row: Written | None) -> bool:
        """Return whether the first row by a new template is what converting it gives."""
        if row is None:
            return True
        try:
            return _is_same(summed(row), self._converter.row(orjson.loads(line)).summed())
        except ToolcanonError:
            return False

    def _is_met(self, outline: bytes) -> bool:
        """Return whether an outline was met before: many are not met again."""
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

    def _learn_members(self, found: Iterable[list[Any]]) -> None:
        """Learn members that are met for the first time, of many rows together."""
        odd: dict[TemplateContext, dict[bytes, None]] = {}
        for example, members in found:
            outlines = odd.setdefault(example.context, {})
            outlines.update(dict.fromkeys(members))
        for context, outlines in odd.items():
            for outline, member in self._examples.members(context, [*outlines]).items():
                self._keep(context, outline, member)
        if self._held > _MOST_BYTES:
            self._forget()

    def _keep(self, context: TemplateContext, outline: bytes, member: Learned) -> None:
        self._held += _ENTRY + len(outline)
        if isinstance(member, tuple):
            self._held += sum(map(weight, member[0]))
        context.members[outline] = member

    def _forget(self) -> None:
        self._known.clear()
        self._examples.contexts.clear()
        self._held = 0


def summed(found: Written) -> SummedRow:
    """Return a row with what sums need to know of it."""
    text, name, example, beside = found
    losses: tuple[tuple[str, LossKinds], ...]
    losses = ((name, example.losses),) if example.losses else ()
    if beside is None:
        return SummedRow(text, losses, example.needs_restore)
    losses += tuple((name, member.losses) for member in beside if member.losses)
    needs_restore = example.needs_restore or any(member.needs_restore for member in beside)
    return SummedRow(text, losses, needs_restore)


def _may_be_too_much(found: Written) -> bool:
    """Return whether a strict tool has to be measured."""
    strict = found[2].strict
    return strict is not None and not surely_fits(found[0], strict)


def _is_same(found: SummedRow, converted: SummedRow) -> bool:
    """Return whether a template writes what the converter does."""
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
