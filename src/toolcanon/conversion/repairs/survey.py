"""One look at a history: which repairs can be needed at all. Most histories need none."""

from __future__ import annotations

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


class Survey:
    """What there is."""

    __slots__ = (
        "_target",
        "blanks",
        "empty",
        "misplaced",
        "natives",
        "odd_arguments",
        "own",
        "silent_errors",
        "thoughts",
        "values",
    )

    def __init__(self, conversation: Conversation, terms: Terms) -> None:
        self.blanks = self.empty = self.misplaced = self.natives = self.odd_arguments = False
        self.own = self.silent_errors = self.thoughts = self.values = False
        self._target = target = terms.target
        for message in conversation.messages:
            extras = message.extras
            if extras is not None and target in extras:
                self.own = True
            if not message.parts:
                self.empty = True
            self._look(message)
        if conversation.system is not None:
            self._look(conversation.system)

    def _look(self, message: Message) -> None:
        for part in message.parts:
            kind = part.__class__
            if kind is Text:
                text = part.text  # type: ignore[union-attr]
                if not text or text.isspace():
                    self.blanks = True
            elif kind is Call:
                self._look_at_call(part, message.role == "assistant")  # type: ignore[arg-type]
            elif kind is Result:
                self._look_at_result(part)  # type: ignore[arg-type]
            elif kind is Reasoning:
                self.thoughts = True
            elif kind is Native:
                self.natives = True

    def _look_at_call(self, call: Call, is_assistants: bool) -> None:  # noqa: FBT001 - asked often
        if call.extras is not None and self._target in call.extras:
            self.own = True
        if not is_assistants:
            self.misplaced = True
        if call.arguments.__class__ is not dict or call.problem is not None:
            self.odd_arguments = True
        elif call.text is None:
            self.values = True

    def _look_at_result(self, result: Result) -> None:
        said = False
        for part in result.content:
            if part.__class__ is Text:
                text = part.text
                if not text or text.isspace():
                    self.blanks = True
                else:
                    said = True
            else:
                said = True
                if part.__class__ is Data:
                    self.values = True
        if not said and result.is_error:
            self.silent_errors = True
