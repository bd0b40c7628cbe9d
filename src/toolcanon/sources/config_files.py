"""Configuration files of projects and MCP clients, and the consent that their servers need.

Clients agree on little: the table is called ``mcpServers``, ``servers``, ``context_servers`` or
``mcp_servers``, at the top or under ``mcp``, in JSON with comments or in TOML. An entry has a
command or an address. Values of variables and headers are secret, so an entry's repr omits them.

Consent covers the command line, the names in its environment and its folder, or the address and the
names of its headers. Only a digest of it is stored, one a line, in a file that only the user can
read. The digest is slow to compute, so that a weak secret in a command cannot be guessed from it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import stat
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolcanon.errors import (
    BadConfig,
    CannotWrite,
    ConsentNeeded,
    LimitExceeded,
    MalformedJson,
    MissingFile,
    UntrustedState,
    UnusableConfig,
    nearest,
)
from toolcanon.jsonio import DEFAULT_LIMITS, Pointer, canonical_bytes, loads
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.naming.profiles import Profile
from toolcanon.sources.mcp.child import working_folder
from toolcanon.text import safe
from toolcanon.text.secrets import mask_command, mask_text, mask_url

if TYPE_CHECKING:
    from toolcanon.config import Config

_LARGEST_CONFIG: Final = 4 * 1024 * 1024  # one well-known client keeps its history in the same file
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_LAST_COMMA = re.compile(rf"({_STRING})|,(?=\s*+[\]}}])", re.DOTALL)
_PLACEHOLDER = re.compile(r"\$\{[^}]*\}")

_TABLES: Final = (
    ("mcpServers",),
    ("servers",),
    ("context_servers",),
    ("mcp_servers",),
    ("mcp", "servers"),
    ("mcp", "mcpServers"),
    ("mcp.servers",),
    ("amp.mcpServers",),
)
_URLS: Final = ("url", "serverUrl", "httpUrl", "uri", "endpoint")
_HEADERS: Final = ("headers", "http_headers", "httpHeaders")
_ENVS: Final = ("env", "environment")
_FOLDERS: Final = ("cwd", "workingDirectory", "working_directory")


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """One server of a client's file."""

    name: str
    at: Pointer
    command: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | None = None
    url: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    is_disabled: bool = False
    trouble: str = ""
    """Why the entry cannot be started, if it is malformed."""

    @property
    def shown(self) -> str:
        """Return the command or the address, without secrets."""
        return mask_url(self.url) if self.url else shlex.join(mask_command(self.command))

    def with_values(self, env: Mapping[str, str], headers: Mapping[str, str]) -> ServerEntry:
        """Return the entry with the user's own values in place of those in the file."""
        return replace(self, env={**self.env, **env}, headers={**self.headers, **headers})

    def placeholder(self) -> tuple[str, str] | None:
        """Return the place and text of a placeholder that only the client can fill in, or None."""
        places = [("its command", word) for word in (*self.command, self.cwd or "", self.url or "")]
        places += [(f"the variable {name}", value) for name, value in self.env.items()]
        places += [(f"the header {name}", value) for name, value in self.headers.items()]
        for place, value in places:
            if found := _PLACEHOLDER.search(value):
                return place, found[0]
        return None


def read_client_config(path: str) -> list[ServerEntry]:
    """Return every server of a file, in its order. Nothing is started, expanded or looked up.

    Raises MissingFile, MalformedJson and other errors of JSON, and UnusableConfig without a table.
    """
    document = _document(path)
    tables = list(_tables(document))
    if not tables:
        raise UnusableConfig(path, "it names no servers", "pass a client's configuration file")
    return [entry for at, table in tables for entry in _entries(at, table)]


def choose_server(path: str, entries: Sequence[ServerEntry], name: str | None) -> ServerEntry:
    """Return the entry of this name, or the only enabled one. Raises UnusableConfig."""
    wanted = [entry for entry in entries if (entry.name == name if name else not entry.is_disabled)]
    names = sorted({entry.name for entry in entries})
    if not wanted:
        near = nearest(name or "", names)
        advice = f"did you mean {near!r}?" if near else f"known: {', '.join(names) or 'none'}"
        what = f"no server is called {name!r}" if name else "no server is enabled"
        raise UnusableConfig(path, what, advice)
    if len(wanted) > 1:
        places = ", ".join(f"{entry.name!r} at {entry.at}" for entry in wanted)
        what = f"several servers are called {name!r}" if name else "it names several servers"
        raise UnusableConfig(path, f"{what}: {places}", "choose one with --server NAME")
    entry = wanted[0]
    if entry.trouble:
        raise UnusableConfig(path, f"{entry.name!r} {entry.trouble}", f"correct {entry.at}")
    return entry


def _document(path: str) -> Json:
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(_LARGEST_CONFIG + 1)
    except OSError as error:
        raise MissingFile(path, (error.strerror or str(error)).lower()) from None
    if len(data) > _LARGEST_CONFIG:
        raise LimitExceeded("bytes", _LARGEST_CONFIG)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return loads(data).value  # raises the error of the original text
    return _toml(text) if path.lower().endswith(".toml") else loads(_plain(text)).value


def _toml(text: str) -> Json:
    import tomllib  # noqa: PLC0415 - only one client uses TOML

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MalformedJson(f"as TOML, {str(error).lower()}") from None
    except RecursionError:
        raise LimitExceeded("depth", DEFAULT_LIMITS.depth) from None


def _plain(text: str) -> str:
    """Return JSON without comments and trailing commas, replaced by blanks to keep positions."""
    bare = _COMMENT.sub(lambda m: m[1] or re.sub(r"[^\n]", " ", m[0]), text)
    return _LAST_COMMA.sub(lambda m: m[1] or " ", bare)


def _tables(document: Json) -> Iterator[tuple[Pointer, JsonObject]]:
    yield from _tables_at(Pointer(), document)
    projects = document.get("projects") if isinstance(document, dict) else None
    if isinstance(projects, dict):
        for folder, project in projects.items():
            yield from _tables_at(Pointer() / "projects" / folder, project)


def _tables_at(at: Pointer, document: Json) -> Iterator[tuple[Pointer, JsonObject]]:
    for keys in _TABLES:
        place, table = at, document
        for key in keys:
            place, table = place / key, table.get(key) if isinstance(table, dict) else None
        if isinstance(table, list):  # in some clients each entry has its name
            named = [item for item in table if isinstance(item, dict)]
            table = {str(item.get("name", number)): item for number, item in enumerate(named)}
        if isinstance(table, dict):
            yield place, table
    own = document.get("mcp") if isinstance(document, dict) else None
    if isinstance(own, dict) and own.keys().isdisjoint(("servers", "mcpServers")):
        yield at / "mcp", {name: item for name, item in own.items() if _is_entry(item)}


def _is_entry(item: Json) -> bool:
    return isinstance(item, dict) and ("command" in item or any(key in item for key in _URLS))


def _entries(at: Pointer, table: JsonObject) -> Iterator[ServerEntry]:
    for name, item in table.items():
        place = at / name
        if not isinstance(item, dict):
            yield ServerEntry(name, place, trouble="is not an object")
            continue
        try:
            yield _entry(name, place, item)
        except _Malformed as error:
            yield ServerEntry(name, place, trouble=str(error))


class _Malformed(Exception):
    """An entry does not have the form that clients write."""


def _entry(name: str, at: Pointer, item: JsonObject) -> ServerEntry:
    nested = item.get("command")
    if isinstance(nested, dict):  # {"command": {"path": …, "args": […], "env": {…}}}
        item = {**item, **nested, "command": nested.get("path")}
    request = item.get("requestInit")
    if isinstance(request, dict):
        item = {**request, **item}
    command, url = _command(item), _text(item, _URLS)
    if not command and not url:
        raise _Malformed("has neither a command nor an address")
    return ServerEntry(
        name,
        at,
        command=command,
        env=_texts(item, _ENVS),
        cwd=_text(item, _FOLDERS),
        url=None if command else url,
        headers=_texts(item, _HEADERS),
        is_disabled=item.get("disabled") is True or item.get("enabled") is False,
    )


def _command(item: JsonObject) -> tuple[str, ...]:
    first, rest = item.get("command"), item.get("args")
    if first is None:
        return ()
    words = [*(first if isinstance(first, list) else [first]), *(rest or ())]
    if not words or not all(isinstance(word, str) for word in words) or not words[0]:
        raise _Malformed("has a command or arguments that are not strings")
    return tuple(words)


def _text(item: JsonObject, keys: Sequence[str]) -> str | None:
    for key in keys:
        value = item.get(key)
        if value is None:
            continue
        if not isinstance(value, str):
            raise _Malformed(f"has a {key} that is not a string")
        return value
    return None


def _texts(item: JsonObject, keys: Sequence[str]) -> Mapping[str, str]:
    for key in keys:
        table = item.get(key)
        if table is None:
            continue
        if not isinstance(table, dict) or not all(isinstance(v, str) for v in table.values()):
            raise _Malformed(f"has an {key} that is not an object of strings")
        return dict(table)
    return {}


OWN: Final = "toolcanon.toml"
_SHARED: Final = "pyproject.toml"


def find_config() -> Config:
    """Return the settings of this folder, or of the nearest folder above that has any."""
    from toolcanon.config import Config  # noqa: PLC0415 - it knows every rule

    folder = Path.cwd()
    for here in (folder, *folder.parents):
        own, shared = here / OWN, here / _SHARED
        if own.is_file():
            return read_config(str(own))
        if shared.is_file() and (table := _tool_table(_load(shared))) is not None:
            return Config.of(table, str(shared))
    return Config()


def read_config(path: str) -> Config:
    """Return the settings in one file."""
    from toolcanon.config import Config  # noqa: PLC0415 - it knows every rule

    found = Path(path)
    if not found.is_file():
        raise MissingFile(path, "there is no such file")
    table = _load(found)
    if found.name == _SHARED:
        table = _tool_table(table) or {}
    return Config.of(table, path)


def read_profile(path: str) -> Profile:
    """Read a naming profile from a file of its own, with the keys of ``[naming.NAME]``."""
    found = Path(path)
    if not found.is_file():
        raise MissingFile(path, "there is no such file")
    return Profile.of(found.stem, _load(found), path)


def _tool_table(document: dict[str, Any]) -> dict[str, Any] | None:
    tools = document.get("tool")
    found = tools.get("toolcanon") if isinstance(tools, dict) else None
    return found if isinstance(found, dict) else None


def _load(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadConfig(str(path), "", str(error)) from None
    except OSError as error:
        raise MissingFile(str(path), (error.strerror or str(error)).lower()) from None


HOME: Final = "TOOLCANON_HOME"
FILE: Final = "consents"
_TAG: Final = "tc1:scrypt:"
_LARGEST_CONSENT: Final = 1024 * 1024
_BLANKS = re.compile(r" {9,}")
# Variables by which a harmless command can load other code: consent includes their values.
_STEERING = re.compile(
    r"(?:LD|DYLD)_\w+|PATH|(?:PYTHON|NODE_|RUBY|PERL5|JAVA_TOOL_|_JAVA_|BASH_|NPM_CONFIG_|UV_|PIP_)"
    r"\w*|ENV|IFS|SHELL|GIT_SSH\w*|EDITOR|PAGER",
    re.IGNORECASE,
)


def ensure_consent(
    entry: ServerEntry,
    *,
    yes: Collection[str] = (),
    ask: Callable[[Sequence[str]], bool] | None = None,
) -> None:
    """Return when the entry has consent; raise ConsentNeeded otherwise.

    ``yes`` holds digests or names with consent for this run. ``ask`` shows lines to the user and
    returns the answer, which is stored when it is yes; None means that no user can be asked.
    """
    digest = consent_digest(entry)
    if digest in yes or entry.name in yes or digest in _stored():
        return
    lines = consent_lines(entry)
    if ask is None or not ask((*lines, f"digest: {digest}")):
        raise ConsentNeeded(entry.name, ", ".join(lines), digest)
    _store(digest)


def consent_digest(entry: ServerEntry) -> str:
    """Return the digest of exactly this command and folder, or address; the same on any machine."""
    steering = {name: value for name, value in entry.env.items() if _STEERING.fullmatch(name)}
    agreed = {
        "command": list(entry.command),
        "environment": sorted(entry.env),
        "folder": working_folder(entry.cwd) if entry.command else None,
        "headers": sorted(entry.headers),
        "steering": steering,
        "url": entry.url,
    }
    known = hashlib.scrypt(
        canonical_bytes(agreed), salt=b"toolcanon consent", n=2**14, r=8, p=1, dklen=32
    )
    return _TAG + known.hex()


def consent_lines(entry: ServerEntry) -> list[str]:
    """Return the entry in full as text: not truncated, escaped for a terminal, without secrets."""
    if entry.url:
        lines = [f"address: {mask_url(entry.url)}"]
        if entry.headers:
            lines.append(f"headers: {', '.join(sorted(entry.headers))} (values hidden)")
    else:
        lines = [
            f"command: {shlex.join(mask_command(entry.command))}",
            f"folder: {working_folder(entry.cwd)}",
        ]
        if entry.env:
            names = (_variable(name, entry.env[name]) for name in sorted(entry.env))
            lines.append(f"environment: {', '.join(names)}")
    return [_BLANKS.sub(lambda run: f"[{len(run[0]):,} blanks]", safe(line)) for line in lines]


def _variable(name: str, value: str) -> str:
    if _STEERING.fullmatch(name):
        return f"{name}={shlex.quote(mask_text(value))}"
    return f"{name} (value hidden)"


def state_folder() -> Path:
    """Return the folder of stored state."""
    given = os.environ.get(HOME)
    return Path(given) if given else Path.home() / ".toolcanon"


def _stored() -> frozenset[str]:
    path = state_folder() / FILE
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return frozenset()
    except OSError as error:
        raise UntrustedState(str(path), (error.strerror or str(error)).lower()) from None
    try:
        _check_owner(path, os.fstat(descriptor))
        text = os.read(descriptor, _LARGEST_CONSENT).decode("utf-8", "replace")
    finally:
        os.close(descriptor)
    return frozenset(line for line in text.split("\n") if line.startswith(_TAG))


def _check_owner(path: Path, found: os.stat_result) -> None:
    """Raise UntrustedState for a file that other users could have written."""
    if not stat.S_ISREG(found.st_mode):
        raise UntrustedState(str(path), "it is not a regular file")
    if found.st_uid != os.getuid():
        raise UntrustedState(str(path), "it belongs to another user")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UntrustedState(str(path), "other users may write to it")


def _store(digest: str) -> None:
    """Append a digest. A partly written line matches no digest, so that entry is asked again."""
    path = state_folder() / FILE
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, flags, 0o600)
        try:
            os.write(descriptor, f"\n{digest}\n".encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise CannotWrite(str(path), (error.strerror or str(error)).lower()) from None
