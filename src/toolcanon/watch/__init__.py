"""Baselines of tools, and alerts when tools change."""
