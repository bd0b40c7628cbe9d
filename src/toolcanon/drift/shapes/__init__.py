"""Shapes of responses: learned from samples, merged and compared, without any value."""

from .compare import ShapeComparison, compare_shapes
from .schema_expectations import against_schema
from .shape import Shape

__all__ = ["Shape", "ShapeComparison", "against_schema", "compare_shapes"]
