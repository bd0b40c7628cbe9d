"""Tools that are declared only because the history calls them, where the target demands that."""

from __future__ import annotations

from typing import Final

from toolcanon.conversion.api import bind
from toolcanon.conversion.binding import Binding, calls_of
from toolcanon.conversion.rendering import reached
from toolcanon.conversion.repairs import Survey, Tale, Terms
from toolcanon.ir import CanonicalTool
from toolcanon.ir.conversation import Conversation

GONE: Final = "No longer offered. Its calls stand in the history of this conversation."


def is_stub(tool: CanonicalTool) -> bool:
    """Whether a switch declared the tool; the next one declares it anew where it is needed."""
    return tool.__dict__.get("description") == GONE


def is_of_stubs(binding: Binding) -> bool:
    """Whether a binding has no other tools: then it is not what the way back begins with."""
    tools = binding.tools
    return bool(tools) and all(map(is_stub, tools))


def declare_called(
    mended: Conversation, survey: Survey, bound: Binding | None, terms: Terms, tale: Tale
) -> tuple[Conversation, Binding | None]:
    """Declare what the history calls, if the target demands it and nothing is declared."""
    rules, settings = terms.rules, terms.settings(mended)
    if not terms.is_request or mended.tools or not terms.surely_refuses("tools-missing"):
        return mended, bound
    if any(settings.get(key) for key in rules.tool_settings):
        return mended, bound
    names = survey.tools_of(mended)
    if names is None:
        names = reached(mended)
    if not names:
        return mended, bound
    made = [CanonicalTool(name=name, description=GONE, inputs={"type": "object"}) for name in names]
    for number, name in enumerate(names):
        tale.tell("R119", ("tools", number), after=name)
    binding = bind(made, terms.target)
    is_known = bound is not None and bool(calls_of(bound).shapes)  # whose tools a choice forbids
    return mended.copy_with(tools=binding.payload), bound if is_known else binding
