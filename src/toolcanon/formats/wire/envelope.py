"""A failure told in text, for targets that have no flag for it: ``{"ok":false,"error":…}``.

A failure that says more (``errorType``, ``details``) is such an envelope already and is sent as it
is. Reading takes exactly these shapes for a failure and nothing that merely resembles them, so
that a tool's own words stay its own.
"""

from __future__ import annotations

from typing import Final

from toolcanon.formats.wire.codec import NOTES, Told, dump, noted, read_arguments
from toolcanon.ir.conversation import Data, Result, Text
from toolcanon.ir.response import ERROR_KINDS
from toolcanon.jsonio.types import JsonObject

SAID: Final = "said"
"""A note: the envelope as it was read, so that writing it again is no news."""
_PLAIN: Final = frozenset({"ok", "error"})
_KINDS: Final = ("errorType", "error_type")
_FULL: Final = frozenset({*_PLAIN, *_KINDS, "details"})


def envelope(text: str) -> str:
    """The text that says so."""
    return dump({"ok": False, "error": text})


def _failure(text: str) -> JsonObject | None:
    """The failure that a text is; None for any other text."""
    if not text.startswith("{") or '"ok"' not in text:
        return None
    value, problem = read_arguments(text)
    is_one = (
        problem is None
        and _PLAIN <= value.keys() <= _FULL
        and value["ok"] is False
        and isinstance(value["error"], str)
        and all(value[key] in ERROR_KINDS for key in _KINDS if key in value)
        and isinstance(value.get("details", {}), dict)
    )
    return value if is_one else None


def unwrap_error(result: Result, format_id: str) -> None:
    """Where its one text, in front, is an envelope, the result is an error.

    Of a plain envelope the words are left; one that says more is told as it is.
    """
    first = result.content[0] if result.content else None
    if isinstance(first, Data) and len(result.content) == 1 and isinstance(first.value, dict):
        text = dump(first.value)
        if _failure(text) is not None:  # which a caller forgot to turn into text
            result.content = [first := Text(text)]
    if first.__class__ is not Text or first.extras is not None or first.text[:1] != "{":
        return
    failure = _failure(first.text)
    if failure is None or any(isinstance(part, Text) for part in result.content[1:]):
        return
    result.is_error = True
    if failure.keys() > _PLAIN:
        return
    kept = result.extras or {}
    own = kept.get(format_id, {})
    notes = {**own.get(NOTES, {}), SAID: first.text}
    result.extras = {**kept, format_id: {**own, NOTES: notes}}
    first.text = failure["error"]


def wrap_error(
    result: Result, text: str, format_id: str, told: Told, at: tuple[str | int, ...]
) -> str:
    """The envelope around a result's text, as it was read if it still says the same."""
    said: str | None = noted(result.extras, format_id).get(SAID)
    if said is not None and (_failure(said) or {}).get("error") == text:
        return said
    failure = _failure(text)
    if failure is not None and failure.keys() > _PLAIN:
        return text
    made = envelope(text)
    told.lose("L304", (*at, "is_error"), True, made)
    return made
