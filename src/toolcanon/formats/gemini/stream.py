"""Streams: chunks accumulated, read as steps, written from steps, and changed in flight.

Texts are joined unless they have a signature: such a part is never merged, because the signature
is valid for it only. Calls come whole, or as a name first and then pieces of arguments by path
(``partialArgs``) until the call no longer continues.

Paths are the normalized ones of RFC 9535 and the short form with dots. Pieces are kept by path and
joined at the end, so that a long text in many pieces takes linear time.

For a patch a chunk is a response with whole calls; where arguments come by path, the part of a call
is held back and sent whole with the last piece.
"""

from __future__ import annotations

import re
from typing import Final

from toolcanon.errors import CutStream, NotAConversation
from toolcanon.formats.gemini.requests import REASON, read_answer
from toolcanon.formats.gemini.results import CALL, ID, pick, snake
from toolcanon.formats.wire.codec import arguments_object, dump, plain_object, read_arguments
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
from toolcanon.ir.conversation import Answer, Call
from toolcanon.jsonio.types import Json, JsonObject

_STEP: Final = re.compile(
    r"\.([^.\[\]'\"\s]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*+)'\]|\[\"((?:[^\"\\]|\\.)*+)\"\]"
)
_ESCAPE: Final = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_TEXT: Final = "stringValue"
_VALUES: Final = ("numberValue", "boolValue", "nullValue")
_DEEPEST: Final = 256


class Pieces:
    """The pieces of one call's arguments."""

    __slots__ = ("_is_sound", "_values")

    def __init__(self) -> None:
        self._values: dict[str, list[str] | tuple[Json]] = {}
        self._is_sound = True

    def take(self, pieces: Json) -> None:
        """Keep some pieces, and note whether one is invalid."""
        for piece in pieces if isinstance(pieces, list) else (None,):
            if not isinstance(piece, dict) or not self._keep(piece):
                self._is_sound = False

    def _keep(self, piece: JsonObject) -> bool:
        path, text = piece.get(pick(piece, "jsonPath") or ""), piece.get(pick(piece, _TEXT) or "")
        if not isinstance(path, str):
            return False
        if isinstance(text, str):
            known = self._values.get(path)
            if isinstance(known, list):
                known.append(text)
            else:
                self._values[path] = [text]
            return True
        for key in _VALUES:
            for spelled in (key, snake(key)):
                if spelled in piece:
                    value = None if key == "nullValue" else piece[spelled]
                    self._values[path] = (value,)
                    return True
        return False

    def whole(self, start: Json) -> tuple[JsonObject, bool]:
        """Return the arguments, and whether every piece could be placed."""
        arguments: JsonObject = _copy(start) if isinstance(start, dict) else {}
        is_sound = self._is_sound
        for path, kept in self._values.items():
            steps = parse(path)
            value = "".join(kept) if isinstance(kept, list) else kept[0]
            if not steps or not _put(arguments, steps, value):
                is_sound = False
        return arguments, is_sound


def parse(path: str) -> list[str | int] | None:
    """Return the steps of a path; None if it does not lead to exactly one place.

    >>> parse("$.a[0]['b c']")
    ['a', 0, 'b c']
    """
    if not path.startswith("$"):
        return None
    steps: list[str | int] = []
    place = 1
    while place < len(path):
        found = _STEP.match(path, place)
        if found is None or len(steps) == _DEEPEST:
            return None
        dotted, index, single, double = found.groups()
        if index is not None:
            steps.append(int(index))
        elif dotted is not None:
            steps.append(dotted)
        else:
            steps.append(_ESCAPE.sub(_unescape, double if single is None else single))
        place = found.end()
    return steps


def _unescape(found: re.Match[str]) -> str:
    said = found[1]
    if len(said) > 1:
        return chr(int(said[1:], 16))
    return _ESCAPES.get(said, said)


def _put(target: JsonObject, steps: list[str | int], value: Json) -> bool:
    """Set a value; lists grow by one at a time, so that no index can exhaust the memory."""
    holder: Json = target
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        last = following is None
        fresh: Json = value if last else [] if isinstance(following, int) else {}
        if isinstance(step, int):
            if not isinstance(holder, list) or step > len(holder):
                return False
            if step == len(holder):
                holder.append(fresh)
            elif last:
                holder[step] = value
        else:
            if not isinstance(holder, dict):
                return False
            if last or step not in holder:
                holder[step] = fresh
        holder = holder[step]
    return True


def _copy(value: Json) -> Json:
    """Copy containers: the given value must not be changed."""
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copy(item) for item in value]
    return value


_MERGED: Final = frozenset({"candidates"})
_WORDS: Final = ({"text"}, {"text", "thought"})
_CONTINUES: Final = "willContinue"
_PIECES: Final = "partialArgs"


class GeminiStream:
    """Takes chunks and returns the answer."""

    __slots__ = ("_body", "_candidates", "_error")

    def __init__(self) -> None:
        self._body: JsonObject = {}
        self._candidates: dict[int, _Candidate] = {}
        self._error: str | None = None

    def feed(self, event: Json) -> None:
        """Take one chunk; a list is several, as the service sends them without SSE."""
        if isinstance(event, list):
            for chunk in event:
                self.feed(chunk)
            return
        if not isinstance(event, dict) and not hasattr(event, "model_dump"):
            raise NotAConversation("", "a chunk of a stream must be a whole response")
        chunk = plain_object(event)
        if chunk.get("error"):
            error = chunk["error"]
            said = error.get("message") if isinstance(error, dict) else error
            self._error = f"the provider sent an error: {said}"
            return
        self._body.update((key, value) for key, value in chunk.items() if key not in _MERGED)
        candidates = chunk.get("candidates")
        for place, candidate in enumerate(candidates if isinstance(candidates, list) else ()):
            if not isinstance(candidate, dict):
                raise NotAConversation(f"/candidates/{place}", "a candidate must be an object")
            index = candidate.get("index", place)
            index = index if isinstance(index, int) else place
            self._candidates.setdefault(index, _Candidate()).feed(candidate)

    def finish(self) -> Answer:
        """Return the answer. Raises CutStream, with what there is, when no stop reason came."""
        body = dict(self._body)
        in_order = [self._candidates[index] for index in sorted(self._candidates)]
        if in_order:
            body["candidates"] = [candidate.whole() for candidate in in_order]
        try:
            answer = read_answer(body)
        except NotAConversation:
            answer = Answer(format=ID)
        reason = self._error or _missing(body, in_order)
        if reason is not None:
            raise CutStream(ID, reason, answer)
        return answer


def _missing(body: JsonObject, candidates: list[_Candidate]) -> str | None:
    """Return why the stream is incomplete; None when it is complete."""
    if not candidates:
        blocked = pick(body, "promptFeedback")
        return None if blocked else "no candidate arrived"
    if any(not candidate.is_over for candidate in candidates):
        return f"no {REASON!r} arrived"
    return None


class _Candidate:
    """One candidate as far as it has arrived."""

    __slots__ = ("_content", "_fields", "_holder", "_open", "_parts", "_pieces", "_words")

    def __init__(self) -> None:
        self._fields: JsonObject = {}
        self._content: JsonObject | None = None
        self._parts: list[Json] = []
        self._words: tuple[JsonObject, list[str]] | None = None  # the open text part, its texts
        self._open: JsonObject | None = None  # the call that continues
        self._holder: JsonObject = {}  # its part
        self._pieces = Pieces()

    @property
    def is_over(self) -> bool:
        """Whether the stop reason has come."""
        return pick(self._fields, REASON) is not None

    def feed(self, candidate: JsonObject) -> None:
        content = candidate.get("content")
        self._fields.update((key, item) for key, item in candidate.items() if key != "content")
        if not isinstance(content, dict):
            return
        rest = {key: value for key, value in content.items() if key != "parts"}
        self._content = {**(self._content or {}), **rest}
        parts = content.get("parts")
        for part in parts if isinstance(parts, list) else ():
            self._take(part)

    def whole(self) -> JsonObject:
        """Return a candidate as in a whole response."""
        self._end_text()
        self._end_call(is_whole=False)
        if self._content is None:
            return self._fields
        return {"content": {**self._content, "parts": self._parts}, **self._fields}

    def _take(self, part: Json) -> None:
        key = pick(part, CALL) if isinstance(part, dict) else None
        if key is not None and isinstance(part[key], dict):
            self._end_text()
            self._take_call(part, key)
        elif _is_text(part):
            self._take_text(part)
        else:
            self._end_text()
            self._parts.append(part)

    def _take_text(self, part: JsonObject) -> None:
        is_thought = part.get("thought") is True
        if self._words is not None and (self._words[0].get("thought") is True) == is_thought:
            self._words[1].append(part["text"])
            return
        if part["text"] or is_thought:  # the last chunk often has an empty text without meaning
            self._end_text()
            self._words = dict(part), [part["text"]]

    def _end_text(self) -> None:
        if self._words is not None:
            part, texts = self._words
            part["text"] = "".join(texts)
            self._parts.append(part)
            self._words = None

    def _take_call(self, part: JsonObject, key: str) -> None:
        said = part[key]
        continues, pieces = pick(said, _CONTINUES), pick(said, _PIECES)
        if said.get("name") is not None or self._open is None:
            self._end_call(is_whole=False)
            if continues is None and pieces is None:
                self._parts.append(part)
                return
            inner = {name: value for name, value in said.items() if name not in {continues, pieces}}
            self._open, self._holder = inner, {**part, key: inner}
            self._parts.append(self._holder)
        else:
            self._holder.update({name: value for name, value in part.items() if name != key})
        if pieces is not None:
            self._pieces.take(said[pieces])
        if continues is None or said[continues] is not True:
            self._end_call(is_whole=True)

    def _end_call(self, *, is_whole: bool) -> None:
        """Write the arguments into the open call, and note if it was not closed."""
        if self._open is None:
            return
        arguments, is_sound = self._pieces.whole(self._open.get("args"))
        self._open["args"] = arguments
        if not (is_whole and is_sound):
            self._open[_CONTINUES] = True
        self._open, self._pieces = None, Pieces()


def _is_text(part: Json) -> bool:
    return isinstance(part, dict) and part.keys() in _WORDS and isinstance(part["text"], str)


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


class GeminiChunkReader:
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
            found.append(
                AnswerStarted(text_of(event.get(id_ or "")), text_of(event.get(model or "")))
            )
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
            found += [] if text is None else [TextPiece(text)]

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


class GeminiChunkWriter:
    """Writes steps as chunks, with calls as a whole."""

    __slots__ = ("_call", "_head", "_pieces")

    def __init__(self) -> None:
        self._head: JsonObject = {}
        self._call: JsonObject = {}
        self._pieces: list[str] = []

    def write(self, step: Step) -> list[JsonObject]:
        match step:
            case AnswerStarted(id_, model):
                said = {"modelVersion": model, "responseId": id_}
                self._head = {key: value for key, value in said.items() if value is not None}
            case TextPiece(text):
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
    read=GeminiChunkReader,
    write=GeminiChunkWriter,
    usage="usageMetadata",
    counts=("promptTokenCount", "candidatesTokenCount", "totalTokenCount"),
    needs_ids=False,
    joint=":",
)


def patch_part(part: Json, back: StreamRestorer) -> Json:
    """Return a part; the same object unless it is a call that changes."""
    known = call_of(part)
    if known is None:
        return part
    key, call = known
    name = call.get("name")
    if not isinstance(name, str):
        return part
    changed = {**call, "name": back.name(name)}
    if isinstance(call.get("args"), dict):
        changed["args"] = back.value(name, call["args"])
    return part if changed == call else {**part, key: changed}


class GeminiPatcher:
    __slots__ = ("_back", "_calls", "_open")

    def __init__(self, back: StreamRestorer) -> None:
        self._back = back
        self._calls: dict[int, CallParts] = {}
        self._open: set[int] = set()
        """Candidates with an open call that is held back."""

    def patch(self, event: JsonObject) -> list[JsonObject]:
        candidates = event.get("candidates")
        if not isinstance(candidates, list):
            return [event]
        patched = [self._candidate(candidate, at) for at, candidate in enumerate(candidates)]
        if all(new is old for new, old in zip(patched, candidates, strict=True)):
            return [event]
        return [{**event, "candidates": patched}]

    def _candidate(self, candidate: Json, at: int) -> Json:
        content: Json = candidate.get("content") if isinstance(candidate, dict) else None
        parts: Json = content.get("parts") if isinstance(content, dict) else None
        if not isinstance(parts, list):
            return candidate
        index = candidate.get("index", at)
        index = index if isinstance(index, int) else at
        patched = [new for part in parts for new in self._part(part, index)]
        if list(map(id, patched)) == list(map(id, parts)):
            return candidate
        return {**candidate, "content": {**content, "parts": patched}}

    def _part(self, part: Json, index: int) -> list[Json]:
        known = call_of(part)
        if known is None:
            return [part]
        call = known[1]
        if index in self._open or _continues(call):
            name = call.get("name")
            if index not in self._open and not (isinstance(name, str) and self._back.is_held(name)):
                return [patch_part(part, self._back)]
            self._open.add(index)
            whole = self._calls.setdefault(index, CallParts()).take(part)
            if whole:
                self._open.discard(index)
            return [patch_part(one, self._back) for one in whole]
        return [patch_part(part, self._back)]

    def close(self) -> list[JsonObject]:
        return []  # a call that was never closed is dropped


def _continues(call: JsonObject) -> bool:
    return call.get("willContinue") is True or call.get("will_continue") is True


def patch_answer(body: JsonObject, back: StreamRestorer) -> JsonObject:
    return GeminiPatcher(back).patch(body)[0]


PATCH: Final = Patch(answer=patch_answer, events=GeminiPatcher)
