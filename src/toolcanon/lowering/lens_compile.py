"""A lens compiled to functions: one for each node with an operation, made once and then called.

A node becomes a *way*, a function from a value of that node to the value on the other side. Nodes
that leave values unchanged have none and are not visited. Recursive definitions and very deep nodes
are compiled when a value first reaches them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from toolcanon.errors import BadReceipt
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.members import only_declared
from toolcanon.lowering.step import Op, Trouble
from toolcanon.lowering.steps import OPS
from toolcanon.schema.validate import Judge
from toolcanon.schema.validate_tolerant import lenient_judge
from toolcanon.schema.values import has_type

Direction: TypeAlias = Literal["apply", "restore"]
DEEPEST: Final = 400
_AT_ONCE: Final = 40
"""Levels that are compiled at once; a lens may be deeper than the stack of the caller."""
_TOO_DEEP: Final = "nested too deep to be understood"


class LensWalk:
    """One value on its way: where it is, and what could not be made sense of."""

    __slots__ = ("again", "path", "troubles")

    def __init__(self, troubles: list[Trouble]) -> None:
        self.path: list[str | int] = []
        self.troubles = troubles
        self.again = 0
        """How often it went to where no stack is certain to lead."""

    def place(self, since: int, before: Json, after: Json) -> None:
        """Complete new troubles of an operation, which knows only its own place."""
        for index in range(since, len(self.troubles)):
            local = self.troubles[index]
            is_kept = bool(local.repair) or _held(before, local.at) is _held(after, local.at)
            at = (*self.path, *local.at)
            self.troubles[index] = Trouble(at, local.says, is_kept, local.repair)


def _held(value: Json, at: tuple[str | int, ...]) -> Json:
    """Return the value at a place itself, or an object that is equal to no other."""
    try:
        return Pointer(at).resolve(value)
    except (LookupError, ValueError):
        return object()


Way: TypeAlias = Callable[[Json, LensWalk], Json]


class _Branch(NamedTuple):
    """One branch of a union: which values are its own, and their way."""

    types: Sequence[str] | None
    judges: Sequence[Callable[[], Judge]]
    """The strictest first."""
    way: Way | None


def op_of(op: JsonObject) -> Op:
    """Return the class of an operation; raises BadReceipt for an unknown one."""
    found = OPS.get(str(op.get("op")))
    if found is None:
        raise BadReceipt(f"its lens has an unknown operation {op.get('op')!r}")
    return found


def way_of(document: JsonObject, direction: Direction) -> Callable[[Json, list[Trouble]], Json]:
    """Return all that a lens does in one direction."""
    way = _LensCompiler(document, direction).named("#", 0)

    def walked(value: Json, troubles: list[Trouble]) -> Json:
        if way is None:
            return value
        try:
            return way(value, LensWalk(troubles))
        except RecursionError:
            troubles.append(Trouble((), _TOO_DEEP))
            return value

    return walked


class _LensCompiler:
    """Makes the ways of one lens in one direction."""

    def __init__(self, document: JsonObject, direction: Direction) -> None:
        self._is_back = direction == "restore"
        self._side = "wire" if self._is_back else "own"
        self._guard_defs: JsonObject | None = document.get(self._side)
        self._nodes: dict[str, JsonObject] = {
            **(document.get("defs") or {}),
            "#": document.get("root") or {},
        }
        self._known: dict[str, Way | None] = {}
        self._begun: set[str] = set()

    def named(self, name: str, level: int) -> Way | None:
        """Return the way of a definition, or of the root."""
        if name in self._known:
            return self._known[name]
        if name in self._begun or level > _AT_ONCE:
            return _later(lambda: self._finished(name))
        return self._finished(name, level)

    def _finished(self, name: str, level: int = 0) -> Way | None:
        if name not in self._known:
            self._begun.add(name)
            self._known[name] = self._made(self._nodes.get(name) or {}, level)
        return self._known[name]

    def _node(self, node: JsonObject | None, level: int) -> Way | None:
        if not node:
            return None
        if level > _AT_ONCE:
            return _later(lambda: self._made(node, 0))
        return self._made(node, level)

    def _made(self, node: JsonObject, level: int) -> Way | None:
        below = self._below(node, level + 1)
        ops = [_operation(op, is_back=self._is_back) for op in node.get("ops", ())]
        return _in_turn([*below, *reversed(ops)] if self._is_back else [*ops, *below])

    def _below(self, node: JsonObject, level: int) -> Iterator[Way]:
        if "$ref" in node:
            yield from _some(self.named(node["$ref"], level))
        members = {
            name: self._node(inner, level) for name, inner in node.get("properties", {}).items()
        }
        yield from _some(_members(members, self._node(node.get("additionalProperties"), level)))
        first = [self._node(inner, level) for inner in node.get("prefixItems", ())]
        yield from _some(_items(first, self._node(node.get("items"), level)))
        if "anyOf" in node:
            yield from _some(_union([self._branch(one, level) for one in node["anyOf"]]))

    def _branch(self, branch: JsonObject, level: int) -> _Branch:
        guard = branch.get(self._side) or {}
        judges: list[Callable[[], Judge]] = []
        if "schema" in guard:
            ways = (_as_it_is,) if self._is_back else (only_declared, _as_it_is)
            judges = [self._judge(guard["schema"], read) for read in ways]
        return _Branch(guard.get("types"), judges, self._node(branch.get("lens"), level))

    def _judge(
        self, schema: JsonObject, read: Callable[[JsonObject], JsonObject]
    ) -> Callable[[], Judge]:
        """Return the judge of a branch, with the definitions it may refer to; made on first use."""
        whole = {**schema, "$defs": self._guard_defs} if self._guard_defs else schema
        made: list[Judge] = []

        def own() -> Judge:
            if not made:
                made.append(lenient_judge(read(whole)))
            return made[0]

        return own


def _as_it_is(schema: JsonObject) -> JsonObject:
    return schema


def _some(way: Way | None) -> tuple[Way, ...]:
    return () if way is None else (way,)


def _in_turn(ways: Sequence[Way]) -> Way | None:
    if len(ways) < 2:  # noqa: PLR2004 - none, or itself
        return ways[0] if ways else None
    ways = tuple(ways)

    def in_turn(value: Json, walk: LensWalk) -> Json:
        for way in ways:
            value = way(value, walk)
        return value

    return in_turn


def _later(make: Callable[[], Way | None]) -> Way:
    made: list[Way | None] = []

    def later(value: Json, walk: LensWalk) -> Json:
        if not made:
            made.append(make())
        way = made[0]
        if way is None:
            return value
        if walk.again > DEEPEST:  # a value can be no deeper than the loader allows
            walk.troubles.append(Trouble(tuple(walk.path), _TOO_DEEP))
            return value
        walk.again += 1
        value = way(value, walk)
        walk.again -= 1
        return value

    return later


def _operation(op: JsonObject, *, is_back: bool) -> Way:
    known = op_of(op)
    run = known.restore if is_back else known.apply

    def operate(value: Json, walk: LensWalk) -> Json:
        troubles = walk.troubles
        since = len(troubles)
        done = run(value, op, troubles)
        if len(troubles) > since:
            walk.place(since, value, done)
        return done

    return operate


def _members(ways: dict[str, Way | None], rest: Way | None) -> Way | None:
    if rest is None and not any(ways.values()):
        return None

    def members(value: Json, walk: LensWalk) -> Json:
        if value.__class__ is not dict:
            return value
        out = {}
        path = walk.path
        path.append("")
        for name, member in value.items():
            way = ways.get(name, rest)
            if way is None:
                out[name] = member
            else:
                path[-1] = name
                out[name] = way(member, walk)
        path.pop()
        return out

    return members


def _items(first: list[Way | None], rest: Way | None) -> Way | None:
    if rest is None and not any(first):
        return None

    def items(value: Json, walk: LensWalk) -> Json:
        if value.__class__ is not list:
            return value
        out = []
        path = walk.path
        path.append(0)
        for index, item in enumerate(value):
            way = first[index] if index < len(first) else rest
            if way is None:
                out.append(item)
            else:
                path[-1] = index
                out.append(way(item, walk))
        path.pop()
        return out

    return items


def _union(branches: list[_Branch]) -> Way | None:
    if not any(branch.way for branch in branches):
        return None

    def union(value: Json, walk: LensWalk) -> Json:
        way = _chosen(value, branches)
        return value if way is None else way(value, walk)

    return union


def _chosen(value: Json, branches: list[_Branch]) -> Way | None:
    """Return the way of the first branch that accepts the value, read as strictly as possible.

    A branch that declares all members of the value comes before one that only allows others:
    written, it may be closed. Where none does, the schema itself decides, and then the type.
    """
    fitting = [one for one in branches if one.types is None or has_type(value, one.types)]
    for strictness in range(max((len(one.judges) for one in fitting), default=0)):
        for branch in fitting:
            judges = branch.judges[strictness:] or branch.judges[-1:]
            if not judges or judges[0]().accepts(value) is not False:
                return branch.way
    return fitting[0].way if fitting else None
