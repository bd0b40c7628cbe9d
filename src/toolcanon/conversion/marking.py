"""Marks for a provider's cache, in the target's way where it has one."""

from __future__ import annotations

from collections.abc import Callable

from toolcanon.conversion.conversations import codecs
from toolcanon.conversion.repairs.tale import Tale, with_parts
from toolcanon.formats.wire.marks import CacheMarks, Mark
from toolcanon.ir.conversation import Conversation, Message, Part


class Marking:
    """The marks of one history: those of its messages move at once, those of its tools later."""

    __slots__ = ("_tale", "_there", "_tools")

    def __init__(self, target: str, tale: Tale) -> None:
        self._tale = tale
        self._there: CacheMarks | None = codecs()[target].marks
        self._tools: list[Mark] = []

    def take(self, history: Conversation, target: str) -> Conversation:
        """The history of another provider with the target's marks; its tools without any."""
        here = codecs()[history.format].marks if history.format in codecs() else None
        if here is None or history.format == target:
            return history
        messages = [self._moved(message, here) for message in history.messages]
        system = None if history.system is None else self._moved(history.system, here)
        tools = history.tools
        if isinstance(tools, list):
            tools, self._tools = here.take_tools(tools)
        return history.copy_with(messages=messages, system=system, tools=tools)

    def _moved(self, message: Message, here: CacheMarks) -> Message:
        bare, marks = here.take(message.parts)
        if bare is message.parts:
            return message
        parts = self._linked(bare, message.parts)
        for mark in reversed(marks):  # from the end, so that the numbers stay right
            made = None if self._there is None else self._there.put(parts, mark)
            parts = parts if made is None else self._linked(made, parts)
            if made is None or not mark.is_whole:
                at = bare[mark.behind] if mark.behind >= 0 else message
                self._tale.lose("L334", at, before=mark.said, after=None)
        return with_parts(message, parts, self._tale)

    def _linked(self, made: list[Part], before: list[Part]) -> list[Part]:
        """The parts; where each stands for one before, places lead to that one."""
        if len(made) == len(before):
            for new, old in zip(made, before, strict=True):
                if new is not old:
                    self._tale.instead(new, old)
        return made

    def put_tools(self, history: Conversation, rename: Callable[[str], str]) -> Conversation:
        """The request with the marks among its tools."""
        tools = history.tools
        for mark in self._tools:
            is_put = self._there is not None and isinstance(tools, list) and bool(tools)
            if self._there is not None and is_put:
                named = mark._replace(tool=None if mark.tool is None else rename(mark.tool))
                tools = self._there.put_tools(tools, named)
            if not is_put or not mark.is_whole:
                self._tale.lose("L334", ("tools",), before=mark.said, after=None)
        return history if tools is history.tools else history.copy_with(tools=tools)
