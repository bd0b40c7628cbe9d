"""The tools, the choice and the cache marks of a request after a switch."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final

from toolcanon.conversations.history_calls import reached
from toolcanon.conversations.read_write import codecs
from toolcanon.conversations.repair_history import HistoryScan, Terms
from toolcanon.conversations.repair_history.repair_log import Tale, rules_of, with_parts
from toolcanon.conversion.api import bind, read
from toolcanon.conversion.binding import Binding, bind_target_of, bound_tools, calls_of
from toolcanon.conversion.detect import foreign_tools
from toolcanon.diagnostics import CODES, Loss
from toolcanon.errors import InputError, UsageError
from toolcanon.formats.wire import notes, own_extras
from toolcanon.formats.wire.codec import CacheMarks, Mark
from toolcanon.formats.wire.format import BUILTIN
from toolcanon.ir import CanonicalTool, Kind, stated_hints
from toolcanon.ir.conversation import Conversation, Message, Part, ToolChoice
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject


class Marking:
    """The cache marks of one history: those of messages move at once, those of tools later."""

    __slots__ = ("_tale", "_there", "_tools")

    def __init__(self, target: str, tale: Tale) -> None:
        self._tale = tale
        self._there: CacheMarks | None = codecs()[target].marks
        self._tools: list[Mark] = []

    def take(self, history: Conversation, target: str) -> Conversation:
        """Return the history of another provider with the target's marks; its tools have none."""
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
        for mark in reversed(marks):  # from the end, so that indexes stay valid
            made = None if self._there is None else self._there.put(parts, mark)
            parts = parts if made is None else self._linked(made, parts)
            if made is None or not mark.is_whole:
                at = bare[mark.behind] if mark.behind >= 0 else message
                self._tale.lose("L334", at, before=mark.said, after=None)
        return with_parts(message, parts, self._tale)

    def _linked(self, made: list[Part], before: list[Part]) -> list[Part]:
        """Return the parts; places of a part that replaces another lead to that one."""
        if len(made) == len(before):
            for new, old in zip(made, before, strict=True):
                if new is not old:
                    self._tale.instead(new, old)
        return made

    def put_tools(self, history: Conversation, rename: Callable[[str], str]) -> Conversation:
        """Return the request with the marks among its tools."""
        tools = history.tools
        for mark in self._tools:
            is_put = self._there is not None and isinstance(tools, list) and bool(tools)
            if self._there is not None and is_put:
                named = mark._replace(tool=None if mark.tool is None else rename(mark.tool))
                tools = self._there.put_tools(tools, named)
            if not is_put or not mark.is_whole:
                self._tale.lose("L334", ("tools",), before=mark.said, after=None)
        return history if tools is history.tools else history.copy_with(tools=tools)


GONE: Final = "No longer offered. Its calls stand in the history of this conversation."
_CODE: Final = CODES["L007"]
_DEFERRED: Final = Pointer(("hints", "deferred"))
_DEPTH: Final = 4
"""How deep names of tools are nested in lists and objects, at most."""


def with_tools(history: Conversation, bound: Binding | None, target: str) -> Conversation:
    """Return the request with the tools as the target has them."""
    if bound is None:
        # Tools in another provider's format would be rejected with the whole request.
        return history if history.format == target else history.copy_with(tools=None)
    if not hasattr(bound, "payload"):
        raise UsageError("a binding made from a receipt has no tools to send")
    listed = bound._assembled() if bound._single else bound.payload  # noqa: SLF001
    return history.copy_with(tools=listed or None)


def limited(history: Conversation, bound: Binding | None, terms: Terms, tale: Tale) -> Conversation:
    """Return the request with a choice that allows no more tools than before.

    Where the target cannot list the allowed tools, only those are declared. Where none of them is
    declared, or the tools are not known, no tool may be called.
    """
    choice = history.tool_choice
    if bound is None or choice is None or choice.mode in {"auto", "required"}:
        return history
    rules = terms.rules
    if choice.mode != "none":
        allowed = [
            item for item in bound_tools(bound) if item.wire and item.wire.name in choice.names
        ]
        if not allowed and terms.target in {history.format, terms.origin}:
            return history  # its own tools may be those that the list has
        if choice.mode == "tool" and (allowed or not rules_of(history.format).chooses_by_list):
            return history
        if allowed:
            if rules.lists_allowed:
                return history
            if choice.is_required and len(choice.names) == 1:
                return history.copy_with(tool_choice=replace(choice, mode="tool", extras=None))
            tale.tell("R140", ("tool_choice",), before=list(choice.names), after=len(allowed))
            target = bind_target_of(bound).target
            written = [
                (item.tool, target.write(item.tool, item.wire))
                for item in allowed
                if item.wire is not None
            ]
            weaker = ToolChoice("required" if choice.is_required else "auto")
            return history.copy_with(tools=target.assemble(written), tool_choice=weaker)
        before = {"mode": choice.mode, "names": list(choice.names)}
        tale.tell("R118", ("tool_choice",), before=before, after="none")
        history = history.copy_with(tool_choice=ToolChoice("none"))
    if rules.forbids_calls or history.format == terms.target:
        return history
    tale.tell("R140", ("tool_choice",), before="none", after=0)
    return history.copy_with(tools=None, tool_choice=None)


def is_stub(tool: CanonicalTool) -> bool:
    """Return whether a switch declared the tool; the next one declares it again where needed."""
    return tool.__dict__.get("description") == GONE


def is_of_stubs(binding: Binding) -> bool:
    """Return whether a binding has only such tools: then it is not what a receipt begins with."""
    tools = binding.tools
    return bool(tools) and all(map(is_stub, tools))


def declare_called(
    mended: Conversation, survey: HistoryScan, bound: Binding | None, terms: Terms, tale: Tale
) -> tuple[Conversation, Binding | None]:
    """Declare what the history calls, if the target requires it and nothing is declared."""
    rules, settings = terms.rules, terms.settings(mended)
    if not terms.is_request or mended.tools or not terms.surely_refuses("tools-missing"):
        return mended, bound
    if any(settings.get(key) for key in rules.tool_settings):
        return mended, bound
    names = survey.tools_of(mended)
    if names is None:
        names = reached(mended)
    if not names:
        return mended, bound
    made = [CanonicalTool(name=name, description=GONE, inputs={"type": "object"}) for name in names]
    for number, name in enumerate(names):
        tale.tell("R119", ("tools", number), after=name)
    binding = bind(made, terms.target)
    is_known = bound is not None and bool(calls_of(bound).shapes)  # a choice forbids its tools
    return mended.copy_with(tools=binding.payload), bound if is_known else binding


def searchable(tools: list[CanonicalTool], terms: Terms, tale: Tale) -> list[CanonicalTool]:
    """Return the tools with the target's own search tool; loaded at once where there is none.

    A model never finds deferred tools without one, and a request of only such tools is rejected.
    """
    target, search = terms.target, terms.rules.search_tool
    if not search or not any(stated_hints(tool).get("deferred") for tool in tools):
        return tools
    found: list[CanonicalTool] = []
    has_search = False
    for number, tool in enumerate(tools):
        given = _search_of(tool, target)
        if given is None:
            found.append(tool)
            continue
        if not has_search:
            found.append(tool if target == str(tool.source_format) else read([dict(search)])[0])
        if found[-1] is not tool:
            tale.tell("R146", ("tools", number), before=given, after=dict(search))
        has_search = True
    return found if has_search else [_eager(tool, tale) for tool in found]


def _search_of(tool: CanonicalTool, target: str) -> Json:
    """Return the definition of a search tool that its provider runs; None for any other tool."""
    source = str(tool.source_format)
    if tool.kind is not Kind.BUILTIN or source not in codecs():
        return None
    given: JsonObject = notes(own_extras(tool, source)).get(BUILTIN) or {}
    types = rules_of(source).search_types
    if not types or re.fullmatch(types, str(given.get("type"))) is None:
        return None
    is_run_here = given.get("execution", "server") != "server"
    return None if is_run_here and source != target else given


def _eager(tool: CanonicalTool, tale: Tale) -> CanonicalTool:
    if not stated_hints(tool).get("deferred") or tool.hints is None:
        return tool
    tale.losses.append(Loss("L007", _CODE.name, _CODE.effect, tool.id, _DEFERRED, True, None))
    return tool.model_copy(update={"hints": tool.hints.model_copy(update={"deferred": None})})


def needs_binding(history: Conversation, terms: Terms) -> bool:
    """Return whether the tools of a request must be written again for the target.

    True for tools of another format, also in a request of the target, and for its own tools where
    the target rejects a name that is called, chosen or declared: every name changes alike.
    """
    if history.format != terms.target or foreign_tools(history.tools, terms.target):
        return True
    policy = terms.rules.names
    if policy is None:
        return False
    names = {call.name for message in history.messages for call in message.calls}
    if history.tool_choice is not None:
        names.update(history.tool_choice.names)
    if not all(map(policy.allows, names)):
        return True
    if all(map(policy.allows, _spelled(history.tools))):
        return False  # most requests: no reader is needed to find the names of tools
    with suppress(InputError):
        names.update(tool.name for tool in read(history.tools) if tool.kind is not Kind.BUILTIN)
    return not all(map(policy.allows, names))


def _spelled(tools: Json) -> set[str]:
    """Return every text under a key for names, of tools or of anything else."""
    found: set[str] = set()
    level: list[Json] = [tools]
    for _ in range(_DEPTH + 1):
        below: list[Json] = []
        for held in level:
            if held.__class__ is list:
                below += held
            elif held.__class__ is dict:
                name = held.get("name")
                if name.__class__ is str:
                    found.add(name)
                below += held.values()
        level = below
    return found
