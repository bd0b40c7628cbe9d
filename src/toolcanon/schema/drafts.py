"""The drafts of JSON Schema: which one a schema declares, and the one that all are rewritten to."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
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


_LATEST: Final = Draft.LATEST  # looking a member up costs a call
LATEST_URI: Final = "https://json-schema.org/draft/2020-12/schema"
_DRAFTS = {
    "draft-03": Draft.D3,
    "draft-04": Draft.D4,
    "draft-05": Draft.D4,
    "draft-06": Draft.D6,
    "draft-07": Draft.D7,
    "2019-09": Draft.D2019,
}
_HOST: Final = "json-schema.org"
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.")
LATEST_MARK: Final = "2020-12"
OLDER: Final = tuple(_DRAFTS)
"""What stands in the addresses of older drafts."""


def draft_of(schema: JsonObject) -> Draft:
    """The draft a schema declares; undeclared means the latest."""
    declared = schema.get("$schema")
    return _draft_named(declared) if isinstance(declared, str) else _LATEST


@lru_cache(maxsize=256)
def _draft_named(declared: str) -> Draft:
    for mark, draft in _DRAFTS.items():
        if mark in declared:
            return draft
    return Draft.LATEST


def is_label(declared: Json) -> bool:
    """Whether a ``$schema`` can be what it says: a draft that there is, or a dialect of others.

    >>> is_label(LATEST_URI), is_label("http://json-schema.org/schema#"), is_label("draft")
    (True, False, False)
    """
    if declared.__class__ is not str:
        return False
    own = any(mark in declared for mark in (*OLDER, LATEST_MARK))
    return own or (_ADDRESS.match(declared) is not None and _HOST not in declared)


def is_latest(declared: Json) -> bool:
    """Whether a ``$schema`` names the draft that everything is rewritten to."""
    return (
        declared.__class__ is str and _draft_named(declared) is _LATEST and LATEST_MARK in declared
    )


def declares_older(declared: Json, _draft: Draft | None = None) -> bool:
    """Whether a ``$schema`` names another draft than the one that everything is rewritten to."""
    return declared.__class__ is str and _draft_named(declared) is not _LATEST
