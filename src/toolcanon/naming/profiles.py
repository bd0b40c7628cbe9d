"""Naming profiles: the names of tools towards one kind of client, in both directions.

Storage keeps the tools' own names; a profile applies at the boundary. Only names change: a profile
neither authenticates a client nor imitates one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self, TypeAlias

from toolcanon.errors import BadConfig, ProfileCollision, UnknownProfile

__all__ = ["BUILT_IN", "Profile", "profile_named"]

Style: TypeAlias = Literal["as-is", "pascal"]
STYLES: Final = ("as-is", "pascal")
_KEYS: Final = ("style", "names", "aliases", "internal", "mentions")
_WORDS: Final = re.compile(r"[ _]+")
_CAPITAL: Final = re.compile(r"([A-Z])")


def to_pascal(name: str) -> str:
    """Return ``GitStatus`` for ``git_status``; capitals within words stay."""
    return "".join(part[:1].upper() + part[1:] for part in _WORDS.split(name) if part)


def to_snake(name: str) -> str:
    """Return ``git_status`` for ``GitStatus``.

    Not the inverse for every name: ``LS`` gives ``l_s``.
    """
    return _CAPITAL.sub(r"_\1", name).lower().removeprefix("_")


@dataclass(frozen=True, slots=True)
class Profile:
    """Names of tools towards one kind of client."""

    id: str
    """The id of the profile, as reports name it."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Own name to outside name. Two own names may share one, except within one request."""
    style: Style = "as-is"
    """The spelling of names that are not in the table."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Further names of calls, to own names; for a shared outside name, the tool that it means."""
    internal: frozenset[str] = frozenset()
    """Tools that are neither sent nor replayed."""
    mentions: bool = False
    """Whether descriptions that mention a tool use its outside name, too."""

    @classmethod
    def of(cls, id_: str, table: Mapping[str, Any], file: str) -> Self:
        """Return the profile of a table in the configuration. Raises BadConfig with the key."""
        for key in table:
            if key not in _KEYS:
                raise BadConfig(file, f"naming.{id_}.{key}", f"known: {', '.join(_KEYS)}")
        style = table.get("style", "as-is")
        if style not in STYLES:
            raise BadConfig(file, f"naming.{id_}.style", f"it must be one of {', '.join(STYLES)}")
        internal = table.get("internal", [])
        if not isinstance(internal, list) or not all(isinstance(name, str) for name in internal):
            raise BadConfig(file, f"naming.{id_}.internal", "it must be a list of names")
        mentions = table.get("mentions", False)
        if not isinstance(mentions, bool):
            raise BadConfig(file, f"naming.{id_}.mentions", "it must be true or false")
        names, aliases = (_texts(table, key, id_, file) for key in ("names", "aliases"))
        return cls(id_, names, style, aliases, frozenset(internal), mentions)

    def outward(self, name: str) -> str:
        """Return the outside name of a tool; internal tools have one, too."""
        known = self.names.get(name)
        if known is not None:
            return known
        return to_pascal(name) if self.style == "pascal" else name

    def inward(self, name: str, own: Iterable[str] = ()) -> str:
        """Return the own name of the tool that a call names; every known alias is accepted.

        ``own`` are the tools of the request, if they are known: the result is one of them. Without
        them the table decides, then the style.
        """
        given = tuple(own)
        if name in given:
            return name
        meant = [each for each in given if self.outward(each) == name]
        if meant:
            return meant[0]
        if name in self.aliases:
            return self.aliases[name]
        listed = [each for each, outside in self.names.items() if outside == name]
        if listed:
            return listed[0]
        if given or self.style == "as-is" or name in self.names or not name[:1].isupper():
            return name
        return to_snake(name)

    def is_internal(self, name: str, own: Iterable[str] = ()) -> bool:
        """Return whether a call is of a tool that is never sent, by any of its names.

        ``own`` are the tools of the request: a tool that is sent may have such a name itself.
        """
        if not self.internal or name in self.internal:
            return name in self.internal
        return self.aliases.get(name) in self.internal and name not in own

    def sent(self, own: Iterable[str]) -> dict[str, str]:
        """Return own name to outside name for the tools of one request, without internal ones.

        Raises ProfileCollision when two would share a name: a map by name would lose the second.
        """
        out: dict[str, str] = {}
        taken: dict[str, str] = {}
        for name in own:
            if name in self.internal:
                continue
            outside = self.outward(name)
            if outside in taken and taken[outside] != name:
                raise ProfileCollision(self.id, outside, taken[outside], name)
            taken[outside] = name
            out[name] = outside
        return out

    def told(self, text: str, names: Mapping[str, str]) -> str:
        """Return a description with the outside names of the tools it mentions.

        A mention is a whole word that cannot be an ordinary one: with an underscore, or in
        backticks or quotes.
        """
        changed = {own: outside for own, outside in names.items() if own != outside}
        if not changed:
            return text
        words = "|".join(map(re.escape, sorted(changed, key=len, reverse=True)))
        plain = re.compile(
            rf"(?<![\w.-])(?:(?P<quote>[`'\"])(?P<in>{words})(?P=quote)|(?P<out>{words}))(?![\w-])"
        )

        def rename(found: re.Match[str]) -> str:
            quote, inside, outside = found.group("quote"), found.group("in"), found.group("out")
            if inside is not None:
                return f"{quote}{changed[inside]}{quote}"
            return changed[outside] if "_" in outside else outside

        return plain.sub(rename, text)


def _texts(table: Mapping[str, Any], key: str, id_: str, file: str) -> dict[str, str]:
    found = table.get(key, {})
    if not isinstance(found, dict) or not all(
        isinstance(value, str) and value for value in found.values()
    ):
        raise BadConfig(file, f"naming.{id_}.{key}", "it must be a table of names")
    return dict(found)


# The names of its own tools, for applications that offer the same tools under other names.
CLAUDE_CODE: Final = Profile(
    "claude-code",
    names={
        "read": "Read",
        "write": "Write",
        "edit": "Edit",
        "bash": "Bash",
        "glob": "Glob",
        "ripgrep": "Grep",
        "grep": "Grep",
        "ls": "LS",
        "tree": "Tree",
        "apply_patch": "ApplyPatch",
        "git_status": "GitStatus",
        "git_diff": "GitDiff",
        "git_commit": "GitCommit",
        "websearch": "WebSearch",
        "update_plan": "TodoWrite",
    },
    style="pascal",
    aliases={
        "Grep": "ripgrep",
        "Ls": "ls",
        "Cd": "cd",
        "Pwd": "pwd",
        "Terminal": "terminal",
        "UpdatePlan": "update_plan",
        "Websearch": "websearch",
        "ProgressUpdate": "progress_update",
        "Finish": "finish",
    },
    internal=frozenset({"progress_update", "finish"}),
)


# Every name in PascalCase; nothing is internal.
PASCAL: Final = Profile(
    "pascal",
    names={"ripgrep": "Grep", "grep": "Grep", "websearch": "WebSearch"},
    style="pascal",
    aliases={"Grep": "ripgrep", "LS": "ls", "TodoWrite": "update_plan", "Websearch": "websearch"},
)


BUILT_IN: Final = {profile.id: profile for profile in (CLAUDE_CODE, PASCAL)}
"""Profiles by id."""


def profile_named(name: str) -> Profile:
    """Return a built-in profile; raises UnknownProfile with advice."""
    if name not in BUILT_IN:
        raise UnknownProfile(name, tuple(BUILT_IN))
    return BUILT_IN[name]
