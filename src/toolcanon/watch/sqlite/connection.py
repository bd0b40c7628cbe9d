"""Connections to a store: its place, its schema and migrations, its faults.

A new store is built under a temporary name and then renamed, so that an empty or partial file under
the final name is always damage. The inspection uses a read-only connection: closing a writable one
could change a damaged store.

Nothing here opens the file, because closing it would drop SQLite's locks on it elsewhere in this
process.

A step migrates a store from one version to the next, in one transaction. Steps are only ever added.
Rows with a number are never deleted, so the numbers that SQLite assigns only grow: they are the
sequence. ``seal`` is a checksum of its row, see ``rows``.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar
from urllib.parse import quote

from toolcanon.errors import (
    LimitExceeded,
    LoneSurrogate,
    StoreBusy,
    StoreDamaged,
    StoreForeign,
    StoreUnwritable,
    StoreVersion,
    ToolcanonError,
    UntrustedState,
)

_KIND: Final = 0xFF  # the lower byte of an extended result code is the primary code
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT})
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_UNWRITABLE: Final = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened, or a file beside it cannot be created",
    sqlite3.SQLITE_PERM: "permission is denied",
    sqlite3.SQLITE_AUTH: "permission is denied",
    sqlite3.SQLITE_IOERR: "the disk reported an error",
}
_UNREADABLE: Final = frozenset({sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ})

KEPT: Final = "earlier records are intact; free space or give permission, then run it again"
REPAIR: Final = (
    "it was not changed; restore a copy, or move it away and record again with `toolwatch baseline`"
)
WAIT: Final = "check which other program holds it, then run this again"


class Torn(sqlite3.DatabaseError):
    """A row differs from what was written."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


@contextmanager
def faults(path: Path) -> Iterator[None]:
    """Convert errors of SQLite in this block."""
    try:
        yield
    except sqlite3.Error as error:
        known = _converted(str(path), error)
        if known is None:
            raise
        raise known from error
    except UnicodeEncodeError:
        raise LoneSurrogate("") from None


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether waiting helps."""
    return _kind(error) in _BUSY


def _kind(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & _KIND


def _converted(path: str, error: sqlite3.Error) -> ToolcanonError | None:
    code, kind = getattr(error, "sqlite_errorcode", 0), _kind(error)
    if kind in _DAMAGED or code in _UNREADABLE or "decode to UTF-8" in str(error):
        return StoreDamaged(path, f"it is damaged ({error})", REPAIR)
    if kind in _BUSY:
        return StoreBusy(path, "other processes keep it locked", WAIT)
    if kind in _UNWRITABLE:
        return StoreUnwritable(path, _UNWRITABLE[kind], KEPT)
    if isinstance(error, sqlite3.DataError):  # a value too large for SQLite
        return LimitExceeded("bytes", 1_000_000_000)
    return None


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


T = TypeVar("T")
Mode: TypeAlias = Literal["rw", "rwc", "ro", "immutable"]

PATIENCE: Final = 10.0
"""Seconds to wait for locks."""
_NAP: Final = 0.005
_LARGEST_LOG: Final = 16 * 1024 * 1024

_PRAGMAS: Final = (
    "PRAGMA trusted_schema = OFF",  # functions in the file's schema are not called
    "PRAGMA cell_size_check = ON",
    "PRAGMA mmap_size = 0",  # a mapped file that shrinks kills the process
    "PRAGMA synchronous = FULL",  # NORMAL may lose commits at a power failure
    "PRAGMA cache_size = -65536",  # 64 MiB, so that a catalog fits into a transaction
    f"PRAGMA journal_size_limit = {_LARGEST_LOG}",
)


def connect(path: Path, mode: Mode) -> sqlite3.Connection:
    """Return a connection without implicit transactions, which threads may share."""
    asked = "mode=ro&immutable=1" if mode == "immutable" else f"mode={mode}"
    connection = sqlite3.connect(
        f"file:{quote(os.fsencode(path))}?{asked}",
        uri=True,
        timeout=0,  # see ``patiently``
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        for pragma in _PRAGMAS:
            patiently(connection.execute, pragma)
    except BaseException:
        connection.close()
        raise
    return connection


def patiently(action: Callable[..., T], *arguments: object) -> T:
    """Retry while other processes hold the lock, at random intervals for fairness.

    SQLite's own waiting backs off, so the longest waiter would poll least often.
    """
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return action(*arguments)
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > end:
                raise
        time.sleep(random.uniform(0, _NAP))  # noqa: S311 - not a secret


def roll_back(connection: sqlite3.Connection) -> None:
    """Roll back the transaction, unless SQLite did so already."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


APPLICATION_ID: Final = 0x746F6F6C  # "tool"

Step: TypeAlias = tuple[str, ...]

_FIRST: Step = (
    # JSON by the digest of its text: equal definitions are stored once.
    """CREATE TABLE content (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    packed NOT NULL
)""",
    # Never changed once written, so an id always gives the same content.
    """CREATE TABLE snapshot (
    id INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    tool TEXT NOT NULL,
    version TEXT NOT NULL,
    schema_hash TEXT NOT NULL,
    response_pattern_hash TEXT NOT NULL,
    exact TEXT,
    digests TEXT NOT NULL,
    quick TEXT NOT NULL,
    definition INTEGER REFERENCES content,
    shape INTEGER REFERENCES content,
    captured_at TEXT NOT NULL,
    seal INTEGER NOT NULL
)""",
    "CREATE INDEX snapshot_exact ON snapshot (exact) WHERE definition IS NOT NULL",
    # Repeats what is needed to detect a change: one short read for a whole catalog.
    """CREATE TABLE baseline (
    source TEXT NOT NULL,
    tool TEXT NOT NULL,
    quick TEXT NOT NULL,
    schema_hash TEXT NOT NULL,
    response_pattern_hash TEXT NOT NULL,
    snapshot INTEGER NOT NULL REFERENCES snapshot,
    seal INTEGER NOT NULL,
    PRIMARY KEY (source, tool)
) WITHOUT ROWID""",
    """CREATE TABLE alert (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,
    tool TEXT NOT NULL,
    change_type TEXT NOT NULL,
    severity TEXT NOT NULL,
    verdict TEXT NOT NULL,
    model_visible INTEGER NOT NULL,
    changes NOT NULL,
    before INTEGER NOT NULL REFERENCES snapshot,
    after INTEGER NOT NULL REFERENCES snapshot,
    first_seen TEXT NOT NULL,
    last_seen TEXT NOT NULL,
    count INTEGER NOT NULL,
    status TEXT NOT NULL,
    event INTEGER NOT NULL REFERENCES event,
    seal INTEGER NOT NULL
)""",
    "CREATE INDEX alert_tool ON alert (tool, sequence)",
    "CREATE INDEX alert_open ON alert (source, tool) WHERE status = 'open'",
    """CREATE TABLE event (
    sequence INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    tool TEXT NOT NULL,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    verdict TEXT NOT NULL,
    version TEXT NOT NULL,
    by TEXT NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    seal INTEGER NOT NULL
)""",
    "CREATE INDEX event_tool ON event (source, tool, sequence)",
)

STEPS: tuple[Step, ...] = (_FIRST,)


def newest() -> int:
    """Return the version that this program writes."""
    return len(STEPS)


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of a store."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def take_step(connection: sqlite3.Connection, version: int) -> None:
    """Migrate from this version to the next, inside the caller's transaction."""
    for statement in STEPS[version]:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {version + 1:d}")


def build(connection: sqlite3.Connection) -> None:
    """Create all tables in an empty database, inside the caller's transaction."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
    for version in range(newest()):
        take_step(connection, version)


def is_ours(connection: sqlite3.Connection, version: int) -> bool:
    """Return whether the schema is exactly ours: views and triggers could give other results."""
    fresh = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for earlier in range(version):
            take_step(fresh, earlier)
        return _objects(fresh) == _objects(connection)
    finally:
        fresh.close()


def _objects(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return sorted(tuple(map(str, row)) for row in found)


_SMALL: Final = 4 * 1024 * 1024  # up to this size the whole store is checked, in milliseconds
_MAGIC: Final = b"SQLite format 3\0"
_ID_AT: Final = 68  # offset of the application id in the file header
_LOG_MAGIC: Final = (bytes.fromhex("377f0682"), bytes.fromhex("377f0683"), bytes(4))
_UNFINISHED: Final = ".toolwatch-"
_STALE: Final = 3600  # seconds; creating a store never takes as long
_OTHER_PLACE: Final = "name another file with --store or TOOLWATCH_STORE"


def create(path: Path) -> None:
    """Create an empty store under this name, unless another process was faster."""
    make_folder(path.parent)
    _sweep(path.parent)
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=_UNFINISHED) as folder:
            new = Path(folder, "new.db")
            new.touch(0o600)
            with faults(path), closing(connect(new, "rw")) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("BEGIN IMMEDIATE")
                build(connection)
                connection.execute("COMMIT")
            _give_name(new, path)
        sync_folder(path.parent)
    except OSError as error:
        raise refused(path, error) from None


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
            elif has_log(path):  # it was not closed, or another process has it open
                patiently(_check, connection, path, "PRAGMA quick_check(1)")
            return version
    except StoreDamaged:
        _raise_if_foreign(path)
        raise


def _look(connection: sqlite3.Connection, path: Path) -> int:
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    if owner != APPLICATION_ID:
        raise StoreForeign(str(path), "it is the database of another program", _OTHER_PLACE)
    version = version_of(connection)
    if version < 1:
        raise StoreVersion(str(path), f"its store version {version} is invalid", REPAIR)
    if version > newest():
        raise StoreVersion(str(path), f"its store version is {version}", upgrade())
    if not is_ours(connection, version):
        raise StoreForeign(
            str(path), "it has tables, views or triggers of another program", _OTHER_PLACE
        )
    return version


def upgrade() -> str:
    """Return the advice for a store of a newer version."""
    return f"this toolcanon supports versions up to {newest()}, so install a newer one"


def _check(connection: sqlite3.Connection, path: Path, pragma: str) -> None:
    found = connection.execute(pragma).fetchone()[0]
    if found != "ok":
        raise StoreDamaged(str(path), f"it is damaged ({found})", REPAIR)


def _check_log(path: Path) -> None:
    """Raise StoreDamaged for a log that SQLite would take as empty, losing its content."""
    try:
        with log_of(path).open("rb") as log:  # no process holds locks on this file
            magic = log.read(4)
    except FileNotFoundError:
        return
    except OSError as error:
        raise refused(path, error) from None
    if magic and magic not in _LOG_MAGIC:
        raise StoreDamaged(str(path), "the log beside it (-wal) is damaged", REPAIR)


def _raise_if_foreign(path: Path) -> None:
    """Raise StoreForeign unless it is a SQLite file; for others, opening drops no locks."""
    with path.open("rb") as file:
        head = file.read(100)
    ours = APPLICATION_ID.to_bytes(4, "big")
    if not head.startswith(_MAGIC) and head[_ID_AT : _ID_AT + 4] != ours:
        raise StoreForeign(str(path), "it is not a database", _OTHER_PLACE)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Migrate to the newest version, also with other processes; the oldest version is backed up."""
    while True:
        patiently(connection.execute, "BEGIN IMMEDIATE")
        try:
            version = version_of(connection)
            if version >= newest():
                connection.execute("ROLLBACK")
                break
            _back_up(path, version)
            take_step(connection, version)
            connection.execute("COMMIT")
        except BaseException:
            roll_back(connection)
            raise
    if version > newest():
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
        sync_folder(kept.parent)
    except OSError as error:
        raise refused(kept, error) from None
    finally:
        Path(name).unlink(missing_ok=True)
