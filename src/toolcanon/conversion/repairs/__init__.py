"""A history mended for a target: one kind of repair, one file, all of them driven by its rules.

Each repair takes a conversation and gives one, the same where there was nothing to do, and tells
what it did to a ``Tale``. None knows a provider: ``HistoryRules`` says what is refused.
"""

from __future__ import annotations

from toolcanon.conversion.repairs.arguments import mend_arguments
from toolcanon.conversion.repairs.blanks import mend_blanks
from toolcanon.conversion.repairs.characters import mend_characters
from toolcanon.conversion.repairs.digits import report_digits
from toolcanon.conversion.repairs.ids import mend_ids
from toolcanon.conversion.repairs.omissions import drop_unread_calls, mend_natives
from toolcanon.conversion.repairs.pairing import mend_pairs
from toolcanon.conversion.repairs.pairs import find_pairs
from toolcanon.conversion.repairs.reasoning import mend_reasoning, mend_seals
from toolcanon.conversion.repairs.roles import mend_callers, mend_roles, mend_systems
from toolcanon.conversion.repairs.shapes import mend_shapes
from toolcanon.conversion.repairs.survey import Survey
from toolcanon.conversion.repairs.tale import Tale
from toolcanon.conversion.repairs.terms import Terms
from toolcanon.ir.conversation import Conversation

__all__ = ["Survey", "Tale", "Terms", "mend"]


def mend(conversation: Conversation, survey: Survey, terms: Terms, tale: Tale) -> Conversation:
    """What the target would refuse in the messages, mended; nothing given is changed."""
    conversation = mend_characters(conversation, survey, tale)
    conversation = mend_reasoning(conversation, survey, terms, tale)
    conversation = mend_natives(conversation, survey, terms, tale)
    conversation = drop_unread_calls(conversation, survey, terms, tale)
    conversation = mend_blanks(conversation, survey, terms, tale)
    conversation = mend_systems(conversation, survey, terms, tale)
    conversation = mend_callers(conversation, survey, terms, tale)
    if not survey.is_paired or survey.misplaced:
        pairs = find_pairs(conversation, terms, groups=survey.own and terms.is_grouping)
        conversation = mend_ids(conversation, pairs, terms, tale)
        conversation = mend_pairs(conversation, pairs, terms, tale)
    conversation = mend_shapes(conversation, survey, terms, tale)
    conversation = mend_arguments(conversation, survey, terms, tale)
    conversation = mend_roles(conversation, survey, terms, tale)
    report_digits(conversation, terms, tale)
    return mend_seals(conversation, terms, tale)
