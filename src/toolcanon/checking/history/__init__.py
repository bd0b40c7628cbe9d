"""The checks of a conversation against the rules of a provider."""

from .lint import lint_history

__all__ = ["lint_history"]
