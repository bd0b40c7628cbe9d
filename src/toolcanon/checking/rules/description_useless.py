"""Q102: a description that only repeats the name, or is a placeholder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.infer import words_of
from toolcanon.jsonio import Pointer
from toolcanon.text import safe

_AT: Final = Pointer(("description",))
_LONGEST: Final = 80
_PLACEHOLDERS: Final = frozenset(
    """
    todo|tbd|fixme|n/a|na|none|null|undefined|xxx|test|foo|bar|description|description here|
    no description|no description provided|no description available|missing description|
    add description|add a description|add description here|your description here|
    insert description here|enter description|tool|a tool|the tool|this tool|my tool|function|
    a function|my function|a test tool|a test function|test tool|a dummy tool|a sample tool|
    lorem ipsum
    """.replace("\n    ", "").split("|")
)
_EMPTY: Final = frozenset("a an the this that tool function method api to for of is".split())
_NEAR: Final = 3


def _look(subject: Subject) -> Iterator[Hit]:
    text = subject.tool.description
    if len(text) > _LONGEST or not text.strip():
        return
    if text.lower().strip(" \t\n.!…-_*<>[](){}\"'`") in _PLACEHOLDERS or not any(
        map(str.isalnum, text)
    ):
        yield Hit(_AT, f"the description is a placeholder: {safe(text)!r}")
    elif _repeats(text, subject.tool.name):
        yield Hit(_AT, f"the description only repeats the name: {safe(text)!r}", level="info")


def _repeats(text: str, name: str) -> bool:
    if not text.isascii():  # not every writing system separates words by spaces
        return False
    near = name.lower()
    for word in text.lower().split():  # most texts soon have a word that the name does not have
        if word not in _EMPTY and word[:_NEAR] not in near:
            return False
    named = {_stem(word) for word in words_of(name)}
    return all(word in _EMPTY or _stem(word) in named for word in words_of(text))


def _stem(word: str) -> str:
    return word.removesuffix("es").removesuffix("s").removesuffix("e")


RULE = Rule(
    code="Q102",
    name="description-useless",
    level="warning",
    says="a description only repeats the name",
    why="It costs tokens in every request and does not help a model to choose or to call the tool.",
    remedy="state when to use the tool and what it returns, or how it differs from similar tools",
    wrong=(
        {"name": "get_user", "description": "Gets the user."},
        {"name": "sync", "description": "TODO"},
    ),
    right=(
        {"name": "get_user", "description": "Looks up a user by e-mail address."},
        {"name": "sync", "description": "Fetches new mail from the server."},
    ),
    look=_look,
)
