"""Assemble a stream: every chunk is a whole response with the next parts.

Texts are joined unless they have a signature: such a part is never merged, because the signature
is valid for it only. Calls come whole, or as a name first and then pieces of arguments by path
(``partialArgs``) until the call no longer continues.
"""

from __future__ import annotations

from typing import Final

from toolcanon.errors import CutStream, NotAConversation
from toolcanon.formats.gemini.answers import REASON, read_answer
from toolcanon.formats.gemini.partial_arguments import Pieces
from toolcanon.formats.gemini.spelling import CALL, ID, pick
from toolcanon.formats.wire.codec import plain_object
from toolcanon.ir.conversation import Answer
from toolcanon.jsonio.types import Json, JsonObject

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
