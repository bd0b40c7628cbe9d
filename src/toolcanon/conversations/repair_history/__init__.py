"""Repair a history for a target: one file for each kind of repair, driven by the target's rules.

Each repair takes a conversation and returns one, the same where nothing was to be done, and reports
its changes to a ``Tale``. None knows a provider: ``HistoryRules`` states what is rejected.
"""

from __future__ import annotations

from toolcanon.conversations.repair_history.content import (
    mend_arguments,
    mend_blanks,
    mend_characters,
    report_digits,
)
from toolcanon.conversations.repair_history.ids import mend_ids
from toolcanon.conversations.repair_history.pairs import find_pairs
from toolcanon.conversations.repair_history.reasoning import mend_reasoning, mend_seals
from toolcanon.conversations.repair_history.repair_log import Tale, Terms
from toolcanon.conversations.repair_history.requests import (
    drop_unread_calls,
    mend_natives,
    mend_shapes,
)
from toolcanon.conversations.repair_history.scan import HistoryScan
from toolcanon.conversations.repair_history.turn_order import (
    mend_callers,
    mend_pairs,
    mend_roles,
    mend_systems,
)
from toolcanon.ir.conversation import Conversation

__all__ = ["HistoryScan", "Tale", "Terms", "mend"]


def mend(conversation: Conversation, survey: HistoryScan, terms: Terms, tale: Tale) -> Conversation:
    """Repair what the target would reject in the messages; the input is not changed."""
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
