"""What can go wrong on the way to a live server, and before anything is started."""

from __future__ import annotations

from toolcanon.errors.root import InputError, SystemRefusal, UsageError

_LAST_WORDS = 400


class ServerFailed(SystemRefusal):
    """A live server could not be started or reached, or did not answer as the protocol asks.

    `stage` says how far it came: start, initialize or tools/list. `reached` is the command or the
    address and `said` the end of what it wrote to stderr, both without secrets.
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
        said = f"; its last words: {words}" if words else ""
        advice = _ADVICE.get(self.stage, "see whether it works in another client")
        return f"{self.reached} failed at {self.stage}: {self.reason}{said}; {advice}"


_ADVICE = {
    "start": "check the command, the folder and the PATH",
    "connect": "check the address and the network",
}


class ConsentNeeded(UsageError):
    """A file names a command or an address that nobody has agreed to.

    Reading such a file starts nothing. What it names is started or called only once somebody has
    seen the whole of it and said yes: in a terminal, or by `--yes` with the digest or the name.
    A command that changed in any character is asked for again.
    """

    code = "E311"
    name = "consent-needed"

    def __init__(self, server: str, shown: str, digest: str) -> None:
        super().__init__(server, shown, digest)
        self.server, self.shown, self.digest = server, shown, digest

    def __str__(self) -> str:
        return (
            f"nobody has agreed to {self.server!r} yet: {self.shown}; to agree, pass "
            f"--yes {self.digest}, or run this in a terminal"
        )


class UntrustedState(SystemRefusal):
    """A file of ours could have been written by somebody else, so it proves nothing."""

    code = "E312"
    name = "untrusted-state"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return (
            f"{self.path} cannot be trusted: {self.reason}; make it yours alone (chown, chmod "
            "go-w), or use another place"
        )


class UnusableConfig(InputError):
    """A configuration file of a client names no such server, or in a way nobody else can start."""

    code = "E313"
    name = "unusable-config"

    def __init__(self, path: str, reason: str, advice: str) -> None:
        super().__init__(path, reason, advice)
        self.path, self.reason, self.advice = path, reason, advice

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}; {self.advice}"
