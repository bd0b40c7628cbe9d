"""Calls as people have them, whoever's model wrote them: one table of keys, no names of providers.

A call has a name and arguments, by themselves or under one key, and often an id, inside or beside.
"""

from __future__ import annotations

import json
from typing import Final, NamedTuple

from toolcanon.errors import NotACall
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.text import safe, safe_json

_HOLDERS: Final = {
    "function": False,
    "custom": False,
    "toolUse": False,
    "functionCall": True,
    "function_call": True,
    "params": True,
}
"""Keys a call may stand under, and whether those who write them leave out empty arguments."""
_NAMES: Final = ("name", "toolName")
_ARGUMENTS: Final = ("arguments", "input", "args", "parameters")
_USUAL: Final = "args"  # of those who leave out empty ones
_IDS: Final = ("call_id", "toolUseId", "toolCallId", "id")
"""The id that an answer names comes first."""
_SHOWN: Final = 80


class Call(NamedTuple):
    """One call, unwrapped."""

    name: str
    arguments: Json
    id: Json = None
    namespace: str | None = None


def read_call(value: Json, at: str = "") -> Call:
    """The call in a value; raises NotACall.

    >>> read_call({"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}})
    Call(name='f', arguments='{}', id='c1', namespace=None)
    """
    if not isinstance(value, dict):
        raise NotACall(at, _shown(value))
    holder = next((key for key in _HOLDERS if isinstance(value.get(key), dict)), None)
    inner: JsonObject = value if holder is None else value[holder]
    name = _first(inner, _NAMES)
    key = next((key for key in _ARGUMENTS if key in inner), None)
    if not isinstance(name, str) or (key is None and not _HOLDERS.get(holder or "")):
        raise NotACall(at, _shown(value))
    found = _first(inner, _IDS)
    namespace = inner.get("namespace")
    return Call(
        name,
        {} if key is None else inner[key],
        _first(value, _IDS) if found is None else found,
        namespace if isinstance(namespace, str) else None,
    )


def write_call(value: JsonObject, name: str, arguments: Json) -> JsonObject:
    """The same call in the same shape with another name and other arguments; text stays text.

    >>> write_call({"id": 1, "name": "f", "input": {}}, "g", {"a": 2})
    {'id': 1, 'name': 'g', 'input': {'a': 2}}
    """
    holder = next((key for key in _HOLDERS if isinstance(value.get(key), dict)), None)
    inner = dict(value if holder is None else value[holder])
    named = next(key for key in _NAMES if isinstance(inner.get(key), str))
    held = next((key for key in _ARGUMENTS if key in inner), None)
    inner[named] = name
    if held is not None or arguments:
        held = held or _USUAL
        as_text = isinstance(inner.get(held), str) and not isinstance(arguments, str)
        inner[held] = json.dumps(arguments, ensure_ascii=False) if as_text else arguments
    return inner if holder is None else {**value, holder: inner}


def _first(value: JsonObject, keys: tuple[str, ...]) -> Json:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _shown(value: Json) -> str:
    return safe(safe_json(value, indent=None), _SHOWN)
