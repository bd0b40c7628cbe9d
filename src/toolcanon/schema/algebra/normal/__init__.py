"""The normal form of schemas, and the cells it consists of."""

from .form import normal_form

__all__ = ["normal_form"]
