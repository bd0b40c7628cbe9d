"""Invisible characters, those that reorder text, and terminal controls: found and decoded.

Scripts and emoji need some of them: joiners between Arabic and Indic letters, directional marks in
right-to-left text, selectors after emoji, tags behind a black flag, breaks between Thai words. Only
those without such a use are found. Runs of tags and selectors that encode bytes are decoded, so
that a reader sees what a model sees.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["invisible", "private", "direction", "terminal", "control", "separator"]


class Hidden(NamedTuple):
    """A run of characters of one kind, and the text it encodes, if any."""

    start: int
    end: int
    kind: Kind
    carries: str = ""


_CONTROL: Final = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
DIRECTION: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_PRIVATE: Final = "\ue000-\uf8ff\ufdd0-\ufdef\ufffe\uffff\U000f0000-\U0010ffff"
_SELECTOR: Final = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
UNSEEN: Final = (
    "\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f"
    "\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    f"\U000e0000-\U000e00ff\U000e01f0-\U000e0fff{_SELECTOR}"
)
_RUNS: Final = re.compile(
    rf"(?P<unseen>[{UNSEEN}]+)|(?P<direction>[{DIRECTION}]+)|(?P<private>[{_PRIVATE}]+)"
    rf"|(?P<control>[{_CONTROL}]+|\r(?!\n|\Z)|[\u2028\u2029]+)"
)
_ANY: Final = re.compile(rf"[{UNSEEN}{DIRECTION}{_PRIVATE}{_CONTROL}\u2028\u2029]|\r(?!\n|\Z)")
# Control sequences as terminals parse them: CSI, OSC and similar, other escapes, one-byte forms.
_SEQUENCE: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]{0,4}[0-~]?"
)

_EMOJI: Final = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_JOINING: Final = (  # Arabic to Mandaic, the scripts of India and beyond, Khmer, Mongolian
    "\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1bff\ua840-\ua8df"
    "\ua980-\uaa5f\uabc0-\uabff\ufb50-\ufdcf\ufe70-\ufefc\U00010a00-\U00010f6f\U00011000-\U00011fff"
    "\U0001e900-\U0001e95f"
)
_UNSPACED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua9e0-\uaa7f"
_HAN: Final = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_FLAGS: Final = [
    "".join(chr(0xE0000 + ord(letter)) for letter in nation)
    for nation in ("gbeng", "gbsct", "gbwls")
]
_EXEMPT: Final = re.compile(
    "|".join(
        (
            f"(?<=[{_EMOJI}\ufe0f\u20e3])\u200d(?=[{_EMOJI}])",  # one person of several
            f"(?<=[{_EMOJI}])[\ufe0e\ufe0f]\u200d(?=[{_EMOJI}])",
            f"(?<=[{_EMOJI}])[\ufe0e\ufe0f]{{1,2}}",
            "(?<=[0-9#*])\ufe0f(?=\u20e3)",  # keycaps
            f"(?<=\U0001f3f4)(?:{'|'.join(_FLAGS)})\U000e007f",
            f"(?<=[{_JOINING}])[\u200c\u200d]|[\u200d](?=[{_JOINING}])",
            f"(?<=[{_UNSPACED}])\u200b(?=[{_UNSPACED}])",
            f"(?<=[{_HAN}])[\ufe00-\ufe02\U000e0100-\U000e010f]",  # variants of ideographs
            "(?<=[\u2200-\u22ff\u2a00-\u2aff\u1000-\u109f\ua840-\ua877])\ufe00",
            "(?<=[\u1800-\u18af])[\u180b-\u180f]",  # Mongolian variants
            "(?<=[\u1100-\u11ff])[\u115f\u1160]|[\u115f\u1160](?=[\u1100-\u11ff])",  # old Hangul
            "(?<=[\u2801-\u28ff])\u2800|\u2800(?=[\u2801-\u28ff])",  # Braille
        )
    )
)
_RIGHT_TO_LEFT: Final = re.compile(
    "[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_MARKS: Final = frozenset("\u061c\u200e\u200f")
_CLOSING: Final = frozenset("\u202c\u2069")
# Nothing closes overrides here, because no text needs them.
_CLOSES: Final = {"\u202a": "\u202c", "\u202b": "\u202c"} | dict.fromkeys(
    "\u2066\u2067\u2068", "\u2069"
)
_SEPARATORS: Final = frozenset("\x0b\x0c\r\x85\u2028\u2029")
_DIRECTING: Final = re.compile(rf"[\n{DIRECTION}]")
_LAST: Final = "\U000e007f"
"""The tag that ends tags."""
_NEAR: Final = 40
_ENOUGH: Final = 1000
# It never fails once it has begun, so that no text is scanned twice.
_BRACKETED: Final = re.compile(r"\[(?:[^\]\\]|\\.?)*(?:\]|\Z)", re.DOTALL)
_LONGEST_CLASS: Final = 64


def hidden(text: str) -> Iterator[Hidden]:
    r"""Yield every run of invisible characters that no script or emoji needs there.

    >>> list(hidden("ping\u200b a host"))
    [Hidden(start=4, end=5, kind='invisible', carries='')]
    >>> list(hidden("\u0645\u06cc\u200c\u0631\u0648\u0645"))
    []
    """
    if _ANY.search(text) is None:
        return
    balanced: frozenset[int] | None = None
    done = 0
    for match in _RUNS.finditer(text):
        start, end = match.span()
        if start < done:  # inside a control sequence
            continue
        if match.lastgroup == "control":
            found = _control(text, start, end)
            done = found.end
            yield found
        elif match.lastgroup == "private":
            yield Hidden(start, end, "private")
        elif match.lastgroup == "unseen":
            if odd := _unneeded(text, start, end):
                yield Hidden(start, end, "invisible", carried(odd))
        else:
            if balanced is None:
                balanced = frozenset(_directions(text))
            if not balanced.issuperset(range(start, end)):
                yield Hidden(start, end, "direction")


def carried(run: str) -> str:
    """Return the text in a run of tags or variation selectors; empty when there is none."""
    if tags := "".join(chr(ord(char) - 0xE0000) for char in run if "\U000e0020" <= char < _LAST):
        return tags
    data = bytes(byte for char in run if (byte := _selected(ord(char))) is not None)
    if len(data) < 2:  # noqa: PLR2004 - a single selector only selects
        return ""
    return data.decode("utf-8", "replace")


def without_classes(pattern: str) -> str:
    """Return a regular expression with its character classes masked, which spell characters out.

    Long classes are kept, because they may be a sentence.
    """
    return _BRACKETED.sub(_blotted, pattern)


def _blotted(match: re.Match[str]) -> str:
    found = match.group()
    is_class = found.endswith("]") and len(found) <= _LONGEST_CLASS
    return "x" * len(found) if is_class else found


def described(char: str) -> str:
    """Return a character's number and name: ``U+200B ZERO WIDTH SPACE``."""
    name = unicodedata.name(char, "")
    return f"U+{ord(char):04X} {name}".rstrip()


def _selected(point: int) -> int | None:
    """Return the byte that a variation selector encodes: the first sixteen, then the others."""
    if 0xFE00 <= point <= 0xFE0F:  # noqa: PLR2004 - the block of the first ones
        return point - 0xFE00
    return point - 0xE0100 + 16 if 0xE0100 <= point <= 0xE01EF else None  # noqa: PLR2004


def _control(text: str, start: int, end: int) -> Hidden:
    sequence = _SEQUENCE.match(text, start)
    if sequence is not None:
        return Hidden(start, sequence.end(), "terminal")
    if _SEPARATORS.issuperset(text[start:end]):
        return Hidden(start, end, "separator")
    return Hidden(start, end, "control")


def _unneeded(text: str, start: int, end: int) -> str:
    """Return the characters of a run that neither scripts nor emoji need at their places."""
    odd: list[str] = []
    while start < end:
        needed = _EXEMPT.match(text, start)
        if needed is not None:
            start = needed.end()
        elif len(odd) > _ENOUGH:
            return "".join((*odd, text[start:end]))
        else:
            odd.append(text[start])
            start += 1
    return "".join(odd)


def _directions(text: str) -> Iterator[int]:
    """Yield directional marks that right-to-left text does not need."""
    if _RIGHT_TO_LEFT.search(text) is None:
        return
    open_ones: list[int] = []
    for match in _DIRECTING.finditer(text):
        place, char = match.start(), match.group()
        if char in _MARKS:
            if _RIGHT_TO_LEFT.search(text, max(0, place - _NEAR), place + _NEAR):
                yield place
        elif char == "\n":
            open_ones.clear()
        elif char not in _CLOSING:
            open_ones.append(place)
        elif open_ones and _CLOSES.get(text[start := open_ones.pop()]) == char:
            yield from (start, place)
