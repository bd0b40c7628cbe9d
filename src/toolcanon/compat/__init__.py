"""The interfaces of the seed documents, each a thin layer over the one engine."""
