"""Compare types, unions and lists of values at one place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.drift.contract.difference import Difference, is_open
from toolcanon.drift.contract.questions import Path, Questions, local
from toolcanon.drift.contract.twins import Said, Twin, Version
from toolcanon.jsonio.types import Json
from toolcanon.schema.containment import Contained
from toolcanon.schema.references import Place
from toolcanon.schema.values import identity, strings_in, type_of

UNIONS: Final = ("anyOf", "oneOf")
_TYPES: Final = ("type", *UNIONS)
VALUES: Final = frozenset({*_TYPES, "enum", "const"})


def values(twin: Twin, queries: Questions) -> Iterator[Difference]:
    """Yield the differences of types, and of the values where they are listed."""
    lost = list(_open(twin, queries, new=True))
    gained = list(_open(twin, queries, new=False))
    listed = _Listed(twin, queries)
    if (lost or is_open(listed.narrowed)) and _is_other(twin):
        widened = gained[0][2] if gained else listed.widened
        narrowed = lost[0][2] if lost else listed.narrowed
        yield Difference("type-changed", twin.words, _place(twin.before), _place(twin.after),
                         _type(twin.before), _type(twin.after), narrowed, widened)  # fmt: skip
        return
    is_union = any(key in UNIONS for key, _, _ in (*lost, *gained))
    for name, found, new in (("type-narrowed", lost, True), ("type-widened", gained, False)):
        if found:
            key, said, answer = found[0]
            version = twin.before if new else twin.after
            other = _place(version, key)
            was, at = (other, said.place(key)) if new else (said.place(key), other)
            yield Difference(name, twin.words, was, at, _type(twin.before), _type(twin.after),
                             answer if new else None, None if new else answer,
                             is_union=is_union)  # fmt: skip
    yield from listed.differences(has_lost=bool(lost), has_gained=bool(gained))


def _is_other(twin: Twin) -> bool:
    """Return whether the types are disjoint; two empty sets are not."""
    old, new = twin.before.kinds, twin.after.kinds
    return bool(old) and bool(new) and old.isdisjoint(new)


def _open(twin: Twin, queries: Questions, *, new: bool) -> Iterator[tuple[str, Said, Contained]]:
    """Yield the type constraints of one version that the other does not imply."""
    own, other = (twin.after, twin.before) if new else (twin.before, twin.after)
    ask = queries.narrowed if new else queries.widened
    if not own.opened.possible and other.opened.possible and own.term:
        answer = ask(twin.path, False)
        if answer.answer != "yes":
            yield "type", Said(False, own.term[0]), answer
        return
    for key in _TYPES:
        for said in own.said.get(key, ()):
            if any(_same(key, said.value, value, queries) for value in other.values(key)):
                continue
            answer = ask(twin.path, {key: said.value})
            if answer.answer != "yes":
                yield key, said, answer


def _same(key: str, one: Json, other: Json, queries: Questions) -> bool:
    """Return whether a constraint equals one of the other version, or obviously follows from it."""
    if key == "type":
        words = _words(one)
        return _words(other) - {"integer" if "number" in words else ""} <= words
    return queries.is_same_demand({key: one}, {key: other})


def _words(value: Json) -> frozenset[str]:
    return frozenset([value] if value.__class__ is str else strings_in(value))


def _place(version: Version, key: str = "type") -> Place:
    said = version.first(key)
    return version.place if said is None else said.place(key)


def _type(version: Version) -> Json:
    """Return the types as declared, or else the union or the values."""
    for key in _TYPES:
        if (said := version.first(key)) is not None:
            return said.value
    if (values := _listing(version)) is not None:
        return {"enum": values}
    return None if version.opened.possible else False


class _Listed:
    """The enumerated values of both versions, and whether they differ."""

    def __init__(self, twin: Twin, queries: Questions) -> None:
        self._twin, self._queries = twin, queries
        self.before, self.after = _listing(twin.before), _listing(twin.after)
        self.narrowed: Contained | None = None
        self.widened: Contained | None = None
        old, new = _identities(self.before), _identities(self.after)
        if old == new:
            return
        if new is not None and (old is None or old - new):
            self.narrowed = queries.narrowed(twin.path, {"enum": self.after})
        if old is not None and (new is None or new - old):
            self.widened = queries.widened(twin.path, {"enum": self.before})

    def differences(self, *, has_lost: bool, has_gained: bool) -> Iterator[Difference]:
        twin = self._twin
        narrowed, widened = self.narrowed, self.widened
        if has_lost and is_open(narrowed):
            proof = self._queries.narrowed(twin.path, {"enum": self.after}, proves=True)
            narrowed = None if _is_implied(proof, twin.after, twin.path) else narrowed
        if has_gained and is_open(widened):
            proof = self._queries.widened(twin.path, {"enum": self.before}, proves=True)
            widened = None if _is_implied(proof, twin.before, twin.path) else widened
        was, at = _enum_place(twin.before), _enum_place(twin.after)
        if self.before is None or self.after is None:
            name = "enum-added" if self.before is None else "enum-removed"
            if is_open(narrowed) or is_open(widened):
                yield Difference(name, twin.words, was, at, self.before, self.after, narrowed,
                                 widened)  # fmt: skip
            return
        removed, new = _without(self.before, self.after), _without(self.after, self.before)
        if len(self.before) == len(self.after) == 1 and is_open(narrowed):
            yield Difference("const-changed", twin.words, was, at, self.before[0], self.after[0],
                             narrowed, widened)  # fmt: skip
            return
        if is_open(narrowed):
            yield Difference("enum-value-removed", twin.words, was, at, removed, None, narrowed)
        if is_open(widened):
            yield Difference("enum-value-added", twin.words, was, at, None, new, None, widened)


def _is_implied(answer: Contained, version: Version, path: Path) -> bool:
    """Return whether a list rejects only other types than its own, which is reported already."""
    if answer.answer != "no":
        return False
    try:
        refused = local(answer.witness, path)
    except LookupError:
        return False
    kind = type_of(refused)
    return ("number" if kind == "integer" else kind) not in version.kinds


def _listing(version: Version) -> list[Json] | None:
    """Return the enumerated values: those of all lists, where there are several."""
    lists = [value if value.__class__ is list else [] for value in version.values("enum")]
    lists += [[value] for value in version.values("const")]
    if not lists:
        return None
    first, *others = lists
    known = [_identities(other) or set() for other in others]
    return [value for value in first if all(identity(value) in one for one in known)]


def _identities(values: list[Json] | None) -> set[object] | None:
    return None if values is None else {identity(value) for value in values}


def _without(values: list[Json], others: list[Json]) -> list[Json]:
    known = _identities(others) or set()
    return [value for value in values if identity(value) not in known]


def _enum_place(version: Version) -> Place:
    key = "enum" if version.first("enum") is not None else "const"
    return _place(version, key)
