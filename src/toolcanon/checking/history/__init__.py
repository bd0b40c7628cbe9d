"""A conversation against the rules of the provider it is meant for."""

from .lint import lint_history

__all__ = ["lint_history"]
