"""Find the conversation that a body or a row holds beside its tools, under any key.

A body with messages is written whole or not at all, so callers that write tools search for messages
first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple

from toolcanon.conversion.detect import contents
from toolcanon.errors import NotAConversation, ToolcanonError, UnwrittenColumn
from toolcanon.jsonio.types import Json, JsonObject

_ROLE: Final = "role"


class HistoryLocation(NamedTuple):
    """The place of a row's messages, and the keys of its tools."""

    key: str
    messages: list[Json]
    is_text: bool
    tool_keys: tuple[str, ...]
    is_own: bool = True
    """Whether a provider keeps messages under that key; a column of another name keeps its name."""


@cache
def history_keys() -> frozenset[str]:
    """Return the keys under which some provider keeps messages."""
    from toolcanon.conversations.read_write import codecs  # noqa: PLC0415 - rows of tools need none

    return frozenset(codec.history for codec in codecs().values())


@cache
def _shared_keys() -> frozenset[str]:
    """Return the keys under which several providers have messages, which mean nothing else."""
    from toolcanon.conversations.read_write import codecs  # noqa: PLC0415 - rows of tools need none

    keys = [codec.history for codec in codecs().values()]
    return frozenset(key for key in keys if keys.count(key) > 1)


def may_hold_history(body: JsonObject) -> bool:
    """Return whether ``history_in`` may find messages: it loads the codecs of all providers."""
    if tool_keys(body):
        (first, *others) = body.values()
        holds_roles = isinstance(first, list) and _has_roles(first)
        return bool(others) or isinstance(first, str) or holds_roles
    return any(
        isinstance(value, list) or (isinstance(value, str) and value.lstrip()[:1] == "[")
        for value in body.values()
    )


def history_in(
    row: Json, read: Callable[[str], Json], tools_field: str | None = None
) -> HistoryLocation | None:
    """Return the conversation of a row; None where it has none. ``read`` makes a value of a text.

    Raises NotAConversation for messages that are none, and UnwrittenColumn for several
    conversations in one row, so that nothing is left behind.
    """
    if row.__class__ is not dict:
        return None
    found = None
    for key in sorted(history_keys().intersection(row)):
        value = row[key]
        is_text = isinstance(value, str) and value.lstrip()[:1] == "["
        messages = read(value) if is_text else value
        is_meant = key in _shared_keys()
        if isinstance(messages, list) and (_has_roles(messages) or (is_meant and not messages)):
            found = HistoryLocation(key, messages, is_text, tuple(tool_keys(row, key)))
            break
        if value and is_meant and tool_keys(row, key):
            raise NotAConversation(f"/{key}", "messages must be a list of objects with a role")
    return _only(row, found, read, tools_field)


def _only(
    row: JsonObject,
    found: HistoryLocation | None,
    read: Callable[[str], Json],
    tools_field: str | None,
) -> HistoryLocation | None:
    """Return the conversation under a provider's key, else under a key of any other name."""
    known = {tools_field, found and found.key}
    others = {}
    for key, value in row.items():
        if key not in known and (held := turns_in(value, read)) is not None:
            others[key] = held
    none = (
        []
        if found
        else [key for key in sorted(_shared_keys().intersection(row)) if row[key] is None]
    )
    if not (others or none):
        return found
    tools = tool_keys(row)
    others = {key: held for key, held in others.items() if key not in tools}
    if not others:
        if none and tools:  # no messages is not a list of tools
            return HistoryLocation(none[0], [], False, tuple(tools))
        return found
    keys = [*([] if found is None else [found.key]), *others]
    if len(keys) == 1 and (flat := others[keys[0]]):
        is_text = isinstance(row[keys[0]], str)
        return HistoryLocation(keys[0], flat, is_text, tuple(tools), is_own=False)
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
    """Return the messages in a column of any name, empty for an unknown shape; or None."""
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


def tool_keys(body: JsonObject, other: str = "") -> list[str]:
    heads = dict.fromkeys(str(hit.at[0]) for hit in contents(body))
    return [head for head in heads if head != other]
