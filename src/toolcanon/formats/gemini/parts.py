"""One part of a content, in both directions.

A part has one value under a key of its own, with a few siblings; ``thoughtSignature`` stays with
the part it came on, because the provider expects it there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolcanon.formats.gemini.results import (
    BARE,
    CALL,
    FILE,
    ID,
    INLINE,
    INNER,
    KEY,
    PAYLOADS,
    RESPONSE,
    SEAL,
    At,
    can_write,
    pick,
    read_media,
    read_result,
    write_media,
)
from toolcanon.formats.wire.codec import (
    NOT_JSON,
    NOT_OBJECT,
    NOTES,
    WriteLog,
    arguments_object,
    dump,
    extras_of,
    foreign_keys,
    has_foreign,
    in_words,
    leftovers,
    noted,
    shown,
)
from toolcanon.formats.wire.odd_members import (
    AS,
    WAS,
    is_as_read,
    is_same,
    note_odd,
    odd,
    put_back,
    put_back_all,
    take_id,
    text_of,
)
from toolcanon.ir.conversation import (
    Call,
    Data,
    Media,
    Native,
    Part,
    Reasoning,
    Refusal,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject

PART: Final = "part"
"""The note on a part that is not an object."""
_CALL_FIELDS: Final = frozenset({"name", "args", "id"})


def read_part(part: Json, model: str | None) -> Part:
    """Read a part; a malformed one is kept unchanged."""
    if part is None:
        return Native(ID, PART, part)
    if part.__class__ is not dict:
        notes: JsonObject = {}
        note_odd(notes, PART, part, {"text": text_of(part).text})
        return Text(text_of(part).text, {ID: {NOTES: notes}})
    size = len(part)
    if size == 1 or (size == 2 and SEAL in part):  # noqa: PLR2004 - the most common case
        if size == 1 and part.get("text").__class__ is str:
            return Text(part["text"])
        key = CALL if CALL in part else RESPONSE
        if key in part:
            return _FUNCTIONS[key](part, key) or _native(part, key)
    return _read_other(part, model)


def is_no_part(part: Part) -> bool:
    """Return whether it was read from an object without any key of a part."""
    return isinstance(part, Native) and part.type == PART and bool(part.value)


def _read_other(part: JsonObject, model: str | None) -> Part:
    if NOTES in part:
        return Native(ID, PART, part)
    held = [key for key in part if key in PAYLOADS and part[key] is not None]
    if len(held) != 1:
        if not held and part.get("thought") is True:
            return _read_reasoning(part, None, model)
        if not held and CALL not in part and _is_nothing(part):
            return _read_nothing(part)
        return Native(ID, PART, part)
    key = held[0]
    kind = PAYLOADS[key]
    if part.get("thought") is True and kind != CALL:
        text = part[key]
        if kind == "text" and isinstance(text, str):
            return _read_reasoning(part, text, model)
        return Native(ID, "thought", part)
    reader = _READERS.get(kind)
    return (reader and reader(part, key)) or _native(part, key)


def _read_text(part: JsonObject, key: str) -> Part | None:
    text, left = part[key], {name: value for name, value in part.items() if name != key}
    if isinstance(text, str):
        return Text(text, {ID: left})
    notes: JsonObject = {}
    note_odd(notes, key, text, text_of(text).text)
    return Text(text_of(text).text, {ID: {**left, NOTES: notes}})


def _is_nothing(part: JsonObject) -> bool:
    """Return whether it has nothing but a signature."""
    seal = pick(part, SEAL)
    return all(key == seal or value is None for key, value in part.items())


def _read_nothing(part: JsonObject) -> Text:
    """Read an empty part, or one with only a signature: the service requires a value in each."""
    left = {key: value for key, value in part.items() if value is not None}
    notes: JsonObject = {}
    note_odd(notes, PART, part, {"text": "", **left})
    return Text("", {ID: {**left, NOTES: notes}})


def _read_reasoning(part: JsonObject, text: str | None, model: str | None) -> Reasoning:
    left = {key: value for key, value in part.items() if key != "thought"}
    if text is not None:
        del left["text"]
    notes: JsonObject = {}
    seal = None
    key = pick(left, SEAL)
    if key is not None and isinstance(left[key], str):
        seal = left.pop(key)
        if key != SEAL:
            notes[KEY] = key
    return Reasoning(
        text,
        seal,
        is_hidden=text is None,
        provider=ID,
        model=model,
        extras=extras_of(ID, left, notes),
    )


def _read_call(part: JsonObject, key: str) -> Call | None:
    said = part[key]
    if said.__class__ is not dict:
        return None
    name, arguments, call_id = said.get("name"), said.get("args"), said.get("id")
    if name.__class__ is not str or NOTES in said:
        return None
    left = {name: value for name, value in part.items() if name != key} if len(part) > 1 else {}
    # Plain: an object of arguments, perhaps an id, nothing else.
    if (
        key == CALL
        and arguments.__class__ is dict
        and len(said) == (2 if call_id.__class__ is not str else 3)
    ):
        return Call(name, arguments, call_id, extras={ID: left} if left else None)
    return _read_odd_call(said, key, left)


def _read_odd_call(said: JsonObject, key: str, left: JsonObject) -> Call:
    arguments, call_id = said.get("args"), said.get("id")
    inner = {name: value for name, value in said.items() if name not in _CALL_FIELDS}
    is_half = _is_half(inner)
    problem = NOT_JSON if is_half else None
    if is_half or not isinstance(arguments, dict):
        if "args" in said:
            inner["args"] = arguments
        problem = problem or (NOT_OBJECT if arguments is not None else None)
    notes: JsonObject = {}
    if call_id is not None and not isinstance(call_id, str):
        call_id = take_id(said, "id", notes)
    elif "id" in said and call_id is None:
        inner["id"] = None
    if key != CALL:
        notes[KEY] = key
    if inner:
        notes[INNER] = inner
    if "args" not in said:
        notes[BARE] = True
    return Call(
        said["name"],
        None if is_half else {} if arguments is None else arguments,
        call_id,
        dump(arguments or {})[:-1] if is_half else None,  # the form of truncated text
        problem,
        extras=extras_of(ID, left, notes),
    )


def _native(part: JsonObject, key: str) -> Native:
    """Read a part that only this provider knows, or that is malformed."""
    payload = part[key]
    found = payload.get("id") if isinstance(payload, dict) else None
    return Native(ID, PAYLOADS[key], part, found if isinstance(found, str) else None)


def write_part(part: Part, told: WriteLog, at: At) -> JsonObject | None:
    """Write a part; None for one without a place here. ``write_result`` writes results."""
    writer = _WRITERS.get(part.__class__)
    if writer is None:
        told.lose("L307", at, shown(part))
        return None
    return writer(part, told, at)


def wire_name(call: Call) -> str:
    """Return the name of a call without namespaces."""
    return f"{call.namespace}:{call.name}" if call.namespace else call.name


def _write_text(part: Text, told: WriteLog, at: At) -> JsonObject:
    if part.extras is None:
        return {"text": part.text}
    _tell_keys(part, told, at)
    out = {"text": part.text, **leftovers(part.extras, ID)}
    notes = noted(part.extras, ID)
    put_back_all(out, notes)
    entry = odd(notes, PART)
    return entry[WAS] if entry is not None and is_same(entry[AS], out) else out


def _write_refusal(part: Refusal, told: WriteLog, at: At) -> JsonObject:
    told.lose("L319", at)
    _tell_keys(part, told, at)
    return {"text": part.text}


def _write_data(part: Data, told: WriteLog, at: At) -> JsonObject:
    told.lose("L305", at)
    _tell_keys(part, told, at)
    return {"text": dump(part.value)}


def _write_media(part: Media, told: WriteLog, at: At) -> JsonObject:
    _tell_keys(part, told, at)
    if can_write(part):
        return write_media(part)
    note = in_words(part)
    told.lose("L302", at, part.kind, note)
    return {"text": note}


def _write_reasoning(part: Reasoning, told: WriteLog, at: At) -> JsonObject | None:
    if part.provider != ID:
        told.lose("L301", at, part.text)
        return None
    _tell_keys(part, told, at)
    out: JsonObject = {"thought": True, **leftovers(part.extras, ID)}
    if part.text is not None:
        out["text"] = part.text
    if part.seal is not None:
        out[noted(part.extras, ID).get(KEY, SEAL)] = part.seal
    return out


def plain_call(call: Call) -> JsonObject | None:
    """Write a call with an object of arguments and no notes or losses; None for other calls."""
    arguments, extras = call.arguments, call.extras
    if arguments.__class__ is dict and call.problem is None and not call.namespace:
        said = {"name": call.name, "args": arguments}
        if call.id is not None:
            said["id"] = call.id
        if extras is None:
            return {CALL: said}
        found = extras.get(ID)
        if found is not None and NOTES not in found and len(extras) == 1:
            return {CALL: said, **found}
    return None


def write_call(call: Call, told: WriteLog, at: At) -> JsonObject:
    return plain_call(call) or _write_odd_call(call, told, at)


def _write_odd_call(call: Call, told: WriteLog, at: At) -> JsonObject:
    _tell_keys(call, told, at)
    notes = noted(call.extras, ID)
    said: JsonObject = dict(notes.get(INNER, ()))
    if call.namespace:
        told.lose("L315", at, call.namespace)
    said["name"] = wire_name(call)
    if call.id is not None:
        said["id"] = call.id
    if is_as_read(said, notes, "id"):
        put_back(said, notes, "id")
    if not _has_own_arguments(call, said, is_bare=BARE in notes):
        said["args"], code = arguments_object(call)
        if code is not None:
            told.lose(code, at)
    return {notes.get(KEY, CALL): said, **leftovers(call.extras, ID)}


def _has_own_arguments(call: Call, said: JsonObject, *, is_bare: bool) -> bool:
    """Return whether the notes have odd or absent arguments that are unchanged."""
    if call.arguments is None and call.problem == NOT_JSON and _is_half(said):
        return True
    if "args" not in said:
        return is_bare and bool(call.arguments == {})
    kept = said["args"]
    if kept is None:
        return bool(call.arguments == {})
    return call.problem == NOT_OBJECT and bool(kept == call.arguments)


def _is_half(said: JsonObject) -> bool:
    return bool(said.get("willContinue") or said.get("will_continue"))


def _write_native(part: Native, told: WriteLog, at: At) -> JsonObject | None:
    if part.format == ID:
        return part.value  # type: ignore[no-any-return]
    told.lose("L307", at, part.value)
    return None


def _tell_keys(
    part: Text | Refusal | Data | Media | Reasoning | Call, told: WriteLog, at: At
) -> None:
    if has_foreign(part.extras, ID):
        told.lose("L308", at, foreign_keys(part.extras, ID))


_FUNCTIONS: Final[dict[str, Callable[[JsonObject, str], Part | None]]] = {
    CALL: _read_call,
    RESPONSE: read_result,
}
_READERS: Final[dict[str, Callable[[JsonObject, str], Part | None]]] = {
    **_FUNCTIONS,
    "text": _read_text,
    INLINE: read_media,
    FILE: read_media,
}
_WRITERS: Final[dict[type, Callable[[Any, WriteLog, At], JsonObject | None]]] = {
    Text: _write_text,
    Refusal: _write_refusal,
    Data: _write_data,
    Media: _write_media,
    Reasoning: _write_reasoning,
    Call: write_call,
    Native: _write_native,
}
