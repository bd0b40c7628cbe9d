"""Keys that readers kept aside: which of them went along, and which were lost with a wrapper.

A key beside the wrapped definition is kept among the notes on how a definition was written, but
says something all the same. A key of the target's own, which another's envelope carried for it,
is written there and not lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.conversion.predicted_losses import are_carried
from toolcanon.diagnostics import CODES, Loss
from toolcanon.formats.wire import WritableFormat
from toolcanon.formats.wire.extras import AROUND, NOTES, notes
from toolcanon.formats.wire.rivals import rivals
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json
from toolcanon.registry import get_format

_SPELLING: Final = "L011"
_DEPTH: Final = 3  # extras, the format, the key
_SILENT: Final[tuple[Json, ...]] = (None, "", [], {})


def with_kept_keys(tool: CanonicalTool, found: list[Loss], target: WritableFormat) -> list[Loss]:
    """The losses of a tool, with what became of keys that its reader kept aside."""
    added: dict[str | int, Json] = {}
    if are_carried(tool.__dict__["extras"], target):
        added = {
            loss.at[2]: loss.after
            for loss in found
            if loss.at[:2] == ("extras", target.id) and loss.before is None and loss.at[2] != NOTES
        }
    out: list[Loss] = []
    for loss in found:
        if loss.at[:1] != ("extras",) or len(loss.at) != _DEPTH:
            out.append(loss)
            continue
        key = loss.at[2]
        if key == NOTES:
            out += _around(tool, loss, target, added)
            out.append(loss)
        elif key in added and added[key] in (loss.before, loss.after):
            out.append(_as(_SPELLING, loss))  # it stands elsewhere now
        else:
            out.append(loss)
    return out


def _around(
    tool: CanonicalTool, loss: Loss, target: WritableFormat, added: dict[str | int, Json]
) -> Iterator[Loss]:
    """Keys beside a wrapped definition that are gone with the notes on it."""
    format_id = str(loss.at[1])
    held = notes({NOTES: loss.before or {}}).get(AROUND, {})
    if not held or get_format(format_id).is_document:
        return
    told = {rival.at for rival in rivals(tool)}
    code = "L010" if format_id == target.id else "L009"
    for key, value in held.items():
        place = (*map(str, loss.at), AROUND, key)
        if key == "type" or place in told or value in _SILENT or added.get(key) == value:
            continue
        yield _as(code, loss._replace(at=Pointer(place), before=value, after=None))


def _as(code: str, loss: Loss) -> Loss:
    entry = CODES[code]
    return loss._replace(code=code, name=entry.name, effect=entry.effect)
