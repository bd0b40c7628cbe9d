"""A failure told in text, for targets that have no flag for it: ``{"ok":false,"error":…}``.

Reading takes exactly this shape for a failure and nothing that merely resembles it, so that a
tool's own words stay its own.
"""

from __future__ import annotations

from typing import Final

from toolcanon.formats.wire.codec import NOTES, Told, dump, noted, read_arguments
from toolcanon.ir.conversation import Result, Text

SAID: Final = "said"
"""A note: the envelope as it was read, so that writing it again is no news."""


def envelope(text: str) -> str:
    """The text that says so."""
    return dump({"ok": False, "error": text})


def read_envelope(text: str) -> str | None:
    """What it says; None for any other text."""
    if not text.startswith("{") or '"ok"' not in text:
        return None
    value, problem = read_arguments(text)
    if problem is None and value.keys() == {"ok", "error"} and value["ok"] is False:
        return value["error"] if isinstance(value["error"], str) else None
    return None


def unwrap_error(result: Result, format_id: str) -> None:
    """Where its one text, in front, is an envelope, the result is an error with that text."""
    first = result.content[0] if result.content else None
    if first.__class__ is not Text or first.extras is not None or first.text[:1] != "{":
        return
    text = read_envelope(first.text)
    if text is None or any(isinstance(part, Text) for part in result.content[1:]):
        return
    result.is_error = True
    kept = result.extras or {}
    own = kept.get(format_id, {})
    notes = {**own.get(NOTES, {}), SAID: first.text}
    result.extras = {**kept, format_id: {**own, NOTES: notes}}
    first.text = text


def wrap_error(
    result: Result, text: str, format_id: str, told: Told, at: tuple[str | int, ...]
) -> str:
    """The envelope around a result's text, as it was read if it still says the same."""
    said: str | None = noted(result.extras, format_id).get(SAID)
    if said is not None and read_envelope(said) == text:
        return said
    made = envelope(text)
    told.lose("L304", (*at, "is_error"), True, made)
    return made
