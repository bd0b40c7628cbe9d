"""Streams: chunks accumulated, read as steps, written from steps, and changed in flight.

Servers differ in how they stream calls: the index missing or always 0, the id in every chunk, the
name in pieces, arguments as an object at once. A call is never completed by guessing.

Servers may stream calls side by side, so for a patch a call is whole when the next one begins and
its JSON is complete, or when its choice is over. Until then its arguments are held back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from toolcanon.errors import CutStream, NotAConversation
from toolcanon.formats.openai.parts import ID
from toolcanon.formats.openai.requests import read_answer
from toolcanon.formats.wire.codec import dump, plain_object, read_arguments
from toolcanon.formats.wire.streams import (
    AnswerStarted,
    Begun,
    Ended,
    Flow,
    Patch,
    Piece,
    Step,
    StreamRestorer,
    TextPiece,
    text_of,
)
from toolcanon.ir.conversation import Answer
from toolcanon.jsonio.types import Json, JsonObject

_JOINED: Final = frozenset({"content", "refusal", "reasoning_content", "reasoning"})
"""Texts that come in deltas; any other key is whole in each chunk, and the last value counts."""
_LOOKS: Final = 64
_KINDS: Final = ("function", "custom")
"""Kinds of calls: with JSON, and with free text."""
_TAKEN: Final = frozenset({"index", "delta", "message", "finish_reason"})


def _joined(before: Json, piece: Json) -> Json:
    """Return lists and texts extended, anything else replaced; null changes nothing."""
    if piece is None:
        return before
    if isinstance(before, list) and isinstance(piece, list):
        return before + piece
    return piece


class _PartialCall:
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
        """Return whether its arguments are complete JSON; not parsed again for repeated names."""
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
        self.calls: list[_PartialCall] = []
        self._by_index: dict[int, _PartialCall] = {}
        self._by_id: dict[str, _PartialCall] = {}
        self.legacy: _PartialCall | None = None
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
            self.legacy = self.legacy or _PartialCall(None)
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

    def _slot(self, delta: JsonObject) -> _PartialCall:
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
            found = _PartialCall(index)
            self.calls.append(found)
        if index is not None:
            self._by_index[index] = found
        if id_ is not None:
            self._by_id[id_] = found
        return found

    def _known(self, index: int | None, id_: str | None) -> _PartialCall | None:
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


class OpenAIAccumulator:
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


def accumulate() -> OpenAIAccumulator:
    return OpenAIAccumulator()


class OpenAIChunkReader:
    """Reads chunks as steps; of several choices the first. Calls end when the choice does."""

    __slots__ = ("_begun", "_calls", "_choice", "_count", "_is_open")

    def __init__(self) -> None:
        self._choice = _Choice()
        self._calls: dict[int, tuple[int, _PartialCall]] = {}
        self._begun: set[int] = set()
        self._count = 0
        self._is_open = False

    def steps(self, event: JsonObject) -> list[Step]:
        found: list[Step] = []
        if not self._is_open:
            self._is_open = True
            found.append(AnswerStarted(text_of(event.get("id")), text_of(event.get("model"))))
        choices = event.get("choices")
        for at, choice in enumerate(choices if isinstance(choices, list) else ()):
            if isinstance(choice, dict) and choice.get("index", at) in (0, None):
                self._take(choice, found)
        return found

    def _take(self, choice: JsonObject, found: list[Step]) -> None:
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            if text := text_of(delta.get("content")):
                found.append(TextPiece(text))
            if text := text_of(delta.get("refusal")):
                found.append(TextPiece(text, is_refusal=True))
            calls = delta.get("tool_calls")
            for call in calls if isinstance(calls, list) else ():
                if isinstance(call, dict):
                    self._grow(self._choice._slot(call), call, found)  # noqa: SLF001 - a class of this package
            if isinstance(legacy := delta.get("function_call"), dict):
                self._choice.legacy = self._choice.legacy or _PartialCall(None)
                self._grow(self._choice.legacy, {"function": legacy}, found)
        if choice.get("finish_reason") is not None:
            for key, call in self._calls.values():
                self._begin(key, call, found)
                found.append(Ended(key))
            self._calls.clear()

    def _grow(self, call: _PartialCall, delta: JsonObject, found: list[Step]) -> None:
        if id(call) not in self._calls:
            self._calls[id(call)] = self._count, call
            self._count += 1
        key, _ = self._calls[id(call)]
        before, was_whole = len(call.text), call.value is not None
        call.take(delta)
        pieces = [piece for piece in call.text[before:] if piece]
        if call.value is not None and not was_whole:
            pieces.append(dump(call.value))
        if pieces:  # the name is complete by then, even where servers send it in pieces
            self._begin(key, call, found)
            found += [Piece(key, piece) for piece in pieces]

    def _begin(self, key: int, call: _PartialCall, found: list[Step]) -> None:
        if key not in self._begun:
            self._begun.add(key)
            is_text = call.fields.get("type") == "custom"
            found.append(Begun(key, text_of(call.id), call.name, is_text))


class OpenAIChunkWriter:
    """Writes steps as chunks."""

    __slots__ = ("_calls", "_head", "_texts")

    def __init__(self) -> None:
        self._head: JsonObject = {}
        self._calls: dict[int, int] = {}
        self._texts: set[int] = set()

    def _chunk(self, delta: JsonObject, finish: Json = None) -> JsonObject:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {**self._head, "choices": [choice]}

    def write(self, step: Step) -> list[JsonObject]:
        match step:
            case AnswerStarted(id_, model):
                kind = "chat.completion.chunk"
                self._head = {"id": id_ or "", "object": kind, "created": 0, "model": model or ""}
                return [self._chunk({"role": "assistant"})]
            case TextPiece(text, is_refusal):
                return [self._chunk({"refusal" if is_refusal else "content": text})]
            case Begun(key, id_, name, is_text):
                self._calls[key] = len(self._calls)
                if is_text:
                    self._texts.add(key)
                return [self._call(key, {"id": id_ or "", "type": _KINDS[is_text]}, name)]
            case Piece(key, text):
                return [self._call(key, {}, None, text)]
        return []

    def _call(self, key: int, call: JsonObject, name: str | None, text: str = "") -> JsonObject:
        is_text = key in self._texts
        inner: JsonObject = {} if name is None else {"name": name}
        inner["input" if is_text else "arguments"] = text
        call = {"index": self._calls[key], **call, _KINDS[is_text]: inner}
        return self._chunk({"tool_calls": [call]})

    def finish(self, body: JsonObject) -> list[JsonObject]:
        choices = body.get("choices") or [{}]
        events = [self._chunk({}, choices[0].get("finish_reason", "stop"))]
        if body.get("usage") is not None:
            events.append({**self._head, "choices": [], "usage": body["usage"]})
        return events


FLOW: Final = Flow(
    read=OpenAIChunkReader,
    write=OpenAIChunkWriter,
    usage="usage",
    counts=("prompt_tokens", "completion_tokens", "total_tokens"),
    free_text=True,
    last="[DONE]",
)

_REPEATED: Final = frozenset({"index", "id", "type", "function"})
"""Keys of a delta that has only arguments."""


def patch_call(call: Json, back: StreamRestorer) -> Json:
    inner = call.get("function") if isinstance(call, dict) else None
    if isinstance(inner, dict) and isinstance(inner.get("name"), str):
        name, said = inner["name"], inner.get("arguments")
        changed = {**inner, "name": back.name(name)}
        if isinstance(said, str):
            changed["arguments"] = back.text(name, said)
        return call if changed == inner else {**call, "function": changed}
    inner = call.get("custom") if isinstance(call, dict) else None
    if isinstance(inner, dict) and isinstance(inner.get("name"), str):
        own = back.name(inner["name"])
        return call if own == inner["name"] else {**call, "custom": {**inner, "name": own}}
    return call


def patch_answer(body: JsonObject, back: StreamRestorer) -> JsonObject:
    choices = body.get("choices")
    if not isinstance(choices, list):
        return body
    patched = [_patch_choice(choice, back) for choice in choices]
    same = all(new is old for new, old in zip(patched, choices, strict=True))
    return body if same else {**body, "choices": patched}


def _patch_choice(choice: Json, back: StreamRestorer) -> Json:
    message: Json = choice.get("message") if isinstance(choice, dict) else None
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    if not isinstance(calls, list):
        return choice
    patched = [patch_call(call, back) for call in calls]
    if all(new is old for new, old in zip(patched, calls, strict=True)):
        return choice
    return {**choice, "message": {**message, "tool_calls": patched}}


@dataclass(slots=True, eq=False)
class _Call:
    """An open call, and its deltas that are held back."""

    function: _PartialCall
    place: int
    index: Json
    """The index of its deltas."""
    is_held: bool = False
    pending: list[Json] = field(default_factory=list)

    def arguments(self, back: StreamRestorer) -> list[Json]:
        """Return the delta with all of the arguments."""
        function = self.function
        text = "".join(function.text) if function.value is None else dump(function.value)
        if not text:
            return []
        place = {} if self.index is None else {"index": self.index}
        return [{**place, "function": {"arguments": back.text(function.name, text)}}]


class _ChoiceCalls:
    """The calls of one choice. While one is held back, those behind it wait.

    Clients may consider a call finished when the next one begins.
    """

    __slots__ = ("_calls", "_choice", "_front", "_known")

    def __init__(self) -> None:
        self._choice = _Choice()
        self._calls: list[_Call] = []
        self._known: dict[int, _Call] = {}
        self._front = 0
        """The first call that is held back."""

    def take(self, piece: JsonObject, back: StreamRestorer) -> tuple[list[Json], JsonObject | None]:
        """Return deltas to send before this one, and the part of it to send, if any."""
        function = self._choice._slot(piece)  # noqa: SLF001 - a class of this package
        early: list[Json] = []
        call = self._known.get(id(function))
        if call is None:
            early = self.release(back, only_whole=True)
            call = _Call(function, len(self._calls), piece.get("index"))
            self._calls.append(call)
            self._known[id(function)] = call
        left = _without_arguments(call, piece, back)
        function.take(piece)
        if not call.is_held and call.place == self._front:
            self._front += 1
        if call.place <= self._front:
            return early, left
        call.pending += [] if left is None else [left]
        return early, None

    @property
    def holds(self) -> bool:
        return self._front < len(self._calls)

    def release(self, back: StreamRestorer, *, only_whole: bool = False) -> list[Json]:
        """Return what was held back, in order; all of it, or as long as calls are whole."""
        out: list[Json] = []
        while self.holds:
            call = self._calls[self._front]
            out += call.pending
            call.pending = []
            if call.is_held:
                if only_whole and not call.function.is_whole():
                    break
                out += call.arguments(back)
                call.is_held = False
            self._front += 1
        return out


def _without_arguments(call: _Call, piece: JsonObject, back: StreamRestorer) -> JsonObject | None:
    """Return a delta with the tool's own name, without arguments that are held back."""
    kind = next((kind for kind in _KINDS if isinstance(piece.get(kind), dict)), None)
    if kind is None:
        return piece
    inner: JsonObject = piece[kind]
    changed = dict(inner)
    name = inner.get("name")
    if isinstance(name, str) and name and call.function.name in {"", name}:
        changed["name"] = back.name(name)
        if not call.function.name:
            call.is_held = kind == "function" and back.is_held(name)
    if call.is_held and "arguments" in inner:
        if not name and piece.keys() <= _REPEATED:
            return None
        changed["arguments"] = ""
    return piece if changed == inner else {**piece, kind: changed}


class OpenAIPatcher:
    __slots__ = ("_back", "_choices", "_last")

    def __init__(self, back: StreamRestorer) -> None:
        self._back = back
        self._choices: dict[int, _ChoiceCalls] = {}
        self._last: JsonObject = {}

    def patch(self, event: JsonObject) -> list[JsonObject]:
        choices = event.get("choices")
        if not isinstance(choices, list):
            return [event]
        before: list[Json] = []
        after: list[Json] = []
        for at, choice in enumerate(choices):
            if isinstance(choice, dict):
                early, late = self._patch_choice(choice, at)
                before += early
                after += late
            else:
                after.append(choice)
        if not before and list(map(id, after)) == list(map(id, choices)):
            return [event]
        if choices:
            self._last = {key: value for key, value in event.items() if key != "usage"}
        events = [{**self._last, "choices": [choice]} for choice in before]
        if after or not choices or event.get("usage") is not None:
            events.append({**event, "choices": after})
        return events

    def _patch_choice(self, choice: JsonObject, at: int) -> tuple[list[Json], list[Json]]:
        """Return chunks to send before, and the replacements of the choice in this chunk."""
        index = choice.get("index")
        index = index if isinstance(index, int) else at
        delta: Json = choice.get("delta")
        calls = delta.get("tool_calls") if isinstance(delta, dict) else None
        is_over = choice.get("finish_reason") is not None
        row = self._choices.get(index)
        if not isinstance(calls, list):
            held = row.release(self._back) if is_over and row is not None else []
            return _choices(index, held), [choice]
        if row is None:
            row = self._choices[index] = _ChoiceCalls()
        early: list[Json] = []
        kept: list[Json] = []
        for call in calls:
            if isinstance(call, dict):
                before, left = row.take(call, self._back)
                early += [*kept, *before] if before else []
                kept = [] if before else kept
                kept += [] if left is None else [left]
            else:
                kept.append(call)
        if is_over and row.holds:  # begun and ended in one chunk: names first, then arguments
            early += [*kept, *row.release(self._back)]
            kept = []
        if not early and list(map(id, kept)) == list(map(id, calls)):
            return [], [choice]
        changed = {key: value for key, value in delta.items() if key != "tool_calls"}
        if kept:
            changed["tool_calls"] = kept
        is_empty = not changed and not is_over
        return _choices(index, early), [] if is_empty else [{**choice, "delta": changed}]

    def close(self) -> list[JsonObject]:
        return [
            {**self._last, "choices": [choice]}
            for index, row in self._choices.items()
            for choice in _choices(index, row.release(self._back))
        ]


def _choices(index: int, calls: list[Json]) -> list[Json]:
    """Return a choice for each delta of a call, to be sent in chunks of their own."""
    return [
        {"index": index, "delta": {"tool_calls": [call]}, "finish_reason": None} for call in calls
    ]


PATCH: Final = Patch(answer=patch_answer, events=OpenAIPatcher)
