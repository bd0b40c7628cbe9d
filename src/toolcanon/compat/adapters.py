"""The third seed: adapters around one canonical tool, and a registry that converts between them.

A feature is warned of as lost when it is not sent, and only then: what was written is read again
and compared with the canonical tool. Its document warned by a table and sent the feature all the
same. Everything else that a conversion changes is told by ``toolcanon.convert``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, ClassVar, Final, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from toolcanon.conversion import bind, read
from toolcanon.conversion.choice import choose
from toolcanon.dialect import Support
from toolcanon.errors import InputError, UnreadableTool, UsageError
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
"""The features that are watched, in their fixed order."""
OUTPUT_SCHEMA: Final = "outputSchema"
"""What is lost with a schema of the answer that has none of them."""

Direction: TypeAlias = Literal["to_canonical", "from_canonical"]
_Names: TypeAlias = list[str]  # inside a class with a method called list
_FEATURES: Final = frozenset(SCHEMA_FEATURES)


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
    """A feature of the source's schemas that the written tool does not have; a value."""

    feature: str
    from_adapter: str
    to_adapter: str

    def __str__(self) -> str:
        return (
            f"feature {self.feature} lost converting from {self.from_adapter} to {self.to_adapter}"
        )


@dataclass(frozen=True, slots=True)
class ConversionResult:
    """The tool as the target's adapter writes it, and a warning for every occurrence lost."""

    tool: Any
    warnings: list[FeatureLossWarning] = field(default_factory=list)


@runtime_checkable
class Adapter(Protocol):
    """What can be registered: anything that has these four."""

    @property
    def name(self) -> str:
        """What the registry knows it by."""

    def to_canonical(self, raw: Any, /) -> CanonicalTool:
        """Read one tool."""

    def from_canonical(self, tool: CanonicalTool, /) -> Any:
        """Write one tool."""

    def supports_feature(self, feature: str, /) -> bool:
        """Whether schemas written may have this keyword."""


class _FormatAdapter:
    """A format of ours as an adapter."""

    name: str
    format: ClassVar[str]
    strict: bool | str = False

    def to_canonical(self, raw: Any) -> CanonicalTool:
        """Read one definition: a dict or an object of the provider's SDK. Raises ConversionError.

        The tool may share subtrees with a dict.
        """
        with _telling(self.name, "to_canonical"):
            return _read_one(raw, self.format)

    def from_canonical(self, tool: CanonicalTool) -> JsonObject:
        """A new dict, lowered to what the provider accepts. Raises ConversionError."""
        with _telling(self.name, "from_canonical"):
            if not isinstance(tool, CanonicalTool):
                raise UnreadableTool("canonical", "", f"found {type(tool).__name__}")
            payload = bind(tool, self.format, strict=self.strict).payload
            if not payload:
                reason = f"a built-in tool of {tool.source_format} exists nowhere else"
                raise UnreadableTool(self.format, "", reason)
            return copy_json(payload)  # type: ignore[no-any-return]  # a dict copies to a dict

    def supports_feature(self, feature: str) -> bool:
        """Whether the provider accepts the keyword somewhere in a schema."""
        target = get_target(self.format)
        if feature == OUTPUT_SCHEMA:
            return target.plain is not None and "outputs" in target.plain.writes
        choice = choose(target)
        dialect = choice.strict if self.strict is True else choice.plain
        return dialect is None or dialect.support(feature) is not Support.REJECTED


class MCPAdapter(_FormatAdapter):
    """``{name, title, description, inputSchema, outputSchema, annotations}``; all of 2020-12."""

    name = format = "mcp"


class OpenAIAdapter(_FormatAdapter):
    """``{"type": "function", "function": {name, description, parameters, strict}}``.

    ``strict`` asks for strict mode, which closes every object; "auto" where that costs nothing. A
    tool that was read as strict stays so in any case.
    """

    name = format = "openai"

    def __init__(self, *, strict: bool | str = False) -> None:
        choose(get_target(self.format), strict)  # refuses other words here rather than later
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
                f"{adapter!r} is no adapter; register an object that has name, to_canonical, "
                "from_canonical and supports_feature"
            )
        name = adapter.name
        with self._lock:
            if name in self._adapters:
                raise DuplicateAdapter(name)
            self._adapters[name] = adapter

    def get(self, name: str) -> Adapter:
        """The adapter of this name. Raises UnknownAdapter."""
        with self._lock:
            return self._found(name)

    def unregister(self, name: str) -> None:
        """Remove an adapter. Raises UnknownAdapter."""
        with self._lock:
            self._found(name)
            del self._adapters[name]

    def list(self) -> _Names:
        """The names, sorted, in whatever order threads registered them."""
        with self._lock:
            return sorted(self._adapters)

    def convert(self, tool: Any, from_: str, to: str) -> ConversionResult:
        """Read with one adapter, write with another, and tell the features lost on the way.

        The source is not changed. Raises UnknownAdapter, and ConversionError for whatever goes
        wrong inside an adapter.
        """
        with self._lock:
            source, target = self._found(from_), self._found(to)
        with _telling(from_, "to_canonical"):
            canonical = source.to_canonical(tool)
            if not isinstance(canonical, CanonicalTool):
                raise TypeError(f"expected a CanonicalTool, found {type(canonical).__name__}")
        with _telling(to, "from_canonical"):
            had = _Said.by(canonical)
            names = had.names()
            refused = [name for name in dict.fromkeys(names) if not target.supports_feature(name)]
            written = target.from_canonical(canonical)
            sent = _sent(target, written, canonical)
        lost = [name for name in names if name in refused] if sent is None else had.missing_in(sent)
        return ConversionResult(written, [FeatureLossWarning(name, from_, to) for name in lost])

    def _found(self, name: str) -> Adapter:
        try:
            return self._adapters[name]
        except KeyError:
            raise UnknownAdapter(name) from None


@contextmanager
def _telling(adapter: str, direction: Direction) -> Iterator[None]:
    """Whatever goes wrong inside says where it did."""
    try:
        yield
    except ConversionError:
        raise
    except Exception as cause:
        raise ConversionError(adapter, direction, cause) from cause


def _read_one(raw: Any, format: str | None = None) -> CanonicalTool:
    tools = read(raw, format)
    if len(tools) != 1:
        raise UsageError(f"an adapter takes one tool, found {len(tools)}; convert them one by one")
    return tools[0]


def _sent(adapter: Adapter, written: Any, canonical: CanonicalTool) -> _Said | None:
    """What the written tool says; None where nobody can read a schema in it.

    An adapter of somebody else's is believed last: its shape may be one we know.
    """
    if isinstance(adapter, _FormatAdapter):
        return _Said.by(adapter.to_canonical(written))
    if isinstance(written, dict):
        readers: tuple[Callable[[Any], Any], ...] = (_read_one, adapter.to_canonical)
        for reader in readers:
            with suppress(Exception):  # not its shape, or an adapter that only writes
                seen = reader(written)
                if seen.inputs or not canonical.inputs:
                    return _Said.by(seen)
    return None


class _Occurrence(NamedTuple):
    """One feature at one place of a schema."""

    feature: str
    at: tuple[str | int, ...]
    gist: str
    """What tells it from others of its kind wherever it stands."""


class _Said(NamedTuple):
    """The features of both schemas of a tool, as 2020-12 has them, in document order.

    Keywords that mean nothing in the draft of their schema are none.
    """

    inputs: list[_Occurrence]
    outputs: list[_Occurrence] | None
    """None where nothing is said of the answer."""

    @classmethod
    def by(cls, tool: CanonicalTool) -> _Said:
        outputs = tool.output_schema
        return cls([*_features(tool.input_schema)], [*_features(outputs)] if outputs else None)

    def names(self) -> list[str]:
        """The feature of every occurrence."""
        outputs = [item.feature for item in self.outputs or ()]
        if self.outputs is not None and not outputs:
            outputs = [OUTPUT_SCHEMA]
        return [*(item.feature for item in self.inputs), *outputs]

    def missing_in(self, sent: _Said) -> list[str]:
        """The occurrences that another tool does not have."""
        lost = _missing(self.inputs, sent.inputs)
        if self.outputs is None:
            return lost
        if sent.outputs is None and not self.outputs:
            return [*lost, OUTPUT_SCHEMA]
        return [*lost, *_missing(self.outputs, sent.outputs or [])]


def _missing(had: list[_Occurrence], sent: list[_Occurrence]) -> list[str]:
    """What was sent stands in its old place, or is found again in another one.

    Lowering moves schemas (folded unions, inlined references) and adds keywords of its own, so
    neither places nor numbers alone would do.
    """
    old_places = {item.at for item in had}
    places = {item.at for item in sent}
    moved = Counter((item.feature, item.gist) for item in sent if item.at not in old_places)
    lost = []
    for item in had:
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
            # An object that was open and is closed now has lost what its keyword said.
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
    """What stays the same when lowering moves a feature: nothing of what is below it."""
    if feature in {"$defs", "not"}:
        return ""
    if feature == "additionalProperties":
        return str(value is False)
    if feature == "$ref":
        return _last(value)
    if not isinstance(value, list):
        return repr(value)
    if feature == "enum":  # null is added for options, and values may become words
        return repr([as_text(item) for item in value if item is not None])
    first = value[0] if value else None  # null is added at the end of a union
    if feature not in POSITIONS or not isinstance(first, dict):
        return repr(value)
    members = first.get("properties")
    names = sorted(map(str, members)) if isinstance(members, dict) else []
    return repr((first.get("type") or _last(first.get("$ref")) or sorted(map(str, first)), names))


def _last(reference: Json) -> str:
    """The name in a reference, however that is spelled."""
    return reference.rpartition("/")[2] if isinstance(reference, str) else ""
