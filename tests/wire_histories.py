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
    """What the tools said; a result is its id, the name of its tool, and its content."""
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
    """A first message that nobody objects to."""
    plain = {"gemini": [{"text": "go"}], "bedrock": [{"text": "go"}]}
    return says(family, plain.get(family, "go"))
