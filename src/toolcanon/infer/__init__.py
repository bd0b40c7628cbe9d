"""What a tool does, inferred from its text and hints, with the evidence."""

from .capability import (
    infer,
    parameter_words,
)
from .phrases import words_of

__all__ = [
    "infer",
    "parameter_words",
    "words_of",
]
