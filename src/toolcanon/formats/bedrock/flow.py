"""Events as steps, and steps as events. On the wire they are binary frames, which SDKs decode."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.bedrock.spelling import SERVED
from toolcanon.formats.wire.flow import Begun, Ended, Flow, Opened, Piece, Said, Step, text_of
from toolcanon.jsonio.types import Json, JsonObject

_INDEX: Final = "contentBlockIndex"
_CALL: Final = "toolUse"


class Steps:
    """Reads events as steps; a call is a block."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: dict[int, bool] = {}
        """Open calls, and whether a delta of their arguments has come."""

    def steps(self, event: JsonObject) -> list[Step]:
        found: list[Step] = []
        for kind, inner in event.items():
            if not isinstance(inner, dict):
                continue
            index = inner.get(_INDEX)
            if kind == "messageStart":
                found.append(Opened(None, None))
            elif kind == "contentBlockStart" and isinstance(index, int):
                found += self._begin(index, inner.get("start"))
            elif kind == "contentBlockDelta":
                found += self._grow(index, inner.get("delta"))
            elif kind == "contentBlockStop" and index in self._open:
                found += [] if self._open.pop(index) else [Piece(index, "{}")]
                found.append(Ended(index))
        return found

    def _begin(self, index: int, start: Json) -> list[Step]:
        call = start.get(_CALL) if isinstance(start, dict) else None
        if not isinstance(call, dict) or call.get("type") == SERVED:
            return []
        self._open[index] = False
        name = call.get("name")
        return [Begun(index, text_of(call.get("toolUseId")), name if isinstance(name, str) else "")]

    def _grow(self, index: Json, delta: Json) -> list[Step]:
        if not isinstance(delta, dict):
            return []
        if text := text_of(delta.get("text")):
            return [Said(text)]
        call = delta.get(_CALL)
        text = text_of(call.get("input")) if isinstance(call, dict) else None
        if text is None or index not in self._open:
            return []
        self._open[index] = True
        return [Piece(index, text)]


class Events:
    """Writes steps as events: texts begin without a start event."""

    __slots__ = ("_count", "_in_text")

    def __init__(self) -> None:
        self._count = 0
        self._in_text = False

    def write(self, step: Step) -> list[JsonObject]:
        match step:
            case Opened():
                return [{"messageStart": {"role": "assistant"}}]
            case Said(text):
                self._in_text = True
                return [self._event("contentBlockDelta", {"delta": {"text": text}})]
            case Begun(_, id_, name):
                start = {_CALL: {"toolUseId": id_ or "", "name": name}}
                return [*self._end_text(), self._event("contentBlockStart", {"start": start})]
            case Piece(_, text):
                return [self._event("contentBlockDelta", {"delta": {_CALL: {"input": text}}})]
        return [self._stop()]

    def _event(self, kind: str, inner: JsonObject) -> JsonObject:
        return {kind: {**inner, _INDEX: self._count}}

    def _end_text(self) -> list[JsonObject]:
        if not self._in_text:
            return []
        self._in_text = False
        return [self._stop()]

    def _stop(self) -> JsonObject:
        event = self._event("contentBlockStop", {})
        self._count += 1
        return event

    def finish(self, body: JsonObject) -> list[JsonObject]:
        events = self._end_text()
        events.append({"messageStop": {"stopReason": body.get("stopReason", "end_turn")}})
        if body.get("usage") is not None:
            events.append({"metadata": {"usage": body["usage"]}})
        return events


FLOW: Final = Flow(
    read=Steps,
    write=Events,
    usage="usage",
    counts=("inputTokens", "outputTokens", "totalTokens"),
    is_sse=False,
)
