"""Read, bind and convert tools."""

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
    """Return a table of the losses; those that change which arguments can be sent come first."""
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
    """The result of a conversion. ``payload`` may share subtrees with the input."""

    __slots__ = ()

    @property
    def binding(self) -> Binding:
        """The conversion itself: it is a binding of its tools."""
        return self

    @property
    def source(self) -> str:
        """The format of the input, or "mixed" where its tools have several."""
        found = {str(tool.source_format) for tool in self.tools}
        return found.pop() if len(found) == 1 else MIXED

    def _repr_html_(self) -> str:
        """Return a table of the losses, for notebooks."""
        return losses_html(self.losses, self.source, self.format)


def read(
    payload: Any, *, source: str | None = None, receipt: JsonObject | None = None
) -> list[CanonicalTool]:
    """Read every tool of a payload.

    ``payload`` is one tool, a list, a provider's wrapper, a ``tools/list`` answer, a request
    body, JSON or JSON Lines text, or live objects of an SDK. With the receipt of the conversion
    that wrote the payload, the tools come back as they were before that conversion. Raises
    InputError with a place.

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
    except (RecursionError, TypeError) as error:  # too deep, or keys that are not strings
        raise explained(error, payload) from None


def explained(error: Exception, given: Any) -> Exception:
    """Return the error to raise for a Python object that failed in conversion, such as a cycle."""
    if isinstance(error, RecursionError):
        return LimitExceeded("depth", current_limits().depth)
    at = odd_key(given)
    reason = "a key of a JSON object is a string, and this key is not"
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
    """Write tools for a target. Accepts everything that ``read`` accepts.

    ``to`` is ``format``, ``format/dialect[@version]`` or a ``Target``. Schemas are lowered to what
    the target accepts; ``convert`` describes the options. With ``lower=False`` names and schemas
    are written unchanged, and fields that only the target's format knows are restored. Raises
    UnknownFormat, NotWritable, UnknownDialect, DuplicateTool.
    """
    bind_target = find_bind_target(to, strict, dialect, model, via, lower, naming)
    if isinstance(tools, CanonicalTool):
        try:
            return bind_one(Binding, tools, bind_target)
        except (RecursionError, TypeError) as error:  # too deep, or keys that are not strings
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
    except (RecursionError, TypeError) as error:  # too deep, or keys that are not strings
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

    Return one tool for one tool, and otherwise the value of the target's ``tools`` key. With the
    receipt of an earlier conversion of this payload, what that conversion lost is restored.

    ``to`` is ``format``, ``format/dialect[@version]`` or a ``Target``, which holds options itself.
    ``strict`` requests the provider's strict mode; "auto" requests it only where nothing is lost
    by it. ``dialect`` is the dialect to lower to, in the envelope of ``to``; ``model`` and ``via``
    (a route such as a gateway) select a dialect by what serves the request. ``naming`` is a naming
    profile, its id, or a table of names. With ``lower=False`` names and schemas are written
    unchanged. ``restore`` of the result brings calls back to the tools' own names and arguments.

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
    """Convert as ``convert`` does, for a target that is already read."""
    try:
        tools, single = read_payload(payload, source, bind_target.target.id)
    except (RecursionError, TypeError) as error:  # too deep, or keys that are not strings
        raise explained(error, payload) from None
    if receipt is not None:
        tools, single = apply_receipt(tools, receipt, single=single)
    return _bind(Conversion, tools, bind_target, single)
