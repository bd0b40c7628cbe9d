"""Two versions of one tool as rules see them, computed when needed."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.wire.format import NOTES
from toolcanon.ir import CanonicalTool, stated_hints, trusted_tool
from toolcanon.ir.walk import ToolView
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.normal.terms import alike
from toolcanon.schema.cached_property import kept

_PICTURES: Final = "icons"
_OBJECT: Final[JsonObject] = {"type": "object"}


class ToolPair:
    """One tool before and after."""

    def __init__(self, before: CanonicalTool, after: CanonicalTool) -> None:
        self.before = before
        self.after = after

    @property
    def name(self) -> str:
        """The name, or the new one of two."""
        return self.after.id

    @kept
    def gone(self) -> ToolView:
        """The old version with only those texts that the new one does not have."""
        return self._apart(self.before, self.after)

    @kept
    def new(self) -> ToolView:
        """The new version with only those texts and parameters that the old one does not have."""
        return self._apart(self.after, self.before)

    @kept
    def is_same_format(self) -> bool:
        """Whether both have the same format, so that its own fields can be compared."""
        return str(self.before.source_format) == str(self.after.source_format)

    @kept
    def inputs(self) -> tuple[JsonObject, JsonObject]:
        """The schemas of the arguments, which are always objects."""
        return _arguments(self.before), _arguments(self.after)

    @kept
    def outputs(self) -> tuple[JsonObject, JsonObject]:
        return self.before.output_schema, self.after.output_schema

    @kept
    def extras(self) -> tuple[JsonObject, JsonObject]:
        """The fields of the format, without our notes."""
        return _extras(self.before), _extras(self.after)

    @kept
    def differing(self) -> frozenset[str]:
        """The fields that differ; hints, which have defaults, are compared elsewhere."""
        one, other = self.before.__dict__, self.after.__dict__
        return frozenset(
            key
            for key in {**one, **other}
            if key not in _SILENT and key[0] != "_" and not alike(one.get(key), other.get(key))
        )

    @property
    def differs(self) -> bool:
        """Whether there is anything to compare."""
        if self.differing or stated_hints(self.before) != stated_hints(self.after):
            return True
        return self.before.source_format != self.after.source_format

    def states_hints(self) -> bool:
        """Whether hints can be compared: another format may have no fields for them."""
        return self.is_same_format or all(stated_hints(tool) for tool in (self.before, self.after))

    def _apart(self, tool: CanonicalTool, other: CanonicalTool) -> ToolView:
        """Return a tool for rules, without the texts that are equal in the other one."""
        own, known = tool.__dict__, other.__dict__
        said = {key: _less(own[key], known.get(key)) for key in own if key in self.differing}
        said["name"] = tool.name
        if "extras" in said:  # images are long, and no rule reads them
            said["extras"] = {
                origin: {key: value for key, value in kept.items() if key != _PICTURES}
                for origin, kept in said["extras"].items()
            }
        return ToolView(trusted_tool({**said, "source_format": tool.source_format}))


_SILENT: Final = frozenset({"hints", "source_format", "original_definition", "capabilities"})


def _less(value: Json, other: Json) -> Json:
    """Return an object without the members that are equal in another one, at every depth."""
    if value.__class__ is not dict:
        return value
    known = other if other.__class__ is dict else {}
    return {
        key: _less(inner, known[key]) if key in known else inner
        for key, inner in value.items()
        if key not in known or inner != known[key]
    }


def _arguments(tool: CanonicalTool) -> JsonObject:
    schema = tool.input_schema
    if "type" in schema:
        return schema
    return {**_OBJECT, **schema} if schema else _OBJECT


def _extras(tool: CanonicalTool) -> JsonObject:
    found: Json = tool.__dict__.get("extras") or {}
    own = found.get(str(tool.source_format), {})
    return {key: value for key, value in own.items() if key != NOTES}
