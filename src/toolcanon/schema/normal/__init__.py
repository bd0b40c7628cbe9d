"""Schemas in one spelling, and the cells it is made of."""

from .form import normal_form

__all__ = ["normal_form"]
