"""What the branches of a union ask for, in words for the model.

A remark never says more than the schema: whoever does as it says sends what the schema accepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.notes import as_text
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.values import identity

_LONGEST: Final = 600
_PURE: Final = ANNOTATIONS | {"type", "required", "properties", "additionalProperties"}


def remark(
    key: str, own: JsonObject, branches: Sequence[JsonObject], required: Sequence[str]
) -> str | None:
    """Which members go together; None where nothing can be said that always holds.

    >>> modes = [{"properties": {"mode": {"const": "a"}}, "required": ["x"]},
    ...          {"properties": {"mode": {"const": "b"}}}]
    >>> remark("oneOf", {}, modes, ["mode"])
    'x when mode is a'
    >>> remark("anyOf", {}, [{"required": ["a", "b"]}, {"required": ["c"]}], [])
    'at least one of: a and b | c'
    """
    needs = [
        [name for name in branch.get("required") or () if name not in required]
        for branch in branches
    ]
    if not any(needs):
        return None
    switch = _switch(branches)
    if switch is not None:
        name, values = switch
        parts = [
            f"{' and '.join(needed)} when {name} is {' or '.join(map(as_text, listed))}"
            for needed, listed in zip(needs, values, strict=True)
            if needed
        ]
        text = "; ".join(parts)
    elif all(needs):
        how = "exactly" if key == "oneOf" and _excludes(own, branches) else "at least"
        text = f"{how} one of: {' | '.join(dict.fromkeys(map(' and '.join, needs)))}"
    else:
        return None  # one of them asks for nothing
    return text if len(text) <= _LONGEST else None


def _switch(branches: Sequence[JsonObject]) -> tuple[str, list[list[Json]]] | None:
    """The member whose value decides which branch it is, and its values in each of them."""
    for name in branches[0].get("properties") or ():
        listed = [_listed((branch.get("properties") or {}).get(name)) for branch in branches]
        values = [value for some in listed for value in some]
        if all(listed) and len(set(map(identity, values))) == len(values):
            return name, listed
    return None


def _listed(schema: Json) -> list[Json]:
    """The values of a schema that lists them; none where it does not."""
    if schema.__class__ is not dict:
        return []
    if "const" in schema:
        return [schema["const"]]
    values: list[Json] = schema.get("enum") or []
    return list({identity(value): value for value in values}.values())


def _excludes(own: JsonObject, branches: Sequence[JsonObject]) -> bool:
    """Whether a value that has all that one branch asks for is always one of that branch."""
    if not all(branch.keys() <= _PURE for branch in branches):
        return False
    closed = [branch.get("additionalProperties") for branch in branches]
    if any(said not in (None, False) or said is not closed[0] for said in closed):
        return False
    tables: list[JsonObject] = [own.get("properties") or {}]
    tables += [branch.get("properties") or {} for branch in branches]
    return all(
        schema is True or schema == {} or sum(name in table for table in tables) == 1
        for table in tables[1:]
        for name, schema in table.items()
    )
