"""Events as steps, and steps as events."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.wire.flow import Begun, Ended, Flow, Opened, Piece, Said, Step, text_of
from toolcanon.jsonio.types import Json, JsonObject

_CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
"""Kinds of calls, and the key of their arguments."""
_PIECES: Final = {"response.function_call_arguments", "response.custom_tool_call_input"}
_WORDS: Final = {"response.output_text": "text", "response.refusal": "refusal"}
_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})


class Steps:
    """Reads events as steps. Content without deltas is taken from the whole item or response."""

    __slots__ = ("_begun", "_ended", "_is_open", "_spoken")

    def __init__(self) -> None:
        self._is_open = False
        self._begun: dict[int, bool] = {}
        """Calls by the index of their item, and whether a delta has come."""
        self._ended: set[int] = set()
        self._spoken: set[tuple[Json, Json]] = set()

    def steps(self, event: JsonObject) -> list[Step]:
        kind = event.get("type")
        response = event.get("response")
        if isinstance(response, dict):
            return self._take_response(response, is_over=kind in _ENDS)
        if not isinstance(kind, str):
            return []
        index = event.get("output_index")
        if kind in ("response.output_item.added", "response.output_item.done"):
            return self._take_item(event.get("item"), index, is_done=kind.endswith("done"))
        name, _, step = kind.rpartition(".")
        text = text_of(event.get("delta"))
        if text and name in _PIECES and index in self._begun:
            self._begun[index] = True
            return [Piece(index, text)]
        if name in _WORDS:
            place = index, event.get("content_index")
            text = text_of(event.get("delta" if step == "delta" else _WORDS[name]))
            if text and (step == "delta" or place not in self._spoken):
                self._spoken.add(place)
                return [Said(text, is_refusal=name == "response.refusal")]
        return []

    def _take_response(self, response: JsonObject, *, is_over: bool) -> list[Step]:
        found: list[Step] = []
        if not self._is_open:
            self._is_open = True
            found.append(Opened(text_of(response.get("id")), text_of(response.get("model"))))
        output = response.get("output")
        if is_over and isinstance(output, list) and not (self._begun or self._spoken):
            for index, item in enumerate(output):
                found += self._take_item(item, index, is_done=True)
        return found

    def _take_item(self, item: Json, index: Json, *, is_done: bool) -> list[Step]:
        kind = item.get("type") if isinstance(item, dict) else None
        if not isinstance(index, int) or index in self._ended:
            return []
        if kind == "message" and is_done:
            return self._take_text(item.get("content"), index)
        if kind not in _CALLS:
            return []
        found: list[Step] = []
        if index not in self._begun:
            self._begun[index] = False
            name, namespace = item.get("name"), text_of(item.get("namespace"))
            named = name if isinstance(name, str) else ""
            is_text = kind == "custom_tool_call"
            found.append(Begun(index, text_of(item.get("call_id")), named, is_text, namespace))
        if is_done:
            text = text_of(item.get(_CALLS[kind]))
            if text and not self._begun[index]:
                found.append(Piece(index, text))
            self._ended.add(index)
            found.append(Ended(index))
        return found

    def _take_text(self, content: Json, index: int) -> list[Step]:
        found: list[Step] = []
        for at, part in enumerate(content if isinstance(content, list) else ()):
            if not isinstance(part, dict) or (index, at) in self._spoken:
                continue
            is_refusal = part.get("type") == "refusal"
            if text := text_of(part.get("refusal" if is_refusal else "text")):
                self._spoken.add((index, at))
                found.append(Said(text, is_refusal))
        return found


class Events:
    """Writes steps as events: items for text and for each call, and all of them at the end."""

    __slots__ = ("_call", "_items", "_number", "_pieces", "_response", "_said")

    def __init__(self) -> None:
        self._response: JsonObject = {}
        self._items: list[JsonObject] = []
        self._number = 0
        self._call: JsonObject = {}
        self._pieces: list[str] = []
        self._said: bool | None = None
        """Whether the open message is a refusal; None when none is open."""

    def _event(self, kind: str, **more: Json) -> JsonObject:
        self._number += 1
        return {"type": f"response.{kind}", "sequence_number": self._number - 1, **more}

    def write(self, step: Step) -> list[JsonObject]:
        match step:
            case Opened(id_, model):
                self._response = {
                    "id": id_ or "",
                    "object": "response",
                    "created_at": 0,
                    "model": model or "",
                    "status": "in_progress",
                    "output": [],
                }
                return [self._event("created", response=self._response)]
            case Said(text, is_refusal):
                events = [] if self._said is is_refusal else self._begin_text(is_refusal)
                self._pieces.append(text)
                kind, place = _word(is_refusal), self._spot()
                return [*events, self._event(f"{kind}.delta", **place, delta=text, **_odds(kind))]
            case Begun():
                return [*self._end_text(), *self._begin_call(step)]
            case Piece(_, text):
                self._pieces.append(text)
                return [self._event(f"{_stem(self._call)}.delta", **self._place(), delta=text)]
        return self._end_call()

    def _place(self) -> JsonObject:
        index = len(self._items)
        return {
            "output_index": index,
            "item_id": f"{'msg' if self._said is not None else 'fc'}_{index}",
        }

    def _spot(self) -> JsonObject:
        return {**self._place(), "content_index": 0}

    def _begin_text(self, is_refusal: bool) -> list[JsonObject]:  # noqa: FBT001
        events = self._end_text()
        self._said, self._pieces = is_refusal, []
        place = self._place()
        item = {**_message(place["item_id"]), "status": "in_progress", "content": []}
        index = place["output_index"]
        return [
            *events,
            self._event("output_item.added", output_index=index, item=item),
            self._event("content_part.added", **self._spot(), part=_part(is_refusal, "")),
        ]

    def _end_text(self) -> list[JsonObject]:
        if self._said is None:
            return []
        text, kind, spot = "".join(self._pieces), _word(self._said), self._spot()
        part = _part(self._said, text)
        item = {**_message(spot["item_id"]), "content": [part]}
        key = "refusal" if self._said else "text"
        events = [
            self._event(f"{kind}.done", **spot, **{key: text}, **_odds(kind)),
            self._event("content_part.done", **spot, part=part),
            self._event("output_item.done", output_index=spot["output_index"], item=item),
        ]
        self._said = None
        self._items.append(item)
        return events

    def _begin_call(self, call: Begun) -> list[JsonObject]:
        kind = "custom_tool_call" if call.is_text else "function_call"
        self._pieces = []
        self._call = {
            "type": kind,
            "id": self._place()["item_id"],
            "call_id": call.id or "",
            "name": call.name,
            **({"namespace": call.namespace} if call.namespace else {}),
        }
        item = {**self._call, _CALLS[kind]: "", "status": "in_progress"}
        return [self._event("output_item.added", output_index=len(self._items), item=item)]

    def _end_call(self) -> list[JsonObject]:
        text, key, place = "".join(self._pieces), _CALLS[self._call["type"]], self._place()
        name = {"name": self._call["name"]} if key == "arguments" else {}
        item = {**self._call, key: text, "status": "completed"}
        events = [
            self._event(f"{_stem(self._call)}.done", **place, **name, **{key: text}),
            self._event("output_item.done", output_index=place["output_index"], item=item),
        ]
        self._items.append(item)
        return events

    def finish(self, body: JsonObject) -> list[JsonObject]:
        events = self._end_text()
        response = {**body, "output": self._items}
        kind = "incomplete" if body.get("status") == "incomplete" else "completed"
        return [*events, self._event(kind, response=response)]


def _word(is_refusal: bool) -> str:  # noqa: FBT001
    return "refusal" if is_refusal else "output_text"


def _stem(call: JsonObject) -> str:
    is_text = call.get("type") == "custom_tool_call"
    return "custom_tool_call_input" if is_text else "function_call_arguments"


def _odds(kind: str) -> JsonObject:
    return {"logprobs": []} if kind == "output_text" else {}


def _message(id_: str) -> JsonObject:
    return {"type": "message", "id": id_, "role": "assistant", "status": "completed"}


def _part(is_refusal: bool, text: str) -> JsonObject:  # noqa: FBT001
    if is_refusal:
        return {"type": "refusal", "refusal": text}
    return {"type": "output_text", "text": text, "annotations": []}


FLOW: Final = Flow(
    read=Steps,
    write=Events,
    usage="usage",
    counts=("input_tokens", "output_tokens", "total_tokens"),
    joint=None,
    free_text=True,
)
