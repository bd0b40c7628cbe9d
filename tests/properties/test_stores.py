"""Two stores that have nothing in common do the same with any input."""

import shutil
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store_values import BEGIN, Clock, alert, everything, snap
from toolcanon.errors import ApprovalConflict
from toolcanon.watch.sqlite import open_sqlite
from toolcanon.watch.store import MemoryStore

SNAPSHOTS = st.builds(
    lambda tool, source, definition, version, fields: replace(
        snap(tool, source, definition, version=version), **fields
    ),
    st.sampled_from(["a", "b", "a.b", ""]),
    st.sampled_from(["", "a", "a.b"]),
    st.sampled_from([{}, {"v": 1}, {"v": 1.0}, {"v": 2**70}, {"b": 1, "a": 2}, {"a": 2, "b": 1}]),
    st.sampled_from(["1", "2"]),
    st.sampled_from(
        [{}, {"digests": {}}, {"definition": None}, {"shape": {"x": 1}}, {"quick": ""},
         {"response_pattern_hash": "s"}, {"digests": {"semantic": "x"}}]
    ),
)  # fmt: skip
ALERTS = st.builds(
    lambda pair, count, status, verdict: alert(
        pair[0], replace(pair[1], key=pair[0].key), count=count, status=status, verdict=verdict
    ),
    st.tuples(SNAPSHOTS, SNAPSHOTS),
    st.integers(1, 3),
    st.sampled_from(["open", "open", "resolved", "approved"]),
    st.sampled_from(["breaking", "security"]),
)
KINDS = ["baseline", "imported"]
FEW = {"max_size": 4}
ORDERS = st.one_of(
    st.tuples(st.just("put"), st.lists(SNAPSHOTS, **FEW), st.sampled_from(KINDS)),
    st.tuples(st.just("register"), st.lists(SNAPSHOTS, **FEW)),
    st.tuples(st.just("record"), st.lists(ALERTS, **FEW)),
    st.tuples(st.just("resolve"), st.lists(SNAPSHOTS, **FEW)),
    st.tuples(st.just("drop"), st.lists(SNAPSHOTS, **FEW), st.sampled_from(["", "me"])),
    st.tuples(st.just("approve"), SNAPSHOTS, st.booleans()),
    st.tuples(st.just("alerts"), SNAPSHOTS, st.integers(0, 3), st.integers(0, 3)),
)  # fmt: skip


def obey(store, order):
    name, *given = order
    if name == "put":
        return store.put(given[0], kind=given[1])
    if name == "resolve":
        return store.resolve([seen.key for seen in given[0]])
    if name == "drop":
        return store.drop([seen.key for seen in given[0]], by=given[1], reason="gone")
    if name == "alerts":
        key, after, limit = given[0].key, given[1], given[2]
        return [
            list(store.alerts(tool=key.tool, after=after, limit=limit)),
            list(store.alerts(source=key.source, status="open")),
        ]
    if name == "approve":
        seen, is_honest = given
        there = store.baseline(seen.key)
        expected = there.schema_hash if there and is_honest else "" if is_honest else "other"
        try:
            return store.approve(seen, expected=expected, by="me", reason="so")
        except ApprovalConflict as conflict:
            return conflict.args
    return getattr(store, name)(given[0])


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    path = tmp_path_factory.mktemp("empty") / "s.db"
    open_sqlite(str(path)).close()
    return path


@settings(max_examples=40)
@given(orders=st.lists(ORDERS, max_size=12), reopened=st.integers(0, 12))
def test_the_stores_agree(empty, orders, reopened):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s.db")
        shutil.copyfile(empty, path)
        path.chmod(0o600)
        memory, clock = MemoryStore(clock=Clock()), Clock()
        store = open_sqlite(str(path), clock=clock)
        for number, order in enumerate(orders):
            if number == reopened:
                store.close()
                store = open_sqlite(str(path), clock=clock)
            memory._clock.now = clock.now = BEGIN
            assert obey(store, order) == obey(memory, order)
        with closing(store):
            assert repr(everything(store)) == repr(everything(memory))
