"""``toolwatch`` commands on the store: baseline, alerts, history, export, import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, get_args

import click

from toolcanon.cli.check import AfterDashes
from toolcanon.cli.options import hand_over, limit_options, load_payload, talk, waiting
from toolcanon.cli.watch.check_inputs import Given, given_options, mention_former_alerts, opened
from toolcanon.errors import BadImport, UnknownTool, UsageError
from toolcanon.errors.root import InputError
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import JsonObject
from toolcanon.report.document import counted
from toolcanon.sources import check_place, write_file
from toolcanon.text import safe, safe_json
from toolcanon.watch.exchange import (
    KINDS,
    Kind,
    alert_json,
    baseline_json,
    kind_of,
    read_alerts,
    read_baselines,
)
from toolcanon.watch.store import Alert, Event, EventKind, Key, Snapshot, Status, Store
from toolcanon.watch.watching import baseline

HISTORY_EPILOG = """\b
Examples:
  toolwatch history get_weather
  toolwatch history read_file --source files --json
"""
_WORDS: Final[dict[EventKind, str]] = {
    "baseline": "recorded",
    "alert": "changed",
    "resolved": "as before again",
    "approved": "approved",
    "imported": "imported",
    "removed": "removed",
}
_SHORT: Final = 12
_LONGEST: Final = 200


@click.command("history", epilog=HISTORY_EPILOG)
@click.argument("tool")
@click.option(
    "--source", metavar="NAME", help="Show the tool of this server only; default: all servers."
)
@click.option("--json", "as_json", is_flag=True, help="Print the events as JSON.")
@click.option(
    "--debug", is_flag=True, expose_value=False, help="Print a traceback on an internal error."
)
def command_history(tool: str, source: str | None, as_json: bool) -> int:
    """Show the events of a tool: recorded, changed, approved, and by whom.

    Exit status: 0 fine, 2 an unknown tool, 3 environment.
    """
    with opened(read_only=True) as store:
        sources = store.sources_of(tool) if source is None else [source]
        lives = {key: list(store.history(key)) for key in (Key(one, tool) for one in sources)}
        if not any(lives.values()):
            known = sorted({one.key.tool for one in store.baselines(source)} - {""})
            if known:
                raise UnknownTool(tool, known)
            where = f"of {source!r} " if source else ""
            raise UsageError(
                f"{tool!r} is unknown: no tool {where}with this name was ever recorded"
            )
    if as_json:
        hand_over([_json(event) for life in lives.values() for event in life], None, "")
        return 0
    for number, (key, life) in enumerate(lives.items()):
        if number:
            click.echo()
        of = f" of {safe(key.source, _LONGEST)}" if key.source else ""
        click.echo(f"{safe(key.tool, _LONGEST)}{of}")
        for line in _lines(life):
            click.echo(f"  {line}")
    return 0


def _lines(life: Sequence[Event]) -> list[str]:
    width = max((len(_WORDS[event.kind]) for event in life), default=0)
    return [
        f"{event.at:%Y-%m-%d %H:%M:%S}Z  {_WORDS[event.kind]:<{width}}  {_details(event)}".rstrip()
        for event in life
    ]


def _details(event: Event) -> str:
    parts = []
    if event.kind == "alert":
        times = f", seen {event.count:,} times" if event.count > 1 else ""
        parts.append(f"{event.verdict or 'unknown'}{times}")
    if event.version not in {"", "unknown"}:
        parts.append(f"version {safe(event.version, _LONGEST)}")
    if event.before != event.after:
        ways = [_short_digest(one) for one in (event.before, event.after)]
        parts.append(f"{ways[0]} -> {ways[1]}" if event.before else ways[1])
    if event.by:
        parts.append(f"by {safe(event.by, _LONGEST)}")
    if event.reason:
        parts.append(f"“{safe(event.reason, _LONGEST)}”")
    return "  ".join(parts)


def _short_digest(digest: str) -> str:
    """Return the beginning of a digest, enough to compare; "nothing" for a removed tool."""
    return safe(digest.rpartition(":")[2][:_SHORT]) or "nothing"


def _json(event: Event) -> JsonObject:
    return {
        "source": event.key.source,
        "tool_name": event.key.tool,
        "sequence": event.sequence,
        "kind": event.kind,
        "at": event.at.isoformat(),
        "before": event.before,
        "after": event.after,
        "verdict": event.verdict,
        "version": event.version,
        "by": event.by,
        "reason": event.reason,
        "count": event.count,
    }


BASELINE_EPILOG = """\b
Examples:
  toolwatch baseline --tool get_weather --schema weather.json --version 1.0.0
  toolwatch baseline --tool f --schema f.json --responses seen.jsonl
  toolwatch baseline tools.json
  toolwatch baseline --server files -- npx -y @scope/server ./data
  toolwatch baseline --client-config .mcp.json
"""


@click.command("baseline", cls=AfterDashes, epilog=BASELINE_EPILOG)
@click.option("--json", "as_json", is_flag=True, help="Print the fingerprints of all tools.")
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
@given_options
def command_baseline(given: Given, as_json: bool, quiet: bool) -> int:
    """Record tools as they are now: all of them, or none on an error.

    A single schema is recorded under the name given by --tool. FILES, servers and client
    configurations are recorded as a whole, so that missing tools are noticed later. An earlier
    record is replaced and stays in the history. Responses are recorded by their shape, never by
    their values. Exit status: 0 recorded, 2 invalid input or usage, 3 environment.
    """
    watched = given.watched()
    responses = given.answers(watched)
    with opened() as store, waiting() as show:
        kept = baseline(store, watched, responses=responses, version=given.version, show=show)
    if quiet:
        return 0
    if given.is_single:
        hand_over(_baseline_summary(kept[0]), None, "")
    elif as_json:
        hand_over([{**_baseline_summary(one), "source": one.key.source} for one in kept], None, "")
    else:
        counts = Counter(one.key.source for one in kept)
        for one in watched:
            name = f" of {safe(one.shown, 200)}" if one.shown else ""
            click.echo(f"{counted(len(one.definitions), 'tool')}{name} recorded")
        if len(counts) != len(watched):
            click.echo(f"{counted(len({one.key for one in kept}), 'tool')} in all")
    return 0


def _baseline_summary(snapshot: Snapshot) -> JsonObject:
    return {
        "tool_name": snapshot.key.tool,
        "schema_hash": snapshot.schema_hash,
        "response_pattern_hash": snapshot.response_pattern_hash,
        "captured_at": snapshot.captured_at.isoformat(),
    }


ALERTS_EPILOG = """\b
Examples:
  toolwatch alerts
  toolwatch alerts --status open --tool get_weather
  toolwatch alerts --limit 100 --after 200
"""
_STATUSES: Final = get_args(Status)


@click.command("alerts", epilog=ALERTS_EPILOG)
@click.option("--tool", metavar="NAME", help="List only alerts about this tool.")
@click.option("--source", metavar="NAME", help="List only alerts about tools of this server.")
@click.option("--status", type=click.Choice(_STATUSES), help="List only alerts with this status.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="List at most N alerts.")
@click.option(
    "--after",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Start after the alert with this sequence number (for pages).",
)
@click.option("--json", is_flag=True, expose_value=False, hidden=True)
@click.option(
    "--debug", is_flag=True, expose_value=False, help="Print a traceback on an internal error."
)
def command_alerts(
    tool: str | None, source: str | None, status: Status | None, limit: int | None, after: int
) -> int:
    """List the recorded drift alerts as JSON, in the order in which they were first seen.

    Each alert has the number of times it was seen. It is open until the tool is as before again
    (resolved) or the change is approved. Exit status: 0, also with open alerts; 2 usage, 3
    environment.
    """
    most = None if limit is None else limit + 1
    with opened(read_only=True) as store:
        found = list(store.alerts(source=source, tool=tool, status=status, after=after, limit=most))
    if not found:
        click.echo("No alerts recorded.")
        mention_former_alerts()
        return 0
    shown = found[:limit]
    hand_over([alert_json(alert) for alert in shown], None, "")
    if len(shown) < len(found):
        talk(f"more alerts follow: use --after {shown[-1].sequence}")
    return 0


EXPORT_EPILOG = """\b
Examples:
  toolwatch export > baselines.json
  toolwatch export alerts -o alerts.json
  toolwatch --store elsewhere.db import baselines.json
"""


@click.command("export", epilog=EXPORT_EPILOG)
@click.argument("kind", type=click.Choice(KINDS), default="baselines", metavar="[baselines|alerts]")
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of stdout.")
@click.option(
    "--debug", is_flag=True, expose_value=False, help="Print a traceback on an internal error."
)
def command_export(kind: Kind, output: str | None) -> int:
    """Print baselines or alerts as a JSON array, to archive, process or import again.

    The array holds definitions but no response values. An entry with an empty tool_name describes
    a source: its identity and the list of its tools. Exit status: 0 fine, 2 usage, 3 environment.
    """
    if output is not None:
        check_place(output)
    with opened(read_only=True) as store:
        if kind == "alerts":
            entries = (alert_json(alert, whole=True) for alert in store.alerts())
        else:
            entries = (baseline_json(one) for one in store.baselines())
        if output is not None:
            write_file(output, _array(entries))
            talk(f"written to {safe(output)}")
        else:
            for chunk in _array(entries):
                click.echo(chunk, nl=False)
    return 0


def _array(entries: Iterator[JsonObject]) -> Iterator[str]:
    """Yield the array in parts, so that memory does not grow with the number of entries."""
    mark = "[\n"
    for entry in entries:
        yield f"{mark}  {safe_json(entry).replace(chr(10), f'{chr(10)}  ')}"
        mark = ",\n"
    yield "[]\n" if mark == "[\n" else "\n]\n"


IMPORT_EPILOG = """\b
Examples:
  toolwatch import ~/.aumai/toolwatch/baselines.json
  toolwatch import ~/.aumai/toolwatch/alerts.json
  toolwatch export | toolwatch --store copy.db import -
"""


@click.command("import", epilog=IMPORT_EPILOG)
@click.argument("file")
@limit_options
def command_import(file: str, limits: Limits, duplicate_keys: str) -> int:
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
