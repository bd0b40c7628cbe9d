"""A lockfile as text: JSON that merges badly on purpose, and reads back whole or not at all.

Keys are sorted, a value stands on a line of its own, and hidden characters are escapes, so that a
reviewer sees what changed. Every tool is one block; the digest over everything is one line, on
which two edits always meet. Line ends, byte order marks and blanks may change on the way through
other programs; nothing else.
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
# Definitions stand a few levels deeper than in what they came from, and there are more of them.
LIMITS: Final = Limits(
    bytes=8 * DEFAULT_LIMITS.bytes, depth=DEFAULT_LIMITS.depth + 8, values=16_000_000
)
_CONFLICT: Final = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})", re.MULTILINE)
_RESTORE: Final = "take it from version control again"
_SEAL: Final = (
    "take each tool's block whole from one side, review the result, then run "
    "`toolwatch lock --seal`"
)
_DIGESTS: Final = Digests._fields
_SHOWN: Final = 80


def write_lock_text(lock: Lock) -> str:
    """The text of a lock: the same bytes for the same content, in whatever order it came."""
    document = {MARK: VERSION, "digest": lock.digest, **in_order(lock.body())}
    return safe_json(document) + "\n"


def read_lock_text(data: bytes | str, path: str = "tools.lock", *, sealed: bool = True) -> Lock:
    """A lock, once everything in it fits together. Raises BadLock.

    Digests are made again from the definitions. Without ``sealed`` the digest over the whole file
    is not asked for, which is how a merge by hand is taken back.
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
            self.refuse("the digest over the whole file is not that of its content, so it was "
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
            self.refuse(f"it is cut or damaged: {error}")
        except DuplicateKey as error:
            self.refuse(f"a merge left something twice: {error}", _SEAL)
        except InputError as error:
            self.refuse(f"it cannot be read: {error}")
        return self._object(value, "the file")

    def _check_version(self, document: JsonObject) -> None:
        version = document.get(MARK)
        if MARK not in document:
            self.refuse("it is no lockfile of toolcanon", "name another file")
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            self.refuse(f"{safe(repr(version), _SHOWN)} is no version of lockfiles")
        if version != VERSION:
            self.refuse(
                f"it is of version {version}, and only version {VERSION} is known here",
                "use a newer toolcanon",
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
        """What the digests say has to be what the definition says, in the name it stands under."""
        tool = locked.tool
        if tool is None or tool.id != locked.name:
            what = "none" if tool is None else f"one of {tool.id!r}"
            self.refuse(f"the definition of {where} is {what}", _SEAL)
        made = digests(tool)
        for kind in _DIGESTS:
            if getattr(made, kind) != getattr(locked.digests, kind):
                self.refuse(f"the {kind} digest of {where} is not that of its definition", _SEAL)

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
            self.refuse(f"{what} is {'missing' if value is None else 'no object'}")
        return value

    def _text(self, value: Json, what: str) -> str:
        if not isinstance(value, str):
            self.refuse(f"{what} is {'missing' if value is None else 'no text'}")
        return value

    def _check_keys(self, found: Mapping[str, Json], known: tuple[str, ...], where: str) -> None:
        for key in found:
            if key not in known:
                self.refuse(f"{where} has {key!r}, which nobody knows here")
