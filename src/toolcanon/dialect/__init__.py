"""What a target accepts, as data."""

from .dialect import Dialect, ReferenceRules, SizeLimits
from .names import NamePolicy
from .source import Source
from .support import Support
from .tables import JSON_SCHEMA, table

__all__ = [
    "JSON_SCHEMA",
    "Dialect",
    "NamePolicy",
    "ReferenceRules",
    "SizeLimits",
    "Source",
    "Support",
    "table",
]
