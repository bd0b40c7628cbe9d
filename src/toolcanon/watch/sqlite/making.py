"""Create a store completely or not at all, inspect it before opening, and migrate it.

A new store is built under a temporary name and then renamed, so that an empty or partial file under
the final name is always damage. The inspection uses a read-only connection: closing a writable one
could change a damaged store.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from toolcanon.errors import StoreDamaged, StoreForeign, StoreVersion
from toolcanon.watch.sqlite import places, schema
from toolcanon.watch.sqlite.connecting import Mode, connect, patiently, roll_back
from toolcanon.watch.sqlite.faults import REPAIR, faults

_SMALL: Final = 4 * 1024 * 1024  # up to this size the whole store is checked, in milliseconds
_MAGIC: Final = b"SQLite format 3\0"
_ID_AT: Final = 68  # offset of the application id in the file header
_LOG_MAGIC: Final = (bytes.fromhex("377f0682"), bytes.fromhex("377f0683"), bytes(4))
_UNFINISHED: Final = ".toolwatch-"
_STALE: Final = 3600  # seconds; creating a store never takes as long
_OTHER_PLACE: Final = "name another file with --store or TOOLWATCH_STORE"


def create(path: Path) -> None:
    """Create an empty store under this name, unless another process was faster."""
    places.make_folder(path.parent)
    _sweep(path.parent)
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=_UNFINISHED) as folder:
            new = Path(folder, "new.db")
            new.touch(0o600)
            with faults(path), closing(connect(new, "rw")) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("BEGIN IMMEDIATE")
                schema.build(connection)
                connection.execute("COMMIT")
            _give_name(new, path)
        places.sync_folder(path.parent)
    except OSError as error:
        raise places.refused(path, error) from None


def _give_name(new: Path, path: Path) -> None:
    with suppress(FileExistsError):
        try:
            path.hardlink_to(new)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if not path.exists():
                new.rename(path)


def _sweep(folder: Path) -> None:
    """Remove files that killed processes left behind."""
    for left in folder.glob(f"{_UNFINISHED}*"):
        with suppress(OSError):
            found = left.lstat()
            if found.st_uid == os.geteuid() and time.time() - found.st_mtime > _STALE:
                shutil.rmtree(left) if left.is_dir() else left.unlink()


def inspect(path: Path, mode: Mode) -> int:
    """Return the version of the store. Raises when it must not be opened."""
    size = path.stat().st_size
    if size == 0:
        raise StoreDamaged(str(path), "it is empty, which a store never is", REPAIR)
    _check_log(path)
    try:
        with faults(path), closing(connect(path, mode)) as connection:
            version = patiently(_look, connection, path)
            if size <= _SMALL:
                patiently(_check, connection, path, "PRAGMA integrity_check(1)")
            elif places.has_log(path):  # it was not closed, or another process has it open
                patiently(_check, connection, path, "PRAGMA quick_check(1)")
            return version
    except StoreDamaged:
        _raise_if_foreign(path)
        raise


def _look(connection: sqlite3.Connection, path: Path) -> int:
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    if owner != schema.APPLICATION_ID:
        raise StoreForeign(str(path), "it is the database of another program", _OTHER_PLACE)
    version = schema.version_of(connection)
    if version < 1:
        raise StoreVersion(str(path), f"its store version {version} is invalid", REPAIR)
    if version > schema.newest():
        raise StoreVersion(str(path), f"its store version is {version}", upgrade())
    if not schema.is_ours(connection, version):
        raise StoreForeign(
            str(path), "it has tables, views or triggers of another program", _OTHER_PLACE
        )
    return version


def upgrade() -> str:
    """Return the advice for a store of a newer version."""
    return f"this toolcanon supports versions up to {schema.newest()}, so install a newer one"


def _check(connection: sqlite3.Connection, path: Path, pragma: str) -> None:
    found = connection.execute(pragma).fetchone()[0]
    if found != "ok":
        raise StoreDamaged(str(path), f"it is damaged ({found})", REPAIR)


def _check_log(path: Path) -> None:
    """Raise StoreDamaged for a log that SQLite would take as empty, losing its content."""
    try:
        with places.log_of(path).open("rb") as log:  # no process holds locks on this file
            magic = log.read(4)
    except FileNotFoundError:
        return
    except OSError as error:
        raise places.refused(path, error) from None
    if magic and magic not in _LOG_MAGIC:
        raise StoreDamaged(str(path), "the log beside it (-wal) is damaged", REPAIR)


def _raise_if_foreign(path: Path) -> None:
    """Raise StoreForeign unless it is a SQLite file; for others, opening drops no locks."""
    with path.open("rb") as file:
        head = file.read(100)
    ours = schema.APPLICATION_ID.to_bytes(4, "big")
    if not head.startswith(_MAGIC) and head[_ID_AT : _ID_AT + 4] != ours:
        raise StoreForeign(str(path), "it is not a database", _OTHER_PLACE)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Migrate to the newest version, also with other processes; the oldest version is backed up."""
    while True:
        patiently(connection.execute, "BEGIN IMMEDIATE")
        try:
            version = schema.version_of(connection)
            if version >= schema.newest():
                connection.execute("ROLLBACK")
                break
            _back_up(path, version)
            schema.take_step(connection, version)
            connection.execute("COMMIT")
        except BaseException:
            roll_back(connection)
            raise
    if version > schema.newest():
        raise StoreVersion(str(path), f"its store version is {version}", upgrade())


def _back_up(path: Path, version: int) -> None:
    """Copy to ``toolwatch.db.v1`` and so on, completely or not at all."""
    kept = Path(f"{path}.v{version}")
    _sweep(kept.parent)
    descriptor, name = tempfile.mkstemp(dir=kept.parent, prefix=_UNFINISHED)
    try:
        os.close(descriptor)
        with closing(connect(path, "ro")) as before, closing(connect(Path(name), "rw")) as copy:
            before.backup(copy)
        Path(name).replace(kept)
        places.sync_folder(kept.parent)
    except OSError as error:
        raise places.refused(kept, error) from None
    finally:
        Path(name).unlink(missing_ok=True)
