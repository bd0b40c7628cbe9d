"""The canonical tool: one superset of what every format can express.

A format's module is its id with underscores, so that the names of the modules suffice: no format
is imported here, and a new format needs no change here.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from enum import StrEnum
from importlib import import_module
from typing import Any, Final, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, SerializationInfo, model_serializer
from pydantic.fields import FieldInfo

from toolcanon.errors import UnreadableTool
from toolcanon.jsonio import Pointer, Snapshot, copy_json, snapshot, thaw
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema import Upgraded, upgrade
from toolcanon.schema.malformed import flaws, lost_references

_NO_FORMATS: Final = frozenset({"wire", "clients"})
_PACKAGE: Final = import_module("toolcanon.formats")  # empty: it imports no format

SourceFormat = StrEnum(  # type: ignore[misc]  # the members are found, not listed
    "SourceFormat",
    {
        module.name: module.name.replace("_", "-")
        for module in pkgutil.iter_modules(_PACKAGE.__path__)
        if module.name not in _NO_FORMATS
    },
    module=__name__,
)


def source_format_of(format_id: str) -> str:
    """Return the ``SourceFormat`` with this id; the id itself where a plugin has the format."""
    try:
        return SourceFormat(format_id)
    except ValueError:
        return format_id


class Kind(StrEnum):
    """The way in which a tool is called."""

    FUNCTION = "function"
    """With arguments that a schema describes."""
    FREEFORM = "freeform"
    """With one text, which a grammar may constrain."""
    BUILTIN = "builtin"
    """By its provider, which runs it; its definition is kept unchanged."""


class ToolCapability(BaseModel):
    """What a tool does, for policies and searches. Inferred unless given."""

    action: str = Field("", description="Primary verb: read, write, search, call, delete …")
    domain: str = Field(
        "", description="Where it acts: filesystem, web, database, code, email, general …"
    )
    side_effects: bool = Field(default=False, description="Whether it changes external state.")
    idempotent: bool = Field(default=True, description="Whether calling twice is like once.")
    cost_estimate: Literal["free", "low", "medium", "high", "unknown"] = "unknown"
    """The cost of a call."""


class ToolSecurity(BaseModel):
    """What a tool needs and what it does with data."""

    required_permissions: list[str] = Field(default_factory=list)
    """The permissions that a caller must have."""
    data_classification: Literal["public", "internal", "confidential", "restricted"] = "public"
    """The most sensitive data that it returns."""
    pii_handling: Literal["none", "processes", "stores", "anonymizes"] = "none"
    """What it does with personal data."""


class ToolHints(BaseModel):
    """Statements about behaviour and delivery. Unset means not stated; it is not a default."""

    model_config = ConfigDict(extra="forbid")

    read_only: bool | None = Field(None, description="Changes nothing outside.")
    destructive: bool | None = Field(None, description="May delete or overwrite.")
    idempotent: bool | None = Field(None, description="Repeating a call changes nothing more.")
    open_world: bool | None = Field(None, description="Reaches beyond a closed set of things.")
    strict: bool | None = Field(None, description="Arguments must follow the schema exactly.")
    deferred: bool | None = Field(None, description="Loaded only when searched for.")
    background: bool | None = Field(None, description="The model may go on without the result.")

    def said(self) -> dict[str, bool]:
        """Return only the stated hints."""
        return {name: value for name, value in self.__dict__.items() if value is not None}


class Grammar(BaseModel):
    """The grammar of a free-text tool's input."""

    syntax: str = Field(description="lark, regex …")
    definition: str
    """The grammar itself, in that syntax."""


_set = object.__setattr__
_new = object.__new__
_SOURCE: Final = "_source"
DEFAULT_VERSION: Final = "1.0.0"
STATED_HINTS: Final = "_hints"
"""The key of hints that a reader left as plain booleans; the model is made on first access."""
_SNAPSHOT: Final = "_snapshot"
_INFERRED: Final = "_inferred"
_SIDES: Final = {side: Pointer((side,)) for side in ("inputs", "outputs")}
_LOOSE: Final = "L111"
"""From this code on, codes of upgrades are about values of types that no draft allows."""
_NO_HINTS: Final[dict[str, bool]] = {}
_FIXED: Final = frozenset({str, Kind, SourceFormat})
_PRIVATE: Final = "__pydantic_private__"
_PYDANTIC: Final = frozenset({"__pydantic_fields_set__", "__pydantic_extra__", _PRIVATE})


class CanonicalTool(BaseModel):
    """A tool in a form that belongs to no provider.

    ``inputs`` and ``outputs`` are the schemas as they were given; ``input_schema`` and
    ``output_schema`` are the same as JSON Schema 2020-12. ``extras`` keeps what only one format
    knows, under that format's id, and only that format reads it.

    >>> CanonicalTool(name="read_file", description="Read a file").capabilities.action
    'read'
    """

    model_config = ConfigDict(title="CanonicalTool", arbitrary_types_allowed=False)

    name: str = Field(description="The tool's own name, as its author wrote it.")
    version: str = DEFAULT_VERSION
    """The version that its author gave it."""
    description: str = ""
    """The text by which a model decides whether to call it."""
    capabilities: ToolCapability = Field(
        default_factory=ToolCapability,
        description="Inferred from the texts unless given.",
    )
    inputs: dict[str, Any] = Field(
        default_factory=dict, description="JSON Schema of the arguments, verbatim."
    )
    outputs: dict[str, Any] = Field(
        default_factory=dict, description="JSON Schema of the answer, verbatim."
    )
    security: ToolSecurity | None = None
    """What it needs and what it does with data, where that is stated."""
    source_format: str = Field(
        source_format_of("raw"), description="The id of the format it was read from."
    )
    original_definition: dict[str, Any] = Field(
        default_factory=dict, description="A copy of the input. Writers never use it."
    )
    title: str | None = Field(None, description="A name for people.")
    namespace: str | None = Field(None, description="Groups tools; part of the id.")
    category: str | None = None
    """A category of its catalog, where it has one."""
    tags: list[str] = Field(default_factory=list)
    """Keywords of its catalog."""
    timeout: float | None = Field(
        None, description="Seconds.", gt=0, allow_inf_nan=False, strict=True
    )
    hints: ToolHints = Field(default_factory=ToolHints)
    """What is stated about its behaviour."""
    examples: list[Any] = Field(default_factory=list, description="Example arguments.")
    kind: Kind = Kind.FUNCTION
    """The way in which it is called."""
    grammar: Grammar | None = Field(None, description="The grammar of a free-text tool.")
    extras: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="What only one format knows, by format id."
    )

    def __init__(self, **data: Any) -> None:
        super().__init__(**data)
        self.__dict__["source_format"] = source_format_of(self.source_format)
        if "capabilities" not in data:  # absent means: infer when asked
            del self.__dict__["capabilities"]

    def freeze(self, definition: Json = None, packed: Snapshot | None = None) -> Self:
        """Copy the definition now, so that later changes of the input cannot reach it.

        ``packed`` is a snapshot of ``definition`` from before; it is cheaper while no tool holds
        parts of it.
        """
        source = self.__dict__.pop(_SOURCE, None)
        if source is not None:
            made = packed if packed is not None and source is definition else snapshot(source)
            _set(self, _PRIVATE, {_SNAPSHOT: made})
        return self

    def __getattr__(self, name: str) -> Any:
        """Return a field that was not set: its default, the original, inferred capabilities."""
        if name in _PYDANTIC:  # a trusted tool has no slots of the model yet
            value: Any = set() if name == "__pydantic_fields_set__" else None
            _set(self, name, value)
            return value
        said = self.__dict__
        if name == "capabilities":
            return self._infer()
        make = _DEFAULTS.get(name)
        if make is None:
            raise AttributeError(name)
        if name == "hints":
            value = ToolHints(**said.pop(STATED_HINTS, {}))
        elif name == "original_definition":
            self.freeze()
            frozen = self._private().get(_SNAPSHOT)
            value = make() if frozen is None else thaw(frozen)
        else:
            value = make()
            if value is None or value.__class__ in _FIXED:  # immutable: nothing to keep
                return value
        said[name] = value
        return value

    def _infer(self) -> ToolCapability:
        """Return the capabilities by the current texts; inferred again when those change."""
        from toolcanon.infer import infer, parameter_words  # noqa: PLC0415 - few tools are asked

        hints = stated_hints(self)
        parameters = parameter_words(self.__dict__.get("inputs") or {})
        key = (self.name, self.description, tuple(hints.items()), tuple(parameters.items()))
        known = self._private().get(_INFERRED)
        if known is not None and known[0] == key:
            return known[1]  # type: ignore[no-any-return]  # the cache holds what we put there
        found = infer(self.name, self.description, hints, parameters)
        made = ToolCapability(
            action=found.action,
            domain=found.domain,
            side_effects=found.side_effects,
            idempotent=found.idempotent,
        )
        _set(self, _PRIVATE, {**self._private(), _INFERRED: (key, made)})
        return made

    def _private(self) -> dict[str, Any]:
        """The tool's private values, which its copies share and its document leaves out."""
        return self.__pydantic_private__ or {}

    @property
    def has_own_capabilities(self) -> bool:
        """Whether capabilities were given rather than inferred."""
        return "capabilities" in self.__dict__

    @property
    def has_own_original(self) -> bool:
        """Whether the original was given rather than taken from the read definition."""
        stated = self.__dict__.get("original_definition")
        return bool(stated) and _SNAPSHOT not in self._private()

    @property
    def id(self) -> str:
        """``namespace:name``, or the name alone."""
        said = self.__dict__
        namespace, name = said.get("namespace"), said["name"]
        return f"{namespace}:{name}" if namespace else name

    @property
    def input_schema(self) -> JsonObject:
        """The arguments' schema as JSON Schema 2020-12; shares what needed no change."""
        return self.upgraded("inputs").schema

    @property
    def output_schema(self) -> JsonObject:
        """The answer's schema as JSON Schema 2020-12."""
        return self.upgraded("outputs").schema

    def upgraded(self, side: str) -> Upgraded:
        """Return the 2020-12 view of ``inputs`` or ``outputs``, and what was rewritten for it.

        Computed on every call, since schemas can be changed in place; a schema that is 2020-12
        already takes almost no time.
        """
        return upgrade(getattr(self, side), self.name, _SIDES[side])

    def ensure_valid(self) -> Self:
        """Raise UnreadableTool unless the tool can be called; return the tool itself.

        It needs a name, arguments that are an object, and schemas without malformed keywords and
        without references to missing definitions.
        """
        if not self.name.strip():
            raise UnreadableTool("canonical", "/name", "a tool needs a name")
        for side in _SIDES:
            self._ensure_readable(side)
        root = self.input_schema.get("type", "object")
        if self.kind is Kind.FUNCTION and root != "object":
            raise UnreadableTool(
                "canonical", "/inputs/type", f"the arguments must be an object, not {root!r}"
            )
        return self

    def _ensure_readable(self, side: str) -> None:
        """Raise UnreadableTool for a keyword of a schema that no validator can apply."""
        upgraded = self.upgraded(side)
        for loss in upgraded.losses:
            if loss.code >= _LOOSE:
                reason = f"the value is not valid in JSON Schema ({loss.code} {loss.name})"
                raise UnreadableTool("canonical", str(loss.at), reason)
        lost = (
            found
            for found in lost_references(upgraded.schema)
            if str(found.value).startswith("#")  # another document may be there
        )
        for found in (*flaws(upgraded.schema), *lost):
            place = str(Pointer((side, *found.at)))
            raise UnreadableTool("canonical", place, found.reason)

    @model_serializer(mode="plain")
    def _serialize(self, info: SerializationInfo) -> dict[str, Any]:
        out = self._plain()
        if info.include is not None:
            out = {key: value for key, value in out.items() if key in info.include}
        if info.exclude is not None:
            out = {key: value for key, value in out.items() if key not in info.exclude}
        return out

    def _plain(self) -> dict[str, Any]:
        """Return the nine first fields in order, and of the others those that are set."""
        out: dict[str, Any] = {
            "name": self.name,
            "version": self.version,
            "description": self.description,
            "capabilities": self.capabilities.model_dump(),
            "inputs": self.inputs,
            "outputs": self.outputs,
            "security": None if self.security is None else self.security.model_dump(),
            "source_format": str(self.source_format),
            "original_definition": self.original_definition,
        }
        out.update(self.said())
        return out

    def said(self) -> JsonObject:
        """Return the set fields beyond the first nine, as plain JSON."""
        stated = self.__dict__
        out: JsonObject = {}
        for name in ("title", "namespace", "category", "tags", "timeout"):
            if value := stated.get(name):
                out[name] = value
        if hints := stated_hints(self):
            out["hints"] = hints
        if examples := stated.get("examples"):
            out["examples"] = examples
        kind = stated.get("kind", Kind.FUNCTION)
        if kind is not Kind.FUNCTION:
            out["kind"] = kind.value
        if (grammar := stated.get("grammar")) is not None:
            out["grammar"] = grammar.model_dump()
        if extras := stated.get("extras"):
            out["extras"] = extras
        return out

    def to_dict(self) -> JsonObject:
        """Return the canonical document, which shares nothing with this tool."""
        return copy_json(self._plain())  # type: ignore[no-any-return]  # a dict copies to a dict

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CanonicalTool) and self._plain() == other._plain()

    __hash__ = None  # type: ignore[assignment]  # mutable, as its seed promised

    def __repr_args__(self) -> list[tuple[str | None, Json]]:
        return [
            ("name", self.name),
            ("source_format", str(self.source_format)),
            ("kind", self.kind),
        ]


def trusted_tool(said: JsonObject, definition: Json = None) -> CanonicalTool:
    """Build a tool without validation, for a reader that checked the types itself.

    ``said`` holds only the fields that the source sets, and becomes the tool's own dictionary;
    other fields have their defaults. Validation would cost as much as parsing the text did. The
    definition is copied on access of ``original_definition``, or by ``freeze``.
    """
    tool = _new(CanonicalTool)
    said[_SOURCE] = definition
    _set(tool, "__dict__", said)
    return tool


def stated_hints(tool: CanonicalTool) -> dict[str, bool]:
    """Return the stated hints. Not to be changed."""
    said = tool.__dict__
    if "hints" in said:  # made from the plain ones, or assigned since
        return said["hints"].said()  # type: ignore[no-any-return]  # a ToolHints
    return said.get(STATED_HINTS, _NO_HINTS)  # type: ignore[no-any-return]  # of booleans


def _maker(field: FieldInfo) -> Callable[[], Any]:
    if field.default_factory is not None:
        return cast("Callable[[], Any]", field.default_factory)  # none takes validated data
    return lambda: field.default  # all of our defaults are immutable


_DEFAULTS: Final[dict[str, Callable[[], Any]]] = {
    name: _maker(field)
    for name, field in CanonicalTool.model_fields.items()
    if not field.is_required()
}
"""The defaults of fields; a lookup in the model each time is slow."""
