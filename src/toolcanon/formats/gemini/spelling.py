"""Names of fields in both case styles, and notes on which was used."""

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
    """Return the snake_case form of a key.

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
"""The kinds of a part, by either case style."""

# Names of our notes on a part. Unknown keys of the part itself are beside the notes, those of the
# object within it are below INNER.
KEY: Final = "key"
INNER: Final = "inner"
BARE: Final = "bare"
SPELLED: Final = "spelled"
WRAPPED: Final = "wrapped"
WHOLE: Final = "whole"
ALPHABET: Final = "alphabet"


def pick(source: JsonObject, key: str) -> str | None:
    """Return the form in which an object has a key; None when it is absent or null."""
    if source.get(key) is not None:
        return key
    other = snake(key)
    return other if source.get(other) is not None else None
