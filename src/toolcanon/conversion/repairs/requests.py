"""What a request says beside its history: the choice of tools, thinking, settings."""

from __future__ import annotations

from dataclasses import replace

from toolcanon.conversion.repairs.tale import Tale
from toolcanon.conversion.repairs.terms import SYSTEM, Terms
from toolcanon.conversion.repairs.unsendable import finite, is_finite
from toolcanon.ir.conversation import Conversation, Message, Native, Reasoning, ToolChoice
from toolcanon.jsonio.types import Json, JsonObject


def mend_request(
    conversation: Conversation, names: frozenset[str] | None, terms: Terms, tale: Tale
) -> Conversation:
    """``names`` are those of the declared tools in the target's words; None if nobody knows."""
    if not terms.is_request:
        return conversation
    conversation = _settings(conversation, terms, tale)
    conversation = _thinking(conversation, terms, tale)
    choice = conversation.tool_choice
    if choice is not None:
        weaker = _choice(conversation, choice, names, terms)
        if weaker is not choice:
            after = None if weaker is None else weaker.mode
            tale.tell("R118", ("tool_choice",), before=_said(choice), after=after)
            conversation = conversation.copy_with(tool_choice=weaker)
    return conversation


def _said(choice: ToolChoice) -> Json:
    return {"mode": choice.mode, "names": list(choice.names)} if choice.names else choice.mode


def _settings(conversation: Conversation, terms: Terms, tale: Tale) -> Conversation:
    if conversation.tools and not is_finite(conversation.tools):
        tale.tell("R113", ("tools",))
        conversation = conversation.copy_with(tools=finite(conversation.tools))
    settings = terms.settings(conversation)
    if not settings or is_finite(settings):
        return conversation
    tale.tell("R113", ("extras", terms.target))
    extras = {**(conversation.extras or {}), terms.target: finite(settings)}
    return conversation.copy_with(extras=extras)


def _is_thinking(conversation: Conversation, terms: Terms) -> bool:
    rules = terms.rules
    value: Json = terms.settings(conversation) if rules.thinking else None
    for step in rules.thinking:
        value = value.get(step) if isinstance(value, dict) else None
    return bool(value == rules.thinking_always)


def _thinking(conversation: Conversation, terms: Terms, tale: Tale) -> Conversation:
    """Thinking cannot stay on when the turn that now gets its results has lost its thought."""
    if "reasoning-missing" not in terms.rules.refusals or not _is_thinking(conversation, terms):
        return conversation
    spoken = [message for message in conversation.messages if message.role not in SYSTEM]
    if not spoken or not spoken[-1].results:
        return conversation
    first = _first_since_asked(spoken)
    if first is None or not first.parts or isinstance(first.parts[0], Reasoning):
        return conversation
    path = terms.rules.thinking[:-1]
    tale.tell("R117", ("extras", terms.target, *path))
    settings = _without(terms.settings(conversation), path)
    extras = {**(conversation.extras or {}), terms.target: settings}
    return conversation.copy_with(extras=extras)


def _first_since_asked(spoken: list[Message]) -> Message | None:
    first = None
    for message in reversed(spoken):
        if message.role == "assistant":
            first = message
        elif not message.results:
            break
    return first


def _without(settings: JsonObject, path: tuple[str, ...]) -> JsonObject:
    head, *rest = path
    if not rest:
        return {key: value for key, value in settings.items() if key != head}
    return {**settings, head: _without(settings[head], tuple(rest))}


def _choice(
    conversation: Conversation, choice: ToolChoice, names: frozenset[str] | None, terms: Terms
) -> ToolChoice | None:
    """The choice, as far as it can be kept."""
    items = terms.rules.tool_items
    brought = bool(items) and any(
        isinstance(part, Native) and part.format == terms.target and part.kind in items
        for message in conversation.messages
        for part in message.parts
    )
    settings = terms.settings(conversation)
    if any(settings.get(key) for key in terms.rules.tool_settings) or brought:
        return choice
    if not conversation.tools:
        return None
    forces = choice.mode in {"required", "tool"} or choice.is_required
    if forces and terms.refuses("forced-while-thinking") and _is_thinking(conversation, terms):
        return ToolChoice("auto")
    if names is None or not choice.names:
        return choice
    kept = [name for name in choice.names if name in names]
    if len(kept) == len(choice.names):
        return choice
    if choice.mode == "subset" and terms.origin == terms.target:
        return choice  # which came from there
    if not kept:
        return ToolChoice("none" if choice.mode == "subset" else "auto")
    return replace(choice, names=kept, extras=None)
