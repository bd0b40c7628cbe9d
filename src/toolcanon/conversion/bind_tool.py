"""One tool bound to a target: its name, its lowered schemas, whether it is strict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol

from orjson import dumps as _dumps

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
from toolcanon.lowering import Lowered, lower
from toolcanon.lowering.limits import shared_limits, surely_fits
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
_new = tuple.__new__  # a named tuple's own constructor costs twice as much
_MATERIAL: Final = Effect.WIDENED | Effect.NARROWED
_FREE: Final = frozenset({"L225"})  # an absent member and its declared default, null, are the same
_TEXT_LENS: Final[JsonObject] = {"version": 1, "root": {"ops": [{"op": "wrap", "key": "input"}]}}


class BoundTool(NamedTuple):
    """A tool and its written form; None where the target cannot hold it."""

    tool: CanonicalTool
    wire: LoweredTool | None
    lowered: Lowered | None = None
    outputs: Lowered | None = None
    refusal: Loss | None = None
    """Why it is not strict although strict mode was requested."""

    @property
    def input_schema(self) -> JsonObject:
        """The arguments' schema as 2020-12, as it was when the tool was bound."""
        known = None if self.lowered is None else self.lowered.upgraded
        return self.tool.input_schema if known is None else known

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
    plain, strict_dialect, mode, verbatim = choice
    if plain is None or ("kind" in said and said["kind"] is not _FUNCTION):
        wire = LoweredTool(name, said.get("inputs") or {}, outputs, verbatim, hint, plain, space)
        return _bind_unlowered(tool, wire, target)
    answer = None
    if outputs and sends_outputs(target, plain):
        answer = _lowered(tool, "outputs", plain)
        outputs = answer.schema
    refusal = None
    if mode or (hint and strict_dialect is not None):
        strict, refusal = _strict(tool, choice, quota)
        if strict is not None:
            wire = _new(
                LoweredTool, (name, strict.schema, outputs, False, True, strict_dialect, space)
            )
            return _new(BoundTool, (tool, wire, strict, answer, None))
    inputs = said.get("inputs")
    lowered = lower(inputs, plain) if inputs else _of_nothing(plain)
    said_strict = False if hint is not None or mode else None
    wire = _new(LoweredTool, (name, lowered.schema, outputs, False, said_strict, plain, space))
    return _new(BoundTool, (tool, wire, lowered, answer, refusal))


def _bind_unlowered(tool: CanonicalTool, wire: LoweredTool, target: WritableFormat) -> BoundTool:
    """Bind a tool whose schemas are written unchanged, or one that is not a function."""
    kind = tool.__dict__.get("kind", _FUNCTION)
    if kind is _FUNCTION or kind in target.kinds:
        return BoundTool(tool, wire)
    if kind is Kind.FREEFORM:
        parameter = Lowered(as_parameter(), _TEXT_LENS, [])
        return BoundTool(tool, wire._replace(inputs=parameter.schema), parameter)
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
    plain = choice._replace(strict=None, mode=False)
    made = bind_tool(item.tool, wire.name, target, plain, Quota(None), space=wire.namespace)
    reason = "not every tool of the request can be strict"
    refusal = _refusal(item.tool, Pointer(("hints", "strict")), reason)
    relaxed = None if made.wire is None else made.wire._replace(strict=False)
    return made._replace(wire=relaxed, refusal=refusal)


def _strict(
    tool: CanonicalTool, choice: Choice, quota: Quota | None
) -> tuple[Lowered | None, Loss | None]:
    """Return the tool in the strict dialect, or the loss with the reason why not."""
    dialect = choice.strict
    if dialect is None:
        return None, _refusal(
            tool, Pointer(("hints", "strict")), "the target has no strict mode for a tool"
        )
    lowered = _lowered(tool, "inputs", dialect)
    if choice.mode == AUTO:
        costly = next((loss for loss in lowered.losses(tool.id, "inputs") if _costs(loss)), None)
        if costly is not None:
            return None, _refusal(tool, costly.at, f"it would cost {costly.name}")
    if quota is None and is_small(lowered, dialect, alone=True):
        return lowered, None
    excess = None if is_small(lowered, dialect) else excess_of(lowered.measures, dialect)
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


def is_small(lowered: Lowered, dialect: Dialect, *, alone: bool = False) -> bool:
    """Return whether one tool exceeds no limit, as most do.

    A tool that is alone in its request does not exceed the limits of the request either.
    """
    try:
        text = lowered.text or _dumps(lowered.schema)
    except TypeError:  # integers beyond 64 bits
        return False
    return surely_fits(text, dialect, alone=alone)


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


def _lowered(tool: CanonicalTool, side: str, dialect: Dialect) -> Lowered:
    """Lower one schema of a tool."""
    schema = tool.__dict__.get(side)
    is_root = side == "inputs"
    return lower(schema, dialect, is_root) if schema else _of_nothing(dialect, is_root=is_root)


def _of_nothing(dialect: Dialect, *, is_root: bool = True) -> Lowered:
    """Return what is written for a schema that the tool does not have."""
    if not dialect.strict:
        return Lowered({}, None, [])
    made = lower(no_parameters(), dialect, is_root)  # a grammar needs that, too
    made.upgraded = None  # it is not the tool's schema
    return made
