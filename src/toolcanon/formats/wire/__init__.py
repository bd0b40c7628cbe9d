"""What formats are made of; imports no format."""

from .extras import KEYS, SHAPE, SPELLING, own_extras, restore_extras
from .format import Format, Match, Plain, PlainForm, Target, Wire
from .reading import build, reading, take

__all__ = [
    "KEYS",
    "SHAPE",
    "SPELLING",
    "Format",
    "Match",
    "Plain",
    "PlainForm",
    "Target",
    "Wire",
    "build",
    "own_extras",
    "reading",
    "restore_extras",
    "take",
]
