"""The drafts of JSON Schema: which one a schema declares, and the one that all are rewritten to."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject


class Draft(IntEnum):
    """The dialects that differ in what a keyword means."""

    D3 = 3
    D4 = 4
    D6 = 6
    D7 = 7
    D2019 = 8
    LATEST = 9


LATEST_URI: Final = "https://json-schema.org/draft/2020-12/schema"
_DRAFTS = {
    "draft-03": Draft.D3,
    "draft-04": Draft.D4,
    "draft-05": Draft.D4,
    "draft-06": Draft.D6,
    "draft-07": Draft.D7,
    "2019-09": Draft.D2019,
}
OLDER: Final = tuple(_DRAFTS)
"""What stands in the addresses of older drafts."""


def draft_of(schema: JsonObject) -> Draft:
    """The draft a schema declares; undeclared means the latest."""
    declared = schema.get("$schema")
    if isinstance(declared, str):
        for mark, draft in _DRAFTS.items():
            if mark in declared:
                return draft
    return Draft.LATEST


def declares_older(declared: Json, draft: Draft | None = None) -> bool:
    """Whether a ``$schema`` names another draft than the one that everything is rewritten to."""
    del draft
    return declared.__class__ is str and draft_of({"$schema": declared}) is not Draft.LATEST
