"""Streams: events accumulated, read as steps, written from steps, and changed in flight.

The last event has the whole response, and then that is the answer. The assembled deltas are needed
where it is empty, as from some gateways, and where the stream was cut.

A call occurs four times: when its item begins, when its arguments are done, when its item is done,
and in the whole response at the end. That also repeats tools and choice of the request.
"""

from __future__ import annotations

from typing import Final

from toolcanon.errors import CutStream, NotAConversation
from toolcanon.formats.openai_responses.parts import ID
from toolcanon.formats.openai_responses.requests import read_answer
from toolcanon.formats.wire.codec import plain_object
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
from toolcanon.ir.conversation import Answer
from toolcanon.jsonio.types import Json, JsonObject

_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_FIELDS: Final = {
    "response.function_call_arguments": "arguments",
    "response.mcp_call_arguments": "arguments",
    "response.custom_tool_call_input": "input",
    "response.code_interpreter_call_code": "code",
}
"""Fields of items that come in deltas."""
_TEXTS: Final = {
    "response.output_text": ("content", "output_text", "text"),
    "response.refusal": ("content", "refusal", "refusal"),
    "response.reasoning_text": ("content", "reasoning_text", "text"),
    "response.reasoning_summary_text": ("summary", "summary_text", "text"),
}
"""Texts in parts of items: list, kind of part, field."""
_PARTS: Final = {
    "response.content_part": "content",
    "response.reasoning_summary_part": "summary",
}
_CALL_TYPES: Final = frozenset({"function_call", "custom_tool_call"})


class _Item:
    __slots__ = ("fields", "is_done", "pieces", "rows")

    def __init__(self) -> None:
        self.fields: JsonObject = {}
        self.is_done = False
        self.pieces: dict[str, list[str]] = {}
        self.rows: dict[str, dict[int, _PartDraft]] = {}

    def whole(self, item: JsonObject, *, is_done: bool) -> None:
        """Take the whole item, at its start or at its end."""
        self.fields = dict(item)
        self.is_done = is_done

    def row(self, list_: str, index: Json) -> _PartDraft:
        """Return the part at an index of one of its lists."""
        rows = self.rows.setdefault(list_, {})
        return rows.setdefault(index if isinstance(index, int) else 0, _PartDraft())

    def body(self) -> JsonObject:
        """Return it as far as it is known."""
        if self.is_done:
            return self.fields
        out = dict(self.fields)
        for key, pieces in self.pieces.items():
            out[key] = "".join(pieces)
        for key, rows in self.rows.items():
            out[key] = [rows[index].body() for index in sorted(rows)]
        return out


class _PartDraft:
    """An open part of an item."""

    __slots__ = ("fields", "pieces")

    def __init__(self) -> None:
        self.fields: JsonObject = {}
        self.pieces: dict[str, list[str]] = {}

    def body(self) -> JsonObject:
        out = dict(self.fields)
        for key, pieces in self.pieces.items():
            out[key] = "".join(pieces)
        if out.get("type") == "output_text":
            out.setdefault("annotations", [])
        return out


class ResponsesAccumulator:
    """Assembles events into an answer."""

    __slots__ = ("_by_id", "_end", "_error", "_items", "_response")

    def __init__(self) -> None:
        self._response: JsonObject = {}
        self._items: dict[int, _Item] = {}
        self._by_id: dict[str, int] = {}
        self._end: str | None = None
        self._error: Json = None

    def feed(self, event: Json) -> None:
        if not isinstance(event, dict) and not hasattr(event, "model_dump"):
            raise NotAConversation("", "an event must be an object")
        event = plain_object(event)
        kind = event.get("type")
        if not isinstance(kind, str):
            if "error" in event:
                self._fail(event["error"])
            return
        if isinstance(event.get("response"), dict):
            self._response = event["response"]
            if kind in _ENDS:
                self._end = kind
        elif kind == "error":
            self._fail(event.get("error") or {k: v for k, v in event.items() if k != "type"})
        elif kind in ("response.output_item.added", "response.output_item.done"):
            self._take_item(event, is_done=kind.endswith(".done"))
        else:
            self._take_piece(event, *kind.rpartition(".")[::2])

    def _fail(self, error: Json) -> None:
        self._error = error
        self._end = self._end or "error"

    def _item(self, event: JsonObject, id_: Json) -> _Item:
        """Return the item of an event: by its index, or by its id where there is no index."""
        index = event.get("output_index")
        id_ = id_ if isinstance(id_, str) else None
        if not isinstance(index, int):
            index = self._by_id.get(id_, len(self._items)) if id_ else max(self._items, default=0)
        if id_:
            self._by_id.setdefault(id_, index)
        return self._items.setdefault(index, _Item())

    def _take_item(self, event: JsonObject, *, is_done: bool) -> None:
        item = event.get("item")
        if isinstance(item, dict):
            self._item(event, item.get("id")).whole(item, is_done=is_done)

    def _take_piece(self, event: JsonObject, name: str, step: str) -> None:
        """Take a delta, or the whole text at its end."""
        if name in _FIELDS:
            item = self._item(event, event.get("item_id"))
            _say(item.pieces, _FIELDS[name], event, step)
            if isinstance(event.get("name"), str):
                item.fields["name"] = event["name"]
        elif name in _TEXTS:
            list_, kind, field = _TEXTS[name]
            row = self._row(event, list_)
            row.fields.setdefault("type", kind)
            _say(row.pieces, field, event, step)
        elif name in _PARTS and isinstance(event.get("part"), dict):
            row = self._row(event, _PARTS[name])
            row.fields = dict(event["part"])
        elif name == "response.output_text.annotation":
            row = self._row(event, "content")
            known = row.fields.get("annotations")
            row.fields["annotations"] = [*(known or ()), event.get("annotation")]

    def _row(self, event: JsonObject, list_: str) -> _PartDraft:
        index = event.get("summary_index" if list_ == "summary" else "content_index")
        return self._item(event, event.get("item_id")).row(list_, index)

    def _body(self) -> JsonObject:
        output = self._response.get("output")
        body = dict(self._response)
        if self._end not in _ENDS or not output:
            body["output"] = [self._items[index].body() for index in sorted(self._items)]
        if self._error is not None and body.get("error") is None:
            body.update(error=self._error, status="failed")
        return body

    def finish(self) -> Answer:
        """Return the answer; a reported error is one, except within a call. Raises CutStream."""
        answer = read_answer(self._body())
        if self._end is None:
            raise CutStream(ID, "the event at the end is missing", answer)
        if self._end == "error" and any(map(_is_open, self._items.values())):
            raise CutStream(ID, "it failed in the middle of a call", answer)
        return answer


def _is_open(item: _Item) -> bool:
    return not item.is_done and item.fields.get("type") in _CALL_TYPES


def _say(pieces: dict[str, list[str]], field: str, event: JsonObject, step: str) -> None:
    """Add a delta, or replace all of it."""
    if step == "delta" and isinstance(event.get("delta"), str):
        pieces.setdefault(field, []).append(event["delta"])
    elif step == "done" and isinstance(event.get(field), str):
        pieces[field] = [event[field]]


def accumulate() -> ResponsesAccumulator:
    return ResponsesAccumulator()


_ARGUMENT_KEYS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
"""Kinds of calls, and the key of their arguments."""
_PIECES: Final = {"response.function_call_arguments", "response.custom_tool_call_input"}
_WORDS: Final = {"response.output_text": "text", "response.refusal": "refusal"}


class ResponsesEventReader:
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
                return [TextPiece(text, is_refusal=name == "response.refusal")]
        return []

    def _take_response(self, response: JsonObject, *, is_over: bool) -> list[Step]:
        found: list[Step] = []
        if not self._is_open:
            self._is_open = True
            found.append(AnswerStarted(text_of(response.get("id")), text_of(response.get("model"))))
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
        if kind not in _ARGUMENT_KEYS:
            return []
        found: list[Step] = []
        if index not in self._begun:
            self._begun[index] = False
            name, namespace = item.get("name"), text_of(item.get("namespace"))
            named = name if isinstance(name, str) else ""
            is_text = kind == "custom_tool_call"
            found.append(Begun(index, text_of(item.get("call_id")), named, is_text, namespace))
        if is_done:
            text = text_of(item.get(_ARGUMENT_KEYS[kind]))
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
                found.append(TextPiece(text, is_refusal))
        return found


class ResponsesEventWriter:
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
            case AnswerStarted(id_, model):
                self._response = {
                    "id": id_ or "",
                    "object": "response",
                    "created_at": 0,
                    "model": model or "",
                    "status": "in_progress",
                    "output": [],
                }
                return [self._event("created", response=self._response)]
            case TextPiece(text, is_refusal):
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
        item = {**self._call, _ARGUMENT_KEYS[kind]: "", "status": "in_progress"}
        return [self._event("output_item.added", output_index=len(self._items), item=item)]

    def _end_call(self) -> list[JsonObject]:
        text, key, place = "".join(self._pieces), _ARGUMENT_KEYS[self._call["type"]], self._place()
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
    read=ResponsesEventReader,
    write=ResponsesEventWriter,
    usage="usage",
    counts=("input_tokens", "output_tokens", "total_tokens"),
    joint=None,
    free_text=True,
)


_ARGUMENTS: Final = "response.function_call_arguments"


def patch_item(item: Json, back: StreamRestorer) -> Json:
    """Return an item; the same object unless it is a call that changes."""
    if not isinstance(item, dict) or item.get("type") not in _CALL_TYPES:
        return item
    name, namespace = item.get("name"), _namespace(item)
    if not isinstance(name, str):
        return item
    changed = {**item, "name": back.name(name, namespace)}
    if item["type"] == "function_call" and isinstance(item.get("arguments"), str):
        changed["arguments"] = back.text(name, item["arguments"], namespace)
    return item if changed == item else changed


def _namespace(item: JsonObject) -> str | None:
    found = item.get("namespace")
    return found if isinstance(found, str) else None


def patch_answer(body: JsonObject, back: StreamRestorer) -> JsonObject:
    """Change every call of a response, and what it repeats of the request."""
    changed = dict(body)
    if isinstance(body.get("output"), list):
        changed["output"] = [patch_item(item, back) for item in body["output"]]
    if back.own_tools is not None and body.get("tools"):
        changed["tools"] = back.own_tools
    if back.own_choice is not None and isinstance(body.get("tool_choice"), dict):
        changed["tool_choice"] = back.own_choice
    return body if changed == body else changed


class ResponsesPatcher:
    __slots__ = ("_back", "_called", "_held", "_spaces")

    def __init__(self, back: StreamRestorer) -> None:
        self._back = back
        self._called: dict[Json, tuple[str, str | None]] = {}
        """Names of the calls whose arguments are held back, by item."""
        self._spaces: dict[Json, str] = {}
        """Namespaces of calls, by item: the event at the end of their arguments has none."""
        self._held: dict[Json, tuple[JsonObject, list[str]]] = {}
        """An event of each, and the deltas."""

    def patch(self, event: JsonObject) -> list[JsonObject]:
        kind = event.get("type")
        if isinstance(event.get("response"), dict):
            patched = patch_answer(event["response"], self._back)
            held = self.close() if kind in _ENDS else []
            return [
                *held,
                event if patched is event["response"] else {**event, "response": patched},
            ]
        if kind in ("response.output_item.added", "response.output_item.done"):
            return [*self._release(_item_key(event)), self._patch_item(event)]
        key = _key(event)
        if not isinstance(kind, str) or not kind.startswith(_ARGUMENTS):
            return [event]
        if key not in self._called:
            return [self._named(event, key)]
        if kind.endswith(".delta") and isinstance(event.get("delta"), str):
            self._held.setdefault(key, (event, []))[1].append(event["delta"])
            return []
        return self._finish(event, key) if kind.endswith(".done") else [event]

    def _patch_item(self, event: JsonObject) -> JsonObject:
        item = event.get("item")
        if isinstance(item, dict) and item.get("type") == "function_call":
            name, namespace = item.get("name"), _namespace(item)
            if namespace is not None:
                self._spaces[_item_key(event)] = namespace
            if isinstance(name, str) and self._back.is_held(name, namespace):
                self._called[_item_key(event)] = name, namespace
        patched = patch_item(item, self._back)
        return event if patched is item else {**event, "item": patched}

    def _named(self, event: JsonObject, key: Json) -> JsonObject:
        """Return an event of a call with the tool's own name, if it has a name."""
        said = event.get("name")
        name = self._back.name(said, self._spaces.get(key)) if isinstance(said, str) else said
        return event if name == said else {**event, "name": name}

    def _finish(self, event: JsonObject, key: Json) -> list[JsonObject]:
        name, namespace = self._called[key]
        template, pieces = self._held.pop(key, (None, []))
        said = event.get("arguments")
        text = self._back.text(name, said if isinstance(said, str) else "".join(pieces), namespace)
        done = {**self._named(event, key), "arguments": text}
        return [done] if template is None else [{**template, "delta": text}, done]

    def close(self) -> list[JsonObject]:
        return [event for key in list(self._held) for event in self._release(key)]

    def _release(self, key: Json) -> list[JsonObject]:
        """Return what was held back of a call without an end event."""
        if key not in self._held:
            return []
        event, pieces = self._held.pop(key)
        name, namespace = self._called[key]
        return [{**event, "delta": self._back.text(name, "".join(pieces), namespace)}]


def _item_key(event: JsonObject) -> Json:
    item = event.get("item")
    return _key({"item_id": item.get("id") if isinstance(item, dict) else None, **event})


def _key(event: JsonObject) -> Json:
    """Return the item of an event: its index, or its id where there is no index."""
    index, id_ = event.get("output_index"), event.get("item_id")
    if isinstance(index, int):
        return index
    return id_ if isinstance(id_, str) else None


PATCH: Final = Patch(answer=patch_answer, events=ResponsesPatcher, echoes=True)
