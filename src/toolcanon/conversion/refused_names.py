"""Names of tools that a target refuses, in requests of any format."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from toolcanon.conversion.api import read
from toolcanon.conversion.repairs import Terms
from toolcanon.errors import InputError
from toolcanon.ir import Kind
from toolcanon.ir.conversation import Conversation
from toolcanon.jsonio.types import Json

_DEPTH: Final = 4
"""How deep the names of tools are, in lists and objects, at most."""


def needs_binding(history: Conversation, terms: Terms) -> bool:
    """Whether the tools of a request have to be written anew for the target.

    Those of another format have to. Those of its own have to where the target refuses a name that
    is called, chosen or declared, so that every name is changed alike everywhere.
    """
    if history.format != terms.target:
        return True
    policy = terms.rules.names
    if policy is None:
        return False
    names = {call.name for message in history.messages for call in message.calls}
    if history.tool_choice is not None:
        names.update(history.tool_choice.names)
    if not all(map(policy.allows, names)):
        return True
    if all(map(policy.allows, _spelled(history.tools))):
        return False  # most requests: no reader has to say which of them are names of tools
    with suppress(InputError):
        names.update(tool.name for tool in read(history.tools) if tool.kind is not Kind.BUILTIN)
    return not all(map(policy.allows, names))


def _spelled(tools: Json) -> set[str]:
    """Every text that is called a name, whatever it names."""
    found: set[str] = set()
    level: list[Json] = [tools]
    for _ in range(_DEPTH + 1):
        below: list[Json] = []
        for held in level:
            if held.__class__ is list:
                below += held
            elif held.__class__ is dict:
                name = held.get("name")
                if name.__class__ is str:
                    found.add(name)
                below += held.values()
        level = below
    return found
