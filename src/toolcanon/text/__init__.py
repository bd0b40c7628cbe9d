"""Untrusted text made safe to show."""

from .safe import safe, safe_json

__all__ = ["safe", "safe_json"]
