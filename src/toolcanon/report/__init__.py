"""Reports as text and documents. Payloads are not made here."""

from .dialects import (
    dialect_lines,
    dialect_rules,
    dialect_sizes,
    format_lines,
    formats_table,
    keywords_by_support,
)
from .document import WRITERS, Look, Matrix, Meaning, ReportDocument, ReportWriter, Square
from .lines import (
    REJECTIONS,
    LossCounts,
    Sort,
    detection_lines,
    finding_lines,
    loss_line,
    verified_line,
    violation_lines,
)

__all__ = [
    "REJECTIONS",
    "WRITERS",
    "Look",
    "LossCounts",
    "Matrix",
    "Meaning",
    "ReportDocument",
    "ReportWriter",
    "Sort",
    "Square",
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
