"""Untrusted text for display: escaped, and nothing hidden by layout.

Thousands of blanks or line breaks push the text behind them out of sight. They become a count.
"""

from __future__ import annotations

import re

from toolcanon.text.safe import safe

_RUN = 20
_BLANK = r"\\[ntr]| |[\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]"
_BLANKS = re.compile(rf"(?:{_BLANK}){{{_RUN},}}")
_ONE = re.compile(_BLANK)
# Not a character, and not allowed in XML.
_NONE = re.compile(
    "[\ufdd0-\ufdef"
    + "".join(chr(plane * 0x10000 + last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
    + "]"
)


def shown(text: object, limit: int | None = None) -> str:
    r"""Return one line of escaped text, with long runs of blanks and cut text as counts.

    >>> shown("a" + " " * 5000 + "b\x1b")
    'a[5,000 blanks]b\\x1b'
    """
    spelled = _NONE.sub(lambda found: f"\\U{ord(found.group()):08x}", safe(text))
    return safe(_BLANKS.sub(_counted, spelled), limit)


def _counted(run: re.Match[str]) -> str:
    return f"[{sum(1 for _ in _ONE.finditer(run.group())):,} blanks]"
