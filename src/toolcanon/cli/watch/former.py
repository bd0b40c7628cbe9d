"""Baselines and alerts that an earlier ``toolwatch`` left in ``~/.aumai/toolwatch``.

It had two JSON files, ``baselines.json`` and ``alerts.json``. ``toolwatch import`` reads them. A
check of a tool whose only baseline is there imports that one, because recording the tool as it is
now would hide every change since.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from toolcanon.cli.options import load_payload, talk
from toolcanon.errors.root import InputError
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import Json
from toolcanon.report.document import counted
from toolcanon.text import safe
from toolcanon.watch.capturing import Watched
from toolcanon.watch.exchange import read_baselines
from toolcanon.watch.store import Key, Store

_FOLDER: Final = ".aumai/toolwatch"
_NAME: Final = 60


def former_file(kind: Literal["baselines", "alerts"]) -> Path | None:
    """Return the file of an earlier toolwatch in the home folder; None if there is none."""
    try:
        path = Path.home() / _FOLDER / f"{kind}.json"
    except RuntimeError:  # no home folder: a container, a service
        return None
    return path if path.is_file() else None


def take_former(store: Store, tool: str, limits: Limits) -> None:
    """Import the former baseline of a tool that the store does not know. Raises InputError."""
    path = former_file("baselines")
    if path is None or store.baseline(Key("", tool)) is not None:
        return
    try:
        found = read_baselines(_listed(load_payload(str(path), limits, "error")))
    except InputError as error:
        raise InputError(
            f"{_shown(path)} holds the baselines of an earlier toolwatch and cannot be read "
            f"({error}); repair it, or move it away to start without it"
        ) from None
    wanted = [one for one in found if one.key == Key("", tool)]
    if not wanted:
        return
    store.put(wanted[-1:], kind="imported")
    others = len({one.key for one in found}) - 1
    more = f"; {others:,} more there: {_advice(path)}" if others else ""
    talk(f"baseline of '{safe(tool, _NAME)}' imported from {_shown(path)}{more}")


def _listed(document: Json) -> list[Json]:
    if not isinstance(document, list):
        raise InputError("the document is not an array")
    return document


def mention_former(store: Store, watched: Sequence[Watched]) -> None:
    """Print the advice to import former baselines before tools without one are recorded."""
    path = former_file("baselines")
    if path is None:
        return
    names = [(one, name) for one in watched for name in one.definitions]
    unknown = sum(store.baseline(one.key(name)) is None for one, name in names)
    if unknown:
        tools = counted(unknown, "tool")
        talk(f"{tools} without a baseline, and {_shown(path)} may hold some: {_advice(path)}")


def mention_former_alerts() -> None:
    """Print the advice to import former alerts when the store has none."""
    path = former_file("alerts")
    if path is not None:
        talk(f"{_shown(path)} holds alerts of an earlier toolwatch: {_advice(path)}")


def _advice(path: Path) -> str:
    return f"import them with `toolwatch import {_shown(path)}`"


def _shown(path: Path) -> str:
    return f"~/{_FOLDER}/{path.name}"
