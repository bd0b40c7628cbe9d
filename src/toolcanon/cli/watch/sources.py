"""Options for the sources of tools to watch, shared by the commands.

A tool is stored by its source and its name. Files have the empty source, so that a file may move
and a newer version may have another name. A server on the command line has its command or address
without secrets, an entry of a client's file its name there. ``--server NAME`` names a source of the
command line.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import click

from toolcanon.cli.check_inputs import from_file
from toolcanon.cli.fetch import agreed
from toolcanon.cli.live_options import server_options
from toolcanon.cli.options import client_config_option, limit_options, talk, waiting
from toolcanon.errors import ServerFailed, ToolcanonError, UnusableConfig
from toolcanon.jsonio import Limits
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.sources.client_configs import ServerEntry, read_client_config
from toolcanon.sources.modules import names_module, toolset_of
from toolcanon.text import safe
from toolcanon.watch.handed import Handed, handed_to_command, handed_to_url
from toolcanon.watch.seen import Identity, Seen

F = TypeVar("F", bound=Callable[..., Any])


class Asked(NamedTuple):
    """The sources that a command line names."""

    files: tuple[str, ...] = ()
    behind: tuple[str, ...] | None = None
    """The command behind ``--``."""
    url: str | None = None
    headers: Mapping[str, str] = {}
    env: Mapping[str, str] = {}
    config: str | None = None
    servers: tuple[str, ...] = ()
    yes: tuple[str, ...] = ()
    timeout: float = 60.0
    limits: Limits = Limits()
    duplicate_keys: str = "error"
    cwd: str | None = None
    """The working folder of the command, if it is not the caller's."""
    only_data: bool = False
    """Whether a file names the sources; then no word is imported as a module."""

    def __bool__(self) -> bool:
        """Return whether a source is named."""
        return bool(self.files) or any(
            given is not None for given in (self.behind, self.url, self.config)
        )


def watched_options(command: F) -> F:
    """Add FILES and the options for servers, passed as one ``Asked`` called ``sources``.

    The command must be of the class ``AfterDashes``.
    """

    @wraps(command)
    def collected(
        *,
        files: tuple[str, ...],
        url: str | None,
        headers: dict[str, str],
        env: dict[str, str],
        config: str | None,
        servers: tuple[str, ...],
        yes: tuple[str, ...],
        timeout: float,
        limits: Limits,
        duplicate_keys: str,
        **others: Any,
    ) -> Any:
        behind = click.get_current_context().meta.get("behind")
        asked = Asked(
            files, behind, url, headers, env, config, servers, yes, timeout, limits, duplicate_keys
        )
        check_usage(asked)
        return command(sources=asked, **others)

    made: Any = collected
    for option in (
        limit_options,
        click.option(
            "--yes",
            multiple=True,
            metavar="DIGEST|NAME",
            help="Consent to this entry of --client-config for this run, without a prompt.",
        ),
        click.option(
            "--server",
            "servers",
            multiple=True,
            metavar="NAME",
            help="Server of --client-config to use (default: all), or a name for the source.",
        ),
        client_config_option("Use the servers of this client configuration."),
        server_options,
        click.argument("files", nargs=-1, metavar="[FILE]... [-- COMMAND...]"),
    ):
        made = option(made)
    return made  # type: ignore[no-any-return]


def check_usage(asked: Asked) -> None:
    """Raise a usage error for options that do not go together."""
    is_typed = asked.behind is not None or asked.url is not None
    if asked.behind == ():
        raise click.UsageError("-- needs the command that starts a server after it.")
    if asked.env and asked.behind is None and asked.config is None:
        raise click.UsageError("--env needs a command.")
    if asked.headers and asked.url is None and asked.config is None:
        raise click.UsageError("--header needs --url or --client-config.")
    if asked.config is None:
        if asked.yes:
            raise click.UsageError("--yes needs --client-config.")
        kinds = (bool(asked.files), asked.behind is not None, asked.url is not None)
        if asked.servers and (len(asked.servers) > 1 or sum(kinds) > 1):
            raise click.UsageError("--server names one source: files, a command, or a --url.")
    elif is_typed or asked.files:
        raise click.UsageError("--client-config cannot be combined with other sources.")


def seen(asked: Asked, failures: list[ServerFailed] | None = None) -> list[Seen]:
    """Return what each source has now, in the order of the command line.

    A command that a file names is started only after consent. A server that cannot be reached is
    added to ``failures``, if it is a list, and raised otherwise.
    """
    if not asked:
        raise click.UsageError("Name a source: FILES, -- COMMAND..., --url or --client-config.")
    found: list[Seen] = []
    gc.disable()  # a growing catalog holds no garbage
    try:
        with waiting() as show:
            for shown, ask in _asked(asked):
                show(f"asking {safe(shown, 60)}")
                try:
                    found.append(ask())
                except ServerFailed as failure:
                    if failures is None:
                        raise
                    failures.append(failure)
    finally:
        gc.freeze()  # what was read stays until the process ends
        gc.enable()
    return found


def _asked(asked: Asked) -> Iterator[tuple[str, Callable[[], Seen]]]:
    """Yield each source with the function that reads it."""
    name = asked.servers[0] if asked.servers and asked.config is None else ""
    if asked.files and name:
        yield name, lambda: _together(asked, name)
    elif asked.files:
        for file in asked.files:
            yield file, lambda file=file: _of_file(file, asked)  # type: ignore[misc]
    if asked.behind:
        yield asked.behind[0], lambda: _of_command(asked, asked.behind or (), name)
    if asked.url is not None:
        yield "a server", lambda: _of_url(asked, asked.url or "", name)
    for entry in _entries(asked) if asked.config is not None else ():
        yield entry.name, lambda entry=entry: _of_entry(asked, entry)  # type: ignore[misc]


def _of_file(file: str, asked: Asked) -> Seen:
    if not asked.only_data and names_module(file):
        payload: Json = [tool.to_dict() for tool in toolset_of(file).tools]
    else:
        payload = document(file, asked)
    try:
        return Seen.of(payload, Identity(path=file))
    except ToolcanonError:
        talk(f"in {safe(file)}:")
        raise


def document(file: str, asked: Asked) -> Json:
    """Return what a file holds, within the limits; errors are reported with its name."""
    try:
        return from_file(file, asked.limits, asked.duplicate_keys).payload
    except ToolcanonError:
        talk(f"in {safe(file)}:")
        raise


def _together(asked: Asked, name: str) -> Seen:
    """Return files under one name as one source."""
    parts = [_of_file(file, asked) for file in asked.files]
    if len(parts) == 1:
        return Seen(name, parts[0].identity, parts[0].payload, parts[0].tools)
    payload: Json = [part.payload for part in parts]
    tools = [tool for part in parts for tool in part.tools]
    return Seen(name, Identity(paths=asked.files), payload, tools)


def _entries(asked: Asked) -> Iterator[ServerEntry]:
    """Return the chosen entries of a client's file, after consent to each."""
    config = asked.config or ""
    names = asked.servers
    if not names:
        entries = read_client_config(config)
        names = tuple(dict.fromkeys(entry.name for entry in entries if not entry.is_disabled))
        if not names:
            raise UnusableConfig(config, "no server is enabled", "choose one with --server NAME")
    if len(names) > 1 and (asked.env or asked.headers):
        raise click.UsageError("--env and --header are for one server: name it with --server.")
    # All are consented to before the first is started.
    yield from [agreed(config, name, asked.yes, asked.env, asked.headers) for name in names]


def _of_entry(asked: Asked, entry: ServerEntry) -> Seen:
    if entry.url:
        own = asked._replace(headers=entry.headers)
        return _of_url(own, entry.url, entry.name)
    own = asked._replace(env=entry.env, cwd=entry.cwd)
    return _of_command(own, entry.command, entry.name)


def _of_command(asked: Asked, command: tuple[str, ...], name: str) -> Seen:
    from toolcanon.sources.mcp import fetch_command  # noqa: PLC0415 - heavy

    served = fetch_command(
        command, env=asked.env, cwd=asked.cwd, timeout=asked.timeout, limits=asked.limits
    )
    secrets = handed_to_command(command, asked.env)
    identity = Identity.of_command(command, asked.env, asked.cwd)
    return _of_answer(served.answer, served.about(), identity, name or served.reached, secrets)


def _of_url(asked: Asked, url: str, name: str) -> Seen:
    from toolcanon.sources.mcp import fetch_url  # noqa: PLC0415 - heavy

    served = fetch_url(url, headers=asked.headers, timeout=asked.timeout, limits=asked.limits)
    secrets = handed_to_url(url, asked.headers)
    identity = Identity.of_url(url, asked.headers)
    return _of_answer(served.answer, served.about(), identity, name or served.reached, secrets)


def _of_answer(
    answer: JsonObject, facts: JsonObject, identity: Identity, name: str, secrets: Handed
) -> Seen:
    """Return a server's answer as a source, with secrets that were passed to it masked."""
    about = {key: facts[key] for key in ("protocol", "server", "instructions")}
    tools = answer.get("tools")
    names = [tool.get("name") for tool in tools or () if isinstance(tool, dict)]
    secrets = secrets.sparing(name for name in names if isinstance(name, str))
    masked = secrets.masked([answer, about])
    if masked != [answer, about]:
        talk(f"warning: {safe(name, 60)} shows a secret that was passed to it; it is stored as ***")
    return Seen.of(masked[0], identity, name=name, about=masked[1])
