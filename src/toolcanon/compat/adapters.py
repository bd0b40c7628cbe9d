"""The third seed: adapters around one canonical tool, and the features that each drops.

A feature is reported as lost when it is not sent: the written tool is read back and compared with
the canonical tool, including fields beside the schemas. Features that ``supports_feature`` of a
foreign adapter denies count as lost, too. The seed's document warned by a table and sent the
feature all the same. Other rewrites of schemas are reported by ``toolcanon.convert``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, ClassVar, Final, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from toolcanon.conversion import bind, read
from toolcanon.conversion.predicted_losses import ABSENT, differences, sends_outputs
from toolcanon.conversion.target import choose
from toolcanon.dialect import Support
from toolcanon.errors import InputError, UnreadableTool, UsageError
from toolcanon.formats.wire.flat_reader import ANNOTATIONS
from toolcanon.formats.wire.format import NOTES
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import copy_json
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.notes import as_text
from toolcanon.registry import get_target
from toolcanon.schema.keywords import POSITIONS, Position

__all__ = [
    "SCHEMA_FEATURES",
    "Adapter",
    "AdapterRegistry",
    "AnthropicAdapter",
    "ConversionError",
    "ConversionResult",
    "DuplicateAdapter",
    "FeatureLossWarning",
    "MCPAdapter",
    "OpenAIAdapter",
    "UnknownAdapter",
]

SCHEMA_FEATURES: Final = tuple(
    "$ref $defs anyOf oneOf allOf not pattern format additionalProperties minimum maximum "
    "minLength maxLength enum const default".split()
)
"""The compared keywords of schemas, in a fixed order."""
OUTPUT_SCHEMA: Final = "outputSchema"
"""Reported when an output schema without any of these keywords is lost."""
_FEATURES: Final = frozenset(SCHEMA_FEATURES)
_SCHEMAS: Final = frozenset({"inputs", "outputs"})
_EMPTY: Final[tuple[Json, ...]] = (None, "", {}, [])
"""Values that state nothing, so that their absence is no loss."""
_ANNOTATED: Final = frozenset({"read_only", "destructive", "idempotent", "open_world"})


def fields_lost(tool: CanonicalTool, sent: CanonicalTool) -> list[str]:
    """Return the fields beside the schemas that the written tool lacks or has changed, each once.

    Names are those of the adapters: ``title``, ``annotations``, ``_meta``, ``strict`` … A name that
    was joined with its namespace counts as the namespace.
    """
    lost: dict[str, None] = {}
    for at, before, _ in differences(tool, sent):
        if before is ABSENT or before in _EMPTY or at[0] in _SCHEMAS or at[-1] == NOTES:
            continue
        lost[ANNOTATIONS if at[0] == "hints" and at[-1] in _ANNOTATED else str(at[-1])] = None
    if "namespace" in lost:
        lost.pop("name", None)
    return list(lost)


class _Occurrence(NamedTuple):
    """One feature at one place of a schema."""

    feature: str
    at: tuple[str | int, ...]
    gist: str
    """What identifies it among others of its kind, independent of its place."""


class Features(NamedTuple):
    """The features of both schemas of a tool, as 2020-12 has them, in document order.

    Keywords without meaning in the draft of their schema do not count.
    """

    inputs: list[_Occurrence]
    outputs: list[_Occurrence] | None
    """None where the tool has no output schema."""

    @classmethod
    def of(cls, tool: CanonicalTool) -> Features:
        """Return the features of a tool."""
        outputs = tool.output_schema
        return cls([*_features(tool.input_schema)], [*_features(outputs)] if outputs else None)

    def names(self) -> list[str]:
        """Return the feature of every occurrence."""
        outputs = [item.feature for item in self.outputs or ()]
        if self.outputs is not None and not outputs:
            outputs = [OUTPUT_SCHEMA]
        return [*(item.feature for item in self.inputs), *outputs]

    def missing_in(self, sent: Features, denied: set[str]) -> list[str]:
        """Return the occurrences that another tool lacks, and those of denied features."""
        lost = _missing(self.inputs, sent.inputs, denied)
        if self.outputs is None:
            return lost
        if not self.outputs:
            gone = sent.outputs is None or OUTPUT_SCHEMA in denied
            return [*lost, OUTPUT_SCHEMA] if gone else lost
        return [*lost, *_missing(self.outputs, sent.outputs or [], denied)]


def _missing(had: list[_Occurrence], sent: list[_Occurrence], denied: set[str]) -> list[str]:
    """Match occurrences by place first, then anywhere; return those without a match.

    Lowering moves schemas (folded unions, inlined references) and adds keywords of its own, so
    neither places nor numbers alone are enough.
    """
    old_places = {item.at for item in had}
    places = {item.at for item in sent}
    moved = Counter((item.feature, item.gist) for item in sent if item.at not in old_places)
    lost = []
    for item in had:
        if item.feature in denied:
            lost.append(item.feature)
            continue
        if item.at in places:
            continue
        key = (item.feature, item.gist)
        if moved[key]:
            moved[key] -= 1
        else:
            lost.append(item.feature)
    return lost


def _features(node: JsonObject, at: tuple[str | int, ...] = ()) -> Iterator[_Occurrence]:
    for key, value in node.items():
        below = (*at, key)
        if key in _FEATURES:
            # An object that was open and is closed now lost the meaning of its keyword.
            yield _Occurrence(key, (*below, value is False), _gist(key, value))
        position = POSITIONS.get(key)
        if position is None:
            continue
        if isinstance(value, dict) and position is not Position.SCHEMA_MAP:
            yield from _features(value, below)
            continue
        if isinstance(value, dict):
            held: Any = value.items()
        else:
            held = enumerate(value) if isinstance(value, list) else ()
        for step, item in held:
            if isinstance(item, dict):
                yield from _features(item, (*below, step))


def _gist(feature: str, value: Json) -> str:
    """Return what stays the same when lowering moves a feature, without what is below it."""
    if feature in {"$defs", "not"}:
        return ""
    if feature == "additionalProperties":
        return str(value is False)
    if feature == "$ref":
        return _last(value)
    if not isinstance(value, list):
        return repr(value)
    if feature == "enum":  # null is added for optional members, and values may become strings
        return repr([as_text(item) for item in value if item is not None])
    first = value[0] if value else None  # a null is added at the end of a union
    if feature not in POSITIONS or not isinstance(first, dict):
        return repr(value)
    members = first.get("properties")
    names = sorted(map(str, members)) if isinstance(members, dict) else []
    return repr((first.get("type") or _last(first.get("$ref")) or sorted(map(str, first)), names))


def _last(reference: Json) -> str:
    """Return the name in a reference, in any notation."""
    return reference.rpartition("/")[2] if isinstance(reference, str) else ""


Direction: TypeAlias = Literal["to_canonical", "from_canonical"]
_Names: TypeAlias = list[str]  # used in a class that has a method called list


class ConversionError(InputError):
    """An adapter could not read or write a tool; the cause is chained."""

    def __init__(self, adapter: str, direction: Direction, cause: BaseException) -> None:
        super().__init__(adapter, direction, cause)
        self.adapter, self.direction, self.cause = adapter, direction, cause
        self.__cause__ = cause

    def __str__(self) -> str:
        return f"{self.adapter} adapter {self.direction}: {self.cause}"


class DuplicateAdapter(UsageError):
    """The registry has an adapter of this name; unregister that one first."""

    def __init__(self, adapter: str) -> None:
        super().__init__(adapter)
        self.adapter = adapter

    def __str__(self) -> str:
        return f"adapter already registered: {self.adapter}"


class UnknownAdapter(UsageError, LookupError):
    """The registry has no adapter of this name."""

    def __init__(self, adapter: str) -> None:
        super().__init__(adapter)
        self.adapter = adapter

    def __str__(self) -> str:
        return f"adapter not found: {self.adapter}"


@dataclass(frozen=True, slots=True)
class FeatureLossWarning:
    """A feature of the source's schemas that the written tool lacks."""

    feature: str
    from_adapter: str
    to_adapter: str

    def __str__(self) -> str:
        return (
            f"feature {self.feature} lost converting from {self.from_adapter} to {self.to_adapter}"
        )


@dataclass(frozen=True, slots=True)
class ConversionResult:
    """The tool as the target's adapter wrote it, and a warning for every lost occurrence."""

    tool: Any
    warnings: list[FeatureLossWarning] = field(default_factory=list)


@runtime_checkable
class Adapter(Protocol):
    """An adapter for the registry: any object with these four members."""

    @property
    def name(self) -> str:
        """The name in the registry."""

    def to_canonical(self, raw: Any, /) -> CanonicalTool:
        """Read one tool."""

    def from_canonical(self, tool: CanonicalTool, /) -> Any:
        """Write one tool."""

    def supports_feature(self, feature: str, /) -> bool:
        """Return whether written schemas may have this keyword."""


class _FormatAdapter:
    """An adapter of a built-in format."""

    name: str
    format: ClassVar[str]
    strict: bool | str = False

    def to_canonical(self, raw: Any) -> CanonicalTool:
        """Read one definition: a dict or an object of the provider's SDK. Raises ConversionError.

        The tool may share parts with a dict.
        """
        with _conversion_errors(self.name, "to_canonical"):
            return _read_one(raw, self.format)

    def from_canonical(self, tool: CanonicalTool) -> JsonObject:
        """Return a new dict, lowered to what the provider accepts. Raises ConversionError."""
        with _conversion_errors(self.name, "from_canonical"):
            if not isinstance(tool, CanonicalTool):
                raise UnreadableTool("canonical", "", f"found {type(tool).__name__}")
            payload = bind(tool, self.format, strict=self.strict).payload
            if not payload:
                reason = f"a built-in tool of {tool.source_format} exists nowhere else"
                raise UnreadableTool(self.format, "", reason)
            return copy_json(payload)  # type: ignore[no-any-return]  # a dict copies to a dict

    def supports_feature(self, feature: str) -> bool:
        """Return whether the provider accepts the keyword somewhere in a schema."""
        target = get_target(self.format)
        if feature == OUTPUT_SCHEMA:
            usual = choose(target).plain
            return target.is_regular and usual is not None and sends_outputs(target, usual)
        choice = choose(target)
        dialect = choice.strict if self.strict is True else choice.plain
        return dialect is None or dialect.support(feature) is not Support.REJECTED


class MCPAdapter(_FormatAdapter):
    """``{name, title, description, inputSchema, outputSchema, annotations}``; all of 2020-12."""

    name = format = "mcp"


class OpenAIAdapter(_FormatAdapter):
    """``{"type": "function", "function": {name, description, parameters, strict}}``.

    ``strict`` sets strict mode, which closes every object; "auto" sets it where it narrows
    nothing. A tool that was read as strict always stays strict.
    """

    name = format = "openai"

    def __init__(self, *, strict: bool | str = False) -> None:
        choose(get_target(self.format), strict)  # raises for invalid values at once
        self.strict = strict


class AnthropicAdapter(_FormatAdapter):
    """``{name, description, input_schema}``."""

    name = format = "anthropic"


class AdapterRegistry:
    """Adapters by name. Threads may share it: each call sees the adapters of one moment."""

    def __init__(self) -> None:
        self._adapters: dict[str, Adapter] = {}
        self._lock = Lock()

    def register(self, adapter: Adapter) -> None:
        """Add an adapter under its name. Raises DuplicateAdapter."""
        if isinstance(adapter, type) or not isinstance(adapter, Adapter):
            raise UsageError(
                f"{adapter!r} is not an adapter; register an object that has name, to_canonical, "
                "from_canonical and supports_feature"
            )
        name = adapter.name
        with self._lock:
            if name in self._adapters:
                raise DuplicateAdapter(name)
            self._adapters[name] = adapter

    def get(self, name: str) -> Adapter:
        """Return the adapter of this name. Raises UnknownAdapter."""
        with self._lock:
            return self._found(name)

    def unregister(self, name: str) -> None:
        """Remove an adapter. Raises UnknownAdapter."""
        with self._lock:
            self._found(name)
            del self._adapters[name]

    def list(self) -> _Names:
        """Return the names, sorted."""
        with self._lock:
            return sorted(self._adapters)

    def convert(self, tool: Any, from_: str, to: str) -> ConversionResult:
        """Read with one adapter, write with another, and report the features that were lost.

        The source is not changed. Raises UnknownAdapter, and ConversionError for any error of an
        adapter.
        """
        with self._lock:
            source, target = self._found(from_), self._found(to)
        with _conversion_errors(from_, "to_canonical"):
            canonical = source.to_canonical(tool)
            if not isinstance(canonical, CanonicalTool):
                raise TypeError(f"expected a CanonicalTool, found {type(canonical).__name__}")
        with _conversion_errors(to, "from_canonical"):
            had = Features.of(canonical)
            denied = {
                name for name in dict.fromkeys(had.names()) if not target.supports_feature(name)
            }
            written = target.from_canonical(canonical)
            lost = _lost(target, written, canonical, had, set() if _is_ours(target) else denied)
        return ConversionResult(written, [FeatureLossWarning(name, from_, to) for name in lost])

    def _found(self, name: str) -> Adapter:
        try:
            return self._adapters[name]
        except KeyError:
            raise UnknownAdapter(name) from None


@contextmanager
def _conversion_errors(adapter: str, direction: Direction) -> Iterator[None]:
    """Convert any exception into a ConversionError with the adapter and the direction."""
    try:
        yield
    except ConversionError:
        raise
    except Exception as cause:
        raise ConversionError(adapter, direction, cause) from cause


def _read_one(raw: Any, format: str | None = None) -> CanonicalTool:
    tools = read(raw, source=format)
    if len(tools) != 1:
        raise UsageError(f"an adapter takes one tool, found {len(tools)}; convert them one by one")
    return tools[0]


def _is_ours(adapter: Adapter) -> bool:
    """Return whether ``supports_feature`` answers by the built-in dialects.

    Reading back is more precise: a dialect may reject a keyword in one place only, and lowering
    replaces it there.
    """
    return getattr(type(adapter), "supports_feature", None) is _FormatAdapter.supports_feature


def _lost(
    adapter: Adapter, written: Any, canonical: CanonicalTool, had: Features, denied: set[str]
) -> list[str]:
    """Return the fields, and every occurrence of a schema feature, that the written tool lacks."""
    if isinstance(adapter, _FormatAdapter):
        sent = adapter.to_canonical(written)
        return [*fields_lost(canonical, sent), *had.missing_in(Features.of(sent), denied)]
    if isinstance(written, dict):
        readers: tuple[Callable[[Any], CanonicalTool], ...] = (_read_one, adapter.to_canonical)
        for reader in readers:
            with suppress(Exception):  # another format, or an adapter that only writes
                sent = reader(written)
                if sent.inputs or not canonical.inputs:
                    # An adapter's own reader may leave out fields that it wrote.
                    fields = fields_lost(canonical, sent) if reader is _read_one else []
                    return [*fields, *had.missing_in(Features.of(sent), denied)]
    return [name for name in had.names() if name in denied]
