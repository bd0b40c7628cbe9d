"""Read items, each as one message.

Messages, calls, their outputs and reasoning are parts of our own; any other item is ``Native`` and
is written back unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.openai_responses.parts import (
    CONTENT,
    ID,
    ITEM,
    LIST,
    NATIVES,
    is_text,
    note_misplaced,
    read_part,
)
from toolcanon.formats.wire.codec import (
    NOT_JSON,
    NOT_OBJECT,
    extras_of,
    leftovers,
    read_arguments,
)
from toolcanon.formats.wire.odd_members import ABSENT as MISSING
from toolcanon.formats.wire.odd_members import (
    are_blocks,
    json_text,
    meant_role,
    note_odd,
    note_type,
    take_id,
    take_text,
    text_of,
)
from toolcanon.formats.wire.results import unwrap_error
from toolcanon.ir.conversation import (
    Call,
    Data,
    Media,
    Message,
    Native,
    Part,
    Reasoning,
    Refusal,
    Result,
    Role,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject

TYPED: Final = "typed"
"""A message with an explicit type."""
SPELLED: Final = "content"
NAMED: Final = "named"
BETWEEN: Final = "\n\n"
_CALLED: Final = "function_call"
_ANSWERED: Final = "function_call_output"
_ROLES: Final = frozenset({"user", "assistant", "system", "developer"})


def read_items(items: list[Json], model: str | None = None) -> list[Message]:
    """Read every item; ``model`` wrote those of the assistant."""
    return read_list(items, model, "")


def read_list(items: Json, model: str | None, base: str) -> list[Message]:
    """Read a list of items at some place of a larger document."""
    if not isinstance(items, list):
        raise NotAConversation(base, "items must be a list")
    read: list[Message] = []
    asked: set[Json] = set()
    for item in items:
        if not isinstance(item, dict):
            raise NotAConversation(f"{base}/{len(read)}", "an item must be an object")
        kind = item.get("type")
        if kind is None and len(item) == 2:  # noqa: PLR2004 - role and content
            role, content = item.get("role"), item.get("content")
            if content and content.__class__ is role.__class__ is str and role in _ROLES:
                read.append(Message(role, [Text(content)]))  # type: ignore[arg-type]
                continue
        if kind == "reasoning":
            read.append(Message("assistant", [_read_reasoning(item, model)]))
            continue
        reader = _READERS.get(kind) if isinstance(kind, str) else _read_message
        made = reader(item) if reader else _read_unknown(item, kind, asked)
        read.append(made or _read_native(item, kind))
    return read


def _read_unknown(item: JsonObject, kind: Json, asked: set[Json]) -> Message | None:
    """Read a call of an unknown type with name and arguments, or its result; ``asked`` are ids."""
    call_id = item.get("call_id")
    if not isinstance(call_id, str):
        return None
    made, meant = None, _CALLED
    if "output" not in item:
        if isinstance(item.get("arguments"), (str, dict)):
            made = _read_call(item)
            asked.add(call_id)
    elif call_id in asked:
        made, meant = _read_output(item), _ANSWERED
    for part in made.parts if made else ():
        note_type(part, ID, kind, meant)  # type: ignore[arg-type]
    return made


def _read_native(item: JsonObject, kind: Json) -> Message:
    """Read an item that only this provider knows, or that is malformed."""
    made = NATIVES.make(ITEM, item)
    made.id = item["id"] if isinstance(item.get("id"), str) else None
    return Message(_role(kind), [made])


def _role(kind: Json) -> Role:
    """Return the role of an item that only this provider knows."""
    if not isinstance(kind, str):
        return "user"
    if kind.endswith("_output"):
        return "tool"
    return "user" if kind.endswith("_response") else "assistant"


def _read_message(item: JsonObject) -> Message | None:
    left, notes = dict(item), dict[str, Json]()
    word = left.pop("role", None)
    role = meant_role(word, _ROLES)
    kind = left.pop("type", None)
    if role is None or kind not in (None, "message"):
        return None
    if role != word:
        note_odd(notes, "role", word, role)
    if kind:
        notes[TYPED] = True
    elif "type" in item:
        note_odd(notes, "type", None)
    usual = "output_text" if role == "assistant" else "input_text"
    parts = _take_content(left, notes, "content", usual)
    for part in parts if role == "assistant" else ():
        if isinstance(part, Media):
            note_misplaced(part)
    return Message(role, parts, None, extras_of(ID, left, notes))  # type: ignore[arg-type]


def _take_content(
    left: JsonObject, notes: JsonObject, key: str, usual: str, *, is_result: bool = False
) -> list[Part]:
    """Read a text, parts, or no content; the form is noted where it does not follow."""
    value = left.pop(key, MISSING)
    if isinstance(value, str):
        return [Text(value)] if value else []
    if value is None or value is MISSING:
        note_odd(notes, key, value, "")
        return []
    values = _read_odd(value, notes, key, usual, is_result=is_result)
    if values is not None:
        return values
    notes[SPELLED] = LIST
    return [read_part(part, usual) for part in value]


def _read_odd(
    value: Json, notes: JsonObject, key: str, usual: str, *, is_result: bool
) -> list[Part] | None:
    """Read content that is neither a text nor a list of parts; None where it is."""
    if is_result:
        parts = read_odd_result(value, usual)
        if parts is not None:
            note_odd(notes, key, value, json_text(value))
        return parts
    if isinstance(value, list) and are_blocks(value):
        return None
    found: list[Part] = []
    written: list[Json] = []
    for item in value if isinstance(value, list) else [value]:
        part = read_part(item, usual)
        is_value = part.__class__ is Native
        found.append(text_of(item) if is_value else part)
        written.append({"type": usual, "text": text_of(item).text} if is_value else item)
    is_plain = len(written) == 1 and is_text(written[0], usual)
    note_odd(notes, key, value, written[0]["text"] if is_plain else written)
    return found


def read_odd_result(value: Json, usual: str) -> list[Part] | None:
    """Read a single part as a list of one, other content as a value; None for a list of parts."""
    if not isinstance(value, list):
        part = read_part(value, usual)
        return [Data(value) if part.__class__ is Native else part]
    read = [read_part(item, usual) for item in value]
    is_value = not are_blocks(value) or all(part.__class__ is Native for part in read)
    return [Data(value)] if value and is_value else None


def reads_as(result: Result, output: Json) -> bool:
    """Return whether odd output is still the output of a result."""
    parts = [] if output is None else read_odd_result(output, "input_text") or []
    made = Result(None, [_in_result(part) for part in parts])
    unwrap_error(made, ID)
    return made.content == result.content and made.is_error == result.is_error


def _read_call(item: JsonObject) -> Message | None:
    name, text, call_id = item.get("name"), item.get("arguments"), item.get("call_id")
    if not isinstance(name, str):
        return None
    if len(item) == 4 and text.__class__ is call_id.__class__ is str:  # noqa: PLR2004 - these, type
        value, problem = read_arguments(text)
        return Message("assistant", [Call(name, value, call_id, text, problem)])
    left = dict(item)
    del left["type"], left["name"]
    if isinstance(text, str) and isinstance(call_id, str):
        del left["arguments"], left["call_id"]
        namespace = left.pop("namespace") if isinstance(left.get("namespace"), str) else None
        value, problem = read_arguments(text)
        extras = extras_of(ID, left) if left else None
        call = Call(name, value, call_id, text, problem, namespace=namespace, extras=extras)
        return Message("assistant", [call])
    return Message("assistant", [_read_odd_call(name, left)])


def _read_odd_call(name: str, left: JsonObject) -> Call:
    """Read a call whose arguments are a value or absent, or without an id."""
    notes: JsonObject = {}
    call = Call(name)
    text = left.pop("arguments", MISSING)
    if isinstance(text, str):
        call.text = text
        call.arguments, call.problem = read_arguments(text)
    elif text is MISSING:
        call.text, call.problem = "", NOT_JSON
        note_odd(notes, "arguments", MISSING, "{}")
    else:
        call.arguments = text
        call.problem = None if isinstance(text, dict) else NOT_OBJECT
        note_odd(notes, "arguments", text, json_text({} if text is None else text))
    call.id = take_id(left, "call_id", notes)
    left.pop("call_id", None)
    if isinstance(left.get("namespace"), str):
        call.namespace = left.pop("namespace")
    call.extras = extras_of(ID, left, notes)
    return call


def _read_text_call(item: JsonObject) -> Message | None:
    name = item.get("name")
    if not isinstance(name, str):
        return None
    left, notes = dict(item), dict[str, Json]()
    del left["type"], left["name"]
    call = Call(name, text=take_text(item, "input", notes), is_text=True)
    left.pop("input", None)
    call.id = take_id(left, "call_id", notes)
    left.pop("call_id", None)
    if isinstance(left.get("namespace"), str):
        call.namespace = left.pop("namespace")
    call.extras = extras_of(ID, left, notes)
    return Message("assistant", [call])


def _read_output(item: JsonObject) -> Message:
    text, call_id = item.get("output"), item.get("call_id")
    if len(item) == 3 and text and text.__class__ is call_id.__class__ is str:  # noqa: PLR2004
        result = Result(call_id, [Text(text)])
        if text[0] == "{":
            unwrap_error(result, ID)
        return Message("tool", [result])
    left, notes = dict(item), dict[str, Json]()
    del left["type"]
    call_id = take_id(left, "call_id", notes)
    left.pop("call_id", None)
    found = _take_content(left, notes, "output", "input_text", is_result=True)
    parts = [_in_result(part) for part in found]
    name = None
    if isinstance(left.get("name"), str):
        name, notes[NAMED] = left.pop("name"), True
    result = Result(call_id, parts, name, extras=extras_of(ID, left, notes))
    unwrap_error(result, ID)
    return Message("tool", [result])


def _read_text_output(item: JsonObject) -> Message:
    message = _read_output(item)
    for result in message.results:
        result.is_text = True
    return message


def _in_result(part: Part) -> Text | Media | Data | Native:
    if isinstance(part, Refusal):
        value = {"type": "refusal", "refusal": part.text, **leftovers(part.extras, ID)}
        return NATIVES.make(CONTENT, value)
    return part  # type: ignore[return-value]


def _read_reasoning(item: JsonObject, model: str | None) -> Reasoning:
    """Read reasoning: encrypted, summarised or in full; its text is the full one if present."""
    id_, seal = item.get("id"), item.get("encrypted_content")
    if len(item) == 4 and item.get("summary") == [] and id_.__class__ is seal.__class__ is str:  # noqa: PLR2004
        return Reasoning(None, seal, True, id_, ID, model)
    left, notes = dict(item), dict[str, Json]()
    del left["type"]
    made = Reasoning(provider=ID, model=model)
    if isinstance(left.get("id"), str):
        made.id = left.pop("id")
    if isinstance(left.get("encrypted_content"), str):
        made.seal = left.pop("encrypted_content")
    summary, content = left.pop("summary", None), item.get("content")
    if content is not None:
        del left["content"]
    if isinstance(summary, str):
        note_odd(notes, "summary", summary, plain_summary(summary or None))
        summary = plain_summary(summary or None)
    made.text = words(content) or words(summary)
    if summary is None:
        note_odd(notes, "summary", item.get("summary", MISSING), [])
    if plain_summary(made.text) != (summary or []) or content is not None:
        said = {"summary": summary or [], "content": content}
        notes["words"] = {key: value for key, value in said.items() if value is not None}
    made.is_hidden = made.text is None and made.seal is not None
    made.extras = extras_of(ID, left, notes)
    return made


def words(parts: Json) -> str | None:
    """Return the texts of a list, joined."""
    if not isinstance(parts, list):
        return None
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return BETWEEN.join(text for text in texts if isinstance(text, str)) or None


def plain_summary(text: str | None) -> list[JsonObject]:
    """Return a summary with just this text."""
    return [] if text is None else [{"type": "summary_text", "text": text}]


_READERS: Final[dict[str, Callable[[JsonObject], Message | None]]] = {
    "message": _read_message,
    "function_call": _read_call,
    "function_call_output": _read_output,
    "custom_tool_call": _read_text_call,
    "custom_tool_call_output": _read_text_output,
}
"""By type; None for a malformed item."""
