"""One file as a revision of a git repository has it.

Git is run without a shell and with nothing but a revision and a path behind ``--end-of-options``.
No filter, no hook, no pager and no network has a part in showing a blob.
"""

from __future__ import annotations

import os
import re
import subprocess
from typing import Final, NamedTuple

from toolcanon.errors import MissingFile
from toolcanon.jsonio import DEFAULT_LIMITS, Limits, Loaded, loads
from toolcanon.sources.yaml import SUFFIXES, load_yaml

PREFIX: Final = "git:"
_SECONDS: Final = 30
_REVISION: Final = re.compile(r"[^\s:\-\x00-\x1f\x7f][^\s:\x00-\x1f\x7f]{0,255}")
_COMMAND: Final = (
    "git", "--no-pager", "-c", "core.fsmonitor=false", "show", "--no-textconv", "--no-ext-diff",
    "--end-of-options",
)  # fmt: skip
_QUIET: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}


class Revision(NamedTuple):
    """A file of a repository as it was."""

    revision: str
    path: str

    @classmethod
    def parse(cls, spec: str, path: str | None = None) -> Revision:
        """Read ``git:REV:path``, or ``git:REV`` for a path that is known. Raises MissingFile.

        As in git, a path leads from the root of the repository unless it begins with ``./``.
        """
        revision, _, said = spec.removeprefix(PREFIX).partition(":")
        if not _REVISION.fullmatch(revision):
            raise MissingFile(spec, "this names no revision; write git:REV:path")
        if not said and path is not None:
            said = path if path.startswith(("/", "./", "../")) else f"./{path}"
        if not said or "\x00" in said or "\n" in said:
            raise MissingFile(spec, "this names no file; write git:REV:path")
        return cls(revision, said)

    def __str__(self) -> str:
        return f"{PREFIX}{self.revision}:{self.path}"


def read_revision(
    revision: Revision, limits: Limits = DEFAULT_LIMITS, *, duplicates: bool = False
) -> Loaded:
    """The document in a file as a revision has it. Raises MissingFile when there is none."""
    raw = _shown(revision, limits)
    if revision.path.lower().endswith(SUFFIXES):
        return load_yaml(raw, limits)
    return loads(raw, limits, duplicates=duplicates)


def _shown(revision: Revision, limits: Limits) -> bytes:
    """The bytes of the file; one more than allowed, when there are more."""
    what = f"{revision.revision}:{revision.path}"
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell, and no option can stand there
            [*_COMMAND, what],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **_QUIET},
        )
    except OSError:
        raise MissingFile(str(revision), "git is not there to read it") from None
    with process:
        assert process.stdout is not None  # noqa: S101 - asked for above
        raw = process.stdout.read(limits.bytes + 1)
        if len(raw) > limits.bytes:
            process.kill()
            return raw
        try:
            _, said = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise MissingFile(str(revision), "git does not answer") from None
    if process.returncode:
        words = said.decode("utf-8", "replace").strip().splitlines()
        reason = words[-1].removeprefix("fatal: ") if words else "git refuses it"
        raise MissingFile(str(revision), reason)
    return raw
