"""The words of this wire, each in its two spellings, and the notes that tell which was used."""

from __future__ import annotations

import re
from typing import Final

from toolcanon.jsonio.types import JsonObject

ID: Final = "gemini"

CALL: Final = "functionCall"
RESPONSE: Final = "functionResponse"
INLINE: Final = "inlineData"
FILE: Final = "fileData"
SEAL: Final = "thoughtSignature"
MIME: Final = "mimeType"
URI: Final = "fileUri"
TITLE: Final = "displayName"
_UPPER: Final = re.compile(r"([A-Z])")


def snake(key: str) -> str:
    """The other spelling of a key.

    >>> snake("functionCall")
    'function_call'
    """
    return _UPPER.sub(r"_\1", key).lower()


PAYLOADS: Final = {
    spelled: key
    for key in (
        "text",
        CALL,
        RESPONSE,
        INLINE,
        FILE,
        "executableCode",
        "codeExecutionResult",
        "toolCall",
        "toolResponse",
    )
    for spelled in (key, snake(key))
}
"""What a part can hold, one of them each, by either spelling."""

# Names of our notes on a part. Keys of the part itself that no field holds stand beside the notes,
# those of the object within it below INNER.
KEY: Final = "key"
INNER: Final = "inner"
BARE: Final = "bare"
SPELLED: Final = "spelled"
WRAPPED: Final = "wrapped"
WHOLE: Final = "whole"
ALPHABET: Final = "alphabet"


def pick(source: JsonObject, key: str) -> str | None:
    """The spelling under which an object has a key; None when it has not, or has null."""
    if source.get(key) is not None:
        return key
    other = snake(key)
    return other if source.get(other) is not None else None
