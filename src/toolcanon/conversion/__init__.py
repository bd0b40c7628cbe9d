"""Detection, reading, binding, conversion."""

from .api import Conversion, bind, convert, read
from .binding import Binding
from .calls import Restored
from .detect import Detection, detect
from .observe import observe

__all__ = [
    "Binding",
    "Conversion",
    "Detection",
    "Restored",
    "bind",
    "convert",
    "detect",
    "observe",
    "read",
]
