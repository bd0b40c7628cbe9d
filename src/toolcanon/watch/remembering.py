"""Records of sources as wholes: their identity, and which tools belong to them."""

from __future__ import annotations

from typing import Final

from toolcanon.jsonio.types import JsonObject
from toolcanon.watch.capturing import WHOLE, Watched
from toolcanon.watch.store import Key, Snapshot, Store

_PLACE: Final = "tc1:"
"""The prefix of the names under which unnamed files are stored."""


def facts_of(whole: Snapshot) -> JsonObject:
    """Return the identity of a source, and what it reports about itself."""
    return whole.definition if isinstance(whole.definition, dict) else {}


def tools_in(whole: Snapshot) -> list[str]:
    """Return the names of the tools that belong to a source."""
    return facts_of(whole).get("tools") or []


def file_wholes(store: Store) -> list[Snapshot]:
    """Return the records of unnamed files, which share one source; the newest first."""
    found = [whole for whole in store.baselines(tool=WHOLE) if _is_file(whole)]
    return sorted(found, key=lambda whole: whole.captured_at, reverse=True)


def _is_file(whole: Snapshot) -> bool:
    identity = facts_of(whole).get("identity") or {}
    return identity.get("transport") == "file" and whole.key.source.startswith(_PLACE)


def former_members(store: Store, now: Watched) -> tuple[list[Key], list[Key]]:
    """Return a source's removed tools: those of no other file, and those of other files."""
    if now.whole is None or now.is_part:
        return [], []
    known = store.known(now.source)
    if now.source:
        gone = [name for name in known if name and name not in now.definitions]
        return [now.key(name) for name in gone], []
    whole = store.baseline(now.whole)
    listed = [] if whole is None else tools_in(whole)
    gone = [name for name in listed if name in known and name not in now.definitions]
    wholes = [one for one in file_wholes(store) if one.key != now.whole] if gone else []
    others = {name for one in wholes for name in tools_in(one)}
    alone = [now.key(name) for name in gone if name not in others]
    return alone, [now.key(name) for name in gone if name in others]
