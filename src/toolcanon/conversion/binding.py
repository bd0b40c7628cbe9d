"""Tools bound to one target: the payload, the names, what was lost, the way back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolcanon.conversion.losses import dropped, envelope_losses
from toolcanon.conversion.receipt import make_receipt
from toolcanon.diagnostics import Loss, Losses
from toolcanon.errors import DuplicateTool
from toolcanon.formats.wire import Target, Wire, notes, own_extras
from toolcanon.formats.wire.extras import BUILTIN
from toolcanon.formats.wire.freeform import as_parameter
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.naming import alias, aliases
from toolcanon.schema import is_foreign

_NO_SCHEMA: JsonObject = {}
_FUNCTION = Kind.FUNCTION
_tuple = tuple.__new__  # a named tuple's own constructor costs twice as much
UNNAMED = "tool"  # a schema document may come without any name


class Binding:
    """What one target is given for some tools.

    ``payload`` is ready for the provider; it may share subtrees with the tools. Names, losses and
    the receipt are worked out when asked for.
    """

    __slots__ = ("_losses", "format", "payload", "single", "tools", "verbatim")

    tools: list[CanonicalTool]
    format: Target
    verbatim: bool
    single: bool
    payload: Json
    _losses: Losses | None

    def __init__(
        self,
        tools: list[CanonicalTool],
        target: Target,
        verbatim: bool,  # noqa: FBT001 - called once per conversion, and keywords cost
        single: bool,  # noqa: FBT001
    ) -> None:
        self.tools = tools
        self.format = target
        self.verbatim = verbatim
        self.single = single
        self._losses = None
        if single and len(tools) == 1:
            tool = tools[0]
            wire = wire_for(tool, wire_name(tool, target, verbatim), target, verbatim)
            self.payload = [] if wire is None else target.write(tool, wire)
        else:
            held = [(tool, item) for tool, _, item in self._written() if item is not None]
            self.payload = target.assemble(held) if held else []

    def _written(self) -> Iterator[tuple[CanonicalTool, Wire | None, JsonObject | None]]:
        target, verbatim = self.format, self.verbatim
        names = wire_names(self.tools, target, verbatim)
        for tool, name in zip(self.tools, names, strict=True):
            wire = wire_for(tool, name, target, verbatim)
            yield tool, wire, None if wire is None else target.write(tool, wire)

    @property
    def names(self) -> dict[str, str]:
        """Canonical id to the name the target knows."""
        names = wire_names(self.tools, self.format, self.verbatim)
        return dict(zip((tool.id for tool in self.tools), names, strict=True))

    @property
    def losses(self) -> Losses:
        """Everything the target does not hold or holds differently, in order."""
        if self._losses is None:
            found: list[Loss] = []
            for tool, wire, item in self._written():
                if wire is None or item is None:
                    found.append(dropped(tool))
                else:
                    found.extend(envelope_losses(tool, wire, self.format, item))
            self._losses = Losses(found)
        return self._losses

    def receipt(self) -> JsonObject:
        """What it takes to get the tools back from the payload: plain JSON, yours to keep."""
        written = ((tool, item) for tool, _, item in self._written())
        return make_receipt(self.format, written, single=self.single)


def wire_for(
    tool: CanonicalTool,
    name: str,
    target: Target,
    verbatim: bool,  # noqa: FBT001
) -> Wire | None:
    """Choose the schemas that go out; nothing where the target cannot hold the tool."""
    said = tool.__dict__
    inputs = said.get("inputs") or _NO_SCHEMA
    outputs = said.get("outputs") or _NO_SCHEMA
    kind = said.get("kind", _FUNCTION)
    if kind is _FUNCTION:
        if not verbatim:
            if is_foreign(inputs):
                inputs = tool.input_schema
            if outputs and is_foreign(outputs):
                outputs = tool.output_schema
    elif kind not in target.kinds:
        if kind is Kind.FREEFORM:
            inputs = as_parameter()
        elif BUILTIN not in notes(own_extras(tool, target.id)):
            return None
    return _tuple(Wire, (name, inputs, outputs, verbatim))


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
