"""Histories as each family spells them, with ids and content of any JSON type."""

from __future__ import annotations

import json

FAMILIES = ("openai", "openai-responses", "anthropic", "gemini", "bedrock")
ABSENT = object()
"""A member that is left out."""
LISTS = {"openai": "messages", "openai-responses": "input", "anthropic": "messages",
         "gemini": "contents", "bedrock": "messages"}  # fmt: skip


def held(**members):
    return {key: value for key, value in members.items() if value is not ABSENT}


def asks(family, calls):
    """A model's turn; a call is its id, its name, and its arguments."""
    if family == "openai":
        made = [{**held(id=id_), "type": "function",
                 "function": {"name": name, "arguments": json.dumps(given)}}
                for id_, name, given in calls]  # fmt: skip
        return [{"role": "assistant", "content": None, "tool_calls": made}]
    if family == "openai-responses":
        return [{"type": "function_call", **held(call_id=id_), "name": name,
                 "arguments": json.dumps(given)} for id_, name, given in calls]  # fmt: skip
    if family == "anthropic":
        blocks = [{"type": "tool_use", **held(id=id_), "name": name, "input": given}
                  for id_, name, given in calls]  # fmt: skip
        return [{"role": "assistant", "content": blocks}]
    if family == "gemini":
        parts = [{"functionCall": {"name": name, "args": given, **held(id=id_)}}
                 for id_, name, given in calls]  # fmt: skip
        return [{"role": "model", "parts": parts}]
    blocks = [{"toolUse": {**held(toolUseId=id_), "name": name, "input": given}}
              for id_, name, given in calls]  # fmt: skip
    return [{"role": "assistant", "content": blocks}]


def answers(family, results):
    """What the tools returned; a result is its id, the name of its tool, and its content."""
    if family == "openai":
        return [{"role": "tool", **held(tool_call_id=id_, content=content)}
                for id_, _, content in results]  # fmt: skip
    if family == "openai-responses":
        return [{"type": "function_call_output", **held(call_id=id_, output=content)}
                for id_, _, content in results]  # fmt: skip
    if family == "anthropic":
        blocks = [{"type": "tool_result", **held(tool_use_id=id_, content=content)}
                  for id_, _, content in results]  # fmt: skip
        return [{"role": "user", "content": blocks}]
    if family == "gemini":
        parts = [{"functionResponse": held(name=name, id=id_, response=content)}
                 for id_, name, content in results]  # fmt: skip
        return [{"role": "user", "parts": parts}]
    blocks = [{"toolResult": held(toolUseId=id_, content=content)} for id_, _, content in results]
    return [{"role": "user", "content": blocks}]


def says(family, content, role="user"):
    """One message of words."""
    if family == "gemini":
        return [{"role": {"assistant": "model"}.get(role, role), **held(parts=content)}]
    return [{"role": role, **held(content=content)}]


def asked_for(family):
    """A first message that every provider accepts."""
    plain = {"gemini": [{"text": "go"}], "bedrock": [{"text": "go"}]}
    return says(family, plain.get(family, "go"))


def chat(calls=None, **tool):
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call] if calls is None else calls},
        {"role": "tool", "tool_call_id": "c1", "content": "ok", **tool},
    ]


def items(call=(), output=(), *more):
    return [
        {"role": "user", "content": "go"},
        *more,
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}", **dict(call)},
        {"type": "function_call_output", "call_id": "c1", "output": "ok", **dict(output)},
    ]


def uses(use=(), result=()):
    call = {"type": "tool_use", "id": "c1", "name": "f", "input": {}, **dict(use)}
    answer = {"type": "tool_result", "tool_use_id": "c1", "content": "ok", **dict(result)}
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [answer]},
    ]


def functions(call=(), response=()):
    called = {"name": "f", "args": {}, **dict(call)}
    said = {"name": "f", "response": {"output": "ok"}, **dict(response)}
    return [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [{"functionCall": called}]},
        {"role": "user", "parts": [{"functionResponse": said}]},
    ]


def converse(use=(), result=()):
    call = {"toolUseId": "c1", "name": "f", "input": {}, **dict(use)}
    answer = held(**{"toolUseId": "c1", "content": [{"text": "ok"}], **dict(result)})
    return [
        {"role": "user", "content": [{"text": "go"}]},
        {"role": "assistant", "content": [{"toolUse": call}]},
        {"role": "user", "content": [{"toolResult": answer}]},
    ]


def function(**members):
    return [held(**{"id": "c1", "type": "function", **members})]


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
FILE = {"type": "file", "file": {"file_data": "data:application/pdf;base64,AAAA",
                                 "filename": "a.pdf"}}  # fmt: skip

MISSHAPEN = [
    # what is wrong, the family, the history, and the member that is written otherwise
    ("arguments as an object", "openai",
     chat(function(function={"name": "f", "arguments": {"a": 1}})), "arguments"),
    ("no type", "openai",
     chat(function(type=ABSENT, function={"name": "f", "arguments": "{}"})), "type"),
    ("type null", "openai",
     chat(function(type=None, function={"name": "f", "arguments": "{}"})), "type"),
    ("one call instead of a list", "openai",
     chat(function(function={"name": "f", "arguments": "{}"})[0]), "tool_calls"),
    ("result null", "openai", chat(content=None), "content"),
    ("result missing", "openai", [*chat()[:2], {"role": "tool", "tool_call_id": "c1"}], "content"),
    ("result number", "openai", chat(content=3), "content"),
    ("result object", "openai", chat(content={"a": 1}), "content"),
    ("result of no parts", "openai", chat(content=[]), "content"),
    ("result of values", "openai", chat(content=[{"a": 1}]), "content"),
    ("result of parts and values", "openai",
     chat(content=[{"type": "text", "text": "ok"}, "too"]), "content"),
    ("id a number", "openai",
     [*chat(function(id=1, function={"name": "f", "arguments": "{}"}))[:2],
      {"role": "tool", "tool_call_id": "1", "content": "ok"}], "id"),
    ("calls null", "openai",
     [{"role": "user", "content": "go"},
      {"role": "assistant", "content": "hi", "tool_calls": None}], "tool_calls"),
    ("words null", "openai", [{"role": "user", "content": None}], "content"),
    ("words missing", "openai", [{"role": "user"}], "content"),
    ("words an object", "openai", [{"role": "user", "content": {"a": 1}}], "content"),
    ("a text that is a number", "openai",
     [{"role": "user", "content": [{"type": "text", "text": 5}]}], "text"),
    ("name null", "openai", [{"role": "user", "content": "go", "name": None}], "name"),
    ("an image in a result", "openai", chat(content=[IMAGE]), "type"),
    ("a file in a result", "openai", chat(content=[FILE]), "type"),
    ("an image of the assistant", "openai",
     [{"role": "user", "content": "go"}, {"role": "assistant", "content": [IMAGE]}], "type"),
    ("an image of the system", "openai", [{"role": "system", "content": [IMAGE]}], "type"),
    ("an image as a text", "openai",
     [{"role": "user", "content": [{"type": "image_url", "image_url": "https://a.b/c.png"}]}],
     "image_url"),
    ("words of no parts", "openai", [{"role": "user", "content": []}], "content"),
    ("words of no parts", "openai", [{"role": "system", "content": []}], "content"),
    ("words of no parts", "openai",
     [{"role": "user", "content": "go"}, {"role": "assistant", "content": []}], "content"),
    ("words of no parts", "openai",
     [chat()[0], {**chat()[1], "content": []}, chat()[2]], "content"),
    ("a name with a blank", "openai", [{"role": "user", "content": "go", "name": "a b"}], "name"),
    ("a name of nothing", "openai", [{"role": "user", "content": "go", "name": ""}], "name"),
    ("a name too long", "openai",
     [{"role": "user", "content": "go"},
      {"role": "assistant", "content": "hi", "name": "n" * 65}], "name"),
    ("a name that is a number", "openai", [{"role": "user", "content": "go", "name": 5}], "name"),
    ("a role in capitals", "openai", [{"role": "User", "content": "go"}], "role"),
    ("a role in capitals", "openai",
     [*chat()[:2], {**chat()[2], "role": "TOOL"}], "role"),
    ("a role in capitals", "openai",
     [chat()[0], {**chat()[1], "role": "Assistant"}, chat()[2]], "role"),
    ("arguments as an object", "openai-responses", items({"arguments": {"a": 1}}), "arguments"),
    ("output an object", "openai-responses", items((), {"output": {"a": 1}}), "output"),
    ("output a number", "openai-responses", items((), {"output": 3}), "output"),
    ("output null", "openai-responses", items((), {"output": None}), "output"),
    ("output of values", "openai-responses", items((), {"output": [1, 2]}), "output"),
    ("id null", "openai-responses", items({"id": None}), "id"),
    ("status null", "openai-responses", items({"status": None}), "status"),
    ("reasoning without summary", "openai-responses",
     items((), (), {"type": "reasoning", "id": "rs_1", "encrypted_content": "x"}), "summary"),
    ("reasoning with words and no summary", "openai-responses",
     items((), (), {"type": "reasoning", "id": "rs_1", "encrypted_content": "x",
                    "content": [{"type": "reasoning_text", "text": "hm"}]}), "summary"),
    ("reasoning with a text for its summary", "openai-responses",
     items((), (), {"type": "reasoning", "id": "rs_1", "encrypted_content": "x",
                    "summary": "hm"}), "summary"),
    ("reasoning content null", "openai-responses",
     items((), (), {"type": "reasoning", "id": "rs_1", "summary": [], "content": None,
                    "encrypted_content": "x"}), "content"),
    ("words an object", "openai-responses", [{"role": "user", "content": {"a": 1}}], "content"),
    ("a text of another type", "openai-responses",
     items((), {"output": [{"type": "text", "text": "ok"}]}), "type"),
    ("output of parts and values", "openai-responses",
     items((), {"output": [{"type": "input_text", "text": "ok"}, "too"]}), "output"),
    ("a user's text of the assistant", "openai-responses",
     [{"role": "user", "content": "go"},
      {"role": "assistant", "content": [{"type": "input_text", "text": "hi"}]}], "type"),
    ("a text of the other side", "openai-responses",
     [{"role": "user", "content": [{"type": "output_text", "text": "go"}]}], "type"),
    ("a text of the other side", "openai-responses",
     items((), {"output": [{"type": "output_text", "text": "ok"}]}), "type"),
    ("a user's image of the assistant", "openai-responses",
     [{"role": "user", "content": "go"},
      {"role": "assistant", "content": [{"type": "input_image", "image_url": "https://a.b/c",
                                         "detail": "auto"}]}], "type"),
    ("an image as an object", "openai-responses",
     [{"role": "user", "content": [{"type": "input_image", "detail": "auto",
                                    "image_url": {"url": "https://a.b/c"}}]}], "image_url"),
    ("a role in capitals", "openai-responses", [{"role": "User", "content": "go"}], "role"),
    ("a role in capitals", "anthropic", [{"role": "User", "content": "go"}], "role"),
    ("an unknown role", "anthropic", [{"role": "critic", "content": "go"}], "role"),
    ("no role", "anthropic", [{"content": "go"}], "role"),
    ("flag null", "anthropic", uses((), {"is_error": None}), "is_error"),
    ("flag no boolean", "anthropic", uses((), {"is_error": "no"}), "is_error"),
    ("result null", "anthropic", uses((), {"content": None}), "content"),
    ("result object", "anthropic", uses((), {"content": {"a": 1}}), "content"),
    ("result number", "anthropic", uses((), {"content": 3}), "content"),
    ("words an object", "anthropic", [{"role": "user", "content": {"a": 1}}], "content"),
    ("one block", "anthropic",
     [{"role": "user", "content": {"type": "text", "text": "go"}}], "content"),
    ("a text that is a number", "anthropic",
     [{"role": "user", "content": [{"type": "text", "text": 5}]}], "text"),
    ("response a text", "gemini", functions((), {"response": "ok"}), "response"),
    ("response a list", "gemini", functions((), {"response": [1]}), "response"),
    ("id a number", "gemini", functions({"id": 1}, {"id": "1"}), "id"),
    ("a part that is a text", "gemini", [{"role": "user", "parts": ["go"]}], "part"),
    ("parts an object that is no part", "gemini",
     [{"role": "user", "parts": {"a": 1}}], "parts"),
    ("parts a text", "gemini", [{"role": "user", "parts": "go"}], "parts"),
    ("a part of nothing but a seal", "gemini",
     [{"role": "user", "parts": [{"text": "go"}]},
      {"role": "model", "parts": [{"text": "hi"}, {"text": None, "thoughtSignature": "QUJD"}]}],
     "part"),
    ("a role in capitals", "gemini", [{"role": "User", "parts": [{"text": "go"}]}], "role"),
    ("a role of another family", "gemini",
     [{"role": "user", "parts": [{"text": "go"}]},
      {"role": "assistant", "parts": [{"text": "hi"}]}], "role"),
    ("a role in capitals", "bedrock", [{"role": "USER", "content": [{"text": "go"}]}], "role"),
    ("a value that is a list", "bedrock", converse((), {"content": [{"json": [1]}]}), "json"),
    ("a value that is a text", "bedrock", converse((), {"content": [{"json": "a"}]}), "json"),
    ("a value that is null", "bedrock", converse((), {"content": [{"json": None}]}), "json"),
    ("status null", "bedrock", converse((), {"status": None}), "status"),
    ("type null", "bedrock", converse({"type": None}), "type"),
    ("result a text", "bedrock", converse((), {"content": "ok"}), "content"),
    ("result an object", "bedrock", converse((), {"content": {"a": 1}}), "content"),
    ("result one block", "bedrock", converse((), {"content": {"text": "ok"}}), "content"),
    ("result missing", "bedrock", converse((), {"content": ABSENT}), "content"),
    ("result null", "bedrock", converse((), {"content": None}), "content"),
    ("id a number", "bedrock", converse({"toolUseId": 1}, {"toolUseId": "1"}), "toolUseId"),
    ("words a value among blocks", "bedrock",
     [{"role": "user", "content": [{"text": "go"}, 5]}], "content"),
    ("words one object", "bedrock", [{"role": "user", "content": {"json": {"a": 1}}}], "content"),
]  # fmt: skip
"""Histories that their own provider refuses for the type of one member."""

UNREADABLE = [
    ("openai", chat(function(function={"arguments": "{}"}))),
    ("openai", chat(function(function={"name": None, "arguments": "{}"}))),
    ("openai-responses", items({"name": None})),
    ("anthropic", uses({"name": None})),
    ("gemini", functions({"name": None})),
    ("bedrock", converse({"name": None})),
]
"""Histories with a call that has no name, and its result."""
