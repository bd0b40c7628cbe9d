"""Whether all values of one schema are values of another, with proof of the contrary."""

from .answer import Contained, contained
from .witness import shrink

__all__ = ["Contained", "contained", "shrink"]
