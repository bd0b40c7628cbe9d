"""Members that have members of their own, taken apart.

An object inside a member is lowered like the arguments of a tool: by itself, its members each by
itself (``lowering/independent.py``). So a member is written as it is if all of its parts were, in
whatever members they were met.
"""

from __future__ import annotations

from typing import Final

import orjson

from toolcanon.dialect.names import NamePolicy
from toolcanon.jsonio.types import Json, JsonObject

_NESTED: Final = b'"properties":{"'
_CUT: Final = "\0"  # in the place of members, and of the list of those required


def parts_of(outline: bytes, names: NamePolicy | None) -> list[bytes] | None:
    """The parts of a member with members, by its outline; None for one without."""
    if _NESTED not in outline:
        return None
    member = orjson.loads(outline.replace(b"\2", b"\\u0002").replace(b"\5", b'"\\u0005"'))
    parts: list[bytes] = []
    parts.append(orjson.dumps(_apart(member, names, parts)))
    return parts


def _apart(node: Json, names: NamePolicy | None, parts: list[bytes]) -> Json:
    """The node without its members, which become parts; the same below the items of a list."""
    if not isinstance(node, dict):
        return node
    members = node.get("properties")
    out: JsonObject = dict(node)
    if "items" in node:
        out["items"] = _apart(node["items"], names, parts)
    if members and isinstance(members, dict) and _can_be_cut(node, members, names):
        # A part of a part is not what a member of the arguments is.
        parts += [b"." + orjson.dumps(_apart(one, names, parts)) for one in members.values()]
        out["properties"] = _CUT
        if node.get("required"):
            out["required"] = _CUT
    return out


def _can_be_cut(node: JsonObject, members: JsonObject, names: NamePolicy | None) -> bool:
    """Whether its members are schemas under legal names, and no others are required."""
    required = node.get("required", [])
    return (
        isinstance(node.get("type"), str)
        and isinstance(required, list)
        and all(isinstance(name, str) and name in members for name in required)
        and all(
            isinstance(one, dict) and name[:1] != "$" and (names is None or names.allows(name))
            for name, one in members.items()
        )
    )
