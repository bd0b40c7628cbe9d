"""Chunks of a UI message stream as steps, and steps as chunks."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.wire.codec import dump, read_arguments
from toolcanon.formats.wire.flow import Begun, Ended, Flow, Opened, Piece, Said, Step, text_of
from toolcanon.jsonio.types import Json, JsonObject

_TEXT: Final = "text"


class Steps:
    """Reads chunks as steps; calls are identified by id."""

    __slots__ = ("_began", "_keys")

    def __init__(self) -> None:
        self._keys: dict[str, int] = {}
        self._began: dict[str, bool] = {}
        """Open calls, and whether a delta has come."""

    def steps(self, event: JsonObject) -> list[Step]:
        call_id = event.get("toolCallId")
        match event.get("type"):
            case "start":
                return [Opened(text_of(event.get("messageId")), None)]
            case "text-delta" if text := text_of(event.get("delta")):
                return [Said(text)]
            case "tool-input-start" if isinstance(call_id, str):
                return self._begin(call_id, event)
            case "tool-input-delta" if isinstance(call_id, str) and call_id in self._began:
                text = text_of(event.get("inputTextDelta"))
                self._began[call_id] |= text is not None
                return [] if text is None else [Piece(self._keys[call_id], text)]
            case "tool-input-available" if isinstance(call_id, str):
                return self._end(call_id, event)
        return []

    def _begin(self, call_id: str, event: JsonObject) -> list[Step]:
        if event.get("providerExecuted") is True or call_id in self._keys:
            return []
        key = self._keys[call_id] = len(self._keys)
        self._began[call_id] = False
        name = event.get("toolName")
        is_text = event.get("inputEncoding") == _TEXT
        return [Begun(key, call_id, name if isinstance(name, str) else "", is_text)]

    def _end(self, call_id: str, event: JsonObject) -> list[Step]:
        given = event.get("input")
        is_text = isinstance(given, str)
        begun = self._begin(call_id, {**event, **({"inputEncoding": _TEXT} if is_text else {})})
        has_pieces = self._began.pop(call_id, None)
        if has_pieces is None:  # it ended before, or the provider runs it
            return []
        key = self._keys[call_id]
        text = given if isinstance(given, str) else dump(given)
        piece = [] if has_pieces or given is None else [Piece(key, text)]
        return [*begun, *piece, Ended(key)]


class Events:
    """Writes steps as chunks: a part for text, a part for each call."""

    __slots__ = ("_call", "_count", "_in_text", "_pieces")

    def __init__(self) -> None:
        self._count = 0
        self._in_text = False
        self._call: Begun | None = None
        self._pieces: list[str] = []

    def write(self, step: Step) -> list[JsonObject]:
        match step:
            case Opened(id_, _):
                start: JsonObject = {"type": "start"}
                if id_ is not None:
                    start["messageId"] = id_
                return [start, {"type": "start-step"}]
            case Said(text):
                began = self._begin_text()
                return [*began, {"type": "text-delta", "id": str(self._count), "delta": text}]
            case Begun(_, id_, name, is_text):
                ended = self._end_text()
                self._call, self._pieces = step, []
                call: JsonObject = {"toolCallId": id_ or "", "toolName": name}
                more = {"inputEncoding": _TEXT} if is_text else {}
                return [*ended, {"type": "tool-input-start", **call, **more}]
            case Piece(_, text):
                self._pieces.append(text)
                call_id = self._call.id if self._call is not None else None
                delta = {"toolCallId": call_id or "", "inputTextDelta": text}
                return [{"type": "tool-input-delta", **delta}]
        return self._end_call()

    def _begin_text(self) -> list[JsonObject]:
        if self._in_text:
            return []
        self._in_text = True
        return [{"type": "text-start", "id": str(self._count)}]

    def _end_text(self) -> list[JsonObject]:
        if not self._in_text:
            return []
        self._in_text = False
        self._count += 1
        return [{"type": "text-end", "id": str(self._count - 1)}]

    def _end_call(self) -> list[JsonObject]:
        """End a call with its whole input, or with an error if that is not JSON."""
        begun, text = self._call, "".join(self._pieces)
        self._call = None
        if begun is None:
            return []
        call: JsonObject = {"toolCallId": begun.id or "", "toolName": begun.name}
        if begun.is_text:
            return [{"type": "tool-input-available", **call, "input": text}]
        value: Json = {}
        problem = None
        if text.strip():
            value, problem = read_arguments(text)
        if problem is not None and value is None:
            words = "the arguments are no JSON"
            return [{"type": "tool-input-error", **call, "input": text, "errorText": words}]
        return [{"type": "tool-input-available", **call, "input": value}]

    def finish(self, body: JsonObject) -> list[JsonObject]:
        last: JsonObject = {"type": "finish"}
        if isinstance(body.get("finishReason"), str):
            last["finishReason"] = body["finishReason"]
        return [*self._end_text(), {"type": "finish-step"}, last]


FLOW: Final = Flow(
    read=Steps,
    write=Events,
    usage="usage",
    counts=("", "", ""),
    free_text=True,
    last="[DONE]",
)
