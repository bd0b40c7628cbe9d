"""Chunks as steps, and steps as chunks."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.openai.stream import _Choice, _Function
from toolcanon.formats.wire.codec import dump
from toolcanon.formats.wire.flow import Begun, Ended, Flow, Opened, Piece, Said, Step, text_of
from toolcanon.jsonio.types import Json, JsonObject


class Steps:
    """Reads chunks as steps; of several choices the first. Calls end when the choice does."""

    __slots__ = ("_begun", "_calls", "_choice", "_count", "_is_open")

    def __init__(self) -> None:
        self._choice = _Choice()
        self._calls: dict[int, tuple[int, _Function]] = {}
        self._begun: set[int] = set()
        self._count = 0
        self._is_open = False

    def steps(self, event: JsonObject) -> list[Step]:
        found: list[Step] = []
        if not self._is_open:
            self._is_open = True
            found.append(Opened(text_of(event.get("id")), text_of(event.get("model"))))
        choices = event.get("choices")
        for at, choice in enumerate(choices if isinstance(choices, list) else ()):
            if isinstance(choice, dict) and choice.get("index", at) in (0, None):
                self._take(choice, found)
        return found

    def _take(self, choice: JsonObject, found: list[Step]) -> None:
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            if text := text_of(delta.get("content")):
                found.append(Said(text))
            if text := text_of(delta.get("refusal")):
                found.append(Said(text, is_refusal=True))
            calls = delta.get("tool_calls")
            for call in calls if isinstance(calls, list) else ():
                if isinstance(call, dict):
                    self._grow(self._choice._slot(call), call, found)  # noqa: SLF001 - a class of this package
            if isinstance(legacy := delta.get("function_call"), dict):
                self._choice.legacy = self._choice.legacy or _Function(None)
                self._grow(self._choice.legacy, {"function": legacy}, found)
        if choice.get("finish_reason") is not None:
            for key, call in self._calls.values():
                self._begin(key, call, found)
                found.append(Ended(key))
            self._calls.clear()

    def _grow(self, call: _Function, delta: JsonObject, found: list[Step]) -> None:
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

    def _begin(self, key: int, call: _Function, found: list[Step]) -> None:
        if key not in self._begun:
            self._begun.add(key)
            is_text = call.fields.get("type") == "custom"
            found.append(Begun(key, text_of(call.id), call.name, is_text))


class Chunks:
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
            case Opened(id_, model):
                kind = "chat.completion.chunk"
                self._head = {"id": id_ or "", "object": kind, "created": 0, "model": model or ""}
                return [self._chunk({"role": "assistant"})]
            case Said(text, is_refusal):
                return [self._chunk({"refusal" if is_refusal else "content": text})]
            case Begun(key, id_, name, is_text):
                self._calls[key] = len(self._calls)
                if is_text:
                    self._texts.add(key)
                return [self._call(key, {"id": id_ or "", "type": _kind(is_text)}, name)]
            case Piece(key, text):
                return [self._call(key, {}, None, text)]
        return []

    def _call(self, key: int, call: JsonObject, name: str | None, text: str = "") -> JsonObject:
        is_text = key in self._texts
        inner: JsonObject = {} if name is None else {"name": name}
        inner["input" if is_text else "arguments"] = text
        call = {"index": self._calls[key], **call, _kind(is_text): inner}
        return self._chunk({"tool_calls": [call]})

    def finish(self, body: JsonObject) -> list[JsonObject]:
        choices = body.get("choices") or [{}]
        events = [self._chunk({}, choices[0].get("finish_reason", "stop"))]
        if body.get("usage") is not None:
            events.append({**self._head, "choices": [], "usage": body["usage"]})
        return events


def _kind(is_text: bool) -> str:  # noqa: FBT001
    return "custom" if is_text else "function"


FLOW: Final = Flow(
    read=Steps,
    write=Chunks,
    usage="usage",
    counts=("prompt_tokens", "completion_tokens", "total_tokens"),
    free_text=True,
    last="[DONE]",
)
