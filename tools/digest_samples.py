"""Inputs made by a seeded generator: schemas with arguments, and conversations.

The generator favours what providers disagree about: unions, references, maps, tuples, conditions,
nulls, odd names. Each schema comes with arguments that are valid by construction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

Made = tuple[Any, Any]  # a schema, and a value that is valid by it
_NAMES = ("city", "limit", "$filter", "user.id", "when", "tags", "名前", "type", "items", "value")
_DEEPEST = 3


def tools(count: int, seed: int = 20) -> Iterator[tuple[str, Any, list[Any]]]:
    """Yield names, definitions and arguments that the definitions accept."""
    for number in range(count):
        random = Random(f"{seed}/{number}")
        schema, arguments = _object(random, 0)
        schema["$defs"] = {"node": _recursive()}
        name = random.choice(("get_weather", "db.query", "Send Mail", "a" * 70, "读取"))
        definition = {"name": name, "description": "Made for tests.", "inputSchema": schema}
        yield f"made-{number}", definition, [arguments]


def _recursive() -> Any:
    return {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}


def _any(random: Random, depth: int) -> Made:
    makers = _LEAVES if depth >= _DEEPEST else _LEAVES + _HOLDERS
    return random.choice(makers)(random, depth)


def _string(random: Random, depth: int) -> Made:
    schema: Any = {"type": "string"}
    extra = random.randrange(5)
    if extra == 0:
        schema |= {"minLength": 1, "maxLength": 9, "description": "A short text."}
    elif extra == 1:
        schema |= {"pattern": "^t", "default": "text"}
    elif extra == 2:
        schema |= {"examples": ["text"], "title": "Text"}
    return schema, "text"


def _number(random: Random, depth: int) -> Made:
    kind = random.choice(("integer", "number"))
    return {"type": kind, **random.choice(({}, {"minimum": 0}, {"exclusiveMaximum": 9}))}, 3


def _enum(random: Random, depth: int) -> Made:
    values = random.choice((["a", "b"], [1, 2], ["a", None], [True, "x"], ["only"]))
    return random.choice(({"enum": values}, {"const": values[0]})), values[0]


def _nullable(random: Random, depth: int) -> Made:
    schema: Any = random.choice(
        ({"type": ["string", "null"]}, {"anyOf": [{"type": "string"}, {"type": "null"}]})
    )
    return schema, random.choice((None, "text"))


def _anything(random: Random, depth: int) -> Made:
    return random.choice(({}, True, {"description": "Any value."})), {"free": [1]}


def _object(random: Random, depth: int) -> Made:
    schema: Any = {"type": "object", "properties": {}}
    value = {}
    for name in random.sample(_NAMES, random.randrange(1, 4)):
        schema["properties"][name], value[name] = _any(random, depth + 1)
    if random.random() < 0.5:
        schema["required"] = list(value)[:1]
    if random.random() < 0.3:
        schema["additionalProperties"] = False
    return schema, value


def _array(random: Random, depth: int) -> Made:
    items, value = _any(random, depth + 1)
    if random.random() < 0.3:
        return {"type": "array", "prefixItems": [items], "items": False}, [value]
    return {"type": "array", "items": items, "maxItems": 4}, [value]


def _map(random: Random, depth: int) -> Made:
    held, value = _any(random, depth + 1)
    keyword = random.choice(("additionalProperties", "patternProperties"))
    below = held if keyword == "additionalProperties" else {"^k": held}
    return {"type": "object", keyword: below}, {"key": value}


def _union(random: Random, depth: int) -> Made:
    first, value = _any(random, depth + 1)
    second, _ = _any(random, depth + 1)
    if random.random() < 0.5:
        return {"anyOf": [first, second]}, value
    tagged: Any = [
        {"type": "object", "properties": {"kind": {"const": kind}, kind: below},
         "required": ["kind"]}
        for kind, below in (("a", first), ("b", second))
    ]  # fmt: skip
    return {"oneOf": tagged}, {"kind": "a", "a": value}


def _condition(random: Random, depth: int) -> Made:
    then, value = _any(random, depth + 1)
    schema = {
        "type": "object",
        "properties": {"mode": {"enum": ["on", "off"]}},
        "required": ["mode"],
        "if": {"properties": {"mode": {"const": "on"}}},
        "then": {"properties": {"extra": then}, "required": ["extra"]},
    }
    return schema, {"mode": "on", "extra": value}


def _all_of(random: Random, depth: int) -> Made:
    first, value = _object(random, depth + 1)
    return {"allOf": [first, {"description": "Both."}]}, value


def _reference(random: Random, depth: int) -> Made:
    return {"$ref": "#/$defs/node"}, {"next": {"next": {}}}


_LEAVES: list[Callable[[Random, int], Made]] = [_string, _number, _enum, _nullable, _anything]
_HOLDERS: list[Callable[[Random, int], Made]] = [
    _object, _array, _map, _union, _condition, _all_of, _reference,
]  # fmt: skip


def conversations(count: int, seed: int = 20) -> Iterator[tuple[str, Any]]:
    """Yield names and Chat Completions requests with tool calls, some of them damaged."""
    for number in range(count):
        random = Random(f"{seed}/conversation/{number}")
        yield f"chat-{number}", _request(random)


def _request(random: Random) -> Any:
    used = random.sample(("get_weather", "db.query", "read file"), 2)
    tool = {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}}
    messages: list[Any] = [{"role": "system", "content": "Be brief."}]
    for turn in range(random.randrange(1, 4)):
        messages.append({"role": "user", "content": random.choice(("Go.", [_text("Go.")], ""))})
        messages.extend(_called(random, used, turn))
        if random.random() < 0.7:
            messages.append({"role": "assistant", "content": f"Answer {turn}."})
    return {
        "model": "gpt-5.2",
        "messages": messages,
        "tools": [
            {"type": "function", "function": {"name": name, "parameters": tool}} for name in used
        ],
        **random.choice(({}, {"tool_choice": "required"}, {"temperature": 0.5})),
    }


def _text(text: str) -> Any:
    return {"type": "text", "text": text}


def _called(random: Random, used: list[str], turn: int) -> Iterator[Any]:
    ids = [f"call_{turn}_{index}" for index in range(random.randrange(1, 3))]
    arguments = ('{"q": "x"}', '{"q": "x", "n": 3}', "", '{"q": ', '{"n": null}')
    yield {
        "role": "assistant",
        "content": random.choice((None, "Looking.")),
        "tool_calls": [
            {"id": one, "type": "function",
             "function": {"name": random.choice(used), "arguments": random.choice(arguments)}}
            for one in ids
        ],
    }  # fmt: skip
    answered = ids if random.random() < 0.8 else ids[1:]
    for one in random.sample(answered, len(answered)):
        content = random.choice(("3", '{"ok": true}', "", [_text("a"), _text("b")]))
        yield {"role": "tool", "tool_call_id": one, "content": content}
