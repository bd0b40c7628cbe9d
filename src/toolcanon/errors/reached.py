"""Errors of live servers, and of consent before starting them."""

from __future__ import annotations

from toolcanon.errors.root import InputError, SystemRefusal, UsageError

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
