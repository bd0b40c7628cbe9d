"""Is it certain that no value is valid for two schemas? Proved from what they say together.

Work is counted: where a proof takes too much of it, nothing is certain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.constraints import (
    at_least,
    at_most,
    kinds_left,
    names_required,
    shares_empty,
    span,
    values_left,
)
from toolcanon.schema.references import References, has_references
from toolcanon.schema.validate import Verdict, VerdictJudge, every, judge_of, pattern_judge
from toolcanon.schema.values import listed, size_of, table

_Nodes: TypeAlias = list[JsonObject]

_WORK: Final = 40_000
_DEEPEST: Final = 40
_UNIONS: Final = {"anyOf": math.inf, "oneOf": 1}  # and how many branches may hold
_OPENED: Final = frozenset({"allOf", "$ref"})
_INTRICATE: Final = frozenset(
    "if contains dependentSchemas unevaluatedProperties unevaluatedItems".split()
)
_PLAIN: Final = frozenset(  # no schemas within
    "type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength "
    "maxLength pattern minItems maxItems uniqueItems minProperties maxProperties required "
    "dependentRequired format".split()
)


class Allowance:
    """Work that several questions share, so that many of them cost no more than a few."""

    __slots__ = ("left",)

    def __init__(self, left: int = 5 * _WORK) -> None:
        self.left = left


def are_apart(
    a: Json, b: Json, references: References | None = None, allowance: Allowance | None = None
) -> bool:
    """Return whether certainly no JSON value is valid for both schemas.

    >>> are_apart({"type": "integer"}, {"type": "string"})
    True
    >>> are_apart({"type": "string", "pattern": "^#"}, {"type": "string", "pattern": "!$"})
    False
    """
    if shares_empty(a, b):
        return False
    search = _OverlapSearch(references, _WORK if allowance is None else min(_WORK, allowance.left))
    before = search.left
    try:
        return search.is_empty([a, b])
    except (_Spent, RecursionError):
        return False
    finally:
        if allowance is not None:
            allowance.left -= before - max(search.left, 0)


class _Spent(Exception):
    """The work one question may cost is done."""


class _OverlapSearch:
    """One question, with the work it may cost."""

    def __init__(self, references: References | None, work: int = _WORK) -> None:
        self._references = references or References({})
        self.left, self._depth = work, 0
        # By identity; the node is kept as well, so that no other can take its place in memory.
        self._judges: dict[int, tuple[JsonObject, bool, VerdictJudge]] = {}
        self._opened: dict[int, tuple[JsonObject, JsonObject]] = {}

    def spend(self, amount: int = 1) -> None:
        self.left -= amount
        if self.left < 0:
            raise _Spent

    def flat(self, schemas: Sequence[Json]) -> tuple[_Nodes, Verdict]:
        """Return the nodes that apply, with ``allOf`` and references opened; None if one is odd."""
        nodes: _Nodes = []
        verdict: Verdict = True
        # A node met twice adds nothing, so recursion and repetition end here.
        seen: set[int] = set()
        stack = list(reversed(schemas))
        while stack:
            self.spend()
            node = stack.pop()
            if node is False:
                return [], False
            if node is True or id(node) in seen:
                continue
            if node.__class__ is not dict or "$dynamicRef" in node:
                verdict = None
            if node.__class__ is not dict:
                continue
            seen.add(id(node))
            self.spend(_width(node))
            if node.keys().isdisjoint(_OPENED):
                nodes.append(node)
                continue
            nodes.append(self._without(node))
            parts = node.get("allOf", [])
            stack.extend(reversed(parts) if parts.__class__ is list else [None])
            ref = node.get("$ref")
            found = self._references.find(ref) if ref.__class__ is str else None
            if "$ref" in node:
                stack.append(None if found is None else found.schema)
        return nodes, verdict

    def _without(self, node: JsonObject) -> JsonObject:
        if id(node) not in self._opened:
            rest = {key: said for key, said in node.items() if key not in _OPENED}
            self._opened[id(node)] = node, rest
        return self._opened[id(node)][1]

    # Judging a value.

    def accepts(self, value: Json, schemas: Sequence[Json]) -> Verdict:
        """Return whether a value is valid for all of them."""
        nodes, verdict = self.flat(schemas)
        if verdict is False or self._depth > _DEEPEST:
            return verdict and None
        return every((verdict, self.suits(value, nodes)))

    def suits(self, value: Json, nodes: _Nodes) -> Verdict:
        """Return whether a value is valid for nodes that are flat already."""
        self._depth += 1
        try:
            return every(self._judge(value, node) for node in nodes)
        finally:
            self._depth -= 1

    def _judge(self, value: Json, node: JsonObject) -> Verdict:
        if id(node) not in self._judges:
            self.spend(size_of(node))
            refers = has_references(node)
            plain = {key: said for key, said in node.items() if key in _PLAIN}
            self._judges[id(node)] = node, refers, judge_of(plain if refers else node)
        self.spend(1 + len(listed(node, "enum")) // 100)
        _, refers, judge = self._judges[id(node)]
        verdict = judge(value)
        if verdict is False or not refers:
            return verdict
        return every((verdict, *self._parts(value, node)))

    def _parts(self, value: Json, node: JsonObject) -> Iterator[Verdict]:
        """Yield the keywords with schemas, for a node with references, which no validator sees."""
        if value.__class__ is dict:
            for name, inner in value.items():
                yield self.accepts(inner, self.member([node], name))
        elif value.__class__ is list:
            for at, inner in enumerate(value):
                yield self.accepts(inner, _item([node], at))
        for key, most in _UNIONS.items():
            verdicts = [self.accepts(value, [branch]) for branch in listed(node, key)]
            found = verdicts.count(True)
            if found > most:
                yield False
            elif None in verdicts and found in (0, most):
                yield None
            elif key in node:
                yield found > 0 if verdicts else None
        if "not" in node:
            verdict = self.accepts(value, [node["not"]])
            yield None if verdict is None else not verdict
        if not node.keys().isdisjoint(_INTRICATE):
            yield None

    def is_empty(self, schemas: Sequence[Json]) -> bool:
        """Return whether certainly nothing is valid for all of them."""
        nodes, verdict = self.flat(schemas)
        if verdict is False:
            return True
        if self._depth > _DEEPEST:
            return False
        self._depth += 1
        try:
            values = values_left(nodes)
            if values is not None:
                return all(self.suits(value, nodes) is False for value in values)
            if all(_BY_KIND[kind](self, nodes) for kind in kinds_left(nodes)):
                return True
            others, branches = _branched(nodes)
            return bool(branches) and all(self.is_empty([*others, one]) for one in branches)
        finally:
            self._depth -= 1

    def no_string(self, nodes: _Nodes) -> bool:
        return at_least(nodes, "minLength") > at_most(nodes, "maxLength")

    def no_array(self, nodes: _Nodes) -> bool:
        fewest = at_least(nodes, "minItems")
        if fewest > at_most(nodes, "maxItems"):
            return True
        prefix = max((len(listed(node, "prefixItems")) for node in nodes), default=0)
        return any(self.is_empty(_item(nodes, at)) for at in range(min(fewest, prefix + 1)))

    def no_object(self, nodes: _Nodes) -> bool:
        required = names_required(nodes)
        most = at_most(nodes, "maxProperties")
        for node in nodes:
            if node.get("additionalProperties") is False and not node.get("patternProperties"):
                most = min(most, len(table(node, "properties")))
        if max(at_least(nodes, "minProperties"), len(required)) > most:
            return True
        return any(self.is_empty(self.member(nodes, name)) for name in required)

    def member(self, nodes: _Nodes, name: str) -> list[Json]:
        """Return the schemas for which a member of that name must be valid."""
        found: list[Json] = []
        for node in nodes:
            patterns = table(node, "patternProperties")
            self.spend(1 + 10 * len(patterns))
            # Neither valid nor invalid: the schema is malformed and cannot be read.
            fits = self.accepts(name, [node.get("propertyNames", True)])
            found += [] if fits else [fits]
            declared = table(node, "properties")
            found += [declared[name]] if name in declared else []
            matching = {pattern: pattern_judge(pattern)(name) for pattern in patterns}
            found += [patterns[pattern] if fits else None
                      for pattern, fits in matching.items() if fits is not False]  # fmt: skip
            if name not in declared and all(fits is False for fits in matching.values()):
                found.append(node.get("additionalProperties", True))
        return found


_Proof: TypeAlias = Callable[[_OverlapSearch, _Nodes], bool]
_BY_KIND: Final[dict[str, _Proof]] = {  # that there is none
    "null": lambda *_: False,
    "boolean": lambda *_: False,
    "integer": lambda _, nodes: span(nodes).no_integer(),
    "fraction": lambda _, nodes: span(nodes).no_fraction(),
    "string": _OverlapSearch.no_string,
    "array": _OverlapSearch.no_array,
    "object": _OverlapSearch.no_object,
}


def _branched(nodes: _Nodes) -> tuple[_Nodes, list[Json]]:
    """Return the nodes without their first union, and its branches."""
    for at, node in enumerate(nodes):
        for key in _UNIONS:
            if listed(node, key):
                rest = {name: said for name, said in node.items() if name != key}
                return [*nodes[:at], rest, *nodes[at + 1 :]], node[key]
    return nodes, []


def _item(nodes: _Nodes, at: int) -> list[Json]:
    prefixes = [(listed(node, "prefixItems"), node.get("items", True)) for node in nodes]
    return [prefix[at] if at < len(prefix) else rest for prefix, rest in prefixes]


def _width(node: JsonObject) -> int:
    return len(node) + sum(len(said) for said in node.values() if said.__class__ in (dict, list))
