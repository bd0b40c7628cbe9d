"""What only one format knows, kept so that writing back loses nothing.

Under a format's id stand its leftover keys as they were, and up to four entries of ours that
begin with a dollar sign: how empty values were spelled, which keys went by another name, which
shape the definition had, and a built-in tool whole.
"""

from __future__ import annotations

from typing import Final

from toolcanon.formats.wire.accepts import Known
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import JsonObject

SPELLING: Final = "$spelling"
KEYS: Final = "$keys"
SHAPE: Final = "$shape"
BUILTIN: Final = "$builtin"
OURS: Final = frozenset({SPELLING, KEYS, SHAPE, BUILTIN})

_NOTHING: Final[JsonObject] = {}


def own_extras(tool: CanonicalTool, format_id: str) -> JsonObject:
    """This format's entry, empty when there is none. Not to be changed."""
    extras = tool.__dict__.get("extras")
    return extras.get(format_id, _NOTHING) if extras else _NOTHING


def restore_extras(out: JsonObject, own: JsonObject, known: Known, *, verbatim: bool) -> JsonObject:
    """Put leftover keys back: all of them verbatim, otherwise what the provider accepts."""
    if not verbatim:
        for key, accepts in known.items():
            if key in own and key not in out and accepts(own[key]):
                out[key] = own[key]
        return out
    for key, value in own.items():
        if key not in OURS and key not in out:
            out[key] = value
    for key, value in own.get(SPELLING, _NOTHING).items():
        out.setdefault(key, value)
    renamed = own.get(KEYS)
    if not renamed:
        return out
    return {renamed.get(key, key): value for key, value in out.items()}
