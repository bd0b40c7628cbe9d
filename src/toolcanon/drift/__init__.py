"""What changed between two versions of a tool, whom it hurts, and the proof."""
