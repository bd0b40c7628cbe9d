"""Constrained-decoding engines as judges: what they take byte by byte, and what they ignore.

``python -m tests.engines`` measures those that are installed and prints what it found.
"""
