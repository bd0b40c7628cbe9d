"""Change calls in responses and chunks.

Servers may stream calls side by side, so a call is whole when the next one begins and its JSON is
complete, or when its choice is over. Until then its arguments are held back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from toolcanon.formats.openai.stream import _Choice, _PartialCall
from toolcanon.formats.wire.codec import dump
from toolcanon.formats.wire.streams import Patch, StreamRestorer
from toolcanon.jsonio.types import Json, JsonObject

_KINDS: Final = ("function", "custom")
_REPEATED: Final = frozenset({"index", "id", "type", "function"})
"""Keys of a delta that has only arguments."""


def patch_call(call: Json, back: StreamRestorer) -> Json:
    inner = call.get("function") if isinstance(call, dict) else None
    if isinstance(inner, dict) and isinstance(inner.get("name"), str):
        name, said = inner["name"], inner.get("arguments")
        changed = {**inner, "name": back.name(name)}
        if isinstance(said, str):
            changed["arguments"] = back.text(name, said)
        return call if changed == inner else {**call, "function": changed}
    inner = call.get("custom") if isinstance(call, dict) else None
    if isinstance(inner, dict) and isinstance(inner.get("name"), str):
        own = back.name(inner["name"])
        return call if own == inner["name"] else {**call, "custom": {**inner, "name": own}}
    return call


def patch_answer(body: JsonObject, back: StreamRestorer) -> JsonObject:
    choices = body.get("choices")
    if not isinstance(choices, list):
        return body
    patched = [_patch_choice(choice, back) for choice in choices]
    same = all(new is old for new, old in zip(patched, choices, strict=True))
    return body if same else {**body, "choices": patched}


def _patch_choice(choice: Json, back: StreamRestorer) -> Json:
    message: Json = choice.get("message") if isinstance(choice, dict) else None
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    if not isinstance(calls, list):
        return choice
    patched = [patch_call(call, back) for call in calls]
    if all(new is old for new, old in zip(patched, calls, strict=True)):
        return choice
    return {**choice, "message": {**message, "tool_calls": patched}}


@dataclass(slots=True, eq=False)
class _Call:
    """An open call, and its deltas that are held back."""

    function: _PartialCall
    place: int
    index: Json
    """The index of its deltas."""
    is_held: bool = False
    pending: list[Json] = field(default_factory=list)

    def arguments(self, back: StreamRestorer) -> list[Json]:
        """Return the delta with all of the arguments."""
        function = self.function
        text = "".join(function.text) if function.value is None else dump(function.value)
        if not text:
            return []
        place = {} if self.index is None else {"index": self.index}
        return [{**place, "function": {"arguments": back.text(function.name, text)}}]


class _ChoiceCalls:
    """The calls of one choice. While one is held back, those behind it wait.

    Clients may consider a call finished when the next one begins.
    """

    __slots__ = ("_calls", "_choice", "_front", "_known")

    def __init__(self) -> None:
        self._choice = _Choice()
        self._calls: list[_Call] = []
        self._known: dict[int, _Call] = {}
        self._front = 0
        """The first call that is held back."""

    def take(self, piece: JsonObject, back: StreamRestorer) -> tuple[list[Json], JsonObject | None]:
        """Return deltas to send before this one, and the part of it to send, if any."""
        function = self._choice._slot(piece)  # noqa: SLF001 - a class of this package
        early: list[Json] = []
        call = self._known.get(id(function))
        if call is None:
            early = self.release(back, only_whole=True)
            call = _Call(function, len(self._calls), piece.get("index"))
            self._calls.append(call)
            self._known[id(function)] = call
        left = _without_arguments(call, piece, back)
        function.take(piece)
        if not call.is_held and call.place == self._front:
            self._front += 1
        if call.place <= self._front:
            return early, left
        call.pending += [] if left is None else [left]
        return early, None

    @property
    def holds(self) -> bool:
        return self._front < len(self._calls)

    def release(self, back: StreamRestorer, *, only_whole: bool = False) -> list[Json]:
        """Return what was held back, in order; all of it, or as long as calls are whole."""
        out: list[Json] = []
        while self.holds:
            call = self._calls[self._front]
            out += call.pending
            call.pending = []
            if call.is_held:
                if only_whole and not call.function.is_whole():
                    break
                out += call.arguments(back)
                call.is_held = False
            self._front += 1
        return out


def _without_arguments(call: _Call, piece: JsonObject, back: StreamRestorer) -> JsonObject | None:
    """Return a delta with the tool's own name, without arguments that are held back."""
    kind = next((kind for kind in _KINDS if isinstance(piece.get(kind), dict)), None)
    if kind is None:
        return piece
    inner: JsonObject = piece[kind]
    changed = dict(inner)
    name = inner.get("name")
    if isinstance(name, str) and name and call.function.name in {"", name}:
        changed["name"] = back.name(name)
        if not call.function.name:
            call.is_held = kind == "function" and back.is_held(name)
    if call.is_held and "arguments" in inner:
        if not name and piece.keys() <= _REPEATED:
            return None
        changed["arguments"] = ""
    return piece if changed == inner else {**piece, kind: changed}


class OpenAIPatcher:
    __slots__ = ("_back", "_choices", "_last")

    def __init__(self, back: StreamRestorer) -> None:
        self._back = back
        self._choices: dict[int, _ChoiceCalls] = {}
        self._last: JsonObject = {}

    def patch(self, event: JsonObject) -> list[JsonObject]:
        choices = event.get("choices")
        if not isinstance(choices, list):
            return [event]
        before: list[Json] = []
        after: list[Json] = []
        for at, choice in enumerate(choices):
            if isinstance(choice, dict):
                early, late = self._patch_choice(choice, at)
                before += early
                after += late
            else:
                after.append(choice)
        if not before and list(map(id, after)) == list(map(id, choices)):
            return [event]
        if choices:
            self._last = {key: value for key, value in event.items() if key != "usage"}
        events = [{**self._last, "choices": [choice]} for choice in before]
        if after or not choices or event.get("usage") is not None:
            events.append({**event, "choices": after})
        return events

    def _patch_choice(self, choice: JsonObject, at: int) -> tuple[list[Json], list[Json]]:
        """Return chunks to send before, and the replacements of the choice in this chunk."""
        index = choice.get("index")
        index = index if isinstance(index, int) else at
        delta: Json = choice.get("delta")
        calls = delta.get("tool_calls") if isinstance(delta, dict) else None
        is_over = choice.get("finish_reason") is not None
        row = self._choices.get(index)
        if not isinstance(calls, list):
            held = row.release(self._back) if is_over and row is not None else []
            return _choices(index, held), [choice]
        if row is None:
            row = self._choices[index] = _ChoiceCalls()
        early: list[Json] = []
        kept: list[Json] = []
        for call in calls:
            if isinstance(call, dict):
                before, left = row.take(call, self._back)
                early += [*kept, *before] if before else []
                kept = [] if before else kept
                kept += [] if left is None else [left]
            else:
                kept.append(call)
        if is_over and row.holds:  # begun and ended in one chunk: names first, then arguments
            early += [*kept, *row.release(self._back)]
            kept = []
        if not early and list(map(id, kept)) == list(map(id, calls)):
            return [], [choice]
        changed = {key: value for key, value in delta.items() if key != "tool_calls"}
        if kept:
            changed["tool_calls"] = kept
        is_empty = not changed and not is_over
        return _choices(index, early), [] if is_empty else [{**choice, "delta": changed}]

    def close(self) -> list[JsonObject]:
        return [
            {**self._last, "choices": [choice]}
            for index, row in self._choices.items()
            for choice in _choices(index, row.release(self._back))
        ]


def _choices(index: int, calls: list[Json]) -> list[Json]:
    """Return a choice for each delta of a call, to be sent in chunks of their own."""
    return [
        {"index": index, "delta": {"tool_calls": [call]}, "finish_reason": None} for call in calls
    ]


PATCH: Final = Patch(answer=patch_answer, events=OpenAIPatcher)
