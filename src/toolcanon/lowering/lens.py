"""The lens: arguments of the original schema to arguments of the written one, and back.

Plain JSON, so that it works in another process. It mirrors the written schema: a node holds the
operations that made it (``ops``) and the lenses of what is below. Applying runs operations from
the root down; restoring runs them from the leaves up, backwards. Whatever a lens does not
recognise it leaves as it is: judging arguments is the validator's business.

Texts for the model keep the original's terms below a rewrite that moves values.

A node is compiled to a function that converts a value of that node. Nodes that leave values as they
are have none, and are not walked. Recursive definitions and very deep nodes are compiled when a
value first reaches them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from toolcanon.errors import BadReceipt
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.members import only_declared
from toolcanon.lowering.step import Op, Trouble
from toolcanon.lowering.steps import OPS
from toolcanon.schema.validate import Judge, lenient_judge
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


_IN_PLACE: Final = frozenset({"rename", "absent"})
_MOST_NODES: Final = 1_000


def seen_at(document: JsonObject, at: Pointer) -> tuple[Pointer, dict[str, str]]:
    """Return the place by the names that the model knows, and those of the members there.

    >>> lens = {"version": 1, "root": {"ops": [{"op": "rename", "names": {"a b": "a_b"}}]}}
    >>> seen_at(lens, Pointer(("a b", "c")))
    (Pointer('/a_b/c'), {})
    >>> seen_at(lens, Pointer())
    (Pointer(''), {'a b': 'a_b'})
    """
    defs = document.get("defs") or {}
    nodes = _alike([document.get("root") or {}], defs)
    seen: list[str | int] = []
    for step in at:
        written = step if isinstance(step, int) else _names(nodes).get(step, step)
        seen.append(written)
        stays = all(op["op"] in _IN_PLACE for node in nodes for op in node.get("ops", ()))
        below = [inner for node in nodes for inner in _below(node, written)] if stays else []
        nodes = _alike(below, defs)
    return Pointer(seen), _names(nodes)


def _alike(nodes: Sequence[JsonObject], defs: dict[str, JsonObject]) -> list[JsonObject]:
    """Return the nodes for one value: behind references, and in every branch of a union."""
    found: list[JsonObject] = []
    followed: set[str] = set()
    waiting = list(reversed(nodes))
    while waiting and len(found) < _MOST_NODES:
        node = waiting.pop()
        found.append(node)
        ref = node.get("$ref")
        if ref is not None and ref not in followed:
            followed.add(ref)
            waiting.append(defs.get(ref) or {})
        waiting += [branch.get("lens") or {} for branch in reversed(node.get("anyOf", ()))]
    return found


def _names(nodes: Sequence[JsonObject]) -> dict[str, str]:
    names: dict[str, str] = {}
    for node in nodes:
        for op in node.get("ops", ()):
            if op["op"] == "rename":
                names = {**op["names"], **names}
    return names


def _below(node: JsonObject, step: str | int) -> Iterator[JsonObject]:
    if isinstance(step, int):
        first = node.get("prefixItems", ())
        below = first[step] if step < len(first) else node.get("items")
    else:
        below = node.get("properties", {}).get(step, node.get("additionalProperties"))
    if below:
        yield below


VERSION: Final = 1

_Node: TypeAlias = JsonObject
_Through: TypeAlias = Callable[[Json, list[Trouble]], Json]


class Lens:
    """Both directions for the arguments of one tool.

    >>> entries = Lens({"version": 1, "root": {"ops": [{"op": "entries"}]}})
    >>> entries.apply({"a": 1})
    [{'key': 'a', 'value': 1}]
    >>> entries.restore([{'key': 'a', 'value': 1}])
    {'a': 1}
    """

    __slots__ = ("_back", "_defs", "_forth", "_root", "document")

    @classmethod
    def checked(cls, document: JsonObject) -> Lens:
        """Return a lens from a file; raises BadReceipt unless it is one that can be used."""
        lens = cls(document)
        for node in (lens._root, *lens._defs.values()):
            _check(node, 0)
        return lens

    def __init__(self, document: JsonObject) -> None:
        if document.get("version") != VERSION:
            raise BadReceipt("its lens has an unknown version")
        self.document = document
        self._root: _Node = document.get("root") or {}
        self._defs: dict[str, _Node] = document.get("defs") or {}
        self._forth: _Through | None = None  # each is made when first asked for
        self._back: _Through | None = None
        if not isinstance(self._root, dict) or not isinstance(self._defs, dict):
            raise BadReceipt("its lens is damaged")

    def apply(self, arguments: Json) -> Json:
        """Return the arguments for the written schema. The input is not changed."""
        if self._forth is None:
            self._forth = way_of(self.document, "apply")
        return self._forth(arguments, [])

    def restore(self, wire: Json, troubles: list[Trouble] | None = None) -> Json:
        """Return the arguments for the original schema."""
        if self._back is None:
            self._back = way_of(self.document, "restore")
        return self._back(wire, [] if troubles is None else troubles)

    def seen_at(self, at: Pointer) -> tuple[Pointer, dict[str, str]]:
        """Return an original place by the model's names, and the names of members there."""
        return seen_at(self.document, at)


def _check(node: Json, depth: int) -> None:
    """Raise for a node that no lowering writes; deeper nodes are never reached."""
    if not isinstance(node, dict) or depth > DEEPEST:
        raise BadReceipt("its lens is damaged")
    if not isinstance(node.get("$ref", ""), str):
        raise BadReceipt("its lens has a damaged reference")
    for op in _each(node, "ops", list):
        _check_op(op)
    below = [*_each(node, "properties", dict).values(), *_each(node, "prefixItems", list)]
    below += [node[key] for key in ("items", "additionalProperties") if key in node]
    for branch in _each(node, "anyOf", list):
        sides = [branch.get(side) for side in ("own", "wire")] if isinstance(branch, dict) else [0]
        if not all(side is None or _is_guard(side) for side in sides):
            raise BadReceipt("its lens has a damaged branch")
        below.append(branch.get("lens", {}))
    for inner in below:
        if inner is not None:
            _check(inner, depth + 1)


def _check_op(op: Json) -> None:
    known = op_of(op) if isinstance(op, dict) else None
    if known is None or not all(isinstance(op.get(key), kind) for key, kind in known.needs):
        raise BadReceipt(f"its lens has a damaged operation {op!r}")
    names = [op[key] for key, kind in known.needs if key != "table" and kind is not str]
    if not all(
        _are_strings([*held.values()] if isinstance(held, dict) else held) for held in names
    ):
        raise BadReceipt(f"its lens has a damaged operation {op!r}")
    pairs = [row for row in op.get("table", ()) if isinstance(row, list)]
    if not all(map(_is_pair, pairs)) or len(pairs) < len(op.get("table", ())):
        raise BadReceipt("its lens has a damaged table")


def _is_guard(side: Json) -> bool:
    """Return whether it states which values are a branch's own, as far as it states that."""
    return isinstance(side, dict) and _are_strings(side.get("types") or [])


def _are_strings(names: Json) -> bool:
    return isinstance(names, list) and all(isinstance(name, str) for name in names)


def _is_pair(row: list[Json]) -> bool:
    value_and_word = 2
    return len(row) == value_and_word


def _each(node: _Node, key: str, kind: type) -> Any:
    found = node.get(key, kind())
    if not isinstance(found, kind):
        raise BadReceipt(f"its lens has damaged {key}")
    return found
