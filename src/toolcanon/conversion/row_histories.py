"""Rows that hold a conversation beside its tools, as data for fine-tuning does.

Tools and messages are written by one binding, so that names and arguments agree. Nothing is
repaired: a last call without its result is what a model is to learn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple

from toolcanon.conversion.api import Conversion
from toolcanon.conversion.containers import contents
from toolcanon.conversion.naming import Naming
from toolcanon.conversion.way import Sorts
from toolcanon.diagnostics import CODES, Loss
from toolcanon.errors import HistoryInRow, NotAConversation, UsageError
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.exact import dumps_exactly
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.registry import registry

_MODEL: Final = "model"


class History(NamedTuple):
    """Where a row keeps its messages, and under which keys it keeps tools."""

    key: str
    messages: list[Json]
    is_text: bool
    tool_keys: tuple[str, ...]


class Written(NamedTuple):
    """A row with its messages for the target, and what that cost beside the tools."""

    row: JsonObject
    losses: tuple[Loss, ...]
    sorts: Sorts


@cache
def history_keys() -> frozenset[str]:
    """The keys under which some provider keeps messages."""
    from toolcanon.conversion.conversations import codecs  # noqa: PLC0415 - rows of tools need none

    return frozenset(codec.history for codec in codecs().values())


@cache
def _shared_keys() -> frozenset[str]:
    """The keys under which several providers keep messages: nothing else is meant by them."""
    from toolcanon.conversion.conversations import codecs  # noqa: PLC0415 - rows of tools need none

    keys = [codec.history for codec in codecs().values()]
    return frozenset(key for key in keys if keys.count(key) > 1)


def history_in(row: Json, read: Callable[[str], Json]) -> History | None:
    """The conversation of a row; None where it has none. ``read`` makes a value of a text.

    Raises NotAConversation for messages that are none, so that they are not left behind.
    """
    if row.__class__ is not dict:
        return None
    for key in sorted(history_keys() & row.keys()):
        value = row[key]
        is_text = isinstance(value, str) and value.lstrip()[:1] == "["
        messages = read(value) if is_text else value
        is_meant = key in _shared_keys()
        if isinstance(messages, list) and (_has_roles(messages) or (is_meant and not messages)):
            return History(key, messages, is_text, tuple(_tool_keys(row, key)))
        if value and is_meant and _tool_keys(row, key):
            raise NotAConversation(f"/{key}", "messages are a list of objects that have a role")
    return None


def _has_roles(messages: list[Json]) -> bool:
    return any(isinstance(message, dict) and "role" in message for message in messages)


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
    conversations, NotAConversation, and UsageError where a column is in the way.
    """
    from toolcanon.conversion.conversations import codecs, read_conversation  # noqa: PLC0415
    from toolcanon.conversion.switching import switch  # noqa: PLC0415

    if registry().formats[done.format.id].codec is None:
        raise HistoryInRow(history.key, done.format.id)
    body = {key: row[key] for key in row if key not in {*history.tool_keys, tools_field, _MODEL}}
    body[history.key] = history.messages
    tools = {} if tools_field else {key: row[key] for key in history.tool_keys}
    # Whose words these are is seen best with the tools beside them.
    whole = read_conversation({**body, **tools}, source if source in codecs() else None)
    kept = (whole.extras or {}).values()
    columns = {key for settings in kept for key in settings}
    body = {key: value for key, value in body.items() if key not in columns}
    made = switch(
        body, done.format.id, source=whole.format, binding=done.binding, naming=naming, repair=False
    )
    new: JsonObject = dict(made.payload)
    if tools_field is not None:
        history = history._replace(tool_keys=())  # other columns, whatever they are called
        for hit in contents({key: new[key] for key in new if key != made.history_key}):
            new = _without(new, hit.at)
    out = _placed(row, body, new, history, made.history_key)
    own = tuple(loss for loss in made.losses if not loss.tool)
    sorts = tuple((loss.code, loss.effect) for loss in own)
    sorts += tuple((repair.code, CODES[repair.code].effect) for repair in made.made)
    return Written(out, own, sorts)


def _placed(
    row: JsonObject, body: JsonObject, new: JsonObject, history: History, key: str
) -> JsonObject:
    """The row with what was written in the places of what it was made from."""
    messages = new.pop(key)
    tools = {name: new.pop(name) for name in _tool_keys(new)}
    out: JsonObject = {}
    for name, value in row.items():
        if name == history.key:
            out[key] = dumps_exactly(messages) if history.is_text else messages
        elif name in history.tool_keys:
            out |= tools
        elif name not in body:
            out[name] = value
        elif name in new:
            out[name] = new[name]
    for name, value in {**tools, **new, key: out[key]}.items():
        if name in row and name not in {*body, *history.tool_keys}:
            raise UsageError(f"the row has a column {name!r}, which the target needs: rename it")
        out.setdefault(name, value)
    return out


def _tool_keys(body: JsonObject, other: str = "") -> list[str]:
    heads = dict.fromkeys(str(hit.at[0]) for hit in contents(body))
    return [head for head in heads if head != other]


def _without(body: JsonObject, at: Pointer) -> JsonObject:
    """The body without what is at a place, and without what is empty then."""
    first, *rest = map(str, at)
    if not rest or not isinstance(body.get(first), dict):
        return {key: value for key, value in body.items() if key != first}
    inner = _without(body[first], Pointer(rest))
    if not inner:
        return {key: value for key, value in body.items() if key != first}
    return {**body, first: inner}
