"""Find which features of a tool an adapter's output lacks, by reading it back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from toolcanon.conversion.differences import ABSENT, differences
from toolcanon.formats.wire.annotations import ANNOTATIONS
from toolcanon.formats.wire.extras import NOTES
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.notes import as_text
from toolcanon.schema.keywords import POSITIONS, Position

SCHEMA_FEATURES: Final = tuple(
    "$ref $defs anyOf oneOf allOf not pattern format additionalProperties minimum maximum "
    "minLength maxLength enum const default".split()
)
"""The compared keywords of schemas, in a fixed order."""
OUTPUT_SCHEMA: Final = "outputSchema"
"""Reported when an output schema without any of these keywords is lost."""
_FEATURES: Final = frozenset(SCHEMA_FEATURES)
_SCHEMAS: Final = frozenset({"inputs", "outputs"})
_EMPTY: Final[tuple[Json, ...]] = (None, "", {}, [])
"""Values that state nothing, so that their absence is no loss."""
_ANNOTATED: Final = frozenset({"read_only", "destructive", "idempotent", "open_world"})


def fields_lost(tool: CanonicalTool, sent: CanonicalTool) -> list[str]:
    """Return the fields beside the schemas that the written tool lacks or has changed, each once.

    Names are those of the adapters: ``title``, ``annotations``, ``_meta``, ``strict`` … A name that
    was joined with its namespace counts as the namespace.
    """
    lost: dict[str, None] = {}
    for at, before, _ in differences(tool, sent):
        if before is ABSENT or before in _EMPTY or at[0] in _SCHEMAS or at[-1] == NOTES:
            continue
        lost[ANNOTATIONS if at[0] == "hints" and at[-1] in _ANNOTATED else str(at[-1])] = None
    if "namespace" in lost:
        lost.pop("name", None)
    return list(lost)


class _Occurrence(NamedTuple):
    """One feature at one place of a schema."""

    feature: str
    at: tuple[str | int, ...]
    gist: str
    """What identifies it among others of its kind, independent of its place."""


class Features(NamedTuple):
    """The features of both schemas of a tool, as 2020-12 has them, in document order.

    Keywords without meaning in the draft of their schema do not count.
    """

    inputs: list[_Occurrence]
    outputs: list[_Occurrence] | None
    """None where the tool has no output schema."""

    @classmethod
    def of(cls, tool: CanonicalTool) -> Features:
        """Return the features of a tool."""
        outputs = tool.output_schema
        return cls([*_features(tool.input_schema)], [*_features(outputs)] if outputs else None)

    def names(self) -> list[str]:
        """Return the feature of every occurrence."""
        outputs = [item.feature for item in self.outputs or ()]
        if self.outputs is not None and not outputs:
            outputs = [OUTPUT_SCHEMA]
        return [*(item.feature for item in self.inputs), *outputs]

    def missing_in(self, sent: Features, denied: set[str]) -> list[str]:
        """Return the occurrences that another tool lacks, and those of denied features."""
        lost = _missing(self.inputs, sent.inputs, denied)
        if self.outputs is None:
            return lost
        if not self.outputs:
            gone = sent.outputs is None or OUTPUT_SCHEMA in denied
            return [*lost, OUTPUT_SCHEMA] if gone else lost
        return [*lost, *_missing(self.outputs, sent.outputs or [], denied)]


def _missing(had: list[_Occurrence], sent: list[_Occurrence], denied: set[str]) -> list[str]:
    """Match occurrences by place first, then anywhere; return those without a match.

    Lowering moves schemas (folded unions, inlined references) and adds keywords of its own, so
    neither places nor numbers alone are enough.
    """
    old_places = {item.at for item in had}
    places = {item.at for item in sent}
    moved = Counter((item.feature, item.gist) for item in sent if item.at not in old_places)
    lost = []
    for item in had:
        if item.feature in denied:
            lost.append(item.feature)
            continue
        if item.at in places:
            continue
        key = (item.feature, item.gist)
        if moved[key]:
            moved[key] -= 1
        else:
            lost.append(item.feature)
    return lost


def _features(node: JsonObject, at: tuple[str | int, ...] = ()) -> Iterator[_Occurrence]:
    for key, value in node.items():
        below = (*at, key)
        if key in _FEATURES:
            # An object that was open and is closed now lost the meaning of its keyword.
            yield _Occurrence(key, (*below, value is False), _gist(key, value))
        position = POSITIONS.get(key)
        if position is None:
            continue
        if isinstance(value, dict) and position is not Position.SCHEMA_MAP:
            yield from _features(value, below)
            continue
        if isinstance(value, dict):
            held: Any = value.items()
        else:
            held = enumerate(value) if isinstance(value, list) else ()
        for step, item in held:
            if isinstance(item, dict):
                yield from _features(item, (*below, step))


def _gist(feature: str, value: Json) -> str:
    """Return what stays the same when lowering moves a feature, without what is below it."""
    if feature in {"$defs", "not"}:
        return ""
    if feature == "additionalProperties":
        return str(value is False)
    if feature == "$ref":
        return _last(value)
    if not isinstance(value, list):
        return repr(value)
    if feature == "enum":  # null is added for optional members, and values may become strings
        return repr([as_text(item) for item in value if item is not None])
    first = value[0] if value else None  # a null is added at the end of a union
    if feature not in POSITIONS or not isinstance(first, dict):
        return repr(value)
    members = first.get("properties")
    names = sorted(map(str, members)) if isinstance(members, dict) else []
    return repr((first.get("type") or _last(first.get("$ref")) or sorted(map(str, first)), names))


def _last(reference: Json) -> str:
    """Return the name in a reference, in any notation."""
    return reference.rpartition("/")[2] if isinstance(reference, str) else ""
