"""What formats are made of; imports no format."""

from .flat_reader import build, build_builtin, reading, take
from .format import (
    Format,
    LoweredTool,
    Match,
    WritableFormat,
    codec_beside,
    is_spelled,
    notes,
    own_extras,
    restore_extras,
)

__all__ = [
    "Format",
    "LoweredTool",
    "Match",
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
