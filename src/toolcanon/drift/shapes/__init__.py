"""What responses look like: learned from samples, merged, compared, without keeping a value."""

from .comparing import ShapeComparison, compare_shapes
from .declared import against_schema
from .shape import Shape

__all__ = ["Shape", "ShapeComparison", "against_schema", "compare_shapes"]
