"""Read the files in which MCP clients name their servers; nothing is started or called.

Clients agree on little: the table is called ``mcpServers``, ``servers``, ``context_servers`` or
``mcp_servers``, at the top or under ``mcp``, in JSON with comments or in TOML. An entry has a
command or an address. Values of variables and headers are secret, so an entry's repr omits them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from toolcanon.errors import LimitExceeded, MalformedJson, MissingFile, UnusableConfig, nearest
from toolcanon.jsonio import DEFAULT_LIMITS, Pointer, loads
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.text.secrets import mask_command, mask_url

_MOST: Final = 4 * 1024 * 1024  # one well-known client keeps its history in the same file
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
            data = stream.read(_MOST + 1)
    except OSError as error:
        raise MissingFile(path, (error.strerror or str(error)).lower()) from None
    if len(data) > _MOST:
        raise LimitExceeded("bytes", _MOST)
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
