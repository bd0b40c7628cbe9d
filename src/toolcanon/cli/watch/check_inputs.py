"""Inputs of ``baseline`` and ``check``, and state left by an earlier ``toolwatch``.

It had two JSON files, ``baselines.json`` and ``alerts.json``. ``toolwatch import`` reads them. A
check of a tool whose only baseline is there imports that one, because recording the tool as it is
now would hide every change since.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import click

from toolcanon.cli.check_run import from_file
from toolcanon.cli.options import load_payload, talk
from toolcanon.cli.watch.sources import NamedSources, document, seen, watched_options
from toolcanon.errors import ServerFailed, UnknownTool
from toolcanon.errors.root import InputError
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import Json
from toolcanon.report.document import counted
from toolcanon.text import safe
from toolcanon.watch.capturing import Redact, Responses, Watched, without_credentials
from toolcanon.watch.exchange import read_baselines
from toolcanon.watch.observed_source import Seen
from toolcanon.watch.sqlite.store import open_store, path_of
from toolcanon.watch.store import Key, Store

_FOLDER: Final = ".aumai/toolwatch"
_NAME: Final = 60


def former_file(kind: Literal["baselines", "alerts"]) -> Path | None:
    """Return the file of an earlier toolwatch in the home folder; None if there is none."""
    try:
        path = Path.home() / _FOLDER / f"{kind}.json"
    except RuntimeError:  # no home folder: a container, a service
        return None
    return path if path.is_file() else None


def take_former(store: Store, tool: str, limits: Limits) -> None:
    """Import the former baseline of a tool that the store does not know. Raises InputError."""
    path = former_file("baselines")
    if path is None or store.baseline(Key("", tool)) is not None:
        return
    try:
        found = read_baselines(_listed(load_payload(str(path), limits, "error")))
    except InputError as error:
        raise InputError(
            f"{_shown(path)} holds the baselines of an earlier toolwatch and cannot be read "
            f"({error}); repair it, or move it away to start without it"
        ) from None
    wanted = [one for one in found if one.key == Key("", tool)]
    if not wanted:
        return
    store.put(wanted[-1:], kind="imported")
    others = len({one.key for one in found}) - 1
    more = f"; {others:,} more there: {_advice(path)}" if others else ""
    talk(f"baseline of '{safe(tool, _NAME)}' imported from {_shown(path)}{more}")


def _listed(document: Json) -> list[Json]:
    if not isinstance(document, list):
        raise InputError("the document is not an array")
    return document


def mention_former(store: Store, watched: Sequence[Watched]) -> None:
    """Print the advice to import former baselines before tools without one are recorded."""
    path = former_file("baselines")
    if path is None:
        return
    names = [(one, name) for one in watched for name in one.definitions]
    unknown = sum(store.baseline(one.key(name)) is None for one, name in names)
    if unknown:
        tools = counted(unknown, "tool")
        talk(f"{tools} without a baseline, and {_shown(path)} may hold some: {_advice(path)}")


def mention_former_alerts() -> None:
    """Print the advice to import former alerts when the store has none."""
    path = former_file("alerts")
    if path is not None:
        talk(f"{_shown(path)} holds alerts of an earlier toolwatch: {_advice(path)}")


def _advice(path: Path) -> str:
    return f"import them with `toolwatch import {_shown(path)}`"


def _shown(path: Path) -> str:
    return f"~/{_FOLDER}/{path.name}"


_STDIN: Final = "-"
_ROW: Final = frozenset({"tool", "response"})


class Given(NamedTuple):
    """What to record or to compare."""

    sources: NamedSources
    names: tuple[str, ...] = ()
    schema: str | None = None
    version: str | None = None
    responses: str | None = None
    redact: bool = False

    @property
    def is_single(self) -> bool:
        """Return whether the input is one schema with a name from the command line."""
        return self.schema is not None

    def watched(self, failures: list[ServerFailed] | None = None) -> list[Watched]:
        """Return the tools; with ``--redact``, values that look like secrets are masked."""
        redact: Redact = without_credentials if self.redact else lambda value: value
        if self.schema is not None:
            schema = redact(document(self.schema, self.sources))
            return [Watched.single(self.names[0], schema)]
        found = [
            Watched.of(Seen.of(redact(one.payload), one.identity, name=one.name,
                               about=redact(one.about)) if self.redact else one)
            for one in seen(self.sources, failures)
        ]  # fmt: skip
        return self._chosen(found) if self.names else found

    def _chosen(self, found: list[Watched]) -> list[Watched]:
        known = [name for one in found for name in one.definitions]
        for name in self.names:
            if name not in known:
                raise UnknownTool(name, known)
        parts = (one.only(self.names) for one in found)
        return [part for part in parts if part.definitions]

    def answers(self, watched: list[Watched]) -> Responses | None:
        """Return the responses by tool, masked if asked; None when there are none."""
        if self.responses is None:
            return None
        names = [name for one in watched for name in one.definitions]
        payload = from_file(
            self.responses, self.sources.limits, self.sources.duplicate_keys
        ).payload
        by_tool = _by_tool(payload, names, is_single=self.is_single)
        for name in by_tool:
            if name not in names:
                talk(f"warning: the responses name {safe(name, 60)}, which is not one of the tools")
        if not self.redact:
            return by_tool
        return {name: [without_credentials(one) for one in some] for name, some in by_tool.items()}


def given_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options for a schema or sources, passed as one ``Given`` called ``given``."""

    @wraps(command)
    def collected(
        *,
        sources: NamedSources,
        tools: tuple[str, ...],
        schema: str | None,
        version: str | None,
        responses: str | None,
        redact: bool,
        **others: Any,
    ) -> int:
        if schema is not None and (sources or sources.servers or len(tools) != 1):
            raise click.UsageError("--schema needs one --tool and cannot be combined with sources.")
        if tools and schema is None and not sources:
            raise click.UsageError("--tool needs --schema PATH or a source.")
        if "" in tools:
            raise click.UsageError("--tool must not be empty.")
        if responses == _STDIN and _STDIN in (*sources.files, schema):
            raise click.UsageError("Only one input can be stdin.")
        given = Given(sources, tools, schema, version, responses, redact)
        return command(given=given, **others)

    made: Callable[..., int] = collected
    for option in (
        click.option("--redact", is_flag=True, help="Mask values that look like secrets."),
        click.option(
            "--responses",
            metavar="FILE",
            help="Responses of the tools: an array, JSON Lines, or an object of arrays by tool.",
        ),
        click.option("--version", metavar="TEXT", help="Version label to record.  [unknown]"),
        click.option("--schema", metavar="PATH", help="Schema or definition of --tool."),
        click.option(
            "--tool",
            "tools",
            multiple=True,
            metavar="NAME",
            help="Name of the --schema tool; with sources, only these tools.",
        ),
        watched_options,
    ):
        made = option(made)
    return made


@contextmanager
def opened(*, read_only: bool = False) -> Iterator[Store]:
    """Open the store that the command line or the environment names."""
    place = click.get_current_context().meta.get("store")
    if read_only and place and not os.path.lexists(path_of(place)):
        talk(f"there is no store at {safe(place, 200)}; nothing was recorded yet")
    with closing(open_store(place, read_only=read_only)) as store:
        yield store


def _by_tool(payload: Json, names: list[str], *, is_single: bool) -> dict[str, list[Json]]:
    if isinstance(payload, dict):
        is_table = all(isinstance(some, list) for some in payload.values())
        if is_table and (not is_single or names[0] in payload):
            return payload
        payload = [payload]
    if isinstance(payload, list) and payload and all(map(_is_row, payload)):
        found: dict[str, list[Json]] = {}
        for row in payload:
            found.setdefault(row["tool"], []).append(row["response"])
        if not is_single or names[0] in found:  # a single tool's response may look like this, too
            return found
    if not isinstance(payload, list):
        payload = [payload]
    if len(names) != 1:
        raise click.UsageError(
            'The responses need tool names: {"NAME": [...]}, or lines of {"tool", "response"}.'
        )
    return {names[0]: payload}


def _is_row(row: Json) -> bool:
    return isinstance(row, Mapping) and row.keys() == _ROW and isinstance(row["tool"], str)
