"""What formats are made of; imports no format."""

from .extras import is_spelled, notes, own_extras, restore_extras
from .format import Format, Match, Wire, WritableFormat, codec_beside
from .reading import build, build_builtin, reading, take

__all__ = [
    "Format",
    "Match",
    "Wire",
    "WritableFormat",
    "build",
    "build_builtin",
    "codec_beside",
    "is_spelled",
    "notes",
    "own_extras",
    "reading",
    "restore_extras",
    "take",
]
