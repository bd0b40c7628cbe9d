"""Rows converted from text to text, by one example of each outline.

The tools of a catalog differ in little but names, remarks and members. What is left without them,
the outline, is all that a lane looks at, as long as a name is legal and the members can stay as
they are. So for each outline a tool with words of ours in their places is converted, and its text
tells where they go in all the others. Members that have to be rewritten are lowered one by one and
remembered by their text: catalogs use the same ones again and again. Looking at members and putting
texts together is left to compiled code (``_outlines.c``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from toolcanon.bulk.row_columns import COLUMNS
from toolcanon.bulk.summing import SummedRow, Summing
from toolcanon.bulk.template_reader import Known, Rewritten, reader_for
from toolcanon.conversion.api import WORD
from toolcanon.conversion.bound import is_small_text
from toolcanon.conversion.find_history import history_keys
from toolcanon.conversion.lanes import Passed, own_schema
from toolcanon.conversion.observe import OBSERVERS
from toolcanon.conversion.way import Sorts
from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect
from toolcanon.errors import ToolcanonError
from toolcanon.jsonio import compact
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering import lower, quick

_new = tuple.__new__  # a named tuple's own constructor costs twice as much
_CLOSED: Final = ("L222", Effect.EXACT)
_MOST: Final = 4096
_MOST_BYTES: Final = 16 << 20  # of members
_ENTRY: Final = 512  # about what one weighs beside its texts
_LARGEST_MEMBER: Final = 4096
_TRIES: Final = 3  # to know an outline, and the members of both looks
_HOLE: Final = re.compile(rb"[\x01-\x05]")
_OURS: Final = "toolcanon_hole"
_REMARK: Final = 2
_SAID: Final = {
    1: b'"toolcanon_hole"',
    _REMARK: b'"toolcanon_hole %d"',
    3: b'{"toolcanon_hole":{"type":"string"}}',
    4: b'["toolcanon_hole"]',
    5: b'{"toolcanon_hole_too":{"type":"string"}}',
}
"""What an example has in the place of a name, a remark, members, those required, definitions."""
_LOOKED_AT: Final = {3, 5}
_OF_ROOT: Final = 2  # steps: the side, and a keyword
_AT_ROOT: Final = {"L222", "L229"}
"""What may be done to the root of a schema without a look at its members."""


_Read: TypeAlias = tuple[bytes, str, Any, int, int, list[Any] | None]
_Found: TypeAlias = _Read | list[Any] | bytes | None
"""What a reader answers."""
_Reads: TypeAlias = Callable[[bytes, str | None], _Found]


class _Example(NamedTuple):
    """What is known of an outline."""

    sorts: Sorts
    """What every tool like it loses."""
    strict: Dialect | None
    """Where limits have to be kept."""
    is_exact: bool
    """Whether it is an example only for tools whose members stay as they are."""


class _Member(NamedTuple):
    """What is known of a member that was rewritten."""

    sorts: Sorts
    needs_restore: bool


class Outlines:
    """Converts rows as ``Summing`` does, as far as they are like others."""

    def __init__(self, summing: Summing) -> None:
        choice, names = summing.way.choice, summing.way.target.names
        self._sum = summing
        self._field = summing.field
        keys = () if summing.field is None else sorted(history_keys() | COLUMNS)
        self._histories = [f'"{key}"'.encode() for key in keys]
        self._histories += [b'role"', b'role\\"'] if keys else []
        """What a row that may have a conversation has in its text."""
        self._known: Known = {}
        self._strictly: Known = {}
        self._members: dict[bool, Rewritten] = {False: {}, True: {}}
        self._held = 0
        self._sorts: dict[tuple[int, int, int], tuple[Sorts, Sorts]] = {}
        self._read = self._closing = None
        self._target, self._mode = summing.way.target, choice.mode
        self._plain, self._strict = choice.plain, choice.strict
        if not summing.is_short or self._plain is None:
            return
        reader = reader_for(self._plain, names, self._known, self._members[False])
        if reader is None:
            return
        self._read = reader.read
        if self._strict is not None and self._strict.closed:
            closing = reader_for(self._strict, names, self._strictly, self._members[True])
            self._closing = closing

    def __call__(self, line: bytes) -> SummedRow | None:
        """The row as text, with a line's end; None for what has to be looked at."""
        if self._read is None or OBSERVERS or any(key in line for key in self._histories):
            return None
        found: _Found = self._read(line, self._field)
        if not isinstance(found, tuple):
            found = self._learned(self._read, found, line)
            if found is None:
                return None
        text, name, (sorts, strict, is_exact), words, closed, told = found
        needs_restore = False
        if words or closed or told:
            if is_exact:
                return None
            sorts = self._together(sorts, words, closed)
            for also, restores in told or ():
                sorts += also
                needs_restore |= restores
        if strict is not None and not is_small_text(text, strict, alone=True):
            return None
        return _new(SummedRow, (text, ((name, sorts),) if sorts else (), needs_restore))

    def _together(self, sorts: Sorts, words: int, closed: int) -> Sorts:
        """The losses of an example with those of members; the same ones for the same numbers."""
        key = (id(sorts), words, closed)
        found = self._sorts.get(key)
        if found is None:
            if len(self._sorts) >= _MOST:
                self._sorts.clear()
            made = (WORD,) * words + (_CLOSED,) * closed + sorts
            found = self._sorts[key] = sorts, made  # the first is kept, so that no other is it
        return found[1]

    def _learned(self, read: _Reads, found: _Found, line: bytes) -> _Read | None:
        """What is read of a row once its outline and members are known; None if they are not."""
        for _ in range(_TRIES):
            if isinstance(found, bytes):
                self._learn(found)
            elif isinstance(found, list):
                rewritten, odd = found
                for member in odd:
                    self._remember(rewritten, member)
            else:
                break
            found = read(line, self._field)
        return found if isinstance(found, tuple) else None

    def _learn(self, outline: bytes) -> None:
        if len(self._known) >= _MOST:
            self._known.clear()
            self._strictly.clear()
        self._known[outline] = None
        holes = [hole[0] for hole in _HOLE.findall(outline)]
        if _OURS.encode() in outline or any(
            holes.count(sort) > 1 for sort in _SAID if sort != _REMARK
        ):
            return
        said = [_said(sort, number) for number, sort in enumerate(holes)]
        parts = iter(said)
        tool = orjson.loads(_HOLE.sub(lambda _: next(parts), outline))
        passed = self._sum.passed(tool)
        if passed is None and not self._stays(tool):
            return
        try:
            done = self._sum(tool if self._field is None else {self._field: tool})
        except ToolcanonError:  # so will the others be
            return
        made = done.row if self._field is None else done.row[self._field]
        pieces = _pieces(orjson.dumps(made), said)
        if pieces is None or done.needs_restore:
            return
        sorts = tuple(sort for _, sorts in done.sorts for sort in sorts)
        # What is looked at has to go out, or nobody loses what was done to it.
        looked_at = {number for number, sort in enumerate(holes) if sort in _LOOKED_AT}
        is_exact = passed is None or not looked_at.issubset(pieces)
        if passed is None or not self._is_strict(passed):
            if passed is None or passed.words is not None:
                self._known[outline] = (pieces, _Example(sorts, None, is_exact))
        elif self._closing is not None and _is_closed(passed):
            self._strictly[outline] = (pieces, _Example(sorts, self._strict, is_exact))
            self._known[outline] = self._closing

    def _is_strict(self, passed: Passed) -> bool:
        return self._strict is not None and bool(self._mode or passed.asks_strict)

    def _stays(self, tool: JsonObject) -> bool:
        """Whether it is of the target's own format, and its schema goes out as it is."""
        if self._mode or "strict" in tool or self._plain is None:
            return False
        schema = own_schema(tool, self._target)
        return isinstance(schema, dict) and quick(self._plain)(schema) is schema

    def _remember(self, known: Rewritten, text: bytes) -> None:
        dialect = self._strict if known is self._members[True] else self._plain
        if dialect is None or len(text) > _LARGEST_MEMBER:
            return  # it is asked for again
        made = _rewritten(text, dialect)
        self._held += _ENTRY + len(text) + (0 if made is None else len(made[0]))
        if self._held > _MOST_BYTES:
            for members in self._members.values():
                members.clear()
            self._held = 0
        known[text] = made


def _rewritten(text: bytes, dialect: Dialect) -> tuple[bytes, _Member] | None:
    """What becomes of a member, whatever tool it is of; None where that is to be seen."""
    if b'Ref"' in text or b'"$ref"' in text:
        return None  # references lead out of it
    return _lowered(text, dialect, [])


def _lowered(text: bytes, dialect: Dialect, required: list[str]) -> tuple[bytes, _Member] | None:
    """The same of the only member of a tool, whether or not that is required."""
    around: JsonObject = {"required": required} if required else {}
    lowered = lower(
        {"type": "object", "properties": {_OURS: orjson.loads(text)}, **around}, dialect
    )
    made = lowered.schema
    root = {"type": "object", "properties": made.get("properties"), **around}
    if dialect.closed:
        root["additionalProperties"] = False
    if made != root or list(made["properties"]) != [_OURS]:
        return None
    sorts = []
    for loss in lowered.losses(_OURS, "inputs"):
        if len(loss.at) > _OF_ROOT:
            sorts.append((loss.code, loss.effect))
        elif loss.code != _CLOSED[0]:
            return None
    member = _Member(tuple(sorts), lowered.document is not None)
    found = compact(orjson.dumps(made["properties"][_OURS])), member
    if lowered.upgrade_of is None or required:
        return found
    # What is read in other words may say by itself that it is required, or that it is not.
    return found if _lowered(text, dialect, [_OURS]) == found else None


def _said(sort: int, number: int) -> bytes:
    return _SAID[sort] % number if sort == _REMARK else _SAID[sort]


def _pieces(text: bytes, said: list[bytes]) -> tuple[bytes | int, ...] | None:
    """The text without what stands in holes; None where that stands there twice or changed."""
    if not said:
        return (compact(text),)
    split = re.split(b"(" + b"|".join(map(re.escape, said)) + b")", text)
    found = split[1::2]
    if len(set(found)) < len(found) or any(_OURS.encode() in piece for piece in split[::2]):
        return None
    return tuple(said.index(piece) if at % 2 else piece for at, piece in enumerate(split))


def _is_closed(passed: Passed) -> bool:
    """Whether nothing was done to its schema but at the root, where no member matters."""
    lowered = passed.lowered
    return (
        lowered is not None
        and lowered.document is None
        and lowered.upgrade_of is None
        and all(code in _AT_ROOT and at and at[0] is None for code, _, at, *_ in lowered.log)
    )
