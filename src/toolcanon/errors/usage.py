"""Errors of usage: unknown names, contradicting options, tools defined wrongly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolcanon.errors.root import InputError, SystemRefusal, ToolcanonError, UsageError, nearest

_FIRST = 3
_MOST_TOOLS = 20


class _UnknownName(UsageError, LookupError):
    """A name that nothing has."""

    def __init__(self, requested: str, known: Sequence[str], near: str = "") -> None:
        super().__init__(requested, tuple(known), near)
        self.requested, self.known, self.near = requested, tuple(known), near
        """``near`` is a known suggestion, used instead of the most similar name."""

    def _hint(self, otherwise: str) -> str:
        near = self.near or nearest(self.requested, self.known)
        return f"did you mean {near!r}?" if near else otherwise


class UnknownFormat(_UnknownName):
    """No installed format has this id."""

    code = "E201"
    name = "unknown-format"

    def __init__(
        self, requested: str, known: Sequence[str], trouble: str = "", near: str = ""
    ) -> None:
        super().__init__(requested, known, near)
        self.args, self.trouble = (requested, tuple(known), trouble, near), trouble

    def __str__(self) -> str:
        hint = self._hint(f"known: {', '.join(self.known)}")
        return f"unknown format {self.requested!r}{self.trouble and f' ({self.trouble})'}; {hint}"


class NoConversations(UnknownFormat):
    """The format writes tools but no conversations."""

    def __str__(self) -> str:
        return f"{self.requested!r} has no conversations; choose one of {', '.join(self.known)}"


class NotWritable(UsageError):
    """The format can be read but has no written form."""

    code = "E202"
    name = "not-writable"

    def __init__(self, format: str, known: Sequence[str]) -> None:
        super().__init__(format, tuple(known))
        self.format, self.known = format, tuple(known)

    def __str__(self) -> str:
        return f"{self.format!r} cannot be written; choose one of {', '.join(self.known)}"


class DuplicateTool(UsageError):
    """Two tools of one list share a name, so calls would be ambiguous."""

    code = "E203"
    name = "duplicate-tool"

    def __init__(self, tool: str, first: int, second: int) -> None:
        super().__init__(tool, first, second)
        self.tool, self.first, self.second = tool, first, second

    def __str__(self) -> str:
        return (
            f"two tools are called {self.tool!r} (numbers {self.first} and {self.second} of the "
            "list); rename one, give them namespaces, or convert them separately"
        )


class UnknownCode(_UnknownName):
    """`explain` was asked for a code or name that does not exist."""

    code = "E204"
    name = "unknown-code"

    def __str__(self) -> str:
        hint = self._hint("`toolcanon explain` lists all codes")
        return f"unknown code {self.requested!r}; {hint}"


class UnknownDialect(_UnknownName):
    """No installed format has this dialect or this version of it."""

    code = "E205"
    name = "unknown-dialect"

    def __str__(self) -> str:
        hint = self._hint(f"known: {', '.join(self.known)}")
        return f"unknown dialect {self.requested!r}; {hint}"


class UnknownTool(_UnknownName):
    """A call names a tool that is not among the bound ones."""

    code = "E206"
    name = "unknown-tool"

    def __str__(self) -> str:
        shown = ", ".join(self.known[:_MOST_TOOLS])
        more = len(self.known) - _MOST_TOOLS
        hint = self._hint(f"bound: {shown}{f' and {more} more' if more > 0 else ''}")
        return f"no tool is called {self.requested!r}; {hint}"


class AmbiguousCall(UnknownTool):
    """A call without a namespace whose name tools of several namespaces have."""

    code = "E214"
    name = "ambiguous-call"

    def __str__(self) -> str:
        which = f"{', '.join(self.known[:-1])} or {self.known[-1]}"
        return f"several tools are called {self.requested!r}; use the full name: {which}"


class AmbiguousChoice(UsageError):
    """A tool choice by a name that tools of several namespaces have."""

    code = "E215"
    name = "ambiguous-choice"

    def __init__(self, format: str, tool: str, known: Sequence[str]) -> None:
        super().__init__(format, tool, tuple(known))
        self.format, self.tool, self.known = format, tool, tuple(known)

    def __str__(self) -> str:
        return (
            f"{self.format} chooses a tool by its bare name, and {' and '.join(self.known)} share "
            f"the name {self.tool!r}; rename one of them, or bind only the tool to choose"
        )


class BadOption(UsageError, ValueError):
    """An option has an invalid value."""

    code = "E216"
    name = "bad-option"

    def __init__(
        self, option: str, value: object, known: Sequence[object] = (), wants: str = ""
    ) -> None:
        """``known`` lists the valid values; ``wants`` describes them when there is no list."""
        super().__init__(option, value, tuple(known), wants)
        self.option, self.value, self.known, self.wants = option, value, tuple(known), wants

    def __str__(self) -> str:
        wanted = self.wants
        if self.known:
            *first, last = map(repr, self.known)
            wanted = f"{', '.join(first)} or {last}"
        return f"{self.option} must be {wanted}, not {self.value!r}"


class MissingPackage(UsageError):
    """A feature needs a package that is not installed."""

    code = "E207"
    name = "missing-package"

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(package, extra, purpose)
        self.package, self.extra, self.purpose = package, extra, purpose

    def __str__(self) -> str:
        return (
            f"{self.package} is not installed, which is needed to {self.purpose}; "
            f"install it with: pip install 'toolcanon[{self.extra}]'"
        )


class CheckFailed(ToolcanonError):
    """A check has findings at the level on which it fails.

    `level` is the level of findings, or the verdict, to fail on; it includes worse ones. `said` has
    a sentence for each finding.
    """

    code = "E208"
    name = "check-failed"
    exit_code = 1

    def __init__(self, level: str, said: Sequence[str]) -> None:
        super().__init__(level, tuple(said))
        self.level, self.said = level, tuple(said)

    def __str__(self) -> str:
        count = len(self.said)
        more = f"; and {count - _FIRST:,} more" if count > _FIRST else ""
        return (
            f"the check found {count:,} of level {self.level} or worse: "
            f"{'; '.join(self.said[:_FIRST])}{more}; fix them, or choose another level"
        )


class CannotWrite(SystemRefusal):
    """An output file could not be written; no partial file is left."""

    code = "E301"
    name = "cannot-write"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"cannot write {self.path}: {self.reason}; check the folder and the free space"


class UnknownProfile(_UnknownName):
    """No naming profile has this id."""

    code = "E211"
    name = "unknown-profile"

    def __str__(self) -> str:
        hint = self._hint(f"known: {', '.join(self.known)}, or a TOML file of your own")
        return f"unknown naming profile {self.requested!r}; {hint}"


class ProfileCollision(UsageError):
    """A naming profile gives two tools of one request the same name."""

    code = "E212"
    name = "profile-collision"

    def __init__(self, profile: str, outside: str, first: str, second: str) -> None:
        super().__init__(profile, outside, first, second)
        self.profile, self.outside = profile, outside
        self.first, self.second = first, second

    def __str__(self) -> str:
        return (
            f"the naming profile {self.profile} calls both {self.first!r} and {self.second!r} "
            f"{self.outside!r}; leave one of them out, or rename one in a profile of your own"
        )


class NoModule(UsageError):
    """A Python module, or a name in it, is missing, fails, or holds no tools."""

    code = "E213"
    name = "no-module"

    def __init__(self, module: str, reason: str) -> None:
        super().__init__(module, reason)
        self.module, self.reason = module, reason

    def __str__(self) -> str:
        return f"no tools from {self.module}: {self.reason}"


class RefusedArguments(InputError):
    """The arguments of a call do not fit the tool's parameters.

    The text is for the model that sent them: each line has the place, the expected and the given
    value. `problems` holds the same as data, each with `at`, `keyword` and `message`.
    """

    code = "E120"
    name = "refused-arguments"

    def __init__(self, tool: str, problems: Sequence[Any], text: str) -> None:
        super().__init__(tool, tuple(problems), text)
        self.tool, self.problems, self.text = tool, tuple(problems), text

    def __str__(self) -> str:
        return self.text


class DefinitionError(UsageError):
    """A function or class cannot be a tool; raised where it is decorated.

    `function`, `file`, `line` and `parameter` are the place, `reason` is the problem and `advice`
    the change to make.
    """

    code = "E209"
    name = "bad-definition"

    def __init__(  # noqa: PLR0913, PLR0917 - a place has many parts
        self,
        function: str,
        file: str,
        line: int,
        reason: str,
        advice: str,
        parameter: str | None = None,
    ) -> None:
        super().__init__(function, file, line, reason, advice, parameter)
        self.function, self.file, self.line = function, file, line
        self.reason, self.advice, self.parameter = reason, advice, parameter

    def __str__(self) -> str:
        about = f", parameter {self.parameter!r}" if self.parameter else ""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{self.function} ({place}){about}: {self.reason}; {self.advice}"


class CannotCall(UsageError):
    """A tool was called without its context, its object, or an await."""

    code = "E210"
    name = "cannot-call"

    def __init__(self, tool: str, reason: str, advice: str) -> None:
        super().__init__(tool, reason, advice)
        self.tool, self.reason, self.advice = tool, reason, advice

    def __str__(self) -> str:
        return f"cannot call {self.tool}: {self.reason}; {self.advice}"
