"""Streams: chunks accumulated, read as steps, and written from steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toolcanon.errors import CutStream
from toolcanon.formats.vercel.outputs import asked
from toolcanon.formats.vercel.requests import read_messages, ui_answer
from toolcanon.formats.vercel.tools import ID
from toolcanon.formats.wire.codec import dump, plain_object, read_arguments
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
from toolcanon.ir.conversation import Answer
from toolcanon.jsonio.types import Json, JsonObject

_WHOLE: Final = frozenset(
    {"file", "source-url", "source-document", "reasoning-file", "custom", "steering-message"}
)
"""Chunks that are parts unchanged."""
_TOOL: Final = ("title", "toolMetadata", "providerExecuted")
_FAULT: Final = "a delta came for a part that is not open"


class VercelAccumulator:
    def __init__(self) -> None:
        self._message: JsonObject = {"role": "assistant", "parts": []}
        self._open: dict[tuple[str, str], JsonObject] = {}
        self._pieces: dict[int, list[str]] = {}
        """Open texts, by their part."""
        self._tools: dict[str, JsonObject] = {}
        self._word: str | None = None
        self._is_over = False
        self._fault: str | None = None
        self._chunks: dict[str, Callable[[JsonObject], None]] = {
            "start": self._start,
            "message-metadata": self._start,
            "start-step": self._step,
            "reset-step": self._reset,
            "finish": self._finish,
            "error": self._fail,
            "abort": self._abort,
            "tool-input-start": self._tool_start,
            "tool-input-delta": self._tool_delta,
            "tool-input-available": self._tool_ready,
            "tool-input-error": self._tool_wrong,
            "tool-output-available": self._tool_output,
            "tool-output-error": self._tool_error,
            "tool-output-denied": self._tool_denied,
            "tool-approval-request": self._ask,
            "tool-approval-response": self._answer_asked,
        }

    @property
    def _parts(self) -> list[Json]:
        return self._message["parts"]  # type: ignore[no-any-return]

    def feed(self, event: Json) -> None:
        if not isinstance(event, dict):
            if not hasattr(event, "model_dump"):
                return
            event = plain_object(event)
        kind = event.get("type")
        if not isinstance(kind, str):
            return
        take = self._chunks.get(kind)
        if take is not None:
            take(event)
        elif kind in _WHOLE:
            self._parts.append(dict(event))
        elif kind.startswith("data-"):
            self._data(event)
        elif kind.startswith(("text-", "reasoning-")):
            self._words(event, *kind.split("-", 1))

    def finish(self) -> Answer:
        """Return the answer. Raises CutStream when the end is missing, or after an error."""
        for part in self._parts:
            pieces = self._pieces.get(id(part))
            if pieces is not None:
                part["rawInput" if "toolCallId" in part else "text"] = "".join(pieces)
        answer = ui_answer(read_messages([self._message], None), self._word)
        if self._fault is not None or not self._is_over:
            raise CutStream(ID, self._fault or "finish is missing", answer)
        return answer

    def _start(self, chunk: JsonObject) -> None:
        if isinstance(chunk.get("messageId"), str):
            self._message["id"] = chunk["messageId"]
        said, before = chunk.get("messageMetadata"), self._message.get("metadata")
        if said is not None:
            self._message["metadata"] = _merged(before, said)

    def _step(self, chunk: JsonObject) -> None:
        del chunk
        self._parts.append({"type": "step-start"})

    def _reset(self, chunk: JsonObject) -> None:
        del chunk
        while self._parts and self._parts[-1] != {"type": "step-start"}:
            self._parts.pop()

    def _finish(self, chunk: JsonObject) -> None:
        self._start(chunk)
        word = chunk.get("finishReason")
        self._word = word if isinstance(word, str) else None
        self._is_over = True

    def _fail(self, chunk: JsonObject) -> None:
        self._fault = f"an error was reported ({chunk.get('errorText') or 'without a message'})"

    def _abort(self, chunk: JsonObject) -> None:
        self._fault = f"it was aborted ({chunk.get('reason') or 'without a reason'})"

    def _words(self, chunk: JsonObject, kind: str, what: str) -> None:
        key = kind, str(chunk.get("id"))
        if what == "start":
            part: JsonObject = {"type": kind, "text": "", "state": "streaming"}
            if kind == "reasoning" and isinstance(chunk.get("id"), str):
                part["id"] = chunk["id"]
            self._open[key] = part
            self._pieces[id(part)] = []
            self._parts.append(part)
        else:
            found = self._open.get(key)
            if found is None:
                self._fault = _FAULT
                return
            part = found
        if what == "delta" and isinstance(chunk.get("delta"), str):
            self._pieces[id(part)].append(chunk["delta"])
        if what == "end":
            part["state"] = "done"
            if chunk.get("citations") is not None:
                part["citations"] = chunk["citations"]
            del self._open[key]
        if chunk.get("providerMetadata") is not None:
            part["providerMetadata"] = chunk["providerMetadata"]

    def _data(self, chunk: JsonObject) -> None:
        """Add an application's part; one with the same id replaces the one before."""
        if chunk.get("transient") is True:
            return
        same = [
            part
            for part in self._parts
            if "id" in chunk and (part.get("type"), part.get("id")) == (chunk["type"], chunk["id"])
        ]
        if same:
            same[0]["data"] = chunk.get("data")
        else:
            self._parts.append(dict(chunk))

    def _tool(self, chunk: JsonObject) -> JsonObject | None:
        """Return the part of a tool, made where a chunk names the tool; None for an unknown id."""
        call_id, name = str(chunk.get("toolCallId")), chunk.get("toolName")
        part = self._tools.get(call_id)
        if part is None and not isinstance(name, str):
            self._fault = _FAULT
            return None
        if part is None:
            is_dynamic = chunk.get("dynamic") is True
            part = {"type": "dynamic-tool" if is_dynamic else f"tool-{name}"}
            if is_dynamic:
                part["toolName"] = name
            part["toolCallId"] = chunk.get("toolCallId")
            self._tools[call_id] = part
            self._parts.append(part)
        part.update((key, chunk[key]) for key in _TOOL if chunk.get(key) is not None)
        return part

    def _set(self, chunk: JsonObject, state: str, metadata: str, **members: Json) -> None:
        part = self._tool(chunk)
        if part is None:
            return
        for key in ("inputEncoding", "rawInput", "output", "errorText", "preliminary"):
            part.pop(key, None)
        if state != "input-streaming":
            self._pieces.pop(id(part), None)
        part["state"] = state
        part.update(members)
        if chunk.get("providerMetadata") is not None:
            part[metadata] = chunk["providerMetadata"]

    def _tool_start(self, chunk: JsonObject) -> None:
        encoding = chunk.get("inputEncoding")
        members = {} if encoding is None else {"inputEncoding": encoding}
        self._set(chunk, "input-streaming", "callProviderMetadata", **members)
        part = self._tools.get(str(chunk.get("toolCallId")))
        if part is not None:
            self._pieces[id(part)] = []

    def _tool_delta(self, chunk: JsonObject) -> None:
        part = self._tool(chunk)
        if part is not None and isinstance(chunk.get("inputTextDelta"), str):
            self._pieces.setdefault(id(part), []).append(chunk["inputTextDelta"])

    def _tool_ready(self, chunk: JsonObject) -> None:
        self._set(chunk, "input-available", "callProviderMetadata", input=chunk.get("input"))

    def _tool_wrong(self, chunk: JsonObject) -> None:
        members = {"input": chunk.get("input"), "errorText": str(chunk.get("errorText"))}
        self._set(chunk, "output-error", "resultProviderMetadata", **members)

    def _tool_output(self, chunk: JsonObject) -> None:
        self._set(chunk, "output-available", "resultProviderMetadata", output=chunk.get("output"))
        part = self._tools.get(str(chunk.get("toolCallId")))
        if part is not None and chunk.get("preliminary") is not None:
            part["preliminary"] = chunk["preliminary"]

    def _tool_error(self, chunk: JsonObject) -> None:
        text = str(chunk.get("errorText"))
        self._set(chunk, "output-error", "resultProviderMetadata", errorText=text)

    def _tool_denied(self, chunk: JsonObject) -> None:
        part = self._tool(chunk)
        if part is not None:
            part["state"] = "output-denied"

    def _ask(self, chunk: JsonObject) -> None:
        part = self._tool(chunk)
        if part is not None:
            part["state"], part["approval"] = "approval-requested", asked(chunk)
            if chunk.get("approvalDescriptor") is not None:
                part["approval"]["descriptor"] = chunk["approvalDescriptor"]

    def _answer_asked(self, chunk: JsonObject) -> None:
        for part in self._tools.values():
            approval = part.get("approval")
            if isinstance(approval, dict) and approval.get("id") == chunk.get("approvalId"):
                said = {key: chunk[key] for key in ("approved", "reason") if key in chunk}
                part["approval"] = {**approval, **said}
                part["state"] = "approval-responded"
                return
        self._fault = _FAULT


def _merged(before: Json, said: Json) -> Json:
    """Return metadata with objects merged at any depth, and other values replaced."""
    if not (isinstance(before, dict) and isinstance(said, dict)):
        return said
    return {**before, **{key: _merged(before.get(key), value) for key, value in said.items()}}


_TEXT: Final = "text"


class VercelChunkReader:
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
                return [AnswerStarted(text_of(event.get("messageId")), None)]
            case "text-delta" if text := text_of(event.get("delta")):
                return [TextPiece(text)]
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


class VercelEventWriter:
    """Writes steps as chunks: a part for text, a part for each call."""

    __slots__ = ("_call", "_count", "_in_text", "_pieces")

    def __init__(self) -> None:
        self._count = 0
        self._in_text = False
        self._call: Begun | None = None
        self._pieces: list[str] = []

    def write(self, step: Step) -> list[JsonObject]:
        match step:
            case AnswerStarted(id_, _):
                start: JsonObject = {"type": "start"}
                if id_ is not None:
                    start["messageId"] = id_
                return [start, {"type": "start-step"}]
            case TextPiece(text):
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
    read=VercelChunkReader,
    write=VercelEventWriter,
    usage="usage",
    counts=("", "", ""),
    free_text=True,
    last="[DONE]",
)
