"""The words of this wire that several modules use, and the names of our notes."""

from __future__ import annotations

import base64
import binascii
from typing import Final

from toolcanon.jsonio.types import Json

ID: Final = "bedrock"

SERVED: Final = "server_tool_use"
"""The type of a call that the provider answers itself; others have none, or ``tool_use``."""

# Notes: bytes that were bytes rather than base64 text, keys beside the one that says what a block
# is, and words that stood in a block of their own kind.
RAW: Final = "raw"
BESIDE: Final = "beside"
CITED: Final = "citationsContent"
GUARDED: Final = "guardContent"


def read_bytes(value: Json) -> tuple[str, bool] | None:
    """Base64 text of bytes, and whether they were raw, as the AWS SDKs have them."""
    if isinstance(value, str):
        return value, False
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode(), True
    return None


def write_bytes(data: str, *, raw: bool) -> Json:
    """The way back; a text that is no base64 stays a text."""
    if not raw:
        return data
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error:
        return data


def joined(content: Json, between: str = "\n") -> str | None:
    """The words of a list of texts; None when there is anything else in it."""
    if not isinstance(content, list):
        return None
    texts = [
        block["text"]
        for block in content
        if isinstance(block, dict) and block.keys() == {"text"} and isinstance(block["text"], str)
    ]
    return between.join(texts) if len(texts) == len(content) else None
