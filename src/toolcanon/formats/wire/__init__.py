"""What formats are made of; imports no format."""

from .extras import is_spelled, notes, own_extras, restore_extras
from .format import Format, Match, Target, Wire
from .plain import Plain, PlainForm
from .reading import build, build_builtin, reading, take

__all__ = [
    "Format",
    "Match",
    "Plain",
    "PlainForm",
    "Target",
    "Wire",
    "build",
    "build_builtin",
    "is_spelled",
    "notes",
    "own_extras",
    "reading",
    "restore_extras",
    "take",
]
