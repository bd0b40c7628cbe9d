"""Sources and lockfiles that ``toolwatch`` commands share as options.

A tool is stored by its source and its name. Files have the empty source, so that a file may move
and a newer version may have another name. A server on the command line has its command or address
without secrets, an entry of a client's file its name there. ``--server NAME`` names a source of the
command line.

Sources are given as for every toolwatch command; without any, those of the lockfile are used. The
lockfile is a file like any other: starting or calling what it names needs consent.
"""

from __future__ import annotations

import gc
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import click

from toolcanon.cli.check_run import from_file
from toolcanon.cli.fetch import agreed, asking
from toolcanon.cli.options import client_config_option, limit_options, talk, waiting
from toolcanon.cli.shared_options import server_options
from toolcanon.drift.lockfile import Approval, Lock, LockedServer
from toolcanon.errors import BadLock, ServerFailed, ToolcanonError, UnusableConfig
from toolcanon.jsonio import Limits, Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.sources.config_files import ServerEntry, ensure_consent, read_client_config
from toolcanon.sources.mcp.child import working_folder
from toolcanon.sources.modules import names_module, toolset_of
from toolcanon.text import safe
from toolcanon.text.secrets import MASK
from toolcanon.watch.lockfiles import NAME
from toolcanon.watch.observed_source import Handed, Identity, Seen, handed_to_command, handed_to_url

F = TypeVar("F", bound=Callable[..., Any])


class NamedSources(NamedTuple):
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
        asked = NamedSources(
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


def check_usage(asked: NamedSources) -> None:
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


def seen(asked: NamedSources, failures: list[ServerFailed] | None = None) -> list[Seen]:
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


def _asked(asked: NamedSources) -> Iterator[tuple[str, Callable[[], Seen]]]:
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


def _of_file(file: str, asked: NamedSources) -> Seen:
    if not asked.only_data and names_module(file):
        payload: Json = [tool.to_dict() for tool in toolset_of(file).tools]
    else:
        payload = document(file, asked)
    try:
        return Seen.of(payload, Identity(path=file))
    except ToolcanonError:
        talk(f"in {safe(file)}:")
        raise


def document(file: str, asked: NamedSources) -> Json:
    """Return what a file holds, within the limits; errors are reported with its name."""
    try:
        return from_file(file, asked.limits, asked.duplicate_keys).payload
    except ToolcanonError:
        talk(f"in {safe(file)}:")
        raise


def _together(asked: NamedSources, name: str) -> Seen:
    """Return files under one name as one source."""
    parts = [_of_file(file, asked) for file in asked.files]
    if len(parts) == 1:
        return Seen(name, parts[0].identity, parts[0].payload, parts[0].tools)
    payload: Json = [part.payload for part in parts]
    tools = [tool for part in parts for tool in part.tools]
    return Seen(name, Identity(paths=asked.files), payload, tools)


def _entries(asked: NamedSources) -> Iterator[ServerEntry]:
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


def _of_entry(asked: NamedSources, entry: ServerEntry) -> Seen:
    if entry.url:
        own = asked._replace(headers=entry.headers)
        return _of_url(own, entry.url, entry.name)
    own = asked._replace(env=entry.env, cwd=entry.cwd)
    return _of_command(own, entry.command, entry.name)


def _of_command(asked: NamedSources, command: tuple[str, ...], name: str) -> Seen:
    from toolcanon.sources.mcp import fetch_command  # noqa: PLC0415 - heavy

    served = fetch_command(
        command, env=asked.env, cwd=asked.cwd, timeout=asked.timeout, limits=asked.limits
    )
    secrets = handed_to_command(command, asked.env)
    identity = Identity.of_command(command, asked.env, asked.cwd)
    return _of_answer(served.answer, served.about(), identity, name or served.reached, secrets)


def _of_url(asked: NamedSources, url: str, name: str) -> Seen:
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


_STDIN: Final = "-"
_SECONDS: Final = 10
_VALUES: Final = "values for servers of the lock"


def lock_option(*names: str, default: str | None = NAME) -> Callable[[F], F]:
    """Return the option that names the lockfile."""
    return click.option(
        *names, "lock_file", metavar="FILE", default=default, help=f"The lockfile.  [{NAME}]"
    )


def approval_options(command: F) -> F:
    """Add ``--by`` and ``--reason``."""
    for option in (
        click.option(
            "--reason", default="", metavar="WHY", help="Reason, stored with the approval."
        ),
        click.option(
            "--by", metavar="WHO", help="Who approves; default: git's user.name and email."
        ),
    ):
        command = option(command)
    return command


def approval(by: str | None, reason: str) -> Approval:
    """Return an approval with the current time."""
    return Approval(by or _user(), datetime.now(UTC).isoformat(timespec="seconds"), reason)


def _user() -> str:
    """Return the user of git, or the name of the account."""
    found = [_git(f"user.{part}") for part in ("name", "email")]
    if any(found):
        name, email = found
        return f"{name} <{email}>" if name and email else name or email
    return os.environ.get("USER") or "unknown"


def _git(key: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the keys are constants
            ["git", "config", "--get", key],  # noqa: S607 - git is found by the PATH
            stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_SECONDS,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if not done.returncode else ""


def lockable_options(command: F) -> F:
    """Add ``watched_options``; without sources, ``--env`` and ``--header`` are for the lockfile."""

    @wraps(command)
    def inside(*, sources: NamedSources, **others: Any) -> Any:
        values = click.get_current_context().meta.get(_VALUES, {})
        return command(sources=sources._replace(**values), **others)

    inner: Any = watched_options(inside)

    @wraps(inner)
    def collected(**given: Any) -> Any:
        context = click.get_current_context()
        typed = (given["files"], given["url"], given["config"], context.meta.get("behind"))
        if not any(typed):
            context.meta[_VALUES] = {key: given[key] for key in ("env", "headers", "yes")}
            given = {**given, "env": {}, "headers": {}, "yes": ()}
        return inner(**given)

    made: Any = collected
    return made  # type: ignore[no-any-return]


def as_locked(source: Seen, lock: Lock, path: str) -> LockedServer:
    """Return a source as a lockfile at this path holds it."""
    identity = in_lock_words(source.identity.to_dict(), path)
    name = source.name or identity.get("path") or source.shown
    known = lock.find(name, LockedServer(name, identity).identity_digest)
    return LockedServer.of(name, identity, source.about, source.tools, known)


def in_lock_words(who: JsonObject, path: str) -> JsonObject:
    """Return an identity with its files and folders relative to the lockfile."""
    identity = dict(who)
    if "path" in identity:
        identity["path"] = _from_lock(identity["path"], path)
    if "paths" in identity:
        identity["paths"] = [_from_lock(file, path) for file in identity["paths"]]
    if "cwd" in identity:
        identity["cwd"] = _folder_from_lock(identity["cwd"], path)
    return identity


def _from_lock(file: str, path: str) -> str:
    """Return a file relative to the lockfile, so that it does not depend on the working folder."""
    if file == _STDIN or names_module(file) or not Path(file).exists():
        return file
    return _relative(Path(file), path)


def _folder_from_lock(cwd: str, path: str) -> str:
    """Return a folder relative to the lockfile; one from the root or home is unchanged."""
    if cwd.startswith("~"):
        return cwd
    folder = Path(working_folder(cwd))
    is_near = not Path(cwd).is_absolute() or folder.is_relative_to(Path(path).resolve().parent)
    return _relative(folder, path) if is_near else folder.as_posix()


def _relative(place: Path, path: str) -> str:
    return Path(os.path.relpath(place.resolve(), Path(path).resolve().parent)).as_posix()


def locked_or_typed(
    asked: NamedSources, lock: Lock, path: str, failures: list[ServerFailed] | None = None
) -> list[LockedServer]:
    """Return the named sources as they are now, or else those of the lockfile.

    Servers that cannot be reached are added to ``failures``, if it is a list.
    """
    found = [one for own in _locked_sources_of(asked, lock, path) for one in seen(own, failures)]
    return [as_locked(one, lock, path) for one in found]


def _locked_sources_of(asked: NamedSources, lock: Lock, path: str) -> list[NamedSources]:
    return [asked] if asked or not lock.servers else _own(asked, lock, path)


def _own(asked: NamedSources, lock: Lock, path: str) -> list[NamedSources]:
    """Return how to ask the servers of a lockfile; all need consent before the first starts."""
    chosen = [name for name in sorted(lock.servers) if not asked.servers or name in asked.servers]
    missing = [name for name in asked.servers if name not in lock.servers]
    if missing:
        names = ", ".join(sorted(lock.servers)) or "none"
        raise UnusableConfig(path, f"no server is called {missing[0]!r}", f"it has {names}")
    return [_how(asked, lock.servers[name], path) for name in chosen]


def _how(asked: NamedSources, server: LockedServer, path: str) -> NamedSources:
    try:
        who = Identity.from_dict(server.identity)
    except ValueError as error:
        raise BadLock(path, f"the identity of {server.name!r} is wrong: {error}",
                      "lock the server again") from None  # fmt: skip
    plain = NamedSources(
        timeout=asked.timeout,
        limits=asked.limits,
        duplicate_keys=asked.duplicate_keys,
        servers=(server.name,),
        only_data=True,
    )
    if who.transport == "file":
        files = who.paths or (who.path,)
        return plain._replace(files=tuple(_file(one, server.name, path) for one in files))
    if not (who.command if who.transport == "stdio" else who.url):
        raise BadLock(path, f"the identity of {server.name!r} does not state how to reach it",
                      "lock the server again")  # fmt: skip
    if any(MASK in word for word in (*who.command, who.url)):
        raise UnusableConfig(
            path, f"{server.name!r} needs a secret, which a lockfile does not hold",
            "name the server with --client-config, with --url or after --",
        )  # fmt: skip
    entry = ServerEntry(
        server.name,
        Pointer(("servers", server.name)),
        command=who.command,
        env=dict(_values(who.env, {**os.environ, **asked.env}, server.name, path, "--env")),
        cwd=_near(who.cwd, path) if who.cwd else None,
        url=who.url or None,
        headers=dict(_values(who.headers, _lower(asked.headers), server.name, path, "--header")),
    )
    ensure_consent(entry, yes=asked.yes, ask=asking(path, entry))
    if entry.url:
        return plain._replace(url=entry.url, headers=entry.headers)
    return plain._replace(behind=entry.command, env=entry.env, cwd=entry.cwd)


def _file(file: str, server: str, path: str) -> str:
    """Return a file of a source relative to the working folder. Modules are not imported."""
    if file == _STDIN:
        return file
    found = _near(file, path)
    if not file or names_module(file) or names_module(found):
        raise UnusableConfig(
            path, f"{server!r} is a Python module ({file}), which is not imported from a lockfile",
            "name the module on the command line",
        )  # fmt: skip
    return found


def _near(place: str, path: str) -> str:
    """Return what a lockfile names, relative to the working folder."""
    if place.startswith("~") or Path(place).is_absolute():
        return place
    return os.path.relpath(Path(path).resolve().parent / place)


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _values(
    names: Sequence[str], given: Mapping[str, str], server: str, path: str, option: str
) -> Iterator[tuple[str, str]]:
    for name in names:
        if name not in given:
            raise UnusableConfig(path, f"{server!r} needs {name}, whose value a lockfile does not "
                                 "hold", f"pass it with {option}")  # fmt: skip
        yield name, given[name]
