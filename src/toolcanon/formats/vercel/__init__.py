"""Vercel AI SDK: tools, messages in two layouts, streams, and what it accepts."""

from .tools import FORMAT

__all__ = ["FORMAT"]
