"""Assemble a UI message stream into a UI message, which is then read like any other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toolcanon.errors import CutStream
from toolcanon.formats.vercel.answers import ui_answer
from toolcanon.formats.vercel.approvals import asked
from toolcanon.formats.vercel.lists import read_messages
from toolcanon.formats.vercel.spelling import ID
from toolcanon.formats.wire.codec import plain_object
from toolcanon.ir.conversation import Answer
from toolcanon.jsonio.types import Json, JsonObject

_WHOLE: Final = frozenset(
    {"file", "source-url", "source-document", "reasoning-file", "custom", "steering-message"}
)
"""Chunks that are parts unchanged."""
_TOOL: Final = ("title", "toolMetadata", "providerExecuted")
_FAULT: Final = "a delta came for a part that is not open"


class Stream:
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
