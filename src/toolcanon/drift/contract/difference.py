"""One difference between two versions of a schema."""

from __future__ import annotations

from typing import NamedTuple

from toolcanon.jsonio.types import Json
from toolcanon.schema.containment import Contained
from toolcanon.schema.references import Place


class Difference(NamedTuple):
    """A difference, independent of whether the schema is of arguments or of results."""

    name: str
    """The name of the change without its side: ``required-added``."""
    path: str
    """The place as a readable path: ``rows[].id``; empty for the whole."""
    was: Place | None = None
    at: Place | None = None
    before: Json = None
    after: Json = None
    narrowed: Contained | None = None
    """Whether all values of the old version are valid; a *no* has its witness. None: unchecked."""
    widened: Contained | None = None
    """Whether all values of the new version were valid before."""
    is_soft: bool = False
    """Whether it is less severe than others of its kind."""
    is_union: bool = False
    """Whether it is about a union as a whole; its branches may explain it better."""
    hint: str = ""

    @property
    def counts(self) -> bool:
        """Whether accepted values differ, certainly or possibly."""
        found = (self.narrowed, self.widened)
        return any(answer is not None and answer.answer != "yes" for answer in found)


def is_open(answer: Contained | None) -> bool:
    """Return whether an answer is no or unknown."""
    return answer is not None and answer.answer != "yes"
