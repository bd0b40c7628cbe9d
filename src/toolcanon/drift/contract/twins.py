"""A place where values stand, in both versions of a schema."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final, NamedTuple

from toolcanon.drift.contract.questions import Path, Step, path_words
from toolcanon.jsonio.types import Json
from toolcanon.schema.containment.sites import Declared, Site
from toolcanon.schema.normal.terms import Budget, Opened, Spot, Term, is_anything, opened, table
from toolcanon.schema.normal.unions import cells_of
from toolcanon.schema.references import Place

_NEUTRAL: Final[dict[str, tuple[Json, ...]]] = {
    "minLength": (0,),
    "minItems": (0,),
    "minProperties": (0,),
    "uniqueItems": (False,),
    "pattern": ("",),
    "required": ([],),
    "dependentRequired": ({},),
    "dependentSchemas": ({},),
    "multipleOf": (),
}
"""Values that say nothing."""


class Said(NamedTuple):
    """A keyword's value, and the schema it stands in."""

    value: Json
    spot: Spot

    def place(self, key: str) -> Place:
        return (*self.spot.at, key)


class Version:
    """What one version says of a place."""

    def __init__(self, term: Term, budget: Budget) -> None:
        self.term = term
        self._budget = budget

    @cached_property
    def opened(self) -> Opened:
        return opened(self.term, self._budget)

    @property
    def nodes(self) -> Term:
        return self.opened.nodes

    @cached_property
    def said(self) -> dict[str, list[Said]]:
        """By keyword, in order; what says nothing is left out."""
        found: dict[str, list[Said]] = {}
        for spot in self.nodes:
            for key, value in spot.schema.items():
                if not _is_neutral(key, value):
                    found.setdefault(key, []).append(Said(value, spot))
        return found

    def first(self, key: str) -> Said | None:
        """What a keyword says first; others that say it, too, stand behind references."""
        found = self.said.get(key)
        return found[0] if found else None

    def values(self, key: str) -> list[Json]:
        return [said.value for said in self.said.get(key, ())]

    @cached_property
    def members(self) -> dict[str, Term]:
        """The declared members, unions apart."""
        found: dict[str, list[Spot]] = {}
        for spot in self.nodes:
            for name in table(spot.schema, "properties"):
                found.setdefault(name, []).append(spot.below("properties", name))
        return {name: tuple(spots) for name, spots in found.items()}

    @cached_property
    def patterns(self) -> dict[str, Term]:
        found: dict[str, list[Spot]] = {}
        for spot in self.nodes:
            for name in table(spot.schema, "patternProperties"):
                found.setdefault(name, []).append(spot.below("patternProperties", name))
        return {name: tuple(spots) for name, spots in found.items()}

    @cached_property
    def declared(self) -> Declared:
        """What is said of members anywhere, branches of unions included."""
        return Site(self.term, self._budget).declared

    @cached_property
    def required(self) -> dict[str, Place]:
        """The members that have to be there, and where that is said."""
        found: dict[str, Place] = {}
        for said in self.said.get("required", ()):
            names = said.value if said.value.__class__ is list else ()
            for index, name in enumerate(names):
                if name.__class__ is str:
                    found.setdefault(name, (*said.place("required"), index))
        return found

    @cached_property
    def others(self) -> Json:
        """What members that are not declared have to be; None when nothing is said of them."""
        stated = [v for v in self.values("additionalProperties") if not is_anything(v)]
        return False if False in stated else stated[0] if stated else None

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of values that are possible."""
        return frozenset(cell.kind for cell in cells_of(self.term, self._budget))

    @property
    def place(self) -> Place:
        return self.term[0].at if self.term else ()


class Twin(NamedTuple):
    """The same place in both versions."""

    path: Path
    before: Version
    after: Version
    budget: Budget

    @property
    def words(self) -> str:
        return path_words(self.path)

    @property
    def is_root(self) -> bool:
        return not self.path

    def below(self, step: Step, before: Term, after: Term) -> Twin:
        """A place further down."""
        versions = Version(before, self.budget), Version(after, self.budget)
        return Twin((*self.path, step), *versions, self.budget)

    def keywords(self) -> Iterator[str]:
        """Every keyword that either version says here, in order."""
        yield from {**self.before.said, **self.after.said}


def _is_neutral(key: str, value: Json) -> bool:
    values = _NEUTRAL.get(key)
    return values is not None and any(value == one and value is not True for one in values)
