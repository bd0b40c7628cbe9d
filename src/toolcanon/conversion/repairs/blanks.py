"""Texts and messages that say nothing, where the target refuses them."""

from __future__ import annotations

from dataclasses import replace

from toolcanon.conversion.repairs.survey import Survey
from toolcanon.conversion.repairs.tale import Tale, lose_keys, with_content, with_parts
from toolcanon.conversion.repairs.terms import SYSTEM, Terms, without
from toolcanon.dialect.history import Case
from toolcanon.formats.wire.blocks import SILENT_FAILURE
from toolcanon.formats.wire.codec import NOTES
from toolcanon.ir.conversation import Call, Conversation, Message, Native, Part, Result, Text


def mend_blanks(
    conversation: Conversation, survey: Survey, terms: Terms, tale: Tale
) -> Conversation:
    """The conversation without what says nothing; errors without words get some."""
    rules = terms.rules.refusals
    texts = survey.blanks and "empty-text" in rules
    errors = survey.silent_errors and "error-without-words" in rules
    messages = (survey.empty or survey.blanks) and "empty-message" in rules
    lists = survey.own and bool(terms.rules.never_empty)
    if not (texts or errors or messages or lists):
        return conversation
    out: list[Message] = []
    for message in conversation.messages:
        mended = message
        if texts or errors:
            mended = _mended(message, terms, tale)
        if lists and mended.extras is not None:
            mended = _without_empty_lists(mended, terms, tale)
        if mended.parts or not _is_refused(message, mended, terms):
            out.append(mended)
        else:
            tale.tell("R109", message, before=message.role)
            lose_keys(message, tale)  # under keys that nobody knows it said something
    system = conversation.system
    if system is not None and texts and not _is_bare(system, terms):
        mended = _mended(system, terms, tale, "in-system")
        system = mended if mended.parts or mended is system else None
    return conversation.copy_with(messages=out, system=system)


def _mended(message: Message, terms: Terms, tale: Tale, case: Case = "") -> Message:
    if _is_bare(message, terms) and message.role == "assistant":
        return message  # the whole content is the empty text, which is another matter
    if not case and message.role in SYSTEM:
        case = "in-system"
    kept: list[Part] = []
    for part in message.parts:
        if isinstance(part, Text):
            refused = _is_blank(part) and terms.refuses("empty-text", case or _case(part, message))
            if refused and terms.seal(part.extras) is None:  # what carries a seal stays
                tale.tell("R108", part, before=part.text)
                continue
        elif isinstance(part, Result):
            part = _said(part, terms, tale)  # noqa: PLW2901 - the same in better words
        kept.append(part)
    return with_parts(message, kept, tale)


def _is_blank(part: Part) -> bool:
    return isinstance(part, Text) and (not part.text or part.text.isspace())


def _case(blank: Text, message: Message) -> Case:
    if not blank.text:
        return "empty"
    others = [part for part in message.parts if part is not blank]
    if not others:
        return "blank"
    says = any(
        isinstance(part, Call) or (isinstance(part, Text) and not _is_blank(part))
        for part in others
    )
    return "blank-beside-words" if says else "blank-beside-media"


def _said(result: Result, terms: Terms, tale: Tale) -> Result:
    """A result without blank texts where those are refused, with words where there are none."""
    content = result.content
    if terms.refuses("empty-text", "in-result") and any(map(_is_blank, content)):
        for number, part in enumerate(content):
            if _is_blank(part):
                tale.tell("R108", result, "content", number, before=part.text)  # type: ignore[union-attr]
        content = [part for part in content if not _is_blank(part)]
    if result.is_error and terms.refuses("error-without-words") and all(map(_is_blank, content)):
        tale.tell("R111", result, after=SILENT_FAILURE)
        content = [Text(SILENT_FAILURE)]
    return with_content(result, content, tale)


def _is_bare(message: Message, terms: Terms) -> bool:
    """Whether the content of the target's own message as a whole is the empty text."""
    match message.parts:
        case [Text(text="")]:
            notes = terms.own(message.extras).get(NOTES, {})
            return bool(terms.rules.bare_note) and notes.get("content") == terms.rules.bare_note
    return False


def _is_refused(message: Message, mended: Message, terms: Terms) -> bool:
    """Whether a message without parts has to go."""
    if mended is not message and message.parts:
        return True
    if "empty-message" not in terms.rules.refusals or message.role in SYSTEM:
        return False
    if not terms.is_own(message):
        return not terms.rules.silent_notes  # where there are such notes it is written as ""
    if any(isinstance(part, Native) for part in message.parts):
        return False
    speaker: Case = "assistant" if message.role == "assistant" else "user"
    notes = terms.own(message.extras).get(NOTES, {})
    silent = terms.rules.silent_notes
    return terms.refuses("empty-message", speaker) and (
        not silent or notes.get("content") in silent
    )


def _without_empty_lists(message: Message, terms: Terms, tale: Tale) -> Message:
    own = terms.own(message.extras)
    empty = [key for key in terms.rules.never_empty if own.get(key) == []]
    if not empty:
        return message
    tale.tell("R108", message, "extras", terms.target, empty[0], before=[])
    made = replace(message, extras=without(message.extras, terms.target, *empty))
    return tale.instead(made, message)
