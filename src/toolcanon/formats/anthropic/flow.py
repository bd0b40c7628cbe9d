"""Events as steps, and steps as events."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.wire.codec import dump
from toolcanon.formats.wire.flow import Begun, Ended, Flow, Opened, Piece, Said, Step, text_of
from toolcanon.jsonio.types import JsonObject

_CALL: Final = "tool_use"


class Steps:
    """Reads events as steps; a call is a block."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: dict[int, JsonObject | None] = {}
        """Open calls, with their initial input until a delta replaces it."""

    def steps(self, event: JsonObject) -> list[Step]:
        index = event.get("index")
        match event.get("type"):
            case "message_start":
                message = event.get("message")
                message = message if isinstance(message, dict) else {}
                return [Opened(text_of(message.get("id")), text_of(message.get("model")))]
            case "content_block_start" if isinstance(index, int):
                return self._begin(index, event.get("content_block"))
            case "content_block_delta":
                return self._grow(index, event.get("delta"))
            case "content_block_stop" if index in self._open:
                given = self._open.pop(index)
                return [*([] if given is None else [Piece(index, dump(given))]), Ended(index)]
        return []

    def _begin(self, index: int, block: object) -> list[Step]:
        if not isinstance(block, dict):
            return []
        if block.get("type") == _CALL:
            given = block.get("input")
            self._open[index] = given if isinstance(given, dict) else {}
            name = block.get("name")
            return [Begun(index, text_of(block.get("id")), name if isinstance(name, str) else "")]
        text = text_of(block.get("text")) if block.get("type") == "text" else None
        return [] if text is None else [Said(text)]

    def _grow(self, index: object, delta: object) -> list[Step]:
        if not isinstance(delta, dict):
            return []
        if delta.get("type") == "text_delta" and (text := text_of(delta.get("text"))):
            return [Said(text)]
        if index in self._open and (text := text_of(delta.get("partial_json"))):
            self._open[index] = None  # the initial input was a placeholder
            return [Piece(index, text)]
        return []


class Events:
    """Writes steps as events: a block for text, a block for each call."""

    __slots__ = ("_count", "_in_text", "_message")

    def __init__(self) -> None:
        self._message: JsonObject = {}
        self._count = 0
        self._in_text = False

    def write(self, step: Step) -> list[JsonObject]:
        match step:
            case Opened(id_, model):
                self._message = {
                    "id": id_ or "",
                    "type": "message",
                    "role": "assistant",
                    "model": model or "",
                    "content": [],
                    "stop_reason": None,
                    "stop_sequence": None,
                    "usage": {"input_tokens": 0, "output_tokens": 0},
                }
                return [{"type": "message_start", "message": self._message}]
            case Said(text):
                return [*self._begin_text(), self._delta({"type": "text_delta", "text": text})]
            case Begun(_, id_, name):
                block = {"type": _CALL, "id": id_ or "", "name": name, "input": {}}
                return [*self._end_text(), self._start(block)]
            case Piece(_, text):
                return [self._delta({"type": "input_json_delta", "partial_json": text})]
        return [self._stop()]

    def _begin_text(self) -> list[JsonObject]:
        if self._in_text:
            return []
        self._in_text = True
        return [self._start({"type": "text", "text": ""})]

    def _end_text(self) -> list[JsonObject]:
        if not self._in_text:
            return []
        self._in_text = False
        return [self._stop()]

    def _start(self, block: JsonObject) -> JsonObject:
        return {"type": "content_block_start", "index": self._count, "content_block": block}

    def _delta(self, delta: JsonObject) -> JsonObject:
        return {"type": "content_block_delta", "index": self._count, "delta": delta}

    def _stop(self) -> JsonObject:
        self._count += 1
        return {"type": "content_block_stop", "index": self._count - 1}

    def finish(self, body: JsonObject) -> list[JsonObject]:
        delta = {"stop_reason": body.get("stop_reason"), "stop_sequence": None}
        usage = body.get("usage") or {"output_tokens": 0}
        return [
            *self._end_text(),
            {"type": "message_delta", "delta": delta, "usage": usage},
            {"type": "message_stop"},
        ]


FLOW: Final = Flow(
    read=Steps, write=Events, usage="usage", counts=("input_tokens", "output_tokens", "")
)
