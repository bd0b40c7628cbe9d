"""Cut off the beginning of a history without separating a call from its result.

What remains begins with a user message where one is near. System messages at the beginning stay,
and so does everything beside the messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from toolcanon.conversations.read_write import (
    codec_of,
    read_conversation,
    write_conversation,
    write_messages,
)
from toolcanon.conversations.repair_history.pairs import find_pairs
from toolcanon.conversations.repair_history.repair_log import SYSTEM, Tale, Terms, rules_of
from toolcanon.conversations.repair_history.scan import HistoryScan
from toolcanon.conversations.repair_history.turn_order import mend_roles
from toolcanon.conversion.sdk_objects import plain
from toolcanon.diagnostics import Repair
from toolcanon.dialect.history import HistoryRules
from toolcanon.errors import UsageError
from toolcanon.formats.wire.codec import dump
from toolcanon.ir.conversation import Call, Conversation, Data, Media, Message, Part, Result
from toolcanon.jsonio.types import Json

_LETTERS: Final = 4
"""The characters of a token, about, in any language that is written with letters."""
_PICTURE: Final = 1_000
"""The tokens of an image or a page, about."""
_FRAME: Final = 4
"""The tokens of a message beside its text."""


@dataclass(frozen=True, slots=True)
class TrimResult:
    """The rest of a conversation, in the shape of the input."""

    payload: Json
    """The kept messages, request body or conversation."""
    cut: int
    """The number of messages that were removed."""
    tokens: int
    """The estimated number of tokens of the rest."""
    repairs: tuple[Repair, ...] = ()
    """What was changed to make the rest a valid history."""


def trim(
    conversation: Any,
    *,
    messages: int | None = None,
    turns: int | None = None,
    tokens: int | None = None,
    source: str | None = None,
) -> TrimResult:
    """Keep the last ``messages``, the last ``turns`` of the user, or about the last ``tokens``.

    Accepts a list of messages, a request body or a ``Conversation`` and returns the same kind. All
    given limits hold, but the last exchange is kept whole even where it exceeds them: half of it
    would be rejected. Tokens are estimated. Raises NotAConversation, UsageError.

    >>> history = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},
    ...            {"role": "user", "content": "c"}]
    >>> trim(history, messages=2).payload
    [{'role': 'user', 'content': 'c'}]
    """
    limits = {"messages": messages, "turns": turns, "tokens": tokens}
    if all(limit is None for limit in limits.values()):
        raise UsageError("give at least one limit: messages, turns or tokens")
    for name, limit in limits.items():
        if limit is not None and limit < 1:
            raise UsageError(f"{name} must be at least 1, not {limit}")
    is_whole = isinstance(conversation, Conversation)
    given = conversation if is_whole else plain(conversation)
    read = read_conversation(given, source=source)
    start = _leading(read.messages)
    weights = [_weight(message) for message in read.messages]
    first = max(
        _by_messages(read, start, messages),
        _by_turns(read, start, turns),
        _by_tokens(weights, start, tokens),
    )
    at = _cut(read, start, first)
    tale = Tale(read)
    if at > start:
        gone = read.messages[start:at]
        tale.tell("R130", ("messages", start), before=_shown(gone), after=at - start)
    kept = replace(read, messages=[*read.messages[:start], *read.messages[at:]])
    if at > start:  # a target that must begin with the user gets a user text
        terms = Terms(rules_of(read.format), read.format, is_request=False)
        kept = mend_roles(kept, HistoryScan(kept, terms), terms, tale)
    left = sum(weights[:start]) + sum(weights[at:])
    return TrimResult(_written(kept, given), at - start, left, tuple(tale.repairs))


def _written(kept: Conversation, given: Any) -> Json:
    if isinstance(given, Conversation):
        return kept
    if isinstance(given, dict) and codec_of(kept.format).history in given:
        return write_conversation(kept, kept.format).payload
    return write_messages(kept, kept.format).payload


def _shown(gone: list[Message]) -> Json:
    return {
        "messages": len(gone),
        "calls": sum(len(message.calls) for message in gone),
        "results": sum(len(message.results) for message in gone),
    }


def _leading(messages: list[Message]) -> int:
    return next((n for n, one in enumerate(messages) if one.role not in SYSTEM), len(messages))


def _by_messages(read: Conversation, start: int, most: int | None) -> int:
    return start if most is None else max(start, len(read.messages) - most)


def _by_turns(read: Conversation, start: int, most: int | None) -> int:
    """Return where the last turns of the user begin."""
    if most is None:
        return start
    asked = [n for n, one in enumerate(read.messages) if _asks(read.messages, n, one)]
    return max(start, asked[-most]) if len(asked) >= most else start


def _asks(messages: list[Message], number: int, message: Message) -> bool:
    """Return whether a turn of the user begins here; results alone do not begin one."""
    if message.role != "user" or message.results:
        return False
    before = messages[number - 1] if number else None
    return before is None or before.role != "user" or bool(before.results)


def _by_tokens(weights: list[int], start: int, most: int | None) -> int:
    if most is None:
        return start
    left = most - sum(weights[:start])
    first = len(weights)
    while first > start and weights[first - 1] <= left:
        first -= 1
        left -= weights[first]
    return first


def _cut(read: Conversation, start: int, first: int) -> int:
    """Return the nearest place to cut at: after the requested one, else before it."""
    if first <= start:
        return start
    messages = read.messages
    size = len(messages)
    open_ = _spanned(read)
    # Models that accept no system message before the user get none first.
    later = SYSTEM if rules_of(read.format).system_refusers else frozenset[str]()
    fit = [
        n
        for n in range(start + 1, size)
        if not open_[n] and messages[n].role not in later and _is_border(messages, n)
    ]
    for usable in ([n for n in fit if _asks(messages, n, messages[n])], fit):
        behind = next((n for n in usable if n >= first), None)
        if behind is not None:
            return behind
    return max((n for n in fit if n < first), default=start)


def _is_border(messages: list[Message], number: int) -> bool:
    """Return whether a turn begins there, and not with results."""
    message = messages[number]
    if message.results or message.role == "tool":
        return False
    return not (message.role == messages[number - 1].role == "assistant")


def _spanned(read: Conversation) -> list[bool]:
    """Return for every place between messages whether a call is before it and its result after."""
    changes = [0] * (len(read.messages) + 1)
    for pair in find_pairs(read, Terms(HistoryRules(), read.format, by_place=True)).all:
        if pair.answer is not None:
            low, high = sorted((pair.at[0], pair.answer[0]))
            changes[low + 1] += 1
            changes[high + 1] -= 1
    spanned, depth = [], 0
    for change in changes:
        depth += change
        spanned.append(depth > 0)
    return spanned


def _weight(message: Message) -> int:
    return _FRAME + sum(map(_letters, message.parts)) // _LETTERS


def _letters(part: Part) -> int:
    if isinstance(part, Call):
        said = part.text if part.text is not None else dump(part.arguments)
        return len(part.name) + len(said)
    if isinstance(part, Result):
        return _all(part.content)
    if isinstance(part, Data):
        return len(dump(part.value))
    if isinstance(part, Media):
        return len(part.text) if part.text is not None else _PICTURE * _LETTERS
    text = getattr(part, "text", None)
    return len(text) if isinstance(text, str) else len(dump(getattr(part, "value", "")))


def _all(parts: Iterable[Part]) -> int:
    return sum(map(_letters, parts))
