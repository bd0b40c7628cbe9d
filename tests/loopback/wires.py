"""How each family answers: a body, or a stream, of one turn."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

# What a provider seals and wants back unchanged; with every letter that base64 has two of.
SEALS = {
    "openai-responses": "sealed-_+/=",
    "anthropic": "c2lnbmVk+/8=",
    "gemini": "c2lnbmVk-_8=",
    "bedrock": "c2lnbmVk+/8=",
}
_PIECE = 7


class Wire(NamedTuple):
    is_streamed: Callable[[str, Any], bool]
    body: Callable[[Any, int], Any]
    stream: Callable[[Any, int], bytes]
    kind: str = "text/event-stream"


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, max(len(text), 1), _PIECE):
        yield text[start : start + _PIECE]


def _events(payloads: Iterator[Any], *, named: bool = False, end: str = "\n\n") -> bytes:
    lines = []
    for payload in payloads:
        data = payload if isinstance(payload, str) else json.dumps(payload)
        name = f"event: {payload['type']}\n" if named else ""
        lines.append(f"{name}data: {data}{end}")
    return "".join(lines).encode()


# --- chat completions


def _chat_calls(turn: Any) -> list[Any]:
    return [
        {"id": i, "type": "function", "function": {"name": name, "arguments": json.dumps(sent)}}
        for i, name, sent in turn.calls
    ]


def _chat_body(turn: Any, number: int) -> Any:
    message = {"role": "assistant", "content": turn.text or None, "refusal": None}
    if turn.calls:
        message["tool_calls"] = _chat_calls(turn)
    choice = {"index": 0, "message": message, "logprobs": None}
    choice["finish_reason"] = "tool_calls" if turn.calls else "stop"
    return {
        "id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [choice],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }  # fmt: skip


def _chat_stream(turn: Any, number: int) -> bytes:
    def chunk(delta: Any, finish: str | None = None) -> Any:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1,
                "model": "m", "choices": [choice]}  # fmt: skip

    def chunks() -> Iterator[Any]:
        yield chunk({"role": "assistant", "content": "" if turn.text else None})
        for piece in _pieces(turn.text) if turn.text else ():
            yield chunk({"content": piece})
        for index, call in enumerate(_chat_calls(turn)):
            said = call["function"].pop("arguments")
            begun = {**call, "function": {**call["function"], "arguments": ""}}
            yield chunk({"tool_calls": [{"index": index, **begun}]})
            for piece in _pieces(said):
                yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        yield chunk({}, "tool_calls" if turn.calls else "stop")
        yield "[DONE]"

    return _events(chunks())


# --- responses


def _items(turn: Any, number: int) -> list[Any]:
    items: list[Any] = []
    if turn.calls:
        items.append({"type": "reasoning", "id": f"rs_{number}", "summary": [],
                      "encrypted_content": SEALS["openai-responses"]})  # fmt: skip
    if turn.text:
        part = {"type": "output_text", "text": turn.text, "annotations": []}
        items.append({"type": "message", "id": f"msg_{number}", "role": "assistant",
                      "status": "completed", "content": [part]})  # fmt: skip
    for index, (call_id, name, sent) in enumerate(turn.calls):
        items.append({"type": "function_call", "id": f"fc_{number}_{index}", "call_id": call_id,
                      "name": name, "arguments": json.dumps(sent),
                      "status": "completed"})  # fmt: skip
    return items


def _response_body(turn: Any, number: int, status: str = "completed") -> Any:
    done = status == "completed"
    return {
        "id": f"resp_{number}", "object": "response", "created_at": 1, "model": "m",
        "status": status, "output": _items(turn, number) if done else [], "tools": [],
        "parallel_tool_calls": True, "tool_choice": "auto", "error": None, "metadata": {},
        "incomplete_details": None, "instructions": None, "temperature": 1.0, "top_p": 1.0,
    }  # fmt: skip


def _response_stream(turn: Any, number: int) -> bytes:
    def events() -> Iterator[Any]:
        yield {"type": "response.created", "response": _response_body(turn, number, "in_progress")}
        for index, item in enumerate(_items(turn, number)):
            where = {"output_index": index, "item_id": item["id"]}
            begun = {**item, "status": "in_progress"}
            if item["type"] == "function_call":
                begun["arguments"] = ""
            elif item["type"] == "message":
                begun["content"] = []
            else:
                begun.pop("status")
            yield {"type": "response.output_item.added", "output_index": index, "item": begun}
            if item["type"] == "function_call":
                for piece in _pieces(item["arguments"]):
                    yield {"type": "response.function_call_arguments.delta", **where,
                           "delta": piece}  # fmt: skip
                yield {"type": "response.function_call_arguments.done", **where,
                       "arguments": item["arguments"], "name": item["name"]}  # fmt: skip
            elif item["type"] == "message":
                part = item["content"][0]
                spot = {**where, "content_index": 0}
                yield {"type": "response.content_part.added", **spot, "part": {**part, "text": ""}}
                for piece in _pieces(part["text"]):
                    yield {"type": "response.output_text.delta", **spot, "delta": piece,
                           "logprobs": []}  # fmt: skip
                yield {"type": "response.output_text.done", **spot, "text": part["text"],
                       "logprobs": []}  # fmt: skip
                yield {"type": "response.content_part.done", **spot, "part": part}
            yield {"type": "response.output_item.done", "output_index": index, "item": item}
        yield {"type": "response.completed", "response": _response_body(turn, number)}

    numbered = ({**event, "sequence_number": at} for at, event in enumerate(events()))
    return _events(numbered, named=True)


# --- messages


def _blocks(turn: Any) -> list[Any]:
    blocks: list[Any] = []
    if turn.calls:
        blocks.append({"type": "thinking", "thinking": "Well.", "signature": SEALS["anthropic"]})
    if turn.text:
        blocks.append({"type": "text", "text": turn.text})
    return blocks + [
        {"type": "tool_use", "id": i, "name": name, "input": sent} for i, name, sent in turn.calls
    ]


def _message_body(turn: Any, number: int) -> Any:
    return {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m",
        "content": _blocks(turn), "stop_reason": "tool_use" if turn.calls else "end_turn",
        "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip


def _message_stream(turn: Any, number: int) -> bytes:
    def events() -> Iterator[Any]:
        whole = _message_body(turn, number)
        yield {"type": "message_start",
               "message": {**whole, "content": [], "stop_reason": None}}  # fmt: skip
        yield {"type": "ping"}
        for index, block in enumerate(whole["content"]):
            if block["type"] == "tool_use":
                empty = {**block, "input": {}}
                deltas = [{"type": "input_json_delta", "partial_json": piece}
                          for piece in ("", *_pieces(json.dumps(block["input"])))]  # fmt: skip
            elif block["type"] == "thinking":
                empty = {**block, "thinking": "", "signature": ""}
                deltas = [{"type": "thinking_delta", "thinking": block["thinking"]},
                          {"type": "signature_delta", "signature": block["signature"]}]  # fmt: skip
            else:
                empty = {**block, "text": ""}
                deltas = [{"type": "text_delta", "text": p} for p in _pieces(block["text"])]
            yield {"type": "content_block_start", "index": index, "content_block": empty}
            for delta in deltas:
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        yield {"type": "message_delta", "usage": {"output_tokens": 1},
               "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None}}  # fmt: skip
        yield {"type": "message_stop"}

    return _events(events(), named=True)


# --- contents


def _parts(turn: Any) -> list[Any]:
    parts: list[Any] = [{"text": turn.text}] if turn.text else []
    for number, (call_id, name, sent) in enumerate(turn.calls):
        part: dict[str, Any] = {"functionCall": {"id": call_id, "name": name, "args": sent}}
        if not number:  # of calls side by side, only the first is signed
            part["thoughtSignature"] = SEALS["gemini"]
        parts.append(part)
    return parts


def _content(parts: list[Any], *, done: bool) -> Any:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if done:
        candidate["finishReason"] = "STOP"
    return {"candidates": [candidate], "modelVersion": "m", "responseId": "r",
            "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 2}}  # fmt: skip


def _content_stream(turn: Any, _: int) -> bytes:
    parts = _parts(turn)
    last = len(parts) - 1
    chunks = (_content([part], done=at == last) for at, part in enumerate(parts))
    return _events(chunks, end="\r\n\r\n")


# --- converse: frames of bytes, each with two checksums


def _converse_blocks(turn: Any) -> list[Any]:
    blocks: list[Any] = []
    if turn.calls:
        sealed = {"text": "Well.", "signature": SEALS["bedrock"]}
        blocks.append({"reasoningContent": {"reasoningText": sealed}})
    if turn.text:
        blocks.append({"text": turn.text})
    return blocks + [
        {"toolUse": {"toolUseId": i, "name": name, "input": sent}} for i, name, sent in turn.calls
    ]


def _converse_body(turn: Any, _: int) -> Any:
    return {
        "output": {"message": {"role": "assistant", "content": _converse_blocks(turn)}},
        "stopReason": "tool_use" if turn.calls else "end_turn",
        "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
        "metrics": {"latencyMs": 1},
    }


def _converse_stream(turn: Any, _: int) -> bytes:
    def events() -> Iterator[tuple[str, Any]]:
        yield "messageStart", {"role": "assistant"}
        for index, block in enumerate(_converse_blocks(turn)):
            at = {"contentBlockIndex": index}
            if "toolUse" in block:
                use = dict(block["toolUse"])
                said = json.dumps(use.pop("input"))
                yield "contentBlockStart", {**at, "start": {"toolUse": use}}
                deltas = [{"toolUse": {"input": piece}} for piece in _pieces(said)]
            elif "text" in block:
                deltas = [{"text": piece} for piece in _pieces(block["text"])]
            else:
                sealed = block["reasoningContent"]["reasoningText"]
                deltas = [{"reasoningContent": {word: sealed[word]}} for word in sealed]
            for delta in deltas:
                yield "contentBlockDelta", {**at, "delta": delta}
            yield "contentBlockStop", at
        yield "messageStop", {"stopReason": "tool_use" if turn.calls else "end_turn"}
        yield "metadata", {"usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
                           "metrics": {"latencyMs": 1}}  # fmt: skip

    return b"".join(_frame(name, payload) for name, payload in events())


def _frame(name: str, payload: Any) -> bytes:
    pairs = {":message-type": "event", ":event-type": name, ":content-type": "application/json"}
    headers = b"".join(
        struct.pack("!B", len(key)) + key.encode() + struct.pack("!BH", 7, len(value))
        + value.encode()
        for key, value in pairs.items()
    )  # fmt: skip
    data = json.dumps(payload).encode()
    prelude = struct.pack("!II", 16 + len(headers) + len(data), len(headers))
    begun = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + data
    return begun + struct.pack("!I", zlib.crc32(begun))


def _asked(_: str, body: Any) -> bool:
    return bool(body.get("stream"))


WIRES = {
    "openai": Wire(_asked, _chat_body, _chat_stream),
    "openai-responses": Wire(_asked, _response_body, _response_stream),
    "anthropic": Wire(_asked, _message_body, _message_stream),
    "gemini": Wire(
        lambda path, _: ":streamGenerateContent" in path,
        lambda turn, _: _content(_parts(turn), done=True),
        _content_stream,
    ),
    "bedrock": Wire(
        lambda path, _: path.endswith("/converse-stream"),
        _converse_body,
        _converse_stream,
        "application/vnd.amazon.eventstream",
    ),
}
FAMILIES = tuple(WIRES)
