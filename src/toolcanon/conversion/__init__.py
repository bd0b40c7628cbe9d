"""Detection, reading, binding, conversion."""

from .api import Conversion, bind, convert, read
from .binding import Binding
from .calls import Restored
from .detect import Detection, detect
from .observe import observe
from .rows import Converter

__all__ = [
    "Binding",
    "Conversion",
    "Converter",
    "Detection",
    "Restored",
    "bind",
    "convert",
    "detect",
    "observe",
    "read",
]
