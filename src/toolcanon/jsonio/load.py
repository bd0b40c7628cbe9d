"""The one loader of untrusted JSON text, with its limits and its fast path.

Size, encoding and depth are checked before anything recursive runs; duplicate keys, numbers that
would change and lone surrogates are errors with a place. What a fast parser cannot prove to have
read correctly is read by the standard library's decoder, which alone reports duplicate keys and
keeps every integer exact.

orjson accepts duplicate keys and rounds long numbers. So its result is written again: where both
texts have the same tokens except for the spelling of characters in strings, no key was repeated and
no number changed. Blanks may be left out of both for that, also inside strings: no token begins or
ends by them. The strict loader reads everything else.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

import orjson

from toolcanon.errors import (
    BadEncoding,
    DuplicateKey,
    LimitExceeded,
    LoneSurrogate,
    MalformedJson,
    NumberOutOfRange,
    ToolcanonError,
)
from toolcanon.jsonio.types import Json, JsonObject, Pointer

LONGEST_NUMBER: Final = 32
"""No number that orjson writes is longer."""
DEEPEST_WRITTEN: Final = 254
"""No value that orjson writes is deeper."""
UNPROVEN: Final = object()
_ESCAPE: Final = re.compile(rb"\\u[0-9a-fA-F]{4}")
_BLANKS: Final = b" \t\r\n"
_HIGH: Final = bytes(range(0x80, 0x100))
_LINE: Final = orjson.OPT_APPEND_NEWLINE
_dumps, _loads = orjson.dumps, orjson.loads


def proven(text: bytes) -> Json:
    """Return the value of a text, or UNPROVEN."""
    try:
        value = _loads(text)
    except orjson.JSONDecodeError:
        return UNPROVEN
    try:
        written = _dumps(value, None, _LINE)
    except TypeError:  # deeper than orjson writes
        return UNPROVEN
    return value if text == written or _is_the_same(text, written) else UNPROVEN


def _is_the_same(given: bytes, written: bytes) -> bool:
    """Return whether two texts differ only in blanks and in the spelling of characters."""
    spelled = written
    if given.isascii() and not written.isascii():
        spelled = written.decode().encode("ascii", "backslashreplace")  # as most programs do
        if given == spelled:
            return True
    if given.translate(None, _BLANKS) == spelled.translate(None, _BLANKS):
        return True
    if b"\\u" not in given or b"\\\\u" in given or b"\\\\u" in written:
        return False  # nothing is escaped, or not visibly
    return _plain(given) == _plain(written)


def _plain(text: bytes) -> bytes:
    return _ESCAPE.sub(b"", text).translate(None, _BLANKS + _HIGH)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of the loader.

    The defaults leave room for anything real: the largest published servers describe about a
    hundred tools in a fifth of a megabyte, their largest tool in ten kilobytes, and nest twelve
    levels deep.
    """

    bytes: int = 32 * 1024 * 1024
    depth: int = 256
    values: int = 1_500_000
    digits: int = 400
    tool: int = 1024 * 1024
    tools: int = 10_000
    line: int = 16 * 1024 * 1024


DEFAULT_LIMITS: Final = Limits()

_current: Final = ContextVar("limits", default=DEFAULT_LIMITS)


def current_limits() -> Limits:
    """Return the limits for callers that expand a document beyond its text."""
    return _current.get()


@contextmanager
def within(limits: Limits) -> Iterator[None]:
    """Read by these limits, however deep down the reader is that heeds them.

    >>> with within(Limits(values=10)):
    ...     current_limits().values
    10
    """
    token = _current.set(limits)
    try:
        yield
    finally:
        _current.reset(token)


DEEPEST: Final = 450
"""The greatest depth of a value under any limits: beyond it Python's own stack ends."""

LONGEST_NAME: Final = 1024


# An unclosed string is swallowed whole: starting again at each of its escaped quotes would take
# quadratic time.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}:,]|[^\s\[\]{}:,"]+', re.DOTALL)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_BRACKETS = b"[]{}"
_STEPS = bytes.maketrans(_BRACKETS, b"\x01\xff\x01\xff")
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in _BRACKETS)
_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
# JSON begins and ends with ASCII, so the places of zeros show how wide its characters are.
_WIDE_STARTS = {
    (True, False, False, False): "UTF-32",
    (False, False, False, True): "UTF-32",
    (True, False, True, False): "UTF-16",
    (False, True, False, True): "UTF-16",
    (True, False): "UTF-16",
    (False, True): "UTF-16",
}


class Loaded(NamedTuple):
    """A document, the keys that repeat in it (where that is allowed), and its size in bytes."""

    value: Json
    duplicate_keys: tuple[str, ...] = ()
    size: int = 0


def loads(data: bytes | str, limits: Limits | None = None, *, duplicates: bool = False) -> Loaded:
    """Parse one document within the given limits, by default the current ones.

    With ``duplicates`` the last value wins and the key is reported.
    """
    limits = current_limits() if limits is None else limits
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if len(raw) > limits.bytes:
        raise LimitExceeded("bytes", limits.bytes)
    text = _decode(raw)
    _check_shape(raw, limits)
    if limits.digits >= LONGEST_NUMBER and (value := proven(raw)) is not UNPROVEN:
        return Loaded(value, (), len(raw))
    hooks = _Hooks(limits, duplicates=duplicates)
    try:
        value = hooks.decoder.decode(text)
    except json.JSONDecodeError as error:
        raise _malformed(error) from None
    except _DecodeError as refused:
        raise _placed(text, refused.error) from None
    if _SURROGATE_ESCAPE.search(text):
        _check_surrogates(value)
    return Loaded(value, tuple(hooks.repeated), len(raw))


def _decode(raw: bytes) -> str:
    for mark, name in _WIDE_MARKS:
        if raw.startswith(mark):
            raise BadEncoding(name)
    if 0 in raw[:2] and (wide := _wide(raw)) is not None:
        raise BadEncoding(wide)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadEncoding("not valid UTF-8", error.start) from None


def _wide(raw: bytes) -> str | None:
    """Return the encoding of wide characters, by where zeros stand in the first and the last."""
    name = _WIDE_STARTS.get(tuple(map(bool, raw[:4])))
    width = 4 if name == "UTF-32" else 2
    is_whole = len(raw) % width == 0
    same = [*map(bool, raw[:width])] == [*map(bool, raw[-width:])]
    return name if is_whole and same else None


def _check_shape(raw: bytes, limits: Limits) -> None:
    """Refuse deep or crowded documents before the recursive decoder sees them.

    Counting bytes gives an upper bound in no time and settles nearly every document; only past
    it are strings cut out and the brackets really followed.
    """
    opened = raw.count(b"[") + raw.count(b"{")
    crowd = opened + raw.count(b",")
    if opened <= limits.depth and crowd <= limits.values:
        return
    if _strings_at_least(raw) > limits.values:
        raise LimitExceeded("values", limits.values)
    bare = _STRING.sub(b"", raw)
    crowd = bare.count(b"[") + bare.count(b"{") + bare.count(b",")
    if crowd > limits.values:
        raise LimitExceeded("values", limits.values, crowd)
    steps = bare.translate(_STEPS, _NOT_BRACKETS)
    deepest = max(accumulate(memoryview(steps).cast("b")), default=0)
    if deepest > limits.depth:
        raise LimitExceeded("depth", limits.depth, deepest, _place_of_depth(raw, limits.depth))


def _strings_at_least(raw: bytes) -> int:
    """Return a lower bound on the strings, without looking for where they begin and end.

    Inside a string a quote before a colon or a comma is escaped; so what is left over after taking
    those away are true ends of strings.
    """
    ends = raw.count(b'":') + raw.count(b'",')
    return ends - raw.count(b'\\":') - raw.count(b'\\",')


def _place_of_depth(raw: bytes, allowed: int) -> str:
    depth = 0
    text = raw.decode("utf-8-sig", "replace")
    for token in _TOKEN.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token.group(), 0)
        if depth > allowed:
            line, column = _line_column(text, token.start())
            return f" at line {line}, column {column}"
    return ""


class _DecodeError(Exception):
    """Carries one of our errors through the decoder, whose own are ValueErrors too."""

    def __init__(self, error: ToolcanonError) -> None:
        super().__init__()
        self.error = error


class _Hooks:
    """The functions that the decoder calls for each object and number."""

    def __init__(self, limits: Limits, *, duplicates: bool) -> None:
        self.limits = limits
        self.duplicates = duplicates
        self.repeated: list[str] = []
        self.decoder = json.JSONDecoder(
            object_pairs_hook=self.pairs,
            parse_int=self.integer,
            parse_float=self.fraction,
            parse_constant=self.constant,
        )

    def pairs(self, pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                if not self.duplicates:
                    raise _DecodeError(DuplicateKey(key))
                self.repeated.append(key)
            seen.add(key)
        return value

    def integer(self, text: str) -> int:
        self.count_digits(text)
        try:
            return int(text)
        except ValueError:  # more digits than Python itself takes
            raise _DecodeError(NumberOutOfRange(text)) from None

    def fraction(self, text: str) -> float:
        self.count_digits(text)
        value = float(text)
        vanished = value == 0 and text.lower().partition("e")[0].strip("-0.") != ""
        if vanished or not math.isfinite(value):
            raise _DecodeError(NumberOutOfRange(text))
        return value

    def constant(self, text: str) -> float:
        raise _DecodeError(NumberOutOfRange(text))

    def count_digits(self, text: str) -> None:
        if len(text) > self.limits.digits:
            raise _DecodeError(LimitExceeded("digits", self.limits.digits, len(text)))


def _malformed(error: json.JSONDecodeError) -> MalformedJson:
    reason = error.msg
    if reason == "Extra data":
        reason = "a second document follows (for one document a line there is --jsonl)"
    if error.doc[error.pos : error.pos + 1] == "\0":
        reason = "a NUL character, which JSON knows as \\u0000 in a string alone,"
    words = reason[:1].lower() + reason[1:].removesuffix(" at")
    return MalformedJson(words, error.lineno, error.colno)


def _line_column(text: str, index: int) -> tuple[int, int]:
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def _placed(text: str, error: ToolcanonError) -> ToolcanonError:
    """Return the error with its place; reading the text again is acceptable for an error."""
    if isinstance(error, DuplicateKey):
        return _find_duplicate(text) or error
    if isinstance(error, NumberOutOfRange):
        for token in _TOKEN.finditer(text):
            if token.group() == error.text:
                return NumberOutOfRange(error.text, *_line_column(text, token.start()))
    return error


def _find_duplicate(text: str) -> DuplicateKey | None:
    """Return the first key that repeats in its object in a text, with both places."""
    keys: list[dict[str, int] | None] = []
    previous: re.Match[str] | None = None
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark == "{":
            keys.append({})
        elif mark == "[":
            keys.append(None)
        elif mark in "]}" and keys:
            keys.pop()
        elif mark == ":" and keys and previous is not None:
            names = keys[-1]
            if names is None:
                continue
            name = json.loads(previous.group())
            if name in names:
                first, second = names[name], previous.start()
                return DuplicateKey(name, _line_column(text, first), _line_column(text, second))
            names[name] = previous.start()
        previous = token
    return None


def _check_surrogates(value: Json) -> None:
    stack: list[tuple[Pointer, Json]] = [(Pointer(), value)]
    while stack:
        at, item = stack.pop()
        if isinstance(item, str):
            if _has_surrogate(item):
                raise LoneSurrogate(str(at))
        elif isinstance(item, dict):
            for key, inner in item.items():
                if _has_surrogate(key):
                    raise LoneSurrogate(f"{at} (a key)")
                stack.append((at / key, inner))
        elif isinstance(item, list):
            stack.extend((at / index, inner) for index, inner in enumerate(item))


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def usual_length(limits: Limits) -> int:
    """Return the length up to which text of orjson breaks none of the loader's limits."""
    if limits.depth < DEEPEST_WRITTEN or limits.digits < LONGEST_NUMBER:
        return 0
    return min(limits.values, limits.bytes)


def loads_line(line: bytes, limits: Limits, *, duplicates: bool = False) -> Loaded:
    """Parse one line as ``loads`` does."""
    size = len(line)
    if size <= usual_length(limits):
        value = proven(line)
        if value is not UNPROVEN:
            return Loaded(value, (), size)
    return loads(line, limits, duplicates=duplicates)


def repeats_keys(text: str, value: JsonObject) -> bool:
    """Return whether a text repeats a key, of which its value has only the last."""
    colons = text.count(":")
    if colons == len(value):  # each key has one, so there are no others
        return False
    if "\\u" not in text:  # which could spell a colon
        try:
            count = orjson.dumps(value).count(b":")
        except TypeError:  # integers beyond 64 bits, depth: left to the careful reader below
            count = -1
        if count == colons:  # a key that is gone took its own along
            return False
    try:
        return bool(loads(text, duplicates=True).duplicate_keys)
    except ToolcanonError:
        return False
