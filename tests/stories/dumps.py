"""A story as programs keep it that dump the objects of a provider's SDK into their history."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.stories.story import Story
from tests.stories.wires import LISTS, request

# How programs dump: with nulls and without, by wire names and by Python's, as JSON or not at all.
WAYS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda model: model.model_dump(),
    "json": lambda model: model.model_dump(mode="json"),
    "without-none": lambda model: model.model_dump(exclude_none=True),
    "without-unset": lambda model: model.model_dump(exclude_unset=True),
    "by-alias": lambda model: model.model_dump(by_alias=True),
    "json-by-alias-without-none": lambda model: model.model_dump(
        mode="json", by_alias=True, exclude_none=True
    ),
    "text": lambda model: json.loads(model.model_dump_json()),
    "object": lambda model: model,
}
# Whose objects: those of a plain answer, and those of one that the SDK parsed.
KINDS = {
    "openai": ("answer", "parsed"),
    "openai-responses": ("answer", "parsed"),
    "anthropic": ("answer", "parsed", "whole", "beta"),
    "gemini": ("answer",),
}


def dumped_request(family: str, story: Story, kind: str, way: str) -> Any:
    """The request of a story, with the model's turns as the SDK dumps them."""
    given = request(family, story)
    items = given if isinstance(given, list) else given[LISTS[family]]
    dump = WAYS[way]
    made: list[Any] = []
    for number, item in enumerate(items):
        made += _DUMPERS[family](item, kind, dump, number)
    if isinstance(given, list):
        return made
    return {**given, LISTS[family]: made}


def _words(content: Any) -> Any:
    """Of an answer's message: always one text."""
    if isinstance(content, list):
        return "\n".join(part["text"] for part in content)
    return content


def _chat(item: Any, kind: str, dump: Callable[[Any], Any], _: int) -> list[Any]:
    from openai.types.chat import ChatCompletionMessage, ParsedChatCompletionMessage

    if item["role"] != "assistant":
        return [item]
    said = {**item, "content": _words(item.get("content"))}
    free = any(call["type"] == "custom" for call in item.get("tool_calls", ()))
    plain = kind == "answer" or free  # free text is nothing to parse
    model = ChatCompletionMessage if plain else ParsedChatCompletionMessage[Any]
    return [dump(model.model_validate(said))]


def _responses(item: Any, kind: str, dump: Callable[[Any], Any], number: int) -> list[Any]:
    from openai.types import responses

    parsed = kind == "parsed"
    match item.get("type"), item.get("role"):
        case "function_call", _:
            model: Any = responses.ResponseFunctionToolCall
            if parsed:
                model = responses.ParsedResponseFunctionToolCall
            thought = responses.ResponseReasoningItem(
                id=f"rs_{number}", type="reasoning", summary=[]
            )
            found = model.model_validate({**item, "id": f"fc_{number}", "status": "completed"})
            return [dump(thought), dump(found)] if number % 2 else [dump(found)]
        case "custom_tool_call", _:
            free = responses.ResponseCustomToolCall
            return [dump(free.model_validate({**item, "id": f"ctc_{number}"}))]
        case "custom_tool_call_output", _:
            given = responses.ResponseCustomToolCallOutput
            nameless = {key: value for key, value in item.items() if key != "name"}
            return [dump(given.model_validate({**nameless, "id": f"cto_{number}"}))]
        case "function_call_output", _:
            output = responses.ResponseFunctionToolCallOutputItem
            more = {"id": f"fco_{number}", "status": "completed"}
            return [dump(output.model_validate({**item, **more}))]
        case _, "assistant":
            text = {"type": "output_text", "text": _words(item["content"]), "annotations": []}
            model = responses.ResponseOutputMessage
            if parsed:
                model = responses.ParsedResponseOutputMessage[Any]
            said = {"id": f"msg_{number}", "type": "message", "role": "assistant",
                    "status": "completed", "content": [text]}  # fmt: skip
            return [dump(model.model_validate(said))]
    return [item]


def _claude(item: Any, kind: str, dump: Callable[[Any], Any], number: int) -> list[Any]:
    import anthropic.types
    import anthropic.types.beta
    from pydantic import TypeAdapter

    if item["role"] != "assistant":
        return [item]
    content = item["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if kind == "whole":
        whole = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m",
                 "content": blocks, "stop_reason": "tool_use", "stop_sequence": None,
                 "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip
        return [dump(anthropic.types.Message.model_validate(whole))]
    block: Any = anthropic.types.ContentBlock
    if kind == "parsed":
        block = anthropic.types.ParsedContentBlock
    elif kind == "beta":
        block = anthropic.types.beta.BetaContentBlock
    adapter = TypeAdapter(block)
    return [{"role": "assistant", "content": [dump(adapter.validate_python(b)) for b in blocks]}]


def _gemini(item: Any, _: str, dump: Callable[[Any], Any], __: int) -> list[Any]:
    from google.genai import types

    return [dump(types.Content.model_validate(item))]


_DUMPERS: dict[str, Callable[[Any, str, Callable[[Any], Any], int], list[Any]]] = {
    "openai": _chat,
    "openai-responses": _responses,
    "anthropic": _claude,
    "gemini": _gemini,
}
