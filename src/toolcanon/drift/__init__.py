"""Differences between two versions of a tool, who breaks, and the proof."""
