"""One way in which two versions of a schema differ."""

from __future__ import annotations

from typing import NamedTuple

from toolcanon.jsonio.types import Json
from toolcanon.schema.containment import Contained
from toolcanon.schema.references import Place


class Difference(NamedTuple):
    """What differs, blind to whether the schema is of arguments or of results."""

    name: str
    """Without its side: ``required-added``."""
    path: str
    """The place as people name it: ``rows[].id``; empty for the whole."""
    was: Place | None = None
    at: Place | None = None
    before: Json = None
    after: Json = None
    narrowed: Contained | None = None
    """Whether all values of the old version pass; a *no* has its witness. None: nobody asked."""
    widened: Contained | None = None
    """Whether all values of the new version would have passed before."""
    is_soft: bool = False
    """Whether it hurts less than others of its kind."""
    is_union: bool = False
    """Whether it is about a union as a whole; its branches may explain it better."""
    hint: str = ""

    @property
    def counts(self) -> bool:
        """Whether values are accepted otherwise than before, for certain or perhaps."""
        found = (self.narrowed, self.widened)
        return any(answer is not None and answer.answer != "yes" for answer in found)


def is_open(answer: Contained | None) -> bool:
    """Whether an answer is a no, or unknown."""
    return answer is not None and answer.answer != "yes"
