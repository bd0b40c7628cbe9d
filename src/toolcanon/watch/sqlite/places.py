"""Places of a store: a file of the user alone, in a folder that only the user can write.

Nothing here opens the file, because closing it would drop SQLite's locks on it elsewhere in this
process.
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
    """Return the real path of the store. A link may only lead to another name in its folder."""
    try:
        named = Path(place).absolute()
        folder = named.parent.resolve()
        real = (folder / named.name).resolve()
    except (OSError, RuntimeError, ValueError):  # circular links, an invalid name
        raise StoreForeign(place, "there cannot be a file", "name another one") from None
    if real.parent != folder:
        raise UntrustedState(str(named), "it is a link to another folder")
    return real


def exists(path: Path) -> bool:
    """Return whether there is a store. Raises when the file must not be opened."""
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
        raise StoreForeign(str(path), "it is not a regular file", "name another one")
    _check_owner(path, found)
    if found.st_mode & _OTHERS:
        raise UntrustedState(str(path), "other users may write to it")


def _check_folder(folder: Path) -> None:
    """Check the folder; in a sticky one others can add files but not replace existing ones."""
    found = folder.stat()
    _check_owner(folder, found)
    if found.st_mode & _OTHERS and not found.st_mode & stat.S_ISVTX:
        raise UntrustedState(str(folder), "other users may write to it")


def _check_owner(path: Path, found: os.stat_result) -> None:
    """Check the owner; root is trusted, as it can write everywhere."""
    if found.st_uid not in {os.geteuid(), _ROOT}:
        raise UntrustedState(str(path), "it belongs to another user")


def make_folder(folder: Path) -> None:
    """Create the folder of a new store, readable by its owner only."""
    try:
        if not folder.exists():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            sync_folder(folder.parent)
        _check_folder(folder)
    except OSError as error:
        raise refused(folder, error) from None


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that names in it survive a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_writable(path: Path) -> bool:
    """Return whether the store and the files beside it can be written."""
    effective = os.access in os.supports_effective_ids
    return all(os.access(p, os.W_OK, effective_ids=effective) for p in (path, path.parent))


def log_of(path: Path) -> Path:
    """Return the write-ahead log, which is missing or empty while no process has the store open."""
    return Path(f"{path}-wal")


def has_log(path: Path) -> bool:
    try:
        return log_of(path).lstat().st_size > 0
    except FileNotFoundError:
        return False


def refused(path: Path, error: OSError) -> StoreUnwritable:
    """Return an OSError as StoreUnwritable."""
    reason = (error.strerror or str(error)).lower()
    return StoreUnwritable(
        str(path), reason, "free space or give permission, or name another place with --store"
    )
