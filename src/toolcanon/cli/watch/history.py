"""``toolwatch history``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from toolcanon.cli.options import hand_over
from toolcanon.cli.watch.given import opened
from toolcanon.errors import UnknownTool, UsageError
from toolcanon.jsonio.types import JsonObject
from toolcanon.text import safe
from toolcanon.watch.store import Event, EventKind, Key

EPILOG = """\b
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


@click.command("history", epilog=EPILOG)
@click.argument("tool")
@click.option(
    "--source", metavar="NAME", help="Show the tool of this server only; default: all servers."
)
@click.option("--json", "as_json", is_flag=True, help="Print the events as JSON.")
@click.option(
    "--debug", is_flag=True, expose_value=False, help="Print a traceback on an internal error."
)
def command(tool: str, source: str | None, as_json: bool) -> int:
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
        ways = [_short(one) for one in (event.before, event.after)]
        parts.append(f"{ways[0]} -> {ways[1]}" if event.before else ways[1])
    if event.by:
        parts.append(f"by {safe(event.by, _LONGEST)}")
    if event.reason:
        parts.append(f"“{safe(event.reason, _LONGEST)}”")
    return "  ".join(parts)


def _short(digest: str) -> str:
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
