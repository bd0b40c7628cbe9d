"""Processes that write to one store, and what becomes of it when they are killed.

A program of its own, because it forks: ``python -m tests.store_processes WHAT FOLDER ROUNDS SEED``
prints figures as JSON, and ends with a trace when a promise is broken.
"""

import json
import os
import random
import signal
import sys
import time
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from tests.store_values import alert, everything, snap
from toolcanon.errors import ApprovalConflict
from toolcanon.watch.sqlite import connection as schema
from toolcanon.watch.sqlite import open_sqlite
from toolcanon.watch.store import Key

WRITERS = 4
LATEST = 0.020  # seconds
ROUNDS_OF_A_STORE = 10


def start(work, *arguments):
    """A child at work; what it writes to its descriptor arrives here."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child:
        os.close(theirs)
        return child, ours
    status = 1
    try:
        os.close(ours)
        work(theirs, *arguments)
        status = 0
    finally:
        sys.stderr.flush()
        os._exit(status)  # without the parent's clean-up


def said(pipe):
    """Everything a child printed until it ended."""
    with open(pipe, "rb") as stream:  # noqa: PTH123 - a descriptor
        return stream.read().decode()


def ended(child):
    assert os.waitpid(child, 0)[1] == 0


def tool(name, version=0):
    return snap(name, "server", definition={"name": name, "version": version, "x": "y" * 300})


def write_on(pipe, path, name):
    """Baselines, alerts, approvals without end; a letter for each once it is acknowledged."""
    store = open_sqlite(str(path))
    os.write(pipe, b".")
    for number in range(1_000_000):
        before, after = tool(f"{name}.{number}"), tool(f"{name}.{number}", 1)
        store.put([before])
        os.write(pipe, b"b")
        store.record([alert(before, after)])
        os.write(pipe, b"a")
        store.approve(after, expected=before.schema_hash, by=name, reason="")
        os.write(pipe, b"c")


def holds(store, name, heard):
    """Whether what was acknowledged is there, and at most one write more, whole."""
    letters = heard.lstrip(".")
    for number in range(len(letters) // 3 + 2):
        key = Key("server", f"{name}.{number}")
        kinds = "".join(event.kind[0] for event in store.history(key))
        life = {"": "", "b": "b", "ba": "ba", "baa": "bac"}[kinds]
        acknowledged = letters[number * 3 : number * 3 + 3]
        whole = "bac" * number + life
        assert life.startswith(acknowledged), (name, number, kinds, acknowledged)
        assert len(whole) <= len(letters) + 1 or not life, (name, number, kinds)
        baseline, alerts = store.baseline(key), list(store.alerts(source="server", tool=key.tool))
        version = int(life == "bac")
        found = baseline and replace(baseline, captured_at=tool("x").captured_at)
        assert found == (tool(key.tool, version) if life else None)
        assert [one.status for one in alerts] == (
            [["open"], ["approved"]][version] if life[1:] else []
        )
    return len(letters)


def kill(folder, rounds, chance):
    """Four writers, each killed in the middle of it; nothing that was acknowledged is lost."""
    kills = acknowledged = 0
    heard = {}
    path = folder
    for number in range(rounds):
        if number % ROUNDS_OF_A_STORE == 0:
            check_all(path, heard)
            heard = {}
            path = folder / str(number) / "s.db"
        writers = {f"{number}.{writer}": None for writer in range(WRITERS)}
        for name in writers:
            writers[name] = start(write_on, path, name)
        is_in_loop = number % 4 != 0  # the others die while they open, make or recover the store
        begun = {name: heard_first(pipe, is_in_loop) for name, (_, pipe) in writers.items()}
        deaths = sorted((chance.uniform(0, LATEST), name) for name in writers)
        begin = time.monotonic()
        for moment, name in deaths:
            time.sleep(max(0, begin + moment - time.monotonic()))
            os.kill(writers[name][0], signal.SIGKILL)
            kills += 1
        for name, (child, pipe) in writers.items():
            assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
            heard[name] = begun[name] + said(pipe)
        with closing(open_sqlite(str(path))) as store:
            acknowledged += sum(holds(store, name, heard[name]) for name in writers)
    check_all(path, heard)
    return {"rounds": rounds, "kills": kills, "acknowledged": acknowledged, "lost": 0}


def heard_first(pipe, is_in_loop):
    """Wait until a writer is at it."""
    return "".join(os.read(pipe, 1).decode() for _ in range(2 if is_in_loop else 0))


def check_all(path, heard):
    """What was there after its own round is there after the others, too."""
    if heard:
        with closing(open_sqlite(str(path))) as store:
            for name, letters in heard.items():
                holds(store, name, letters)
            assert store._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def write_some(pipe, path, name, times):
    with closing(open_sqlite(str(path))) as store:
        for number in range(times // 2):
            store.put([tool(f"{name}.{number}")])
            store.record([alert(tool("all"), tool("all", 1))])


def writers(folder, rounds, chance):
    """Eight processes at once; none is turned away, and every write counts."""
    path = folder / "s.db"
    children = [start(write_some, path, str(number), rounds) for number in range(8)]
    for child, pipe in children:
        os.close(pipe)
        ended(child)
    with closing(open_sqlite(str(path))) as store:
        [found] = store.alerts()
        [event] = store.history(Key("server", "all"))
        assert found.count == event.count == 4 * rounds
        return {"writes": found.count + len(store.known("server"))}


def approve_one(pipe, path, name, gate):
    with closing(open_sqlite(str(path))) as store:
        before, after = tool("all"), tool("all", int(name) + 1)
        os.write(pipe, b".")
        os.read(gate, 1)
        try:
            store.approve(after, expected=before.schema_hash, by=name, reason="")
            os.write(pipe, name.encode())
        except ApprovalConflict:
            os.write(pipe, b"conflict")


def approvers(folder, rounds, chance):
    """Two agree to different things at once: one of them gets an error."""
    for number in range(rounds):
        path = folder / f"{number}.db"
        with closing(open_sqlite(str(path))) as store:
            store.put([tool("all")])
        gate, opener = os.pipe()
        children = [start(approve_one, path, str(who), gate) for who in range(2)]
        for _, pipe in children:
            os.read(pipe, 1)
        os.write(opener, b"..")
        heard = [said(pipe) for _, pipe in children]
        for child, _ in children:
            ended(child)
        assert sorted(heard)[1] == "conflict", heard
        with closing(open_sqlite(str(path))) as store:
            winner = int(min(heard))
            assert store.baseline(Key("server", "all")).definition["version"] == winner + 1
        os.close(gate)
        os.close(opener)
    return {"races": rounds}


STEPS = (
    tuple(f"CREATE TABLE more_{number} (id)" for number in range(20)),
    ("CREATE TABLE copies AS SELECT * FROM snapshot", "CREATE INDEX copy ON copies (tool)"),
)


def migrate(pipe, path):
    os.write(pipe, b".")
    open_sqlite(str(path)).close()


def migration(folder, rounds, chance):
    """Two bring the store up to date and are killed over it: it is as before, or a step further."""
    seen = set()
    for number in range(rounds):
        path = folder / f"{number}.db"
        with closing(open_sqlite(str(path))) as store:
            store.put(tool(str(name)) for name in range(300))
            before = everything(store)
        first = schema.STEPS
        schema.STEPS = first + STEPS
        children = [start(migrate, path) for _ in range(2)]
        for _, pipe in children:
            os.read(pipe, 1)
        time.sleep(chance.uniform(0, 0.1))
        for child, pipe in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(pipe)
        seen.add(version(path))
        with closing(open_sqlite(str(path))) as store:
            assert everything(store) == before
        assert version(path) == len(schema.STEPS)
        with suppress(FileNotFoundError):  # whoever was killed before did not get so far
            assert version(Path(f"{path}.v1")) == 1
        schema.STEPS = first
    return {"rounds": rounds, "versions found": sorted(seen)}


def version(path):
    import sqlite3

    with closing(sqlite3.connect(path)) as connection:
        return schema.version_of(connection)


if __name__ == "__main__":
    what, folder, rounds, seed = sys.argv[1:]
    work = {"kill": kill, "writers": writers, "approvers": approvers, "migration": migration}[what]
    print(json.dumps(work(Path(folder), int(rounds), random.Random(int(seed)))))  # noqa: S311, T201
