"""``toolwatch import``."""

from __future__ import annotations

import click

from toolcanon.cli.options import limit_options, load_payload, talk
from toolcanon.cli.watch.given import opened
from toolcanon.errors import BadImport
from toolcanon.errors.root import InputError
from toolcanon.jsonio import Limits
from toolcanon.report.document import counted
from toolcanon.text import safe
from toolcanon.watch.exchange import kind_of, read_alerts, read_baselines
from toolcanon.watch.store import Alert, Snapshot, Store

EPILOG = """\b
Examples:
  toolwatch import ~/.aumai/toolwatch/baselines.json
  toolwatch import ~/.aumai/toolwatch/alerts.json
  toolwatch export | toolwatch --store copy.db import -
"""


@click.command("import", epilog=EPILOG)
@click.argument("file")
@limit_options
def command(file: str, limits: Limits, duplicate_keys: str) -> int:
    """Import baselines or alerts from a JSON array, as `toolwatch export` writes it.

    Every entry is verified before anything is written: hashes must match the definition beside
    them. Importing the same file twice changes nothing. A baseline with a known name is replaced
    and stays in the history. Exit status: 0 imported, 2 invalid input, 3 environment.
    """
    payload = load_payload(file, limits, duplicate_keys)
    if payload == []:
        talk("nothing to import")
        return 0
    kind = kind_of(payload)
    if kind is None:
        raise InputError(
            f"{safe(file)} is not an array of baselines or alerts; `toolwatch export` writes one"
        )
    if kind == "alerts":
        alerts = read_alerts(payload)
        with opened() as store:
            talk(f"{counted(_import_alerts(store, alerts), 'alert')} imported")
    else:
        baselines = read_baselines(payload)
        _ensure_once(baselines)
        with opened() as store:
            talk(_import_baselines(store, baselines))
    return 0


def _ensure_once(baselines: list[Snapshot]) -> None:
    seen = set()
    for number, one in enumerate(baselines, 1):
        if one.key in seen:
            raise BadImport(
                number, f"there is an earlier entry for {one.key.tool or one.key.source!r}"
            )
        seen.add(one.key)


def _import_alerts(store: Store, alerts: list[Alert]) -> int:
    known = {alert.id for alert in store.alerts()}
    return len(store.record(alert for alert in alerts if alert.id not in known))


def _import_baselines(store: Store, baselines: list[Snapshot]) -> str:
    known = {one.key: one for one in store.baselines()}
    new = [one for one in baselines if not _is_same(one, known.get(one.key))]
    tools = [one.key for one in new if one.key.tool]
    replaced = sum(key in known for key in tools)
    store.put(new, kind="imported")
    extra = f", {replaced:,} of them replaced others" if replaced else ""
    sources = len(new) - len(tools)
    extra += f", and {counted(sources, 'source')}" if sources else ""
    return f"{counted(len(tools), 'baseline')} imported{extra}"


def _is_same(one: Snapshot, other: Snapshot | None) -> bool:
    """Return whether importing gains nothing; a hash never replaces a known definition."""
    return other is not None and (
        (one.version, one.schema_hash, one.response_pattern_hash, one.captured_at)
        == (other.version, other.schema_hash, other.response_pattern_hash, other.captured_at)
        and (one.definition is None or other.definition is not None)
    )
