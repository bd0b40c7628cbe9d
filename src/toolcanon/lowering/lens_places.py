"""Where arguments of the original stand in what the model saw, as far as names tell.

For words to the model only: below a rewrite that moves values the original's terms stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import JsonObject

_IN_PLACE: Final = frozenset({"rename", "absent"})
_MOST_NODES: Final = 1_000


def seen_at(document: JsonObject, at: Pointer) -> tuple[Pointer, dict[str, str]]:
    """The place by the names that the model knows, and those of the members there.

    >>> lens = {"version": 1, "root": {"ops": [{"op": "rename", "names": {"a b": "a_b"}}]}}
    >>> seen_at(lens, Pointer(("a b", "c")))
    (Pointer('/a_b/c'), {})
    >>> seen_at(lens, Pointer())
    (Pointer(''), {'a b': 'a_b'})
    """
    defs = document.get("defs") or {}
    nodes = _alike([document.get("root") or {}], defs)
    seen: list[str | int] = []
    for step in at:
        written = step if isinstance(step, int) else _names(nodes).get(step, step)
        seen.append(written)
        stays = all(op["op"] in _IN_PLACE for node in nodes for op in node.get("ops", ()))
        below = [inner for node in nodes for inner in _below(node, written)] if stays else []
        nodes = _alike(below, defs)
    return Pointer(seen), _names(nodes)


def _alike(nodes: Sequence[JsonObject], defs: dict[str, JsonObject]) -> list[JsonObject]:
    """The nodes that speak of one value: behind references, and in every branch of a union."""
    found: list[JsonObject] = []
    followed: set[str] = set()
    waiting = list(reversed(nodes))
    while waiting and len(found) < _MOST_NODES:
        node = waiting.pop()
        found.append(node)
        ref = node.get("$ref")
        if ref is not None and ref not in followed:
            followed.add(ref)
            waiting.append(defs.get(ref) or {})
        waiting += [branch.get("lens") or {} for branch in reversed(node.get("anyOf", ()))]
    return found


def _names(nodes: Sequence[JsonObject]) -> dict[str, str]:
    names: dict[str, str] = {}
    for node in nodes:
        for op in node.get("ops", ()):
            if op["op"] == "rename":
                names = {**op["names"], **names}
    return names


def _below(node: JsonObject, step: str | int) -> Iterator[JsonObject]:
    if isinstance(step, int):
        first = node.get("prefixItems", ())
        below = first[step] if step < len(first) else node.get("items")
    else:
        below = node.get("properties", {}).get(step, node.get("additionalProperties"))
    if below:
        yield below
