"""Tools bound to one target: the payload, the names, what was lost, the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from toolcanon.conversion.bound import BoundTool, Quota, bind_tool
from toolcanon.conversion.calls import Calls, CallShape, Restored
from toolcanon.conversion.choice import Choice
from toolcanon.conversion.losses import losses_of
from toolcanon.conversion.observe import OBSERVERS, tell
from toolcanon.conversion.receipt import call_shapes, make_receipt
from toolcanon.conversion.remembered import Remembered, key_of, recall, remember
from toolcanon.diagnostics import Loss, Losses
from toolcanon.errors import BadReceipt, DuplicateTool, UsageError
from toolcanon.formats.wire import Target, Wire
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio import copy_json
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering import Lens
from toolcanon.naming import alias, aliases
from toolcanon.registry import get_target

UNNAMED = "tool"  # a schema document may come without any name


class Binding:
    """What one target is given for some tools.

    ``payload`` is ready for the provider; it may share subtrees with the tools. Names, losses,
    lenses and the receipt are worked out when asked for.
    """

    __slots__ = (
        "_calls",
        "_losses",
        "_memory",
        "_receipt",
        "_seed",
        "bound",
        "choice",
        "format",
        "payload",
        "single",
    )

    bound: list[BoundTool]
    format: Target
    choice: Choice
    single: bool
    payload: Json
    _losses: Losses | None
    _calls: Calls | None
    _receipt: JsonObject | None
    _memory: Remembered | None
    _seed: tuple[CanonicalTool, Wire]

    def __init__(
        self,
        tools: list[CanonicalTool],
        target: Target,
        choice: Choice,
        single: bool,  # noqa: FBT001 - called once per conversion, and keywords cost
    ) -> None:
        self.format = target
        self.choice = choice
        self.single = single
        self._losses = self._calls = self._receipt = self._memory = None
        verbatim = choice.verbatim
        if single and len(tools) == 1:
            self._bind_one(tools[0], target, choice)
        else:
            quota = Quota(choice.strict)
            names = wire_names(tools, target, verbatim)
            self.bound = [
                bind_tool(tool, name, target, choice, quota)
                for tool, name in zip(tools, names, strict=True)
            ]
            self.payload = self._assembled()
        if OBSERVERS:
            tell(self.losses)

    def _bind_one(self, tool: CanonicalTool, target: Target, choice: Choice) -> None:
        key = None if choice.plain is None else key_of(tool, target, choice)
        memory = None if key is None else recall(key)
        if memory is not None:
            wire = memory.wire(tool.__dict__.get("inputs") or {})
            self._memory = memory
            self._losses = memory.losses
            self._seed = (tool, wire)
            self.payload = target.write(tool, wire)
            return
        name = wire_name(tool, target, choice.verbatim)
        made = bind_tool(tool, name, target, choice)
        self.bound = [made]
        self.payload = [] if made.wire is None else target.write(tool, made.wire)
        if key is not None:
            self._memory = remember(key, made)

    def _assembled(self) -> Json:
        held = [
            (item.tool, self.format.write(item.tool, item.wire))
            for item in self.bound
            if item.wire is not None
        ]
        return self.format.assemble(held) if held else []

    @classmethod
    def from_receipt(cls, receipt: JsonObject) -> Self:
        """A binding that carries calls, in a process that never saw the tools.

        It has names, ``restore``, ``render``, ``tool_choice`` and ``receipt``; the payload is
        where the receipt was made. Raises BadReceipt.
        """
        made = cls.__new__(cls)
        made._calls = Calls(call_shapes(receipt))  # noqa: SLF001 - its own kind
        made._receipt = copy_json(receipt)  # noqa: SLF001
        made._losses = made._memory = None  # noqa: SLF001
        try:
            made.format = get_target(str(receipt.get("format")))
        except UsageError as error:
            raise BadReceipt(str(error)) from None
        made.single = bool(receipt.get("single"))
        made.bound = []
        return made

    @property
    def tools(self) -> list[CanonicalTool]:
        """What was bound, in order."""
        return [item.tool for item in self.bound]

    @property
    def names(self) -> dict[str, str]:
        """Canonical id to the name the target knows."""
        if self._receipt is not None and not self.bound:
            return {shape.id: shape.wire_name for shape in self.calls.shapes}
        verbatim = self.choice.verbatim
        names = wire_names(self.tools, self.format, verbatim)
        return dict(zip((tool.id for tool in self.tools), names, strict=True))

    @property
    def losses(self) -> Losses:
        """Everything the target does not hold or holds differently, in order."""
        if self._losses is None:
            found: list[Loss] = []
            for item in self.bound:
                found += losses_of(item, self.format)
            self._losses = Losses(found)
            if self._memory is not None:
                self._memory.losses = self._losses
        return self._losses

    @property
    def calls(self) -> Calls:
        """The way of calls, both directions."""
        if self._calls is None:
            self._calls = Calls(
                CallShape(
                    item.tool.id,
                    item.wire.name,
                    item.tool.input_schema if item.tool.kind is Kind.FUNCTION else None,
                    item.wire.inputs,
                    None if item.lens is None else Lens(item.lens),
                )
                for item in self.bound
                if item.wire is not None
            )
        return self._calls

    @property
    def needs_restore(self) -> bool:
        """Whether calls come back in other names or arguments than the tools' own."""
        if self._receipt is not None and not self.bound:
            return any(shape.lens or shape.id != shape.wire_name for shape in self.calls.shapes)
        return any(
            item.wire is not None and (item.lens is not None or item.wire.name != item.tool.id)
            for item in self.bound
        )

    def restore(self, name: str, arguments: Json) -> Restored:
        """A model's call as the tool's own: canonical name, arguments of the original schema.

        Takes what models really send: text, text within text, numbers as text, null for absent.
        Every repair is told. Problems are in terms of the original schema. Raises UnknownTool.
        """
        restored = self.calls.restore(name, arguments)
        if OBSERVERS:
            tell(restored.repairs)
        return restored

    def render(self, name: str, arguments: Json) -> tuple[str, Json]:
        """A call of a tool as this target's model would have written it."""
        return self.calls.render(name, arguments)

    def request(self) -> JsonObject:
        """What to splat into the call of the provider's SDK; nothing when there are no tools."""
        held = self._assembled()
        strict = any(item.wire is not None and item.wire.strict for item in self.bound)
        wanted = strict or bool(self.choice.mode)
        return self.format.request(held, wanted) if held else {}

    def tool_choice(self, name: str) -> Json:
        """The value that makes the model call this tool. Raises UnknownTool."""
        shape = self.calls.named(name)
        if self.format.force is None:
            raise UsageError(f"{self.format.id} has no way to choose a tool")
        return self.format.force(shape.wire_name, shape.inputs is None)

    def receipt(self) -> JsonObject:
        """What it takes to get tools and calls back: plain JSON, yours to keep."""
        if self._receipt is not None:
            return copy_json(self._receipt)  # type: ignore[no-any-return]  # a dict stays one
        return make_receipt(self.format, self.bound, single=self.single)

    def __getattr__(self, name: str) -> Any:
        if name == "bound" and self._memory is not None:
            self.bound = [self._memory.bound(*self._seed)]
            return self.bound
        if name == "payload":
            raise AttributeError("a binding made from a receipt carries calls, not the payload")
        raise AttributeError(name)


def wire_name(tool: CanonicalTool, target: Target, verbatim: bool) -> str:  # noqa: FBT001
    """The name of a tool that has no neighbours."""
    said = tool.__dict__
    name: str = said["name"] or UNNAMED
    if said.get("namespace") and not target.namespaces:
        name = tool.id
    policy = target.names
    if verbatim or policy is None or policy.allows(name):
        return name
    return alias(name, policy)


def wire_names(tools: Sequence[CanonicalTool], target: Target, verbatim: bool) -> list[str]:  # noqa: FBT001
    """A name for each tool; legal and unique unless verbatim."""
    policy, grouped = target.names, target.namespaces
    names = [(tool.__dict__["name"] if grouped else tool.id) or UNNAMED for tool in tools]
    if not verbatim and len(tools) > 1:
        _refuse_duplicates(tools, names)
    if verbatim or policy is None or all(map(policy.allows, names)):
        return names
    groups: dict[str | None, list[str]] = {}
    for tool, name in zip(tools, names, strict=True):
        groups.setdefault(tool.namespace if grouped else None, []).append(name)
    tables = {}
    for group, members in groups.items():
        unique = list(dict.fromkeys(members))
        tables[group] = dict(zip(unique, aliases(unique, policy), strict=True))
    return [
        tables[tool.namespace if grouped else None][name]
        for tool, name in zip(tools, names, strict=True)
    ]


def _refuse_duplicates(tools: Sequence[CanonicalTool], names: Sequence[str]) -> None:
    seen: dict[tuple[str | None, str], int] = {}
    for number, (tool, name) in enumerate(zip(tools, names, strict=True), 1):
        if tool.kind is Kind.BUILTIN:
            continue
        known = (tool.namespace, name)
        if known in seen:
            raise DuplicateTool(tool.id or name, seen[known], number)
        seen[known] = number
