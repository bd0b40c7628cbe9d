"""Streams: events accumulated, read as steps, and written from steps."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from toolcanon.errors import CutStream
from toolcanon.formats.bedrock.media import CITED, ID, SERVED, write_bytes
from toolcanon.formats.bedrock.requests import read_answer
from toolcanon.formats.wire.codec import NOT_JSON, plain_object, read_arguments
from toolcanon.formats.wire.streams import (
    AnswerStarted,
    Begun,
    Ended,
    Flow,
    Piece,
    Step,
    TextPiece,
    text_of,
)
from toolcanon.ir.conversation import Answer, Call
from toolcanon.jsonio.types import Json, JsonObject

_CUT_SHORT: Final = frozenset({"length", "filter"})


@dataclass(slots=True)
class _PartialBlock:
    """An open block: its start, and the deltas since, by kind."""

    start: JsonObject
    texts: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    seals: list[str] = field(default_factory=list)
    hidden: list[Json] = field(default_factory=list)
    citations: list[Json] = field(default_factory=list)
    contents: list[Json] = field(default_factory=list)
    rest: JsonObject = field(default_factory=dict)
    is_closed: bool = False


class BedrockAccumulator:
    """Takes events of the AWS SDKs: objects whose one key names their kind."""

    def __init__(self) -> None:
        self._role: Json = "assistant"
        self._body: JsonObject = {}
        self._blocks: dict[int, _PartialBlock] = {}
        self._is_over = False
        self._fault: str | None = None
        self._events: dict[str, Callable[[JsonObject], None]] = {
            "messageStart": self._begin,
            "contentBlockStart": self._open,
            "contentBlockDelta": self._add,
            "contentBlockStop": self._close,
            "messageStop": self._end,
            "metadata": self._body.update,
        }

    def feed(self, event: Json) -> None:
        if not isinstance(event, dict):
            if not hasattr(event, "model_dump"):
                return
            event = plain_object(event)
        for key, value in event.items():
            inner = value if isinstance(value, dict) else {}
            take = self._events.get(key)
            if take is not None:
                take(inner)
            elif isinstance(key, str) and key.endswith("Exception"):
                words = inner.get("message") or "without a message"
                self._fault = f"the provider reported {key} ({words})"

    def finish(self) -> Answer:
        """Return the answer. Raises CutStream when the end is missing, or after an error event."""
        answer = self._answer()
        if self._fault is not None or not self._is_over:
            raise CutStream(ID, self._fault or "messageStop is missing", answer)
        return answer

    def _begin(self, event: JsonObject) -> None:
        self._role = event.get("role", "assistant")
        self._blocks = {}
        self._is_over, self._fault = False, None

    def _block(self, event: JsonObject) -> _PartialBlock | None:
        """Return the block of an event; texts begin without a start event."""
        index = event.get("contentBlockIndex")
        if not isinstance(index, int):
            self._fault = "a delta has no index of a block"
            return None
        return self._blocks.setdefault(index, _PartialBlock({}))

    def _open(self, event: JsonObject) -> None:
        block, start = self._block(event), event.get("start")
        if block is not None and isinstance(start, dict):
            block.start = start

    def _add(self, event: JsonObject) -> None:
        block, delta = self._block(event), event.get("delta")
        if block is None or not isinstance(delta, dict):
            return
        for tag, value in delta.items():
            take = _PIECES.get(tag)
            if take is None or not take(block, value):
                block.rest[tag] = value
        if "toolUse" in delta and "toolUse" not in block.start:
            self._fault = "a delta of arguments came for a call that is not open"

    def _close(self, event: JsonObject) -> None:
        block = self._block(event)
        if block is not None:
            block.is_closed = True

    def _end(self, event: JsonObject) -> None:
        self._body.update(event)
        self._is_over = True

    def _answer(self) -> Answer:
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        content = [_build(block) for block in blocks]
        message = {"role": self._role, "content": content}
        answer = read_answer({**self._body, "output": {"message": message}})
        is_short = answer.stop is not None and answer.stop.reason in _CUT_SHORT
        for part, block in zip(answer.messages[0].parts, blocks, strict=True):
            if isinstance(part, Call):
                is_open = not self._is_over and not block.is_closed
                never_began = is_short and block is blocks[-1] and not any(block.inputs)
                _set_arguments(part, "".join(block.inputs), is_cut=is_open or never_began)
        return answer


def _set_arguments(call: Call, text: str, *, is_cut: bool) -> None:
    """Set the arguments; a call that was cut off has none, rather than empty ones."""
    if is_cut:
        call.arguments, call.text, call.problem = None, text, NOT_JSON
    elif text:
        call.arguments, call.problem = read_arguments(text)
        call.text = text


def _build(block: _PartialBlock) -> JsonObject:
    """Return the block as in a whole response."""
    start = block.start
    if "toolUse" in start:
        text = "".join(block.inputs)
        value, problem = read_arguments(text) if text else ({}, None)
        call = start["toolUse"] if isinstance(start["toolUse"], dict) else {}
        if problem is not None:
            value = text if call.get("type") == SERVED else {}
        return {"toolUse": {**call, "input": value}}
    if isinstance(start.get("toolResult"), dict):
        return {"toolResult": {**start["toolResult"], "content": block.contents}}
    if isinstance(start.get("image"), dict):
        return {"image": {**start["image"], **block.rest}}
    if block.hidden:
        return {"reasoningContent": {"redactedContent": _together(block.hidden)}}
    if block.thoughts or block.seals:
        seal = {"signature": "".join(block.seals)} if block.seals else {}
        return {"reasoningContent": {"reasoningText": {"text": "".join(block.thoughts), **seal}}}
    text = "".join(block.texts)
    if block.citations:
        return {CITED: {"content": [{"text": text}], "citations": block.citations}}
    return {"text": text} if block.texts or not block.rest else block.rest


def _together(pieces: list[Json]) -> Json:
    """Join bytes of several deltas, each with its own base64 padding."""
    if len(pieces) == 1:
        return pieces[0]
    raw = [write_bytes(piece, raw=True) if isinstance(piece, str) else piece for piece in pieces]
    whole = b"".join(piece for piece in raw if isinstance(piece, bytes))
    return base64.b64encode(whole).decode() if isinstance(pieces[0], str) else whole


def _add_text(block: _PartialBlock, value: Json) -> bool:
    return _append(block.texts, value)


def _add_input(block: _PartialBlock, value: Json) -> bool:
    return _append(block.inputs, value.get("input") if isinstance(value, dict) else None)


def _add_reasoning(block: _PartialBlock, value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("redactedContent"), (str, bytes)):
        block.hidden.append(value["redactedContent"])
        return True
    is_text = _append(block.thoughts, value.get("text"))
    return _append(block.seals, value.get("signature")) or is_text


def _add_citation(block: _PartialBlock, value: Json) -> bool:
    block.citations.append(value)
    return True


def _add_content(block: _PartialBlock, value: Json) -> bool:
    if not isinstance(value, list):
        return False
    block.contents += value
    return True


def _add_image(block: _PartialBlock, value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    block.rest.update(value)
    return True


def _append(pieces: list[str], text: Json) -> bool:
    if not isinstance(text, str):
        return False
    pieces.append(text)
    return True


_PIECES: Final = {
    "text": _add_text,
    "toolUse": _add_input,
    "reasoningContent": _add_reasoning,
    "citation": _add_citation,
    "toolResult": _add_content,
    "image": _add_image,
}


_INDEX: Final = "contentBlockIndex"
_CALL: Final = "toolUse"


class BedrockEventReader:
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
                found.append(AnswerStarted(None, None))
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
            return [TextPiece(text)]
        call = delta.get(_CALL)
        text = text_of(call.get("input")) if isinstance(call, dict) else None
        if text is None or index not in self._open:
            return []
        self._open[index] = True
        return [Piece(index, text)]


class BedrockEventWriter:
    """Writes steps as events: texts begin without a start event."""

    __slots__ = ("_count", "_in_text")

    def __init__(self) -> None:
        self._count = 0
        self._in_text = False

    def write(self, step: Step) -> list[JsonObject]:
        match step:
            case AnswerStarted():
                return [{"messageStart": {"role": "assistant"}}]
            case TextPiece(text):
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
    read=BedrockEventReader,
    write=BedrockEventWriter,
    usage="usage",
    counts=("inputTokens", "outputTokens", "totalTokens"),
    is_sse=False,
)
