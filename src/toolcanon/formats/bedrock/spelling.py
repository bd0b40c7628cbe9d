"""Names of fields that several modules use, and of our notes."""

from __future__ import annotations

import base64
import binascii
from typing import Final

from toolcanon.jsonio.types import Json

ID: Final = "bedrock"

SERVED: Final = "server_tool_use"
"""The type of a call of a provider's tool; other calls have none, or ``tool_use``."""

# Notes: raw bytes instead of base64 text, keys beside the one of the block's kind, and text in a
# block of its own kind.
RAW: Final = "raw"
BESIDE: Final = "beside"
CITED: Final = "citationsContent"
GUARDED: Final = "guardContent"


def read_bytes(value: Json) -> tuple[str, bool] | None:
    """Return the base64 text of bytes, and whether they were raw, as in the AWS SDKs."""
    if isinstance(value, str):
        return value, False
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode(), True
    return None


def write_bytes(data: str, *, raw: bool) -> Json:
    """Return raw bytes or base64 text; other text stays a text."""
    if not raw:
        return data
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error:
        return data


def joined(content: Json, between: str = "\n") -> str | None:
    """Return the text of a list of texts; None when there are other values in it."""
    if not isinstance(content, list):
        return None
    texts = [
        block["text"]
        for block in content
        if isinstance(block, dict) and block.keys() == {"text"} and isinstance(block["text"], str)
    ]
    return between.join(texts) if len(texts) == len(content) else None
