"""Histories of the AI SDK, which asks models of others: what it refuses before it asks one.

Read in npm's ai 7.0.170: a call without a result ends the request when the user or the system
speaks, or when the list ends (convert-to-language-model-prompt.ts); system messages belong beside
the list, and the list is not empty (standardize-prompt.ts). A call that the user has allowed is run
as soon as the request is made (collect-tool-approvals.ts). All else is passed on, and refused by
some; so are messages without parts (validate-ui-messages.ts), for those who ask for that check.
"""

from __future__ import annotations

from dataclasses import replace

from tests.referee.history_turns import Block, Faults, History, HistoryFault, Turn, holder


def sdk_history(history: History) -> History:
    """Pages hold a call and its result in one part: the results come behind the rest.

    Calls that need no result are quiet: those that will be run, and on pages those that the user
    was asked about and talked past.
    """
    turns = [part for turn in history.turns for part in _split(turn)]
    answered = {str(block.id) for turn in turns for block in turn.of("result")}
    allowed = _allowed(turns) - answered
    last = max((n for n, turn in enumerate(turns) if turn.role == "user"), default=-1)
    quiet = [
        replace(turn, blocks=tuple(_hushed(block, allowed, n < last) for block in turn.blocks))
        for n, turn in enumerate(turns)
    ]
    return replace(history, turns=tuple(quiet))


def _split(turn: Turn) -> list[Turn]:
    results = tuple(turn.of("result"))
    if not (results and turn.role == "assistant" and "parts" in turn.raw):
        return [turn]
    others = tuple(block for block in turn.blocks if block.kind != "result")
    return [replace(turn, blocks=others), Turn(turn.at, "tool", results)]


def _hushed(block: Block, allowed: set[str], is_past: bool) -> Block:
    is_asked = block.raw.get("state") == "approval-requested"
    if block.kind == "call" and (str(block.id) in allowed or (is_past and is_asked)):
        return replace(block, kind="quiet")
    return block


def _allowed(turns: list[Turn]) -> set[str]:
    asked: dict[str, str] = {}
    found: set[str] = set()
    for block in (block for turn in turns for block in turn.blocks):
        if block.kind == "call" and holder(block.raw.get("approval")).get("approved") is True:
            found.add(str(block.id))
        elif block.kind == "quiet" and "toolCallId" in block.raw:
            asked[str(block.id)] = str(block.raw["toolCallId"])
        elif block.kind == "quiet" and isinstance(block.raw.get("approved"), bool):
            found.add(asked.get(str(block.id), ""))
    return found


def sdk_word_faults(history: History) -> Faults:
    for turn in history.turns:
        page = isinstance(turn.raw.get("parts"), list)
        is_told = history.request is not None and "allowSystemInMessages" in history.request
        if turn.role == "system" and not page and not is_told:
            yield HistoryFault("system-in-list", turn.at, "belongs under instructions")
        if page and not turn.raw["parts"] and turn.role != "assistant":
            yield HistoryFault("empty-message", turn.at, "no parts", False)
