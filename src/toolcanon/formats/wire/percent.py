"""Percent-encoding after RFC 3986: all that a request and a reference need of it."""

from __future__ import annotations

import re
from typing import Final

_RESERVED: Final = re.compile(r"[^A-Za-z0-9\-._~]")
# Reserved characters that cannot end a value of a query or make a second one of it.
_HARMFUL: Final = re.compile(r"[^A-Za-z0-9\-._~:/?@!$'()*,;]")
_NOT_IN_FRAGMENT: Final = re.compile(r"[^A-Za-z0-9\-._~/!$&'()*+,;=:@]")
_ESCAPE: Final = re.compile(rb"%([0-9A-Fa-f]{2})")


def encoded(text: str, *, reserved: bool = False) -> str:
    """Everything but unreserved characters escaped; ``reserved`` lets harmless others stand.

    >>> encoded("a/b c")
    'a%2Fb%20c'
    """
    return (_HARMFUL if reserved else _RESERVED).sub(_escaped, text)


def fragment(pointer: str) -> str:
    """A JSON Pointer as it stands behind the ``#`` of a reference."""
    return _NOT_IN_FRAGMENT.sub(_escaped, pointer)


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode(errors="surrogatepass"))


def decoded(text: str) -> str:
    """Return the text behind the escapes; invalid UTF-8 becomes replacement characters."""
    if "%" not in text:
        return text
    escaped = text.encode(errors="surrogatepass")
    raw = _ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), escaped)
    try:
        return raw.decode(errors="surrogatepass")
    except UnicodeDecodeError:
        return raw.decode(errors="replace")
