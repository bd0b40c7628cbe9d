"""The names the seed documents promise, each a thin layer over the one engine."""
