"""Where a store may lie: in a file that is ours alone, in a folder where nobody else writes.

Nothing here opens the file. Closing it would drop the locks that SQLite holds on it elsewhere in
this process.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from toolcanon.errors import StoreForeign, StoreUnwritable, UntrustedState

_BESIDE: Final = ("-wal", "-shm", "-journal")
_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH
_ROOT: Final = 0


def real_path(place: str) -> Path:
    """Where the store really is. A link may lead to another name in its folder and no further."""
    try:
        named = Path(place).absolute()
        folder = named.parent.resolve()
        real = (folder / named.name).resolve()
    except (OSError, RuntimeError, ValueError):  # links in a circle, a name that cannot be
        raise StoreForeign(place, "no file can be there", "name another one") from None
    if real.parent != folder:
        raise UntrustedState(str(named), "it is a link that leads out of its folder")
    return real


def exists(path: Path) -> bool:
    """Whether there is a store to open; raises when what is there must not be opened."""
    try:
        found = path.lstat()
        _check_folder(path.parent)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise refused(path, error) from None
    if stat.S_ISDIR(found.st_mode):
        raise StoreForeign(str(path), "it is a folder", "name a file in it")
    _check_file(path, found)
    for suffix in _BESIDE:
        beside = Path(f"{path}{suffix}")
        try:
            _check_file(beside, beside.lstat())
        except FileNotFoundError:
            continue
    return True


def _check_file(path: Path, found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise UntrustedState(str(path), "it is a link")
    if not stat.S_ISREG(found.st_mode):
        raise StoreForeign(str(path), "it is no regular file", "name another one")
    _check_owner(path, found)
    if found.st_mode & _OTHERS:
        raise UntrustedState(str(path), "others may write to it")


def _check_folder(folder: Path) -> None:
    """In a sticky folder others can add files but not replace ours."""
    found = folder.stat()
    _check_owner(folder, found)
    if found.st_mode & _OTHERS and not found.st_mode & stat.S_ISVTX:
        raise UntrustedState(str(folder), "others may write to it")


def _check_owner(path: Path, found: os.stat_result) -> None:
    """Root is trusted, as it can write everywhere anyway."""
    if found.st_uid not in {os.geteuid(), _ROOT}:
        raise UntrustedState(str(path), "it belongs to somebody else")


def make_folder(folder: Path) -> None:
    """The folder of a new store: only its owner looks into it."""
    try:
        if not folder.exists():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            sync_folder(folder.parent)
        _check_folder(folder)
    except OSError as error:
        raise refused(folder, error) from None


def sync_folder(folder: Path) -> None:
    """Make names in a folder survive a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_writable(path: Path) -> bool:
    """Whether the store and the files beside it can be written."""
    effective = os.access in os.supports_effective_ids
    return all(os.access(p, os.W_OK, effective_ids=effective) for p in (path, path.parent))


def log_of(path: Path) -> Path:
    """The write-ahead log; when nobody has the store open, there is none or nothing in it."""
    return Path(f"{path}-wal")


def has_log(path: Path) -> bool:
    try:
        return log_of(path).lstat().st_size > 0
    except FileNotFoundError:
        return False


def refused(path: Path, error: OSError) -> StoreUnwritable:
    """What the system said, as an error of ours."""
    reason = (error.strerror or str(error)).lower()
    return StoreUnwritable(
        str(path), reason, "make room or give permission, or name another place with --store"
    )
