"""Calls as assistants write them: functions, free text, and the one ``function_call`` of old."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.openai.parts import ABSENT, CALL, ID, NATIVES
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
from toolcanon.ir.conversation import Call, Native
from toolcanon.jsonio.types import Json, JsonObject

_CALL: Final = frozenset({"id", "type", "function"})
_CUSTOM_CALL: Final = frozenset({"id", "type", "custom"})
_FUNCTION: Final = frozenset({"name", "arguments"})
_CUSTOM: Final = frozenset({"name", "input"})
AS_VALUE: Final = "value"
LEGACY: Final = "legacy"


def read_call(call: Json) -> Call | Native:
    """One entry of ``tool_calls``."""
    if isinstance(call, dict):
        function = call.get("function")
        if isinstance(function, dict):
            if call.get("type", "function") == "function":
                return _read_function(call, function)
        elif call.get("type") == "custom" and isinstance(call.get("custom"), dict):
            return _read_custom(call, call["custom"])
    return NATIVES.make(CALL, call)


def _read_function(call: JsonObject, function: JsonObject) -> Call | Native:
    name, text, id_ = function.get("name"), function.get("arguments"), call.get("id")
    if not isinstance(name, str):
        return NATIVES.make(CALL, call)
    if (
        isinstance(text, str)
        and isinstance(id_, str)
        and len(function) == 2  # noqa: PLR2004 - name and arguments
        and len(call) == 3  # noqa: PLR2004 - id, type and function
        and "type" in call
    ):
        arguments, problem = read_arguments(text)
        return Call(name, arguments, id_, text, problem)
    left, notes = rest(call, _CALL), dict[str, Json]()
    absent = [] if "type" in call else ["type"]
    id_ = _read_id(call, left, absent)
    made = _read_arguments(name, function, notes, absent)
    made.id = id_
    if inner := rest(function, _FUNCTION):
        left["function"] = inner
    if absent:
        notes[ABSENT] = absent
    made.extras = extras_of(ID, left, notes)
    return made


def _read_id(call: JsonObject, left: JsonObject, absent: list[str]) -> str | None:
    id_ = call.get("id")
    if isinstance(id_, str):
        return id_
    absent.append("id")
    if "id" in call:
        left["id"] = id_
    return None


def _read_arguments(name: str, function: JsonObject, notes: JsonObject, absent: list[str]) -> Call:
    """Text as it should be; a value, as some servers send; or nothing, which is no text."""
    text = function.get("arguments")
    if isinstance(text, str):
        arguments, problem = read_arguments(text)
        return Call(name, arguments, None, text, problem)
    if "arguments" not in function:
        absent.append("arguments")
        return Call(name, None, None, "", NOT_JSON)
    notes[AS_VALUE] = True
    return Call(name, text, problem=None if isinstance(text, dict) else NOT_OBJECT)


def _read_custom(call: JsonObject, custom: JsonObject) -> Call | Native:
    name, text = custom.get("name"), custom.get("input")
    if not isinstance(name, str) or not isinstance(text, str):
        return NATIVES.make(CALL, call)
    left, absent = rest(call, _CUSTOM_CALL), list[str]()
    id_ = _read_id(call, left, absent)
    if inner := rest(custom, _CUSTOM):
        left["custom"] = inner
    extras = extras_of(ID, left, {ABSENT: absent} if absent else None)
    return Call(name, None, id_, text, is_text=True, extras=extras)


def read_legacy(function: Json) -> Call | None:
    """The one call of a message that has no list of them."""
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return None
    notes: JsonObject = {LEGACY: True}
    absent: list[str] = []
    made = _read_arguments(function["name"], function, notes, absent)
    if absent:
        notes[ABSENT] = absent
    made.extras = extras_of(ID, rest(function, _FUNCTION), notes)
    return made


def is_legacy(call: Call) -> bool:
    """Whether it stood alone, without an id."""
    return call.id is None and call.extras is not None and LEGACY in noted(call.extras, ID)


def has_no_id(call: Call) -> bool:
    """Whether it was read without an id and still has none."""
    return call.id is None and "id" in noted(call.extras, ID).get(ABSENT, ())


def write_call(call: Call, name: str, id_: str | None) -> JsonObject:
    """One entry of ``tool_calls``."""
    key, said = ("custom", "input") if call.is_text else ("function", "arguments")
    if call.extras is None:
        text = (call.text or "") if call.is_text else arguments_text(call)
        return {"id": id_, "type": key, key: {"name": name, said: text}}
    left, notes = dict(leftovers(call.extras, ID)), noted(call.extras, ID)
    out: JsonObject = {} if id_ is None else {"id": id_}
    absent = notes.get(ABSENT, ())
    if "type" not in absent or call.is_text:
        out["type"] = key
    inner = left.pop(key, {})
    out[key] = write_function(call, name, notes, inner)
    for other, value in left.items():
        out.setdefault(other, value)
    return out


def write_function(call: Call, name: str, notes: JsonObject, left: JsonObject) -> JsonObject:
    """Name and arguments."""
    out: JsonObject = {"name": name}
    if call.is_text:
        out["input"] = call.text or ""
    elif AS_VALUE in notes:
        out["arguments"] = call.arguments
    elif not _is_absent(call, notes):
        out["arguments"] = arguments_text(call)
    out.update(left)
    return out


def _is_absent(call: Call, notes: JsonObject) -> bool:
    return "arguments" in notes.get(ABSENT, ()) and not call.text and call.arguments is None


def write_legacy(call: Call) -> JsonObject:
    """What ``function_call`` holds."""
    notes = noted(call.extras, ID)
    return write_function(call, call.name, notes, leftovers(call.extras, ID))
