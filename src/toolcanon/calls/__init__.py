"""Calls of bound tools: brought back, repaired, and rendered as a model writes them."""
