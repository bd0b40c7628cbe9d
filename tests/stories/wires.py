"""A story as each provider's client sends it, and in shapes that it should not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.stories.story import ABSENT, Answering, Ask, Asking, Content, Item, Reply, Say, Story

FAMILIES = ("openai", "openai-responses", "anthropic", "gemini", "bedrock")
NAMED = {
    "openai": "never",
    "openai-responses": "maybe",
    "anthropic": "never",
    "gemini": "always",
    "bedrock": "never",
}  # whether results say a name
LISTS = {"openai": "messages", "openai-responses": "input", "anthropic": "messages",
         "gemini": "contents", "bedrock": "messages"}  # fmt: skip
NUMBERS = 880000
Block = Callable[[Any], dict[str, Any]]


def number_of(mark: str) -> int:
    """A mark that is a number."""
    return NUMBERS + int(mark[2:-1])


def without_absent(**members: Any) -> dict[str, Any]:
    return {key: value for key, value in members.items() if value is not ABSENT}


def shaped(content: Content, block: Block) -> Any:
    """The value of a content, with the blocks of its wire."""
    one, two, *_ = (*content.marks, "", "")
    values: dict[str, Callable[[], Any]] = {
        "text": lambda: [block(one)] if block in (_bare_text, _part_text) else one,
        "string": lambda: one,
        "blocks": lambda: [block(one)],
        "two": lambda: [block(one), block(two)],
        "block": lambda: block(one),
        "object": lambda: {"sum": one},
        "number": lambda: number_of(one),
        "list": lambda: [one, 3],
        "nested": lambda: [[one]],
        "objects": lambda: [{"a": one}],
        "strings": lambda: [one, two],
        "mixed": lambda: [block(one), two, None, 7],
        "image": lambda: [block(one), image(block, two)],
        "strange": lambda: [{"type": "strange", "x": one}],
        "strange-block": lambda: {"type": "strange", "x": one},
        "text-object": lambda: [block({"deep": one})],
        "text-number": lambda: [block(number_of(one))],
        "textless": lambda: [{key: v for key, v in block("").items() if key != "text"}],
        "text-null": lambda: [block(None)],
        "null": lambda: None,
        "absent": lambda: ABSENT,
        "empty": lambda: "",
        "none": list,
        "true": lambda: True,
        "false": lambda: False,
        "zero": lambda: 0,
        "float": lambda: 1.5,
        "empty-object": dict,
    }
    return values[content.shape]()


def image(block: Block, mark: str) -> dict[str, Any]:
    """A picture whose address carries a mark, in a list with such blocks."""
    url = f"https://e.org/{mark}.png"
    if block is _text:
        return {"type": "image_url", "image_url": {"url": url}}
    if block is _claude_text:
        return {"type": "image", "source": {"type": "url", "url": url}}
    if block in (_input_text, _output_text):
        return {"type": "input_image", "image_url": url, "detail": "auto"}
    if block is _part_text:
        return {"fileData": {"fileUri": url, "mimeType": "image/png"}}
    stored = {"s3Location": {"uri": f"s3://bucket/{mark}.png"}}
    return {"image": {"format": "png", "source": stored}}


def arguments(ask: Ask, *, as_text: bool) -> Any:
    said: dict[str, Any] = {"who": ask.mark, "n": 1}
    if ask.tool is not None:
        said["tool"] = f"zn{ask.tool}z"
    if ask.shape == "extra":
        said["extra"] = {"$x": [None, 1.5]}
    elif ask.shape == "rich":
        said |= RICH
    text = json.dumps(said)
    values = {
        "usual": text if as_text else said,
        "other": said if as_text else text,
        "extra": text if as_text else said,
        "rich": text if as_text else said,
        "cut": text[:-1],
        "listed": json.dumps([ask.mark]) if as_text else [ask.mark],
        "twice": json.dumps(text),
        "null": None,
        "absent": ABSENT,
        "blank": "",
        "number": 7,
        "true": True,
    }
    return values[ask.shape]


def free_text(ask: Ask) -> Any:
    """The input of a call that takes free text."""
    values = {
        "other": {"who": ask.mark},
        "listed": [ask.mark],
        "null": None,
        "absent": ABSENT,
        "blank": "",
        "number": 7,
        "true": True,
    }
    return values.get(ask.shape, f"run {ask.mark}")


SCHEMA = {
    "type": "object",
    "properties": {
        "who": {"type": "string"},
        "n": {"type": "integer"},
        "tool": {"type": "string"},
        "$later": {"type": ["string", "null"]},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
        "pick": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "number"}}]},
        "kind": {"enum": ["a", 1, None]},
        "pairs": {
            "type": "array",
            "items": {"type": "object", "properties": {"a b": {"type": "boolean"}}},
        },
    },
    "required": ["who"],
}
RICH = {
    "$later": None,
    "counts": {"x y": 1},
    "pick": [1.5],
    "kind": 1,
    "pairs": [{"a b": True}, {}],
}


def request(family: str, story: Story) -> Any:
    """The body of a request, or only its list where the story is bare."""
    items, system = _WRITERS[family](story)
    if story.bare:
        return items
    body: dict[str, Any] = {LISTS[family]: items}
    match family:
        case "openai":
            tools: Any = [{"type": "function", "function": tool} for tool in _tools(story)]
            choice: Any = {"type": "function", "function": {"name": _chosen(story)}}
        case "openai-responses":
            tools = [{"type": "function", "strict": False, **tool} for tool in _tools(story)]
            choice = {"type": "function", "name": _chosen(story)}
        case "anthropic":
            tools = _tools(story, "input_schema")
            choice = {"type": "tool", "name": _chosen(story)}
            body |= without_absent(system=system)
        case "gemini":
            tools = [{"functionDeclarations": _tools(story, "parametersJsonSchema")}]
            allowed = {"mode": "ANY", "allowedFunctionNames": [_chosen(story)]}
            choice = {"functionCallingConfig": allowed}
            body |= without_absent(systemInstruction=system)
        case _:
            tools = [
                {"toolSpec": {**tool, "inputSchema": {"json": tool["inputSchema"]}}}
                for tool in _tools(story, "inputSchema")
            ]
            choice = {"tool": {"name": _chosen(story)}}
            body |= without_absent(system=system)
    if story.tools and family == "bedrock":
        chosen = {} if story.choice is None else {"toolChoice": choice}
        body["toolConfig"] = {"tools": tools, **chosen}
    elif story.tools:
        body["tools"] = tools
        if story.choice is not None:
            body["toolConfig" if family == "gemini" else "tool_choice"] = choice
    return body


def _tools(story: Story, key: str = "parameters") -> list[dict[str, Any]]:
    return [
        {"name": name, "description": f"It is zd{number}z.", key: SCHEMA}
        for number, name in enumerate(story.tools)
    ]


def _chosen(story: Story) -> Any:
    return None if story.choice is None else story.tools[story.choice]


def stray(item: Item, key: str, block: Block) -> Any:
    """An item of a list of messages that is none, or hardly one."""
    one, two, *_ = (*item.marks, "", "")
    values: dict[str, Callable[[], Any]] = {
        "null": lambda: None,
        "string": lambda: one,
        "number": lambda: number_of(one),
        "listed": lambda: [{"role": "user", key: [block(one)]}],
        "keys": lambda: {"note": one},
        "role": lambda: {"role": "narrator", key: [block(one)]},
        "role-number": lambda: {"role": 7, key: [block(one)]},
        "no-role": lambda: {key: [block(one)]},
        "other-key": lambda: {"role": "user", "said": one},
        "both": lambda: {"role": "user", "content": [block(one)], "parts": [{"text": two}]},
        "empty": dict,
    }
    return values[item.kind]()


# --- Chat Completions


def _chat(story: Story) -> tuple[list[Any], Any]:
    out: list[Any] = []
    for event in story.events:
        match event:
            case Say():
                content = shaped(event.content, _text)
                out.append(without_absent(role=event.role, content=content))
            case Item():
                out.append(stray(event, "content", _text))
            case Asking():
                out += _chat_asking(event)
            case Answering():
                out += [_chat_reply(reply, number) for number, reply in enumerate(event.replies)]
    return out, ABSENT


def _text(value: Any) -> dict[str, Any]:
    return {"type": "text", "text": value}


def _chat_call(ask: Ask) -> dict[str, Any]:
    if ask.free:
        said = without_absent(name=ask.name, input=free_text(ask))
        return without_absent(id=ask.id, type="custom", custom=said)
    said = without_absent(name=ask.name, arguments=arguments(ask, as_text=True))
    return without_absent(id=ask.id, type="function", function=said)


def _chat_asking(event: Asking) -> list[Any]:
    calls = [_chat_call(ask) for ask in event.asks]
    said = without_absent(role="assistant", content=shaped(event.said, _text))
    if event.alone:
        return [{**said, "tool_calls": calls[0]}]
    if not event.apart or not calls:
        return [{**said, "tool_calls": calls} if calls else said]
    first, *others = calls
    rest = [{"role": "assistant", "content": None, "tool_calls": [call]} for call in others]
    return [{**said, "tool_calls": [first]}, *rest]


def _chat_reply(reply: Reply, number: int) -> dict[str, Any]:
    named = {"tool_name" if number % 2 else "name": reply.name}
    content = shaped(reply.content, _text)
    return without_absent(role="tool", tool_call_id=reply.id, content=content, **named)


# --- Responses


def _responses(story: Story) -> tuple[list[Any], Any]:
    out: list[Any] = []
    free = {ask.mark for ask in story.asks() if ask.free}
    for event in story.events:
        match event:
            case Say():
                out.append(_item_said(event.role, event.content))
            case Item():
                out.append(stray(event, "content", _input_text))
            case Asking():
                if event.said.shape not in {"null", "absent"}:
                    out.append(_item_said("assistant", event.said))
                out += [_item_call(ask) for ask in event.asks]
            case Answering():
                out += [_item_reply(reply, free) for reply in event.replies]
    return out, ABSENT


def _item_call(ask: Ask) -> dict[str, Any]:
    said = without_absent(call_id=ask.id, name=ask.name)
    if ask.free:
        return {"type": "custom_tool_call", **said, **without_absent(input=free_text(ask))}
    given = without_absent(arguments=arguments(ask, as_text=True))
    return {"type": "function_call", **said, **given}


def _item_reply(reply: Reply, free: set[str]) -> dict[str, Any]:
    kind = "custom_tool_call_output" if reply.mark in free else "function_call_output"
    output = shaped(reply.content, _input_text)
    return without_absent(type=kind, call_id=reply.id, name=reply.name, output=output)


def _item_said(role: str, content: Content) -> dict[str, Any]:
    block = _output_text if role == "assistant" else _input_text
    return without_absent(role=role, content=shaped(content, block))


def _input_text(value: Any) -> dict[str, Any]:
    return {"type": "input_text", "text": value}


def _output_text(value: Any) -> dict[str, Any]:
    return {"type": "output_text", "text": value, "annotations": []}


# --- Messages and Converse: turns of blocks


class Wire(NamedTuple):
    """How a provider with turns of blocks calls things."""

    key: str
    assistant: str
    block: Block
    call: Callable[[Ask], dict[str, Any]]
    reply: Callable[[Reply], dict[str, Any]]


def _turns(story: Story, wire: Wire) -> tuple[list[Any], Any]:
    out: list[Any] = []
    system: Any = ABSENT
    for event in story.events:
        match event:
            case Say(role="system") if not story.bare:
                system = event.content
            case Say():
                role = wire.assistant if event.role == "assistant" else "user"
                said = {wire.key: shaped(event.content, wire.block)}
                out.append(without_absent(role=role, **said))
            case Item():
                out.append(stray(event, wire.key, wire.block))
            case Asking():
                said = shaped(event.said, wire.block)
                blocks = said if isinstance(said, list) else [wire.block(said)] if said else []
                if said is ABSENT or said is None:
                    blocks = []
                calls = [wire.call(ask) for ask in event.asks]
                many = [[*blocks, *calls[:1]], *([each] for each in calls[1:])]
                held: list[Any] = many if event.apart else [[*blocks, *calls]]
                held = [calls[0]] if event.alone and not blocks else held
                out += [{"role": wire.assistant, wire.key: each} for each in held]
            case Answering():
                replies = [wire.reply(each) for each in event.replies]
                held = [[each] for each in replies] if event.apart else [replies]
                out += [{"role": "user", wire.key: each} for each in held]
    return out, system


def _claude(story: Story) -> tuple[list[Any], Any]:
    wire = Wire("content", "assistant", _claude_text, _claude_call, _claude_reply)
    items, system = _turns(story, wire)
    return items, ABSENT if system is ABSENT else shaped(system, _claude_text)


def _claude_call(ask: Ask) -> dict[str, Any]:
    given = arguments(ask, as_text=False)
    return without_absent(type="tool_use", id=ask.id, name=ask.name, input=given)


def _claude_reply(reply: Reply) -> dict[str, Any]:
    content = shaped(reply.content, _claude_text)
    return without_absent(
        type="tool_result", tool_use_id=reply.id, content=content, is_error=reply.is_error
    )


def _converse(story: Story) -> tuple[list[Any], Any]:
    wire = Wire("content", "assistant", _bare_text, _converse_call, _converse_reply)
    items, system = _turns(story, wire)
    return items, ABSENT if system is ABSENT else shaped(system, _bare_text)


def _bare_text(value: Any) -> dict[str, Any]:
    return {"text": value}


def _part_text(value: Any) -> dict[str, Any]:
    return {"text": value}


def _claude_text(value: Any) -> dict[str, Any]:
    return _text(value)


def _converse_call(ask: Ask) -> dict[str, Any]:
    given = arguments(ask, as_text=False)
    return {"toolUse": without_absent(toolUseId=ask.id, name=ask.name, input=given)}


def _converse_reply(reply: Reply) -> dict[str, Any]:
    content = shaped(reply.content, _bare_text)
    words = {True: "error", False: "success"}
    status = reply.is_error if reply.is_error in {ABSENT, None} else words[reply.is_error]
    return {"toolResult": without_absent(toolUseId=reply.id, content=content, status=status)}


# --- generateContent


def _gemini(story: Story) -> tuple[list[Any], Any]:
    items, system = _turns(story, Wire("parts", "model", _part_text, _gemini_call, _gemini_reply))
    if system is ABSENT:
        return items, ABSENT
    return items, without_absent(parts=shaped(system, _part_text))


def _gemini_call(ask: Ask) -> dict[str, Any]:
    given = arguments(ask, as_text=False)
    return {"functionCall": without_absent(id=ask.id, name=ask.name, args=given)}


def _gemini_reply(reply: Reply) -> dict[str, Any]:
    response = shaped(reply.content, _part_text)
    if reply.content.shape in {"text", "blocks"}:
        key = "error" if reply.is_error is True else "output"
        response = {key: reply.content.marks[0]} if reply.content.marks else {}
    elif reply.content.shape == "two":
        response = dict(zip(("a", "b"), reply.content.marks, strict=True))
    return {"functionResponse": without_absent(id=reply.id, name=reply.name, response=response)}


_WRITERS = {
    "openai": _chat,
    "openai-responses": _responses,
    "anthropic": _claude,
    "gemini": _gemini,
    "bedrock": _converse,
}
