"""The ids of the formats in this package, as a string enum.

A format's module is its id with underscores, so that the names of the modules are enough: no
format is imported here, and adding one needs no change.
"""

from __future__ import annotations

import pkgutil
from enum import StrEnum
from importlib import import_module
from typing import Final

_NO_FORMATS: Final = frozenset({"wire", "clients"})
_PACKAGE: Final = import_module("toolcanon.formats")  # empty: it imports no format

SourceFormat = StrEnum(  # type: ignore[misc]  # the members are found, not listed
    "SourceFormat",
    {
        module.name: module.name.replace("_", "-")
        for module in pkgutil.iter_modules(_PACKAGE.__path__)
        if module.name not in _NO_FORMATS
    },
    module=__name__,
)


def source_format_of(format_id: str) -> str:
    """The member of ``SourceFormat`` with this id; the id itself where a plugin has the format."""
    try:
        return SourceFormat(format_id)
    except ValueError:
        return format_id
