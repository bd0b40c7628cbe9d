"""The lens: arguments of the original schema to arguments of the written one, and back.

Plain JSON, so that it works in another process. It mirrors the written schema: a node holds the
operations that made it (``ops``) and the lenses of what is below. Applying runs operations from
the root down; restoring runs them from the leaves up, backwards. Whatever a lens does not
recognise it leaves as it is: judging arguments is the validator's business.

For words to the model only: below a rewrite that moves values the original's terms stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from toolcanon.errors import BadReceipt
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.lens_compile import DEEPEST, op_of, way_of
from toolcanon.lowering.step import Trouble

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
