"""The tools that a choice allows, for targets whose choice cannot list them."""

from __future__ import annotations

from dataclasses import replace

from toolcanon.conversion.binding import Binding
from toolcanon.conversion.repairs import Tale, Terms
from toolcanon.ir.conversation import Conversation, ToolChoice


def limited(history: Conversation, bound: Binding | None, terms: Terms, tale: Tale) -> Conversation:
    """The request with only the allowed tools declared; what the history calls is kept.

    The same where the target can list them, where none of them is declared, or where the tools are
    not known.
    """
    choice = history.tool_choice
    if bound is None or choice is None or choice.mode != "subset" or terms.rules.lists_allowed:
        return history
    if len(choice.names) == 1 and choice.is_required:
        return history  # which is the choice of one tool
    written = [
        (item.tool, bound.format.write(item.tool, item.wire))
        for item in bound.bound
        if item.wire is not None and item.wire.name in choice.names
    ]
    if not written:
        return history
    tale.tell("R140", ("tool_choice",), before=list(choice.names), after=len(written))
    weaker = ToolChoice("required" if choice.is_required else "auto")
    return replace(history, tools=bound.format.assemble(written), tool_choice=weaker)
