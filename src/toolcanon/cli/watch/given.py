"""Inputs of ``baseline`` and ``check``: one schema under a name, or sources."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import wraps
from typing import Any, Final, NamedTuple

import click

from toolcanon.cli.check_inputs import from_file
from toolcanon.cli.options import talk
from toolcanon.cli.watch.sources import Asked, document, seen, watched_options
from toolcanon.errors import ServerFailed, UnknownTool
from toolcanon.jsonio.types import Json
from toolcanon.text import safe
from toolcanon.watch.capturing import Redact, Responses, Watched, without_credentials
from toolcanon.watch.opening import open_store, path_of
from toolcanon.watch.seen import Seen
from toolcanon.watch.store import Store

_STDIN: Final = "-"
_ROW: Final = frozenset({"tool", "response"})


class Given(NamedTuple):
    """What to record or to compare."""

    sources: Asked
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
        sources: Asked,
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
