"""What becomes of outlines and members, found by converting examples with placeholders in them.

An example has words of ours for its name, its texts and its members. Where they are in what is
written says where those of other tools go; whatever else is written is the same for all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from toolcanon.bulk.example_paths import (
    HERE,
    MEMBER,
    holds,
    names_others,
    path_to_members,
    value_at,
    without_members,
)
from toolcanon.bulk.rows import ConvertedRow, Converter
from toolcanon.bulk.template_reader import Members, Pieces
from toolcanon.diagnostics import Loss, LossKinds
from toolcanon.dialect import Dialect
from toolcanon.errors import ToolcanonError
from toolcanon.ir import stated_hints
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.independent import member_names, members_are_independent
from toolcanon.schema.drafts import Draft, draft_of

_NAME, _TEXT, _MEMBERS, _REQUIRED, _VALUES = range(
    1, 6
)  # the holes of an outline, as the reader has them
_MOST, _MOST_STRICT = 64, 6  # members of one example; strict tools have limits
_HOLE: Final = re.compile(rb"[\x01-\x05]")
_OURS: Final = "toolcanon_"
_OURS_TEXT: Final = _OURS.encode()
_TOOL: Final = "toolcanon_tool"
_PLAIN: Final[JsonObject] = {"type": "string"}
_FILLED: Final = {
    _NAME: _TOOL.encode(),
    _TEXT: b'toolcanon_text%d\\"',
    _MEMBERS: b'{"toolcanon_member":{"type":"string"}}',
    _REQUIRED: b'["toolcanon_member"]',
}
"""What an example has in the holes. A text has a quote, so that it is seen where it is quoted."""
_PROBES: Final = (
    {_TEXT: b'as DD/MM/YYYY (toolcanon_a%d\\"', _VALUES: b'["toolcanon_c%d","x"]'},
    {_TEXT: b"toolcanon_b%d_", _VALUES: b'["toolcanon_d%d A","0","toolcanon_d"]'},
)
"""What members have in their holes: lists of values, and texts that could be read for more, for a
type or its layout, and for a name."""
_BOTH: Final = len(_PROBES)  # titles that could be names, and other texts that could be types
_DOUBTFUL: Final = re.compile(
    rb'"(?:required|enum)":[^\[\x05]|"type":(?!"(?:object|array|string|integer|number|boolean|null)")',
    re.IGNORECASE,
)
"""How members look that may say more by their type, as whether they are required."""


class Example(NamedTuple):
    """What is kept with a template."""

    outline: bytes
    losses: LossKinds
    """What every tool like it loses."""
    context: Context
    root: list[str]
    """Where the schema is in such a tool."""
    written: list[str]
    """Where it is in what is written."""
    strict: Dialect | None
    """Whose limits have to be kept."""


class Member(NamedTuple):
    """What is kept with a member that is not written as it is."""

    losses: LossKinds
    needs_restore: bool


Learned: TypeAlias = "tuple[Pieces, Member] | bool | None"


class Context:
    """Tools whose schemas say the same beside their members, which therefore share them."""

    def __init__(
        self, tool: bytes, root: list[str], written: list[str], *, is_strict: bool
    ) -> None:
        self.is_strict = is_strict
        self.tool = tool  # an example, as JSON
        self.root = root
        self.written = written
        self.members: Members = {}
        self.parts: set[bytes] = set()
        """Parts of members that are written as they are."""
        self.plain: dict[int, _Probe | None] = {}
        """What becomes of the example, without members of others."""


class _Probe(NamedTuple):
    """What became of an example: all but its members, the losses elsewhere, and its members."""

    number: int
    rest: bytes
    losses: Counter[tuple[str, Any]]
    members: JsonObject
    of_members: dict[str, list[Loss]]
    needs_restore: bool


class Examples:
    """Converts examples as a converter does rows."""

    def __init__(self, converter: Converter) -> None:
        choice = converter.bind_target().choice
        self._converter = converter
        self._field = converter.tools_field
        self._strict = choice.strict
        self._names = None if choice.plain is None else member_names(choice.plain)
        self.contexts: dict[tuple[bool, Draft], Context] = {}

    def template(self, outline: bytes) -> tuple[Pieces, Example] | None:
        """The template of an outline; None where its tools are to be converted."""
        holes = [hole[0] for hole in _HOLE.findall(outline)]
        if _OURS_TEXT in outline or _NAME not in holes:
            return None
        filled = [_filled(sort, number) for number, sort in enumerate(holes)]
        parts = iter(filled)
        tool = _HOLE.sub(lambda _: next(parts), outline)
        done = self._converted(orjson.loads(tool))
        if done is None or done.needs_restore or any(loss.tool != _TOOL for loss in done.losses):
            return None
        strict = self._strict if stated_hints(done.done.tools[0]).get("strict") else None
        if strict is not None and not (
            members_are_independent(strict) and member_names(strict) in (None, self._names)
        ):
            return None
        context = self._context_of(tool, done, has_members=_MEMBERS in holes, strict=strict)
        if context is None:
            return None
        made = self._tool_of(done)
        written = path_to_members(made) or []
        pieces = _pieces(without_members(made, written), filled, holes)
        if pieces is None:
            return None
        own = [loss for loss in done.losses if not is_of_member(loss, MEMBER)]
        losses = tuple((loss.code, loss.effect) for loss in own)
        root = path_to_members(orjson.loads(tool)) or []
        return pieces, Example(outline, losses, context, root, written, strict)

    def _context_of(
        self, text: bytes, done: ConvertedRow, *, has_members: bool, strict: Dialect | None
    ) -> Context | None:
        """What members depend on; None where they are not those of the tool's arguments."""
        tool, inputs, is_strict = orjson.loads(text), done.done.tools[0].inputs, strict is not None
        if not has_members:  # what it takes must not be read from something else
            return Context(text, [], [], is_strict=is_strict) if holds(tool, inputs) else None
        root, written = path_to_members(tool), path_to_members(self._tool_of(done))
        if root is None or written is None or inputs.get("properties") != {MEMBER: _PLAIN}:
            return None
        schema = value_at(tool, root)
        # Without a type, whether it is a schema at all depends on its members.
        if not isinstance(schema.get("type"), str) or not inputs.keys() <= _ROOT:
            return None
        if inputs.get("required", []) not in ([], [MEMBER]) or names_others(tool, schema):
            return None
        if not isinstance(inputs.get("additionalProperties", True), bool):
            return None
        new = Context(text, root, written, is_strict=is_strict)
        return self.contexts.setdefault((is_strict, draft_of(inputs)), new)

    def members(self, context: Context, outlines: Sequence[bytes]) -> dict[bytes, Learned]:
        """What members become: True for one that is written as it is and loses nothing.

        One example is enough for most. Two are converted, with and without the members in
        ``required``, where one has a type in other words, and where a text becomes anything but
        the same text.
        """
        plain = [outline for outline in outlines if not _DOUBTFUL.search(outline)]
        made = self._all(context, plain, (_BOTH,))
        doubtful = [one for one in outlines if one not in made or not _are_texts(made[one])]
        again = self._all(context, doubtful, range(_BOTH))
        # What is read from a type may be added to a description, unless that has it already.
        unsure = [one for one in again if _DOUBTFUL.search(one) and _adds_to_text(again[one])]
        return made | again | dict.fromkeys(unsure)

    def _all(
        self, context: Context, outlines: Sequence[bytes], numbers: Sequence[int]
    ) -> dict[bytes, Learned]:
        """The same by these examples; those that spoil an example of many have one of their own."""
        most = _MOST_STRICT if context.is_strict else _MOST
        found: dict[bytes, Learned] = {}
        waiting = [outlines[at : at + most] for at in range(0, len(outlines), most)]
        while waiting:
            some = waiting.pop()
            made = self._agreed(context, some, numbers)
            if made is not None:
                found |= {one: _or_same(one, what) for one, what in zip(some, made, strict=True)}
            elif len(some) == 1:
                found[some[0]] = None
            else:
                half = len(some) // 2
                waiting += [some[:half], some[half:]]
        return found

    def _agreed(
        self, context: Context, outlines: Sequence[bytes], numbers: Sequence[int]
    ) -> list[tuple[Pieces, Member]] | None:
        for number in numbers:
            if number not in context.plain:
                context.plain[number] = self._probed(context, [], number)
        plain = [context.plain[number] for number in numbers]
        return _agreed(plain, [self._probed(context, outlines, one) for one in numbers], outlines)

    def _probed(self, context: Context, outlines: Sequence[bytes], number: int) -> _Probe | None:
        """An example with more members, all of them required but in the first."""
        tool = orjson.loads(context.tool)
        schema = value_at(tool, context.root)
        members = {MEMBER: _PLAIN}
        for at, outline in enumerate(outlines):
            parts = iter(_filled_in(outline, number))
            filled = _HOLE.sub(lambda _: next(parts), outline)  # noqa: B023
            members[f"{MEMBER}_{at}"] = orjson.loads(filled)
        schema["properties"] = members
        schema.pop("required", None)
        if number:
            schema["required"] = [*members]
        done = self._converted(tool)
        if done is None:
            return None
        made = self._tool_of(done)
        root = value_at(made, context.written)
        written = root.get("properties") if isinstance(root, dict) else None
        if not isinstance(written, dict) or list(written) != list(members):
            return None
        if number and root.get("required") == [*members]:
            root["required"] = [MEMBER]
        elsewhere: Counter[tuple[str, Any]] = Counter()
        own: dict[str, list[Loss]] = {}
        for loss in done.losses:
            if is_of_member(loss, None):
                own.setdefault(str(loss.at[2]), []).append(loss)
            else:
                elsewhere[loss.code, loss.effect] += 1
        rest = without_members(made, context.written)
        return _Probe(number, rest, elsewhere, written, own, done.needs_restore)

    def _converted(self, tool: JsonObject) -> ConvertedRow | None:
        """An example as the converter has it; None where that is refused, or is no single tool."""
        try:
            done = self._converter.row(tool if self._field is None else {self._field: tool})
        except ToolcanonError:  # so will the others be
            return None
        if done.history is not None or len(done.done.tools) != 1:
            return None
        return done

    def _tool_of(self, done: ConvertedRow) -> Json:
        """What is written of a tool; its owner's to change."""
        made = done.row if self._field is None else done.row[self._field]
        return orjson.loads(orjson.dumps(made))


_ROOT: Final = frozenset(
    "type properties required title description additionalProperties $schema $comment".split()
)
"""What the root of a schema may say; all other keywords may be about members by their names."""


def _agreed(
    plain: Sequence[_Probe | None], found: Sequence[_Probe | None], outlines: Sequence[bytes]
) -> list[tuple[Pieces, Member]] | None:
    """What members became, if that is all that they changed, and the same with every text."""
    made: list[list[tuple[Pieces, Member]]] = []
    for before, after in zip(plain, found, strict=True):
        if before is None or after is None:
            return None
        if before.rest != after.rest or before.losses != after.losses:
            return None
        if before.needs_restore or (after.needs_restore and len(outlines) > 1):
            return None
        members = []
        for at, outline in enumerate(outlines):
            name = f"{MEMBER}_{at}"
            pieces = _cut(orjson.dumps(after.members[name]), _filled_in(outline, after.number))
            if pieces is None:
                return None
            losses = tuple((loss.code, loss.effect) for loss in after.of_members.get(name, ()))
            members.append((pieces, Member(losses, after.needs_restore)))
        made.append(members)
    return made[0] if all(one == made[0] for one in made) else None


def _or_same(outline: bytes, made: tuple[Pieces, Member]) -> Learned:
    """What a member became, or True where that is what it was."""
    pieces, member = made
    if member.losses or member.needs_restore or pieces[1::2] != tuple(range(len(pieces) // 2)):
        return made
    return True if _HOLE.split(outline) == [*pieces[::2]] else made


def _are_texts(made: Learned) -> bool:
    """Whether all that is written in the holes of a member is what was there: texts, and values."""
    return not isinstance(made, tuple) or all(
        before.endswith((b'"title":"', b'"description":"', b'"enum":'))
        for before, after in pairwise(made[0])
        if isinstance(before, bytes) and isinstance(after, int)
    )


def _adds_to_text(made: Learned) -> bool:
    """Whether a text is written with more behind it."""
    return isinstance(made, tuple) and any(
        isinstance(before, int) and isinstance(after, bytes) and after[:1] not in {b'"', b"}", b","}
        for before, after in pairwise(made[0])
    )


def _filled_in(outline: bytes, number: int) -> list[bytes]:
    """What one of the examples has in the holes of a member."""
    found = []
    for at, hole in enumerate(_HOLE.finditer(outline)):
        one = number
        if number == _BOTH:
            one = int(outline.endswith(b'"title":"', 0, hole.start()))
        found.append(_PROBES[one][hole[0][0]] % at)
    return found


def _filled(sort: int, number: int) -> bytes:
    return _FILLED[sort] % number if sort == _TEXT else _FILLED[sort]


def _pieces(text: bytes, filled: Sequence[bytes], holes: Sequence[int]) -> Pieces | None:
    """What is written around holes; None where something is missing, repeated or changed."""
    sought = [
        b'"%b"' % HERE.encode() if sort == _MEMBERS else part
        for sort, part in zip(holes, filled, strict=True)
    ]
    found = _cut(text, sought)
    if found is None:
        return None
    numbers = [piece for piece in found if isinstance(piece, int)]
    if _MEMBERS in holes and numbers.count(holes.index(_MEMBERS)) != 1:
        return None
    return found


def _cut(text: bytes, sought: Sequence[bytes]) -> Pieces | None:
    """A text without what is sought in it; None where anything of ours is left."""
    if not sought:
        return None if _OURS_TEXT in text else (text,)
    pieces: list[bytes | int] = []
    begin = at = 0
    while (at := text.find(_OURS_TEXT, at)) >= 0:
        number = next((n for n, one in enumerate(sought) if _begins(text, one, at)), None)
        if number is None:
            return None
        start = at - sought[number].find(_OURS_TEXT)
        pieces += [text[begin:start], number]
        begin = at = start + len(sought[number])
    return (*pieces, text[begin:])


def _begins(text: bytes, sought: bytes, at: int) -> bool:
    """Whether what is sought is in a text, with its word of ours at this place."""
    return text.startswith(sought, at - sought.find(_OURS_TEXT))


def weight(piece: bytes | int) -> int:
    return len(piece) if isinstance(piece, bytes) else 8


def is_of_member(loss: Loss, name: str | None) -> bool:
    """Whether a loss is of a member of the arguments, and of the one that is named."""
    at = loss.at
    return (
        len(at) > 2  # noqa: PLR2004 - the side, the keyword and the name
        and at[0] == "inputs"
        and at[1] == "properties"
        and (name is None or at[2] == name)
    )
