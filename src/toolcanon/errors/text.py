"""Errors of JSON text, before its meaning is considered."""

from __future__ import annotations

from toolcanon.errors.root import InputError, place


class MalformedJson(InputError):
    """The text is not one JSON document.

    Comments, trailing commas, single quotes and a second document are errors: two lenient readers
    could read two different tools from them.
    """

    code = "E101"
    name = "malformed-json"

    def __init__(self, reason: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(reason, line, column)
        self.reason, self.line, self.column = reason, line, column

    def __str__(self) -> str:
        return f"not JSON: {self.reason}{place(self.line, self.column)}; correct the text"


class DuplicateKey(InputError):
    """An object repeats a key, so readers disagree on its value.

    The error has the places of both. `--duplicate-keys warn` keeps the last value, as most
    parsers do silently.
    """

    code = "E102"
    name = "dup-key"

    def __init__(
        self,
        key: str,
        first: tuple[int, int] | None = None,
        second: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(key, first, second)
        self.key, self.first, self.second = key, first, second

    def __str__(self) -> str:
        where = ""
        if self.first and self.second:
            where = f"{place(*self.second)} (first{place(*self.first)})"
        return (
            f"the key {self.key!r} occurs twice in one object{where}; "
            "remove one, or pass --duplicate-keys warn to keep the last"
        )


class NumberOutOfRange(InputError):
    """A number that JSON or a double cannot represent: NaN, Infinity, 1e400, 1e-400."""

    code = "E103"
    name = "number-range"

    def __init__(self, text: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(text, line, column)
        self.text, self.line, self.column = text, line, column

    def __str__(self) -> str:
        return (
            f"the number {self.text[:40]} cannot be represented{place(self.line, self.column)}; "
            "write a finite number, or a string"
        )


class BadEncoding(InputError):
    """The bytes are not UTF-8 (a byte order mark is skipped)."""

    code = "E104"
    name = "bad-encoding"

    def __init__(self, found: str, offset: int | None = None) -> None:
        super().__init__(found, offset)
        self.found, self.offset = found, offset

    def __str__(self) -> str:
        where = "" if self.offset is None else f" at byte {self.offset}"
        return f"the text is {self.found}{where}; save it as UTF-8"


class LoneSurrogate(InputError):
    """A string has a lone surrogate, which cannot be written as UTF-8."""

    code = "E105"
    name = "lone-surrogate"

    def __init__(self, at: str) -> None:
        super().__init__(at)
        self.at = at

    def __str__(self) -> str:
        return (
            f"the string at {self.at or '/'} has a lone surrogate (\\ud800 to \\udfff "
            "without its partner); replace it with the whole character"
        )


class LimitExceeded(InputError):
    """The input exceeds a limit, which protects against documents that exhaust time or memory.

    Every limit can be raised: `--limit NAME=VALUE`, or in Python
    `with within(Limits(...)):`, both from `toolcanon.jsonio`.
    """

    code = "E106"
    name = "limit"

    def __init__(self, limit: str, allowed: int, found: int | None = None, where: str = "") -> None:
        super().__init__(limit, allowed, found, where)
        self.limit, self.allowed, self.found, self.where = limit, allowed, found, where

    def __str__(self) -> str:
        found = "" if self.found is None else f" (found {self.found:,})"
        raised = "" if self.limit == "name" else f", or raise it with --limit {self.limit}=N"
        return (
            f"limit-{self.limit}: more than {self.allowed:,} {_LIMIT_WORDS[self.limit]}{found}"
            f"{self.where}; reduce it{raised}"
        )


_LIMIT_WORDS = {
    "bytes": "bytes in one document",
    "depth": "levels of nesting",
    "values": "values in one document",
    "digits": "digits in one number",
    "tools": "tools in one document",
    "name": "characters in a name",
    "tool": "bytes in one tool",
    "line": "bytes in one line",
}
