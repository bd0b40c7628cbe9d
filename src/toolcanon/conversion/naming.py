"""Descriptions that mention tools by the names that a naming profile gives them."""

from __future__ import annotations

from collections.abc import Iterable

from toolcanon.conversion.bind_target import BindTarget, changed
from toolcanon.formats.wire import Wire
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import JsonObject


def telling(bind_target: BindTarget, tools: Iterable[CanonicalTool]) -> BindTarget:
    """The target by which descriptions tell the outside names of the tools they mention, too."""
    target, profile = bind_target.target, bind_target.target.naming
    if profile is None or not profile.mentions:
        return bind_target
    names = profile.sent(tool.name for tool in tools)

    def write(tool: CanonicalTool, wire: Wire) -> JsonObject:
        told = profile.told(tool.description, names)
        if told != tool.description:
            tool = tool.model_copy(update={"description": told})
        return target.write(tool, wire)

    return BindTarget(changed(target, write=write), bind_target.choice)
