"""Escape untrusted text for display.

Tool descriptions can contain escape sequences that rewrite a terminal, bidirectional controls that
reorder a line, and invisible characters. They are made visible, never executed and never removed.
"""

from __future__ import annotations

import json
import re

from toolcanon.jsonio.types import Json

# DEL and C1 controls, soft hyphen, Arabic letter mark, Hangul and Mongolian fillers,
# zero-width and bidirectional controls, line separators, interlinear marks, tags, specials.
_HIDDEN = (
    "\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U000e0000-\U000e0fff\ud800-\udfff"
)
_UNSAFE = re.compile(f"[\x00-\x1f{_HIDDEN}]")
_JSON_UNSAFE = re.compile(f"[{_HIDDEN}]")  # JSON escapes the first 32 by itself


def safe(text: object, limit: int | None = None) -> str:
    r"""Return one line of text with every control and invisible character escaped.

    >>> safe("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    shown = _UNSAFE.sub(_spell, str(text))
    if limit is not None and len(shown) > limit:
        return f"{shown[:limit]}… {len(shown) - limit:,} more characters"
    return shown


def safe_json(value: Json, *, indent: int | None = 2) -> str:
    """Return JSON text of the same value with hidden characters as escapes."""
    separators = None if indent else (",", ":")
    text = json.dumps(value, indent=indent, ensure_ascii=False, separators=separators)
    return _JSON_UNSAFE.sub(_escape, text)


def _spell(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point < 0x100:  # noqa: PLR2004 - two hex digits reach this far
        return {9: "\\t", 10: "\\n", 13: "\\r"}.get(point, f"\\x{point:02x}")
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"  # noqa: PLR2004


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]
