"""The lens: arguments of the original schema to arguments of the written one, and back.

Plain JSON, so that it works in another process. It mirrors the written schema: a node holds the
operations that made it (``ops``) and the lenses of what is below. Applying runs operations from
the root down; restoring runs them from the leaves up, backwards. Whatever a lens does not
recognise it leaves as it is: judging arguments is the validator's business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from toolcanon.errors import BadReceipt
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.step import Op, Trouble
from toolcanon.lowering.steps import OPS
from toolcanon.schema.judge import judge
from toolcanon.schema.values import has_type

VERSION: Final = 1
_DEEPEST: Final = 400
_Node: TypeAlias = JsonObject
_Visit: TypeAlias = Callable[[Json, _Node, int], Json]


class Lens:
    """Both directions for the arguments of one tool.

    >>> entries = Lens({"version": 1, "root": {"ops": [{"op": "entries"}]}})
    >>> entries.apply({"a": 1})
    [{'key': 'a', 'value': 1}]
    >>> entries.restore([{'key': 'a', 'value': 1}])
    {'a': 1}
    """

    __slots__ = ("_defs", "_root", "document")

    @classmethod
    def checked(cls, document: JsonObject) -> Lens:
        """A lens from a file; raises BadReceipt unless it is one that can be used."""
        lens = cls(document)
        for node in (lens._root, *lens._defs.values()):
            _check(node, 0)
        return lens

    def __init__(self, document: JsonObject) -> None:
        if document.get("version") != VERSION:
            raise BadReceipt("its lens is not one this program knows")
        self.document = document
        self._root: _Node = document.get("root") or {}
        self._defs: dict[str, _Node] = document.get("defs") or {}
        if not isinstance(self._root, dict) or not isinstance(self._defs, dict):
            raise BadReceipt("its lens is damaged")

    def apply(self, arguments: Json) -> Json:
        """The arguments as the written schema wants them. Nothing given is changed."""
        return _Walk(self, []).apply(arguments, self._root, 0)

    def restore(self, wire: Json, troubles: list[Trouble] | None = None) -> Json:
        """The arguments as the original schema wants them."""
        return _Walk(self, [] if troubles is None else troubles).restore(wire, self._root, 0)

    def guard(self, schema: JsonObject, side: str) -> JsonObject:
        """A branch's schema with the definitions it may point at."""
        defs = self.document.get(side)
        return {**schema, "$defs": defs} if defs else schema

    def named(self, name: str) -> _Node:
        """The lens of a definition."""
        return self._root if name == "#" else self._defs.get(name) or {}


class _Walk:
    """One value on its way through a lens."""

    __slots__ = ("lens", "path", "troubles")

    def __init__(self, lens: Lens, troubles: list[Trouble]) -> None:
        self.lens = lens
        self.path: list[str | int] = []
        self.troubles = troubles

    def apply(self, value: Json, node: _Node, depth: int) -> Json:
        for op in node.get("ops", ()):
            value = _op(op).apply(value, op, self.troubles)
        return self._below(value, node, self.apply, "own", depth)

    def restore(self, value: Json, node: _Node, depth: int) -> Json:
        value = self._below(value, node, self.restore, "wire", depth)
        for op in reversed(node.get("ops", ())):
            known = len(self.troubles)
            value = _op(op).restore(value, op, self.troubles)
            for index in range(known, len(self.troubles)):  # they know only their own place
                local = self.troubles[index]
                self.troubles[index] = Trouble((*self.path, *local.at), local.says)
        return value

    def _below(self, value: Json, node: _Node, visit: _Visit, side: str, depth: int) -> Json:
        if depth > _DEEPEST:  # a value can be no deeper than the loader allows
            return value
        depth += 1
        if "$ref" in node:
            value = visit(value, self.lens.named(node["$ref"]), depth)
        if value.__class__ is dict:
            if "properties" in node or "additionalProperties" in node:
                value = self._members(value, node, visit, depth)
        elif value.__class__ is list and ("items" in node or "prefixItems" in node):
            prefix = node.get("prefixItems", ())
            rest = node.get("items")
            value = [
                self._at(index, item, prefix[index] if index < len(prefix) else rest, visit, depth)
                for index, item in enumerate(value)
            ]
        if "anyOf" in node:
            branch = self._branch(value, node["anyOf"], side)
            if branch is not None and branch.get("lens"):
                value = visit(value, branch["lens"], depth)
        return value

    def _members(self, value: JsonObject, node: _Node, visit: _Visit, depth: int) -> JsonObject:
        lenses = node.get("properties", {})
        rest = node.get("additionalProperties")
        out = {}
        for name, member in value.items():
            out[name] = self._at(name, member, lenses.get(name, rest), visit, depth)
        return out

    def _at(
        self, step: str | int, value: Json, lens: _Node | None, visit: _Visit, depth: int
    ) -> Json:
        """A part of the value, at its place."""
        if not lens:
            return value
        self.path.append(step)
        value = visit(value, lens, depth)
        self.path.pop()
        return value

    def _branch(self, value: Json, branches: list[JsonObject], side: str) -> JsonObject | None:
        """The first branch that takes the value; a branch of the right type if none does."""
        near = None
        for branch in branches:
            guard = branch.get(side, {})
            types = guard.get("types")
            if types is not None and not has_type(value, types):
                continue
            if "schema" not in guard:
                return branch
            judged = judge(self.lens.guard(guard["schema"], side)).accepts(value)
            if judged or judged is None:
                return branch
            near = near or branch
        return near


def _op(op: JsonObject) -> Op:
    found = OPS.get(str(op.get("op")))
    if found is None:
        raise BadReceipt(f"its lens has an operation {op.get('op')!r} this program does not know")
    return found


def _check(node: Json, depth: int) -> None:
    """Refuse a node that nobody could have written; deeper ones are never reached."""
    if not isinstance(node, dict) or depth > _DEEPEST:
        raise BadReceipt("its lens is damaged")
    if not isinstance(node.get("$ref", ""), str):
        raise BadReceipt("its lens has a damaged reference")
    for op in _each(node, "ops", list):
        _check_op(op)
    below = [*_each(node, "properties", dict).values(), *_each(node, "prefixItems", list)]
    below += [node[key] for key in ("items", "additionalProperties") if key in node]
    for branch in _each(node, "anyOf", list):
        sides = [branch.get(side) for side in ("own", "wire")] if isinstance(branch, dict) else [0]
        if not all(side is None or isinstance(side, dict) for side in sides):
            raise BadReceipt("its lens has a damaged branch")
        below.append(branch.get("lens", {}))
    for inner in below:
        if inner is not None:
            _check(inner, depth + 1)


def _check_op(op: Json) -> None:
    known = _op(op) if isinstance(op, dict) else None
    if known is None or not all(isinstance(op.get(key), kind) for key, kind in known.needs):
        raise BadReceipt(f"its lens has a damaged operation {op!r}")
    pairs = [row for row in op.get("table", ()) if isinstance(row, list)]
    if not all(map(_is_pair, pairs)) or len(pairs) < len(op.get("table", ())):
        raise BadReceipt("its lens has a damaged table")


def _is_pair(row: list[Json]) -> bool:
    value_and_word = 2
    return len(row) == value_and_word


def _each(node: _Node, key: str, kind: type) -> Any:
    found = node.get(key, kind())
    if not isinstance(found, kind):
        raise BadReceipt(f"its lens has damaged {key}")
    return found
