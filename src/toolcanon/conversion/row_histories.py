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
from toolcanon.conversion.labels import ensure_labels
from toolcanon.conversion.naming import Naming
from toolcanon.conversion.way import Sorts
from toolcanon.diagnostics import CODES, Loss
from toolcanon.errors import (
    HistoryInRow,
    NotAConversation,
    ToolcanonError,
    UnwrittenColumn,
    UsageError,
)
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.exact import dumps_exactly
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.registry import registry

_MODEL: Final = "model"
_ROLE: Final = "role"


class History(NamedTuple):
    """Where a row keeps its messages, and under which keys it keeps tools."""

    key: str
    messages: list[Json]
    is_text: bool
    tool_keys: tuple[str, ...]
    is_own: bool = True
    """Whether a provider keeps messages under that key; a column of another name keeps its name."""


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


def history_in(
    row: Json, read: Callable[[str], Json], tools_field: str | None = None
) -> History | None:
    """The conversation of a row; None where it has none. ``read`` makes a value of a text.

    Raises NotAConversation for messages that are none, and UnwrittenColumn for several
    conversations in one row, so that nothing is left behind.
    """
    if row.__class__ is not dict:
        return None
    found = None
    for key in sorted(history_keys() & row.keys()):
        value = row[key]
        is_text = isinstance(value, str) and value.lstrip()[:1] == "["
        messages = read(value) if is_text else value
        is_meant = key in _shared_keys()
        if isinstance(messages, list) and (_has_roles(messages) or (is_meant and not messages)):
            found = History(key, messages, is_text, tuple(_tool_keys(row, key)))
            break
        if value and is_meant and _tool_keys(row, key):
            raise NotAConversation(f"/{key}", "messages are a list of objects that have a role")
    return _only(row, found, read, tools_field)


def _only(
    row: JsonObject, found: History | None, read: Callable[[str], Json], tools_field: str | None
) -> History | None:
    """The conversation under a provider's key, else the one under a key of any other name."""
    known = {tools_field, found and found.key}
    others = {}
    for key, value in row.items():
        if key not in known and (held := turns_in(value, read)) is not None:
            others[key] = held
    if others or found is None:
        tools = _tool_keys(row)
        others = {key: held for key, held in others.items() if key not in tools}
    if not others:
        none = [key for key in sorted(_shared_keys() & row.keys()) if row[key] is None]
        if found is None and none and tools:  # no messages is not a list of tools
            return History(none[0], [], False, tuple(tools))
        return found
    keys = [*([] if found is None else [found.key]), *others]
    if len(keys) == 1 and (flat := others[keys[0]]):
        is_text = isinstance(row[keys[0]], str)
        return History(keys[0], flat, is_text, tuple(tools), is_own=False)
    if found is None and not tools and tools_field is None:
        return None
    raise _unwritten(keys)


def _unwritten(keys: list[str]) -> UnwrittenColumn:
    if len(keys) == 1:
        how = "write them as one list of objects that have a role"
        return UnwrittenColumn(keys[0], "its messages are in a shape that is not read", how)
    named = " and ".join(map(repr, keys))
    reason = f"a row is converted with one conversation, and this one has messages in {named}"
    return UnwrittenColumn(keys[-1], reason, "join them in one list of messages")


def turns_in(value: Json, read: Callable[[str], Json]) -> list[Json] | None:
    """The messages that a column of any name holds, empty in a shape that is not read; or None."""
    if isinstance(value, str):
        if _ROLE not in value or value.lstrip()[:1] not in {"[", "{"}:
            return None
        try:
            value = read(value)
        except ToolcanonError:
            return None
    if isinstance(value, dict):
        inner = [value, *value.values()]
        return [] if any(_is_turn(one) or _has_turns(one) for one in inner) else None
    if not isinstance(value, list):
        return None
    if _has_turns(value):
        return value
    return [] if any(map(_has_turns, value)) else None


def _is_turn(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get(_ROLE), str) and len(value) > 1


def _has_turns(value: Json) -> bool:
    return isinstance(value, list) and any(map(_is_turn, value))


def _has_roles(messages: list[Json]) -> bool:
    return any(isinstance(message, dict) and _ROLE in message for message in messages)


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

    if registry().formats[done.format.id].codec is None:
        raise HistoryInRow(history.key, done.format.id)
    body = {key: row[key] for key in row if key not in {*history.tool_keys, tools_field, _MODEL}}
    if not history.is_own:  # of any name, so whose it is decides where it is read
        source = source if source in codecs() else read_conversation(history.messages).format
        body = {key: value for key, value in body.items() if key != history.key}
    key = history.key if history.is_own else codecs()[str(source)].history
    body[key] = history.messages
    tools = {} if tools_field else {key: row[key] for key in history.tool_keys}
    # Whose words these are is seen best with the tools beside them.
    whole = read_conversation({**body, **tools}, source if source in codecs() else None)
    ensure_labels(whole.messages, done, f"/{history.key}/{len(history.messages) - 1}")
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
    taken = body if history.is_own else {name: body[name] for name in body if name != key}
    out = _placed(row, taken, new, history, made.history_key)
    own = tuple(loss for loss in made.losses if not loss.tool)
    sorts = tuple((loss.code, loss.effect) for loss in own)
    sorts += tuple((repair.code, CODES[repair.code].effect) for repair in made.made)
    return Written(out, own, sorts)


def _placed(
    row: JsonObject, body: JsonObject, new: JsonObject, history: History, key: str
) -> JsonObject:
    """The row with what was written in the places of what it was made from."""
    messages = new.pop(key)
    if not history.is_own:
        key = history.key
    tools = {name: new.pop(name) for name in _tool_keys(new)}
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
