"""Names a target accepts, one for each tool.

A legal name is kept. Any other is cleaned; where two names would meet, or one is too long, a short
digest of the original is added. So an alias depends on its own name and on whether it collides,
never on the order of the list, and no two tools share one.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence

from toolcanon.dialect import NamePolicy

_DIGEST = 8


def aliases(names: Sequence[str], policy: NamePolicy, reserved: Collection[str] = ()) -> list[str]:
    """Return the wire name of each of these distinct names, in the same order.

    ``reserved`` are wire names of other tools; none of them is returned.

    >>> aliases(["a.b", "a_b"], NamePolicy("a-z_0-9", 64))
    ['a_b_2e7336dc', 'a_b']
    >>> aliases(["a.b"], NamePolicy("a-z_0-9", 64), reserved=["a_b"])
    ['a_b_2e7336dc']
    """
    kept = {name for name in names if policy.allows(name) and name not in reserved}
    if len(kept) == len(names):
        return list(names)
    taken = {*kept, *reserved}
    cleaned = {name: policy.clean(name) for name in names if name not in kept}
    wanted = Counter(cleaned.values())
    found = {
        name: alias
        for name, alias in cleaned.items()
        if len(alias) <= policy.room and wanted[alias] == 1 and alias not in taken
    }
    used = taken | set(found.values())
    for name in sorted(cleaned.keys() - found.keys()):
        found[name] = _digested(name, cleaned[name], policy.room, used)
        used.add(found[name])
    return [name if name in kept else found[name] for name in names]


def alias(name: str, policy: NamePolicy) -> str:
    """Return the alias of a name that is alone."""
    if policy.allows(name):
        return name
    cleaned = policy.clean(name)
    if len(cleaned) <= policy.room:
        return cleaned
    return _digested(name, cleaned, policy.room, set())


def _digested(name: str, alias: str, room: int, used: set[str]) -> str:
    """Return the alias with enough of the name's digest added to be unique."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    for size in range(_DIGEST, min(len(digest), room - 1) + 1):
        candidate = f"{alias[: room - size - 1]}_{digest[:size]}"
        if candidate not in used:
            return candidate
    raise AssertionError(name)  # a sha256 collision
