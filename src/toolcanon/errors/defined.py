"""Errors of tools written in Python, and of calls to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolcanon.errors.root import InputError, UsageError


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
