"""A place in both versions of a schema."""

from __future__ import annotations

from functools import partial
from typing import Final, NamedTuple

from toolcanon.drift.contract.questions import Path, Step, path_words
from toolcanon.jsonio.types import Json
from toolcanon.schema.containment.sites import Declared, Site
from toolcanon.schema.normal.keeping import kept
from toolcanon.schema.normal.terms import Budget, Opened, Spot, Term, opened
from toolcanon.schema.normal.unions import cells_of
from toolcanon.schema.references import Place
from toolcanon.schema.values import is_anything, table

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
"""Values of keywords that constrain nothing."""


class Said(NamedTuple):
    """A keyword's value, and the schema that contains it."""

    value: Json
    spot: Spot

    def place(self, key: str) -> Place:
        return (*self.spot.at, key)


_said: Final = partial(tuple.__new__, Said)
"""Makes pairs without a Python call: a comparison has many."""


class Version:
    """The schemas of one version at a place."""

    def __init__(self, term: Term, budget: Budget) -> None:
        self.term = term
        self._budget = budget

    @kept
    def opened(self) -> Opened:
        return opened(self.term, self._budget)

    @property
    def nodes(self) -> Term:
        return self.opened.nodes

    @kept
    def said(self) -> dict[str, list[Said]]:
        """The values of each keyword, in order, without those that constrain nothing."""
        found: dict[str, list[Said]] = {}
        for spot in self.nodes:
            for key, value in spot.schema.items():
                if key in _NEUTRAL and _is_neutral(key, value):
                    continue
                if key in found:
                    found[key].append(_said((value, spot)))
                else:
                    found[key] = [_said((value, spot))]
        return found

    def first(self, key: str) -> Said | None:
        """Return the first value of a keyword; further ones come from references."""
        found = self.said.get(key)
        return found[0] if found else None

    def values(self, key: str) -> list[Json]:
        return [said.value for said in self.said.get(key, ())]

    @kept
    def names(self) -> dict[str, None]:
        """The declared members, without those in unions."""
        found: dict[str, None] = {}
        for spot in self.nodes:
            found |= dict.fromkeys(table(spot.schema, "properties"))
        return found

    def member(self, name: str) -> Term:
        """Return the schemas of a member; empty if it is not declared."""
        return tuple([spot.below("properties", name) for spot in self.nodes
                      if name in table(spot.schema, "properties")])  # fmt: skip

    @kept
    def patterns(self) -> dict[str, Term]:
        found: dict[str, list[Spot]] = {}
        for spot in self.nodes:
            for name in table(spot.schema, "patternProperties"):
                found.setdefault(name, []).append(spot.below("patternProperties", name))
        return {name: tuple(spots) for name, spots in found.items()}

    @kept
    def declared(self) -> Declared:
        """The declarations of members anywhere, including branches of unions."""
        return Site(self.term, self._budget).declared

    @kept
    def required(self) -> dict[str, Place]:
        """The required members, and where each is required."""
        found: dict[str, Place] = {}
        for said in self.said.get("required", ()):
            names = said.value if said.value.__class__ is list else ()
            for index, name in enumerate(names):
                if name.__class__ is str:
                    found.setdefault(name, (*said.place("required"), index))
        return found

    @kept
    def others(self) -> Json:
        """The schema of undeclared members; None where it is not stated."""
        stated = [v for v in self.values("additionalProperties") if not is_anything(v)]
        return False if False in stated else stated[0] if stated else None

    @kept
    def kinds(self) -> frozenset[str]:
        """The possible types of values."""
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
        """Whether it is the whole schema, or a branch of it."""
        return all(keyword == "anyOf" for keyword, _ in self.path)

    def below(self, step: Step, before: Term, after: Term) -> Twin:
        """Return a place below this one."""
        versions = Version(before, self.budget), Version(after, self.budget)
        return Twin((*self.path, step), *versions, self.budget)

    def says(self, keywords: frozenset[str]) -> bool:
        """Return whether one of the keywords is in either version here."""
        return not (keywords.isdisjoint(self.before.said) and keywords.isdisjoint(self.after.said))


def _is_neutral(key: str, value: Json) -> bool:
    values = _NEUTRAL.get(key)
    return values is not None and value is not True and value in values
