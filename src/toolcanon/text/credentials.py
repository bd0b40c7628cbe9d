"""Keys, tokens and passwords in values.

Reported are keys in the form of their issuer, private keys, passwords in URLs, and random values
under the name of a secret. Placeholders, examples from manuals and variables are not.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final

from toolcanon.text.secrets import is_secret_name

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
    return _is_random(value) and not _PLACEHOLDER.search(value)


def _is_random(value: str) -> bool:
    """Return whether letters and digits are mixed as in random text."""
    counts = Counter(value)
    size = len(value)
    bits = -sum(count / size * math.log2(count / size) for count in counts.values())
    return bits >= _BITS and any(char.isdigit() for char in value)
