"""Deferred tools: the built-in tool that finds them, in the target's words."""

from __future__ import annotations

import re
from typing import Final

from toolcanon.conversion.api import read
from toolcanon.conversion.conversations import codecs
from toolcanon.conversion.repairs import Tale, Terms
from toolcanon.conversion.repairs.terms import rules_of
from toolcanon.diagnostics import CODES, Loss
from toolcanon.formats.wire import notes, own_extras
from toolcanon.formats.wire.extras import BUILTIN
from toolcanon.ir import CanonicalTool, Kind, stated_hints
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject

_CODE: Final = CODES["L007"]
_DEFERRED: Final = Pointer(("hints", "deferred"))


def searchable(tools: list[CanonicalTool], terms: Terms, tale: Tale) -> list[CanonicalTool]:
    """The tools with the target's own search tool; loaded at once where there is none.

    A model never finds deferred tools without one, and a request of only such tools is refused.
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
    """The definition of a search tool that its provider runs; None for any other tool."""
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
