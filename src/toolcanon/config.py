"""Settings of a project: ``toolcanon.toml``, or ``[tool.toolcanon]`` in pyproject.toml.

```toml
[check]
to = ["openai/strict", { format = "gemini", model = "gemini-2.5-pro" }]
select = ["C", "L", "S", "Q"]
ignore = ["Q103"]
fail-on = "warning"

[[check.suppress]]
code = "orders-to-the-model"
tool = "run_query"
reason = "it documents its own argument, reviewed by the platform team"

[naming.house]
style = "pascal"
names = { ripgrep = "Search" }
internal = ["finish"]
```

This module only parses; ``sources`` finds and reads the file.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self, get_args

from toolcanon.checking.selection import ensure_known, means
from toolcanon.conversion.target import Target, ensure_target
from toolcanon.diagnostics import Finding, Level
from toolcanon.errors import BadConfig, UnknownCode, UsageError, nearest
from toolcanon.naming.profiles import Profile

LEVELS: Final[tuple[Level, ...]] = get_args(Level)
_CHECK: Final = ("to", "targets", "select", "ignore", "fail-on", "suppress")
_TARGET: Final = ("format", "strict", "dialect", "model", "via", "naming")
_SUPPRESS: Final = ("code", "tool", "at", "target", "reason")


@dataclass(frozen=True, slots=True)
class Suppression:
    """Findings that were reviewed and are not reported again, with the reason."""

    code: str
    """A code, the beginning of a code, or a name; see ``toolcanon.checking.selection``."""
    reason: str
    tool: str = "*"
    """The name of the tool; ``*`` matches any text."""
    at: str = ""
    """Matches this place and everything below it."""
    target: str = ""

    def covers(self, finding: Finding) -> bool:
        """Return whether a finding is suppressed."""
        place = str(finding.at)
        return (
            means(self.code, finding.code, finding.name)
            and fnmatch.fnmatchcase(finding.subject, self.tool)
            and (not self.target or self.target == finding.target)
            and (not self.at or place == self.at or place.startswith(f"{self.at}/"))
        )


@dataclass(frozen=True, slots=True)
class CheckConfig:
    """The section ``[check]``."""

    to: tuple[str | Target, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Level | None = None
    suppress: tuple[Suppression, ...] = ()


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a project."""

    check: CheckConfig = field(default_factory=CheckConfig)
    file: str = ""
    """The file that was read; empty when there is none."""
    naming: Mapping[str, Profile] = field(default_factory=dict)
    """Naming profiles of the project, by name."""

    @classmethod
    def of(cls, table: Mapping[str, Any], file: str) -> Self:
        """Read the table. Raises BadConfig with the key."""
        _only(table, ("check", "naming"), "", file)
        naming = _table(table, "naming", file)
        profiles = {name: Profile.of(name, _table(naming, name, file), file) for name in naming}
        return cls(_check(_table(table, "check", file), file), file, profiles)


def _check(section: Mapping[str, Any], file: str) -> CheckConfig:
    _only(section, _CHECK, "check", file)
    fail_on = section.get("fail-on")
    if fail_on is not None and fail_on not in LEVELS:
        raise BadConfig(file, "check.fail-on", f"it must be one of {', '.join(LEVELS)}")
    return CheckConfig(
        _targets(section, file),
        _texts(section, "select", file),
        _texts(section, "ignore", file),
        fail_on,
        tuple(_suppressions(section.get("suppress", []), file)),
    )


def _targets(section: Mapping[str, Any], file: str) -> tuple[str | Target, ...]:
    """Return the targets: names, or tables of options."""
    if "to" in section and "targets" in section:
        raise BadConfig(file, "check.targets", "it is an alias of check.to: use only one of them")
    key = "targets" if "targets" in section else "to"
    found = section.get(key, [])
    if not isinstance(found, list):
        raise BadConfig(file, f"check.{key}", "it must be a list of targets")
    return tuple(_target(one, f"check.{key}[{number}]", file) for number, one in enumerate(found))


def _target(value: Any, key: str, file: str) -> str | Target:
    if not isinstance(value, str | dict):
        raise BadConfig(file, key, "it must be a string, or a table with format and options")
    try:
        if isinstance(value, str):
            ensure_target(value)
            return value
        _only(value, _TARGET, key, file)
        if "format" not in value:
            raise BadConfig(file, key, "a target needs a format")
        return Target(**value)
    except UsageError as error:
        raise BadConfig(file, key, str(error)) from None


def _suppressions(entries: Any, file: str) -> list[Suppression]:
    if not isinstance(entries, list):
        raise BadConfig(file, "check.suppress", "it must be a list of tables: [[check.suppress]]")
    out: list[Suppression] = []
    for number, entry in enumerate(entries):
        key = f"check.suppress[{number}]"
        if not isinstance(entry, dict):
            raise BadConfig(file, key, "it must be a table")
        _only(entry, _SUPPRESS, key, file)
        for name, value in entry.items():
            if not isinstance(value, str):
                raise BadConfig(file, f"{key}.{name}", "it must be a string")
        for name in ("code", "reason"):
            if not entry.get(name, "").strip():
                raise BadConfig(file, f"{key}.{name}", "a suppression needs a code and a reason")
        try:
            ensure_known(entry["code"])
        except UnknownCode as error:  # a misspelled code would have no effect
            raise BadConfig(file, f"{key}.code", str(error)) from None
        out.append(Suppression(**entry))
    return out


def _table(table: Mapping[str, Any], name: str, file: str) -> Mapping[str, Any]:
    found = table.get(name, {})
    if not isinstance(found, dict):
        raise BadConfig(file, name, "it must be a table")
    return found


def _texts(section: Mapping[str, Any], name: str, file: str) -> tuple[str, ...]:
    found = section.get(name, [])
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise BadConfig(file, f"check.{name}", "it must be a list of strings")
    return tuple(found)


def _only(table: Mapping[str, Any], known: tuple[str, ...], where: str, file: str) -> None:
    """Raise BadConfig for an unknown key, which would have no effect."""
    for key in table:
        if key not in known:
            near = nearest(key, known)
            hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"
            raise BadConfig(file, f"{where}.{key}".lstrip("."), f"this key is unknown; {hint}")
