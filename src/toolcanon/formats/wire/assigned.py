"""Python text that assigns data, read assignment by assignment: one that fails spoils no other.

Such text was cut out of somebody's class, so that it may be indented, have code behind it, or hold
the constants of JSON. It is cut at its statements and looked at, never run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent
from typing import Final, NamedTuple

from toolcanon.formats.wire.texts import assignments
from toolcanon.jsonio.types import JsonObject

_LONGEST: Final = 250_000
_LONGEST_NOTE: Final = 60
_START: Final = re.compile(r"@|[^\W\d][\w.]*[ \t]*(?:[:=(]|[^\W\d])")
"""How a statement begins; what continues one is a closing bracket, a text or a lone word."""
_CONSTANTS: Final = {"true": "True", "false": "False", "null": "None"}


class Assigned(NamedTuple):
    """What a text assigns, and the statements that are no data, by their first words."""

    found: JsonObject
    unread: list[str]


def assigned(text: str) -> Assigned:
    r"""What every ``name = literal`` in a text assigns.

    >>> assigned("  a: str = 'x' + 'y'\n  b = open('z')\n  c = {'d': null}")
    Assigned(found={'a': 'xy', 'c': {'d': None}}, unread=["b = open('z')"])
    """
    try:
        return Assigned(assignments(text), [])
    except ValueError:
        if len(text) > _LONGEST:
            return Assigned({}, [text[:_LONGEST_NOTE]])
    found: JsonObject = {}
    unread: list[str] = []
    for statement in _statements(text):
        try:
            found |= assignments(_as_literals(statement))
        except ValueError:
            unread.append(statement.strip().partition("\n")[0][:_LONGEST_NOTE])
    return Assigned(found, unread)


def _statements(text: str) -> Iterator[str]:
    """The text cut where a statement begins, none of it within a text of several lines."""
    first, newline, rest = text.strip("\n").partition("\n")
    lines: list[str] = []
    quotes = 0
    for line in f"{first.lstrip()}{newline}{dedent(rest)}".split("\n"):
        if lines and quotes % 2 == 0 and _START.match(line):
            yield "\n".join(lines)
            lines, quotes = [], 0
        lines.append(line)
        quotes += line.count('"""') + line.count("'''")
    yield "\n".join(lines)


def _as_literals(statement: str) -> str:
    """An assignment without its annotation, texts joined, constants as Python has them."""
    import tokenize  # noqa: PLC0415 - one format needs it

    lines = iter(statement.splitlines(keepends=True))
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    try:
        tokens = list(tokenize.generate_tokens(lambda: next(lines, "")))
    except (tokenize.TokenError, SyntaxError) as error:
        raise ValueError("text that is no Python") from error
    tokens = [token for token in tokens if token.type not in silent]
    words = [_CONSTANTS.get(token.string, token.string or "\n") for token in tokens]
    for at in range(1, len(tokens) - 1):
        if words[at] == "+" and tokens[at - 1].type == tokens[at + 1].type == tokenize.STRING:
            words[at] = ""  # texts side by side are one
    if words[1:2] == [":"] and "=" in words:
        del words[1 : words.index("=")]
    return "".join(word if word.isspace() else f"{word} " for word in words)
