"""Values for the tests of stores."""

import hashlib
import json
from datetime import UTC, datetime, timedelta

from toolcanon.watch.store import Alert, Key, Snapshot

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class Clock:
    """Goes on by a second at each look, or jumps where a test wants it."""

    def __init__(self):
        self.now = BEGIN

    def __call__(self):
        self.now += timedelta(seconds=1)
        return self.now


def snap(tool="get", source="files", definition=None, **fields):
    """A snapshot; its hashes follow from the definition."""
    definition = {"name": tool, "v": 1} if definition is None else definition
    known = hashlib.sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()
    given = {
        "version": "1",
        "schema_hash": known,
        "response_pattern_hash": "r",
        "digests": {"exact": f"tc1:sha256:{known}", "text": "tc1:sha256:t"},
        "quick": f"q{known}",
        "definition": definition,
        "captured_at": BEGIN,
    }
    return Snapshot(Key(source, tool), **{**given, **fields})


def alert(before, after, **fields):
    given = {
        "id": f"{before.key!r}{before.schema_hash}{after.schema_hash}",
        "change_type": "schema_change",
        "severity": "medium",
        "verdict": "breaking",
        "model_visible": True,
        "changes": ({"code": "D101", "at": "/x"},),
        "first_seen": BEGIN,
        "last_seen": BEGIN,
    }
    return Alert(before=before, after=after, **{**given, **fields})


def everything(store):
    """All that a store can be asked, as values to compare."""
    baselines = list(store.baselines())
    alerts = list(store.alerts())
    keys = sorted({seen.key for seen in baselines} | {alert.key for alert in alerts})
    sources = sorted({key.source for key in keys} | {""})
    exact = sorted({seen.digests["exact"] for seen in baselines if "exact" in seen.digests})
    return {
        "baselines": baselines,
        "each": [store.baseline(key) for key in keys],
        "known": {source: store.known(source) for source in sources},
        "alerts": alerts,
        "open": list(store.alerts(status="open")),
        "by tool": [list(store.alerts(source=key.source, tool=key.tool)) for key in keys],
        "history": [list(store.history(key)) for key in keys],
        "definitions": [store.definition(digest) for digest in exact],
    }
