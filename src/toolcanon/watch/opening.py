"""Open the store that a place names."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from toolcanon.errors import StoreUnwritable, UnknownStore
from toolcanon.sources.consent import state_folder
from toolcanon.text.secrets import mask_url
from toolcanon.watch.store import Store

FILE: Final = "toolwatch.db"
_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(?:localhost)?(.*)", re.DOTALL)


def open_store(place: str | None = None, *, read_only: bool = False) -> Store:
    """Open the store at a path, at ``sqlite:///path`` or ``file:///path``, or at the default place.

    A missing store is created; with ``read_only`` it is opened empty instead.
    """
    from toolcanon.watch.sqlite import open_sqlite  # noqa: PLC0415 - only needed to open one

    return open_sqlite(path_of(place) if place else _usual(), read_only=read_only)


def _usual() -> str:
    try:
        return str(state_folder() / FILE)
    except RuntimeError:  # no home folder: a container, a service
        advice = "name a file with --store or TOOLWATCH_STORE, or set TOOLCANON_HOME"
        raise StoreUnwritable(FILE, "there is no home folder for it", advice) from None


def path_of(place: str) -> str:
    """Return the file that a place names."""
    url = _URL.fullmatch(place)
    if url is None:
        return place
    scheme, rest = url[1].lower(), unquote(url[2])
    if scheme not in {"file", "sqlite"} or not rest.startswith("/"):
        raise UnknownStore(mask_url(place))
    return rest
