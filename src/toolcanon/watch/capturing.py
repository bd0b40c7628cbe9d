"""Make snapshots of tools as they are now."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias

import orjson

from toolcanon.conversion.read import read_payload
from toolcanon.drift.fingerprint import digests, response_pattern_hash, schema_hash
from toolcanon.drift.shapes.shape import Shape
from toolcanon.errors import ToolcanonError, UsageError
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import digest, odd_key
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.text.secrets import MASK, credential, is_secret_name, mask_text
from toolcanon.watch.observed_source import Seen
from toolcanon.watch.store import Key, Snapshot

Redact: TypeAlias = Callable[[Any], Any]
"""Return what may be hashed and stored of a definition or a response."""
Responses: TypeAlias = Mapping[str, Sequence[Json]]
"""Responses of the tools, by name."""

NO_RESPONSES: Final = response_pattern_hash(())
"""The second hash when there are no responses, or none with members."""
UNKNOWN: Final = "unknown"
WHOLE: Final = ""
"""The name under which a source itself is stored; no tool has it."""
_STDIN: Final = "-"
_OF_PROPERTY: Final = frozenset(
    {"default", "const", "enum", "examples", "example", "items", "anyOf", "oneOf", "allOf"}
)
"""Keywords whose values belong to the enclosing property, so its name shows if they are secret."""


@dataclass(frozen=True)
class Watched:
    """Tools of one source by name, and facts about the source."""

    source: str
    definitions: Mapping[str, Json]
    tools: Mapping[str, CanonicalTool | None]
    """None for definitions that cannot be read as a tool; their hashes are still compared."""
    whole: Key | None = None
    """The key under which the source as a whole is stored, if it is."""
    facts: JsonObject = field(default_factory=dict)
    """Identity of the source, and what it reports about itself."""
    shown: str = ""
    is_part: bool = False
    """Whether the source may have more tools than these."""

    @classmethod
    def of(cls, seen: Seen) -> Watched:
        """Return all tools of a source. Raises UsageError for a schema without a name."""
        tools = seen.named
        if WHOLE in tools:
            raise UsageError(
                "a schema without a name cannot be recorded; name it: --tool NAME --schema FILE"
            )
        facts: JsonObject = {"identity": seen.identity.to_dict(), "about": seen.about}
        return cls(seen.name, dict(seen.definitions()), tools, _whole(seen), facts, seen.shown)

    @classmethod
    def single(cls, name: str, schema: Json, source: str = "") -> Watched:
        """Return one tool under the given name; a bare schema is that of the arguments."""
        tools = {name: readable(name, schema)}
        return cls(source, {name: schema}, tools, shown=name, is_part=True)

    def only(self, names: Sequence[str]) -> Watched:
        """Return only these tools; others then do not count as removed."""
        kept = {name: self.definitions[name] for name in names if name in self.definitions}
        tools = {name: self.tools[name] for name in kept}
        return Watched(self.source, kept, tools, None, self.facts, self.shown, is_part=True)

    @cached_property
    def quick(self) -> dict[str, str]:
        """Return, by name, a digest that is equal only for equal definitions."""
        return {name: quick(definition) for name, definition in self.definitions.items()}

    def key(self, name: str) -> Key:
        return Key(self.source, name)


def _whole(seen: Seen) -> Key | None:
    """Return the key of a source; unnamed files are distinguished by their place, stdin is not."""
    if seen.name:
        return Key(seen.name, WHOLE)
    path = seen.identity.path
    if not path or path == _STDIN:
        return None
    return Key(digest(["toolcanon", "file", 1, str(Path(path).resolve())]), WHOLE)


def capture(  # noqa: PLR0913 - one keyword for each option
    key: Key,
    definition: Json,
    tool: CanonicalTool | None = None,
    *,
    responses: Sequence[Json] | None = None,
    version: str | None = None,
    at: datetime | None = None,
) -> Snapshot:
    """Return the snapshot of one tool: hashes, digests and definition, but no response.

    ``tool`` is the parsed definition, if it could be parsed.
    """
    when: dict[str, Any] = {} if at is None else {"captured_at": at}
    return Snapshot(
        key,
        version or UNKNOWN,
        schema_hash(definition),
        response_pattern_hash(responses or ()),
        {} if tool is None else digests(tool)._asdict(),
        quick(definition),
        definition,
        Shape.learn(responses).to_dict() if responses else None,
        **when,
    )


def captured(
    watched: Watched,
    names: Sequence[str] | None = None,
    *,
    responses: Responses | None = None,
    version: str | None = None,
    at: datetime | None = None,
) -> Iterator[Snapshot]:
    """Return snapshots of these tools, of all by default, in their order."""
    for name in watched.definitions if names is None else names:
        yield capture(
            watched.key(name),
            watched.definitions[name],
            watched.tools[name],
            responses=None if responses is None else responses.get(name),
            version=version,
            at=at,
        )


def whole_snapshot(watched: Watched, tools: Sequence[str], at: datetime | None = None) -> Snapshot:
    """Return the snapshot of the source: its identity, its own description, its tools' names."""
    facts: JsonObject = {**watched.facts, "tools": sorted(tools)}
    when: dict[str, Any] = {} if at is None else {"captured_at": at}
    key = watched.whole or Key(watched.source, WHOLE)
    return Snapshot(
        key, UNKNOWN, schema_hash(facts), NO_RESPONSES, {}, quick(facts), facts, None, **when
    )


def quick(definition: Json) -> str:
    """Return a digest that is equal only for equal definitions, at the cost of serialising once."""
    try:
        text = orjson.dumps(definition, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # integers beyond 64 bits, objects that are not JSON
        return schema_hash(definition)
    return hashlib.sha256(text).hexdigest()


def named_definition(name: str, schema: Json) -> Json:
    """Return a definition with a name; a bare schema becomes that of the arguments."""
    if not isinstance(schema, dict) or isinstance(schema.get("name"), str):
        return schema
    if "function" in schema or "toolSpec" in schema:
        return schema
    return {"name": name, "inputSchema": schema}


def readable(name: str, schema: Json) -> CanonicalTool | None:
    """Return the tool of a definition; None when it has none, or several."""
    try:
        found = read_payload(named_definition(name, schema))[0]
    except (ToolcanonError, RecursionError):
        return None
    except TypeError:  # a key that is not a string; other TypeErrors are internal errors
        if odd_key(schema) is None:
            raise
        return None
    return found[0] if len(found) == 1 else None


def without_credentials(value: Any) -> Any:
    """Return the value with keys, tokens and passwords masked everywhere.

    >>> without_credentials({"default": "postgres://app:k7Rq2v@db/main", "type": "string"})
    {'default': 'postgres://***@db/main', 'type': 'string'}
    """
    return _redacted(value, "")


def _redacted(value: Any, name: str) -> Any:
    if isinstance(value, str):
        return _masked(value, name)
    if isinstance(value, list):
        return [_redacted(item, name) for item in value]
    if isinstance(value, dict):
        return {
            _masked(key, ""): _redacted(item, name if key in _OF_PROPERTY else key)
            for key, item in value.items()
        }
    return value


def _masked(text: str, name: str) -> str:
    """Mask secrets; the caller prefers masking too much over keeping a secret."""
    if text and name and is_secret_name(name):
        return MASK
    masked = mask_text(text)
    return MASK if credential(masked, name) else masked
