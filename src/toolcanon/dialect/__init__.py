"""What a target accepts, as data."""

from .dialect import Dialect, ReferenceRules, SizeLimits
from .tables import JSON_SCHEMA, NamePolicy, Source, Support, table

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
