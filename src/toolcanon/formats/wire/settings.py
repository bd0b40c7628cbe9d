"""What stands beside the messages in a request and is not about tools."""

from __future__ import annotations

from toolcanon.formats.wire.codec import Told, foreign_keys, has_foreign, leftovers
from toolcanon.ir.conversation import Conversation
from toolcanon.jsonio.types import JsonObject


def restore_settings(
    out: JsonObject, conversation: Conversation, format_id: str, told: Told
) -> None:
    """Put settings of this format back in their place, and report those of others."""
    for key, value in leftovers(conversation.extras, format_id).items():
        out.setdefault(key, value)
    report_settings(conversation, format_id, told)


def report_settings(conversation: Conversation, format_id: str, told: Told) -> None:
    """Report the settings of other formats, which are left out."""
    if has_foreign(conversation.extras, format_id):
        told.lose("L318", ("extras",), foreign_keys(conversation.extras, format_id))
