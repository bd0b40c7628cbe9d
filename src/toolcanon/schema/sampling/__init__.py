"""Valid instances of schemas."""

from .sampler import sample

__all__ = ["sample"]
