"""Sources of lock, verify and approve: the lockfile, and what it is compared with.

Sources are given as for every toolwatch command; without any, those of the lockfile are used. The
lockfile is a file like any other: starting or calling what it names needs consent.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from toolcanon.cli.fetch import asking
from toolcanon.cli.watch.sources import Asked, seen, watched_options
from toolcanon.drift.lockfile import Approval, Lock, LockedServer
from toolcanon.errors import BadLock, ServerFailed, UnusableConfig
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import JsonObject
from toolcanon.sources.client_configs import ServerEntry
from toolcanon.sources.consent import ensure_consent
from toolcanon.sources.mcp.child import working_folder
from toolcanon.sources.modules import names_module
from toolcanon.text.secrets import MASK
from toolcanon.watch.lockfiles import NAME
from toolcanon.watch.seen import Identity, Seen

F = TypeVar("F", bound=Callable[..., Any])
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
    def inside(*, sources: Asked, **others: Any) -> Any:
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
    asked: Asked, lock: Lock, path: str, failures: list[ServerFailed] | None = None
) -> list[LockedServer]:
    """Return the named sources as they are now, or else those of the lockfile.

    Servers that cannot be reached are added to ``failures``, if it is a list.
    """
    found = [one for own in _asked(asked, lock, path) for one in seen(own, failures)]
    return [as_locked(one, lock, path) for one in found]


def _asked(asked: Asked, lock: Lock, path: str) -> list[Asked]:
    return [asked] if asked or not lock.servers else _own(asked, lock, path)


def _own(asked: Asked, lock: Lock, path: str) -> list[Asked]:
    """Return how to ask the servers of a lockfile; all need consent before the first starts."""
    chosen = [name for name in sorted(lock.servers) if not asked.servers or name in asked.servers]
    missing = [name for name in asked.servers if name not in lock.servers]
    if missing:
        names = ", ".join(sorted(lock.servers)) or "none"
        raise UnusableConfig(path, f"no server is called {missing[0]!r}", f"it has {names}")
    return [_how(asked, lock.servers[name], path) for name in chosen]


def _how(asked: Asked, server: LockedServer, path: str) -> Asked:
    try:
        who = Identity.from_dict(server.identity)
    except ValueError as error:
        raise BadLock(path, f"the identity of {server.name!r} is wrong: {error}",
                      "lock the server again") from None  # fmt: skip
    plain = Asked(timeout=asked.timeout, limits=asked.limits, duplicate_keys=asked.duplicate_keys,
                  servers=(server.name,), only_data=True)  # fmt: skip
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
