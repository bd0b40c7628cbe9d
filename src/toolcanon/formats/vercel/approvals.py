"""Approvals of users: a member of a UI tool part, separate parts in ModelMessages."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.vercel.spelling import REQUEST, RESPONSE, left_of
from toolcanon.ir.conversation import Call
from toolcanon.jsonio.types import Json, JsonObject

_ASKING: Final = {
    "isAutomatic": "isAutomatic",
    "requestReason": "reason",
    "inputSchemaInput": "inputSchemaInput",
    "signature": "signature",
}
"""Members of an approval, and their names in the approval request."""


def _approval(call: Call) -> JsonObject:
    found = left_of(call.extras).get("approval")
    return found if isinstance(found, dict) and isinstance(found.get("id"), str) else {}


def request_of(call: Call) -> list[Json]:
    """Return the part that requests approval of a call read from a UI message."""
    approval = _approval(call)
    if not approval:
        return []
    out: JsonObject = {"type": REQUEST, "approvalId": approval["id"], "toolCallId": call.id}
    return [
        {**out, **{there: approval[here] for here, there in _ASKING.items() if here in approval}}
    ]


def response_of(call: Call) -> list[Json]:
    """Return the part that answers the request."""
    approval = _approval(call)
    if not isinstance(approval.get("approved"), bool):
        return []
    out: JsonObject = {"type": RESPONSE, "approvalId": approval["id"]}
    return [{**out, **{key: approval[key] for key in ("approved", "reason") if key in approval}}]


def asked(part: JsonObject) -> JsonObject:
    """Return the approval of a UI tool part, from its request part."""
    found = {here: part[there] for here, there in _ASKING.items() if there in part}
    return {"id": part.get("approvalId"), **found}
