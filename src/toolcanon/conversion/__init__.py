"""Detection, reading, binding, conversion."""

from .api import Conversion, bind, convert, read
from .binding import Binding
from .calls import RestoredCall
from .detect import Detection, detect
from .observe import observe

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
