"""Calls of assistants: functions, free text, and the deprecated ``function_call``."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.openai.parts import CALL, ID, NATIVES
from toolcanon.formats.wire.codec import (
    NOT_JSON,
    NOT_OBJECT,
    arguments_text,
    extras_of,
    leftovers,
    noted,
    read_arguments,
    rest,
)
from toolcanon.formats.wire.odd import ABSENT as MISSING
from toolcanon.formats.wire.odd import (
    WAS,
    is_as_read,
    is_same,
    json_text,
    note_odd,
    note_type,
    odd,
    put_back,
    take_id,
    take_text,
)
from toolcanon.ir.conversation import Call, Native
from toolcanon.jsonio.types import Json, JsonObject

_CALL: Final = frozenset({"id", "type", "function"})
_CUSTOM_CALL: Final = frozenset({"id", "type", "custom"})
_FUNCTION: Final = frozenset({"name", "arguments"})
_CUSTOM: Final = frozenset({"name", "input"})
LEGACY: Final = "legacy"


def read_call(call: Json) -> Call | Native:
    """Read one entry of ``tool_calls``."""
    if isinstance(call, dict):
        function = call.get("function")
        if isinstance(function, dict):
            return _read_function(call, function)
        if call.get("type") == "custom" and isinstance(call.get("custom"), dict):
            return _read_custom(call, call["custom"])
    return NATIVES.make(CALL, call)


def _read_function(call: JsonObject, function: JsonObject) -> Call | Native:
    name, text, id_ = function.get("name"), function.get("arguments"), call.get("id")
    kind = call.get("type")
    is_known = kind is None or kind == "function"
    if not isinstance(name, str) or not (is_known or isinstance(text, (str, dict))):
        return NATIVES.make(CALL, call)
    if (
        isinstance(text, str)
        and isinstance(id_, str)
        and len(function) == 2  # noqa: PLR2004 - name and arguments
        and len(call) == 3  # noqa: PLR2004 - id, type and function
        and kind == "function"
    ):
        arguments, problem = read_arguments(text)
        return Call(name, arguments, id_, text, problem)
    left, notes = rest(call, _CALL), dict[str, Json]()
    if kind is None:
        note_odd(notes, "type", call.get("type", MISSING), "function")
    made = _read_arguments(name, function, notes)
    made.id = take_id(call, "id", notes)
    if inner := rest(function, _FUNCTION):
        left["function"] = inner
    made.extras = extras_of(ID, left, notes)
    if not is_known:
        note_type(made, ID, kind, "function")
    return made


def _read_arguments(name: str, function: JsonObject, notes: JsonObject) -> Call:
    """Read arguments as text; some servers send a value, or nothing."""
    value = function.get("arguments")
    if isinstance(value, str):
        arguments, problem = read_arguments(value)
        return Call(name, arguments, None, value, problem)
    if "arguments" not in function:
        note_odd(notes, "arguments", MISSING, "{}")
        return Call(name, None, None, "", NOT_JSON)
    note_odd(notes, "arguments", value, json_text({} if value is None else value))
    return Call(name, value, problem=None if isinstance(value, dict) else NOT_OBJECT)


def _read_custom(call: JsonObject, custom: JsonObject) -> Call | Native:
    name = custom.get("name")
    if not isinstance(name, str):
        return NATIVES.make(CALL, call)
    left, notes = rest(call, _CUSTOM_CALL), dict[str, Json]()
    text = take_text(custom, "input", notes)
    id_ = take_id(call, "id", notes)
    if inner := rest(custom, _CUSTOM):
        left["custom"] = inner
    return Call(name, None, id_, text, is_text=True, extras=extras_of(ID, left, notes))


def read_legacy(function: Json) -> Call | None:
    """Read the only call of a message without a list of them."""
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return None
    notes: JsonObject = {LEGACY: True}
    made = _read_arguments(function["name"], function, notes)
    made.extras = extras_of(ID, rest(function, _FUNCTION), notes)
    return made


def is_legacy(call: Call) -> bool:
    """Return whether it was a ``function_call``, without an id."""
    return call.id is None and call.extras is not None and LEGACY in noted(call.extras, ID)


def has_no_id(call: Call) -> bool:
    """Return whether it was read without an id and still has none."""
    return call.id is None and odd(noted(call.extras, ID), "id") is not None


def write_call(call: Call, name: str, id_: str | None) -> JsonObject:
    """Return one entry of ``tool_calls``."""
    key, said = ("custom", "input") if call.is_text else ("function", "arguments")
    if call.extras is None:
        text = (call.text or "") if call.is_text else arguments_text(call)
        return {"id": id_, "type": key, key: {"name": name, said: text}}
    left, notes = dict(leftovers(call.extras, ID)), noted(call.extras, ID)
    out: JsonObject = {} if id_ is None else {"id": id_}
    out["type"] = key
    inner = left.pop(key, {})
    out[key] = write_function(call, name, notes, inner)
    for other, value in left.items():
        out.setdefault(other, value)
    for member in ("id", "type"):
        if is_as_read(out, notes, member):
            put_back(out, notes, member)
    return out


def write_function(call: Call, name: str, notes: JsonObject, left: JsonObject) -> JsonObject:
    out: JsonObject = {"name": name}
    if call.is_text:
        out["input"] = call.text or ""
        if is_as_read(out, notes, "input"):
            put_back(out, notes, "input")
    else:
        out["arguments"] = arguments_text(call)
        entry = odd(notes, "arguments")
        if entry is not None and not call.text and is_same(call.arguments, entry.get(WAS)):
            put_back(out, notes, "arguments")
    out.update(left)
    return out


def write_legacy(call: Call) -> JsonObject:
    """Return the value of ``function_call``."""
    notes = noted(call.extras, ID)
    return write_function(call, call.name, notes, leftovers(call.extras, ID))
