"""What a provider accepts under a key of its own: small predicates to build tables from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from toolcanon.jsonio.types import Json

Accepts: TypeAlias = Callable[[Json], bool]
Known: TypeAlias = Mapping[str, Accepts]
"""The leftover keys a provider knows, each with the values it takes."""


def anything(value: Json) -> bool:
    """Any value at all."""
    del value
    return True


def of_type(*types: type) -> Accepts:
    """A value of one of these JSON types, exactly (a boolean is no number)."""
    return lambda value: type(value) in types


def one_of(*values: Json) -> Accepts:
    """One of a few scalars; 1 is not True."""
    return lambda value: any(type(value) is type(known) and value == known for known in values)


def list_of(accepts: Accepts) -> Accepts:
    """A list whose every element is accepted."""
    return lambda value: isinstance(value, list) and all(map(accepts, value))


def members(required: Known, optional: Known | None = None) -> Accepts:
    """An object with these members and no others."""
    known = {**required, **(optional or {})}
    return lambda value: (
        isinstance(value, dict)
        and required.keys() <= value.keys() <= known.keys()
        and all(known[key](item) for key, item in value.items())
    )


def either(*choices: Accepts) -> Accepts:
    """Whatever one of these accepts."""
    return lambda value: any(accepts(value) for accepts in choices)
