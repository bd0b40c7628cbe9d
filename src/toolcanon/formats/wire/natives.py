"""Parts that only one format knows, and where in its messages they go back to."""

from __future__ import annotations

from typing import Final, TypeAlias

from toolcanon.formats.wire.codec import Told, foreign_keys, has_foreign
from toolcanon.ir.conversation import Native, Part
from toolcanon.jsonio.types import Json

Place: TypeAlias = tuple[str | int, ...]


_SERVED: Final = "server_tool_use"


def is_unread_call(part: Part, format_id: str, types: tuple[str, ...]) -> bool:
    """Whether a part is a call of a format that its reader could not read: ``types`` are those.

    A call that the provider answers itself may look alike; its type shows it.
    """
    if not isinstance(part, Native) or part.format != format_id or part.type not in types:
        return False
    inner = part.value.get(part.type) if isinstance(part.value, dict) else None
    return not (isinstance(inner, dict) and inner.get("type") == _SERVED)


class Natives:
    """Of one format. The type of a part is led by its place: ``content.thing``."""

    __slots__ = ("_id",)

    def __init__(self, format_id: str) -> None:
        self._id = format_id

    def make(self, place: str, value: Json) -> Native:
        """What has no other shape; ``place`` says what it is a part of."""
        kind = value.get("type") if isinstance(value, dict) else None
        return Native(self._id, f"{place}.{kind}" if isinstance(kind, str) else place, value)

    def has(self, part: Native, place: str) -> bool:
        """Whether it is of this format and goes there."""
        return part.format == self._id and part.type.partition(".")[0] == place

    def tell_foreign(self, part: Part, told: Told, at: Place) -> None:
        """Report keys of another provider that go no further."""
        if part.__class__ is not Native and has_foreign(part.extras, self._id):  # type: ignore[union-attr]
            told.lose("L308", (*at, "extras"), foreign_keys(part.extras, self._id))  # type: ignore[union-attr]
