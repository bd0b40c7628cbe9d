"""Assemble events into a response, which is then read like any other.

The last event has the whole response, and then that is the answer. The assembled deltas are needed
where it is empty, as from some gateways, and where the stream was cut.
"""

from __future__ import annotations

from typing import Final

from toolcanon.errors import CutStream, NotAConversation
from toolcanon.formats.openai_responses.answers import read_answer
from toolcanon.formats.openai_responses.parts import ID
from toolcanon.formats.wire.codec import plain_object
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
_CALLS: Final = frozenset({"function_call", "custom_tool_call"})


class _Item:
    __slots__ = ("fields", "is_done", "pieces", "rows")

    def __init__(self) -> None:
        self.fields: JsonObject = {}
        self.is_done = False
        self.pieces: dict[str, list[str]] = {}
        self.rows: dict[str, dict[int, _Row]] = {}

    def whole(self, item: JsonObject, *, is_done: bool) -> None:
        """Take the whole item, at its start or at its end."""
        self.fields = dict(item)
        self.is_done = is_done

    def row(self, list_: str, index: Json) -> _Row:
        """Return the part at an index of one of its lists."""
        rows = self.rows.setdefault(list_, {})
        return rows.setdefault(index if isinstance(index, int) else 0, _Row())

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


class _Row:
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


class Events:
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

    def _row(self, event: JsonObject, list_: str) -> _Row:
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
    return not item.is_done and item.fields.get("type") in _CALLS


def _say(pieces: dict[str, list[str]], field: str, event: JsonObject, step: str) -> None:
    """Add a delta, or replace all of it."""
    if step == "delta" and isinstance(event.get("delta"), str):
        pieces.setdefault(field, []).append(event["delta"])
    elif step == "done" and isinstance(event.get(field), str):
        pieces[field] = [event[field]]


def accumulate() -> Events:
    return Events()
