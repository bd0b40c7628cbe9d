"""Rows that hold a conversation beside its tools, as data for fine-tuning does.

Tools and messages are written by one binding, so that names and arguments agree. Nothing is
repaired: a last call without its result is what a model is to learn.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from toolcanon.bulk.row_calls import ensure_labels
from toolcanon.conversion.api import Conversion
from toolcanon.conversion.containers import contents
from toolcanon.conversion.find_history import History, tool_keys
from toolcanon.conversion.target import Naming
from toolcanon.diagnostics import CODES, Loss, LossKinds
from toolcanon.errors import HistoryInRow, UsageError
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.exact import dumps_exactly
from toolcanon.jsonio.types import JsonObject
from toolcanon.registry import registry

_MODEL: Final = "model"


class Written(NamedTuple):
    """A row with its messages for the target, and what that cost beside the tools."""

    row: JsonObject
    losses: tuple[Loss, ...]
    kinds: LossKinds


def written(  # noqa: PLR0913 - what a converter was asked for
    row: JsonObject,
    history: History,
    done: Conversion,
    *,
    naming: Naming | None = None,
    source: str | None = None,
    tools_field: str | None = None,
) -> Written:
    """The row with messages and what goes with them for the target of its tools.

    Other columns stay as they are, in their order. Raises HistoryInRow where the target has no
    conversations, NotAConversation, RefusedArguments for a last call that does not fit its tool,
    and UsageError where a column is in the way.
    """
    from toolcanon.conversion.conversations import codecs, read_conversation  # noqa: PLC0415
    from toolcanon.conversion.switching import switch  # noqa: PLC0415

    if registry().formats[done.format].codec is None:
        raise HistoryInRow(history.key, done.format)
    body = {key: row[key] for key in row if key not in {*history.tool_keys, tools_field, _MODEL}}
    if not history.is_own:  # of any name, so whose it is decides where it is read
        source = source if source in codecs() else read_conversation(history.messages).format
        body = {key: value for key, value in body.items() if key != history.key}
    key = history.key if history.is_own else codecs()[str(source)].history
    body[key] = history.messages
    tools = {} if tools_field else {key: row[key] for key in history.tool_keys}
    # Whose words these are is seen best with the tools beside them.
    whole = read_conversation({**body, **tools}, source=source if source in codecs() else None)
    ensure_labels(whole.messages, done, f"/{history.key}/{len(history.messages) - 1}")
    kept = (whole.extras or {}).values()
    columns = {key for settings in kept for key in settings}
    body = {key: value for key, value in body.items() if key not in columns}
    made = switch(
        body, done.format, source=whole.format, binding=done.binding, naming=naming, repair=False
    )
    new: JsonObject = dict(made.payload)
    if tools_field is not None:
        history = history._replace(tool_keys=())  # other columns, whatever they are called
        for hit in contents({key: new[key] for key in new if key != made.history_key}):
            new = _without(new, hit.at)
    taken = body if history.is_own else {name: body[name] for name in body if name != key}
    out = _placed(row, taken, new, history, made.history_key)
    own = tuple(loss for loss in made.losses if not loss.tool)
    kinds = tuple((loss.code, loss.effect) for loss in own)
    kinds += tuple((repair.code, CODES[repair.code].effect) for repair in made.made)
    return Written(out, own, kinds)


def _placed(
    row: JsonObject, body: JsonObject, new: JsonObject, history: History, key: str
) -> JsonObject:
    """The row with what was written in the places of what it was made from."""
    messages = new.pop(key)
    if not history.is_own:
        key = history.key
    tools = {name: new.pop(name) for name in tool_keys(new)}
    out: JsonObject = {}
    for name, value in row.items():
        if name == history.key:
            messages = dumps_exactly(messages) if history.is_text else messages
            out[key] = None if value is None else messages
        elif name in history.tool_keys:
            out |= tools
        elif name not in body:
            out[name] = value
        elif name in new:
            out[name] = new[name]
    for name, value in {**tools, **new, key: out[key]}.items():
        if name in row and name not in {*body, *history.tool_keys, history.key}:
            raise UsageError(f"the row has a column {name!r}, which the target needs: rename it")
        out.setdefault(name, value)
    return out


def _without(body: JsonObject, at: Pointer) -> JsonObject:
    """The body without what is at a place, and without what is empty then."""
    first, *rest = map(str, at)
    if not rest or not isinstance(body.get(first), dict):
        return {key: value for key, value in body.items() if key != first}
    inner = _without(body[first], Pointer(rest))
    if not inner:
        return {key: value for key, value in body.items() if key != first}
    return {**body, first: inner}
