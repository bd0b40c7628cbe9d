"""Keys that are no texts: Python allows them, JSON does not, and no loader lets them in.

Nobody looks for them before something fails on them.
"""

from __future__ import annotations

from toolcanon.jsonio.pointer import Pointer
from toolcanon.jsonio.types import Json


def odd_key(value: Json) -> Pointer | None:
    """The place of the first key that is no text; None when all are.

    >>> str(odd_key({"a": [{1: "b"}]}))
    '/a/0/1'
    """
    stack = [(Pointer(), value)]
    seen: set[int] = set()
    while stack:
        at, item = stack.pop()
        if not isinstance(item, (dict, list)) or id(item) in seen:
            continue
        seen.add(id(item))
        members = list(item.items() if isinstance(item, dict) else enumerate(item))
        if isinstance(item, dict):
            for key, _ in members:
                if not isinstance(key, str):
                    return at / str(key)
        stack += [(at / key, inner) for key, inner in reversed(members)]
    return None
