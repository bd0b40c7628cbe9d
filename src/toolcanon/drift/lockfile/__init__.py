"""tools.lock: the definitions that were reviewed, and their differences from a server's tools."""

from .comparison import Compared, Merged, approved, compare, merge, without_tool
from .lock import About, Approval, Lock, LockedServer, LockedTool, read_lock_text, write_lock_text

__all__ = [
    "About",
    "Approval",
    "Compared",
    "Lock",
    "LockedServer",
    "LockedTool",
    "Merged",
    "approved",
    "compare",
    "merge",
    "read_lock_text",
    "without_tool",
    "write_lock_text",
]
