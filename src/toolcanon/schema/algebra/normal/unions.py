"""Terms as unions of cells: one for each kind of value and each branch of each choice.

Never narrower than the term. Exact on request: then a choice is only opened if that keeps the
accepted values, and what a cell does not represent stays in its nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.normal.terms import (
    KINDS,
    Cell,
    NormalFormBudget,
    Spent,
    Term,
    TermNode,
    in_place,
    opened,
)
from toolcanon.schema.keywords import ANNOTATIONS, TYPES
from toolcanon.schema.values import identity, listed, table, type_of

Taken: TypeAlias = frozenset[tuple[int, str]]

_MOST_CELLS: Final = 128
_MOST_BRANCHES: Final = 24  # of unions whose pairs are compared
_DEEPEST: Final = 4  # nested members that are searched for a contradiction
_NEGATED: Final = "not"
_UNEVALUATED: Final = "unevaluatedProperties"
_INVOLVED: Final = frozenset({_NEGATED, _UNEVALUATED, "anyOf", "oneOf", "if", "enum", "const"})
_LEAF: Final = ANNOTATIONS | {"type"}
"""Keywords of a schema with a type and no other constraint."""
_VALUES: Final[dict[str, tuple[Json, ...]]] = {"null": (None,), "boolean": (False, True)}


class _TooMany(Exception):
    """There are more cells than can be compared."""


def cells_of(
    term: Term, budget: NormalFormBudget, *, exactly: bool = False, depth: int = 0
) -> list[Cell]:
    """Return the cells of a term; none means that no value is valid.

    >>> from toolcanon.schema.algebra.normal.terms import TermDocument
    >>> term = (TermNode({"type": ["null", "integer"]}, (), TermDocument({})),)
    >>> [cell.kind for cell in cells_of(term, NormalFormBudget())]
    ['null', 'number']
    """
    if len(term) != 1:
        return _cells(term, budget, exactly=exactly, depth=depth)
    spot = term[0]
    if spot.schema.__class__ is dict and spot.schema.keys() <= _LEAF:
        kind = spot.schema.get("type")
        if kind.__class__ is str and kind in TYPES:  # the most common case
            budget.spend()
            is_integer = kind == "integer"
            kind = "number" if is_integer else kind
            return [Cell(kind, term, integral=is_integer, values=_VALUES.get(kind))]
    if exactly or depth:
        return _cells(term, budget, exactly=exactly, depth=depth)
    known = spot.home.cells.get(id(spot.schema))
    if known is not None and known[0].at == spot.at:
        return known[1]
    found = _cells(term, budget)
    spot.home.cells[id(spot.schema)] = (spot, found)
    return found


def _cells(
    term: Term, budget: NormalFormBudget, *, exactly: bool = False, depth: int = 0
) -> list[Cell]:
    found = opened(term, budget)
    if not found.possible:
        return []
    return cells_among(found.nodes, budget, exactly=exactly, depth=depth)


def cells_among(nodes: Term, budget: NormalFormBudget, *, exactly: bool = False, depth: int = 0,
                taken: Taken = frozenset()) -> list[Cell]:  # fmt: skip
    """Return the cells of nodes that are already open."""
    splitter = _Splitter(budget, exactly=exactly, depth=depth)
    try:
        return splitter.split(nodes, taken)
    except _TooMany:
        splitter.opens = False
        splitter.found = 0
        return splitter.split(nodes, taken)


def is_empty(term: Term, budget: NormalFormBudget, depth: int = 0) -> bool:
    """Return whether certainly no value is valid for a term."""
    return not cells_of(term, budget, depth=depth)


class _Splitter:
    def __init__(self, budget: NormalFormBudget, *, exactly: bool, depth: int) -> None:
        self.opens = True
        self.found = 0
        self._budget = budget
        self._exactly = exactly
        self._depth = depth

    def split(self, nodes: Term, taken: Taken) -> list[Cell]:
        self._budget.spend(len(nodes))
        if len(nodes) == 1 and nodes[0].schema.keys().isdisjoint(_INVOLVED):  # the most common case
            return self._simple(nodes, taken)
        nodes, taken = self._denied(nodes, taken)
        if not self._exactly:
            nodes, taken = self._evaluated(nodes, taken)
        kinds = _kinds(nodes, taken)
        if not kinds:
            return []
        for branches, mark in self._choices(nodes, taken):
            out: list[Cell] = []
            for branch in branches:
                fresh = self._fresh(branch, nodes, mark[0])
                if fresh is not None:
                    out += self.split((*nodes, *fresh), taken | {mark})
            return out
        return [cell for cell in self._plain(nodes, taken, kinds) if not self._is_empty(cell)]

    def _simple(self, nodes: Term, taken: Taken) -> list[Cell]:
        """Return the cells of a node without unions, negations and enumerated values."""
        kinds = _kinds(nodes, taken)
        self.found += len(kinds)
        if self.found > _MOST_CELLS and self.opens:
            raise _TooMany
        cells = [
            Cell(kind, nodes, integral=integral, values=_VALUES.get(kind), taken=taken)
            for kind, integral in kinds.items()
        ]
        return [cell for cell in cells if not self._is_empty(cell)]

    def _fresh(self, term: Term, nodes: Term, holder: int = 0) -> Term | None:
        """Return the nodes that a term adds; None when nothing can be valid any more."""
        more = opened(term, self._budget)
        if not more.possible:
            return None
        # Unresolvable references and unions that contain themselves have no certain meaning.
        if (self._exactly and more.unread) or any(id(s.schema) == holder for s in more.nodes):
            raise Spent
        known = {id(spot.schema) for spot in nodes}
        return tuple(spot for spot in more.nodes if id(spot.schema) not in known)

    def _choices(self, nodes: Term, taken: Taken) -> Iterator[tuple[list[Term], tuple[int, str]]]:
        """Yield the unions that are not opened yet."""
        if not self.opens:
            return
        for spot in nodes:
            schema = spot.schema
            for key in ("anyOf", "oneOf"):
                mark = (id(schema), key)
                if key in schema and mark not in taken:
                    branches = [(spot.below(key, i),) for i in range(len(listed(schema, key)))]
                    if branches and (key == "anyOf" or self._is_free(branches)):
                        yield list(branches), mark
            mark = (id(schema), "if")
            if "if" in schema and not self._exactly and mark not in taken:
                yield _conditions(spot), mark

    def _is_free(self, branches: list[tuple[TermNode]]) -> bool:
        """Return whether a ``oneOf`` equals an ``anyOf``: no value is valid for two branches."""
        if not self._exactly:
            return True
        if len(branches) > _MOST_BRANCHES:
            return False
        return all(
            is_empty((*one, *other), self._budget, self._depth)
            for one, other in combinations(branches, 2)
        )

    def _denied(self, nodes: Term, taken: Taken) -> tuple[Term, Taken]:
        """Return the nodes with simple ``not`` keywords replaced by equivalent nodes."""
        for spot in nodes:
            mark = (id(spot.schema), _NEGATED)
            if _NEGATED in spot.schema and mark not in taken:
                made = _denial(spot)
                if made is not None:
                    fresh = self._fresh((made,), nodes)
                    nodes = (*nodes, *((_never(spot),) if fresh is None else fresh))
                    taken |= {mark}
        return nodes, taken

    def _evaluated(self, nodes: Term, taken: Taken) -> tuple[Term, Taken]:
        """Return the nodes with schemas for members that are not evaluated elsewhere."""
        for spot in nodes:
            mark = (id(spot.schema), _UNEVALUATED)
            if _UNEVALUATED in spot.schema and mark not in taken:
                made = _evaluation(spot, self._budget)
                nodes = nodes if made is None else (*nodes, made)
                taken |= {mark}
        return nodes, taken

    def _plain(self, nodes: Term, taken: Taken, kinds: dict[str, bool]) -> Iterator[Cell]:
        values = _values(nodes)
        for kind, integral in kinds.items():
            self.found += 1
            if self.found > _MOST_CELLS and self.opens:
                raise _TooMany
            cell = Cell(kind, nodes, integral=integral, taken=taken)
            if values is not None:
                cell.values = tuple(v for v in values if _kind_of(v) == kind and cell.fits(v))
            elif kind in _VALUES:
                cell.values = _VALUES[kind]
            if cell.values is not None:
                refused = _refused(nodes)
                cell.values = tuple(v for v in cell.values if identity(v) not in refused)
            yield cell

    def _is_empty(self, cell: Cell) -> bool:
        if cell.is_hollow():
            return True
        if cell.values is not None or self._depth >= _DEEPEST:
            return False
        if cell.kind == "object":
            terms = (cell.member(name) for name in cell.required if not cell.has_plainly(name))
        elif cell.kind == "array":
            terms = (cell.item(at) for at in range(min(cell.least, cell.prefix + 1)))
        else:
            return False
        return any(
            term is None or (_may_clash(term) and is_empty(term, self._budget, self._depth + 1))
            for term in terms
        )


def _may_clash(term: Term) -> bool:
    """Return whether there are several schemas; one alone is almost never contradictory."""
    return len(term) > 1 or (len(term) == 1 and "allOf" in _node(term[0].schema))


def _node(schema: Json) -> JsonObject:
    return schema if schema.__class__ is dict else {}


def _kinds(nodes: Term, taken: Taken) -> dict[str, bool]:
    """Return the kinds of values that types allow, and whether numbers are integers."""
    if len(nodes) == 1 and _NEGATED not in nodes[0].schema:
        kind = nodes[0].schema.get("type")
        if kind.__class__ is str and kind in TYPES:  # the most common case
            return {"number": True} if kind == "integer" else {kind: False}
    kinds = dict.fromkeys(KINDS, False)
    for spot in nodes:
        schema = spot.schema
        if "type" in schema:
            said = type_words(schema["type"])
            if said is not None:
                kinds = {
                    kind: integral or (kind == "number" and "number" not in said)
                    for kind, integral in kinds.items()
                    if kind in said or (kind == "number" and "integer" in said)
                }
        if _NEGATED in schema and (id(schema), _NEGATED) in taken:
            other = schema[_NEGATED]
            words = type_words(other.get("type")) if other.__class__ is dict else None
            if words is not None:
                kinds = {kind: integral for kind, integral in kinds.items() if kind not in words}
    return kinds


def type_words(types: Json) -> frozenset[str] | None:
    """Return the named types; None if one is unknown."""
    if types.__class__ is str:
        return frozenset({types}) if types in TYPES else None
    if types.__class__ is not list or not types:
        return None
    return frozenset(types) if all(w.__class__ is str and w in TYPES for w in types) else None


def _values(nodes: Term) -> list[Json] | None:
    """Return the common values of all enumerations; None without one."""
    found: list[Json] | None = None
    for spot in nodes:
        for values in ([spot.schema["const"]] if "const" in spot.schema else None,
                       spot.schema.get("enum")):  # fmt: skip
            if values.__class__ is not list or values is None:
                continue
            if found is None:
                found = list({identity(value): value for value in values}.values())
            else:
                allowed = set(map(identity, values))
                found = [value for value in found if identity(value) in allowed]
    return found


def _refused(nodes: Term) -> set[Json]:
    """Return the values that a ``not`` enumerates."""
    found: set[Json] = set()
    for spot in nodes:
        other = spot.schema.get(_NEGATED)
        if (
            other.__class__ is dict
            and other.keys() <= _LISTING
            and other.keys() & {"enum", "const"}
        ):
            values = [other["const"]] if "const" in other else other["enum"]
            if values.__class__ is list and not ("const" in other and "enum" in other):
                found |= set(map(identity, values))
    return found


_LISTING: Final = ANNOTATIONS | {"enum", "const"}
_NAMING: Final = ANNOTATIONS | {"required"}
_TYPING: Final = ANNOTATIONS | {"type"}


def _denial(spot: TermNode) -> TermNode | None:
    """Return a node equivalent to a ``not``; None if there is none.

    Types that it excludes are handled in ``_kinds``.
    """
    other = spot.schema[_NEGATED]
    at = (*spot.at, _NEGATED)
    if other is True or (other.__class__ is dict and other.keys() <= ANNOTATIONS):
        return _made(spot, {"enum": []}, at)
    if other is False:
        return _made(spot, {}, at)
    if other.__class__ is not dict:
        return None
    if other.keys() <= _TYPING:
        words = type_words(other["type"])
        return None if words is None or words & {"integer", "number"} == {"integer"} else \
            _made(spot, {}, at)  # fmt: skip
    names = other.get("required")
    if other.keys() <= _NAMING and names.__class__ is list and len(names) == 1:
        if names[0].__class__ is not str:
            return None
        return _made(spot, {"type": "object", "properties": {names[0]: False}}, at)
    if other.keys() <= ANNOTATIONS | {_NEGATED}:
        return TermNode(other[_NEGATED], (*at, _NEGATED), spot.home) if \
            other[_NEGATED].__class__ is dict else None  # fmt: skip
    return None


def _made(spot: TermNode, schema: JsonObject, at: tuple[str | int, ...]) -> TermNode:
    """Return a new node; the same object for the same place."""
    return TermNode(spot.home.make((spot.schema,), at[-1], schema), at, spot.home)


def _never(spot: TermNode) -> TermNode:
    return TermNode({"enum": []}, spot.at, spot.home)


def _evaluation(spot: TermNode, budget: NormalFormBudget) -> TermNode | None:
    """Return a node that closes an object to members that no schema in its place declares.

    A member of another branch is as that branch declares it, or the branch would not apply.
    """
    found: dict[int, TermNode] = {}
    stack = [spot]
    while stack:
        budget.spend()
        one = stack.pop()
        if one.schema.__class__ is not dict or id(one.schema) in found:
            continue
        if "additionalProperties" in one.schema or (found and _UNEVALUATED in one.schema):
            return None  # it evaluates all of them
        found[id(one.schema)] = one
        stack.extend(in_place(one))
    declared: dict[str, list[Json]] = {}
    patterns: JsonObject = {}
    for one in found.values():
        for name, schema in table(one.schema, "properties").items():
            declared.setdefault(name, []).append(schema)
        patterns |= dict.fromkeys(table(one.schema, "patternProperties"), True)
    members = {
        name: ways[0] if len(ways) == 1 else {"anyOf": ways} for name, ways in declared.items()
    }
    said = {"properties": members, "patternProperties": patterns,
            "additionalProperties": spot.schema[_UNEVALUATED]}  # fmt: skip
    return _made(spot, said, (*spot.at, _UNEVALUATED))


def _conditions(spot: TermNode) -> list[Term]:
    """Return two terms: the condition holds with its consequence, or does not hold."""
    schema = spot.schema
    then = (spot.below("then"),) if "then" in schema else ()
    other = (spot.below("else"),) if "else" in schema else ()
    denied = _made(spot, {_NEGATED: schema["if"]}, (*spot.at, "if"))
    return [(spot.below("if"), *then), (denied, *other)]


def _kind_of(value: Json) -> str:
    kind = type_of(value)
    return "number" if kind == "integer" else kind
