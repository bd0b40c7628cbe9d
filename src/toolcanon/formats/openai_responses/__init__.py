"""OpenAI Responses: tools, messages, streams, and what it accepts."""

from .tools import FORMAT

__all__ = ["FORMAT"]
