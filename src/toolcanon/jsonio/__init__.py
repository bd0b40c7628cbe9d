"""JSON at the border: one loader for untrusted text, pointers, canonical bytes, digests."""

from .canonical import canonical_bytes, digest
from .keys import odd_key
from .limits import DEEPEST, DEFAULT_LIMITS, LONGEST_NAME, Limits, current_limits, within
from .lines import loads_line
from .load import Loaded, loads
from .pointer import Pointer
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
