"""Types of JSON values, and JSON Pointers (RFC 6901)."""

from __future__ import annotations

from typing import Any, Self, TypeAlias

Json: TypeAlias = Any
"""Any JSON value: None, bool, int, float, str, list, dict with string keys."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object."""


class Pointer(tuple[str | int, ...]):
    """A place in a JSON document.

    >>> str(Pointer(("properties", "a/b", 0)))
    '/properties/a~1b/0'
    >>> Pointer.parse("/properties/a~1b/0") == Pointer(("properties", "a/b", "0"))
    True
    """

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a pointer; every step stays a string, as the text cannot tell keys from indices."""
        if not text:
            return cls()
        if not text.startswith("/"):
            msg = f"a JSON Pointer starts with '/': {text!r}"
            raise ValueError(msg)
        return cls(step.replace("~1", "/").replace("~0", "~") for step in text[1:].split("/"))

    def __truediv__(self, step: str | int) -> Pointer:
        return Pointer((*self, step))

    def __str__(self) -> str:
        text = "/".join(map(str, self))
        if "~" not in text and text.count("/") == len(self) - 1:  # nothing to escape
            return f"/{text}"
        return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in self)

    def __repr__(self) -> str:
        return f"Pointer({str(self)!r})"

    def resolve(self, document: Json) -> Json:
        """Return the value it points at; raises LookupError when there is none."""
        value = document
        for step in self:
            value = _below(value, step)
        return value

    def as_far_as(self, document: Json) -> Pointer:
        """Return the longest beginning of it that leads somewhere in a document."""
        value = document
        for count, step in enumerate(self):
            try:
                value = _below(value, step)
            except (LookupError, ValueError):  # a key where a list is
                return Pointer(self[:count])
        return self


def _below(value: Json, step: str | int) -> Json:
    if isinstance(value, dict):
        return value[step]
    if not isinstance(value, list):
        raise KeyError(step)
    index = int(step)
    if index < 0:
        raise IndexError(step)
    return value[index]
