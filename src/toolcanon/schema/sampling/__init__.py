"""Instances of schemas, valid and invalid."""

from .sampler import Coverage, Samples, sample

__all__ = ["Coverage", "Samples", "sample"]
