"""Lockfiles on disk: read completely, and changed by one process at a time.

An advisory lock on the folder keeps other processes out, so no file is left behind and a process
that dies releases the lock. The file is read again under the lock: another process's changes are
kept, not overwritten.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from toolcanon.drift.lockfile import Lock, read_lock_text, write_lock_text
from toolcanon.drift.lockfile.lock import LIMITS
from toolcanon.errors import CannotWrite, MissingFile, StoreBusy
from toolcanon.sources import check_place, write_file

NAME: Final = "tools.lock"
PATIENCE: Final = 10.0
"""Seconds to wait for other processes."""
_PAUSE: Final = 0.02
_ADVICE: Final = "write one with `toolwatch lock`, or name another with --lock"
_TAKEN: Final = frozenset({errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK})


def read_lock(path: str) -> Lock:
    """Return the lock of a file. Raises MissingFile, and BadLock when it cannot be trusted."""
    return read_lock_text(read_bytes(path), path)


def read_bytes(path: str) -> bytes:
    """Return the content of the file, up to the size limit. Raises MissingFile."""
    try:
        if Path(path).is_dir():
            raise MissingFile(path, "it is a folder", _ADVICE)
        with Path(path).open("rb") as stream:
            return stream.read(LIMITS.bytes + 1)
    except OSError as error:
        raise MissingFile(path, _reason(error), _ADVICE) from None


def update_lock(
    path: str,
    change: Callable[[Lock | None], Lock],
    *,
    sealed: bool = True,
    patience: float = PATIENCE,
) -> Lock:
    """Change a lockfile: pass its lock (None without a file) to ``change`` and write the result.

    An exception of ``change`` leaves the file as it was. The file is complete, old or new, at every
    moment; on return, the new one is synced to disk. An unchanged file is not written.
    """
    check_place(path)
    target = Path(path).resolve()
    with _alone(target.parent, path, patience) as folder:
        text = read_bytes(path) if target.exists() else None
        before = None if text is None else read_lock_text(text, path, sealed=sealed)
        after = change(before)
        written = write_lock_text(after)
        if text != written.encode():
            write_file(path, [written])
            with contextlib.suppress(OSError):  # some file systems do not support it, nor need it
                os.fsync(folder)
    return after


@contextlib.contextmanager
def _alone(folder: Path, path: str, patience: float) -> Iterator[int]:
    """Yield the descriptor of the folder while holding its lock."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise CannotWrite(path, _reason(error)) from None
    try:
        _wait(descriptor, path, patience)
        yield descriptor
    finally:
        os.close(descriptor)  # releases the lock


def _wait(descriptor: int, path: str, patience: float) -> None:
    end = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _TAKEN:
                raise CannotWrite(path, f"it cannot be locked, {_reason(error)}") from None
        else:
            return
        if time.monotonic() > end:
            raise StoreBusy(path, f"it was locked for {patience:g} s", "try again later")
        time.sleep(_PAUSE * (1 + random.random()))  # noqa: S311 - so that processes do not collide


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
