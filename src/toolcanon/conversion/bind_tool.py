"""One tool bound to a target: its name, its lowered schemas, whether it is strict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from toolcanon.conversion.predicted_losses import sends_outputs
from toolcanon.conversion.target import AUTO, Choice
from toolcanon.diagnostics import CODES, Effect, Loss
from toolcanon.dialect import Dialect
from toolcanon.formats.wire import LoweredTool, WritableFormat, notes, own_extras
from toolcanon.formats.wire.flat_reader import as_parameter
from toolcanon.formats.wire.format import BUILTIN, no_parameters
from toolcanon.ir import STATED_HINTS, CanonicalTool, Kind, stated_hints
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering import Lowered, lower, rewrite
from toolcanon.lowering.limits import shared_limits
from toolcanon.naming import aliases
from toolcanon.registry import registry
from toolcanon.schema.measure import Measures


def space_of(tool: CanonicalTool, target: WritableFormat) -> str | None:
    """Return the namespace of a tool at a target; None where it has none or its name includes it.

    The group of a catalog is not a namespace, since no model was sent it. So it becomes part of the
    name wherever calls must name a namespace.
    """
    said = tool.__dict__
    space: str | None = said.get("namespace") or None
    if space is None or not target.namespaces:
        return None
    if target.calls_name_spaces:
        source = registry().formats.get(str(said.get("source_format")))
        if source is not None and source.is_catalog:
            return None
    return space


def wire_spaces(
    tools: Sequence[CanonicalTool],
    target: WritableFormat,
    verbatim: bool,  # noqa: FBT001
) -> list[str | None]:
    """Return the target's name of each tool's namespace; legal and unique unless verbatim."""
    if not target.namespaces:
        return [None] * len(tools)
    spaces = [space_of(tool, target) for tool in tools]
    policy = target.names if target.calls_name_spaces else None
    if verbatim or policy is None:
        return spaces
    known = list(dict.fromkeys(space for space in spaces if space is not None))
    table: dict[str | None, str | None] = {None: None}
    table |= dict(zip(known, aliases(known, policy), strict=True))
    return [table[space] for space in spaces]


_FUNCTION = Kind.FUNCTION
_new = object.__new__  # the constructors of these classes cost several times as much
_MATERIAL: Final = Effect.WIDENED | Effect.NARROWED
_FREE: Final = frozenset({"L225"})  # an absent member and its declared default, null, are the same
_TEXT_LENS: Final[JsonObject] = {"version": 1, "root": {"ops": [{"op": "wrap", "key": "input"}]}}


@dataclass(slots=True)
class BoundTool:
    """A tool and its written form; None where the target cannot hold it."""

    tool: CanonicalTool
    wire: LoweredTool | None
    lowered: Lowered | None = None
    """None where the schema of the arguments goes out as it is."""
    outputs: Lowered | None = None
    refusal: Loss | None = None
    """Why it is not strict although strict mode was requested."""

    @property
    def input_schema(self) -> JsonObject:
        """The arguments' schema as 2020-12, as it was when the tool was bound."""
        tool, wire, lowered = self.tool, self.wire, self.lowered
        known = None if lowered is None else lowered.upgraded
        if lowered is None and wire is not None and wire.dialect and tool.kind is _FUNCTION:
            return wire.inputs
        return tool.input_schema if known is None else known

    @property
    def lens(self) -> JsonObject | None:
        """The lens of the arguments, as plain JSON."""
        return None if self.lowered is None else self.lowered.document


class Measured(Protocol):
    """Something with measures of its size."""

    @property
    def measures(self) -> Measures: ...


_SHARED: Final[dict[str, Callable[[Measured], int]]] = {
    "tools": lambda _: 1,
    "optional": lambda asking: asking.measures.optional,
    "unions": lambda asking: asking.measures.unions,
    "members": lambda asking: asking.measures.properties,
}
"""The limits that all tools of a request share, and the size of a tool for each."""


class Quota:
    """The rest of the limits for the strict tools of one request."""

    def __init__(self, limits: Dialect | None) -> None:
        self._left = shared_limits(limits).copy()

    def excess(self, asking: Measured) -> str | None:
        """Return the limit that the tool would exceed; None, and count it, where there is none."""
        asked = {name: _SHARED[name](asking) for name in self._left}
        for name, count in asked.items():
            if count > self._left[name]:
                return f"{count} {name} do not fit: {self._left[name]} left in this request"
        for name, count in asked.items():
            self._left[name] -= count
        return None


def bind_tool(  # noqa: PLR0913, PLR0917 - asked for every tool, and keywords cost
    tool: CanonicalTool,
    name: str,
    target: WritableFormat,
    choice: Choice,
    quota: Quota | None = None,
    space: str | None = None,
) -> BoundTool:
    """Lower one tool for a target; several share their quota. ``space`` is its namespace."""
    said = tool.__dict__
    if target.naming is not None and said["name"] in target.naming.internal:
        return BoundTool(tool, None)
    hints = stated_hints(tool) if "hints" in said else said.get(STATED_HINTS)
    hint = hints.get("strict") if hints else None
    outputs = said.get("outputs") or {}  # its owner may change it
    inputs: JsonObject = said.get("inputs") or {}
    plain, mode = choice.plain, choice.mode
    if plain is None or ("kind" in said and said["kind"] is not _FUNCTION):
        wire = LoweredTool(name, inputs, outputs, choice.verbatim, hint, plain, space)
        return _bind_unlowered(tool, wire, target)
    answer = None
    if outputs and sends_outputs(target, plain):
        answer = lower(outputs, plain, is_root=False)
        outputs = answer.schema
        if answer.document is not None:  # results are sent as they are, and would not fit it
            answer, outputs = None, {}
    lowered = refusal = None
    wire, made = _new(LoweredTool), _new(BoundTool)
    wire.strict, wire.dialect = False if hint is not None or mode else None, plain
    if mode or (hint and choice.strict is not None):
        lowered, refusal = _strict(tool, choice, quota)
    if lowered is not None:
        wire.strict, wire.dialect = True, choice.strict
    elif not (inputs and choice.passes is not None and choice.passes(inputs)):
        lowered = rewrite(inputs, plain) if inputs else _of_nothing(plain)
    wire.name, wire.outputs, wire.verbatim, wire.namespace = name, outputs, False, space
    wire.inputs = inputs if lowered is None else lowered.schema
    made.tool, made.wire, made.lowered = tool, wire, lowered
    made.outputs, made.refusal = answer, refusal
    return made


def _bind_unlowered(tool: CanonicalTool, wire: LoweredTool, target: WritableFormat) -> BoundTool:
    """Bind a tool whose schemas are written unchanged, or one that is not a function."""
    kind = tool.__dict__.get("kind", _FUNCTION)
    if kind is _FUNCTION or kind in target.kinds:
        return BoundTool(tool, wire)
    if kind is Kind.FREEFORM:
        parameter = Lowered(as_parameter(), _TEXT_LENS, [])
        return BoundTool(tool, replace(wire, inputs=parameter.schema), parameter)
    is_own = BUILTIN in notes(own_extras(tool, target.id))
    return BoundTool(tool, wire if is_own else None)


def bind_together(
    bound: list[BoundTool], target: WritableFormat, choice: Choice
) -> list[BoundTool]:
    """Return the tools where all are strict, or none, or the request allows both.

    Otherwise none is strict, and those that could have been are reported.
    """
    if choice.strict is None or not choice.strict.together:
        return bound
    functions = [item.wire for item in bound if item.wire and item.tool.kind is _FUNCTION]
    if len({bool(wire.strict) for wire in functions}) < 2:  # noqa: PLR2004 - strict and not
        return bound
    return [
        _relaxed(item, item.wire, target, choice) if item.wire and item.wire.strict else item
        for item in bound
    ]


def _relaxed(
    item: BoundTool, wire: LoweredTool, target: WritableFormat, choice: Choice
) -> BoundTool:
    plain = replace(choice, strict=None, mode=False)
    made = bind_tool(item.tool, wire.name, target, plain, Quota(None), space=wire.namespace)
    reason = "not every tool of the request can be strict"
    refusal = _refusal(item.tool, Pointer(("hints", "strict")), reason)
    relaxed = None if made.wire is None else replace(made.wire, strict=False)
    return replace(made, wire=relaxed, refusal=refusal)


def _strict(
    tool: CanonicalTool, choice: Choice, quota: Quota | None
) -> tuple[Lowered | None, Loss | None]:
    """Return the tool in the strict dialect, or the loss with the reason why not."""
    dialect = choice.strict
    if dialect is None:
        return None, _refusal(
            tool, Pointer(("hints", "strict")), "the target has no strict mode for a tool"
        )
    inputs = tool.__dict__.get("inputs")
    lowered = lower(inputs, dialect) if inputs else _of_nothing(dialect)
    if choice.mode == AUTO:
        costly = next((loss for loss in lowered.losses(tool.id, "inputs") if _costs(loss)), None)
        if costly is not None:
            return None, _refusal(tool, costly.at, f"it would cost {costly.name}")
    if quota is None and lowered.surely_fits(dialect, alone=True):
        return lowered, None
    excess = None if lowered.surely_fits(dialect) else excess_of(lowered.measures, dialect)
    if excess is None and (reason := (quota or Quota(dialect)).excess(lowered)):
        excess = (reason, Pointer(("inputs",)))
    if excess is None:
        return lowered, None
    return None, _refusal(tool, excess[1], excess[0])


def _costs(loss: Loss) -> bool:
    return bool(loss.effect & _MATERIAL) and loss.code not in _FREE


def _refusal(tool: CanonicalTool, at: Pointer, reason: str) -> Loss:
    entry = CODES["L237"]
    return Loss("L237", entry.name, entry.effect, tool.id, at, "strict", reason)


def excess_of(measures: Measures, dialect: Dialect) -> tuple[str, Pointer] | None:
    """Return the limit of this dialect that one tool exceeds, and where; None without one."""
    limits = dialect.limits
    root = Pointer(("inputs",))
    for name, found, most in (
        ("levels", measures.depth, limits.depth),
        ("properties", measures.properties, limits.properties),
        ("enum values", measures.enum_values, limits.enum_values),
        ("characters in names and values", measures.name_chars, limits.characters),
    ):
        if most is not None and found > most:
            deepest = Pointer(("inputs", *measures.deepest)) if name == "levels" else root
            return f"{found} {name}, {most} at most", deepest
    if limits.large_enum is not None:
        values, chars = measures.largest_enum
        if values > limits.large_enum[0] and chars > limits.large_enum[1]:
            return f"an enum of {chars} characters, {limits.large_enum[1]} at most", root
    for place in measures.memberless:
        if dialect.some_required or (place and not dialect.empty_objects):
            return "an object without members", Pointer(("inputs", *place))
    if measures.stacked and not dialect.nested_unions:
        return "a union within a union", Pointer(("inputs", *measures.stacked[0]))
    return None


def _of_nothing(dialect: Dialect) -> Lowered:
    """Return what is written for a schema that the tool does not have."""
    if not dialect.strict:
        return Lowered({}, None, [])
    made = lower(no_parameters(), dialect)  # a grammar needs even that
    made.upgraded = None  # which is not the tool's own
    return made
