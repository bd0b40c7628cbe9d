"""Lists of contents, in both directions.

A message that was read here has an entry of ours in its extras, even if empty: it is written as it
was. Messages of other providers are arranged as required: one content for each turn of the model,
all results of the turn in the next content and nothing else in that.
"""

from __future__ import annotations

from typing import Final

from toolcanon.errors import NotAConversation
from toolcanon.formats.gemini.parts import (
    is_no_part,
    plain_call,
    read_part,
    wire_name,
    write_call,
    write_part,
)
from toolcanon.formats.gemini.results import ID, At, plain_result, write_result
from toolcanon.formats.wire.codec import (
    NOTES,
    WriteLog,
    foreign_keys,
    has_foreign,
    leftovers,
    noted,
)
from toolcanon.formats.wire.odd_members import meant_role, note_odd, odd, put_back_all, text_of
from toolcanon.formats.wire.turns import is_own
from toolcanon.ir.conversation import Call, Message, Part, Result, Role, Text
from toolcanon.jsonio.types import Json, JsonObject

_ROLES: Final[dict[str, Role]] = {"user": "user", "model": "assistant"}
_ODD_ROLES: Final[dict[str, Role]] = {
    "function": "tool",
    "tool": "tool",
    "assistant": "assistant",
    "system": "system",
}
_TAKEN: Final = frozenset({"user", "model", "function", "tool"})
"""Other roles are rejected: "Please use a valid role: user, model." """
_WORDS: Final = {"assistant": "model"}
_INSTRUCTING: Final = frozenset({"system", "developer"})
ROLE: Final = "role"
CONTENT: Final = "content"
"""The note on a content that is a list of parts."""
FORM: Final = "form"


def read_contents(contents: list[Json], model: str | None, at: str = "") -> list[Message]:
    """Read messages; ``at`` is the place of the list, for errors."""
    messages = []
    for index, content in enumerate(contents):
        if content.__class__ is dict and len(content) == 2:  # noqa: PLR2004 - role and parts
            role, parts = content.get("role"), content.get("parts")
            if role.__class__ is str and role in _ROLES and parts.__class__ is list:
                read = [read_part(part, model) for part in parts]
                messages.append(Message(_role(_ROLES[role], read), read, None, {ID: {}}))
                continue
        messages.append(read_content(content, model, f"{at}/{index}"))
    return messages


def read_content(content: Json, model: str | None, at: str, default: Role | None = None) -> Message:
    """Read one content of any shape, with notes on the shape."""
    if isinstance(content, str):
        return Message(default or "user", [Text(content)], None, {ID: {NOTES: {FORM: "text"}}})
    if default == "system" and _are_parts(content):
        made = read_content({"parts": content}, model, at, default)
        kept = {key: note for key, note in noted(made.extras, ID).items() if key != ROLE}
        note_odd(kept, CONTENT, content)
        made.extras = {ID: {NOTES: kept}}
        return made
    if not isinstance(content, dict) or NOTES in content:
        raise NotAConversation(at, "a content must be an object with a role and parts")
    left = dict(content)
    notes: JsonObject = {}
    parts = left.get("parts")
    read: list[Part] = []
    if isinstance(parts, list):
        del left["parts"]
        read = [read_part(part, model) for part in parts]
    elif isinstance(parts, dict):  # the service accepts one as a list of one
        del left["parts"]
        notes[FORM] = "one"
        read = [read_part(parts, model)]
        if is_no_part(read[0]):
            del notes[FORM]
            note_odd(notes, "parts", parts, [{"text": text_of(parts).text}])
            read = [text_of(parts)]
    elif parts is not None:
        del left["parts"]
        note_odd(notes, "parts", parts, [{"text": text_of(parts).text}])
        read = [text_of(parts)]
    else:
        notes[FORM] = "none"
    word = left.pop("role", None)
    if word is not None and not isinstance(word, str):
        left["role"], word = word, None
    elif word is None and "role" in content:
        left["role"] = None
    meant = meant_role(word, _ROLES.keys() | _ODD_ROLES) or ""
    role = default or _ROLES.get(meant) or _ODD_ROLES.get(meant)
    if role is None:
        role = "assistant" if any(part.__class__ is Call for part in read) else "user"
    role = _role(role, read)
    _note_role(notes, word, role, is_prompt=default is not None)
    return Message(role, read, None, {ID: {**left, NOTES: notes} if notes else left})


def _note_role(notes: JsonObject, word: str | None, role: Role, *, is_prompt: bool) -> None:
    """Note the name of a role that is not the usual one; in a prompt any is accepted."""
    written = _WORDS.get(role, "user")
    if word is not None and word not in _TAKEN and not is_prompt:
        note_odd(notes, ROLE, word, written)
    elif written != word:
        notes[ROLE] = [word, role]


def _are_parts(content: Json) -> bool:
    """Return whether parts are in place of a content, as the provider's SDK accepts."""
    is_list = isinstance(content, list) and bool(content)
    return is_list and all(isinstance(part, (str, dict)) for part in content)


def _role(role: Role, parts: list[Part]) -> Role:
    """Return the role; results have the user's, and alone in a content they are the tools'."""
    if role in {"user", "tool"}:
        for part in parts:
            if part.__class__ is not Result:
                return "user"
        return "tool" if parts else "user"
    return role


def write_contents(messages: list[Message], told: WriteLog, root: At = ("messages",)) -> list[Json]:
    """Write contents, unchanged or as the provider requires them."""
    if all(is_own(message, ID) for message in messages):
        return [
            write_content(message, told, (*root, index)) for index, message in enumerate(messages)
        ]
    return _arranged(messages, told, root)


def _arranged(messages: list[Message], told: WriteLog, root: At) -> list[Json]:  # noqa: C901, PLR0912 - one way
    contents: list[Json] = []
    calls = _Calls()
    turn: JsonObject | None = None  # the model's, as long as no other role follows
    answers: list[tuple[int, JsonObject]] = []
    for index, message in enumerate(messages):
        extras = message.extras
        if extras is not None and ID in extras:
            _close(answers, contents)
            turn = None
            contents.append(write_content(message, told, (*root, index)))
            calls.note(message)
            continue
        if extras is not None or message.name is not None or message.role in _INSTRUCTING:
            _report_keys(message, told, (*root, index))
        words: list[Json] = []
        is_asking = False
        for place, part in enumerate(message.parts):
            if part.__class__ is Text and part.extras is None and part.text:
                words.append({"text": part.text})
            elif part.__class__ is Call:
                is_asking = True
                said = plain_call(part)  # the most common case: no place is needed
                words.append(said or write_call(part, told, (*root, index, "parts", place)))
            elif part.__class__ is Result:
                number, name = calls.find(part)
                said = plain_result(part, name)
                if said is None:
                    at = (*root, index, "parts", place)
                    said = write_result(part, name, told, at, own=False)
                answers.append((number, said))
                turn = None
            elif (said := _write_other(part, told, (*root, index, "parts", place))) is not None:
                words.append(said)
        if is_asking:
            calls.note(message)
        if message.role == "assistant":
            if turn is None and words:
                _close(answers, contents)
                turn = {"role": "model", "parts": []}
                contents.append(turn)
            if turn is not None:
                turn["parts"] += words
        elif words:
            _close(answers, contents)
            turn = None
            contents.append({"role": "user", "parts": words})
    _close(answers, contents)
    return contents


def _write_other(part: Part, told: WriteLog, at: At) -> JsonObject | None:
    """Write a part of another provider's message; None for an empty text, which is rejected."""
    if part.__class__ is Text and not part.text and not (part.extras and part.extras.get(ID)):
        return None
    return write_part(part, told, at)


def _close(answers: list[tuple[int, JsonObject]], contents: list[Json]) -> None:
    """Put consecutive results into one content, in the order of the calls."""
    if answers:
        if len(answers) > 1:
            answers.sort(key=lambda item: item[0])
        contents.append({"role": "user", "parts": [part for _, part in answers]})
        answers.clear()


def _report_keys(message: Message, told: WriteLog, at: At) -> None:
    if message.role in _INSTRUCTING:
        told.lose("L310", at, message.role, "user")
    if message.name is not None:
        told.lose("L314", at, message.name)
    if has_foreign(message.extras, ID):
        told.lose("L308", at, foreign_keys(message.extras, ID))


class _Calls:
    """The calls of results from other providers."""

    __slots__ = ("_count", "_known")

    def __init__(self) -> None:
        self._count = 0
        self._known: dict[str, tuple[int, str]] = {}

    def note(self, message: Message) -> None:
        """Note the calls of a message, for the results behind it."""
        for call in message.calls:
            self._count += 1
            if call.id is not None:
                self._known[call.id] = self._count, wire_name(call)

    def find(self, result: Result) -> tuple[int, str]:
        """Return number and name of the last call with its id."""
        found = self._known.get(result.call_id or "")
        if found is not None and found[1]:
            return found
        number = self._count + 1 if found is None else found[0]
        return number, result.name or result.call_id or "unknown"


def write_content(message: Message, told: WriteLog, at: At) -> Json:
    """Write a message that was read here, in its original shape."""
    parts: list[Json] = []
    for index, part in enumerate(message.parts):
        if part.__class__ is Text and part.extras is None:
            parts.append({"text": part.text})
            continue
        where = (*at, "parts", index)
        if isinstance(part, Result):
            parts.append(write_result(part, part.name, told, where, own=True))
        elif (said := write_part(part, told, where)) is not None or _is_null(part):
            parts.append(said)
    word = _WORDS.get(message.role, "user")
    own = message.extras[ID] if message.extras else {}
    if not own:
        return {"role": word, "parts": parts}
    return _shaped(message, word, parts)


def _is_null(part: Part) -> bool:
    """Return whether it is a null among the parts, whose loss is not reported."""
    return getattr(part, "format", None) == ID and getattr(part, "value", 0) is None


def _shaped(message: Message, word: str | None, parts: list[Json]) -> Json:
    notes = noted(message.extras, ID)
    form = notes.get(FORM)
    if form == "text" and len(parts) == 1 and _is_text(parts[0]):
        return parts[0]["text"]
    if odd(notes, CONTENT) is not None:
        return parts
    content = dict(leftovers(message.extras, ID))
    if form == "one" and len(parts) == 1:
        content["parts"] = parts[0]
    elif form != "none" or parts:
        content["parts"] = parts
    noted_word, role = notes.get(ROLE, (word, None))
    if role == message.role:
        word = noted_word
    if word is not None:
        content["role"] = word
    put_back_all(content, notes)
    return content


def _is_text(part: Json) -> bool:
    return isinstance(part, dict) and part.keys() == {"text"}
