"""What stands beside the messages in a request and is not about tools."""

from __future__ import annotations

from toolcanon.formats.wire.codec import NOTES, Told, has_foreign, leftovers
from toolcanon.ir.conversation import Conversation
from toolcanon.jsonio.types import JsonObject


def restore_settings(
    out: JsonObject, conversation: Conversation, format_id: str, told: Told
) -> None:
    """Settings of this format go back to their place, the names of all others are told."""
    extras = conversation.extras
    for key, value in leftovers(extras, format_id).items():
        out.setdefault(key, value)
    if extras is not None and has_foreign(extras, format_id):
        kept = (left for id_, left in extras.items() if id_ != format_id)
        told.lose("L318", ("extras",), sorted({key for left in kept for key in left} - {NOTES}))
