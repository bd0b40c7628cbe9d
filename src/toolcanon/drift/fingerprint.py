"""Fingerprints of a tool: two plain hashes, and four digests.

``exact``: is it the same, to the last character? ``semantic``: can anything break? ``text``: does a
model read the same? ``annotations``: does it claim the same? Each is a hash of canonical bytes with
its own name in front, so that two kinds are never equal by accident.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from toolcanon.checking.payloads import plain_tools
from toolcanon.conversion.read import read_payload
from toolcanon.conversion.sdk_objects import plain
from toolcanon.drift.contract.containment_queries import Version
from toolcanon.drift.rules.metadata import DEFAULTS, OF_WRITERS
from toolcanon.errors import LimitExceeded, NoTools, UsageError
from toolcanon.formats.wire.format import NOTES
from toolcanon.ir import CanonicalTool, stated_hints
from toolcanon.ir.walk import TextAt, texts_of
from toolcanon.jsonio import copy_json, digest
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.normal import normal_form
from toolcanon.schema.algebra.normal.terms import NormalFormBudget, Spent, TermDocument, TermNode

_WORK: Final = 20_000
_DEEPEST: Final = 12


class Digests(NamedTuple):
    """The four digests, each in the form ``tc1:sha256:…``."""

    exact: str
    semantic: str
    text: str
    annotations: str


def digests(tool: CanonicalTool) -> Digests:
    said = [[_owner(text), text.role, text.text] for text in texts_of(tool) if _is_by_author(text)]
    contract = {
        "name": tool.id,
        "kind": tool.kind.value,
        "inputs": normal_form(tool.input_schema or {"type": "object"}),
        "outputs": normal_form(tool.output_schema),
        "defaults": _defaults(tool.input_schema),
    }
    return Digests(
        _named("exact", _exact(tool)),
        _named("semantic", contract),
        _named("text", sorted(said)),
        _named("annotations", _claims(tool)),
    )


def _named(kind: str, value: Json) -> str:
    return digest(["toolcanon", kind, 1, value])


def _exact(tool: CanonicalTool) -> JsonObject:
    """Return the definition as it was read; the tool itself if it was built and not read."""
    if tool.original_definition:
        return tool.original_definition
    said = {"name": tool.name, "version": tool.version, "description": tool.description}
    return {**said, "inputs": tool.inputs, "outputs": tool.outputs, **tool.said()}


def _is_by_author(text: TextAt) -> bool:
    """Return whether the author wrote it: field names of a format are not the author's text."""
    return text.at[:1] != ("extras",) or (text.at[-1] != text.text and NOTES not in text.at)


def _owner(text: TextAt) -> str:
    """Return the member that a text belongs to, wherever the schema has it."""
    steps = text.at
    for at in range(len(steps) - 1, 0, -1):
        if steps[at - 1] == "properties":
            return str(steps[at])
    return str(steps[0]) if steps else ""


def _claims(tool: CanonicalTool) -> JsonObject:
    stated = stated_hints(tool)
    found: JsonObject = {hint: stated.get(hint, usual) for hint, usual in DEFAULTS.items()}
    if found["read_only"]:
        found = {hint: value for hint, value in found.items() if hint not in OF_WRITERS}
    return found


def _defaults(schema: Json) -> list[Json]:
    """Return the default of each member, by the names on its path."""
    budget = NormalFormBudget(_WORK)
    try:
        found = list(
            _stated(Version((TermNode(schema, (), TermDocument(schema)),), budget), (), budget)
        )
    except (Spent, RecursionError):
        return ["too many to tell"]
    return sorted(found, key=lambda one: [str(step) for step in one[0]])


def _stated(
    version: Version, path: tuple[str, ...], budget: NormalFormBudget
) -> Iterator[list[Json]]:
    budget.spend()
    said = version.first("default")
    if path and said is not None and not (said.value is None and "null" in version.kinds):
        yield [list(path), said.value]
    if len(path) < _DEEPEST:
        for name in version.names:
            term = version.member(name)
            yield from _stated(Version(term, budget), (*path, name), budget)
        items = tuple(one.spot.below("items") for one in version.said.get("items", ()))
        if items:
            yield from _stated(Version(items, budget), (*path, "[]"), budget)


class ToolFingerprint(BaseModel):
    """The state of a tool at one time, without any value of its responses."""

    model_config = ConfigDict(title="ToolFingerprint")

    tool_name: str
    """The name of the tool."""
    version: str = "unknown"
    """The version of the tool, where it is known."""
    schema_hash: str = Field(description="SHA-256 of the definition with its keys sorted.")
    response_pattern_hash: str = Field(description="SHA-256 of the keys and types of responses.")
    captured_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    """The time when it was made."""
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
        """Return all fields; the definition only in JSON mode, and only if there is one."""
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
    """Return the fingerprint of one tool in any format, and of its responses.

    >>> made = fingerprint({"name": "f", "inputSchema": {"type": "object"}})
    >>> made.tool_name, made.digests["exact"][:11]
    ('f', 'tc1:sha256:')
    """
    found = plain_tools(tool)
    if found is None:
        found = read_payload(plain(tool))[0]
    if len(found) != 1:
        raise NoTools(f"a fingerprint is of one tool, and this has {len(found)}")
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
    """Return a deep copy; None if it nests too deeply."""
    try:
        return copy_json(definition)
    except LimitExceeded:
        return None


def definition_of(tool: CanonicalTool) -> Json:
    """Return the definition that a tool was read from, or its canonical document."""
    return tool.original_definition or tool.to_dict()


def schema_hash(schema: Any) -> str:
    """Return the SHA-256 of the JSON with sorted keys; other values count by their ``str``."""
    return _sha256(json.dumps(schema, sort_keys=True, default=str))


def response_pattern_hash(responses: Iterable[Any]) -> str:
    """Return the SHA-256 of the keys of responses and the types of their values.

    Responses other than objects count by their type, lists also by their items. Raises UsageError
    for one response that is not in a list.
    """
    if isinstance(responses, Mapping | str | bytes):
        found = type(responses).__name__
        raise UsageError(f"responses must be a list of responses, found {found}; put it in a list")
    seen = _Pattern()
    for response in responses:
        seen.add(response)
    return _sha256(json.dumps(seen.summary()))


class _Pattern:
    """Keys and types of values, and the types of values without keys."""

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
        """Return sorted type names by key; a list that begins with them where there is more."""
        members = {key: sorted(types) for key, types in sorted(self._members.items())}
        if not self._others:
            return members
        items = None if self._items is None else self._items.summary()
        return [members, sorted(self._others), items]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
