"""What we say, as text. The payload is never made here."""

from .detection import detection_lines
from .explain import explain_lines, explain_list
from .formats import format_lines, formats_table
from .losses import Tally, loss_line

__all__ = [
    "Tally",
    "detection_lines",
    "explain_lines",
    "explain_list",
    "format_lines",
    "formats_table",
    "loss_line",
]
