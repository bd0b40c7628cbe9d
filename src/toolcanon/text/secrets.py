"""Secrets found in values, and masked in what is shown.

Of an environment and of headers only the names are ever displayed. In commands, addresses and free
text secrets are found by position (after ``--token``, in a query, before an ``@``) and by form.
Everything here is pure; a mask reveals nothing about the value.

Reported are keys in the form of their issuer, private keys, passwords in URLs, and random values
under the name of a secret. Placeholders, examples from manuals and variables are not.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

MASK: Final = "***"
Span = tuple[int, int]

_SHORTEST: Final = 4
"""A shorter known value is not masked: it is no secret, and would mask half of a text."""

_WORDS = (
    "access[-_.]?key api[-_.]?key apikey auth authorization bearer connection[-_.]?string cookie "
    "credentials? dsn jwt key pass passphrase passwd password pat private[-_.]?key pwd secret "
    "secret[-_.]?key session[-_.]?id sig signature token"
).split()
_SECRET_NAME = re.compile(rf"(?:^|[-_.])(?:{'|'.join(_WORDS)})(?:$|[-_.])", re.IGNORECASE)
# `--token-file` and the like name a place, not a value.
_ABOUT = re.compile(
    r"[-_.]?(?:count|dir|endpoint|env|file|folder|host|length|limit|name|path|type|ur[il]|var)$",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_URL = re.compile(r"(?<![\w+.-])[a-zA-Z][\w+.-]{0,30}://[^\s\"'<>`]*[^\s\"'<>`.,;:!?)]")
_USER_INFO = re.compile(r"://([^/?#]*)@")
_QUERY = re.compile(r"[?&;#](?:[^=&;#]*=)([^&;#]*)")
_NAMED = re.compile(
    r"(?<![\w.-])([\w.-]{1,80})[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?"
    r"((?:(?:Bearer|Basic|Token)[ \t]{1,3})?[^\s\"',;&|<>()`]+)",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"\b(?:Bearer|Basic)[ \t]{1,3}([\w.~+/=-]{6,})", re.IGNORECASE)
# Prefixes of issued keys, and long runs of mixed letters and digits.
_KEY = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:sk|pk|rk)[-_][\w-]{8,}|gh[opsur]_\w{16,}|github_pat_\w{16,}"
    r"|glpat-[\w-]{12,}|xox[a-z]-[\w-]{8,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[\w-]{20,}"
    r"|hf_\w{16,}|npm_\w{16,}|pypi-[\w-]{16,}|eyJ[\w-]{8,}\.[\w.-]{8,})"
)
_RUN = re.compile(r"(?<![\w+-])[A-Za-z0-9_+-]{24,}")
_OPTION = re.compile(r"--?([A-Za-z][\w.-]*)")
_ASSIGNED = re.compile(r"(?:--?)?([A-Za-z_][\w.-]*)=")
_HEADER = re.compile(r"\s*([A-Za-z][\w-]*)\s*[:=]\s*(?:(?:Bearer|Basic|Token)\s+)?", re.IGNORECASE)
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
# A value with one of these may be a program: `sh -c "TOKEN=x; …"` must not hide what follows.
_CODE = re.compile(r"[\s;|&<>()`]")
_HEADER_OPTIONS: Final = ("-H", "--header", "--headers")
_ENV_OPTIONS: Final = ("-e", "--env")


def is_secret_name(name: str) -> bool:
    """Return whether a variable, an option or a header of this name has a secret value.

    >>> [is_secret_name(name) for name in ("api-key", "myToken", "--max-tokens", "key-file")]
    [True, True, False, False]
    """
    words = _CAMEL.sub("-", name.lstrip("-"))
    return bool(_SECRET_NAME.search(words)) and not _ABOUT.search(words)


def mask_command(command: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a command line with secrets masked, as many as there were.

    >>> mask_command(["npx", "server", "--token", "abc", "--url=https://u:p@host/?k=v"])
    ('npx', 'server', '--token', '***', '--url=https://***@host/?k=***')
    """
    return tuple(_masked(word, spans) for word, spans in _command_spans(command))


def secrets_of_command(command: Sequence[str]) -> tuple[str, ...]:
    """Return the secrets that ``mask_command`` masks."""
    return tuple(word[start:end] for word, spans in _command_spans(command) for start, end in spans)


def mask_url(url: str) -> str:
    """Return a URL without its user, the values of its query and what looks like a key.

    >>> mask_url("https://me:pw@host/mcp?key=1&debug=2")
    'https://***@host/mcp?key=***&debug=***'
    """
    return _masked(url, _url_spans(url, 0) + _key_spans(url))


def secrets_of_url(url: str) -> tuple[str, ...]:
    """Return the secrets that ``mask_url`` masks; user and password also separately."""
    found = [url[start:end] for start, end in _url_spans(url, 0) + _key_spans(url)]
    return tuple(piece for text in found for piece in (text, *text.split(":")))


def mask_text(text: str, known: Iterable[str] = ()) -> str:
    """Return free text without known secrets and without what looks like one.

    >>> mask_text("cannot log in with hunter2 at db://u:p@host", ["hunter2"])
    'cannot log in with *** at db://***@host'
    """
    text = mask_known(text, known)
    return _masked(text, _text_spans(text))


def mask_known(text: str, known: Iterable[str]) -> str:
    """Return text without these values, the longest first; nothing else is masked.

    >>> mask_known("a key is swordfish", ["sword", "swordfish", "a"])
    'a key is ***'
    """
    values = {value for value in known if len(value) >= _SHORTEST and value != MASK}
    for value in sorted(values, key=lambda value: (-len(value), value)):
        text = text.replace(value, MASK)
    return text


def _command_spans(command: Sequence[str]) -> Iterator[tuple[str, list[Span]]]:
    before = ""
    for word in command:
        yield word, _word_spans(word, before)
        before = word


def _word_spans(word: str, before: str) -> list[Span]:
    """Return the secret parts of one word of a command, given the word before it."""
    option = _OPTION.fullmatch(before)
    if option and is_secret_name(option[1]) and not word.startswith("--"):
        return [(0, len(word))]
    if before in _HEADER_OPTIONS:
        header = _HEADER.match(word)
        return [(header.end() if header else 0, len(word))]
    for named in filter(None, (_ASSIGNED.match(word), _HEADER.match(word))):
        is_variable = before in _ENV_OPTIONS and bool(_VARIABLE.fullmatch(named[1]))
        may_be_code = not word.startswith("-") and _CODE.search(word, named.end())
        if (is_variable or is_secret_name(named[1])) and not may_be_code:
            return [(named.end(), len(word))]
    return _text_spans(word)


def _text_spans(text: str) -> list[Span]:
    spans = [span for url in _URL.finditer(text) for span in _url_spans(url[0], url.start())]
    spans += [match.span(2) for match in _NAMED.finditer(text) if is_secret_name(match[1])]
    spans += [match.span(1) for match in _SCHEME.finditer(text)]
    return spans + _key_spans(text)


def _url_spans(url: str, offset: int) -> list[Span]:
    found = [match.span(1) for match in (*_USER_INFO.finditer(url), *_QUERY.finditer(url))]
    return [(start + offset, end + offset) for start, end in found if end > start]


def _key_spans(text: str) -> list[Span]:
    spans = [match.span() for match in _KEY.finditer(text)]
    return spans + [match.span() for match in _RUN.finditer(text) if _is_random(match[0])]


def _is_random(run: str) -> bool:
    """Return whether a run of characters is random: letters and digits alternate.

    Package names and dates change between letters and digits a few times at most.
    """
    changes: int = sum(a.isdigit() != b.isdigit() for a, b in pairwise(run))
    return changes * 6 >= len(run)


def _masked(text: str, spans: Iterable[Span]) -> str:
    parts: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if end <= done:
            continue
        if start >= done:
            parts += [text[done:start], MASK]
        done = end  # spans that overlap become one mask
    return "".join((*parts, text[done:]))


_ISSUED: Final = (
    ("an API key", r"sk-(?:[a-z]{2,10}\d{0,2}-){0,3}[A-Za-z0-9_-]{20,200}"),
    ("a payment key", r"[spr]k_(?:live|test)_[A-Za-z0-9]{16,120}"),
    ("a source hoster's token", r"gh[opsur]_[A-Za-z0-9]{36,255}"),
    ("a source hoster's token", r"github_pat_[A-Za-z0-9_]{22,255}|glpat-[A-Za-z0-9_-]{20,64}"),
    ("a chat token", r"xox[abeoprs]-[A-Za-z0-9-]{10,250}"),
    ("a cloud access key", r"(?:AKIA|ASIA)[A-Z2-7]{16}"),
    ("a cloud API key", r"AIza[A-Za-z0-9_-]{35}"),
    ("a model hub token", r"hf_[A-Za-z0-9]{30,64}"),
    ("a package registry token", r"npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,250}"),
    ("a mail service key", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    ("a signed token", r"eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}"),
)
_FORMS: Final = tuple(
    (what, re.compile(rf"(?<![A-Za-z0-9_-])(?:{form})(?![A-Za-z0-9_-])")) for what, form in _ISSUED
)
STEMS: Final = tuple(
    "sk- k_live_ k_test_ ghp_ gho_ ghs_ ghu_ ghr_ github_pat_ glpat- xox AKIA ASIA AIza hf_ npm_"
    " pypi- SG. eyJ Bearer Basic PRIVATE".split()
)
"""Every text with a key of a known form contains one of these."""
_PRIVATE_KEY: Final = re.compile(
    r"-----BEGIN (?:[A-Z]{2,12} ){0,3}PRIVATE KEY-----\s*[A-Za-z0-9+/]{16}"
)
_PASSWORD_IN_URL: Final = re.compile(r"://([^\s/:@]{1,80}):([^\s/@]{3,120})@([^\s/?#]{1,120})")
_BEARER: Final = re.compile(r"\b(?:Bearer|Basic) ([A-Za-z0-9._~+/=-]{20,2000})")
_PLACEHOLDER: Final = re.compile(
    r"example|placeholder|your|sample|dummy|fake|changeme|change_me|redacted|xxx|\.\.\.|\*\*\*|123456"
    r"|abcdef|localhost|127\.0\.0\.|test|demo|todo|insert|secret|password|passwd|token|key$"
    r"|[<>{}$%]|^user$|^pass$|^pw$",
    re.IGNORECASE,
)
_PAGING: Final = re.compile(r"page|next|continu|cursor|sync|hash|public", re.IGNORECASE)
_NAMED_VALUE: Final = re.compile(r"[A-Za-z0-9+/_.~=-]{16,512}")
_BITS: Final = 3.4
"""Bits per character: words and numbers are below, random letters and digits above."""


def credential(value: str, name: str = "") -> str:
    """Return the kind of secret that a value is or contains; empty when there is none.

    ``name`` is the parameter of the value: under the name of a secret a random value is enough.

    >>> credential("postgres://app:k7Rq2v@db/main"), credential("sk-your-key-here")
    ('a password in an address', '')
    """
    for what, form in _FORMS:
        match = form.search(value)
        if match and _is_secret(match.group()):
            return what
    if "PRIVATE KEY" in value and _PRIVATE_KEY.search(value):
        return "a private key"
    address = _PASSWORD_IN_URL.search(value) if "://" in value else None
    if address and address[1] != address[2] and not any(map(_PLACEHOLDER.search, address.groups())):
        return "a password in an address"
    bearer = _BEARER.search(value)
    if bearer and _is_secret(bearer[1]):
        return "an authorisation"
    if name and _NAMED_VALUE.fullmatch(value) and _is_secret(value) and _is_secret_name(name):
        return "a random value under the name of a secret"
    return ""


def _is_secret_name(name: str) -> bool:
    return is_secret_name(name) and not _PAGING.search(name)


def _is_secret(value: str) -> bool:
    return _is_random_credential(value) and not _PLACEHOLDER.search(value)


def _is_random_credential(value: str) -> bool:
    """Return whether letters and digits are mixed as in random text."""
    counts = Counter(value)
    size = len(value)
    bits = -sum(count / size * math.log2(count / size) for count in counts.values())
    return bits >= _BITS and any(char.isdigit() for char in value)
