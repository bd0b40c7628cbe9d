"""A check of what was written: does it hold what lowering claims?

Each schema is lowered once more, which must change nothing. Sampled arguments go there and back:
those of the original schema must be sayable and come back as they were unless something was
narrowed, those of the written one must come back valid unless something was widened.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from toolcanon.conversion.bind_tool import BoundTool
from toolcanon.conversion.binding import Binding, bind_target_of, bound_tools, calls_of
from toolcanon.conversion.predicted_losses import read_back
from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect, Support
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio import Pointer, canonical_bytes
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering import lower
from toolcanon.schema import upgrade
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.validate import judge
from toolcanon.schema.values import types_of

_MOST: Final = 24
_ROOT: Final = Pointer()
_CLOSING: Final = "additionalProperties"
_TEXT: Final[JsonObject] = {"type": "string"}
_SILENT_UNLESS: Final = frozenset(
    "properties additionalProperties patternProperties allOf anyOf oneOf $ref required if then "
    "else dependentSchemas".split()
)
_SHAPED: Final = frozenset({"type", "anyOf", "oneOf", "allOf", "$ref", "enum"})


class Violation(NamedTuple):
    """A claim that does not hold: whose, where, for which value, and how."""

    tool: str
    at: Pointer
    value: Json
    says: str


@dataclass(slots=True)
class Verification:
    """The tested arguments, and the violations."""

    tools: int = 0
    there: int = 0
    """Arguments of the original schemas that went there and back."""
    back: int = 0
    """Arguments of the written schemas that came back."""
    unjudged: int = 0
    """Tools whose schemas no validator can run, so that no arguments were tried."""
    violations: list[Violation] = field(default_factory=list)

    def add(self, other: Verification) -> None:
        """Take another one into account."""
        self.tools += other.tools
        self.there += other.there
        self.back += other.back
        self.unjudged += other.unjudged
        self.violations += other.violations


def verify(binding: Binding, *, most: int = _MOST) -> Verification:
    """Try to refute what a binding claims, with at most so many arguments each way and tool."""
    found, target = Verification(), bind_target_of(binding).target
    for item in bound_tools(binding):
        if item.wire is None or item.tool.kind is Kind.BUILTIN:
            continue
        found.tools += 1
        written = read_back(target, target.write(item.tool, item.wire)).inputs
        found.violations += _lowered_again(item.tool, written, item.wire.dialect)
        trial = _Trial(binding, item, written, most)
        if not trial.judged:
            found.unjudged += 1
            continue
        found.there += len(trial.own)
        found.back += len(trial.wired)
        found.violations += trial.there()
        found.violations += trial.back()
    return found


def _lowered_again(
    tool: CanonicalTool, written: JsonObject, dialect: Dialect | None
) -> Iterator[Violation]:
    if dialect is None or not written or tool.kind is not Kind.FUNCTION:
        return
    meant = _closed(written) if _leaves_open(dialect) else written
    again = lower(meant, dialect)
    is_stable = again.schema == written and again.lens is None
    losses = list(again.losses(tool.id, "inputs"))
    if meant is not written:  # what was added for this look goes again
        losses = [loss for loss in losses if loss.at[-1] != _CLOSING]
    for loss in losses:
        if loss.effect or not is_stable:  # there and back again is no change
            says = f"is rewritten once more ({loss.code} {loss.name})"
            yield Violation(tool.id, loss.at, loss.before, says)
    if not losses and not is_stable:
        yield Violation(tool.id, Pointer(("inputs",)), written, "is rewritten once more, silently")


class _Trial:
    """The arguments of one tool on their way."""

    def __init__(self, binding: Binding, item: BoundTool, written: JsonObject, most: int) -> None:
        self._binding = binding
        self._id = item.tool.id
        self._called = calls_of(binding).named(self._id).full_name
        self._told = Effect.EXACT if item.lowered is None else item.lowered.effect
        own = _own_schema(item.tool)
        wired = upgrade(written).schema if written else own
        self._judge = judge(wired)
        judges = (judge(own), self._judge)
        self.judged = all(found.judged and not found.skipped for found in judges)
        self.own: list[Json] = []
        self.wired: list[Json] = []
        if self.judged:
            if item.wire is not None and _leaves_open(item.wire.dialect):
                wired = _closed(wired)
            self.own = _samples(own, most)
            self.wired = _samples(wired, most)

    def there(self) -> Iterator[Violation]:
        if self._told & Effect.NARROWED:
            return
        for value in self.own:
            _, wire = self._binding.render(self._id, value)
            if self._judge.accepts(wire) is False:
                yield self._violation(value, "cannot be written by the written schema")
                continue
            back = self._binding.restore(self._called, wire)
            if back.name != self._id:
                yield self._violation(value, f"comes back as a call of {back.name}")
            elif not _same(back.arguments, value):
                yield self._violation(value, "comes back as something else")

    def back(self) -> Iterator[Violation]:
        if self._told & Effect.WIDENED:
            return
        for wire in self.wired:
            back = self._binding.restore(self._called, wire)
            if not back.ok:
                problem = back.problems[0]
                yield self._violation(wire, f"comes back invalid: {problem.message}", problem.at)

    def _violation(self, value: Json, says: str, at: Pointer = _ROOT) -> Violation:
        return Violation(self._id, at, value, says)


def _own_schema(tool: CanonicalTool) -> JsonObject:
    if tool.kind is Kind.FREEFORM:
        return _TEXT
    schema = tool.input_schema
    return schema if schema.keys() & _SHAPED else {**schema, "type": "object"}


def _samples(schema: JsonObject, most: int) -> list[Json]:
    """Valid arguments, of declared members only: what a caller sends."""
    from toolcanon.schema.sampling import sample  # noqa: PLC0415 - few verify, and it is large

    silent = schema.keys().isdisjoint(_SILENT_UNLESS)
    found = sample(schema, most=most)
    return [value for value in found if not (silent and isinstance(value, dict) and value)]


def _leaves_open(dialect: Dialect | None) -> bool:
    """Return whether a dialect cannot express a closed object, so that every object is closed."""
    return dialect is not None and dialect.support(_CLOSING) is Support.REJECTED


def _closed(node: Json) -> Json:
    """Return the schema with every object saying that it is closed."""
    if not isinstance(node, dict):
        return node
    out = dict(node)
    for key, value in node.items():
        position = POSITIONS.get(key)
        if position is Position.SCHEMA:
            out[key] = _closed(value)
        elif position is Position.SCHEMAS:
            out[key] = [_closed(item) for item in value]
        elif position is Position.SCHEMA_MAP:
            out[key] = {name: _closed(item) for name, item in value.items()}
    if "object" in types_of(node):
        out.setdefault(_CLOSING, False)
    return out


def _same(one: Json, other: Json) -> bool:
    return canonical_bytes(one) == canonical_bytes(other)
