"""Compare two versions of a schema at every place that both have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.drift.contract.branches import below_branches, is_mixed
from toolcanon.drift.contract.difference import Difference
from toolcanon.drift.contract.limits import LIMITS, limits
from toolcanon.drift.contract.members import MEMBERS, below_members, members
from toolcanon.drift.contract.questions import Questions, same_demands
from toolcanon.drift.contract.remarks import REMARKS, remarks
from toolcanon.drift.contract.twins import Twin, Version
from toolcanon.drift.contract.values import VALUES, values
from toolcanon.drift.contract.wording import wording
from toolcanon.jsonio.types import JsonObject
from toolcanon.schema.containment import Contained
from toolcanon.schema.normal.terms import Budget, Spent, Spot, Term, alike
from toolcanon.schema.sound import sound

_WORK: Final = 20_000
_DEEPEST: Final = 64
_JOINING: Final = frozenset(
    "allOf anyOf oneOf not if dependentSchemas unevaluatedProperties unevaluatedItems".split()
)
_INDIRECT: Final = frozenset({"$ref", "$dynamicRef", "allOf", "$defs", "definitions"})
_ADDED: Final = frozenset(
    "property-added pattern-properties-added additional-properties-closed "
    "additional-properties-opened".split()
)
"""These differences matter for arguments and for results."""
TOO_COMPLEX: Final = "schema-too-complex"
UNDECIDED: Final = "undecided"


def differences(before: JsonObject, after: JsonObject, *, closes: bool) -> list[Difference]:
    """Return the differences, the root first.

    With ``closes`` objects have declared members only, as arguments do; results may always have
    more members than declared.
    """
    if alike(before, after):
        return []
    is_same = same_demands(before, after)
    words = wording(before, after) if is_same else None
    if words is not None:
        return words
    asks = Questions(sound(before, []), sound(after, []), closes=closes)
    if asks.before.root is not before or asks.after.root is not after:
        is_same = same_demands(asks.before.root, asks.after.root)
    walk = _Walk(asks, demands=not is_same)
    try:
        found = list(walk.place(walk.root(), 0))
        if (
            walk.demands
            and walk.is_joined
            and not any(_is_harm(one, closes=closes) for one in found)
        ):
            found += _overall(asks, closes=closes, is_explained=any(map(_is_material, found)))
    except (Spent, RecursionError):
        answer = Contained("unknown", None, "the schemas are too deep or too large to compare")
        return [Difference(TOO_COMPLEX, "", (), (), None, None, answer, answer)]
    return found


def _is_harm(one: Difference, *, closes: bool) -> bool:
    answer = one.narrowed if closes else one.widened
    return answer is not None and answer.answer != "yes"


def _is_material(one: Difference) -> bool:
    """Return whether a difference is more than an annotation."""
    return one.counts or one.name in _ADDED


def _overall(asks: Questions, *, closes: bool, is_explained: bool) -> Iterator[Difference]:
    """Compare the whole schemas where `allOf`, `anyOf` and the like hide differences of places."""
    answer = asks.whole()
    names = ("type-narrowed", "type-widened")
    if answer.answer != "yes":
        name = names[not closes] if answer.answer == "no" else UNDECIDED
        both = (answer, None) if closes else (None, answer)
        yield Difference(name, "", (), tuple(answer.at), None, None, *both)
    elif not is_explained and (beyond := asks.beyond()).answer == "no":
        both = (None, beyond) if closes else (beyond, None)
        yield Difference(names[closes], "", tuple(beyond.at), (), None, None, *both)


class _Walk:
    def __init__(self, asks: Questions, *, demands: bool) -> None:
        self._asks = asks
        self._budget = Budget(_WORK)
        self._seen: set[tuple[int, ...]] = set()
        self.is_joined = False
        self.demands = demands
        """Whether constraints differ; otherwise only annotations are compared."""

    def root(self) -> Twin:
        versions = [
            Version((Spot(home.root, (), home),), self._budget)
            for home in (self._asks.before, self._asks.after)
        ]
        return Twin((), versions[0], versions[1], self._budget)

    def place(self, twin: Twin, depth: int, *, is_branch: bool = False) -> Iterator[Difference]:
        """Yield the differences at a place and below it.

        With ``is_half`` a branch is compared with a whole: annotations are compared elsewhere.
        """
        self._budget.spend()
        one, other = twin.before.term, twin.after.term
        key = (*[id(spot.schema) for spot in one], 0, *[id(spot.schema) for spot in other])
        if key in self._seen:
            return
        if depth > _DEEPEST:
            raise Spent
        self._seen.add(key)
        differing = _differing(one, other)
        if not is_branch and _touches(differing, REMARKS):
            yield from remarks(twin, self._asks, differing)
        if differing is not None and differing <= REMARKS:
            return  # the most common case
        self.is_joined |= twin.says(_JOINING)
        is_asked = self.demands and _touches(differing, VALUES)
        own = list(values(twin, self._asks)) if is_asked else []
        if any(found.name == "type-changed" for found in own):
            yield from own
            return  # other differences only follow from the changed type
        if self.demands:
            own += _unread(twin, self._asks)
        mixed = is_mixed(twin)
        deeper = [
            found
            for inner in below_branches(twin, self._asks)
            for found in self.place(inner, depth + 1, is_branch=mixed)
        ]
        yield from _unexplained(own, deeper)
        yield from deeper
        if mixed:
            return
        if self.demands and _touches(differing, LIMITS):
            yield from limits(twin, self._asks)
        if self.demands and _touches(differing, MEMBERS):
            yield from members(twin, self._asks)
        if _touches(differing, MEMBERS):
            for inner in below_members(twin, self._asks):
                yield from self.place(inner, depth + 1)


def _unread(twin: Twin, asks: Questions) -> Iterator[Difference]:
    """Report unresolvable references: their constraints are unknown."""
    own, other = (twin.after, twin.before) if asks.closes else (twin.before, twin.after)
    for spot in own.opened.unread if own.opened.possible else ():
        if any(asks.is_same_schema(spot.schema, known.schema) for known in other.opened.unread):
            continue
        ask = asks.narrowed if asks.closes else asks.widened
        answer = ask(twin.path, spot.schema)
        if answer.answer != "yes":
            at = (other.place, spot.at) if asks.closes else (spot.at, other.place)
            both = (answer, None) if asks.closes else (None, answer)
            name = ("type-widened", "type-narrowed")[asks.closes]
            yield Difference(name if answer.answer == "no" else UNDECIDED, twin.words, *at, None,
                             None, *both)  # fmt: skip


def _differing(one: Term, other: Term) -> set[str] | None:
    """Return the keywords that differ between two plain schemas; None for any other schemas."""
    if len(one) != 1 or len(other) != 1:
        return None
    before, after = one[0].schema, other[0].schema
    if before.__class__ is not dict or after.__class__ is not dict:
        return None
    if not _INDIRECT.isdisjoint(before) or not _INDIRECT.isdisjoint(after):
        return None
    return {
        key
        for key in {**before, **after}
        if key not in before or key not in after or not alike(before[key], after[key])
    }


def _touches(differing: set[str] | None, keywords: frozenset[str]) -> bool:
    return differing is None or not keywords.isdisjoint(differing)


def _unexplained(own: list[Difference], deeper: list[Difference]) -> Iterator[Difference]:
    """Yield differences, without those of a union that its branches explain."""
    for found in own:
        is_explained = any(
            _is_open(inner, found) for inner in deeper
        ) if found.is_union else False  # fmt: skip
        if not is_explained:
            yield found


def _is_open(inner: Difference, outer: Difference) -> bool:
    """Return whether an inner difference has the same direction as an outer one."""
    one, other = (outer.narrowed, inner.narrowed), (outer.widened, inner.widened)
    return any(
        a is not None and b is not None and "yes" not in {a.answer, b.answer}
        for a, b in (one, other)
    )
