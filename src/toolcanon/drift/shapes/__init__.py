"""Shapes of responses: learned from samples, merged and compared, without any value."""

from .comparing import ShapeComparison, compare_shapes
from .declared import against_schema
from .shape import Shape

__all__ = ["Shape", "ShapeComparison", "against_schema", "compare_shapes"]
