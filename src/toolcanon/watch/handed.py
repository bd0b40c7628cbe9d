"""Secret values that were passed to a server, and the forms in which it may repeat them.

Servers repeat what they get: in a description, an example, the name of a tool. Values that are
secret by their name, or long, are masked wherever they occur; others only as whole words, and not
when they are common: numbers, paths, ``production``.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final
from urllib.parse import unquote, unquote_plus

from toolcanon.text.credentials import credential
from toolcanon.text.secrets import (
    MASK,
    is_secret_name,
    mask_known,
    secrets_of_command,
    secrets_of_url,
)

_ANYWHERE: Final = 8
"""The length from which secrets are masked inside words; shorter ones occur by chance."""
_WORD: Final = 4
_VALUE: Final = 6
"""The shortest variable value that is masked; shorter ones are modes or levels."""
_PATH: Final = re.compile(r"[/~]|\.{1,2}/|[A-Za-z]:[\\/]")
_NUMBER: Final = re.compile(r"[-+]?\d{1,5}|[-+]?\d*\.\d+")
_COMMON: Final = frozenset(
    "allow always auto basic bearer critical debug default deny development disable disabled "
    "dynamic enable enabled error false global http https info json latest legacy local "
    "localhost main master never none normal null object plain prod production public read "
    "readonly release remote sandbox simple stable stage staging standard static stdio strict "
    "string system test testing text token trace true utf-8 verbose warn warning write xml "
    "yaml yes".split()
)
# Headers that describe the request and are not secret.
_OPEN_HEADERS: Final = frozenset(
    "accept accept-charset accept-encoding accept-language cache-control connection content-type "
    "host mcp-protocol-version origin referer user-agent".split()
)


class Handed:
    """Values that must not be stored in files."""

    def __init__(self, secrets: Iterable[str], words: Iterable[str] = ()) -> None:
        given = {value for value in secrets if value != MASK}
        self.anywhere: Final = frozenset(value for value in given if len(value) >= _ANYWHERE)
        short = (value for value in given if len(value) < _ANYWHERE and _is_telling(value))
        self._short = frozenset(short)
        self._words = frozenset(filter(_is_telling, words)) - self.anywhere

    def sparing(self, names: Iterable[str]) -> Handed:
        """Return these values without words that are names of tools, which must stay readable."""
        return Handed((*self.anywhere, *self._short), self._words - set(names))

    def masked(self, value: Any) -> Any:
        """Return a copy of plain JSON with these values masked, also in keys."""
        if not self.anywhere and self._pattern is None:
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.masked(item) for item in value]
        if isinstance(value, dict):
            return {self._text(key): self.masked(item) for key, item in value.items()}
        return value

    def _text(self, text: str) -> str:
        text = mask_known(text, self.anywhere)
        return text if self._pattern is None else self._pattern.sub(MASK, text)

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        ordered = sorted(self._short | self._words, key=lambda word: (-len(word), word))
        found = "|".join(map(re.escape, ordered))
        return re.compile(rf"(?<!\w)(?:{found})(?!\w)") if found else None


def handed_to_command(command: Sequence[str], env: Mapping[str, str]) -> Handed:
    """Return the secrets of a command line, and the values of variables.

    >>> Handed.masked(handed_to_command(["serve"], {"TENANT": "acme-42x"}), ["for acme-42x only"])
    ['for *** only']
    """
    secrets, words = [*secrets_of_command(command)], []
    for name, value in env.items():
        if is_secret_name(name) or credential(value, name):
            secrets.append(value)
        elif len(value) >= _VALUE:
            words.append(value)
        secrets += secrets_of_url(value) if "://" in value else ()
    return Handed(secrets, words)


def handed_to_url(url: str, headers: Mapping[str, str]) -> Handed:
    """Return the secrets of an address, also percent-encoded, and the values of headers."""
    found = [form for value in secrets_of_url(url) for form in _forms(value)]
    for name, value in headers.items():
        if name.lower() not in _OPEN_HEADERS:
            found += [value, *value.split()]
    return Handed(found)


def _forms(value: str) -> Iterator[str]:
    """Yield a value as written, unquoted, and as browsers send user and password."""
    for form in dict.fromkeys((value, unquote(value), unquote_plus(value))):
        yield form
        if ":" in form:
            yield b64encode(form.encode()).decode()


def _is_telling(value: str) -> bool:
    """Return whether a value is unlikely to occur by chance."""
    is_usual = value.lower() in _COMMON or _NUMBER.fullmatch(value) or _PATH.match(value)
    return len(value) >= _WORD and not is_usual
