"""Members in shapes that the target does not take, in what its own format wrote."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from toolcanon.conversion.repairs.survey import Survey
from toolcanon.conversion.repairs.tale import Tale, with_content, with_parts
from toolcanon.conversion.repairs.terms import Terms
from toolcanon.formats.wire.odd import (
    AS,
    WAS,
    Misshapen,
    misshapen,
    missing_ids,
    nulls,
    reshaped,
    without,
)
from toolcanon.ir.conversation import Call, Conversation, Extras, Message, Native, Part, Result
from toolcanon.jsonio.types import JsonObject

T = TypeVar("T", bound=Message | Part)


def mend_shapes(
    conversation: Conversation, survey: Survey, terms: Terms, tale: Tale
) -> Conversation:
    """Every member is of the type that the target takes, or is left out."""
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
        """What the target does not take among the members that it kept."""
        if extras is None or self._terms.target not in extras:
            return []
        return misshapen(extras, self._terms.target, self._terms.rules.nullable)

    def message(self, message: Message) -> Message:
        """The message, the same where there was nothing to do."""
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
        """A part of a result, which has no place of its own."""
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
        """Arguments that are no object are another repair."""
        is_odd = isinstance(thing, Call) and thing.problem is not None
        return self._is_mended and is_odd and member.path == ("arguments",)


def _shown(member: Misshapen, side: str) -> JsonObject:
    """The member by its name, nothing where it is not there."""
    return {member.name: member.entry[side]} if side in member.entry else {}
