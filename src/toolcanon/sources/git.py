"""Read one file at a revision of a git repository.

Git is run without a shell, with only a revision and a path after ``--end-of-options``. Filters,
hooks, pagers and the network are not involved in showing a blob.
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
    """A file at a revision."""

    revision: str
    path: str

    @classmethod
    def parse(cls, spec: str, path: str | None = None) -> Revision:
        """Read ``git:REV:path``, or ``git:REV`` with a given path. Raises MissingFile.

        As in git, a path is relative to the root of the repository unless it begins with ``./``.
        """
        revision, _, file = spec.removeprefix(PREFIX).partition(":")
        if not _REVISION.fullmatch(revision):
            raise MissingFile(spec, "it has no revision; write git:REV:path")
        if not file and path is not None:
            file = path if path.startswith(("/", "./", "../")) else f"./{path}"
        if not file or "\x00" in file or "\n" in file:
            raise MissingFile(spec, "it has no file; write git:REV:path")
        return cls(revision, file)

    def __str__(self) -> str:
        return f"{PREFIX}{self.revision}:{self.path}"


def read_revision(
    revision: Revision, limits: Limits = DEFAULT_LIMITS, *, duplicates: bool = False
) -> Loaded:
    """Return the document of a file at a revision. Raises MissingFile when there is none."""
    raw = _shown(revision, limits)
    if revision.path.lower().endswith(SUFFIXES):
        return load_yaml(raw, limits)
    return loads(raw, limits, duplicates=duplicates)


def _shown(revision: Revision, limits: Limits) -> bytes:
    """Return the bytes of the file, up to one more than allowed."""
    what = f"{revision.revision}:{revision.path}"
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell, and no argument is read as an option
            [*_COMMAND, what],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **_QUIET},
        )
    except OSError:
        raise MissingFile(str(revision), "git is not installed") from None
    with process:
        assert process.stdout is not None  # noqa: S101 - piped above
        raw = process.stdout.read(limits.bytes + 1)
        if len(raw) > limits.bytes:
            process.kill()
            return raw
        try:
            _, errors = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise MissingFile(str(revision), "git does not answer") from None
    if process.returncode:
        words = errors.decode("utf-8", "replace").strip().splitlines()
        reason = words[-1].removeprefix("fatal: ") if words else "git failed without a message"
        raise MissingFile(str(revision), reason)
    return raw
