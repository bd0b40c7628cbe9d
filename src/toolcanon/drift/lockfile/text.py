"""A lockfile as text: JSON in which concurrent edits conflict, read completely or not at all.

Keys are sorted, each value is on its own line, and hidden characters are escaped, so that a
reviewer sees what changed. Every tool is one block; the digest of everything is one line, where
two edits always conflict. Other programs may change line ends, byte order marks and blanks;
nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, NoReturn

from toolcanon.drift.digests import Digests, digests
from toolcanon.drift.lockfile.model import (
    VERSION,
    About,
    Approval,
    Lock,
    LockedServer,
    LockedTool,
    in_order,
)
from toolcanon.errors import BadLock, DuplicateKey, InputError, MalformedJson
from toolcanon.jsonio import DEFAULT_LIMITS, Limits, loads
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.text import safe, safe_json

MARK: Final = "toolcanon-lock"
# Definitions are a few levels deeper than in their source, and there are more of them.
LIMITS: Final = Limits(
    bytes=8 * DEFAULT_LIMITS.bytes, depth=DEFAULT_LIMITS.depth + 8, values=16_000_000
)
_CONFLICT: Final = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})", re.MULTILINE)
_RESTORE: Final = "restore it from version control"
_SEAL: Final = (
    "take each tool's block unchanged from one side, review the result, then run "
    "`toolwatch lock --seal`"
)
_DIGESTS: Final = Digests._fields
_SHOWN: Final = 80


def write_lock_text(lock: Lock) -> str:
    """Return the text of a lock: the same bytes for the same content, in any order."""
    document = {MARK: VERSION, "digest": lock.digest, **in_order(lock.body())}
    return safe_json(document) + "\n"


def read_lock_text(data: bytes | str, path: str = "tools.lock", *, sealed: bool = True) -> Lock:
    """Return a lock whose parts are consistent. Raises BadLock.

    Digests are computed again from the definitions. Without ``sealed`` the digest of the whole file
    is not checked, as for a file that was merged by hand.
    """
    return _Reader(path).lock(data, sealed=sealed)


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path

    def refuse(self, reason: str, advice: str = _RESTORE) -> NoReturn:
        raise BadLock(self.path, reason, advice)

    def lock(self, data: bytes | str, *, sealed: bool) -> Lock:
        document = self._document(data)
        self._check_version(document)
        servers = self._object(document.get("servers"), "servers")
        self._check_keys(document, (MARK, "digest", "servers"), "the file")
        found = {name: self._server(name, entry) for name, entry in servers.items()}
        lock = Lock(found)
        if sealed and document.get("digest") != lock.digest:
            self.refuse("the digest of the whole file does not match its content, so it was "
                       "edited by hand or merged", _SEAL)  # fmt: skip
        return lock

    def _document(self, data: bytes | str) -> JsonObject:
        raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        if not raw.removeprefix(b"\xef\xbb\xbf").strip():
            self.refuse("it is empty")
        try:
            value = loads(raw, LIMITS).value
        except MalformedJson as error:
            text = raw.decode("utf-8", "replace").replace("\r\n", "\n")
            if found := _CONFLICT.search(text):
                line = text.count("\n", 0, found.start()) + 1
                self.refuse(f"a conflict is unresolved at line {line}", _SEAL)
            self.refuse(f"it is truncated or damaged: {error}")
        except DuplicateKey as error:
            self.refuse(f"a merge duplicated a key: {error}", _SEAL)
        except InputError as error:
            self.refuse(f"it cannot be read: {error}")
        return self._object(value, "the file")

    def _check_version(self, document: JsonObject) -> None:
        version = document.get(MARK)
        if MARK not in document:
            self.refuse("it is not a lockfile of toolcanon", "name another file")
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            self.refuse(f"{safe(repr(version), _SHOWN)} is not a lockfile version")
        if version != VERSION:
            self.refuse(
                f"it has version {version}, and this release reads only version {VERSION}",
                "install a newer toolcanon",
            )

    def _server(self, name: str, entry: Json) -> LockedServer:
        where = f"the server {name!r}"
        found = self._object(entry, where)
        self._check_keys(found, ("identity", "server", "protocol", "instructions", "tools"), where)
        said = self._object(found.get("server", {}), f"server of {where}")
        self._check_keys(said, ("name", "version"), f"server of {where}")
        about = About(
            self._text(said.get("name", ""), f"name of {where}"),
            self._text(said.get("version", ""), f"version of {where}"),
            self._text(found.get("protocol", ""), f"protocol of {where}"),
            self._text(found.get("instructions", ""), f"instructions of {where}")
            if "instructions" in found
            else None,
        )
        tools = self._object(found.get("tools"), f"tools of {where}")
        locked = {tool: self._tool(tool, item, where) for tool, item in tools.items()}
        return LockedServer(name, self._object(found.get("identity"), f"identity of {where}"),
                            about, locked)  # fmt: skip

    def _tool(self, name: str, entry: Json, server: str) -> LockedTool:
        where = f"the tool {name!r} of {server}"
        found = self._object(entry, where)
        self._check_keys(found, ("approved", "definition", "digests", "format"), where)
        said = self._object(found.get("digests"), f"digests of {where}")
        self._check_keys(said, _DIGESTS, f"digests of {where}")
        locked = LockedTool(
            name,
            self._text(found.get("format"), f"format of {where}"),
            self._object(found.get("definition"), f"definition of {where}"),
            Digests(*(self._text(said.get(kind), f"{kind} of {where}") for kind in _DIGESTS)),
        )
        self._check_digests(locked, where)
        return replace(locked, approved=self._approval(found.get("approved"), locked, where))

    def _check_digests(self, locked: LockedTool, where: str) -> None:
        """Check that digests and name match the definition."""
        tool = locked.tool
        if tool is None or tool.id != locked.name:
            what = "not a tool" if tool is None else f"one of {tool.id!r}"
            self.refuse(f"the definition of {where} is {what}", _SEAL)
        made = digests(tool)
        for kind in _DIGESTS:
            if getattr(made, kind) != getattr(locked.digests, kind):
                self.refuse(f"the {kind} digest of {where} does not match its definition", _SEAL)

    def _approval(self, entry: Json, locked: LockedTool, where: str) -> Approval | None:
        if entry is None:
            return None
        found = self._object(entry, f"approved of {where}")
        self._check_keys(found, ("at", "by", "digest", "reason"), f"approved of {where}")
        at, by, agreed, reason = (
            self._text(found.get(key), f"{key} of the approval of {where}")
            for key in ("at", "by", "digest", "reason")
        )
        if agreed != locked.exact:
            self.refuse(f"the approval of {where} is for another definition", _SEAL)
        return Approval(by, at, reason)

    def _object(self, value: Json, what: str) -> JsonObject:
        if not isinstance(value, dict):
            self.refuse(f"{what} is {'missing' if value is None else 'not an object'}")
        return value

    def _text(self, value: Json, what: str) -> str:
        if not isinstance(value, str):
            self.refuse(f"{what} is {'missing' if value is None else 'not a string'}")
        return value

    def _check_keys(self, found: Mapping[str, Json], known: tuple[str, ...], where: str) -> None:
        for key in found:
            if key not in known:
                self.refuse(f"{where} has the unknown key {key!r}")
