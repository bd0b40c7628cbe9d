"""Two versions of a schema walked together, texts and defaults included."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from toolcanon.drift.contract.containment_queries import (
    Divergence,
    Path,
    Questions,
    StatedKeyword,
    Twin,
    Version,
    path_words,
    same_demands,
)
from toolcanon.drift.contract.members import MEMBERS, below_members, members
from toolcanon.drift.contract.values import LIMITS, VALUES, below_branches, is_mixed, limits, values
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.containment import Contained
from toolcanon.schema.algebra.normal.terms import NormalFormBudget, Spent, Term, TermNode, alike
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.malformed import sound
from toolcanon.schema.references import DEFINITIONS, REFERENCES, Place, subschemas

WORDS: Final = {
    "description": "description-changed",
    "title": "title-changed",
    "examples": "examples-changed",
}
_CONTENT: Final = ("contentEncoding", "contentMediaType", "contentSchema")
_ONE_WAY: Final = ("readOnly", "writeOnly")
_DEFAULT: Final = "default"
_MORE: Final = frozenset({*_CONTENT, *_ONE_WAY, "deprecated"})
REMARKS: Final = _MORE | {*WORDS, _DEFAULT}


def remarks(
    twin: Twin, queries: Questions, differing: AbstractSet[str] | None
) -> Iterator[Divergence]:
    """Yield the differences of annotations, of these keywords or of all."""
    if not twin.says(REMARKS):
        return
    for key, name in WORDS.items():
        if differing is None or key in differing:
            yield from _different(twin, key, name)
    if differing is None or not _MORE.isdisjoint(differing):
        yield from _more(twin, queries)
    yield from _default(twin, queries)


def _more(twin: Twin, queries: Questions) -> Iterator[Divergence]:
    """Compare annotations other than text."""
    for key in _ONE_WAY:
        if _is_set(twin.before, key) != _is_set(twin.after, key):
            yield _plain(twin, key, "read-write-only-changed")
    if _is_set(twin.before, "deprecated") != _is_set(twin.after, "deprecated"):
        is_new = _is_set(twin.after, "deprecated")
        yield _plain(twin, "deprecated", "deprecated-set" if is_new else "deprecated-cleared")
    for key in _CONTENT:
        if not _same(twin.before.first(key), twin.after.first(key)):
            used = queries.used(twin.path)
            yield _plain(twin, key, "content-encoding-changed", used)


def _default(twin: Twin, queries: Questions) -> Iterator[Divergence]:
    """Compare defaults; ``null`` where null is allowed is the same as no default."""
    old, new = twin.before.first(_DEFAULT), twin.after.first(_DEFAULT)
    old, new = _effective_default(old, twin.before), _effective_default(new, twin.after)
    if _same(old, new) or not twin.path or twin.path[-1][0] != "properties":
        return
    name = (
        "default-added" if old is None else "default-removed" if new is None else "default-changed"
    )
    omitted = None if old is None else queries.omitted(twin.path)
    yield Divergence(
        name, twin.words,
        None if old is None else old.place(_DEFAULT), None if new is None else new.place(_DEFAULT),
        None if old is None else old.value, None if new is None else new.value,
        omitted, None, is_soft=new is None,
    )  # fmt: skip


def _effective_default(said: StatedKeyword | None, version: Version) -> StatedKeyword | None:
    if said is None or (said.value is None and "null" in version.kinds):
        return None
    return said


def _different(twin: Twin, key: str, name: str) -> Iterator[Divergence]:
    if not _same(twin.before.first(key), twin.after.first(key)):
        yield _plain(twin, key, name)


def _plain(twin: Twin, key: str, name: str, narrowed: Contained | None = None) -> Divergence:
    old, new = twin.before.first(key), twin.after.first(key)
    return Divergence(
        name, twin.words,
        None if old is None else old.place(key), None if new is None else new.place(key),
        _value(old), _value(new), narrowed, is_soft=narrowed is not None,
    )  # fmt: skip


def _same(one: StatedKeyword | None, other: StatedKeyword | None) -> bool:
    if one is None or other is None:
        return one is other
    return alike(one.value, other.value)


def _value(said: StatedKeyword | None) -> Json:
    return None if said is None else said.value


def _is_set(version: Version, key: str) -> bool:
    return any(value is True for value in version.values(key))


_SILENT: Final = frozenset({"$comment", "$schema"})
_DEEPER: Final = ANNOTATIONS.difference(WORDS, _SILENT)
"""Annotations other than text."""
_STEPS: Final = frozenset({"properties", "patternProperties", "items", "additionalProperties"})


class _More(Exception):
    """The difference is not in annotations alone."""


def wording(before: JsonObject, after: JsonObject) -> list[Divergence] | None:
    """Return the differences if only text differs; None when a full comparison is needed.

    Both must have equal constraints.
    """
    try:
        return list(_words(before, after, (), ()))
    except _More:
        return None


def _words(before: JsonObject, after: JsonObject, path: Path, at: Place) -> Iterator[Divergence]:
    """Yield the differences of text in schemas of equal shape."""
    for key in {**before, **after}:
        if key in WORDS:
            old, new = before.get(key), after.get(key)
            if not alike(old, new):
                was = (*at, key) if key in before else None
                now = (*at, key) if key in after else None
                yield Divergence(WORDS[key], path_words(path), was, now, old, new)
        elif (
            key in REFERENCES
            or key in DEFINITIONS
            or (key in _DEEPER and not alike(before.get(key), after.get(key)))
        ):
            raise _More
    others = dict(subschemas(after))
    for steps, inner in subschemas(before):
        other = others[steps]
        if inner.__class__ is dict and inner != other:
            key = str(steps[0])
            step = ((key, steps[-1] if key == "properties" else 0),) if key in _STEPS else ()
            yield from _words(inner, other, (*path, *step), (*at, *steps))


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


def differences(before: JsonObject, after: JsonObject, *, closes: bool) -> list[Divergence]:
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
        return [Divergence(TOO_COMPLEX, "", (), (), None, None, answer, answer)]
    return found


def _is_harm(one: Divergence, *, closes: bool) -> bool:
    answer = one.narrowed if closes else one.widened
    return answer is not None and answer.answer != "yes"


def _is_material(one: Divergence) -> bool:
    """Return whether a difference is more than an annotation."""
    return one.counts or one.name in _ADDED


def _overall(asks: Questions, *, closes: bool, is_explained: bool) -> Iterator[Divergence]:
    """Compare the whole schemas where `allOf`, `anyOf` and the like hide differences of places."""
    answer = asks.whole()
    names = ("type-narrowed", "type-widened")
    if answer.answer != "yes":
        name = names[not closes] if answer.answer == "no" else UNDECIDED
        both = (answer, None) if closes else (None, answer)
        yield Divergence(name, "", (), tuple(answer.at), None, None, *both)
    elif not is_explained and (beyond := asks.beyond()).answer == "no":
        both = (None, beyond) if closes else (beyond, None)
        yield Divergence(names[closes], "", tuple(beyond.at), (), None, None, *both)


class _Walk:
    def __init__(self, asks: Questions, *, demands: bool) -> None:
        self._asks = asks
        self._budget = NormalFormBudget(_WORK)
        self._seen: set[tuple[int, ...]] = set()
        self.is_joined = False
        self.demands = demands
        """Whether constraints differ; otherwise only annotations are compared."""

    def root(self) -> Twin:
        versions = [
            Version((TermNode(home.root, (), home),), self._budget)
            for home in (self._asks.before, self._asks.after)
        ]
        return Twin((), versions[0], versions[1], self._budget)

    def place(self, twin: Twin, depth: int, *, is_branch: bool = False) -> Iterator[Divergence]:
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


def _unread(twin: Twin, asks: Questions) -> Iterator[Divergence]:
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
            yield Divergence(name if answer.answer == "no" else UNDECIDED, twin.words, *at, None,
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


def _unexplained(own: list[Divergence], deeper: list[Divergence]) -> Iterator[Divergence]:
    """Yield differences, without those of a union that its branches explain."""
    for found in own:
        is_explained = any(
            _is_open(inner, found) for inner in deeper
        ) if found.is_union else False  # fmt: skip
        if not is_explained:
            yield found


def _is_open(inner: Divergence, outer: Divergence) -> bool:
    """Return whether an inner difference has the same direction as an outer one."""
    one, other = (outer.narrowed, inner.narrowed), (outer.widened, inner.widened)
    return any(
        a is not None and b is not None and "yes" not in {a.answer, b.answer}
        for a, b in (one, other)
    )
