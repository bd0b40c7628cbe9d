"""Reports as text and documents. Payloads are not made here."""

from .detection import detection_lines
from .dialects import dialect_lines, dialect_rules, dialect_sizes, keywords_by_support
from .document import Document, Matrix, Meaning, Square
from .findings import finding_lines
from .formats import format_lines, formats_table
from .losses import REJECTIONS, Sort, Tally, loss_line
from .verification import verified_line, violation_lines
from .writers import WRITERS, Look, Writer

__all__ = [
    "REJECTIONS",
    "WRITERS",
    "Document",
    "Look",
    "Matrix",
    "Meaning",
    "Sort",
    "Square",
    "Tally",
    "Writer",
    "detection_lines",
    "dialect_lines",
    "dialect_rules",
    "dialect_sizes",
    "finding_lines",
    "format_lines",
    "formats_table",
    "keywords_by_support",
    "loss_line",
    "verified_line",
    "violation_lines",
]
