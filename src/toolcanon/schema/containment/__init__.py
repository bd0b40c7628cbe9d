"""Whether all values of one schema are values of another, with proof of the contrary."""

from .answer import Contained, answered, contained, shrink

__all__ = ["Contained", "answered", "contained", "shrink"]
