"""The commands. Only click is imported here; a command imports what it needs when it runs."""

from .main import toolcanon
from .watch import toolwatch

__all__ = ["toolcanon", "toolwatch"]
