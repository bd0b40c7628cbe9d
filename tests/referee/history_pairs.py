"""Calls and results: each call answered once, where the provider looks for the answer.

In Chat the answers are the tool messages right behind the call; in Messages and Converse the user
turn behind it (Messages joins neighbours of one role, so we do too); in generateContent exactly one
content with as many responses as there were calls; in Responses anywhere later in the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from tests.referee.history_sdk import sdk_history
from tests.referee.history_turns import Block, Faults, History, HistoryFault, Turn, holder, text_of


@dataclass(slots=True)
class Call:
    block: Block
    group: int
    answered: bool = False


@dataclass(slots=True)
class Group:
    """Turns the provider sees as one."""

    role: str
    turns: list[Turn] = field(default_factory=list)

    def of(self, kind: str) -> list[Block]:
        return [block for turn in self.turns for block in turn.of(kind)]


_JOINED = {
    "openai": {"tool"},
    "anthropic": {"user", "assistant", "system"},
    # Refused under another name (same-role-twice); joined here so that it is told once.
    "bedrock": {"user", "assistant", "system"},
    # Two contents of the model, answered by one of the user, were taken by Gemini 3.
    "gemini": {"assistant"},
    # Tool messages are joined; and it looks for results until the user speaks.
    "vercel": {"assistant", "tool"},
}


def pair_faults(history: History) -> Faults:
    if history.family == "openai-responses":
        yield from _flat_faults(history)
        return
    if history.family == "vercel":
        history = sdk_history(history)
    groups = _groups(history)
    calls: list[Call] = []
    here: list[Call] = []  # those of the turn before
    for index, group in enumerate(groups):
        yield from _result_faults(history, groups, index, here, calls)
        made = group.of("call") if group.role == "assistant" else []
        here = [Call(block, index) for block in made]
        calls += here
    last = len(groups) - 1
    for call in calls:
        if not call.answered:
            # That a request may not *end* with a call is reported of all but Gemini.
            certain = history.family != "gemini" or call.group < last
            yield HistoryFault(
                "call-without-result", call.block.at, f"no result for {call.block.id!r}", certain
            )
    yield from _order_faults(history, groups)
    yield from _server_faults(history)


def _groups(history: History) -> list[Group]:
    groups: list[Group] = []
    for turn in history.turns:
        if not (groups and groups[-1].role == turn.role and turn.role in _JOINED[history.family]):
            groups.append(Group(turn.role))
        groups[-1].turns.append(turn)
    return groups


def _result_faults(
    history: History, groups: list[Group], index: int, here: list[Call], calls: list[Call]
) -> Faults:
    group = groups[index]
    looks = history.family != "vercel"  # which passes on what it does not miss
    for result in group.of("result"):
        if group.role == "assistant":
            says = "a result in the assistant's turn"
            yield HistoryFault("orphan-result", result.at, says, looks)
        elif call := _match(result, (c for c in here if not c.answered), history.family):
            call.answered = True
            yield from _naming_faults(history, result, call.block)
        elif _match(result, here, history.family):
            certain = looks and history.family != "openai"
            yield HistoryFault("two-results", result.at, f"again for {result.id!r}", certain)
        elif late := _match(result, (c for c in reversed(calls) if not c.answered)):
            late.answered = True
            between = {groups[place].role for place in range(late.group + 1, index)}
            # Whether words of the system may stand between is known of Chat only.
            certain = history.family == "openai" or between != {"system"}
            if history.family == "vercel":
                certain = bool(between & {"user", "system"})
            yield HistoryFault("result-too-late", result.at, f"for {late.block.at}", certain)
        elif _match(result, reversed(calls)) and result.id is not None:
            yield HistoryFault("two-results", result.at, f"later again for {result.id!r}", looks)
        else:
            yield HistoryFault("orphan-result", result.at, f"no call {result.id!r}", looks)


def _match(result: Block, calls: Iterable[Call], family: str = "") -> Call | None:
    """The call a result answers; where ids may be absent by name, and at last by place."""
    waiting = list(calls)
    same = [call for call in waiting if call.block.id == result.id and result.id is not None]
    if same or (result.name is None and family != "gemini"):
        return next(iter(same), None)
    named = [call for call in waiting if call.block.name == result.name]
    if named or family != "gemini":
        return next(iter(named), None)
    return next(iter(waiting), None)


def _naming_faults(history: History, result: Block, call: Block) -> Faults:
    if history.family != "gemini":
        return
    if result.name != call.name:
        yield HistoryFault("orphan-result", result.at, f"no call of {result.name!r}", False)
    if result.id is not None and call.id is not None and result.id != call.id:
        yield HistoryFault("result-id-differs", result.at, f"{result.id!r} for {call.id!r}", False)


def _order_faults(history: History, groups: list[Group]) -> Faults:
    """Words and pictures around results."""
    for before, group in pairwise(groups):
        if group.role != "user" or not before.of("call"):
            continue
        seen: Block | None = None
        for turn in group.turns:
            for block in turn.blocks:
                if block.kind in {"text", "media", "other"}:
                    seen = seen or block
                elif block.kind == "result" and seen:
                    yield from _words_before(history, group, seen, block)
                    break
        if history.family in {"bedrock", "gemini"} and seen and group.of("result"):
            yield HistoryFault(
                "text-beside-result", seen.at, "some models want results only", False
            )


def _words_before(history: History, group: Group, seen: Block, result: Block) -> Faults:
    if history.family not in {"anthropic", "bedrock"}:
        return
    own = next(turn for turn in group.turns if result in turn.blocks)
    with_words = next(turn for turn in group.turns if seen in turn.blocks)
    apart = own is not with_words and not with_words.of("result")
    rule = "result-too-late" if apart else "text-before-result"
    # Reported of Messages; in Converse it depends on whose model it is.
    yield HistoryFault(rule, result.at, f"behind {seen.at}", history.family == "anthropic")


def _server_faults(history: History) -> Faults:
    if history.family != "anthropic":
        return
    ran = set()
    for block in _blocks(history):
        if block.kind == "server-call" and isinstance(block.id, str):
            ran.add(block.id)
        elif block.kind == "server-result" and str(block.id) not in ran:
            yield HistoryFault("orphan-result", block.at, f"no call {block.id!r} was run")


def _blocks(history: History) -> Iterator[Block]:
    for turn in history.turns:
        yield from turn.blocks


def _flat_faults(history: History) -> Faults:
    """Responses: by id alone, calls first; what the service has stored is not to be seen here."""
    request = history.request or {}
    stored = bool(request.get("previous_response_id") or request.get("conversation"))
    stored = stored or any(
        text_of(turn.raw, "type") in {"item_reference", "compaction"} for turn in history.turns
    )
    calls: dict[str, list[Call]] = {}
    others = set()  # what else is answered by id, like a search for tools that the client runs
    for block in _blocks(history):
        made = calls.get(str(block.id), [])
        if block.kind == "call":
            calls.setdefault(str(block.id), []).append(Call(block, 0))
        elif block.kind == "server-call":
            others.add(str(block.id))
        elif block.kind != "result":
            continue
        elif call := next((call for call in made if not call.answered), None):
            call.answered = True
        elif made:
            yield HistoryFault("two-results", block.at, f"again for {block.id!r}", False)
        elif not stored and str(block.id) not in others:
            # The id of an output is optional in the type.
            certain = block.id is not None
            yield HistoryFault("orphan-result", block.at, f"no call {block.id!r}", certain)
    for call in (call for made in calls.values() for call in made):
        if not call.answered:
            certain = not call.block.raw.get("async")
            detail = f"no result for {call.block.id!r}"
            yield HistoryFault("call-without-result", call.block.at, detail, certain)


def result_faults(history: History) -> Faults:
    """What a result may hold."""
    for block in _blocks(history):
        if block.kind == "result":
            yield from _content_faults(history, block)


def _content_faults(history: History, result: Block) -> Faults:
    parts = result.value if isinstance(result.value, list) else []
    if history.family == "gemini" and not isinstance(result.value, dict):
        key = "functionResponse" if "functionResponse" in result.raw else "function_response"
        yield HistoryFault("result-no-object", f"{result.at}/{key}/response", "a response is one")
    elif history.family == "bedrock":
        for index, part in enumerate(parts):
            if not isinstance(holder(part).get("json", {}), dict):
                at = f"{result.at}/toolResult/content/{index}/json"
                yield HistoryFault("result-no-object", at, "json is an object")
    elif history.family == "openai":
        for index, part in enumerate(parts):
            if holder(part).get("type") != "text":
                at = f"{result.at}/content/{index}"
                yield HistoryFault("result-media", at, "a tool message holds text", False)
    words = result.value not in (None, "", [])
    if history.family in {"anthropic", "bedrock"} and result.is_error and not words:
        yield HistoryFault("error-without-words", result.at, "an error says what went wrong")
    if history.family == "anthropic" and result.raw.get("is_error", False) is None:
        yield HistoryFault("null-field", f"{result.at}/is_error", "null")
