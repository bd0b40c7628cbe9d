"""Where the members of an example are, in what is given and in what is written of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson

from toolcanon.jsonio.types import Json, JsonObject

MEMBER: Final = "toolcanon_member"
OTHER: Final = "toolcanon_other"
NESTED: Final = "toolcanon_nested"
HERE: Final = "toolcanon_members"


def paths(value: Json, at: list[str]) -> Iterator[list[str]]:
    if not isinstance(value, dict):
        return
    members = value.get("properties")
    if isinstance(members, dict) and [*members] in ([MEMBER], [MEMBER, OTHER]):
        yield at
    for key, below in value.items():
        yield from paths(below, [*at, key])


def path_to_members(tool: Json) -> list[str] | None:
    """Where the one schema with our member is."""
    found = list(paths(tool, []))
    return found[0] if len(found) == 1 else None


def names_others(value: Json, root: JsonObject) -> bool:
    """Whether members are required elsewhere than at the root of the schema."""
    if not isinstance(value, dict):
        return False
    if value.get("required") and value is not root:
        return True
    return any(names_others(below, root) for below in value.values())


def holds(value: Json, sought: Json) -> bool:
    """Whether an object is in a value as it is."""
    if value == sought:
        return True
    return isinstance(value, dict) and any(holds(below, sought) for below in value.values())


def value_at(value: Json, path: Sequence[str]) -> Any:
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def without_members(made: Json, path: Sequence[str]) -> bytes:
    """What is written of a tool, as text, with a word of ours for its members."""
    root = value_at(made, path)
    if not (isinstance(root, dict) and isinstance(root.get("properties"), dict)):
        return orjson.dumps(made)
    members, root["properties"] = root["properties"], HERE
    text = orjson.dumps(made)
    root["properties"] = members
    return text
