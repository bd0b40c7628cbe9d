"""Errors about what is outside of the process: servers, files, stores."""

from __future__ import annotations

from toolcanon.errors.root import InputError, SystemRefusal, ToolcanonError, UsageError

_LAST_WORDS = 400


class ServerFailed(SystemRefusal):
    """A live server could not be started or reached, or broke the protocol.

    `stage` is where it failed: start, initialize or tools/list. `reached` is the command or the
    address and `said` the end of its stderr, both without secrets.
    """

    code = "E310"
    name = "server-failed"

    def __init__(self, stage: str, reached: str, reason: str, said: str = "") -> None:
        super().__init__(stage, reached, reason, said)
        self.stage, self.reached, self.reason, self.said = stage, reached, reason, said

    def __str__(self) -> str:
        lines = [line.strip() for line in self.said.splitlines() if line.strip()]
        words = " | ".join(lines)
        if len(words) > _LAST_WORDS:
            words = f"… {words[-_LAST_WORDS:]}"
        said = f"; its stderr ends with: {words}" if words else ""
        advice = _ADVICE.get(self.stage, "check whether it works with another client")
        return f"{self.reached} failed at {self.stage}: {self.reason}{said}; {advice}"


_ADVICE = {
    "start": "check the command, the folder and the PATH",
    "connect": "check the address and the network",
}


class ConsentNeeded(UsageError):
    """A file names a command or an address that was not consented to.

    Reading such a file starts nothing. What it names is started or called only after consent to
    the whole of it: in a terminal, or by `--yes` with the digest or the name. A command that
    changed in any character needs consent again.
    """

    code = "E311"
    name = "consent-needed"

    def __init__(self, server: str, shown: str, digest: str) -> None:
        super().__init__(server, shown, digest)
        self.server, self.shown, self.digest = server, shown, digest

    def __str__(self) -> str:
        return (
            f"{self.server!r} needs your consent: {self.shown}; to give it, pass "
            f"--yes {self.digest}, or run this in a terminal"
        )


class UntrustedState(SystemRefusal):
    """A state file could have been written by another user, so it proves nothing."""

    code = "E312"
    name = "untrusted-state"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return (
            f"{self.path} cannot be trusted: {self.reason}; make it writable only by you (chown, "
            "chmod go-w), or use another place"
        )


class UnusableConfig(InputError):
    """A client's configuration file lacks the server, or the entry cannot be started."""

    code = "E313"
    name = "unusable-config"

    def __init__(self, path: str, reason: str, advice: str) -> None:
        super().__init__(path, reason, advice)
        self.path, self.reason, self.advice = path, reason, advice

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}; {self.advice}"


class _AboutFile(ToolcanonError):
    """An error about one file, with a reason and advice."""

    def __init__(self, path: str, reason: str, advice: str) -> None:
        super().__init__(path, reason, advice)
        self.path, self.reason, self.advice = path, reason, advice

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}; {self.advice}"


class StoreDamaged(_AboutFile, SystemRefusal):
    """The store is damaged. It is left as it is and never treated as an empty store."""

    code = "E320"
    name = "store-damaged"


class StoreForeign(_AboutFile, SystemRefusal):
    """The file is not a toolwatch store, or holds more than toolwatch wrote."""

    code = "E321"
    name = "store-foreign"


class StoreVersion(_AboutFile, SystemRefusal):
    """The store was written by a version that this one cannot read."""

    code = "E322"
    name = "store-version"


class StoreUnwritable(_AboutFile, SystemRefusal):
    """The store cannot be written: read-only, disk full, or no permission. Nothing was lost."""

    code = "E323"
    name = "store-unwritable"


class StoreBusy(_AboutFile, SystemRefusal):
    """Other processes kept the store locked for longer than the timeout."""

    code = "E324"
    name = "store-busy"


class BadLock(_AboutFile, InputError):
    """The lockfile is truncated, edited by hand, in conflict, or of another version."""

    code = "E325"
    name = "bad-lock"


class NoBaseline(UsageError):
    """A tool has no baseline, and recording one now was not requested."""

    code = "E326"
    name = "no-baseline"

    def __init__(self, tools: tuple[str, ...], reason: str) -> None:
        super().__init__(tools, reason)
        self.tools, self.reason = tools, reason

    def __str__(self) -> str:
        few = ", ".join(repr(tool) for tool in self.tools[:3])
        more = f" and {len(self.tools) - 3:,} more" if len(self.tools) > 3 else ""  # noqa: PLR2004
        return f"no baseline for {few}{more}, and {self.reason}; run `toolwatch baseline` first"


class ApprovalConflict(UsageError):
    """The definition is not the approved one, because it changed in the meantime."""

    code = "E327"
    name = "approval-conflict"

    def __init__(self, tool: str, expected: str, found: str) -> None:
        super().__init__(tool, expected, found)
        self.tool, self.expected, self.found = tool, expected, found

    def __str__(self) -> str:
        return (
            f"{self.tool!r} is not what was approved: {self.expected} was expected and "
            f"{self.found or 'nothing'} was found; review it again"
        )


class UnknownStore(UsageError):
    """The named place is not a supported kind of store."""

    code = "E328"
    name = "unknown-store"

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place

    def __str__(self) -> str:
        return f"no store is supported at {self.place}; name a file, as /path or sqlite:///path"


class BadShape(InputError):
    """The document is not a shape, is damaged, has a newer version, or another key."""

    code = "E329"
    name = "bad-shape"

    def __init__(self, reason: str, at: str = "") -> None:
        super().__init__(reason, at)
        self.reason, self.at = reason, at

    def __str__(self) -> str:
        where = f" at {self.at}" if self.at else ""
        return f"unusable shape{where}: {self.reason}; learn it again from responses"


class BadImport(InputError):
    """An entry to import is invalid; `number` counts from 1."""

    code = "E330"
    name = "bad-import"

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(number, reason)
        self.number, self.reason = number, reason

    def __str__(self) -> str:
        return f"entry {self.number:,} is invalid: {self.reason}; nothing was imported"
