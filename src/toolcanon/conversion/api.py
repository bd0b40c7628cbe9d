"""The verbs: read, bind, convert."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from toolcanon.conversion.binding import Binding, wire_name
from toolcanon.conversion.bound import bind_tool
from toolcanon.conversion.choice import VERBATIM, Choice, choice_for
from toolcanon.conversion.lanes import plain_item
from toolcanon.conversion.observe import OBSERVERS, tell
from toolcanon.conversion.reader import read_payload
from toolcanon.conversion.receipt import apply_receipt
from toolcanon.errors import LimitExceeded
from toolcanon.formats.wire import Target
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import DEFAULT_LIMITS
from toolcanon.jsonio.types import JsonObject
from toolcanon.registry import get_target

MIXED = "mixed"
_new = object.__new__
_SERIES = (list, tuple, set, frozenset)


class Conversion(Binding):
    """The result of a conversion. ``payload`` may share subtrees with what was handed in.

    Tools, losses and receipt are worked out from what was handed in when asked for.
    """

    __slots__ = ("_definition",)

    _definition: JsonObject

    @classmethod
    def plain(
        cls,
        definition: JsonObject,
        target: Target,
        item: JsonObject,
        choice: Choice,
    ) -> Self:
        """One plain tool that went by the fast lane; it is read when somebody asks."""
        made = _new(cls)
        made.format = target
        made.choice = choice
        made.single = True
        made.payload = item
        made._losses = made._calls = made._receipt = made._memory = None  # noqa: SLF001 - its own kind
        made._definition = definition  # noqa: SLF001
        return made

    def __getattr__(self, name: str) -> Any:
        if name != "bound" or self._memory is not None:
            return super().__getattr__(name)
        (tool,) = read_payload(self._definition)[0]
        called = wire_name(tool, self.format, self.choice.verbatim)
        self.bound = [bind_tool(tool, called, self.format, self.choice)]
        return self.bound

    @property
    def binding(self) -> Binding:
        """The same, as what any set of bound tools is."""
        return self

    @property
    def source(self) -> str:
        """The format that was read, or "mixed"."""
        found = {str(tool.source_format) for tool in self.tools}
        return found.pop() if len(found) == 1 else MIXED


def read(
    payload: Any, source: str | None = None, *, receipt: JsonObject | None = None
) -> list[CanonicalTool]:
    """Read every tool of a payload.

    ``payload`` is one tool, a list, a provider's wrapper, a ``tools/list`` answer, a request
    body, JSON or JSON Lines text, or live objects of an SDK. With the receipt of the conversion
    that wrote it, the tools come back as they were before. Raises InputError with a place.

    >>> read({"name": "f", "input_schema": {"type": "object"}})[0].source_format
    'anthropic'
    """
    tools, single = _read(payload, source)
    if receipt is not None:
        tools, _ = apply_receipt(tools, receipt, single=single)
    for tool in tools:
        tool.freeze()
    return tools


def _read(payload: Any, source: str | None) -> tuple[list[CanonicalTool], bool]:
    try:
        return read_payload(payload, source)
    except RecursionError:  # text is checked by the loader; objects built in Python are not
        raise LimitExceeded("depth", DEFAULT_LIMITS.depth) from None


def bind(  # noqa: PLR0913 - the public contract
    tools: CanonicalTool | Iterable[CanonicalTool] | Any,
    to: str,
    *,
    strict: bool | str = False,
    dialect: str | None = None,
    model: str | None = None,
    via: str | None = None,
    lower: bool = True,
) -> Binding:
    """Write tools for a target. Anything ``read`` takes is accepted as well.

    Schemas are lowered to what the target accepts; see ``convert`` for the options. With
    ``lower=False`` names and schemas go out as they are, and whatever the target's own format kept
    aside goes back to its place. Raises UnknownFormat, NotWritable, UnknownDialect, DuplicateTool.
    """
    target = get_target(to)
    choice = choice_for(target, strict, dialect, model, via) if lower else VERBATIM
    if isinstance(tools, CanonicalTool):
        return _bind([tools], target, choice, single=True)
    given = list(tools) if isinstance(tools, _SERIES) or hasattr(tools, "__next__") else tools
    if isinstance(given, list) and all(isinstance(item, CanonicalTool) for item in given):
        return _bind(given, target, choice, single=False)
    found, single = _read(given, None)
    return _bind(found, target, choice, single=single)


def _bind(tools: list[CanonicalTool], target: Target, choice: Choice, *, single: bool) -> Binding:
    try:
        return Binding(tools, target, choice, single)
    except RecursionError:
        raise LimitExceeded("depth", DEFAULT_LIMITS.depth) from None


def convert(  # noqa: PLR0913 - the public contract
    payload: Any,
    to: str,
    *,
    source: str | None = None,
    strict: bool | str = False,
    dialect: str | None = None,
    model: str | None = None,
    via: str | None = None,
    lower: bool = True,
    receipt: JsonObject | None = None,
) -> Conversion:
    """Read a payload and write it for a target.

    One tool in, one tool out; anything else in, the value of the target's ``tools`` key. A
    receipt of an earlier conversion of this payload restores what that one could not carry.

    ``strict`` asks for the provider's strict mode, "auto" only where that costs nothing.
    ``dialect`` names what to lower to, whatever the envelope; ``model`` and ``via`` choose it.

    >>> convert({"name": "f", "input_schema": {"type": "object"}}, to="mcp").payload
    {'name': 'f', 'inputSchema': {'type': 'object'}}
    """
    target = get_target(to)
    choice = choice_for(target, strict, dialect, model, via) if lower else VERBATIM
    try:
        if payload.__class__ is dict and source is None and receipt is None and not choice.mode:
            item = plain_item(payload, target, choice)
            if item is not None:
                made = Conversion.plain(payload, target, item, choice)
                if OBSERVERS:
                    tell(made.losses)
                return made
        tools, single = read_payload(payload, source)
        if receipt is not None:
            tools, single = apply_receipt(tools, receipt, single=single)
        return Conversion(tools, target, choice, single)
    except RecursionError:  # text is checked by the loader; objects built in Python are not
        raise LimitExceeded("depth", DEFAULT_LIMITS.depth) from None
