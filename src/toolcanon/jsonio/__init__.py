"""JSON at the border: one loader for untrusted text, pointers, canonical bytes, digests."""

from .canonical import canonical_bytes, digest, odd_key
from .load import (
    DEEPEST,
    DEFAULT_LIMITS,
    LONGEST_NAME,
    Limits,
    Loaded,
    current_limits,
    loads,
    loads_line,
    within,
)
from .snapshot import (
    Snapshot,
    compact,
    copy_json,
    exact_bytes,
    exact_text,
    is_pure,
    snapshot,
    thaw,
)
from .types import Pointer

__all__ = [
    "DEEPEST",
    "DEFAULT_LIMITS",
    "LONGEST_NAME",
    "Limits",
    "Loaded",
    "Pointer",
    "Snapshot",
    "canonical_bytes",
    "compact",
    "copy_json",
    "current_limits",
    "digest",
    "exact_bytes",
    "exact_text",
    "is_pure",
    "loads",
    "loads_line",
    "odd_key",
    "snapshot",
    "thaw",
    "within",
]
