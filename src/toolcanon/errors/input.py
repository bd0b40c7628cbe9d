"""Errors about input: payloads, tools, conversations, JSON text."""

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


_STDIN = "check the path, or use - for stdin"


class NoTools(InputError):
    """The payload has no tool."""

    code = "E110"
    name = "no-tools"

    def __init__(self, reason: str, at: str = "") -> None:
        super().__init__(reason, at)
        self.reason, self.at = reason, at

    def __str__(self) -> str:
        where = f" at {self.at}" if self.at else ""
        return (
            f"no tool found{where}: {self.reason}; pass a tool definition, a list of them, a "
            "tools/list answer or a request body"
        )


class UnreadableTool(InputError):
    """A definition of a known format has a missing field or one of the wrong type."""

    code = "E111"
    name = "unreadable-tool"

    def __init__(self, format: str, at: str, reason: str) -> None:
        super().__init__(format, at, reason)
        self.format, self.at, self.reason = format, at, reason

    def __str__(self) -> str:
        return f"unreadable {self.format} tool at {self.at or '/'}: {self.reason}; correct it"


class WrongFormat(InputError):
    """The payload has another format than the named one.

    Reading it in the named format would give a tool without its parameters.
    """

    code = "E112"
    name = "wrong-format"

    def __init__(self, requested: str, detected: str, at: str = "") -> None:
        super().__init__(requested, detected, at)
        self.requested, self.detected, self.at = requested, detected, at

    def __str__(self) -> str:
        where = f" at {self.at}" if self.at else ""
        advice = f"name the format {self.detected}, or omit it to have it detected"
        if self.requested == "canonical":  # from commands without detection
            advice = "canonicalize or convert it first"
        found = f"it looks like {self.detected}"
        return f"the definition{where} is not {self.requested}, {found}; {advice}"


class BadReceipt(InputError):
    """The receipt is invalid, has a newer version, or belongs to another payload."""

    code = "E113"
    name = "bad-receipt"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"unusable receipt: {self.reason}; use the receipt that the conversion wrote"


class MissingFile(InputError):
    """A file that is needed cannot be read."""

    code = "E114"
    name = "missing-file"

    def __init__(self, path: str, reason: str, advice: str = _STDIN) -> None:
        super().__init__(path, reason, advice)
        self.path, self.reason, self.advice = path, reason, advice

    def __str__(self) -> str:
        return f"cannot read {self.path}: {self.reason}; {self.advice}"


class NotACall(InputError):
    """The value has no name with arguments in any known call format."""

    code = "E115"
    name = "not-a-call"

    def __init__(self, at: str, shown: str) -> None:
        super().__init__(at, shown)
        self.at, self.shown = at, shown

    def __str__(self) -> str:
        where = self.at and f" at {self.at}"
        return f"not a call{where}: {self.shown}; pass a name with arguments, or a list of those"


class HistoryInRow(InputError):
    """A row holds messages beside its tools, and the target has no conversations."""

    code = "E123"
    name = "history-in-row"

    def __init__(self, key: str, format: str) -> None:
        super().__init__(key, format)
        self.key, self.format = key, format

    def __str__(self) -> str:
        return (
            f"the row has {self.key!r}, which cannot be written for {self.format} and would not "
            "fit the converted tools; use a target that `toolcanon switch` supports, or "
            f"remove {self.key!r} from the rows to convert their tools alone"
        )


class UnwrittenColumn(InputError):
    """A row holds calls or messages beside its tools that the conversion would lose."""

    code = "E124"
    name = "unwritten-column"

    def __init__(self, key: str, reason: str, advice: str, where: str = "the row") -> None:
        super().__init__(key, reason, advice, where)
        self.key, self.reason, self.advice, self.where = key, reason, advice, where

    def __str__(self) -> str:
        return (
            f"{self.where} has {self.key!r} beside its tools, and {self.reason}; {self.advice}, or "
            f"remove {self.key!r} from it to convert the tools alone"
        )


class NotAConversation(InputError):
    """The value has no messages, or has them in no known format."""

    code = "E116"
    name = "not-a-conversation"

    def __init__(self, at: str, reason: str) -> None:
        super().__init__(at, reason)
        self.at, self.reason = at, reason

    def __str__(self) -> str:
        where = self.at and f" at {self.at}"
        return (
            f"not a conversation{where}: {self.reason}; pass a list of messages, a request body "
            "or a response body, or name its format"
        )


class CutStream(InputError):
    """A stream ended or was closed before the provider ended the message."""

    code = "E117"
    name = "cut-stream"

    def __init__(self, format: str, reason: str, partial: object = None) -> None:
        super().__init__(format, reason)
        self.format, self.reason = format, reason
        self.partial = partial
        """What arrived, as far as it could be decoded; calls in it must not be run."""

    def __str__(self) -> str:
        which = f"the {self.format} stream" if self.format else "the stream"
        return (
            f"{which} ended early: {self.reason}; request it again, and run none of its calls: "
            "its arguments may be incomplete"
        )


class UnusableArguments(InputError):
    """The arguments do not give a request: one is missing, unknown, or cannot be written."""

    code = "E118"
    name = "unusable-arguments"

    def __init__(self, tool: str, at: str, reason: str) -> None:
        super().__init__(tool, at, reason)
        self.tool, self.at, self.reason = tool, at, reason

    def __str__(self) -> str:
        return f"no request of {self.tool} at {self.at or '/'}: {self.reason}; correct the argument"


class NotAToolResponse(InputError):
    """The value is not a tool response envelope, or an invalid envelope was requested."""

    code = "E119"
    name = "not-a-tool-response"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return (
            f"not a tool response: {self.reason}; pass {{'ok': true, 'data': ...}} or "
            "{'ok': false, 'error': '...'}"
        )


class BadConfig(InputError):
    """A configuration file has an unknown key or an invalid value."""

    code = "E121"
    name = "bad-config"

    def __init__(self, file: str, key: str, reason: str) -> None:
        super().__init__(file, key, reason)
        self.file, self.key, self.reason = file, key, reason

    def __str__(self) -> str:
        where = f"{self.file}, {self.key}" if self.key else self.file
        return f"the configuration is invalid ({where}): {self.reason}"


class AnswerFailed(InputError):
    """A provider answered with an error, or without a turn that could be run."""

    code = "E122"
    name = "answer-failed"

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words

    def __str__(self) -> str:
        return f"the provider's answer cannot be used: {self.words}; nothing was run, send it again"
