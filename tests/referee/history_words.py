"""Texts that are empty, messages that are, and whose turn it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from tests.referee.history_sdk import sdk_word_faults
from tests.referee.history_turns import (
    Block,
    Faults,
    History,
    HistoryFault,
    Turn,
    holder,
    listed,
)


def word_faults(history: History) -> Faults:
    if history.family == "anthropic":
        yield from _claude_texts(history)
    elif history.family == "bedrock":
        yield from _converse_texts(history)
    elif history.family == "vercel":
        yield from sdk_word_faults(history)
    elif history.family == "gemini":
        for turn in history.turns:
            for block in turn.of("text"):
                # A seal may come in a part whose text is empty, and has to go back like that.
                if block.value == "" and block.seal is None:
                    yield HistoryFault("empty-text", block.at, "an empty part", False)


def _is_blank(text: Any) -> bool:
    return isinstance(text, str) and not text.strip()


def _text_at(block: Block) -> str:
    return f"{block.at}/text" if block.raw else block.at


def _claude_texts(history: History) -> Faults:
    for turn in history.turns:
        if turn.role not in {"user", "assistant"} or turn.raw.get("content") == "":
            continue  # empty as a whole is another matter
        said = [block for block in turn.blocks if block.kind != "quiet"]
        for block in turn.of("text"):
            if block.value == "":
                yield HistoryFault("empty-text", _text_at(block), "empty")
            elif _is_blank(block.value) and not _says_more(said, block):
                # Reported where it is all there is; beside a call it was taken.
                alone = len(said) == 1
                yield HistoryFault("empty-text", _text_at(block), "blank", alone)
    for at, text in _system_texts(history):
        yield HistoryFault("empty-text", at, f"the system's text is {text!r}")


def _says_more(said: list[Block], blank: Block) -> bool:
    return any(
        other is not blank
        and (other.kind == "call" or (other.kind == "text" and not _is_blank(other.value)))
        for other in said
    )


def _system_texts(history: History) -> Iterator[tuple[str, str]]:
    system = (history.request or {}).get("system")
    if isinstance(system, str) and system and _is_blank(system):
        yield "/system", system
    for index, part in enumerate(listed(system)):
        if _is_blank(text := holder(part).get("text")):
            yield f"/system/{index}/text", str(text)


def _converse_texts(history: History) -> Faults:
    for turn in history.turns:
        for block in turn.of("text"):
            if _is_blank(block.value):
                yield HistoryFault("empty-text", _text_at(block), "blank")
        for result in turn.of("result"):
            for index, part in enumerate(listed(result.value)):
                if _is_blank(holder(part).get("text")):
                    at = f"{result.at}/toolResult/content/{index}/text"
                    yield HistoryFault("empty-text", at, "blank, in a result")
    for at, text in _system_texts(history):
        yield HistoryFault("empty-text", at, f"the system's text is {text!r}")


def emptiness_faults(history: History) -> Faults:
    if not history.turns and history.family != "openai-responses":
        told = history.family in {"openai", "gemini", "vercel"}
        yield HistoryFault("no-messages", history.at, "nothing is said", told)
    for turn in history.turns:
        if why := _EMPTY.get(history.family, _never)(turn):
            yield HistoryFault("empty-message", turn.at, why)


def _never(_: Turn) -> str:
    return ""


def _chat_emptiness(turn: Turn) -> str:
    said = turn.raw
    if turn.role == "assistant" and said.get("tool_calls", ()) == []:
        return "an empty list of calls"
    other = ("tool_calls", "refusal", "audio", "function_call")
    silent = said.get("content") is None and not any(said.get(key) for key in other)
    return "no content and no calls" if turn.role == "assistant" and silent else ""


def _claude_emptiness(turn: Turn) -> str:
    return "no content" if turn.role == "user" and turn.raw.get("content") in ("", []) else ""


def _gemini_emptiness(turn: Turn) -> str:
    return "" if turn.blocks or turn.role == "other" else "no parts"


def _converse_emptiness(turn: Turn) -> str:
    return "no content" if turn.raw.get("content") == [] else ""


_EMPTY = {
    "openai": _chat_emptiness,
    "anthropic": _claude_emptiness,
    "gemini": _gemini_emptiness,
    "bedrock": _converse_emptiness,
}


# Among the messages, these take no system message at all; no model takes one before the user.
_WITHOUT_SYSTEM = re.compile(
    r"claude-(instant|[123]\b|(sonnet|haiku)-[34]\b|sonnet-5\b|opus-4([-.@][0-7]\b|[-@]\d{6,}|$))"
)


def _system_faults(history: History) -> Faults:
    refused = bool(_WITHOUT_SYSTEM.search(history.model.lower()))
    spoke = False
    for turn in history.turns:
        spoke = spoke or turn.role != "system"
        if turn.role == "system" and (refused or not spoke):
            yield HistoryFault("system-misplaced", turn.at, "role 'system' is not supported")


def role_faults(history: History) -> Faults:
    if history.family == "anthropic":
        yield from _system_faults(history)
    spoken = [turn for turn in history.turns if turn.role != "system"]
    if not spoken or history.family not in {"anthropic", "gemini", "bedrock"}:
        return
    if (first := spoken[0]).role == "assistant":
        # Messages once refused it, and takes it now; Gemini minds only when it is a call.
        certain = history.family == "bedrock" or bool(
            history.family == "gemini" and first.of("call")
        )
        yield HistoryFault("first-not-user", first.at, "the assistant speaks first", certain)
    for before, turn in pairwise(history.turns):
        if before.role == turn.role and (
            (history.family == "bedrock" and turn.role in {"user", "assistant"})
            or (history.family == "gemini" and turn.role == "assistant" and turn.of("call"))
        ):
            # Reported of Gemini too, and yet taken by its third generation.
            certain = history.family == "bedrock"
            yield HistoryFault("same-role-twice", turn.at, f"{turn.role} again", certain)
    yield from _last_faults(history, spoken[-1])


def _last_faults(history: History, last: Turn) -> Faults:
    """Recent models do not go on with their own words; what the service paused it takes back."""
    paused = last.blocks and last.blocks[-1].kind in {"server-call", "server-result"}
    if history.family == "gemini" or last.role != "assistant" or paused or last.of("call"):
        return
    yield HistoryFault("ends-with-assistant", last.at, "refused by recent models", False)


def null_faults(history: History) -> Faults:
    """Messages refuses null where a key may be left out."""
    if history.family == "anthropic":
        for index, tool in enumerate(listed((history.request or {}).get("tools"))):
            if holder(tool).get("description", "") is None:
                yield HistoryFault("null-field", f"/tools/{index}/description", "null")
