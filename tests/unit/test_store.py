"""What a store promises, kept by each of them."""

import threading
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from tests.store_values import BEGIN, Clock, alert, everything, snap
from toolcanon.errors import ApprovalConflict, StoreUnwritable, UsageError
from toolcanon.watch.sqlite import open_sqlite
from toolcanon.watch.sqlite.store import open_store
from toolcanon.watch.store import Key, Known, MemoryStore


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path, clock):
    if request.param == "memory":
        yield MemoryStore(clock=clock)
        return
    opened = open_sqlite(str(tmp_path / "state" / "s.db"), clock=clock)
    yield opened
    opened.close()


A, B, C = (snap(definition={"name": "get", "v": number}) for number in range(3))
HOSTILE = [
    "'; DROP TABLE baseline; --",
    'x" OR "1"="1',
    "a\0b",
    "",
    " ",
    "../../etc/passwd",
    "%s%n{0}",
    "naïve 名前 🙂",
    "\x1b[31m",
    "x" * 100_000,
]
VALUES = [
    {"big": 2**200, "small": -(2**70)},
    {"float": 1e300, "tiny": 5e-324, "minus": -0.0, "whole": 1.0},
    {"half": "\ud800"},
    {"z": 1, "a": [None, True, {}, [], ""]},
    [1, "two"],
    "text",
    0,
    False,
    {},
]


def deep(levels):
    value = {}
    for _ in range(levels):
        value = {"a": value}
    return value


def kinds(store, key=A.key):
    return [event.kind for event in store.history(key)]


def test_nothing_at_first(store):
    assert everything(store) == {
        **{asked: [] for asked in everything(store)},
        "known": {"": {}},
    }
    assert store.baseline(A.key) is None
    assert store.definition("tc1:sha256:x") is None
    assert store.put([]) == 0
    assert store.register([]) == []
    assert store.record([]) == []
    assert store.resolve([A.key]) == 0


def test_baselines_come_back_whole(store):
    seen = replace(A, shape={"object": {"a": "integer"}})
    assert store.put([seen]) == 1
    assert store.baseline(A.key) == seen
    assert list(store.baselines()) == [seen]
    assert store.known("files") == {"get": Known(A.quick, A.schema_hash, A.response_pattern_hash)}
    assert store.known("other") == {}
    assert store.definition(A.digests["exact"]) == A.definition


@pytest.mark.parametrize("value", [*VALUES, deep(300)], ids=lambda value: repr(value)[:20])
def test_any_json_comes_back(store, value):
    seen = replace(A, definition=value, shape={"value": value})
    store.put([seen])
    found = store.baseline(A.key)
    assert found == seen
    assert repr(found.definition) == repr(value)  # order of keys, 1 and 1.0, True and 1


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: repr(name)[:20])
def test_any_name_is_a_name(store, name):
    seen = snap(name, name, version=name, quick=name)
    store.put([seen, A])
    after = replace(seen, schema_hash=name)
    store.record([alert(seen, after, id=name, verdict=name)])
    store.approve(after, expected=seen.schema_hash, by=name, reason=name)
    assert store.baseline(seen.key) == after
    assert list(store.known(name)) == [name]
    assert [found.id for found in store.alerts(source=name, tool=name)] == [name]
    last = list(store.history(seen.key))[-1]
    assert (last.by, last.reason, last.verdict) == (name, name, name)
    assert store.baseline(A.key) == A


@pytest.mark.parametrize(
    "one, other", [(Key("a:b", "c"), Key("a", "b:c")), (Key("a\0", "b"), Key("a", "\0b"))]
)
def test_no_separator_makes_two_keys_one(store, one, other):
    store.put([replace(A, key=one), replace(B, key=other)])
    assert store.baseline(one).definition == A.definition
    assert store.baseline(other).definition == B.definition
    assert len(list(store.history(one))) == 1


def test_hashes_alone_are_enough(store):
    seen = replace(A, definition=None, digests={}, quick="")
    store.put([seen], kind="imported")
    assert store.baseline(A.key) == seen
    assert [(e.kind, e.after) for e in store.history(A.key)] == [("imported", A.schema_hash)]


def test_baselines_are_replaced_and_stay_in_the_history(store):
    store.put([A])
    store.put([B])
    assert store.baseline(A.key) == B
    exact = [seen.digests["exact"] for seen in (A, B)]
    found = [(e.kind, e.before, e.after, e.version) for e in store.history(A.key)]
    assert found == [("baseline", "", exact[0], "1"), ("baseline", *exact, "1")]
    assert store.definition(exact[0]) == A.definition


def test_the_same_again_is_nothing_new(store):
    assert store.put([A]) == store.put([A]) == 1
    assert kinds(store) == ["baseline"]
    store.put([replace(A, captured_at=BEGIN + timedelta(days=1))])
    assert kinds(store) == ["baseline"] * 2


def test_of_two_in_one_call_the_later_counts(store):
    assert store.put([A, B]) == 2
    assert store.baseline(A.key) == B
    assert kinds(store) == ["baseline"] * 2


def test_register_leaves_what_is_there(store):
    other = snap("put")
    assert store.register([A]) == [A.key]
    assert store.register([B, other, other]) == [other.key]
    assert store.baseline(A.key) == A


def test_baselines_in_order(store):
    names = ["b", "a", "B", "é", "a.b", "a_b", "名"]
    store.put(snap(name, source) for name in names for source in ("y", "x"))
    found = [seen.key for seen in store.baselines()]
    assert found == sorted(found)
    assert len(found) == 14
    assert [seen.key.tool for seen in store.baselines("x")] == sorted(names)
    assert [seen.key for seen in store.baselines(tool="a")] == [Key("x", "a"), Key("y", "a")]
    assert [seen.key for seen in store.baselines("y", tool="é")] == [Key("y", "é")]


def test_which_tools_have_answered(store):
    store.put([replace(A, shape={"x": 1}), snap("put"), replace(snap("x", "y"), shape={})])
    assert (store.answering("files"), store.answering("y")) == ({"get"}, {"x"})
    store.put([A])
    assert store.answering("files") == set()


def test_a_failing_input_changes_nothing(store):
    def broken():
        yield A
        raise ZeroDivisionError

    for method in (store.put, store.register):
        with pytest.raises(ZeroDivisionError):
            method(broken())
    assert list(store.baselines()) == []


def test_what_went_in_and_what_came_out_can_be_changed(store):
    definition = {"name": "get", "list": [1]}
    store.put([snap(definition=definition)])
    definition["list"].append(2)
    store.baseline(A.key).definition["list"].append(3)
    assert store.baseline(A.key).definition == {"name": "get", "list": [1]}


def test_an_alert_again_is_counted(store):
    later = BEGIN + timedelta(hours=1)
    [first] = store.record([alert(A, B)])
    assert (first.sequence, first.count, first.status) == (1, 1, "open")
    [again] = store.record([alert(A, B, first_seen=later, last_seen=later, verdict="security")])
    assert (again.count, again.first_seen, again.last_seen) == (2, BEGIN, later)
    assert again.verdict == "security"  # a better judgement of the same
    assert list(store.alerts()) == [again]
    assert [(e.kind, e.count) for e in store.history(A.key)] == [("alert", 2)]


def test_alerts_come_back_whole(store):
    given = alert(A, replace(B, shape={"x": 1}), changes=({"big": 2**70}, {}))
    assert store.record([given]) == [replace(given, sequence=1)]
    assert list(store.alerts()) == [replace(given, sequence=1)]
    assert store.definition(B.digests["exact"]) == B.definition


def test_resolved_and_open_again(store):
    store.record([alert(A, B)])
    assert store.resolve([A.key, A.key, Key("files", "other")]) == 1
    assert store.resolve([A.key]) == 0
    assert [found.status for found in store.alerts()] == ["resolved"]
    [again] = store.record([alert(A, B)])
    assert (again.status, again.count, again.sequence) == ("open", 2, 1)
    assert kinds(store) == ["alert", "resolved", "alert"]


def test_only_some_of_what_is_open_is_resolved(store):
    first, second = store.record([alert(A, B), alert(A, C)])
    assert store.resolve([A.key], only=[second.id, "other"]) == 1
    assert [found.status for found in store.alerts()] == ["open", "resolved"]
    assert store.resolve([A.key], only=[]) == 0
    assert store.resolve([A.key], only=[first.id]) == 1


def test_alerts_are_filtered_and_paged(store):
    tools = [snap(f"t{number}", f"s{number % 2}") for number in range(450)]
    store.record(alert(tool, replace(tool, schema_hash="x")) for tool in tools)
    store.resolve([tools[0].key, tools[7].key])
    found = list(store.alerts())
    assert [one.sequence for one in found] == list(range(1, 451))
    assert [one.key for one in found] == [tool.key for tool in tools]
    assert [one.key.tool for one in store.alerts(tool="t7")] == ["t7"]
    assert len(list(store.alerts(source="s1"))) == 225
    assert [one.sequence for one in store.alerts(status="resolved")] == [1, 8]
    assert [one.sequence for one in store.alerts(after=440, limit=3)] == [441, 442, 443]
    assert len(list(store.alerts(limit=401))) == 401
    assert list(store.alerts(limit=0)) == []


def test_alerts_can_be_written_while_they_are_read(store):
    store.record(alert(snap(f"t{n}"), snap(f"t{n}", definition={})) for n in range(5))
    for found in store.alerts():
        store.resolve([found.key])
    assert {found.status for found in store.alerts()} == {"resolved"}


def test_approval(store):
    store.put([A])
    store.record([alert(A, B), alert(A, C)])
    assert store.approve(B, expected=A.schema_hash, by="me", reason="reviewed") is True
    assert store.baseline(A.key) == B
    assert [found.status for found in store.alerts()] == ["approved", "open"]
    last = list(store.history(A.key))[-1]
    assert (last.kind, last.by, last.reason, last.verdict) == (
        "approved", "me", "reviewed", "breaking",
    )  # fmt: skip
    assert (last.before, last.after) == (A.digests["exact"], B.digests["exact"])


@pytest.mark.parametrize(
    "there, expected", [(A, ""), (A, B.schema_hash), (None, A.schema_hash)], ids=repr
)
def test_an_approval_of_something_else_is_a_conflict(store, there, expected):
    store.put([there] if there else [])
    store.record([alert(A, B)])
    before = everything(store)
    with pytest.raises(ApprovalConflict) as caught:
        store.approve(C, expected=expected, by="me", reason="")
    assert caught.value.found == (there.schema_hash if there else "")
    assert everything(store) == before


def test_approving_what_was_never_seen(store):
    store.approve(A, expected="", by="me", reason="new")
    assert store.baseline(A.key) == A


@pytest.mark.parametrize(
    "live",
    [C, replace(A, response_pattern_hash="other"), replace(A, shape={"x": 1})],
    ids=["definition", "pattern", "shape"],
)
def test_an_approval_of_the_baseline_closes_nothing(store, live):
    store.put([A])
    store.record([alert(A, live)])
    before = everything(store)
    assert store.approve(A, expected=A.schema_hash, by="me", reason="old news") is False
    assert everything(store) == before
    assert store.approve(live, expected=A.schema_hash, by="me", reason="") is True
    assert [found.status for found in store.alerts()] == ["approved"]


@pytest.mark.parametrize("by, status", [("", "resolved"), ("me", "approved")])
def test_what_is_no_longer_expected(store, by, status):
    other = snap("put")
    store.put([A, other])
    store.record([alert(A, replace(A, schema_hash="")), alert(other, snap("put", definition={}))])
    assert store.drop([A.key, A.key, Key("files", "nobody")], by=by, reason="gone") == 1
    assert store.baseline(A.key) is None
    assert list(store.known("files")) == ["put"]
    assert [found.status for found in store.alerts()] == [status, "open"]
    assert kinds(store) == ["baseline", "alert", "removed"]
    last = list(store.history(A.key))[-1]
    assert (last.before, last.after, last.by, last.reason) == (A.digests["exact"], "", by, "gone")
    assert list(store.history(Key("files", "nobody"))) == []
    assert (store.sources_of("get"), store.sources_of("nobody")) == (["files"], [])
    assert store.drop([A.key]) == 0
    assert store.register([A]) == [A.key]


def test_what_was_approved_once_is_no_approval_for_ever(store):
    store.put([A])
    store.record([alert(A, B)])
    store.approve(B, expected=A.schema_hash, by="me", reason="")
    store.put([A])
    assert [found.status for found in store.record([alert(A, B)])] == ["open"]


@pytest.mark.parametrize("jump", [timedelta(days=3650), timedelta(days=-3650)], ids=str)
def test_order_is_not_that_of_the_clock(store, clock, jump):
    store.put([A])
    clock.now += jump
    store.put([B])
    store.record([alert(B, C, first_seen=clock.now, last_seen=clock.now)])
    clock.now -= 2 * jump
    store.approve(C, expected=B.schema_hash, by="", reason="")
    assert kinds(store) == ["baseline", "baseline", "alert", "approved"]
    numbers = [event.sequence for event in store.history(A.key)]
    assert numbers == sorted(numbers)


def test_times_of_any_zone(store):
    there = datetime(1970, 1, 1, 3, tzinfo=timezone(timedelta(hours=5, minutes=45)))
    store.put([replace(A, captured_at=there)])
    assert store.baseline(A.key).captured_at == there


def test_threads_take_turns(tmp_path):
    store = open_sqlite(str(tmp_path / "s.db"))

    def write(thread):
        for number in range(20):
            store.put([snap(f"{thread}.{number}")])

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.known("files")) == 80
    store.close()


def test_what_is_committed_is_on_the_disk(tmp_path):
    store = open_sqlite(str(tmp_path / "s.db"))
    asked = {"journal_mode": "wal", "synchronous": 2, "trusted_schema": 0, "mmap_size": 0}
    for pragma, value in asked.items():
        assert store._db.execute(f"PRAGMA {pragma}").fetchone() == (value,)
    store.close()


def test_a_definition_is_kept_once(tmp_path):
    store = open_sqlite(str(tmp_path / "s.db"))
    store.put(replace(A, key=Key(f"s{number}", "get")) for number in range(50))
    assert store._db.execute("SELECT count(*) FROM content").fetchone() == (1,)
    store.close()


def test_what_is_closed_is_there_again(tmp_path):
    path = str(tmp_path / "s.db")
    store = open_store(path)
    store.put([A])
    store.record([alert(A, B)])
    kept = everything(store)
    store.close()
    store = open_store(path)
    assert everything(store) == kept
    store.close()
    assert [found.name for found in tmp_path.iterdir()] == ["s.db"]


def test_ten_thousand_at_once(tmp_path):
    store = open_sqlite(str(tmp_path / "s.db"))
    tools = [snap(f"t{number}") for number in range(10_000)]
    assert store.put(tools) == 10_000
    assert len(store.known("files")) == 10_000
    changes = store._db.total_changes
    assert store.resolve(tool.key for tool in tools) == 0
    assert store._db.total_changes == changes  # a check of what did not change writes nothing
    store.close()


@pytest.mark.parametrize(
    "place", ["postgresql://h/db", "http://x", "sqlite://relative", "s3://b/k", "file://host/x"]
)
def test_other_places_are_not_supported(place):
    with pytest.raises(UsageError, match="no store is supported"):
        open_store(place)


@pytest.mark.parametrize("prefix", ["", "sqlite://", "file://", "SQLite://"])
def test_the_same_place_in_other_words(tmp_path, prefix):
    path = tmp_path / "a b%20?#.db"
    open_store(str(path)).close()
    store = open_store(prefix + (str(path).replace("%", "%25") if prefix else str(path)))
    store.put([A])
    store.close()
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_the_usual_place(tmp_path, monkeypatch):
    monkeypatch.setenv("TOOLCANON_HOME", str(tmp_path / "home"))
    open_store().close()
    made = tmp_path / "home" / "toolwatch.db"
    assert made.stat().st_mode & 0o777 == 0o600
    assert made.parent.stat().st_mode & 0o777 == 0o700


def test_looking_makes_nothing(tmp_path):
    store = open_store(str(tmp_path / "x" / "s.db"), read_only=True)
    assert list(store.baselines()) == []
    with pytest.raises(StoreUnwritable):
        store.put([A])
    store.close()
    assert list(tmp_path.iterdir()) == []
