"""A lockfile: servers, their reviewed tools, and its text.

Everything here is a value; nothing reads a clock, a file or the environment.

Keys are sorted, each value is on its own line, and hidden characters are escaped, so that a
reviewer sees what changed. Every tool is one block; the digest of everything is one line, where
two edits always conflict. Other programs may change line ends, byte order marks and blanks;
nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NoReturn

from toolcanon.conversion.read import read_payload
from toolcanon.drift.fingerprint import Digests, definition_of, digests
from toolcanon.drift.pair import ToolPair
from toolcanon.errors import BadLock, DuplicateKey, InputError, MalformedJson, ToolcanonError
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import DEFAULT_LIMITS, Limits, digest, loads
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.normal.terms import alike
from toolcanon.text import safe, safe_json

VERSION: Final = 1
_CANONICAL: Final = "canonical"


@dataclass(frozen=True, slots=True)
class Approval:
    """Who approved a tool, when, and why."""

    by: str
    at: str
    """A date, or a time with its offset."""
    reason: str = ""

    def to_dict(self, exact: str) -> JsonObject:
        """Return JSON with the digest of the approved tool: a merge may mix two blocks."""
        return {"at": self.at, "by": self.by, "digest": exact, "reason": self.reason}


@dataclass(frozen=True)
class LockedTool:
    """One tool as it was reviewed, or as it was first locked."""

    name: str
    format: str
    """The format to read the definition in: alone it may look like another one's."""
    definition: JsonObject
    digests: Digests
    approved: Approval | None = None

    @classmethod
    def of(cls, tool: CanonicalTool, known: LockedTool | None = None) -> LockedTool:
        """Return a tool for the lock; unchanged ones are taken from ``known``."""
        definition, origin = definition_of(tool), str(tool.source_format)
        if known is not None and known.format == origin and alike(known.definition, definition):
            return replace(known, approved=None)
        return cls._made(tool, origin, definition) or cls._canonical(tool)

    @classmethod
    def _made(cls, tool: CanonicalTool, origin: str, definition: JsonObject) -> LockedTool | None:
        """Return a tool with its source definition, if that is complete; None otherwise."""
        definition = in_order(definition)
        found = _read(definition, origin)
        if found is None or found.id != tool.id or ToolPair(tool, found).differs:
            return None
        return cls(tool.id, origin, definition, digests(found))

    @classmethod
    def _canonical(cls, tool: CanonicalTool) -> LockedTool:
        """Return a tool as a canonical document: its source depended on what was around it."""
        document = in_order(tool.to_dict())
        found = _read(document, _CANONICAL)
        return cls(tool.id, _CANONICAL, document, digests(found or tool))

    @cached_property
    def tool(self) -> CanonicalTool | None:
        """Return the tool that the definition describes; None when it describes none."""
        return _read(self.definition, self.format)

    @property
    def exact(self) -> str:
        return self.digests.exact

    def to_dict(self) -> JsonObject:
        return {
            "approved": None if self.approved is None else self.approved.to_dict(self.exact),
            "definition": self.definition,
            "digests": self.digests._asdict(),
            "format": self.format,
        }


def in_order(value: Json) -> Json:
    """Return a copy with the keys of every object sorted, as the file has them."""
    if isinstance(value, dict):
        out = {}
        for key in sorted(value):  # a plain loop needs half the stack frames for each level
            out[key] = in_order(value[key])
        return out
    if isinstance(value, (list, tuple)):
        items = []
        for item in value:
            items.append(in_order(item))  # noqa: PERF401 - see above
        return items
    return value


def _read(definition: Json, origin: str) -> CanonicalTool | None:
    try:
        found = read_payload(definition, origin)[0]
    except ToolcanonError:
        return None
    return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class About:
    """The information that a server gives about itself."""

    name: str = ""
    version: str = ""
    protocol: str = ""
    instructions: str | None = None

    @classmethod
    def of(cls, said: Mapping[str, Json]) -> About:
        """Return it from ``protocol``, ``server`` and ``instructions``, as far as present."""
        server = said.get("server")
        server = server if isinstance(server, dict) else {}
        instructions = said.get("instructions")
        return cls(
            str(server.get("name") or ""),
            str(server.get("version") or ""),
            str(said.get("protocol") or ""),
            instructions if isinstance(instructions, str) else None,
        )

    def to_dict(self) -> JsonObject:
        """Return plain JSON without empty fields."""
        out: JsonObject = {"server": {"name": self.name, "version": self.version}}
        if not self.name and not self.version:
            out = {}
        if self.protocol:
            out["protocol"] = self.protocol
        if self.instructions is not None:
            out["instructions"] = self.instructions
        return out


@dataclass(frozen=True)
class LockedServer:
    """One source of tools: its identity, its information, and its tools."""

    name: str
    identity: JsonObject
    """How it is started or reached, without secrets, as the watch reports it; only compared."""
    about: About = About()
    tools: Mapping[str, LockedTool] = field(default_factory=dict)
    repeated: tuple[str, ...] = ()
    """Names that more than one of its tools has now; only the first is compared."""

    @classmethod
    def of(
        cls,
        name: str,
        identity: JsonObject,
        about: Mapping[str, Json],
        tools: Iterable[CanonicalTool],
        known: LockedServer | None = None,
    ) -> LockedServer:
        """Return the present state of a source; unchanged tools are taken from ``known``."""
        locked: Mapping[str, LockedTool] = {} if known is None else known.tools
        found: dict[str, LockedTool] = {}
        repeated: dict[str, None] = {}
        for tool in tools:
            if tool.id in found:
                repeated[tool.id] = None
            else:
                found[tool.id] = LockedTool.of(tool, locked.get(tool.id))
        return cls(name, identity, About.of(about), found, tuple(repeated))

    @property
    def unreviewed(self) -> tuple[str, ...]:
        """Tools without an approval, sorted by name."""
        return tuple(sorted(name for name, tool in self.tools.items() if tool.approved is None))

    @property
    def identity_digest(self) -> str:
        return digest(["toolcanon", "identity", 1, self.identity])

    def canonical_tools(self) -> list[CanonicalTool]:
        """Return the tools as canonical tools, sorted by name."""
        found = (self.tools[name].tool for name in sorted(self.tools))
        return [tool for tool in found if tool is not None]

    def to_dict(self) -> JsonObject:
        tools = {name: tool.to_dict() for name, tool in self.tools.items()}
        return {"identity": self.identity, **self.about.to_dict(), "tools": tools}


@dataclass(frozen=True)
class Lock:
    """A whole lockfile."""

    servers: Mapping[str, LockedServer] = field(default_factory=dict)

    def with_server(self, server: LockedServer, *, instead_of: str | None = None) -> Lock:
        """Return a lock with one server replaced; ``instead_of`` is its former name."""
        kept = {name: old for name, old in self.servers.items() if name != instead_of}
        return Lock({**kept, server.name: server})

    def without(self, name: str) -> Lock:
        return Lock({other: kept for other, kept in self.servers.items() if other != name})

    def find(
        self, name: str, identity_digest: str, taken: Collection[str] = ()
    ) -> LockedServer | None:
        """Return the server with this nickname, or else the only one with the same identity.

        Nicknames in ``taken`` belong to other servers.
        """
        if name in self.servers:
            return self.servers[name]
        same = [
            one
            for one in self.servers.values()
            if one.name not in taken and one.identity_digest == identity_digest
        ]
        return same[0] if len(same) == 1 else None

    def matched(self, seen: Sequence[LockedServer]) -> list[LockedServer | None]:
        """Return the locked server for each present server, each at most once."""
        taken = {one.name for one in seen}
        found = []
        for one in seen:
            known = self.find(one.name, one.identity_digest, taken)
            found.append(known)
            taken |= set() if known is None else {known.name}
        return found

    def count(self) -> tuple[int, int, int]:
        """Return the numbers of servers, of tools, and of unreviewed tools."""
        servers = self.servers.values()
        tools = sum(len(server.tools) for server in servers)
        return len(servers), tools, sum(len(server.unreviewed) for server in servers)

    def body(self) -> JsonObject:
        """Return everything but the version and the digest of the file."""
        return {"servers": {name: server.to_dict() for name, server in self.servers.items()}}

    @cached_property
    def digest(self) -> str:
        """The digest of the whole file, which changes if a merge mixes or loses a block."""
        return digest(["toolcanon", "lock", VERSION, self.body()])


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
