"""Q115: names in several styles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.subject import Subject
from toolcanon.jsonio import Pointer
from toolcanon.text import safe

_FEWEST: Final = 4
_SHOWN: Final = 3
_LONGEST: Final = 60


def _look(subject: Subject) -> Iterator[Hit]:
    members = subject.schema.get("properties")
    if not isinstance(members, dict) or len(members) < _FEWEST:
        return
    for _, said in _mixed(members):
        yield Hit(Pointer(("inputs", "properties")), f"parameters are named in {said}")


def _compare(subjects: Sequence[Subject]) -> Iterator[tuple[int, Hit]]:
    names = [subject.tool.name for subject in subjects]
    for first, said in _mixed(names):
        yield names.index(first), Hit(Pointer(("name",)), f"tools are named in {said}")


def _mixed(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the first name of the rarer styles and the message, where there are several styles."""
    found = {name: style for name in names if (style := _style(name))}
    if len(found) < _FEWEST or len(set(found.values())) == 1:
        return
    usual = Counter(found.values()).most_common(1)[0][0]
    odd = [name for name, style in found.items() if style != usual]
    shown = ", ".join(safe(name, _LONGEST) for name in odd[:_SHOWN])
    more = f" and {len(odd) - _SHOWN} more" if len(odd) > _SHOWN else ""
    yield odd[0], f"several styles: most in {usual}, but not {shown}{more}"


def _style(name: str) -> str | None:
    """Return the style of a name; None where it fits several, as a single word does."""
    if not name.isascii() or not name[:1].isalpha():
        return None
    if name.islower():
        has_lines, has_dashes = "_" in name, "-" in name
        if has_lines != has_dashes and name.replace("_", "").replace("-", "").isalnum():
            return "snake_case" if has_lines else "kebab-case"
        return None
    if not name.isalnum() or name.isupper():
        return None
    return "camelCase" if name[0].islower() else "PascalCase"


RULE = Rule(
    code="Q115",
    name="naming-mixed",
    level="info",
    says="names follow several styles",
    why="Models write names in the style they saw last; with mixed styles they make mistakes.",
    remedy="use one style",
    wrong=(
        {"name": "list_users", "description": "Lists users."},
        {"name": "add_user", "description": "Adds a user."},
        {"name": "block_user", "description": "Locks a user out."},
        {"name": "removeUser", "description": "Removes a user."},
    ),
    right=(
        {"name": "list_users", "description": "Lists users."},
        {"name": "add_user", "description": "Adds a user."},
        {"name": "block_user", "description": "Locks a user out."},
        {"name": "remove_user", "description": "Removes a user."},
    ),
    look=_look,
    compare=_compare,
)
