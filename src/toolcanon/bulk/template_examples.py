"""The conversion of outlines and members, learned from examples with placeholders.

An example has placeholders for its name, texts and members. Their places in the result are the
places of other tools' values; everything else in the result is the same for all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import orjson

from toolcanon.bulk.rows import ConvertedRow, Converter
from toolcanon.bulk.template_pieces import (
    BOTH,
    DEFINED,
    HOLE,
    LOOSE,
    MEMBER,
    MEMBERS,
    NAME,
    NESTED,
    OPTIONAL,
    OTHER,
    OURS_TEXT,
    PART,
    PLAIN,
    TOOL,
    Learned,
    Members,
    Pieces,
    TemplateMember,
    adds_to_text,
    alone,
    are_texts,
    cut,
    filled_in,
    filling,
    holds,
    names_others,
    or_same,
    path_to_members,
    pieces_of,
    value_at,
    without_members,
)
from toolcanon.conversion.binding import bound_tools
from toolcanon.diagnostics import Loss, LossKinds
from toolcanon.dialect import Dialect
from toolcanon.errors import ToolcanonError
from toolcanon.ir import stated_hints
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.limits import (
    member_names,
    members_are_independent,
    optional_members_differ,
    shared_limits,
)
from toolcanon.schema.keywords import DraftMeaning, draft_of

_MOST, _MOST_LIMITED = 64, 16  # members of one example; some strict tools have limits
_INNER: Final = bytes([MEMBERS])
_INSIDE: Final = frozenset((MEMBER, OTHER))
_REFERS_ELSEWHERE: Final = re.compile(rb'"\$(?!defs"|comment"|schema"|ref":"#/\$defs/)')
_DOUBTFUL: Final = re.compile(
    rb'"(?:required|enum)":[^\[\x04\x05]|"type":(?!"(?:object|array|string|integer|number|boolean|null)")',
    re.IGNORECASE,
)
"""How members look that may say more by their type, as whether they are required."""


class TemplateExample(NamedTuple):
    """An example that is stored with a template."""

    outline: bytes
    losses: LossKinds
    """What every tool like it loses."""
    context: TemplateContext
    root: list[str]
    """Where the schema is in such a tool."""
    written: list[str]
    """Where it is in what is written."""
    strict: Dialect | None
    """Whose limits have to be kept."""
    needs_restore: bool


class TemplateContext:
    """Tools whose schemas say the same beside their members, which therefore share them."""

    def __init__(
        self, tool: bytes, root: list[str], written: list[str], strict: Dialect | None
    ) -> None:
        is_limited = shared_limits(strict).keys() - {"tools"}
        self.most = _MOST_LIMITED if is_limited else _MOST
        self.tool = tool  # an example, as JSON
        self.root = root
        self.written = written
        self.members: Members = {}
        self.plain: dict[tuple[int, _TemplateKind], _Probe | None] = {}
        """What becomes of the example, without members of others."""


class _TemplateKind(NamedTuple):
    """The kind of example that a member needs."""

    is_part: bool
    """Whether it is a member of a member."""
    is_optional: bool
    definitions: bytes
    """Those it refers to, as JSON."""


class _Probe(NamedTuple):
    """The result of an example: all but its members, the losses elsewhere, and its members."""

    number: int
    rest: bytes
    losses: Counter[tuple[str, Any]]
    texts: list[bytes]
    """What was written of those members that are not plain."""
    of_members: dict[str, list[Loss]]
    needs_restore: bool
    restored: frozenset[str] | None
    """The members that arguments come back otherwise for; None where that is not all."""


class TemplateExamples:
    """Converts examples as a converter does rows."""

    def __init__(self, converter: Converter) -> None:
        choice = converter.bind_target().choice
        self._converter = converter
        self._field = converter.tools_field
        self._strict, self._mode = choice.strict, choice.mode
        dialect = choice.strict if choice.mode else choice.plain
        self._names = None if dialect is None else member_names(dialect)
        self._tells_optional = dialect is not None and optional_members_differ(dialect)
        self.contexts: dict[tuple[bool, DraftMeaning], TemplateContext] = {}

    def template(self, outline: bytes) -> tuple[Pieces, TemplateExample] | None:
        """Return the template of an outline; None where its tools are to be converted."""
        holes = [hole[0] for hole in HOLE.findall(outline)]
        if OURS_TEXT in outline or NAME not in holes:
            return None
        filled = [filling(sort, number) for number, sort in enumerate(holes)]
        parts = iter(filled)
        tool = HOLE.sub(lambda _: next(parts), outline)
        done = self._converted(orjson.loads(tool))
        if done is None or any(loss.tool != TOOL for loss in done.losses):
            return None
        is_loose = LOOSE in holes
        if done.needs_restore and not is_loose:
            return None
        is_strict = self._mode or stated_hints(done.done.tools[0]).get("strict")
        strict = self._strict if is_strict else None
        if strict is not None and not self._fits(strict, done):
            return None
        if any(loss.at[1:2] == ("$defs",) for loss in done.losses):
            return None
        has_members = is_loose or MEMBERS in holes
        context = self._context_of(tool, done, has_members=has_members, strict=strict)
        if context is None:
            return None
        made = self._tool_of(done)
        written = path_to_members(made) or []
        pieces = pieces_of(without_members(made, written), filled, holes)
        if pieces is None:
            return None
        own = [loss for loss in done.losses if member_of(loss) is None]
        losses = tuple((loss.code, loss.effect) for loss in own)
        root = path_to_members(orjson.loads(tool)) or []
        needs = done.needs_restore
        return pieces, TemplateExample(outline, losses, context, root, written, strict, needs)

    def _fits(self, strict: Dialect, done: ConvertedRow) -> bool:
        """Return whether a requested strict mode was granted, so that members can be learned."""
        return (
            members_are_independent(strict)
            and optional_members_differ(strict) == self._tells_optional
            and member_names(strict) in (None, self._names)
            and not _is_refused(done)
        )

    def _context_of(
        self, text: bytes, done: ConvertedRow, *, has_members: bool, strict: Dialect | None
    ) -> TemplateContext | None:
        """Return what members depend on; None where they are not those of the tool's arguments."""
        tool, inputs = orjson.loads(text), done.done.tools[0].inputs
        if not has_members:  # what it takes must not be read from something else
            return TemplateContext(text, [], [], strict) if holds(tool, inputs) else None
        root, written = path_to_members(tool), path_to_members(self._tool_of(done))
        if root is None or written is None:
            return None
        schema = value_at(tool, root)
        if any(inputs.get(key) != schema.get(key) for key in ("properties", "$defs")):
            return None
        # Without a type, whether it is a schema at all depends on its members.
        if not isinstance(schema.get("type"), str) or not inputs.keys() <= _ROOT:
            return None
        if inputs.get("required", []) not in ([], [MEMBER]) or names_others(tool, schema):
            return None
        if not isinstance(inputs.get("additionalProperties", True), bool):
            return None
        schema.pop("$defs", None)
        new = TemplateContext(orjson.dumps(tool), root, written, strict)
        return self.contexts.setdefault((strict is not None, draft_of(inputs)), new)

    def members(self, context: TemplateContext, outlines: Sequence[bytes]) -> dict[bytes, Learned]:
        """Return the results of members; True for one that is written unchanged without a loss.

        One example is enough for most. Two are converted, with and without the members in
        ``required``, where a type has another spelling or a text does not become the same text.
        """
        plain = [outline for outline in outlines if not _DOUBTFUL.search(outline)]
        made = self._all(context, plain, (BOTH,))
        doubtful = [one for one in outlines if one not in made or not are_texts(made[one])]
        again = self._all(context, doubtful, range(BOTH))
        # What is read from a type may be added to a description, unless that has it already.
        unsure = [one for one in again if _DOUBTFUL.search(one) and adds_to_text(again[one])]
        return made | again | dict.fromkeys(unsure)

    def _all(
        self, context: TemplateContext, outlines: Sequence[bytes], numbers: Sequence[int]
    ) -> dict[bytes, Learned]:
        """Return the results by these examples; a member that spoils an example gets its own."""
        found: dict[bytes, Learned] = {}
        waiting = []
        kinds: dict[_TemplateKind, list[bytes]] = {}
        for one in outlines:
            kinds.setdefault(_kind(one), []).append(one)
        for kind, same in kinds.items():
            most = 1 if kind.definitions else context.most
            waiting += [same[at : at + most] for at in range(0, len(same), most)]
        while waiting:
            some = waiting.pop()
            made = self._agreed(context, some, numbers)
            if isinstance(made, list):
                found |= {one: or_same(one, what) for one, what in zip(some, made, strict=True)}
            elif len(some) == 1 or made == {*range(len(some))}:
                found |= dict.fromkeys(some)
            elif made:
                found |= {some[at]: None for at in made}
                waiting.append([one for at, one in enumerate(some) if at not in made])
            else:
                half = len(some) // 2
                waiting += [some[:half], some[half:]]
        return found

    def _agreed(
        self, context: TemplateContext, outlines: Sequence[bytes], numbers: Sequence[int]
    ) -> list[tuple[Pieces, TemplateMember]] | set[int]:
        kind = _kind(outlines[0])
        bare = kind._replace(definitions=b"")
        for number in numbers:
            if (number, bare) not in context.plain:
                context.plain[number, bare] = self._probed(context, [], number, bare)
        plain = [context.plain[number, bare] for number in numbers]
        outlines = [alone(one) for one in outlines]
        probes = [self._probed(context, outlines, number, kind) for number in numbers]
        return _agreed(plain, probes, outlines)

    def _example(
        self, context: TemplateContext, outlines: Sequence[bytes], number: int, kind: _TemplateKind
    ) -> tuple[JsonObject, list[str]]:
        """Return an example with more members, and the names of all of them.

        Where it counts whether they are required, all of them are, or all but one are optional;
        else all of them are required but in the first example.
        """
        tool = orjson.loads(context.tool)
        schema = value_at(tool, context.root)
        schema.pop("required", None)
        if kind.definitions:
            schema["$defs"] = orjson.loads(kind.definitions)
        if kind.is_part:
            schema["properties"] = {NESTED: {"type": "object"}}
            schema = schema["properties"][NESTED]
        members = {MEMBER: PLAIN, OTHER: PLAIN} if kind.is_optional else {MEMBER: PLAIN}
        for at, outline in enumerate(outlines):
            parts = iter(filled_in(outline, number))
            filled = HOLE.sub(lambda _: next(parts), outline)  # noqa: B023
            members[f"{MEMBER}_{at}"] = orjson.loads(filled)
        schema["properties"] = members
        if kind.is_optional:
            schema["required"] = [MEMBER]
        elif number or self._tells_optional:
            schema["required"] = [*members]
        return tool, [*members]

    def _probed(
        self, context: TemplateContext, outlines: Sequence[bytes], number: int, kind: _TemplateKind
    ) -> _Probe | None:
        if _REFERS_ELSEWHERE.search(kind.definitions):
            return None
        tool, names = self._example(context, outlines, number, kind)
        done = self._converted(tool)
        if done is None or _is_refused(done):
            return None
        made = self._tool_of(done)
        root = value_at(made, context.written) or {}
        if kind.definitions and orjson.dumps(root.pop("$defs", None)) != kind.definitions:
            return None
        nested = ["properties", NESTED] if kind.is_part else []
        root = value_at(root, nested)
        written = root.get("properties") if isinstance(root, dict) else None
        if not isinstance(written, dict) or list(written) != names:
            return None
        if root.get("required") == names:
            root["required"] = names[: len(names) - len(outlines)]
        elsewhere: Counter[tuple[str, Any]] = Counter()
        own: dict[str, list[Loss]] = {}
        for loss in done.losses:
            name = member_of(loss, nested)
            if name is None:
                elsewhere[loss.code, loss.effect] += 1
            elif _INSIDE.isdisjoint(map(str, loss.at[len(nested) + 3 :])):
                own.setdefault(name, []).append(loss)
            else:  # as many as it has members
                return None
        rest = without_members(made, [*context.written, *nested])
        texts = [
            _text_of(written[f"{MEMBER}_{at}"], outline) for at, outline in enumerate(outlines)
        ]
        needs = done.needs_restore
        return _Probe(number, rest, elsewhere, texts, own, needs, _restored(done, nested))

    def _converted(self, tool: JsonObject) -> ConvertedRow | None:
        """Return an example by the converter; None where it fails, or is not a single tool."""
        try:
            done = self._converter.row(tool if self._field is None else {self._field: tool})
        except ToolcanonError:  # so will the others be
            return None
        if done.history is not None or len(done.done.tools) != 1:
            return None
        return done

    def _tool_of(self, done: ConvertedRow) -> Json:
        """Return the written tool; its owner may change it."""
        made = done.row if self._field is None else done.row[self._field]
        return orjson.loads(orjson.dumps(made))


def _is_refused(done: ConvertedRow) -> bool:
    """Return whether a tool is not strict that was to be."""
    return any(bound.refusal for bound in bound_tools(done.done.binding))


def _kind(outline: bytes) -> _TemplateKind:
    definitions = outline.removesuffix(OPTIONAL).partition(DEFINED)[2]
    return _TemplateKind(outline.startswith(PART), outline.endswith(OPTIONAL), definitions)


def _text_of(member: Json, outline: bytes) -> bytes:
    """Return the text of a written member, without the members in it if those are a hole."""
    if _INNER not in outline:
        return orjson.dumps(member)
    path = path_to_members(member)
    return OURS_TEXT if path is None else without_members(member, path)


def _restored(done: ConvertedRow, nested: Sequence[str]) -> frozenset[str] | None:
    """Return the members whose arguments come back otherwise; None where members are not all."""
    if not done.needs_restore:
        return frozenset()
    lens = bound_tools(done.done.binding)[0].lens
    node = None if lens is None else value_at(lens["root"], nested)
    if not isinstance(node, dict) or node.keys() != {"properties"}:
        return None
    return frozenset(node["properties"])


_ROOT: Final = frozenset(
    "type properties required title description additionalProperties $schema $comment $defs".split()
)
"""What the root of a schema may say; all other keywords may be about members by their names."""


def _agreed(
    plain: Sequence[_Probe | None], found: Sequence[_Probe | None], outlines: Sequence[bytes]
) -> list[tuple[Pieces, TemplateMember]] | set[int]:
    """Return the results of members, if nothing else changed and every text gives the same.

    Otherwise the numbers of the members that prevent it, as far as they are known.
    """
    made: list[list[tuple[Pieces, TemplateMember]]] = []
    for before, after in zip(plain, found, strict=True):
        if before is None or after is None:
            return set()
        if before.rest != after.rest or before.losses != after.losses:
            return {at for at, one in enumerate(after.texts) if b'"$ref"' in one}
        is_more = after.needs_restore and not before.needs_restore
        if is_more and after.restored is None and len(outlines) > 1:
            return set()
        members = []
        cuts = [
            cut(text, filled_in(outline, after.number))
            for text, outline in zip(after.texts, outlines, strict=True)
        ]
        for at, pieces in enumerate(cuts):
            name = f"{MEMBER}_{at}"
            if pieces is None:
                return {number for number, one in enumerate(cuts) if one is None}
            losses = tuple((loss.code, loss.effect) for loss in after.of_members.get(name, ()))
            needs_restore = is_more and (after.restored is None or name in after.restored)
            members.append((pieces, TemplateMember(losses, needs_restore)))
        made.append(members)
    return {
        at for at, each in enumerate(zip(*made, strict=True)) if any(one != each[0] for one in each)
    } or made[0]


def member_of(loss: Loss, nested: Sequence[str] = ()) -> str | None:
    """Return the member of the arguments, or the one inside it, that a loss is of."""
    at, place = loss.at, ("inputs", *nested, "properties")
    is_inside = len(at) > len(place) and tuple(at[: len(place)]) == place
    return str(at[len(place)]) if is_inside else None
