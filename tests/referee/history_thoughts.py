"""Reasoning and its signatures: kept whole, of the same model, before what follows from it.

A signature does not show who wrote it; a caller who knows which ones are foreign names them.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from tests.referee.history_turns import (
    Block,
    Faults,
    History,
    HistoryFault,
    Turn,
    holder,
    spelling,
    text_of,
)

# What Gemini documents for calls it did not make; SDKs encode it as they encode all bytes.
SENTINEL = "skip_thought_signature_validator"
_SENTINELS = (SENTINEL, base64.b64encode(SENTINEL.encode()).decode())


def thought_faults(history: History) -> Faults:
    for turn in history.turns:
        for block in turn.blocks:
            yield from _seal_faults(history, block)
    yield from _OTHERS.get(history.family, _nothing)(history)


def _nothing(_: History) -> Faults:
    yield from ()


def _seal_faults(history: History, block: Block) -> Faults:
    seal = block.seal
    if isinstance(seal, str) and seal in history.foreign_seals:
        yield HistoryFault("foreign-reasoning", block.at, "sealed by another model")
    elif seal in _SENTINELS and history.family != "gemini":
        yield HistoryFault("foreign-reasoning", block.at, "the seal is a word for Gemini")
    elif history.family == "gemini" and seal is not None and not _is_base64(seal):
        yield HistoryFault("foreign-reasoning", block.at, "the seal is not base64")
    elif block.kind == "thought" and not seal:
        yield from _unsealed_faults(history, block)


def _is_base64(seal: Any) -> bool:
    if not isinstance(seal, str):
        return False
    try:
        base64.b64decode(seal.translate(str.maketrans("-_", "+/")), validate=True)
    except binascii.Error:
        return False
    return True


def _unsealed_faults(history: History, block: Block) -> Faults:
    if history.family == "anthropic":
        yield HistoryFault("reasoning-unsealed", block.at, "no signature")
    elif history.family == "bedrock":
        # Only Claude signs what it thinks.
        yield HistoryFault("reasoning-unsealed", block.at, "no signature", False)
    elif history.family == "openai-responses" and (history.request or {}).get("store") is False:
        yield HistoryFault("reasoning-unsealed", block.at, "neither stored nor sealed", False)


def is_thinking(history: History) -> str:
    """How thinking is turned on; nothing if it is not."""
    request = history.request or {}
    if history.family == "bedrock":
        request = holder(request.get("additionalModelRequestFields"))
    kind = holder(request.get("thinking")).get("type")
    return kind if isinstance(kind, str) and kind != "disabled" else ""


def _claude_faults(history: History) -> Faults:
    """While thinking is on, the turn that now gets its results began with a thought."""
    thinking = is_thinking(history)
    turns = [turn for turn in history.turns if turn.role != "system"]
    if not thinking or not turns or not turns[-1].of("result"):
        return
    start = max((i for i, turn in enumerate(turns) if _asks(turn)), default=-1)
    first = next((turn for turn in turns[start + 1 :] if turn.role == "assistant"), None)
    if first and first.blocks and first.blocks[0].kind != "thought":
        # A model that may think as it likes may also not have thought.
        certain = history.family == "anthropic" and thinking == "enabled"
        found = first.blocks[0]
        yield HistoryFault("reasoning-missing", found.at, f"thinking is {thinking}", certain)


def _asks(turn: Turn) -> bool:
    return turn.role == "user" and not turn.of("result")


_MADE_BY_THE_MODEL = re.compile(r"gpt-[5-9]|gpt-\d\d|o\d|codex")
_PREFIXES = {"message": "msg", "reasoning": "rs", "custom_tool_call": "ctc"}


def _responses_faults(history: History) -> Faults:
    thought: Turn | None = None  # seen, and nothing has come of it yet
    thoughtful = False  # a thought belongs to what the assistant says now
    for turn in history.turns:
        if turn.of("thought"):
            thought, thoughtful = turn, True
            yield from _summary_faults(turn)
        elif turn.role == "assistant":
            if not thoughtful:
                yield from _follower_faults(history, turn)
            thought = None
        elif turn.role != "other":
            if thought:
                yield _alone(thought)
            thought = None
            thoughtful = thoughtful and turn.role == "tool"
        yield from _item_id_faults(turn)
    if thought:
        yield _alone(thought)


def _alone(turn: Turn) -> HistoryFault:
    certain = isinstance(turn.raw.get("id"), str)
    return HistoryFault("reasoning-alone", turn.at, "nothing came of it", certain)


def _summary_faults(turn: Turn) -> Faults:
    if not isinstance(turn.raw.get("summary"), list):
        yield HistoryFault("summary-missing", turn.at, "even when empty it must be there")


def _follower_faults(history: History, turn: Turn) -> Faults:
    """An item that kept its id is looked up with the thought that led to it."""
    known = isinstance(turn.raw.get("id"), str) and _MADE_BY_THE_MODEL.search(history.model)
    if known and text_of(turn.raw, "type") in {"function_call", "message"}:
        yield HistoryFault("reasoning-missing", turn.at, "its id is kept, its thought not", False)


def _item_id_faults(turn: Turn) -> Faults:
    kind, id_ = turn.raw.get("type"), turn.raw.get("id")
    if not isinstance(id_, str) or not isinstance(kind, str):
        return
    if kind == "function_call" and not id_.startswith("fc"):
        yield HistoryFault("item-id-illegal", f"{turn.at}/id", f"{id_!r} begins not with fc")
    elif not id_.startswith(prefix := _PREFIXES.get(kind, "")):
        detail = f"{id_!r} begins not with {prefix}"
        yield HistoryFault("item-id-illegal", f"{turn.at}/id", detail, False)


def _gemini_faults(history: History) -> Faults:
    """From its third generation on, the first call of each step since the user spoke is sealed."""
    if (generation := _generation(history.model)) and generation < 3:
        return
    start = max((i for i, turn in enumerate(history.turns) if _asks(turn)), default=-1)
    for turn in history.turns[start + 1 :]:
        if turn.role == "assistant" and (calls := turn.of("call")) and not calls[0].seal:
            at = f"{calls[0].at}/{spelling(calls[0].raw, 'functionCall')}"
            yield HistoryFault("seal-missing", at, "no thoughtSignature", generation is not None)


def _chat_faults(history: History) -> Faults:
    """Google's endpoint for this format keeps the seal beside the call."""
    if (_generation(history.model) or 0) < 3:
        return
    start = max((i for i, turn in enumerate(history.turns) if _asks(turn)), default=-1)
    for turn in history.turns[start + 1 :]:
        if (calls := turn.of("call")) and "extra_content" not in calls[0].raw:
            yield HistoryFault("seal-missing", calls[0].at, "no extra_content", False)


def _generation(model: str) -> int | None:
    found = re.search(r"gemini-(\d+)", model)
    return int(found[1]) if found else None


_OTHERS = {
    "openai": _chat_faults,
    "openai-responses": _responses_faults,
    "anthropic": _claude_faults,
    "gemini": _gemini_faults,
    "bedrock": _claude_faults,
}
