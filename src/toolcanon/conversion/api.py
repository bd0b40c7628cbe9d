"""The verbs: read, bind, convert."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self, TypeVar

from toolcanon.conversion.binding import Binding, wire_names_alone
from toolcanon.conversion.bound import BoundTool, bind_tool
from toolcanon.conversion.differences import facts
from toolcanon.conversion.lanes import Lower, Passed, kin_of, plain_item
from toolcanon.conversion.naming import Naming, named
from toolcanon.conversion.observe import OBSERVERS, tell
from toolcanon.conversion.reader import read_payload
from toolcanon.conversion.receipt import apply_receipt
from toolcanon.conversion.way import Sorts, Way, way_to, ways
from toolcanon.diagnostics import CODES
from toolcanon.errors import LimitExceeded, UnreadableTool
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import current_limits, odd_key
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering import lower_cached

MIXED = "mixed"
_MOST_SORTS = 65_536
_new = object.__new__
WORD = ("L101", CODES["L101"].effect)
"""A word for a type was replaced."""
_Kind = TypeVar("_Kind", bound=Binding)
_SERIES = (list, tuple, set, frozenset)


class Conversion(Binding):
    """The result of a conversion. ``payload`` may share subtrees with what was handed in.

    Tools, losses and receipt are worked out from what was handed in when asked for.
    """

    __slots__ = ("_definition", "_passed")

    _definition: JsonObject
    _passed: Passed

    @classmethod
    def plain(
        cls,
        definition: JsonObject,
        way: Way,
        passed: Passed,
    ) -> Self:
        """One plain tool that went by the fast lane; it is read when somebody asks."""
        made = _new(cls)
        made.way = way
        made.single = True
        made.payload = passed.item
        made._losses = made._seed = made._calls = None  # noqa: SLF001 - its own kind
        made._receipt = made._bound = None  # noqa: SLF001
        made._memories = [None]  # noqa: SLF001
        made._definition = definition  # noqa: SLF001
        made._passed = passed  # noqa: SLF001
        return made

    def _rebound(self) -> list[BoundTool]:
        if not hasattr(self, "_definition"):
            return super()._rebound()
        (tool,) = read_payload(self._definition)[0]
        called, space = wire_names_alone(tool, self.format, self.choice.verbatim)
        return [bind_tool(tool, called, self.format, self.choice, space=space)]

    @property
    def binding(self) -> Binding:
        """The same, as what any set of bound tools is."""
        return self

    def sorts(self) -> tuple[tuple[str, Sorts], ...]:
        """The codes and effects of the losses with the tool each is of, without the places.

        All that sums over many conversions need; most tools are like one seen before.
        """
        words = self._passed.words if hasattr(self, "_passed") else None
        if words is None:
            return tuple((loss.tool, ((loss.code, loss.effect),)) for loss in self.losses)
        known, sort = self.way.sorts, kin_of(self._definition, self._passed)
        found = known.get(sort)
        if found is None:
            if len(known) >= _MOST_SORTS:
                known.clear()
            found = known[sort] = tuple(
                (loss.code, loss.effect) for loss in self.losses if loss.code != WORD[0]
            )
        return ((self._passed.name, (WORD,) * words + found),)

    @property
    def needs_restore(self) -> bool:
        """Whether calls come back in other names or arguments than the tools' own."""
        known = self._passed.needs_restore if hasattr(self, "_passed") else None
        return super().needs_restore if known is None else known

    @property
    def source(self) -> str:
        """The format that was read, or "mixed"."""
        found = {str(tool.source_format) for tool in self.tools}
        return found.pop() if len(found) == 1 else MIXED

    def _repr_html_(self) -> str:
        """What was lost, for notebooks."""
        from toolcanon.conversion.notebook import losses_html  # noqa: PLC0415 - notebooks alone pay

        return losses_html(self.losses, self.source, self.format.id)


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
    tools, single = _read(payload, source, None)
    if receipt is not None:
        tools, _ = apply_receipt(tools, receipt, single=single)
    for tool in tools:
        tool.freeze()
    return tools


def _read(payload: Any, source: str | None, to: str | None) -> tuple[list[CanonicalTool], bool]:
    try:
        return read_payload(payload, source, to)
    except (RecursionError, TypeError) as error:
        raise explained(error, payload) from None


def explained(error: Exception, given: Any) -> Exception:
    """Text is checked by the loader; of objects built in Python it is told when they fail."""
    if isinstance(error, RecursionError):
        return LimitExceeded("depth", current_limits().depth)
    at = odd_key(given)
    reason = "keys of JSON are texts, and this one is none"
    return error if at is None else UnreadableTool("JSON", str(at), reason)


def bind(  # noqa: PLR0913 - the public contract
    tools: CanonicalTool | Iterable[CanonicalTool] | Any,
    to: str,
    *,
    strict: bool | str = False,
    dialect: str | None = None,
    model: str | None = None,
    via: str | None = None,
    naming: Naming | None = None,
    lower: bool = True,
) -> Binding:
    """Write tools for a target. Anything ``read`` takes is accepted as well.

    Schemas are lowered to what the target accepts; see ``convert`` for the options. With
    ``lower=False`` names and schemas go out as they are, and whatever the target's own format kept
    aside goes back to its place. Raises UnknownFormat, NotWritable, UnknownDialect, DuplicateTool.
    """
    try:
        way = ways[to, strict, dialect, model, via, lower]
    except (KeyError, TypeError):  # not asked for yet, or nothing one could ask for
        way = way_to(to, strict, dialect, model, via, lower)
    if naming is not None:
        way = named(way, naming)
    if tools.__class__ is CanonicalTool or isinstance(tools, CanonicalTool):  # which is slow
        try:
            return Binding.of_one(tools, way)
        except (RecursionError, TypeError) as error:
            raise explained(error, facts(tools)) from None
    given = list(tools) if isinstance(tools, _SERIES) or hasattr(tools, "__next__") else tools
    if isinstance(given, list) and all(isinstance(item, CanonicalTool) for item in given):
        return _bind(Binding, given, way, single=False)
    found, single = _read(given, None, way.target.id)
    return _bind(Binding, found, way, single=single)


def _bind(kind: type[_Kind], tools: list[CanonicalTool], way: Way, *, single: bool) -> _Kind:
    try:
        if single and len(tools) == 1:
            return kind.of_one(tools[0], way)
        return kind(tools, way, single)
    except (RecursionError, TypeError) as error:
        raise explained(error, [facts(tool) for tool in tools]) from None


def convert(  # noqa: PLR0913 - the public contract
    payload: Any,
    to: str,
    *,
    source: str | None = None,
    strict: bool | str = False,
    dialect: str | None = None,
    model: str | None = None,
    via: str | None = None,
    naming: Naming | None = None,
    lower: bool = True,
    receipt: JsonObject | None = None,
) -> Conversion:
    """Read a payload and write it for a target.

    One tool in, one tool out; anything else in, the value of the target's ``tools`` key. A
    receipt of an earlier conversion of this payload restores what that one could not carry.

    ``strict`` asks for the provider's strict mode, "auto" only where that costs nothing.
    ``dialect`` names what to lower to, whatever the envelope; ``model`` and ``via`` choose it.
    ``naming`` is a profile of names, its id, or a table; calls come back by ``restore``.

    >>> convert({"name": "f", "input_schema": {"type": "object"}}, to="mcp").payload
    {'name': 'f', 'inputSchema': {'type': 'object'}}
    """
    way = way_to(to, strict, dialect, model, via, lower)
    return convert_by(way if naming is None else named(way, naming), payload, source, receipt)


def convert_by(
    way: Way,
    payload: Any,
    source: str | None = None,
    receipt: JsonObject | None = None,
    lower: Lower = lower_cached,
) -> Conversion:
    """The same by a way that is known; ``lower`` need not remember what is not met again."""
    try:
        if payload.__class__ is dict and source is None and receipt is None:
            passed = plain_item(payload, way.target, way.choice, lower)
            if passed is not None:
                made = Conversion.plain(payload, way, passed)
                if OBSERVERS:
                    tell(made.losses)
                return made
        tools, single = read_payload(payload, source, way.target.id)
        if receipt is not None:
            tools, single = apply_receipt(tools, receipt, single=single)
        return _bind(Conversion, tools, way, single=single)
    except (RecursionError, TypeError) as error:
        raise explained(error, payload) from None
