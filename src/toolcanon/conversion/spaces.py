"""Namespaces as a target has them: legal, unique, and only where the source has real ones."""

from __future__ import annotations

from collections.abc import Sequence

from toolcanon.formats.wire import WritableFormat
from toolcanon.ir import CanonicalTool
from toolcanon.naming import aliases
from toolcanon.registry import registry


def space_of(tool: CanonicalTool, target: WritableFormat) -> str | None:
    """The namespace that a tool keeps at a target; None where it has none or its name holds it.

    The group of a catalog is no namespace: no model was ever shown it. So it becomes part of the
    name wherever calls have to name a namespace.
    """
    said = tool.__dict__
    space: str | None = said.get("namespace") or None
    if space is None or not target.namespaces:
        return None
    if target.calls_name_spaces:
        source = registry().formats.get(str(said.get("source_format")))
        if source is not None and source.is_catalog:
            return None
    return space


def wire_spaces(
    tools: Sequence[CanonicalTool],
    target: WritableFormat,
    verbatim: bool,  # noqa: FBT001
) -> list[str | None]:
    """What the namespace of each tool is called at a target; legal and unique unless verbatim."""
    if not target.namespaces:
        return [None] * len(tools)
    spaces = [space_of(tool, target) for tool in tools]
    policy = target.names if target.calls_name_spaces else None
    if verbatim or policy is None:
        return spaces
    known = list(dict.fromkeys(space for space in spaces if space is not None))
    table: dict[str | None, str | None] = {None: None}
    table |= dict(zip(known, aliases(known, policy), strict=True))
    return [table[space] for space in spaces]
