"""S104: names that look like others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.checking.texts import TextAt
from toolcanon.jsonio import Pointer
from toolcanon.text import safe
from toolcanon.text.letters import disguises, is_disguise, skeleton, unmasked
from toolcanon.text.likeness import keys_of, likeness

_SHOWN: Final = 60
_NAME: Final = Pointer(("name",))
_WORD: Final = re.compile(r"[^\W\d_]+")
_LATIN: Final = re.compile("[A-Za-z]{2}")
_NAMES: Final = frozenset({"name", "parameter"})


def _look(subject: Subject) -> Iterator[Hit]:
    """Report names in letters of another script, and parameters that look like their siblings."""
    odd = [text for text in subject.unusual if text.role in _NAMES and not text.text.isascii()]
    for text in odd:
        spelled = _spelled(text.text)
        if _is_borrowed(text.text):
            seems = safe(unmasked(text.text), _SHOWN)
            yield Hit(text.at, f"{spelled} reads as {seems!r} and is written in letters of another "
                      "script", level="error")  # fmt: skip
        elif text.role == "parameter" and (twin := _sibling(subject, text)):
            yield Hit(text.at, f"{spelled} looks like the parameter {safe(twin, _SHOWN)!r}",
                      level="error")  # fmt: skip


def _is_borrowed(name: str) -> bool:
    if next(disguises(name), None) is not None:
        return True
    return bool(_LATIN.search(name)) and any(map(is_disguise, _WORD.findall(name)))


def _sibling(subject: Subject, text: TextAt) -> str | None:
    looks = skeleton(text.text)
    return next(
        (
            other.text
            for other in subject.texts
            if other.at[:-1] == text.at[:-1]
            and other.text != text.text
            and skeleton(other.text) == looks
        ),
        None,
    )


def _spelled(name: str) -> str:
    return safe(name.encode("ascii", "backslashreplace").decode(), _SHOWN)


def _compare(subjects: Sequence[Subject]) -> Iterator[tuple[int, Hit]]:
    """Report pairs of tools whose names look the same, or almost."""
    seen: dict[str, int] = {}
    told: set[int] = set()
    for number, subject in enumerate(subjects):
        for key in dict.fromkeys(keys_of(subject.tool.name)):
            first = seen.setdefault(key, number)
            if first != number and number not in told:
                hit = _mistaken(subject, subjects[first])
                if hit is not None:
                    told.add(number)
                    yield number, hit


def _mistaken(subject: Subject, other: Subject) -> Hit | None:
    name, known = subject.tool.name, other.tool.name
    if name != known:
        why = likeness(name, known)
        return Hit(_NAME, f"{_spelled(name)} {why} {_spelled(known)}") if why else None
    home, theirs = subject.tool.namespace, other.tool.namespace
    if home != theirs:
        return Hit(_NAME, f"{_spelled(name)} is also the name of a tool of "
                   f"{_spelled(theirs or 'another server')}", level="info")  # fmt: skip
    if subject.tool.inputs == other.tool.inputs:
        return None
    return Hit(_NAME, f"two different tools are named {_spelled(name)}, and which one is called "
               "depends on the host")  # fmt: skip


RULE = Rule(
    code="S104",
    name="lookalike-name",
    level="warning",
    says="a name looks like another one",
    why="Models and people choose tools by name. A name that looks the same, with letters of "
    "another script, other capitals or a typing error, gets calls that were meant for the "
    "first.",
    remedy="rename one of the two, and write names in one script",
    wrong=(
        {"name": "f\u0435tch_url", "description": "Fetches."},
        {"name": "send_email"},
        {"name": "send_emial"},
    ),
    right=(
        {"name": "get_user"},
        {"name": "get_users"},
        {"name": "\u043f\u043e\u0438\u0441\u043a"},
        {"name": "move_x1"},
        {"name": "move_x2"},
    ),
    look=_look,
    compare=_compare,
)
