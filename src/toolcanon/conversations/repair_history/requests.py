"""Repair the members of a request beside its history, and parts that cannot be sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from toolcanon.conversations.repair_history.pairs import find_pairs, result_at
from toolcanon.conversations.repair_history.repair_log import (
    SYSTEM,
    Tale,
    Terms,
    each_part,
    with_content,
    with_messages,
    with_parts,
)
from toolcanon.conversations.repair_history.scan import HistoryScan, finite, is_finite
from toolcanon.formats.wire.odd_members import (
    AS,
    WAS,
    Misshapen,
    misshapen,
    missing_ids,
    nulls,
    reshaped,
    without,
)
from toolcanon.formats.wire.results import is_unread_call
from toolcanon.ir import CanonicalTool
from toolcanon.ir.conversation import (
    Call,
    Conversation,
    Extras,
    Message,
    Native,
    Part,
    Reasoning,
    Result,
    ToolChoice,
)
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.naming.profiles import Profile


def mend_request(
    conversation: Conversation, names: frozenset[str] | None, terms: Terms, tale: Tale
) -> Conversation:
    """``names`` are the target's names of the declared tools; None where they are unknown."""
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
    """Switch thinking off when the turn that now gets its results has lost its reasoning."""
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
    """Return the choice, as far as it can be kept."""
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


T = TypeVar("T", bound=Message | Part)


def mend_shapes(
    conversation: Conversation, survey: HistoryScan, terms: Terms, tale: Tale
) -> Conversation:
    """Leave out every member of a type that the target rejects."""
    if not (survey.misshapen or survey.natives) or not terms.refuses("member-misshapen"):
        return conversation
    mend = _Shapes(terms, tale)
    messages = [mend.message(message) for message in conversation.messages]
    system = conversation.system
    system = None if system is None else mend.message(system)
    return conversation.copy_with(messages=messages, system=system)


class _Shapes:
    """Repairs messages one by one."""

    def __init__(self, terms: Terms, tale: Tale) -> None:
        self._terms = terms
        self._tale = tale
        self._is_mended = terms.refuses("arguments-no-object")

    def found(self, extras: Extras) -> list[Misshapen]:
        """Return the kept members that the target rejects."""
        if extras is None or self._terms.target not in extras:
            return []
        return misshapen(extras, self._terms.target, self._terms.rules.nullable)

    def message(self, message: Message) -> Message:
        """Return the message, the same where there was nothing to do."""
        parts = [made for part in message.parts if (made := self._part(part)) is not None]
        return self._of(with_parts(message, parts, self._tale))

    def _part(self, part: Part) -> Part | None:
        if isinstance(part, Native):
            return self._native(part)
        if isinstance(part, Result):
            content = [self._within(part, number, held) for number, held in enumerate(part.content)]
            part = with_content(part, content, self._tale)
        return self._of(part)

    def _native(self, part: Native) -> Native | None:
        if part.format != self._terms.target:
            return part
        if part.value is None:
            self._tale.tell("R131", part)
            return None
        found = nulls(part.value, self._terms.rules.never_null.__contains__)
        if not found:
            return part
        for member in found:
            self._tell(member, part)
        return self._tale.instead(replace(part, value=without(part.value, found)), part)

    def _within(self, result: Result, number: int, part: Any) -> Any:
        """Return a part of a result, which has no place of its own."""
        found = [] if isinstance(part, Native) else self.found(part.extras)
        for member in found:
            self._tell(member, result, "content", number)
        if not found:
            return part
        return replace(part, extras=reshaped(part.extras, self._terms.target, found))

    def _tell(self, member: Misshapen, thing: Message | Part, *within: str | int) -> None:
        before, after = _shown(member, WAS), _shown(member, AS)
        self._tale.tell("R131", thing, *within, before=before, after=after)

    def _of(self, thing: T) -> T:
        extras: Extras = getattr(thing, "extras", None)
        found = self.found(extras)
        if isinstance(thing, Result) and thing.call_id is not None:
            found += missing_ids(extras, self._terms.target, thing.call_id)
        if not found:
            return thing
        for member in found:
            if not self._is_told(thing, member):
                self._tell(member, thing)
        made = replace(thing, extras=reshaped(extras, self._terms.target, found))  # type: ignore[arg-type]
        if isinstance(made, Message):
            named = [member.entry for member in found if member.path == ("name",)]
            made.name = named[0].get(AS) if named else made.name
        return self._tale.instead(made, thing)

    def _is_told(self, thing: Any, member: Misshapen) -> bool:
        """Leave arguments that are not an object to another repair."""
        is_odd = isinstance(thing, Call) and thing.problem is not None
        return self._is_mended and is_odd and member.path == ("arguments",)


def _shown(member: Misshapen, side: str) -> JsonObject:
    """Return the member by its name, nothing where it is not there."""
    return {member.name: member.entry[side]} if side in member.entry else {}


def drop_unread_calls(
    conversation: Conversation, survey: HistoryScan, terms: Terms, tale: Tale
) -> Conversation:
    """Return the conversation without the target's own calls that could not be read.

    Their results answer no call then, and are left out like any other of that kind.
    """
    if not survey.natives or not terms.refuses("call-unreadable"):
        return conversation

    def kept(part: Part) -> Part | None:
        if not is_unread_call(part, terms.target, terms.rules.call_natives):
            return part
        tale.tell("R132", part, before=part.value)  # type: ignore[union-attr]
        return None

    return with_messages(conversation, each_part(conversation.messages, kept, tale))


def mend_natives(
    conversation: Conversation, survey: HistoryScan, terms: Terms, tale: Tale
) -> Conversation:
    """Return the conversation without results of the target's own tools whose call is gone."""
    rules = terms.rules
    if not survey.natives or not rules.native_result or not terms.refuses("orphan-result"):
        return conversation
    ran: set[str | None] = set()

    def kept(part: Part) -> Part | None:
        if isinstance(part, Native) and part.format == terms.target:
            if part.type in rules.native_calls:
                ran.add(part.id)
            elif part.type.endswith(rules.native_result) and part.id not in ran - {None}:
                tale.tell("R123", part, before=part.value)
                return None
        return part

    return with_messages(conversation, each_part(conversation.messages, kept, tale))


def drop_internal(
    conversation: Conversation,
    profile: Profile,
    tools: Iterable[CanonicalTool],
    terms: Terms,
    tale: Tale,
) -> Conversation:
    """Return the conversation without calls of internal tools; ``tools`` are those sent."""
    if not profile.internal:
        return conversation
    sent = frozenset(tool.id for tool in tools)
    gone: set[int] = set()
    for pair in find_pairs(conversation, terms).all:
        if profile.is_internal(pair.call.name, sent):
            tale.tell("R122", pair.call, before=pair.call.name)
            gone.add(id(pair.call))
            if pair.answer is not None:
                gone.add(id(result_at(conversation, pair.answer)))
    messages = each_part(conversation.messages, lambda p: None if id(p) in gone else p, tale)
    return with_messages(conversation, messages)
