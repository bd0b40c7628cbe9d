"""What can be wrong with a call or an input, as one tree of exceptions.

ToolcanonError
├── InputError                  the data handed in (exit 2)
│   ├── MalformedJson           E101  not JSON
│   ├── DuplicateKey            E102  one object names a key twice
│   ├── NumberOutOfRange        E103  NaN, infinities, what a double cannot hold
│   ├── BadEncoding             E104  not UTF-8
│   ├── LoneSurrogate           E105  half of a surrogate pair in a string
│   ├── LimitExceeded           E106  larger, deeper or longer than allowed
│   ├── NoTools                 E110  nothing in it is a tool
│   ├── UnreadableTool          E111  a tool, but its shape is wrong
│   ├── WrongFormat             E112  the format named is not the one found
│   ├── BadReceipt              E113  not a receipt, or not for this payload
│   ├── MissingFile             E114  no such file, or not readable
│   └── NotACall                E115  no name with arguments
├── UsageError                  the call itself (exit 2)
│   ├── UnknownFormat           E201
│   ├── NotWritable             E202  the format can only be read
│   ├── DuplicateTool           E203  two tools share one name
│   ├── UnknownCode             E204
│   ├── UnknownDialect          E205
│   └── UnknownTool             E206  a name that no bound tool has
└── SystemRefusal           disk, locks, permissions (exit 3)
    └── CannotWrite             E301

Every error carries its facts as fields; the sentence is made from them: what, where, what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


class ToolcanonError(Exception):
    """Root of everything raised on purpose."""

    code: ClassVar[str] = "E000"
    name: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 2
    row: int | None = None  # the line of a JSON Lines file, for whoever prints the error


class InputError(ToolcanonError, ValueError):
    """The data handed in cannot be used."""


class UsageError(ToolcanonError):
    """The call asks for something that does not exist or makes no sense."""


class SystemRefusal(ToolcanonError):
    """The machine refused: disk, permission, lock."""

    exit_code = 3


def place(line: int | None, column: int | None) -> str:
    """Words for a position in a text, empty when unknown."""
    return f" at line {line}, column {column}" if line is not None else ""


def nearest(word: str, known: Sequence[str]) -> str | None:
    """The known word most like this one, if any is close."""
    from difflib import get_close_matches  # noqa: PLC0415 - only errors pay for this import

    found = get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    return found[0] if found else None


class MalformedJson(InputError):
    """The text is not one JSON document.

    Comments, trailing commas, single quotes and a second document are refused: two readers that
    are lenient in different ways would see two different tools.
    """

    code = "E101"
    name = "malformed-json"

    def __init__(self, reason: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(reason, line, column)
        self.reason, self.line, self.column = reason, line, column

    def __str__(self) -> str:
        return f"not JSON: {self.reason}{place(self.line, self.column)}; correct the text there"


class DuplicateKey(InputError):
    """An object names one key twice, so readers disagree on its value.

    The first occurrence and the second are both given. `--duplicate-keys warn` keeps the last
    value, as most parsers do without saying so.
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
            f"the key {self.key!r} stands twice in one object{where}; "
            "remove one, or pass --duplicate-keys warn to keep the last"
        )


class NumberOutOfRange(InputError):
    """A number that JSON or a double cannot hold: NaN, Infinity, 1e400, 1e-400."""

    code = "E103"
    name = "number-range"

    def __init__(self, text: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(text, line, column)
        self.text, self.line, self.column = text, line, column

    def __str__(self) -> str:
        return (
            f"the number {self.text[:40]} cannot be kept{place(self.line, self.column)}; "
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
    """A string holds half of a surrogate pair, which no UTF-8 writer can write."""

    code = "E105"
    name = "lone-surrogate"

    def __init__(self, at: str) -> None:
        super().__init__(at)
        self.at = at

    def __str__(self) -> str:
        return (
            f"the string at {self.at or '/'} holds half of a surrogate pair (\\ud800 to \\udfff "
            "without its partner); write the whole character"
        )


class LimitExceeded(InputError):
    """The input passes a limit that keeps hostile documents from hanging the program.

    Every limit can be raised: `--limit NAME=VALUE`, or `Limits(...)` from Python.
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
            f"{self.where}; make it smaller{raised}"
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


class NoTools(InputError):
    """Nothing in the payload looks like a tool."""

    code = "E110"
    name = "no-tools"

    def __init__(self, reason: str, at: str = "") -> None:
        super().__init__(reason, at)
        self.reason, self.at = reason, at

    def __str__(self) -> str:
        where = f" at {self.at}" if self.at else ""
        return (
            f"no tool found{where}: {self.reason}; hand in a tool definition, a list of them, a "
            "tools/list answer or a request body"
        )


class UnreadableTool(InputError):
    """A definition in a known format lacks what that format needs, or has it in the wrong type."""

    code = "E111"
    name = "unreadable-tool"

    def __init__(self, format: str, at: str, reason: str) -> None:
        super().__init__(format, at, reason)
        self.format, self.at, self.reason = format, at, reason

    def __str__(self) -> str:
        return f"unreadable {self.format} tool at {self.at or '/'}: {self.reason}; correct it there"


class WrongFormat(InputError):
    """The source format was named, but the payload is plainly another one.

    Reading it as asked would give a tool without its parameters.
    """

    code = "E112"
    name = "wrong-format"

    def __init__(self, requested: str, detected: str, at: str = "") -> None:
        super().__init__(requested, detected, at)
        self.requested, self.detected, self.at = requested, detected, at

    def __str__(self) -> str:
        where = f" at {self.at}" if self.at else ""
        return (
            f"the definition{where} is not {self.requested}, it looks like {self.detected}; "
            f"name {self.detected} as its format, or let it be detected"
        )


class BadReceipt(InputError):
    """The receipt is not one of ours, is of a newer version, or belongs to another payload."""

    code = "E113"
    name = "bad-receipt"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"unusable receipt: {self.reason}; use the one written by the conversion itself"


class MissingFile(InputError):
    """A file named on the command line cannot be read."""

    code = "E114"
    name = "missing-file"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"cannot read {self.path}: {self.reason}; check the path, or use - for stdin"


class NotACall(InputError):
    """The value has no name with arguments in any of the shapes that calls come in."""

    code = "E115"
    name = "not-a-call"

    def __init__(self, at: str, shown: str) -> None:
        super().__init__(at, shown)
        self.at, self.shown = at, shown

    def __str__(self) -> str:
        where = self.at and f" at {self.at}"
        return f"not a call{where}: {self.shown}; hand in a name with arguments, or a list of them"


class _Unknown(UsageError, LookupError):
    """Something was asked for by a name that nothing has."""

    def __init__(self, requested: str, known: Sequence[str]) -> None:
        super().__init__(requested, tuple(known))
        self.requested, self.known = requested, tuple(known)

    def _hint(self, otherwise: str) -> str:
        near = nearest(self.requested, [*self.known, *map(str.lower, self.known)])
        return f"did you mean {near!r}?" if near else otherwise


class UnknownFormat(_Unknown):
    """No installed format has this id."""

    code = "E201"
    name = "unknown-format"

    def __init__(self, requested: str, known: Sequence[str], trouble: str = "") -> None:
        super().__init__(requested, known)
        self.args, self.trouble = (requested, tuple(known), trouble), trouble

    def __str__(self) -> str:
        hint = self._hint(f"known: {', '.join(self.known)}")
        return f"unknown format {self.requested!r}{self.trouble and f' ({self.trouble})'}; {hint}"


class NotWritable(UsageError):
    """The format can be read but has no written form."""

    code = "E202"
    name = "not-writable"

    def __init__(self, format: str, known: Sequence[str]) -> None:
        super().__init__(format, tuple(known))
        self.format, self.known = format, tuple(known)

    def __str__(self) -> str:
        return f"nothing can be written as {self.format!r}; choose one of {', '.join(self.known)}"


class DuplicateTool(UsageError):
    """Two tools of one list share a name, so a call could mean either."""

    code = "E203"
    name = "duplicate-tool"

    def __init__(self, tool: str, first: int, second: int) -> None:
        super().__init__(tool, first, second)
        self.tool, self.first, self.second = tool, first, second

    def __str__(self) -> str:
        return (
            f"two tools are called {self.tool!r} (numbers {self.first} and {self.second} of the "
            "list); rename one, give them namespaces, or convert them apart"
        )


class UnknownCode(_Unknown):
    """`explain` was asked for a code or name that does not exist."""

    code = "E204"
    name = "unknown-code"

    def __str__(self) -> str:
        hint = self._hint("`toolcanon explain` lists them all")
        return f"unknown code {self.requested!r}; {hint}"


class UnknownDialect(_Unknown):
    """No installed format has a dialect with this id, or not in this version."""

    code = "E205"
    name = "unknown-dialect"

    def __str__(self) -> str:
        hint = self._hint(f"there are {', '.join(self.known)}")
        return f"unknown dialect {self.requested!r}; {hint}"


class UnknownTool(_Unknown):
    """A call names a tool that is not among the bound ones."""

    code = "E206"
    name = "unknown-tool"

    def __str__(self) -> str:
        hint = self._hint(f"bound are {', '.join(self.known[:9])}")
        return f"no tool is called {self.requested!r}; {hint}"


class CannotWrite(SystemRefusal):
    """An output file could not be written; nothing half-written is left behind."""

    code = "E301"
    name = "cannot-write"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"cannot write {self.path}: {self.reason}; check the folder and the free space"
