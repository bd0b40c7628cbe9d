"""Keys of a message that go with it, because nobody knows what they mean."""

from __future__ import annotations

from toolcanon.conversion.repairs.tale import Tale
from toolcanon.formats.wire.codec import foreign_keys
from toolcanon.ir.conversation import Extras, Message


def lose_keys(message: Message, tale: Tale, kept: Extras = None) -> None:
    """Report every such key, with its value, but for those of formats that are ``kept``."""
    found = foreign_keys(message.extras, "")
    keys = {format_: held for format_, held in found.items() if format_ not in (kept or ())}
    if keys:
        tale.lose("L308", message, "extras", before=keys, after=None)
