"""Analysis of untrusted text, and its safe display."""

from .display import safe, safe_json

__all__ = ["safe", "safe_json"]
