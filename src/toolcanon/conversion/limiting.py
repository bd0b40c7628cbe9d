"""The tools that a choice allows: the list filters them, and an empty rest allows none."""

from __future__ import annotations

from dataclasses import replace

from toolcanon.conversion.binding import Binding, bound_tools
from toolcanon.conversion.repairs import Tale, Terms
from toolcanon.conversion.repairs.terms import rules_of
from toolcanon.errors import UsageError
from toolcanon.ir.conversation import Conversation, ToolChoice


def with_tools(history: Conversation, bound: Binding | None, target: str) -> Conversation:
    """The request with the tools as the target has them."""
    if bound is None:
        # Tools in another provider's words would be refused with the whole request.
        return history if history.format == target else history.copy_with(tools=None)
    if not hasattr(bound, "payload"):
        raise UsageError("a binding made from a receipt has no tools to send")
    listed = bound._assembled() if bound._single else bound.payload  # noqa: SLF001
    return history.copy_with(tools=listed or None)


def limited(history: Conversation, bound: Binding | None, terms: Terms, tale: Tale) -> Conversation:
    """The request with a choice that allows no more tools than before.

    Where the target cannot list the allowed tools, only those are declared. Where none of them is
    declared, no tool may be called. The same where the tools are not known.
    """
    choice = history.tool_choice
    if bound is None or choice is None or choice.mode in {"auto", "required"}:
        return history
    rules = terms.rules
    if choice.mode != "none":
        allowed = [
            item for item in bound_tools(bound) if item.wire and item.wire.name in choice.names
        ]
        if not allowed and terms.target in {history.format, terms.origin}:
            return history  # its own tools may be those that the list has
        if choice.mode == "tool" and (allowed or not rules_of(history.format).chooses_by_list):
            return history
        if allowed:
            if rules.lists_allowed:
                return history
            if choice.is_required and len(choice.names) == 1:
                return history.copy_with(tool_choice=replace(choice, mode="tool", extras=None))
            tale.tell("R140", ("tool_choice",), before=list(choice.names), after=len(allowed))
            written = [
                (item.tool, bound.format.write(item.tool, item.wire))
                for item in allowed
                if item.wire is not None
            ]
            weaker = ToolChoice("required" if choice.is_required else "auto")
            return history.copy_with(tools=bound.format.assemble(written), tool_choice=weaker)
        before = {"mode": choice.mode, "names": list(choice.names)}
        tale.tell("R118", ("tool_choice",), before=before, after="none")
        history = history.copy_with(tool_choice=ToolChoice("none"))
    if rules.forbids_calls or history.format == terms.target:
        return history
    tale.tell("R140", ("tool_choice",), before="none", after=0)
    return history.copy_with(tools=None, tool_choice=None)
