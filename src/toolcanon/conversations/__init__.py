"""Conversations: read, written, switched to another provider, trimmed, streamed."""
