"""Change calls in responses and events: a call is a block, with an end of its own."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.wire.streams import Patch, StreamRestorer
from toolcanon.jsonio.types import Json, JsonObject

_ENDS: Final = frozenset({"message_delta", "message_stop"})


def patch_block(block: Json, back: StreamRestorer) -> Json:
    """Return a block; the same object unless it is a call that changes."""
    if not isinstance(block, dict) or block.get("type") != "tool_use":
        return block
    name = block.get("name")
    if not isinstance(name, str):
        return block
    changed = {**block, "name": back.name(name)}
    if block.get("input"):  # in an event a placeholder, in a call without arguments empty
        changed["input"] = back.value(name, block["input"])
    return block if changed == block else changed


def patch_answer(body: JsonObject, back: StreamRestorer) -> JsonObject:
    content = body.get("content")
    if not isinstance(content, list):
        return body
    patched = [patch_block(block, back) for block in content]
    same = all(new is old for new, old in zip(patched, content, strict=True))
    return body if same else {**body, "content": patched}


class AnthropicPatcher:
    __slots__ = ("_back", "_held")

    def __init__(self, back: StreamRestorer) -> None:
        self._back = back
        self._held: dict[int, tuple[str, list[str]]] = {}
        """Names and deltas of open calls, by block."""

    def patch(self, event: JsonObject) -> list[JsonObject]:
        kind, index = event.get("type"), event.get("index")
        if kind == "content_block_start":
            return [self._begin(event, index)]
        if kind in _ENDS:
            return [*self.close(), event]
        held = self._held.get(index) if isinstance(index, int) else None
        if held is None or not isinstance(index, int):
            return [event]
        name, pieces = held
        if kind == "content_block_stop":
            del self._held[index]
            text = "".join(pieces)
            return [_delta(index, self._back.text(name, text)), event] if text else [event]
        delta = event.get("delta")
        if isinstance(delta, dict) and isinstance(delta.get("partial_json"), str):
            pieces.append(delta["partial_json"])
            return []
        return [event]

    def _begin(self, event: JsonObject, index: Json) -> JsonObject:
        block: Json = event.get("content_block")
        is_call = isinstance(block, dict) and block.get("type") == "tool_use"
        name = block.get("name") if is_call else None
        if isinstance(name, str) and isinstance(index, int) and self._back.is_held(name):
            self._held[index] = name, []
        patched = patch_block(block, self._back)
        return event if patched is block else {**event, "content_block": patched}

    def close(self) -> list[JsonObject]:
        held, self._held = self._held, {}
        return [
            _delta(index, self._back.text(name, "".join(pieces)))
            for index, (name, pieces) in held.items()
            if any(pieces)
        ]


def _delta(index: int, text: str) -> JsonObject:
    delta = {"type": "input_json_delta", "partial_json": text}
    return {"type": "content_block_delta", "index": index, "delta": delta}


PATCH: Final = Patch(answer=patch_answer, events=AnthropicPatcher)
