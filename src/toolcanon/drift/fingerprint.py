"""The fingerprint of a tool: two plain hashes that anybody can make, and four digests of ours."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from toolcanon.checking.tools import plain_tools
from toolcanon.conversion.plain import plain
from toolcanon.conversion.reader import read_payload
from toolcanon.drift.digests import digests
from toolcanon.errors import LimitExceeded, NoTools, UsageError
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import copy_json
from toolcanon.jsonio.types import Json


class ToolFingerprint(BaseModel):
    """What a tool looked like at one time. Values of responses are in none of it."""

    model_config = ConfigDict(title="ToolFingerprint")

    tool_name: str
    version: str = "unknown"
    schema_hash: str = Field(description="SHA-256 of the definition with its keys sorted.")
    response_pattern_hash: str = Field(description="SHA-256 of the keys and types of responses.")
    captured_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    digests: dict[str, str] = Field(
        default_factory=dict, description="exact, semantic, text and annotations."
    )
    definition: Any = Field(
        None, repr=False, description="What was hashed, so that a comparison can name changes."
    )

    @model_serializer(mode="wrap")
    def _serialize(
        self, written: SerializerFunctionWrapHandler, info: SerializationInfo
    ) -> dict[str, Any]:
        """All fields; the definition as JSON where JSON is asked for, and only if there is one."""
        if info.mode == "json" and self.definition is not None:
            text = json.dumps(self.definition, default=str)
            out: dict[str, Any] = written(self.model_copy(update={"definition": json.loads(text)}))
        else:
            out = written(self)
        if out.get("definition") is None:
            out.pop("definition", None)
        return out


def fingerprint(
    tool: Any, responses: Iterable[Any] = (), *, version: str | None = None
) -> ToolFingerprint:
    """The fingerprint of one tool, in any format, and of what it answered.

    >>> made = fingerprint({"name": "f", "inputSchema": {"type": "object"}})
    >>> made.tool_name, made.digests["exact"][:11]
    ('f', 'tc1:sha256:')
    """
    found = plain_tools(tool)
    if found is None:
        found = read_payload(plain(tool))[0]
    if len(found) != 1:
        raise NoTools(f"a fingerprint is of one tool, and this holds {len(found)}")
    one = found[0]
    definition = tool if isinstance(tool, Mapping) else definition_of(one)
    return ToolFingerprint(
        tool_name=one.id,
        version=version or one.version,
        schema_hash=schema_hash(definition),
        response_pattern_hash=response_pattern_hash(responses),
        digests=digests(one)._asdict(),
        definition=copied(definition),
    )


def copied(definition: Any) -> Any:
    """A copy that later changes to the original cannot reach; None if it nests too deeply."""
    try:
        return copy_json(definition)
    except LimitExceeded:
        return None


def definition_of(tool: CanonicalTool) -> Json:
    """What a tool was read from; its canonical document when it was built."""
    return tool.original_definition or tool.to_dict()


def schema_hash(schema: Any) -> str:
    """SHA-256 of the JSON with sorted keys; what JSON does not know counts by its ``str``."""
    return _sha256(json.dumps(schema, sort_keys=True, default=str))


def response_pattern_hash(responses: Iterable[Any]) -> str:
    """SHA-256 of which keys responses have, and of which types their values are.

    Responses that are no objects count by their type, lists by their items as well. Raises
    UsageError for one response that is not in a list.
    """
    if isinstance(responses, Mapping | str | bytes):
        found = type(responses).__name__
        raise UsageError(f"responses are a list of what a tool returned, found {found}; list it")
    seen = _Pattern()
    for response in responses:
        seen.add(response)
    return _sha256(json.dumps(seen.summary()))


class _Pattern:
    """Keys and types of values, and the types of values that have no keys."""

    def __init__(self) -> None:
        self._members: dict[str, set[str]] = {}
        self._others: set[str] = set()
        self._items: _Pattern | None = None

    def add(self, value: Any, *, is_item: bool = False) -> None:
        if isinstance(value, Mapping):
            for key, member in value.items():
                self._members.setdefault(str(key), set()).add(type(member).__name__)
            return
        self._others.add(type(value).__name__)
        if isinstance(value, list | tuple) and not is_item:
            self._items = self._items or _Pattern()
            for item in value:
                self._items.add(item, is_item=True)

    def summary(self) -> Json:
        """An object of sorted type names by key; a list begins with it where there is more."""
        members = {key: sorted(types) for key, types in sorted(self._members.items())}
        if not self._others:
            return members
        items = None if self._items is None else self._items.summary()
        return [members, sorted(self._others), items]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
