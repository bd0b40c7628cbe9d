"""Changes of arguments: calls that were valid must stay valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.diagnostics.change import Change
from toolcanon.drift.pair import Pair
from toolcanon.drift.schemas import schema_changes
from toolcanon.drift.telling import amended, here, told
from toolcanon.formats.wire.extras import ABSENT, NOTES, SPELLING
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json

_DOCUMENTED: Final = "the description listed exactly these values before"


def inputs(pair: Pair) -> Iterator[Change]:
    """Yield the changes of the schema of the arguments."""
    if pair.is_same_format and pair.after.kind is Kind.FUNCTION:
        lost, had = _has_no_schema(pair.after), _has_no_schema(pair.before)
        if lost != had:
            yield told("input-schema-missing" if lost else "input-schema-restored",
                       both=here("inputs"))  # fmt: skip
    if "inputs" not in pair.differing:
        return
    for change in schema_changes(pair, "input"):
        if change.name == "input-optional-property-added" and _is_required(change, pair):
            continue  # the change to required reports the new member
        yield _hinted(change, pair)


def _has_no_schema(tool: CanonicalTool) -> bool:
    """Return whether the schema is absent or null; an empty one accepts everything."""
    if tool.inputs:
        return False
    noted: Json = (tool.extras.get(str(tool.source_format)) or {}).get(NOTES) or {}
    return bool(noted.get(ABSENT)) or None in (noted.get(SPELLING) or {}).values()


def _is_required(change: Change, pair: Pair) -> bool:
    if change.at is None:
        return False
    *_, name = change.at
    holder: Json = pair.inputs[1]
    for step in change.at[1:-2]:  # down to the object that declares it
        holder = holder[step]
    required = holder.get("required")
    return isinstance(required, list) and name in required


def _hinted(change: Change, pair: Pair) -> Change:
    """Add a hint and lower the severity where the text listed the values of a new enum before."""
    if change.name != "input-enum-added" or not isinstance(change.after, list):
        return change
    texts = " ".join([pair.before.description, *_texts(change, pair)]).lower()
    words = [str(value).lower() for value in change.after]
    is_known = bool(words) and all(word in texts for word in words)
    return amended(change, hint=_DOCUMENTED) if is_known else change


def _texts(change: Change, pair: Pair) -> Iterator[str]:
    holder: Json = pair.inputs[0]
    steps = Pointer((change.was or ())[1:]).as_far_as(holder)
    for end in range(len(steps) + 1):
        around = Pointer(steps[:end]).resolve(holder)
        if isinstance(around, dict) and isinstance(text := around.get("description"), str):
            yield text
