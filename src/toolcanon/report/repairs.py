"""Repairs as text: by code, with the place of the first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolcanon.diagnostics import CODES, Repair
from toolcanon.jsonio.types import Json
from toolcanon.text import safe, safe_json

_SHOWN = 60


def repair_lines(repairs: Sequence[Repair], *, verbose: bool, is_done: bool) -> Iterator[str]:
    """Yield the repairs that were made or, with ``is_done`` false, that are needed."""
    if not repairs:
        return
    if verbose:
        yield from map(repair_line, repairs)
    else:
        groups: dict[str, list[Repair]] = {}
        for repair in repairs:
            groups.setdefault(repair.code, []).append(repair)
        for code, held in groups.items():
            where = safe(str(held[0].at) or "/", _SHOWN)
            more = " and elsewhere" if len(held) > 1 else ""
            yield f"{code} {CODES[code].name} x{len(held)}: {CODES[code].says} ({where}{more})"
    total = f"repairs: {len(repairs)}" if is_done else f"needed, not done: {len(repairs)}"
    lists = "" if verbose else "-v lists them, "
    yield f"{total} ({lists}toolcanon explain CODE explains them)"


def repair_line(repair: Repair) -> str:
    """Return one repair in full."""
    change = f"{_shown(repair.before)} -> {_shown(repair.after)}"
    return f"{repair.code} {repair.name} at {safe(str(repair.at) or '/', _SHOWN)}: {change}"


def _shown(value: Json) -> str:
    return "nothing" if value is None else safe(safe_json(value, indent=None), _SHOWN)
