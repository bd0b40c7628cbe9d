"""Ids for calls and results that came without, for targets that pair them by id.

An invented id follows from the place of the call, so that the same history always gets the same.
"""

from __future__ import annotations

from collections import OrderedDict, deque

from toolcanon.formats.wire.codec import Told
from toolcanon.ir.conversation import Call, Result


class CallIds:
    """Remembers the invented ids whose results are still to come."""

    __slots__ = ("_by_name", "_told", "_waiting")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._waiting: OrderedDict[str, str] = OrderedDict()
        self._by_name: dict[str, deque[str]] = {}

    def of_call(self, call: Call, at: tuple[str | int, ...]) -> str:
        """Its own, or one made from its place."""
        if call.id is not None:
            return call.id
        made = _made(at)
        self._waiting[made] = call.name
        self._by_name.setdefault(call.name, deque()).append(made)
        self._told.lose("L322", at, None, made)
        return made

    def of_result(self, result: Result, at: tuple[str | int, ...]) -> str:
        """Its own, or that of the first call without an id that still waits for this answer."""
        if result.call_id is not None:
            return result.call_id
        name = result.name
        if name is None and self._waiting:
            name = next(iter(self._waiting.values()))
        if name is not None and self._by_name.get(name):
            made = self._by_name[name].popleft()
            del self._waiting[made]
            return made
        made = _made(at)
        self._told.lose("L322", at, None, made)
        return made


def _made(at: tuple[str | int, ...]) -> str:
    return "call_" + "_".join(str(step) for step in at if isinstance(step, int))
