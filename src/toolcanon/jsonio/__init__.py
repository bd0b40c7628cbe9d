"""JSON at the border: one loader for untrusted text, pointers, canonical bytes, digests."""

from .canonical import canonical_bytes, digest
from .limits import DEEPEST, DEFAULT_LIMITS, LONGEST_NAME, Limits
from .load import Loaded, load, loads
from .pointer import Pointer
from .snapshot import Snapshot, copy_json, snapshot, thaw

__all__ = [
    "DEEPEST",
    "DEFAULT_LIMITS",
    "LONGEST_NAME",
    "Limits",
    "Loaded",
    "Pointer",
    "Snapshot",
    "canonical_bytes",
    "copy_json",
    "digest",
    "load",
    "loads",
    "snapshot",
    "thaw",
]
