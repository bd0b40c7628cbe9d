"""Streams: events accumulated, read as steps, written from steps, and changed in flight.

A call is a block, with an end of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from toolcanon.errors import CutStream
from toolcanon.formats.anthropic.content import ID, read_part
from toolcanon.formats.anthropic.requests import build_answer
from toolcanon.formats.wire.codec import NOT_JSON, dump, plain_object, read_arguments
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
from toolcanon.ir.conversation import Answer, Call, Part
from toolcanon.jsonio.types import Json, JsonObject

# Deltas that extend a text of the block: their key, and the key of the block.
_ADDING: Final = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "input_json_delta": ("partial_json", "input"),
}
_CUT_SHORT: Final = frozenset({"length", "filter"})


@dataclass(slots=True)
class _BlockDraft:
    start: JsonObject
    pieces: dict[str, list[str]] = field(default_factory=dict)
    is_closed: bool = False


class AnthropicAccumulator:
    """Takes parsed events. Where a stream starts again, only the last message counts."""

    def __init__(self) -> None:
        self._message: JsonObject = {}
        self._blocks: dict[int, _BlockDraft] = {}
        self._is_over = False
        self._fault: str | None = None
        self._events: dict[str, Callable[[JsonObject], None]] = {
            "message_start": self._begin,
            "content_block_start": self._open,
            "content_block_delta": self._add,
            "content_block_stop": self._close,
            "message_delta": self._change,
            "message_stop": self._end,
            "error": self._fail,
        }

    def feed(self, event: Json) -> None:
        if not isinstance(event, dict):
            if not hasattr(event, "model_dump"):
                return
            event = plain_object(event)
        kind = event.get("type")
        take = self._events.get(kind) if isinstance(kind, str) else None
        if take is not None:  # others, such as ping, have no content
            take(event)

    def finish(self) -> Answer:
        """Return the answer. Raises CutStream when the end is missing, or after an error event."""
        answer = self._answer()
        if self._fault is not None or not self._is_over:
            raise CutStream(ID, self._fault or "message_stop is missing", answer)
        return answer

    def _begin(self, event: JsonObject) -> None:
        message = event.get("message")
        self._message = dict(message) if isinstance(message, dict) else {}
        content = self._message.pop("content", None)
        blocks = content if isinstance(content, list) else []
        self._blocks = {
            index: _BlockDraft(dict(block), is_closed=True)
            for index, block in enumerate(blocks)
            if isinstance(block, dict)
        }
        self._is_over, self._fault = False, None

    def _open(self, event: JsonObject) -> None:
        block, index = event.get("content_block"), event.get("index")
        if not isinstance(block, dict) or not isinstance(index, int):
            self._fault = "a block has no content or index"
            return
        self._blocks[index] = _BlockDraft(dict(block))
        target = block.get("to")  # another model continues and signs from here on
        if block.get("type") == "fallback" and isinstance(target, dict) and "model" in target:
            self._message["model"] = target["model"]

    def _add(self, event: JsonObject) -> None:
        index, delta = event.get("index"), event.get("delta")
        block = self._blocks.get(index) if isinstance(index, int) else None
        if block is None or not isinstance(delta, dict):
            self._fault = "a delta came for a block that is not open"
            return
        kind = delta.get("type")
        source, target = _ADDING.get(kind, ("", "")) if isinstance(kind, str) else ("", "")
        if isinstance(delta.get(source), str):
            block.pieces.setdefault(target, []).append(delta[source])
        elif kind == "citations_delta":
            block.start["citations"] = [
                *(block.start.get("citations") or ()),
                delta.get("citation"),
            ]
        else:  # signatures, summaries, and unknown ones: whole values
            block.start.update((key, value) for key, value in delta.items() if key != "type")

    def _close(self, event: JsonObject) -> None:
        index = event.get("index")
        block = self._blocks.get(index) if isinstance(index, int) else None
        if block is not None:
            block.is_closed = True

    def _change(self, event: JsonObject) -> None:
        """Update the message; counts are totals so far, and absent fields stay."""
        changes = {key: value for key, value in event.items() if key not in {"type", "usage"}}
        delta = changes.pop("delta", None)
        self._message.update((key, value) for key, value in changes.items() if value is not None)
        if isinstance(delta, dict):
            self._message.update(
                (key, value)
                for key, value in delta.items()
                if value is not None or key not in self._message
            )
        usage, before = event.get("usage"), self._message.get("usage")
        if isinstance(usage, dict):
            said = {key: value for key, value in usage.items() if value is not None}
            self._message["usage"] = {**(before if isinstance(before, dict) else {}), **said}

    def _end(self, event: JsonObject) -> None:
        del event
        self._is_over = True

    def _fail(self, event: JsonObject) -> None:
        error = event.get("error")
        words = error.get("message") if isinstance(error, dict) else None
        self._fault = f"the provider reported an error ({words or 'without a message'})"

    def _answer(self) -> Answer:
        model = self._message.get("model")
        model = model if isinstance(model, str) else None
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        answer = build_answer(self._message, [self._part(block, model) for block in blocks])
        if answer.stop is not None and answer.stop.reason in _CUT_SHORT and blocks:
            _mark_cut(answer.messages[0].parts[-1], blocks[-1])
        return answer

    def _part(self, block: _BlockDraft, model: str | None) -> Part:
        """Return a finished block. Its initial input is a placeholder once deltas have come."""
        whole = dict(block.start)
        for key, pieces in block.pieces.items():
            if key != "input":
                before = whole.get(key)
                whole[key] = (before if isinstance(before, str) else "") + "".join(pieces)
        text = "".join(block.pieces.get("input", ()))
        is_cut = not self._is_over and not block.is_closed
        if not text and not is_cut:
            return read_part(whole, model)
        value, problem = (None, NOT_JSON) if is_cut else read_arguments(text)
        if whole.get("type") == "tool_use":
            whole["input"] = {}
        elif "input" in whole:
            whole["input"] = value if problem is None else text
        part = read_part(whole, model)
        if isinstance(part, Call):
            part.arguments, part.text, part.problem = value, text, problem
        return part


def _mark_cut(part: Part, block: _BlockDraft) -> None:
    """Mark a call that was cut off before its first delta as without arguments."""
    if isinstance(part, Call) and "input" not in block.pieces and not part.arguments:
        part.arguments, part.text, part.problem = None, "", NOT_JSON


_CALL: Final = "tool_use"


class AnthropicEventReader:
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
                return [AnswerStarted(text_of(message.get("id")), text_of(message.get("model")))]
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
        return [] if text is None else [TextPiece(text)]

    def _grow(self, index: object, delta: object) -> list[Step]:
        if not isinstance(delta, dict):
            return []
        if delta.get("type") == "text_delta" and (text := text_of(delta.get("text"))):
            return [TextPiece(text)]
        if index in self._open and (text := text_of(delta.get("partial_json"))):
            self._open[index] = None  # the initial input was a placeholder
            return [Piece(index, text)]
        return []


class AnthropicEventWriter:
    """Writes steps as events: a block for text, a block for each call."""

    __slots__ = ("_count", "_in_text", "_message")

    def __init__(self) -> None:
        self._message: JsonObject = {}
        self._count = 0
        self._in_text = False

    def write(self, step: Step) -> list[JsonObject]:
        match step:
            case AnswerStarted(id_, model):
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
            case TextPiece(text):
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
    read=AnthropicEventReader,
    write=AnthropicEventWriter,
    usage="usage",
    counts=("input_tokens", "output_tokens", ""),
)


_ENDS: Final = frozenset({"message_delta", "message_stop"})


def patch_block(block: Json, back: StreamRestorer) -> Json:
    """Return a block; the same object unless it is a call that changes."""
    if not isinstance(block, dict) or block.get("type") != "tool_use":
        return block
    name = block.get("name")
    if not isinstance(name, str):
        return block
    changed = {**block, "name": back.name(name)}
    if block.get("input"):  # in an event a placeholder, in a call without arguments empty
        changed["input"] = back.value(name, block["input"])
    return block if changed == block else changed


def patch_answer(body: JsonObject, back: StreamRestorer) -> JsonObject:
    content = body.get("content")
    if not isinstance(content, list):
        return body
    patched = [patch_block(block, back) for block in content]
    same = all(new is old for new, old in zip(patched, content, strict=True))
    return body if same else {**body, "content": patched}


class AnthropicPatcher:
    __slots__ = ("_back", "_held")

    def __init__(self, back: StreamRestorer) -> None:
        self._back = back
        self._held: dict[int, tuple[str, list[str]]] = {}
        """Names and deltas of open calls, by block."""

    def patch(self, event: JsonObject) -> list[JsonObject]:
        kind, index = event.get("type"), event.get("index")
        if kind == "content_block_start":
            return [self._begin(event, index)]
        if kind in _ENDS:
            return [*self.close(), event]
        held = self._held.get(index) if isinstance(index, int) else None
        if held is None or not isinstance(index, int):
            return [event]
        name, pieces = held
        if kind == "content_block_stop":
            del self._held[index]
            text = "".join(pieces)
            return [_delta(index, self._back.text(name, text)), event] if text else [event]
        delta = event.get("delta")
        if isinstance(delta, dict) and isinstance(delta.get("partial_json"), str):
            pieces.append(delta["partial_json"])
            return []
        return [event]

    def _begin(self, event: JsonObject, index: Json) -> JsonObject:
        block: Json = event.get("content_block")
        is_call = isinstance(block, dict) and block.get("type") == "tool_use"
        name = block.get("name") if is_call else None
        if isinstance(name, str) and isinstance(index, int) and self._back.is_held(name):
            self._held[index] = name, []
        patched = patch_block(block, self._back)
        return event if patched is block else {**event, "content_block": patched}

    def close(self) -> list[JsonObject]:
        held, self._held = self._held, {}
        return [
            _delta(index, self._back.text(name, "".join(pieces)))
            for index, (name, pieces) in held.items()
            if any(pieces)
        ]


def _delta(index: int, text: str) -> JsonObject:
    delta = {"type": "input_json_delta", "partial_json": text}
    return {"type": "content_block_delta", "index": index, "delta": delta}


PATCH: Final = Patch(answer=patch_answer, events=AnthropicPatcher)
