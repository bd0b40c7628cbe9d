"""Names of tools that a target refuses, in requests of any format."""

from __future__ import annotations

from contextlib import suppress

from toolcanon.conversion.api import read
from toolcanon.conversion.repairs.terms import rules_of
from toolcanon.errors import InputError
from toolcanon.ir import Kind
from toolcanon.ir.conversation import Conversation


def needs_binding(history: Conversation, target: str) -> bool:
    """Whether the tools of a request have to be written anew for the target.

    Those of another format have to. Those of its own have to where the target refuses a name that
    is called, chosen or declared, so that every name is changed alike everywhere.
    """
    if history.format != target:
        return True
    policy = rules_of(target).names
    if policy is None:
        return False
    names = {call.name for message in history.messages for call in message.calls}
    if history.tool_choice is not None:
        names.update(history.tool_choice.names)
    with suppress(InputError):
        names.update(tool.name for tool in read(history.tools) if tool.kind is not Kind.BUILTIN)
    return not all(map(policy.allows, names))
