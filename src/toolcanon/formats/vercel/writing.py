"""Write ModelMessages from messages of any format.

Messages that were read from this layout are unchanged. Of others, consecutive messages of a model
are one, and so are the results behind them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolcanon.formats.vercel.media import (
    CONTENT,
    IMPLIED,
    LIST,
    ROLE,
    TOOL_CALL_ID,
    described,
    kept,
    layout_of,
    left_of,
    said_in_words,
    spelled_id,
    wire_name,
    write_file,
    write_input,
)
from toolcanon.formats.vercel.older import ABOUT, as_it_was, is_older
from toolcanon.formats.vercel.outputs import request_of, response_of, write_output
from toolcanon.formats.vercel.reading import tool_name
from toolcanon.formats.vercel.tools import ID
from toolcanon.formats.wire.codec import (
    WriteLog,
    dump,
    foreign_keys,
    has_foreign,
    noted,
    rest,
    shown,
)
from toolcanon.formats.wire.odd_members import put_back_all
from toolcanon.formats.wire.results import Place
from toolcanon.formats.wire.turns import CallIds
from toolcanon.ir.conversation import (
    Call,
    Data,
    Media,
    Message,
    Native,
    Part,
    Refusal,
    Result,
    Text,
)
from toolcanon.jsonio.types import Json, JsonObject

_OPTIONS: Final = "providerOptions"
_ROLES: Final = {"developer": "system"}


def in_model_words(native: Native) -> list[Json] | None:
    """Return the ModelMessage parts for a part of a UI message; None where there are none."""
    part = native.value
    if not isinstance(part, dict):
        return None
    metadata = part.get("providerMetadata")
    options = {"providerOptions": metadata} if isinstance(metadata, dict) else {}
    match part:
        case {"type": "custom", "kind": kind}:
            return [{"type": "custom", "kind": kind, **options}]
        case {"type": "reasoning-file", "url": str() as url, "mediaType": mime}:
            return [{"type": "reasoning-file", "data": url, "mediaType": mime, **options}]
        case {"providerExecuted": True, "toolCallId": str()} if tool_name(part) is not None:
            return _in_parts(part)
    return None


def _in_parts(part: JsonObject) -> list[Json]:
    name, call_id = tool_name(part), part["toolCallId"]
    head: JsonObject = {"toolCallId": call_id, "toolName": name}
    call = {"type": "tool-call", **head, "input": part.get("input"), "providerExecuted": True}
    asked = part.get("callProviderMetadata")
    if isinstance(asked, dict):
        call["providerOptions"] = asked
    output: JsonObject | None = None
    match part.get("state"):
        case "output-available":
            value = part.get("output")
            output = {"type": "text" if isinstance(value, str) else "json", "value": value}
        case "output-error":
            output = {"type": "error-json", "value": part.get("errorText")}
    if output is None:
        return [call]
    result: JsonObject = {"type": "tool-result", **head, "output": output}
    answered = part.get("resultProviderMetadata", asked)
    if isinstance(answered, dict):
        result["providerOptions"] = answered
    return [call, result]


class ModelWriter:
    """Collects messages; neighbours of other formats may still be added to the last of them."""

    def __init__(
        self, told: WriteLog, place: Place = ("messages",), *, keeps_older: bool = True
    ) -> None:
        self._told, self._place, self._keeps_older = told, place, keeps_older
        self._ids = CallIds(told)
        self._names: dict[str, str] = {}
        """Names of tools by the ids of calls, for their results."""
        self._options: dict[str, Json] = {}
        """Provider options of a call, which apply to its result too."""
        self._open: JsonObject | None = None
        """The last message, as long as more can be added to it."""
        self._made: list[JsonObject] = []
        """The messages that are not unchanged ones."""
        self.out: list[Json] = []

    def add(self, message: Message, index: int, *, mine: bool) -> None:
        """Add a message; ``mine`` if it was read from this layout."""
        at = (*self._place, index)
        if mine:
            self._own(message, at)
            return
        if message.name is not None:
            self._told.lose("L314", (*at, "name"), message.name)
        if has_foreign(message.extras, ID) or (layout_of(message) and _says(message)):
            self._told.lose("L308", at, foreign_keys(message.extras, ""))
        if message.role == "assistant":
            self._answer(message, at)
        elif message.role in {"system", "developer"}:
            self._instruct(message, at)
        else:
            self._say(message, at)

    def _own(self, message: Message, at: Place) -> None:
        """Write it unchanged."""
        notes = noted(message.extras, ID)
        out: JsonObject = {"role": message.role}
        if ROLE in notes and message.role == "user":
            out = {"role": notes[ROLE][0]} if notes[ROLE] else {}
        out.update(self._left(message, at))
        written: list[Json] = []
        for number, part in enumerate(message.parts):
            if not (isinstance(part, Result) and IMPLIED in noted(part.extras, ID)):
                mine = self._keeps_older or not is_older(part)
                made = self._part(part, (*at, "parts", number), mine=mine)
                written += as_it_was(part, made) if mine else made
        if written or CONTENT not in notes or notes[CONTENT] == LIST:
            out["content"] = _content(written, spelled=notes.get(CONTENT))
            put_back_all(out, notes)
        self.out.append(out)
        self._open = None

    def _left(self, message: Message, at: Place) -> JsonObject:
        left = left_of(message.extras)
        if self._keeps_older or ABOUT.isdisjoint(left):
            return left
        self._told.lose("L308", at, {ID: {key: left[key] for key in sorted(left.keys() & ABOUT)}})
        return rest(left, ABOUT)

    def _put(self, role: str, written: list[Json]) -> None:
        """Add parts to the last message, or to a new one."""
        if self._open is not None and self._open["role"] == role and role != "user":
            self._open["content"] += written
            return
        self._open = {"role": role, "content": written}
        self._made.append(self._open)
        self.out.append(self._open)

    def _answer(self, message: Message, at: Place) -> None:
        """Write an assistant message; results in it go behind it."""
        written: list[Json] = []
        results: list[Json] = []
        for number, part in enumerate(message.parts):
            place = (*at, "parts", number)
            made = self._part(part, place, mine=False)
            if isinstance(part, Result):
                results += made
                continue
            written += made
            if isinstance(part, Call):
                results += response_of(part)
        is_blank = not message.parts and layout_of(message) is None
        if written or is_blank:  # a page displays nothing before the first text
            self._put("assistant", written)
        if results:
            self._put("tool", results)

    def _say(self, message: Message, at: Place) -> None:
        """Write results first, as they must follow the calls; then the user's other parts."""
        others: list[Json] = []
        results: list[Json] = []
        calls: list[Json] = []
        for number, part in enumerate(message.parts):
            place = (*at, "parts", number)
            made = self._part(part, place, mine=False)
            if isinstance(part, Result):
                if others:
                    self._told.lose("L309", place)
                results += made
            elif isinstance(part, Call):
                self._told.lose("L310", at, message.role, "assistant")
                calls += made
            else:
                others += made
        if results:
            self._put("tool", results)
        if calls:
            self._put("assistant", calls)
        if others and message.role == "tool":
            self._told.lose("L310", at, "tool", "user")
        if others or not message.parts:
            self._put("user", others)

    def _instruct(self, message: Message, at: Place) -> None:
        self._open = None
        options: JsonObject = {}
        texts = write_words(message.parts, self._told, at, options)
        if layout_of(message) == "ui":  # the SDK joins its texts
            texts = ["".join(texts)]
        for text in texts:
            self.out.append({"role": "system", "content": text})
        if options and self.out:
            self.out[-1][_OPTIONS] = options

    def finish(self) -> list[Json]:
        """Return all messages; a single text is written as such."""
        for message in self._made:
            if message["role"] != "tool":
                content = _content(message["content"], spelled=None)
                message["content"] = content or ""
        return self.out

    def parts(self, parts: Iterable[Part], at: Place, *, mine: bool) -> list[Json]:
        """Return consecutive parts without messages."""
        found: list[Json] = []
        for number, part in enumerate(parts):
            made = self._part(part, (*at, "parts", number), mine=mine)
            found += as_it_was(part, made) if mine else made
        return found

    def _part(self, part: Part, at: Place, *, mine: bool) -> list[Json]:
        match part:
            case Call():
                return self._call(part, at, mine=mine)
            case Result():
                return [self._result(part, at, mine=mine)]
            case Media():
                return [
                    write_file(part, self._told, at, mine=mine) or described(part, self._told, at)
                ]
            case Native():
                return self._native(part, at, mine=mine)
        words = said_in_words(part, self._told, at)
        if words is None:
            return []
        keys = kept(part, self._told, at, mine=mine, options=_OPTIONS)
        return [{**words, **keys}]

    def _native(self, part: Native, at: Place, *, mine: bool) -> list[Json]:
        if part.format == ID:
            made = [part.value] if mine else in_model_words(part)
            if made is not None:
                return made
        self._told.lose("L307", at, part.value)
        return []

    def _call(self, call: Call, at: Place, *, mine: bool) -> list[Json]:
        name = wire_name(call, self._told, at)
        spelled = spelled_id(call.extras, call.id) if mine and self._keeps_older else None
        call_id = self._ids.of_call(call, at) if spelled is None else call.id or ""
        self._names[call_id] = name
        out: JsonObject = {"type": "tool-call", "toolName": name}
        out.update({TOOL_CALL_ID: call_id} if spelled is None else spelled)
        out.update(write_input(call, self._told, at, mine=mine))
        out.update(kept(call, self._told, at, mine=mine, options=_OPTIONS))
        if mine:
            return [out]
        if _OPTIONS in out:
            self._options[call_id] = out[_OPTIONS]
        return [out, *request_of(call)]

    def _result(self, result: Result, at: Place, *, mine: bool) -> JsonObject:
        spelled = spelled_id(result.extras, result.call_id) if mine and self._keeps_older else None
        call_id = self._ids.of_result(result, at) if spelled is None else result.call_id or ""
        out: JsonObject = {"type": "tool-result"}
        out.update({TOOL_CALL_ID: call_id} if spelled is None else spelled)
        if result.name is not None or not mine:
            out["toolName"] = self._names.get(call_id) or result.name or ""
        if mine and result.name is not None:
            out["toolName"] = result.name
        out["output"] = write_output(result, self._told, at, mine=mine)
        if not mine and call_id in self._options:
            out[_OPTIONS] = self._options[call_id]
        out.update(kept(result, self._told, at, mine=mine, options=_OPTIONS))
        return out


def _says(message: Message) -> bool:
    """Return whether a UI message has more than its id."""
    return bool(left_of(message.extras).keys() - {"id"})


def write_words(
    parts: Iterable[Part], told: WriteLog, at: Place, options: JsonObject | None = None
) -> list[str]:
    """Return a system prompt, which is text, with each part that adds to it.

    Provider options of the parts are added to ``options``.
    """
    found: list[str] = []
    for number, part in enumerate(parts):
        place = (*at, "parts", number)
        match part:
            case Text():
                found.append(part.text)
                keys = kept(part, told, place, mine=False, options=_OPTIONS)
                if options is not None:
                    options.update(keys.get(_OPTIONS, {}))
            case Refusal():
                told.lose("L319", place)
                found.append(part.text)
            case Data():
                told.lose("L305", place)
                found.append(dump(part.value))
            case Media():
                found.append(described(part, told, place)["text"])
            case _:
                told.lose("L307", place, shown(part))
    return found


def _content(written: list[Json], *, spelled: str | None) -> Json:
    """Return a single text as such, unless it was a list."""
    match written:
        case [{"type": "text", "text": str() as text, **others}] if not others:
            return written if spelled == LIST else text
    return written
