"""Detection, reading, binding, conversion."""

from toolcanon.calls.restore import RestoredCall

from .api import Conversion, bind, convert, read
from .binding import Binding
from .detect import Detection, detect
from .losses import observe

__all__ = [
    "Binding",
    "Conversion",
    "Detection",
    "RestoredCall",
    "bind",
    "convert",
    "detect",
    "observe",
    "read",
]
