"""The names for JSON values; the one place where ``Any`` is welcome."""

from __future__ import annotations

from typing import Any, TypeAlias

Json: TypeAlias = Any
"""Any JSON value: None, bool, int, float, str, list, dict with string keys."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object."""
