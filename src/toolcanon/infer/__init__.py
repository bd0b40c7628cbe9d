"""What a tool seems to do, read from its words and hints, with the evidence."""

from .capability import Inference, infer

__all__ = ["Inference", "infer"]
