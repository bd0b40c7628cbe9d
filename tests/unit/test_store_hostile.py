"""Stores that are damaged, not ours, from another time, out of reach or out of room.

Whatever is wrong, the answer is a refusal with exit status 3 or exactly what was kept; never an
empty store, and never a changed byte.
"""

import os
import random
import resource
import shutil
import sqlite3
import tempfile
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tests.store_values import Clock, alert, everything, snap
from toolcanon.errors import (
    LoneSurrogate,
    StoreBusy,
    StoreDamaged,
    StoreForeign,
    StoreUnwritable,
    StoreVersion,
    SystemRefusal,
    UntrustedState,
)
from toolcanon.watch.sqlite import connection, open_sqlite
from toolcanon.watch.sqlite import connection as schema
from toolcanon.watch.sqlite.store import open_store

NOBODY = 65534
PAGE = 4096


def fill(store):
    tools = [snap(f"tool {number}", f"server {number % 3}") for number in range(60)]
    store.put(tools)
    changed = [replace(tool, schema_hash="other", version="2") for tool in tools]
    store.record(alert(*pair) for pair in zip(tools[:20], changed[:20], strict=True))
    store.resolve(tool.key for tool in tools[:5])
    store.approve(changed[7], expected=tools[7].schema_hash, by="me", reason="fine")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A store and all that is in it; tests work on copies."""
    path = tmp_path_factory.mktemp("kept") / "s.db"
    with closing(open_sqlite(str(path), clock=Clock())) as store:
        fill(store)
        return path, everything(store)


@pytest.fixture
def path(kept, tmp_path):
    copy = tmp_path / "s.db"
    shutil.copyfile(kept[0], copy)
    copy.chmod(0o600)
    return copy


def files(folder):
    """What is in a folder, apart from the memory that SQLite shares between processes."""
    found = (path for path in folder.iterdir() if not path.name.endswith("-shm"))
    return {path.name: path.read_bytes() for path in found if path.stat().st_size}


def read(path, **options):
    with closing(open_sqlite(str(path), **options)) as store:
        return everything(store)


def refuses(path, error, **options):
    before = files(path.parent)
    with pytest.raises(error) as caught:
        read(path, **options)
    assert caught.value.exit_code == 3
    assert str(path) in str(caught.value)
    assert files(path.parent) == before
    return caught.value


def overwrite(path, at, data):
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def run(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_the_copy_is_fine(path, kept):
    assert read(path) == kept[1]


DAMAGE = {
    "empty": lambda path: os.truncate(path, 0),
    "cut in half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "cut to its header": lambda path: os.truncate(path, 100),
    "one byte missing": lambda path: os.truncate(path, path.stat().st_size - 1),
    "zeroed page": lambda path: overwrite(path, 3 * PAGE, bytes(PAGE)),
    "zeroed header": lambda path: overwrite(path, 0, bytes(16)),
    "all zeros": lambda path: overwrite(path, 0, bytes(path.stat().st_size)),
    "flip in the magic": lambda path: overwrite(path, 3, b"k"),
    "flip in the page size": lambda path: overwrite(path, 16, b"\x11"),
    "garbage log": lambda path: path.with_name("s.db-wal").write_bytes(b"garbage" * 999),
    "text as log": lambda path: path.with_name("s.db-wal").write_text("x"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=list(DAMAGE))
def test_damage(path, damage):
    damage(path)
    for suffix in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).chmod(0o600)
    refuses(path, (StoreDamaged, StoreForeign))
    refuses(path, (StoreDamaged, StoreForeign), read_only=True)


def test_a_flipped_bit_anywhere(path, kept):
    """Found, or without consequence."""
    chance = random.Random(7)  # noqa: S311
    whole = path.read_bytes()
    found = 0
    for _ in range(120):
        at = chance.randrange(len(whole))
        overwrite(path, at, bytes([whole[at] ^ 1 << chance.randrange(8)]))
        before = path.read_bytes()
        try:
            assert read(path) == kept[1], at
        except SystemRefusal:
            found += 1
            assert path.read_bytes() == before
        path.write_bytes(whole)
    assert found > 50


def test_damage_within_a_large_store(tmp_path):
    """Too large to be checked whole: what is damaged is noticed where it is read."""
    path = tmp_path / "s.db"
    with closing(open_sqlite(str(path))) as store:
        store.put(snap(f"t{n}", definition={"n": n, "x": "y" * 3000}) for n in range(2000))
    whole = path.read_bytes()
    assert len(whole) > 4 * 1024 * 1024
    at = whole.index(b'{"n":1000,')
    overwrite(path, at + 100, b"z")
    refuses(path, StoreDamaged)
    overwrite(path, at + 100, b"y")
    at = whole.index(b"filest1234")
    overwrite(path, at + 9, b"5")
    refuses(path, StoreDamaged)


def test_damage_found_late_leaves_the_log_alone(path):
    """The last connection that closes writes the log into the store: not into a damaged one."""
    store = open_sqlite(str(path))
    store.put([snap("new")])
    number = store._db.execute("SELECT max(id) FROM content").fetchone()[0]
    store._db.execute("UPDATE content SET packed = x'00' WHERE id = ?", (number,))
    before = files(path.parent)
    assert "s.db-wal" in before
    with pytest.raises(StoreDamaged):
        list(store.baselines())
    store.close()
    assert files(path.parent) == before


def test_a_log_that_vanished_leaves_what_was_before(path, kept):
    store = open_sqlite(str(path))
    store.put([snap("new")])
    shutil.copyfile(path, path.with_name("copy.db"))
    path.with_name("copy.db").chmod(0o600)
    store.close()
    assert read(path.with_name("copy.db")) == kept[1]


def test_an_unclean_end_loses_nothing(path):
    store = open_sqlite(str(path))
    store.put([snap("new")])
    expected = everything(store)
    copy = path.with_name("copy.db")
    for suffix in ("", "-wal"):
        shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
        os.chmod(f"{copy}{suffix}", 0o600)  # noqa: PTH101
    store.close()
    assert read(copy) == expected


@pytest.mark.parametrize("damage", ["cut in half", "zeroed page", "flip in the magic"])
def test_an_unclean_end_and_damage(path, damage):
    """The log stays beside the damaged store: a repair needs it."""
    store = open_sqlite(str(path))
    store.put([snap("new")])
    copy = path.with_name("folder") / "s.db"
    copy.parent.mkdir(mode=0o700)
    for suffix in ("", "-wal"):
        shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
        os.chmod(f"{copy}{suffix}", 0o600)  # noqa: PTH101
    store.close()
    DAMAGE[damage](copy)
    refuses(copy, (StoreDamaged, StoreForeign))
    assert "s.db-wal" in files(copy.parent)


FOREIGN = {
    "text": lambda path: path.write_text("not a database\n" * 100),
    "short text": lambda path: path.write_text("x"),
    "json": lambda path: path.write_text("[]"),
    "another program's": lambda path: (path.unlink(), run(path, "CREATE TABLE users (id)")),
    "emptied": lambda path: (path.unlink(), run(path, "PRAGMA user_version = 1")),
    "another id": lambda path: run(path, "PRAGMA application_id = 7"),
    "view": lambda path: run(path, "CREATE VIEW extra AS SELECT 1"),
    "shadowing view": lambda path: run(
        path, "ALTER TABLE baseline RENAME TO hidden",
        "CREATE VIEW baseline AS SELECT * FROM hidden WHERE 0",
    ),
    "trigger": lambda path: run(
        path, "CREATE TRIGGER t AFTER INSERT ON event BEGIN DELETE FROM event; END"
    ),
    "extra table": lambda path: run(path, "CREATE TABLE extra (a)"),
    "missing table": lambda path: run(path, "DROP TABLE alert"),
    "missing index": lambda path: run(path, "DROP INDEX event_tool"),
    "another column": lambda path: run(path, "ALTER TABLE event ADD COLUMN more"),
}  # fmt: skip


@pytest.mark.parametrize("change", FOREIGN.values(), ids=list(FOREIGN))
def test_not_ours(path, change):
    change(path)
    path.chmod(0o600)
    refuses(path, StoreForeign)


@pytest.mark.parametrize("version", [999_999, -5, 0])
def test_another_version(path, version):
    run(path, f"PRAGMA user_version = {version}")
    found = refuses(path, StoreVersion)
    assert str(version) in found.reason


def test_a_newer_program_came_in_between(path):
    """An older program that has the store open writes no more."""
    with closing(open_sqlite(str(path))) as store:
        run(path, f"PRAGMA user_version = {schema.newest() + 1}")
        with pytest.raises(StoreVersion):
            store.put([snap("new")])


def test_a_store_that_was_replaced_takes_no_more(path):
    """What is written to a file without a name is lost."""
    with closing(open_sqlite(str(path))) as store:
        path.rename(path.with_name("moved.db"))
        with pytest.raises(StoreUnwritable):
            store.put([snap("new")])


@pytest.fixture
def next_version(monkeypatch):
    steps = (("ALTER TABLE event ADD COLUMN note TEXT",), ("CREATE TABLE third (id)",))
    monkeypatch.setattr(schema, "STEPS", schema.STEPS + steps)


def test_an_older_store_is_brought_up_to_date(path, kept, next_version):
    before = path.read_bytes()
    assert read(path) == kept[1]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (3,)
        assert schema.is_ours(connection, 3)
    for version in (1, 2):
        copy = path.with_name(f"s.db.v{version}")
        assert copy.stat().st_mode & 0o777 == 0o600
        with closing(sqlite3.connect(copy)) as connection:
            assert connection.execute("PRAGMA user_version").fetchone() == (version,)
    first = path.with_name("s.db.v1")
    assert len(first.read_bytes()) == len(before)
    assert sorted(found.name for found in path.parent.iterdir()) == ["s.db", "s.db.v1", "s.db.v2"]


def test_an_older_store_is_not_read_without_that(path, next_version):
    refuses(path, StoreVersion, read_only=True)


def test_a_step_that_fails_leaves_the_version_before(path, kept, monkeypatch):
    steps = (("CREATE TABLE second (id)",), ("CREATE TABLE third (id)", "NO SQL AT ALL"))
    with monkeypatch.context() as patch:
        patch.setattr(schema, "STEPS", schema.STEPS + steps)
        with pytest.raises(sqlite3.OperationalError):
            read(path)
    monkeypatch.setattr(schema, "STEPS", schema.STEPS + steps[:1])
    assert read(path) == kept[1]


@contextmanager
def unprivileged(folder):
    """As a user whom permissions hold back: tests may run as root."""
    if os.geteuid():
        yield
        return
    for owned in (folder, *folder.iterdir()):
        os.chown(owned, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def place(kept):
    """A store where others can come to, unlike pytest's folders."""
    folder = Path(tempfile.mkdtemp())
    shutil.copyfile(kept[0], folder / "s.db")
    (folder / "s.db").chmod(0o600)
    yield folder / "s.db"
    shutil.rmtree(folder)


@pytest.mark.parametrize("mode, folder_mode", [(0o400, 0o700), (0o600, 0o500), (0o400, 0o500)])
def test_read_only_media(place, kept, mode, folder_mode):
    place.chmod(mode)
    place.parent.chmod(folder_mode)
    with unprivileged(place.parent):
        for read_only in (True, False):
            with closing(open_sqlite(str(place), read_only=read_only)) as store:
                assert everything(store) == kept[1]
                assert store.resolve([snap("no such").key]) == 0
                with pytest.raises(StoreUnwritable):
                    store.put([snap("new")])
    assert files(place.parent) == {"s.db": kept[0].read_bytes()}


def test_no_permission(place):
    place.chmod(0)
    with unprivileged(place.parent):
        refuses_quietly(place)
        place.parent.chmod(0)
        refuses_quietly(place)
        refuses_quietly(place.parent / "new" / "s.db")


def refuses_quietly(path):
    with pytest.raises(StoreUnwritable):
        read(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_foreign_servers(path):
    os.chown(path, NOBODY, NOBODY)
    refuses(path, UntrustedState)
    os.chown(path, 0, 0)
    os.chown(path.parent, NOBODY, NOBODY)
    with pytest.raises(UntrustedState):
        read(path)


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_others_may_write(path, mode):
    path.chmod(mode)
    refuses(path, UntrustedState)
    path.chmod(0o600)
    path.parent.chmod(mode | 0o111)
    with pytest.raises(UntrustedState):
        read(path)


def test_links(path, kept, tmp_path):
    inside = path.with_name("link.db")
    inside.symlink_to("s.db")
    assert read(inside) == kept[1]
    outside = tmp_path / "other" / "link.db"
    outside.parent.mkdir(mode=0o700)
    outside.symlink_to(path)
    refuses(outside, UntrustedState)
    log = path.with_name("s.db-wal")
    log.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UntrustedState):
        read(path)
    circle = tmp_path / "circle.db"
    circle.symlink_to(circle)
    with pytest.raises(SystemRefusal):
        read(circle)


def test_no_files(tmp_path):
    os.mkfifo(tmp_path / "fifo", 0o600)
    (tmp_path / "file").write_text("")
    for place in ("fifo", "", "/dev/full", "/dev/null", "a\0b"):
        with pytest.raises(StoreForeign):
            open_store(str(tmp_path / place))
    for place in ("file/s.db", "x" * 300, "/proc/s.db"):
        with pytest.raises(StoreUnwritable):
            open_store(str(tmp_path / place))


@contextmanager
def no_room(path):
    """No file may grow any further."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + PAGE, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_no_room_left(path, kept):
    many = [snap(f"new {number}", definition={"x": "y" * 500}) for number in range(1000)]
    with closing(open_sqlite(str(path))) as store:
        with no_room(path), pytest.raises(StoreUnwritable):
            store.put(many)
        assert everything(store) == kept[1]
        assert store.put(many) == 1000
        assert len(store.known("files")) == 1000
    assert len(read(path)["baselines"]) == 1060


def test_the_disk_is_full(path, kept):
    many = [snap(f"new {number}", definition={"x": "y" * 500}) for number in range(1000)]
    with closing(open_sqlite(str(path))) as store:
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreUnwritable, match="disk is full"):
            store.put(many)
        assert everything(store) == kept[1]
        store._db.execute("PRAGMA max_page_count = 4294967294")
        assert store.put(many) == 1000


def test_no_room_for_a_new_one(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(StoreUnwritable):
            open_sqlite(str(tmp_path / "s.db"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []
    open_sqlite(str(tmp_path / "s.db")).close()


def test_what_the_killed_left_behind_is_swept(tmp_path):
    old, young, others = (tmp_path / name for name in (".toolwatch-a", ".toolwatch-b", ".x"))
    for left in (old, young, others):
        left.mkdir()
        (left / "new.db").write_text("x")
    os.utime(old, (0, 0))
    os.utime(others, (0, 0))
    open_sqlite(str(tmp_path / "s.db")).close()
    assert sorted(tmp_path.iterdir()) == [young, others, tmp_path / "s.db"]


def test_locked_for_too_long(path, kept, monkeypatch):
    monkeypatch.setattr(connection, "PATIENCE", 0.2)
    with closing(open_sqlite(str(path))) as store:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert everything(store) == kept[1]
            with pytest.raises(StoreBusy):
                store.put([snap("new")])
        assert store.put([snap("new")]) == 1


def test_half_a_character_in_a_name(path):
    with closing(open_sqlite(str(path))) as store:
        with pytest.raises(LoneSurrogate):
            store.put([snap("fine"), snap("\ud800", definition={})])
        assert store.baseline(snap("fine").key) is None


def test_no_home(monkeypatch):
    monkeypatch.delenv("TOOLCANON_HOME", raising=False)

    def homeless():
        raise RuntimeError

    monkeypatch.setattr("pathlib.Path.home", homeless)
    with pytest.raises(StoreUnwritable, match="home"):
        open_store()
