"""Containment: whether every value of one schema is valid for another, or a witness."""

from .answer import Contained, answered, contained, shrink

__all__ = ["Contained", "answered", "contained", "shrink"]
