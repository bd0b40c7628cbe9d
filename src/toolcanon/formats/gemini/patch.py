"""Change calls in responses and chunks.

A chunk is a response with whole calls; where arguments come by path, the part of a call is held
back and sent whole with the last piece.
"""

from __future__ import annotations

from typing import Final

from toolcanon.formats.gemini.stream import CallParts, call_of
from toolcanon.formats.wire.streams import Patch, StreamRestorer
from toolcanon.jsonio.types import Json, JsonObject


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
