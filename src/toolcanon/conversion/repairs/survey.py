"""One look at a history: which repairs can be needed at all. Most histories need none."""

from __future__ import annotations

from typing import Final

from toolcanon.conversion.repairs.finite import is_finite
from toolcanon.conversion.repairs.ids import OURS, takes_id
from toolcanon.conversion.repairs.terms import Terms
from toolcanon.ir.conversation import (
    Call,
    Conversation,
    Data,
    Message,
    Native,
    Reasoning,
    Result,
    Text,
)

_SIMPLE: Final = frozenset({str, int, bool, type(None)})


class Survey:
    """What there is, and whether calls and results are as every provider wants them."""

    __slots__ = (
        "_ids",
        "_is_legal",
        "_target",
        "_waiting",
        "blanks",
        "called",
        "empty",
        "infinite",
        "is_paired",
        "misplaced",
        "natives",
        "odd_arguments",
        "own",
        "silent_errors",
        "thoughts",
    )

    def __init__(self, conversation: Conversation, terms: Terms) -> None:
        self.blanks = self.empty = self.misplaced = self.natives = self.odd_arguments = False
        self.own = self.silent_errors = self.thoughts = self.infinite = False
        self.is_paired = not terms.ids
        """Each call has a legal id of its own, and its result right behind its turn."""
        self.called: dict[str, Call] = {}
        """The first call of each tool, by its id."""
        self._target = terms.target
        self._is_legal = takes_id(terms.rules, is_foreign=conversation.format != terms.target)
        self._ids: set[str] = set()
        self._waiting: set[str] = set()
        self._look(conversation.messages)
        if self._waiting or (self.own and terms.is_grouping):
            self.is_paired = False
        if conversation.system is not None:
            self._look([conversation.system])

    def _look(self, messages: list[Message]) -> None:
        target, waiting = self._target, self._waiting
        was_asking = spoke = False
        for message in messages:
            is_asking = message.role == "assistant"
            if is_asking is not was_asking:
                was_asking, spoke = is_asking, False
                self.is_paired = self.is_paired and not (is_asking and waiting)
            if message.extras is not None and target in message.extras:
                self.own = True
            if not message.parts:
                self.empty = spoke = True
            for part in message.parts:
                if part.__class__ is Text:
                    spoke = True
                    if not part.text or part.text.isspace():
                        self.blanks = True
                elif part.__class__ is Result:
                    if spoke or is_asking or part.call_id not in waiting:
                        self.is_paired = False
                    else:
                        waiting.remove(part.call_id)
                    self._result(part)
                elif part.__class__ is Call:
                    self._call(part, is_asking)
                else:
                    spoke = True
                    self.thoughts = self.thoughts or part.__class__ is Reasoning
                    self.natives = self.natives or part.__class__ is Native

    def _call(self, call: Call, is_asking: bool) -> None:  # noqa: FBT001 - asked often
        call_id, name = call.id, call.name
        if (
            call_id is None
            or call_id in self._ids
            or call_id[:2] == OURS
            or not self._is_legal(call_id)
        ):
            self.is_paired = False
        else:
            self._ids.add(call_id)
            self._waiting.add(call_id)
        if call.namespace:
            name = f"{call.namespace}:{name}"
        if name not in self.called:
            self.called[name] = call
        if call.extras is not None and self._target in call.extras:
            self.own = True
        if not is_asking:
            self.misplaced = True
        arguments = call.arguments
        if arguments.__class__ is not dict or call.problem is not None:
            self.odd_arguments = True
        elif call.text is None and not _SIMPLE.issuperset(map(type, arguments.values())):
            self.infinite = self.infinite or not is_finite(arguments)

    def _result(self, result: Result) -> None:
        said = False
        for part in result.content:
            if part.__class__ is Text:
                if not part.text or part.text.isspace():
                    self.blanks = True
                else:
                    said = True
            else:
                said = True
                if part.__class__ is Data:
                    self.infinite = self.infinite or not is_finite(part.value)
        if not said and result.is_error:
            self.silent_errors = True
