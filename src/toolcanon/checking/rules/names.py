"""Rules about names of tools and parameters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from toolcanon.checking.rule import Rule, RuleHit
from toolcanon.ir.walk import TextAt, ToolView
from toolcanon.jsonio import Pointer
from toolcanon.text import safe
from toolcanon.text.homoglyphs import disguises, is_disguise, keys_of, likeness, skeleton, unmasked

_SHOWN: Final = 60
_NAME: Final = Pointer(("name",))
_WORD: Final = re.compile(r"[^\W\d_]+")
_LATIN: Final = re.compile("[A-Za-z]{2}")
_NAMES: Final = frozenset({"name", "parameter"})


def _find_lookalike_name(subject: ToolView) -> Iterator[RuleHit]:
    """Report names in letters of another script, and parameters that look like their siblings."""
    odd = [text for text in subject.unusual if text.role in _NAMES and not text.text.isascii()]
    for text in odd:
        spelled = _spelled(text.text)
        if _is_borrowed(text.text):
            seems = safe(unmasked(text.text), _SHOWN)
            yield RuleHit(
                text.at,
                f"{spelled} reads as {seems!r} and is written in letters of another script",
                level="error",
            )
        elif text.role == "parameter" and (twin := _sibling(subject, text)):
            yield RuleHit(text.at, f"{spelled} looks like the parameter {safe(twin, _SHOWN)!r}",
                      level="error")  # fmt: skip


def _is_borrowed(name: str) -> bool:
    if next(disguises(name), None) is not None:
        return True
    return bool(_LATIN.search(name)) and any(map(is_disguise, _WORD.findall(name)))


def _sibling(subject: ToolView, text: TextAt) -> str | None:
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


def _compare_lookalikes(subjects: Sequence[ToolView]) -> Iterator[tuple[int, RuleHit]]:
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


def _mistaken(subject: ToolView, other: ToolView) -> RuleHit | None:
    name, known = subject.tool.name, other.tool.name
    if name != known:
        why = likeness(name, known)
        return RuleHit(_NAME, f"{_spelled(name)} {why} {_spelled(known)}") if why else None
    home, theirs = subject.tool.namespace, other.tool.namespace
    if home != theirs:
        return RuleHit(_NAME, f"{_spelled(name)} is also the name of a tool of "
                   f"{_spelled(theirs or 'another server')}", level="info")  # fmt: skip
    if subject.tool.inputs == other.tool.inputs:
        return None
    return RuleHit(
        _NAME,
        f"two different tools are named {_spelled(name)}, and which one is called "
        "depends on the host",
    )


LOOKALIKE_NAME_RULE = Rule(
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
    look=_find_lookalike_name,
    compare=_compare_lookalikes,
)


_FEWEST: Final = 4
_STYLES_SHOWN: Final = 3
_LONGEST: Final = 60


def _find_naming_mixed(subject: ToolView) -> Iterator[RuleHit]:
    members = subject.schema.get("properties")
    if not isinstance(members, dict) or len(members) < _FEWEST:
        return
    for _, said in _mixed(members):
        yield RuleHit(Pointer(("inputs", "properties")), f"parameters are named in {said}")


def _compare_styles(subjects: Sequence[ToolView]) -> Iterator[tuple[int, RuleHit]]:
    names = [subject.tool.name for subject in subjects]
    for first, said in _mixed(names):
        yield names.index(first), RuleHit(Pointer(("name",)), f"tools are named in {said}")


def _mixed(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the first name of the rarer styles and the message, where there are several styles."""
    found = {name: style for name in names if (style := _style(name))}
    if len(found) < _FEWEST or len(set(found.values())) == 1:
        return
    usual = Counter(found.values()).most_common(1)[0][0]
    odd = [name for name, style in found.items() if style != usual]
    shown = ", ".join(safe(name, _LONGEST) for name in odd[:_STYLES_SHOWN])
    more = f" and {len(odd) - _STYLES_SHOWN} more" if len(odd) > _STYLES_SHOWN else ""
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


NAMING_MIXED_RULE = Rule(
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
    look=_find_naming_mixed,
    compare=_compare_styles,
)


def _compare_duplicates(subjects: Sequence[ToolView]) -> Iterator[tuple[int, RuleHit]]:
    seen: dict[str, list[ToolView]] = {}
    for number, subject in enumerate(subjects):
        text = " ".join(subject.tool.description.split())
        if not text or not subject.is_function:
            continue
        alike = seen.setdefault(text, [])
        same = next((one for one in alike if one.tool.inputs == subject.tool.inputs), None)
        if same is None:
            alike.append(subject)
        else:
            what = "occurs twice" if same.name == subject.name else f"repeats {safe(same.name)}"
            yield number, RuleHit(Pointer(("name",)), f"{safe(subject.name)} {what}: the same "
                              "description and the same parameters")  # fmt: skip


_SCHEMA = {"type": "object", "properties": {"id": {"type": "string", "description": "A user's."}}}

DUPLICATE_TOOLS_RULE = Rule(
    code="Q107",
    name="duplicate-tools",
    level="warning",
    says="two tools have the same description and parameters",
    why="A model cannot choose between them, and every request pays for both.",
    remedy="keep one of them, or state how they differ",
    wrong=(
        {"name": "get_user", "description": "Looks up a user.", "inputSchema": _SCHEMA},
        {"name": "fetch_user", "description": "Looks up a user.", "inputSchema": _SCHEMA},
    ),
    right=(
        {"name": "get_user", "description": "Looks up a user.", "inputSchema": _SCHEMA},
        {"name": "block_user", "description": "Locks a user out.", "inputSchema": _SCHEMA},
    ),
    compare=_compare_duplicates,
)


RULES = (DUPLICATE_TOOLS_RULE, LOOKALIKE_NAME_RULE, NAMING_MIXED_RULE)
