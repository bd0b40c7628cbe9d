"""Read any payload, bind tools to a target, and carry them back."""

from .api import Conversion, bind, convert, read
from .binding import Binding
from .detect import Detection, detect

__all__ = ["Binding", "Conversion", "Detection", "bind", "convert", "detect", "read"]
