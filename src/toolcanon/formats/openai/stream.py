"""Assemble chunks into a response, which is then read like any other.

Servers differ in how they stream calls: the index missing or always 0, the id in every chunk, the
name in pieces, arguments as an object at once. A call is never completed by guessing.
"""

from __future__ import annotations

from typing import Final

from toolcanon.errors import CutStream, NotAConversation
from toolcanon.formats.openai.answers import read_answer
from toolcanon.formats.openai.parts import ID
from toolcanon.formats.wire.codec import dump, plain_object, read_arguments
from toolcanon.ir.conversation import Answer
from toolcanon.jsonio.types import Json, JsonObject

_JOINED: Final = frozenset({"content", "refusal", "reasoning_content", "reasoning"})
"""Texts that come in deltas; any other key is whole in each chunk, and the last value counts."""
_LOOKS: Final = 64
_TAKEN: Final = frozenset({"index", "delta", "message", "finish_reason"})


def _joined(before: Json, piece: Json) -> Json:
    """Return lists and texts extended, anything else replaced; null changes nothing."""
    if piece is None:
        return before
    if isinstance(before, list) and isinstance(piece, list):
        return before + piece
    return piece


class _Function:
    __slots__ = ("_looks", "fields", "id", "index", "inner", "name", "text", "value")

    def __init__(self, index: int | None) -> None:
        self.index = index
        self.id: Json = None
        self.name = ""
        self.text: list[str] = []
        self.value: Json = None
        self.fields: JsonObject = {}
        self.inner: JsonObject = {}
        self._looks = 0

    def is_whole(self) -> bool:
        """Whether its arguments are complete JSON; not parsed again for repeated names."""
        if self.value is not None:
            return True
        if not self.text or not self.text[-1].endswith("}") or self._looks > _LOOKS:
            return False
        self._looks += 1
        return read_arguments("".join(self.text))[1] is None

    def take(self, delta: JsonObject) -> None:
        for key, value in delta.items():
            if key == "id":
                self.id = value or self.id
            elif key in ("function", "custom") and isinstance(value, dict):
                self._take_inner(value)
            elif key != "index":
                self.fields[key] = _joined(self.fields.get(key), value)

    def _take_inner(self, inner: JsonObject) -> None:
        for key, value in inner.items():
            if key == "name" and isinstance(value, str):
                if value != self.name:  # repeated in every chunk by some servers
                    self.name += value
            elif key in ("arguments", "input"):
                self._say(value)
            else:
                self.inner[key] = _joined(self.inner.get(key), value)

    def _say(self, value: Json) -> None:
        if isinstance(value, str):
            self.text.append(value)
        elif value is not None and not any(self.text):
            self.value = value
        elif value is not None:
            self.text.append(dump(value))

    def call(self) -> JsonObject:
        """Return the call as in a whole response."""
        is_custom = self.fields.get("type") == "custom"
        key, said = ("custom", "input") if is_custom else ("function", "arguments")
        arguments = "".join(self.text) if self.value is None else self.value
        out: JsonObject = {} if self.id is None else {"id": self.id}
        out["type"] = key
        out[key] = {"name": self.name, said: arguments, **self.inner}
        return {**out, **{name: value for name, value in self.fields.items() if value is not None}}


class _Choice:
    __slots__ = (
        "_by_id",
        "_by_index",
        "audio",
        "calls",
        "fields",
        "finish",
        "legacy",
        "message",
        "pieces",
    )

    def __init__(self) -> None:
        self.fields: JsonObject = {}
        self.message: JsonObject = {}
        self.pieces: dict[str, list[str]] = {}
        self.calls: list[_Function] = []
        self._by_index: dict[int, _Function] = {}
        self._by_id: dict[str, _Function] = {}
        self.legacy: _Function | None = None
        self.audio: JsonObject = {}
        self.finish: Json = None

    def take(self, choice: JsonObject) -> None:
        if choice.get("finish_reason") is not None:
            self.finish = choice["finish_reason"]
        for key, value in choice.items():
            if key == "logprobs" and isinstance(value, dict):
                known = self.fields.get(key) or {}
                value = {**known, **{k: _joined(known.get(k), v) for k, v in value.items()}}  # noqa: PLW2901
            if key not in _TAKEN:
                self.fields[key] = _joined(self.fields.get(key), value)
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            for key, value in delta.items():
                self._take_field(key, value)

    def _take_field(self, key: str, value: Json) -> None:
        if key in _JOINED and isinstance(value, str):
            self.pieces.setdefault(key, []).append(value)
        elif key == "tool_calls" and isinstance(value, list):
            for call in value:
                if isinstance(call, dict):
                    self._slot(call).take(call)
        elif key == "function_call" and isinstance(value, dict):
            self.legacy = self.legacy or _Function(None)
            self.legacy.take({"function": value})
        elif key == "audio" and isinstance(value, dict):
            for part, piece in value.items():
                before = self.audio.get(part)
                if part in ("data", "transcript") and isinstance(before, str):
                    self.audio[part] = before + piece if isinstance(piece, str) else before
                else:
                    self.audio[part] = piece
        else:
            self.message[key] = _joined(self.message.get(key), value)

    def _slot(self, delta: JsonObject) -> _Function:
        """Return the call that a delta belongs to."""
        index, id_ = delta.get("index"), delta.get("id")
        index = index if isinstance(index, int) else None
        id_ = id_ if isinstance(id_, str) and id_ else None
        inner = delta.get("function") or delta.get("custom")
        name = inner.get("name") if isinstance(inner, dict) else None
        found = self._known(index, id_)
        if found is not None and name:
            is_other = id_ is not None and found.id and id_ != found.id
            if is_other or (id_ is None and found.is_whole()):
                found = None
        if found is None:
            found = _Function(index)
            self.calls.append(found)
        if index is not None:
            self._by_index[index] = found
        if id_ is not None:
            self._by_id[id_] = found
        return found

    def _known(self, index: int | None, id_: str | None) -> _Function | None:
        if index is not None:
            return self._by_index.get(index)
        if id_ is not None:
            return self._by_id.get(id_)
        return self.calls[-1] if self.calls else None

    def body(self, at: int) -> JsonObject:
        """Return the choice as in a whole response."""
        message: JsonObject = {"role": "assistant", "content": None, **self.message}
        for key, pieces in self.pieces.items():
            text = "".join(pieces)
            if text or message.get(key) is None:
                message[key] = text or None
        calls = self.calls
        indices = [call.index for call in calls if call.index is not None]
        if len(set(indices)) == len(calls):
            calls = sorted(calls, key=lambda call: call.index or 0)
        if calls:
            message["tool_calls"] = [call.call() for call in calls]
        if self.legacy is not None:
            message["function_call"] = self.legacy.call()["function"]
        if self.audio:
            message["audio"] = self.audio
        return {"index": at, **self.fields, "message": message, "finish_reason": self.finish}


class Chunks:
    """Assembles chunks into an answer."""

    __slots__ = ("_choices", "_fields")

    def __init__(self) -> None:
        self._choices: dict[int, _Choice] = {}
        self._fields: JsonObject = {}

    def feed(self, event: Json) -> None:
        if not isinstance(event, dict) and not hasattr(event, "model_dump"):
            raise NotAConversation("", "a chunk must be an object")
        for key, value in plain_object(event).items():
            if key == "choices":
                self._take_choices(value)
            elif key != "object":
                self._fields[key] = _joined(self._fields.get(key), value)

    def _take_choices(self, choices: Json) -> None:
        for at, choice in enumerate(choices if isinstance(choices, list) else ()):
            if isinstance(choice, dict):
                index = choice.get("index")
                key = index if isinstance(index, int) else at
                self._choices.setdefault(key, _Choice()).take(choice)

    def _body(self) -> JsonObject:
        choices = [self._choices[at].body(at) for at in sorted(self._choices)]
        return {"object": "chat.completion", **self._fields, "choices": choices}

    def finish(self) -> Answer:
        """Return the answer; a reported error is one, except within a call. Raises CutStream."""
        answer = read_answer(self._body())
        error = self._fields.get("error")
        open_ = [choice for choice in self._choices.values() if choice.finish is None]
        if error is not None and not any(choice.calls or choice.legacy for choice in open_):
            return answer
        if open_ or not self._choices:
            reason = "no finish_reason came" if error is None else f"it failed: {_message(error)}"
            raise CutStream(ID, reason, answer)
        return answer


def _message(error: Json) -> str:
    return str(error.get("message", error) if isinstance(error, dict) else error)


def accumulate() -> Chunks:
    return Chunks()
