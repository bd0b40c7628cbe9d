"""Chunks as steps, and steps as chunks."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.gemini.answers import REASON
from toolcanon.formats.gemini.spelling import CALL, pick
from toolcanon.formats.gemini.stream import _Candidate
from toolcanon.formats.wire.codec import arguments_object, dump, read_arguments
from toolcanon.formats.wire.flow import Begun, Ended, Flow, Opened, Piece, Said, Step, text_of
from toolcanon.ir.conversation import Call
from toolcanon.jsonio.types import Json, JsonObject


class CallParts:
    """The calls of one candidate: whole ones, and those assembled from deltas."""

    __slots__ = ("_candidate",)

    def __init__(self) -> None:
        self._candidate = _Candidate()

    def take(self, part: JsonObject) -> list[JsonObject]:
        """Return the parts that are whole now; none as long as the call continues."""
        known = self._candidate
        known.feed({"content": {"parts": [part]}})
        if known._open is not None:  # noqa: SLF001 - a class of this package
            return []
        return self.rest()

    def rest(self) -> list[JsonObject]:
        parts: list[JsonObject] = self._candidate._parts  # noqa: SLF001
        self._candidate._parts = []  # noqa: SLF001
        return parts


def call_of(part: Json) -> tuple[str, JsonObject] | None:
    """Return the key of a call in a part, and the call."""
    key = pick(part, CALL) if isinstance(part, dict) else None
    return None if key is None or not isinstance(part[key], dict) else (key, part[key])


class Steps:
    """Reads chunks as steps; of several candidates the first."""

    __slots__ = ("_calls", "_count", "_is_open")

    def __init__(self) -> None:
        self._calls = CallParts()
        self._count = 0
        self._is_open = False

    def steps(self, event: JsonObject) -> list[Step]:
        found: list[Step] = []
        if not self._is_open:
            self._is_open = True
            id_, model = pick(event, "responseId"), pick(event, "modelVersion")
            found.append(Opened(text_of(event.get(id_ or "")), text_of(event.get(model or ""))))
        candidates = event.get("candidates")
        for at, candidate in enumerate(candidates if isinstance(candidates, list) else ()):
            if isinstance(candidate, dict) and candidate.get("index", at) in (0, None):
                content = candidate.get("content")
                parts = content.get("parts") if isinstance(content, dict) else None
                for part in parts if isinstance(parts, list) else ():
                    self._take(part, found)
        return found

    def _take(self, part: Json, found: list[Step]) -> None:
        if call_of(part) is not None:
            for whole in self._calls.take(part):
                self._call(whole, found)
        elif isinstance(part, dict) and part.get("thought") is not True:
            text = text_of(part.get("text"))
            found += [] if text is None else [Said(text)]

    def _call(self, part: JsonObject, found: list[Step]) -> None:
        known = call_of(part)
        if known is None:
            return
        call, key = known[1], self._count
        self._count += 1
        name, arguments = call.get("name"), call.get("args")
        named = name if isinstance(name, str) else ""
        text = dump(arguments if arguments is not None else {})
        found += [Begun(key, text_of(call.get("id")), named), Piece(key, text), Ended(key)]


class Chunks:
    """Writes steps as chunks, with calls as a whole."""

    __slots__ = ("_call", "_head", "_pieces")

    def __init__(self) -> None:
        self._head: JsonObject = {}
        self._call: JsonObject = {}
        self._pieces: list[str] = []

    def write(self, step: Step) -> list[JsonObject]:
        match step:
            case Opened(id_, model):
                said = {"modelVersion": model, "responseId": id_}
                self._head = {key: value for key, value in said.items() if value is not None}
            case Said(text):
                return [self._chunk({"text": text})]
            case Begun(_, id_, name):
                self._call = {"name": name} if id_ is None else {"id": id_, "name": name}
                self._pieces = []
            case Piece(_, text):
                self._pieces.append(text)
            case Ended():
                text = "".join(self._pieces)
                value, problem = read_arguments(text)
                call = Call("", value, text=text, problem=problem)
                self._call["args"] = arguments_object(call)[0]
                return [self._chunk({"functionCall": self._call})]
        return []

    def _chunk(self, part: JsonObject, **more: Json) -> JsonObject:
        content = {"role": "model", "parts": [part]}
        return {"candidates": [{"content": content, "index": 0, **more}], **self._head}

    def finish(self, body: JsonObject) -> list[JsonObject]:
        candidates = body.get("candidates") or [{}]
        last = self._chunk({"text": ""}, **{REASON: candidates[0].get(REASON, "STOP")})
        if body.get("usageMetadata") is not None:
            last["usageMetadata"] = body["usageMetadata"]
        return [last]


FLOW: Final = Flow(
    read=Steps,
    write=Chunks,
    usage="usageMetadata",
    counts=("promptTokenCount", "candidatesTokenCount", "totalTokenCount"),
    needs_ids=False,
    joint=":",
)
