"""What a schema declares of one place: types, names, required members; only what is certain.

References are followed within the schema, conjunctions and unions are resolved when reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Final

from toolcanon.jsonio.types import JsonObject
from toolcanon.schema.judge import Schema
from toolcanon.schema.references import References

_DEEPEST: Final = 24
_MOST: Final = 5_000
_ALL: Final = ("and", "or")


@dataclass(frozen=True, slots=True)
class Promise:
    """What holds for every value at a place; None where nothing is declared."""

    types: frozenset[str] | None = None
    members: dict[str, Any] = field(default_factory=dict)
    allowed: frozenset[str] | None = None
    """The names of an object without others."""
    required: frozenset[str] = frozenset()
    items: Any = None
    others: Any = None
    """The schema of members without one of their own."""


_NOTHING: Final = Promise()


class Promised:
    """Reads declarations from one root schema.

    >>> Promised(True).of({"type": "object", "required": ["a"]}).required
    frozenset({'a'})
    """

    def __init__(self, root: Schema) -> None:
        self._references = References(root)
        self._left = _MOST

    @property
    def is_spent(self) -> bool:
        """Whether the work limit was reached."""
        return self._left < 0

    def of(self, said: Any, depth: int = 0) -> Promise | None:
        """Return the declaration of a schema, or of a conjunction or union of several."""
        self._left -= 1
        if said is False:
            return Promise(types=frozenset())
        if depth > _DEEPEST or self._left < 0:
            return None
        if isinstance(said, tuple) and said[0] in _ALL:
            parts = [self.of(one, depth + 1) for one in said[1]]
            known = [one for one in parts if one is not None]
            if said[0] == "or":
                return reduce(_either, known) if len(known) == len(parts) and known else None
            return reduce(_both, known, _NOTHING)
        if not isinstance(said, dict):
            return None
        parts = [_own(said), *(self.of(one, depth + 1) for one in self._joined(said))]
        return reduce(_both, [one for one in parts if one is not None], _NOTHING)

    def _joined(self, said: JsonObject) -> Iterable[Any]:
        """Return the schemas that apply beside a schema's own keywords."""
        if isinstance(ref := said.get("$ref"), str):
            found = self._references.find(ref)
            yield found.schema if found is not None else True
        if isinstance(both := said.get("allOf"), list):
            yield from both
        for word in ("anyOf", "oneOf"):
            if isinstance(some := said.get(word), list) and some:
                yield ("or", tuple(some))


def _own(said: JsonObject) -> Promise:
    members = said.get("properties")
    members = members if isinstance(members, dict) else {}
    required, others = said.get("required"), said.get("additionalProperties")
    is_closed = others is False and "patternProperties" not in said
    has_places = "prefixItems" in said
    return Promise(
        _types(said),
        dict(members),
        frozenset(members) if is_closed else None,
        frozenset(one for one in required if isinstance(one, str))
        if isinstance(required, list)
        else frozenset(),
        None if has_places else said.get("items"),
        others if isinstance(others, dict) and "patternProperties" not in said else None,
    )


def _types(said: JsonObject) -> frozenset[str] | None:
    kind = said.get("type")
    if isinstance(kind, str):
        return frozenset({kind})
    if isinstance(kind, list):
        return frozenset(one for one in kind if isinstance(one, str))
    values: Sequence[Any] | None = [said["const"]] if "const" in said else said.get("enum")
    return frozenset(map(_type_of, values)) if isinstance(values, list) else None


def _type_of(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, (int, float)):
        return "number"
    return "object" if isinstance(value, dict) else "array"


def _both(one: Promise, other: Promise) -> Promise:
    members = dict(one.members)
    for name, said in other.members.items():
        members[name] = ("and", (members[name], said)) if name in members else said
    if one.allowed is None or other.allowed is None:
        allowed = one.allowed if other.allowed is None else other.allowed
    else:
        allowed = one.allowed & other.allowed
    return Promise(
        _narrower(one.types, other.types),
        members,
        allowed,
        one.required | other.required,
        _with(one.items, other.items),
        _others(one, other),
    )


def _others(one: Promise, other: Promise) -> Any:
    """Return the schema of other members if both have none of their own; otherwise nothing."""
    for these, those in ((one, other), (other, one)):
        if those.others is None and not those.members:
            return these.others
    return None


def _narrower(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    if one is None or other is None:
        return one if other is None else other
    common = one & other
    for narrow, wide in ((one, other), (other, one)):
        if "integer" in narrow and "number" in wide:
            common |= {"integer"}
    return common


def _either(one: Promise, other: Promise) -> Promise:
    members = {
        name: ("or", (said, other.members[name]))
        for name, said in one.members.items()
        if name in other.members
    }
    is_open = one.allowed is None or other.allowed is None
    return Promise(
        None if one.types is None or other.types is None else one.types | other.types,
        members,
        None if is_open else (one.allowed or frozenset()) | (other.allowed or frozenset()),
        one.required & other.required if _are_objects(one, other) else frozenset(),
        ("or", (one.items, other.items)) if one.items is not None and other.items is not None
        else None,
    )  # fmt: skip


def _are_objects(one: Promise, other: Promise) -> bool:
    """Return whether both are objects, so that what both require is always required."""
    return all(found.types is None or "object" in found.types for found in (one, other))


def _with(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return one if other is None else other
    return ("and", (one, other))
