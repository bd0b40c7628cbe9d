"""The contents of a lockfile: servers by nickname, and the reviewed tools of each.

Everything here is a value; nothing reads a clock, a file or the environment.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from toolcanon.conversion.reader import read_payload
from toolcanon.drift.digests import Digests, digests
from toolcanon.drift.fingerprint import definition_of
from toolcanon.drift.pair import Pair
from toolcanon.errors import ToolcanonError
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import digest
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.normal.terms import alike

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
        if found is None or found.id != tool.id or Pair(tool, found).differs:
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
