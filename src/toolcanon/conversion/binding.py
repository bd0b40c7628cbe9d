"""Tools bound to one target: the payload, names, losses, and the restoring of calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from toolcanon.calls.restore import Calls, CallShape, RestoredCall
from toolcanon.conversion.bind_tool import (
    BoundTool,
    Quota,
    bind_together,
    bind_tool,
    space_of,
    wire_spaces,
)
from toolcanon.conversion.losses import OBSERVERS, crowded_out, losses_of, tell
from toolcanon.conversion.receipt import call_shapes, make_receipt, receipt_of_tools
from toolcanon.conversion.target import VERBATIM, BindTarget, telling
from toolcanon.diagnostics import Losses
from toolcanon.errors import AmbiguousChoice, BadReceipt, DuplicateTool, UsageError
from toolcanon.formats.wire import LoweredTool, WritableFormat
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio import copy_json
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering import Lens
from toolcanon.naming import alias, aliases
from toolcanon.registry import get_target

UNNAMED = "tool"  # a schema document may have no name
_new = object.__new__


class Binding:
    """Tools written for one target.

    ``payload`` is ready for the provider; it may share subtrees with the tools. Names, losses,
    lenses and the receipt are computed on first access.
    """

    __slots__ = (
        "_bind_target",
        "_bound",
        "_calls",
        "_losses",
        "_receipt",
        "_single",
        "payload",
    )

    _single: bool
    payload: Json
    _bind_target: BindTarget
    _bound: list[BoundTool]
    _losses: Losses | None
    _calls: Calls | None
    _receipt: JsonObject | None

    def __init__(
        self,
        tools: list[CanonicalTool],
        bind_target: BindTarget,
        single: bool = False,  # noqa: FBT001, FBT002
    ) -> None:
        """Bind several tools: their names are unique, and they share the limits of a request."""
        self._bind_target = bind_target = telling(bind_target, tools)
        self._single = single
        self._losses = self._calls = self._receipt = None
        target, choice = bind_target.target, bind_target.choice
        quota = Quota(choice.strict)
        names = wire_names(tools, target, choice.verbatim)
        spaces = wire_spaces(tools, target, choice.verbatim)
        bound: list[BoundTool] = []
        written: list[tuple[CanonicalTool, JsonObject]] = []
        for tool, name, space in zip(tools, names, spaces, strict=True):
            made = bind_tool(tool, name, target, choice, quota, space=space)
            bound.append(made)
            if made.wire is not None:
                written.append((tool, target.write(tool, made.wire)))
        self.payload = target.assemble(written) if written else []
        self._bound = bind_together(bound, target, choice)
        if self._bound is not bound:
            self.payload = self._assembled()
        if OBSERVERS:
            tell(self.losses)

    @property
    def format(self) -> str:
        """The id of the target's format."""
        return self._bind_target.target.id

    def _assembled(self) -> Json:
        held = [
            (item.tool, self._bind_target.target.write(item.tool, item.wire))
            for item in self._bound
            if item.wire is not None
        ]
        return self._bind_target.target.assemble(held) if held else []

    @staticmethod
    def from_receipt(receipt: JsonObject) -> Binding:
        """Return a binding that restores and renders calls, without the tools.

        It has names, ``restore``, ``render``, ``tool_choice`` and ``receipt``, but no payload. The
        receipt of a switch gives the binding of its tools. Raises BadReceipt.
        """
        receipt = receipt_of_tools(receipt)
        made = _new(_Carrier)
        made._calls = Calls(call_shapes(receipt))  # noqa: SLF001 - its own kind
        made._receipt = copy_json(receipt)  # noqa: SLF001
        made._losses = None  # noqa: SLF001
        made._bound = []  # noqa: SLF001
        try:
            target = get_target(str(receipt.get("format")))
        except UsageError as error:
            raise BadReceipt(str(error)) from None
        made._bind_target = BindTarget(target, VERBATIM)  # noqa: SLF001
        made._single = bool(receipt.get("single"))  # noqa: SLF001
        return made

    @property
    def tools(self) -> list[CanonicalTool]:
        """The bound tools, in order."""
        return [item.tool for item in self._bound]

    @property
    def names(self) -> dict[str, str]:
        """The target's name of each tool by the tool's id, without tools that are not sent.

        In a namespace that name is ``namespace:name``, as ``restore`` accepts it.
        """
        if self._receipt is not None and not self._bound:
            return {shape.id: shape.full_name for shape in self._table.shapes}
        return {
            item.tool.id: _full_name(item.wire) for item in self._bound if item.wire is not None
        }

    @property
    def losses(self) -> Losses:
        """Everything that the target does not hold or holds differently, in order."""
        known = self._losses
        if known is None:
            bound, target = self._bound, self._bind_target.target
            if self._single and len(bound) == 1:
                found = losses_of(bound[0], target)
            else:
                found = [loss for item in bound for loss in losses_of(item, target)]
                found += crowded_out(bound, self._bind_target.choice)
            known = self._losses = Losses(found)
        return known

    @property
    def lenses(self) -> list[JsonObject | None]:
        """The lens of each tool's arguments as plain JSON; None where arguments stay unchanged."""
        return [item.lens and copy_json(item.lens) for item in self._bound]  # others hold the same

    @property
    def _table(self) -> Calls:
        """The names and lenses of calls, in both directions."""
        if self._calls is None:
            self._calls = Calls(
                CallShape(
                    item.tool.id,
                    item.wire.name,
                    item.input_schema if item.tool.kind is Kind.FUNCTION else None,
                    item.wire.inputs,
                    None if item.lens is None else Lens(item.lens),
                    item.wire.namespace,
                )
                for item in self._bound
                if item.wire is not None
            )
            self._calls.naming = self._bind_target.target.naming
        return self._calls

    @property
    def needs_restore(self) -> bool:
        """Whether calls arrive with other names or arguments than the tools' own."""
        if self._receipt is not None and not self._bound:
            return any(shape.lens or shape.id != shape.full_name for shape in self._table.shapes)
        return any(
            item.wire is not None
            and (item.lens is not None or _full_name(item.wire) != item.tool.id)
            for item in self._bound
        )

    def restore(self, name: str, arguments: Json) -> RestoredCall:
        """Return a model's call with the tool's own name and arguments.

        Accepts what models send: text, text within text, numbers as text, null for absent. Every
        repair is reported. Problems refer to the original schema. Raises UnknownTool.
        """
        restored = self._table.restore(name, arguments)
        if OBSERVERS:
            tell(restored.repairs)
        return restored

    def render(self, name: str, arguments: Json) -> tuple[str, Json]:
        """Return the name and arguments of a call as the target's model would write them."""
        return self._table.render(name, arguments)

    def request(self) -> JsonObject:
        """Return the keyword arguments for the provider's SDK; empty when there are no tools."""
        held = self._assembled()
        strict = any(item.wire is not None and item.wire.strict for item in self._bound)
        choice = self._bind_target.choice
        if choice.strict is None:  # tools have no field for it, so the request has it
            strict = bool(choice.mode)
        return self._bind_target.target.request(held, strict) if held else {}

    def tool_choice(self, name: str) -> Json:
        """Return the value that makes the model call this tool.

        Raises UnknownTool, AmbiguousChoice.
        """
        shape = self._table.named(name)
        if self._bind_target.target.force is None:
            raise UsageError(f"{self.format} has no way to choose a tool")
        alike = [other.id for other in self._table.shapes if other.wire_name == shape.wire_name]
        if len(alike) > 1:  # a choice has no field for a namespace
            raise AmbiguousChoice(self.format, shape.wire_name, alike)
        return self._bind_target.target.force(shape.wire_name, shape.inputs is None)

    def receipt(self) -> JsonObject:
        """Return what restores the tools and their calls in another process, as plain JSON."""
        if self._receipt is not None:
            return copy_json(self._receipt)  # type: ignore[no-any-return]  # a dict stays one
        return make_receipt(self._bind_target.target, self._bound, single=self._single)


class _Carrier(Binding):
    """A binding made from a receipt."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name == "payload":
            raise AttributeError("a binding made from a receipt has no payload, only calls")
        raise AttributeError(name)


_Kind = TypeVar("_Kind", bound=Binding)


def bind_one(kind: type[_Kind], tool: CanonicalTool, bind_target: BindTarget) -> _Kind:
    """Return the binding of one tool, which shares names and limits with no other tool."""
    target, choice = bind_target.target, bind_target.choice
    if target.naming is not None:
        bind_target = telling(bind_target, (tool,))
        target = bind_target.target
    verbatim = choice.verbatim
    name = wire_name(tool, target, verbatim)
    space = wire_spaces((tool,), target, verbatim)[0] if target.namespaces else None
    item = bind_tool(tool, name, target, choice, None, space)
    wire = item.wire
    made = _new(kind)
    made._bind_target = bind_target  # noqa: SLF001 - of this module, as all below
    made._single = True  # noqa: SLF001
    made._bound = [item]  # noqa: SLF001
    made._losses = made._calls = made._receipt = None  # noqa: SLF001
    made.payload = [] if wire is None else target.write(tool, wire)
    if OBSERVERS:
        tell(made.losses)
    return made


def bound_tools(binding: Binding) -> list[BoundTool]:
    """Return each tool of a binding with what was decided for it."""
    return binding._bound  # noqa: SLF001 - of this module


def bind_target_of(binding: Binding) -> BindTarget:
    """Return the target of a binding, with its dialects."""
    return binding._bind_target  # noqa: SLF001 - of this module


def calls_of(binding: Binding) -> Calls:
    """Return the names and lenses of calls, in both directions."""
    return binding._table  # noqa: SLF001 - of this module


def wire_name(tool: CanonicalTool, target: WritableFormat, verbatim: bool) -> str:  # noqa: FBT001
    """Return the name of a tool that is alone in its request."""
    said, policy = tool.__dict__, target.names
    name: str = said["name"] or UNNAMED
    if "namespace" in said and said["namespace"] and space_of(tool, target) is None:
        name = tool.id
    if target.naming is not None:
        name = target.naming.outward(name)
    return name if verbatim or policy is None or policy.allows(name) else alias(name, policy)


def _full_name(wire: LoweredTool) -> str:
    return f"{wire.namespace}:{wire.name}" if wire.namespace else wire.name


def wire_names(tools: Sequence[CanonicalTool], target: WritableFormat, verbatim: bool) -> list[str]:  # noqa: FBT001
    """Return a name for each tool; legal and unique unless verbatim."""
    policy = target.names
    spaces = [space_of(tool, target) for tool in tools]
    names = [
        (tool.id if space is None else tool.__dict__["name"]) or UNNAMED
        for tool, space in zip(tools, spaces, strict=True)
    ]
    if not verbatim and len(tools) > 1:
        _refuse_duplicates(tools, names)
    if target.naming is not None:
        sent = target.naming.sent(names)
        names = [sent.get(name, name) for name in names]
    if verbatim or policy is None or all(map(policy.allows, names)):
        return names
    groups: dict[str | None, list[str]] = {}
    for space, name in zip(spaces, names, strict=True):
        groups.setdefault(space, []).append(name)
    tables = {}
    for group, members in groups.items():
        unique = list(dict.fromkeys(members))
        tables[group] = dict(zip(unique, aliases(unique, policy), strict=True))
    return [tables[space][name] for space, name in zip(spaces, names, strict=True)]


def _refuse_duplicates(tools: Sequence[CanonicalTool], names: Sequence[str]) -> None:
    seen: dict[tuple[str | None, str], int] = {}
    for number, (tool, name) in enumerate(zip(tools, names, strict=True), 1):
        said = tool.__dict__
        if said.get("kind") is Kind.BUILTIN:
            continue
        known = (said.get("namespace"), name)
        if known in seen:
            raise DuplicateTool(tool.id or name, seen[known], number)
        seen[known] = number
