"""The verbs: read, bind, convert."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeVar

from toolcanon.conversion.binding import Binding, bind_one
from toolcanon.conversion.predicted_losses import facts
from toolcanon.conversion.read import read_payload
from toolcanon.conversion.receipt import apply_receipt
from toolcanon.conversion.target import BindTarget, Naming, Target, find_bind_target
from toolcanon.diagnostics import Effect, Loss
from toolcanon.errors import LimitExceeded, UnreadableTool
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import current_limits, odd_key
from toolcanon.jsonio.types import JsonObject
from toolcanon.text import safe_json
from toolcanon.text.display import Tone, table

_ROWS: Final = 50
_MATERIAL: Final = Effect.WIDENED | Effect.NARROWED


def losses_html(losses: tuple[Loss, ...], source: str, target: str) -> str:
    """The losses of a conversion, those first that change which arguments can be said."""
    ordered = sorted(losses, key=lambda loss: not loss.effect & _MATERIAL)
    rows = [_row(loss) for loss in ordered[:_ROWS]]
    left = len(ordered) - _ROWS
    more = [f"… and {left:,} more"] if left > 0 else []
    head = ("tool", "code", "effect", "place", "before", "after")
    total = f"{source} to {target}: {len(losses):,} {'loss' if len(losses) == 1 else 'losses'}"
    return table(head, rows, (*more, total))


def _row(loss: Loss) -> list[str | tuple[str, Tone]]:
    tone: Tone = "fair" if loss.effect & _MATERIAL else "good"
    sides = (loss.before, loss.after)
    values = ("" if value is None else safe_json(value, indent=None) for value in sides)
    kind = f"{loss.code} {loss.name}"
    return [loss.tool, kind, (loss.effect.words(), tone), str(loss.at) or "/", *values]


MIXED = "mixed"
_Kind = TypeVar("_Kind", bound=Binding)
_SERIES = (list, tuple, set, frozenset)


class Conversion(Binding):
    """The result of a conversion. ``payload`` may share subtrees with what was given."""

    __slots__ = ()

    @property
    def binding(self) -> Binding:
        """The same, as what any set of bound tools is."""
        return self

    @property
    def source(self) -> str:
        """The format that was read, or "mixed"."""
        found = {str(tool.source_format) for tool in self.tools}
        return found.pop() if len(found) == 1 else MIXED

    def _repr_html_(self) -> str:
        """What was lost, for notebooks."""
        return losses_html(self.losses, self.source, self.format)


def read(
    payload: Any, *, source: str | None = None, receipt: JsonObject | None = None
) -> list[CanonicalTool]:
    """Read every tool of a payload.

    ``payload`` is one tool, a list, a provider's wrapper, a ``tools/list`` answer, a request
    body, JSON or JSON Lines text, or live objects of an SDK. With the receipt of the conversion
    that wrote it, the tools come back as they were before. Raises InputError with a place.

    >>> read({"name": "f", "input_schema": {"type": "object"}})[0].source_format
    'anthropic'
    """
    tools, single = _read(payload, source, None, freeze=True)
    if receipt is not None:
        tools, _ = apply_receipt(tools, receipt, single=single)
    for tool in tools:
        tool.freeze()
    return tools


def _read(
    payload: Any, source: str | None, to: str | None, *, freeze: bool = False
) -> tuple[list[CanonicalTool], bool]:
    try:
        return read_payload(payload, source, to, freeze)
    except (RecursionError, TypeError) as error:  # too deep, or keys that are no text
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
    to: str | Target,
    *,
    strict: bool | str = False,
    dialect: str | None = None,
    model: str | None = None,
    via: str | None = None,
    naming: Naming | None = None,
    lower: bool = True,
) -> Binding:
    """Write tools for a target. Anything ``read`` takes is accepted as well.

    ``to`` is ``format``, ``format/dialect[@version]`` or a ``Target``. Schemas are lowered to what
    the target accepts; see ``convert`` for the options. With ``lower=False`` names and schemas go
    out as they are, and whatever the target's own format kept aside goes back to its place. Raises
    UnknownFormat, NotWritable, UnknownDialect, DuplicateTool.
    """
    bind_target = find_bind_target(to, strict, dialect, model, via, lower, naming)
    if isinstance(tools, CanonicalTool):
        try:
            return bind_one(Binding, tools, bind_target)
        except (RecursionError, TypeError) as error:  # too deep, or keys that are no text
            raise explained(error, facts(tools)) from None
    given = list(tools) if isinstance(tools, _SERIES) or hasattr(tools, "__next__") else tools
    if isinstance(given, list) and all(isinstance(item, CanonicalTool) for item in given):
        return _bind(Binding, given, bind_target, False)
    found, single = _read(given, None, bind_target.target.id)
    return _bind(Binding, found, bind_target, single)


def _bind(
    kind: type[_Kind],
    tools: list[CanonicalTool],
    bind_target: BindTarget,
    single: bool,  # noqa: FBT001 - asked for all, and keywords cost
) -> _Kind:
    alone = single and len(tools) == 1
    try:
        return bind_one(kind, tools[0], bind_target) if alone else kind(tools, bind_target, single)
    except (RecursionError, TypeError) as error:  # too deep, or keys that are no text
        raise explained(error, [facts(tool) for tool in tools]) from None


def convert(  # noqa: PLR0913 - the public contract
    payload: Any,
    to: str | Target,
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

    ``to`` is ``format``, ``format/dialect[@version]`` or a ``Target``, which holds options itself.
    ``strict`` asks for the provider's strict mode, "auto" only where that costs nothing.
    ``dialect`` names what to lower to, whatever the envelope; ``model`` and ``via`` choose it.
    ``naming`` is a profile of names, its id, or a table; calls come back by ``restore``.

    >>> convert({"name": "f", "input_schema": {"type": "object"}}, to="mcp").payload
    {'name': 'f', 'inputSchema': {'type': 'object'}}
    """
    bind_target = find_bind_target(to, strict, dialect, model, via, lower, naming)
    return convert_by(bind_target, payload, source, receipt)


def convert_by(
    bind_target: BindTarget,
    payload: Any,
    source: str | None = None,
    receipt: JsonObject | None = None,
) -> Conversion:
    """The same for a target that is already chosen."""
    try:
        tools, single = read_payload(payload, source, bind_target.target.id)
    except (RecursionError, TypeError) as error:  # too deep, or keys that are no text
        raise explained(error, payload) from None
    if receipt is not None:
        tools, single = apply_receipt(tools, receipt, single=single)
    return _bind(Conversion, tools, bind_target, single)
