"""Change calls in responses and events.

A call occurs four times: when its item begins, when its arguments are done, when its item is done,
and in the whole response at the end. That also repeats tools and choice of the request.
"""

from __future__ import annotations

from typing import Final

from toolcanon.formats.wire.streams import Patch, StreamRestorer
from toolcanon.jsonio.types import Json, JsonObject

_CALLS: Final = frozenset({"function_call", "custom_tool_call"})
_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_ARGUMENTS: Final = "response.function_call_arguments"


def patch_item(item: Json, back: StreamRestorer) -> Json:
    """Return an item; the same object unless it is a call that changes."""
    if not isinstance(item, dict) or item.get("type") not in _CALLS:
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
