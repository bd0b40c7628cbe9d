"""What a lockfile holds: servers by nickname, and the tools of each as they were reviewed.

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
    """Who agreed to a tool as it stands, when, and why."""

    by: str
    at: str
    """A date, or a time with its offset."""
    reason: str = ""

    def to_dict(self, exact: str) -> JsonObject:
        """With the digest of what was agreed to: a merge may put two halves of a block together."""
        return {"at": self.at, "by": self.by, "digest": exact, "reason": self.reason}


@dataclass(frozen=True)
class LockedTool:
    """One tool as it was reviewed, or as it was when nobody had reviewed it yet."""

    name: str
    format: str
    """How the definition is to be read: alone it may look like another format's."""
    definition: JsonObject
    digests: Digests
    approved: Approval | None = None

    @classmethod
    def of(cls, tool: CanonicalTool, known: LockedTool | None = None) -> LockedTool:
        """A tool as it is now; one that is as ``known`` costs next to nothing."""
        definition, origin = definition_of(tool), str(tool.source_format)
        if known is not None and known.format == origin and alike(known.definition, definition):
            return replace(known, approved=None)
        return cls._made(tool, origin, definition) or cls._canonical(tool)

    @classmethod
    def _made(cls, tool: CanonicalTool, origin: str, definition: JsonObject) -> LockedTool | None:
        """With the definition as it came, if that says all there is to say, in any order."""
        definition = in_order(definition)
        found = _read(definition, origin)
        if found is None or found.id != tool.id or Pair(tool, found).differs:
            return None
        return cls(tool.id, origin, definition, digests(found))

    @classmethod
    def _canonical(cls, tool: CanonicalTool) -> LockedTool:
        """As a document of ours: what came had its name, or more, from what stood around it."""
        document = in_order(tool.to_dict())
        found = _read(document, _CANONICAL)
        return cls(tool.id, _CANONICAL, document, digests(found or tool))

    @cached_property
    def tool(self) -> CanonicalTool | None:
        """The definition as it is read; None when nothing in it is a tool."""
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
    """A copy with the keys of every object sorted, as the text has them."""
    if isinstance(value, dict):
        out = {}
        for key in sorted(value):  # a plain loop: half the frames for each level
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
    """What a server says of itself."""

    name: str = ""
    version: str = ""
    protocol: str = ""
    instructions: str | None = None

    @classmethod
    def of(cls, said: Mapping[str, Json]) -> About:
        """From ``protocol``, ``server`` and ``instructions``, as far as they are there."""
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
        """Plain JSON; what says nothing is left out."""
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
    """One source of tools: who it is, what it says of itself, and its tools."""

    name: str
    identity: JsonObject
    """How it is started or reached, without secrets: as the watch tells it, and only compared."""
    about: About = About()
    tools: Mapping[str, LockedTool] = field(default_factory=dict)
    repeated: tuple[str, ...] = ()
    """Names that more than one of its tools has now; of those the first is looked at."""

    @classmethod
    def of(
        cls,
        name: str,
        identity: JsonObject,
        about: Mapping[str, Json],
        tools: Iterable[CanonicalTool],
        known: LockedServer | None = None,
    ) -> LockedServer:
        """A source as it is now; ``known`` spares looking twice at what did not change."""
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
        """Tools that nobody has approved, in the order of their names."""
        return tuple(sorted(name for name, tool in self.tools.items() if tool.approved is None))

    @property
    def identity_digest(self) -> str:
        return digest(["toolcanon", "identity", 1, self.identity])

    def canonical_tools(self) -> list[CanonicalTool]:
        """The tools as they are read, in the order of their names."""
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
        """The same with one server set; ``instead_of`` is the name it went by."""
        kept = {name: old for name, old in self.servers.items() if name != instead_of}
        return Lock({**kept, server.name: server})

    def without(self, name: str) -> Lock:
        return Lock({other: kept for other, kept in self.servers.items() if other != name})

    def find(
        self, name: str, identity_digest: str, taken: Collection[str] = ()
    ) -> LockedServer | None:
        """The server of this nickname; else the only one that is the same under another.

        Nicknames in ``taken`` belong to others and are not given up.
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
        """For each server that is seen now the one that was locked, no two for the same."""
        taken = {one.name for one in seen}
        found = []
        for one in seen:
            known = self.find(one.name, one.identity_digest, taken)
            found.append(known)
            taken |= set() if known is None else {known.name}
        return found

    def count(self) -> tuple[int, int, int]:
        """How many servers, tools, and tools that nobody approved."""
        servers = self.servers.values()
        tools = sum(len(server.tools) for server in servers)
        return len(servers), tools, sum(len(server.unreviewed) for server in servers)

    def body(self) -> JsonObject:
        """Everything but the version and the digest over all of it."""
        return {"servers": {name: server.to_dict() for name, server in self.servers.items()}}

    @cached_property
    def digest(self) -> str:
        """Over the whole file; a block that was mixed or lost in a merge changes it."""
        return digest(["toolcanon", "lock", VERSION, self.body()])
