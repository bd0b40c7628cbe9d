"""The store: transactions around reading and writing."""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, TypeVar
from urllib.parse import unquote

from toolcanon.errors import StoreDamaged, StoreUnwritable, StoreVersion, UnknownStore
from toolcanon.jsonio.types import Json
from toolcanon.sources.config_files import state_folder
from toolcanon.text.secrets import mask_url
from toolcanon.watch.sqlite import connection as database
from toolcanon.watch.sqlite import reading, writing
from toolcanon.watch.sqlite.connection import KEPT, Mode, connect, faults, patiently, roll_back
from toolcanon.watch.store import Alert, Event, EventKind, Key, Known, Snapshot, Status, Store

T = TypeVar("T")
P = ParamSpec("P")
_PAGE: Final = 200


def _now() -> datetime:
    return datetime.now(UTC)


def open_sqlite(
    place: str, *, read_only: bool = False, clock: Callable[[], datetime] = _now
) -> SqliteStore:
    """Open the store at this place; a missing one is created unless ``read_only``.

    Where nothing can be written it is opened for reading, and writing to it raises.
    """
    path = database.real_path(place)
    if not database.exists(path):
        if read_only:  # nothing was recorded, and reading does not create a store
            return SqliteStore(_nothing(), path, clock, read_only=True)
        database.create(path)
        database.exists(path)
    writable = database.is_writable(path)
    look: Mode = "ro" if writable or database.has_log(path) else "immutable"
    version = database.inspect(path, look)
    read_only = read_only or not writable
    if read_only and version < database.newest():
        raise StoreVersion(
            str(path), f"its store version {version} is an older one", "open it for writing"
        )
    with faults(path):
        connection = connect(path, look if read_only else "rw")
        try:
            if version < database.newest():
                database.migrate(connection, path)
        except BaseException:
            connection.close()
            raise
    return SqliteStore(connection, path, clock, read_only=read_only)


def _nothing() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    database.build(connection)
    return connection


class SqliteStore:
    """A ``Store`` in one file. Threads may share it and take turns."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        clock: Callable[[], datetime],
        *,
        read_only: bool,
    ) -> None:
        self._db, self._path, self._clock, self._read_only = connection, path, clock, read_only
        self._lock = threading.RLock()
        self._proven = False
        self._guard: sqlite3.Connection | None = None
        self._inode = None if read_only else path.stat().st_ino

    def known(self, source: str) -> dict[str, Known]:
        with self._lock, self._careful():
            found = patiently(reading.known, self._db, source)
            self._proven = True
            return found

    def baseline(self, key: Key) -> Snapshot | None:
        number = self._read(reading.baseline_id, key)
        return None if number is None else self._read(reading.snapshot, number)

    def baselines(
        self, source: str | None = None, *, tool: str | None = None
    ) -> Iterator[Snapshot]:
        # Snapshots never change, so these are the baselines of one moment.
        for number in self._read(reading.baseline_ids, source, tool):
            yield self._read(reading.snapshot, number)

    def answering(self, source: str) -> set[str]:
        return self._read(reading.answering, source)

    def put(self, snapshots: Iterable[Snapshot], *, kind: EventKind = "baseline") -> int:
        new = list(snapshots)
        if new:
            self._write(writing.put, new, kind, self._clock)
        return len(new)

    def register(self, snapshots: Iterable[Snapshot]) -> list[Key]:
        new = list(snapshots)
        return self._write(writing.register, new, self._clock) if new else []

    def record(self, alerts: Iterable[Alert]) -> list[Alert]:
        seen = list(alerts)
        return self._write(writing.record, seen) if seen else []

    def resolve(self, keys: Iterable[Key], *, only: Collection[str] | None = None) -> int:
        asked = self._read(reading.keys_with_open_alerts).intersection(keys)
        if not asked:  # the usual case: nothing is written
            return 0
        return self._write(writing.resolve, sorted(asked), only, self._clock)

    def alerts(
        self,
        *,
        source: str | None = None,
        tool: str | None = None,
        status: Status | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> Iterator[Alert]:
        while limit is None or limit > 0:
            size = _PAGE if limit is None else min(limit, _PAGE)
            page = self._read(reading.alerts_page, (source, tool, status), after, size)
            yield from page
            if len(page) < size:
                return
            after = page[-1].sequence
            limit = None if limit is None else limit - size

    def approve(self, seen: Snapshot, *, expected: str, by: str, reason: str) -> bool:
        return self._write(
            writing.approve, seen, expected=expected, by=by, reason=reason, clock=self._clock
        )

    def drop(self, keys: Iterable[Key], *, by: str = "", reason: str = "") -> int:
        gone = list(keys)
        return self._write(writing.drop, gone, by, reason, self._clock) if gone else 0

    def definition(self, exact: str) -> Json | None:
        return self._read(reading.definition, exact)

    def sources_of(self, tool: str) -> list[str]:
        return self._read(reading.sources_of, tool)

    def history(self, key: Key) -> Iterator[Event]:
        after, page = 0, self._read(reading.events_page, key, 0, _PAGE)
        while page:
            yield from page
            after = page[-1].sequence
            page = self._read(reading.events_page, key, after, _PAGE)

    def close(self) -> None:
        with self._lock:
            self._db.close()
            if self._guard is not None:
                self._guard.close()

    def _read(
        self,
        action: Callable[Concatenate[sqlite3.Connection, P], T],
        *given: P.args,
        **named: P.kwargs,
    ) -> T:
        with self._lock, self._careful():
            self._prove()
            return patiently(lambda: action(self._db, *given, **named))

    def _write(
        self,
        action: Callable[Concatenate[sqlite3.Connection, P], T],
        *given: P.args,
        **named: P.kwargs,
    ) -> T:
        if self._read_only:
            raise StoreUnwritable(str(self._path), "it is opened for reading only", KEPT)
        with self._lock, self._careful():
            self._prove()
            patiently(self._db.execute, "BEGIN IMMEDIATE")
            try:
                self._check_still_ours()
                result = action(self._db, *given, **named)
                self._db.execute("COMMIT")
            except BaseException:
                roll_back(self._db)
                raise
            return result

    def _check_still_ours(self) -> None:
        """Check that the file was not migrated by a newer program or replaced."""
        version = database.version_of(self._db)
        if version != database.newest():
            raise StoreVersion(
                str(self._path), f"its store version is {version} now", database.upgrade()
            )
        try:
            inode = self._path.stat().st_ino
        except OSError:
            inode = None
        if inode != self._inode:
            reason = "it was moved or replaced while it was in use"
            raise StoreUnwritable(str(self._path), reason, "run this again")

    def _prove(self) -> None:
        """Verify all baselines once, before the first is returned."""
        if not self._proven:
            self.known("")

    @contextmanager
    def _careful(self) -> Iterator[None]:
        """Convert errors, and prevent further damage to a damaged store."""
        try:
            with faults(self._path):
                yield
        except StoreDamaged:
            self._leave_as_it_is()
            raise

    def _leave_as_it_is(self) -> None:
        """Keep the log: the last writable connection to close would write it into the store."""
        if self._guard is None and not self._read_only:
            with suppress(sqlite3.Error):
                self._guard = connect(self._path, "ro")
                database.version_of(self._guard)


FILE: Final = "toolwatch.db"
_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(?:localhost)?(.*)", re.DOTALL)


def open_store(place: str | None = None, *, read_only: bool = False) -> Store:
    """Open the store at a path, at ``sqlite:///path`` or ``file:///path``, or at the default place.

    A missing store is created; with ``read_only`` it is opened empty instead.
    """
    from toolcanon.watch.sqlite import open_sqlite  # noqa: PLC0415 - only needed to open one

    return open_sqlite(path_of(place) if place else _usual(), read_only=read_only)


def _usual() -> str:
    try:
        return str(state_folder() / FILE)
    except RuntimeError:  # no home folder: a container, a service
        advice = "name a file with --store or TOOLWATCH_STORE, or set TOOLCANON_HOME"
        raise StoreUnwritable(FILE, "there is no home folder for it", advice) from None


def path_of(place: str) -> str:
    """Return the file that a place names."""
    url = _URL.fullmatch(place)
    if url is None:
        return place
    scheme, rest = url[1].lower(), unquote(url[2])
    if scheme not in {"file", "sqlite"} or not rest.startswith("/"):
        raise UnknownStore(mask_url(place))
    return rest
