"""Names a target accepts: one for each tool of a request, and for tools that only a history calls.

A legal name is kept. Any other is cleaned; where two names would meet, or one is too long, a short
digest of the original is added. So an alias depends on its own name and on whether it collides,
never on the order of the list, and no two tools share one.

``switch`` and the adapters of ``boundary`` name such tools here, so both write the same history.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

from toolcanon.dialect import NamePolicy
from toolcanon.errors import UsageError
from toolcanon.naming.profiles import Profile

_DIGEST = 8
_HEXADECIMAL = 16
_TRIES = 1_000


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
        found[name] = _digested(name, cleaned[name], policy, used)
        used.add(found[name])
    return [name if name in kept else found[name] for name in names]


def alias(name: str, policy: NamePolicy) -> str:
    """Return the alias of a name that is alone."""
    if policy.allows(name):
        return name
    cleaned = policy.clean(name)
    if len(cleaned) <= policy.room:
        return cleaned
    return _digested(name, cleaned, policy, set())


def _digested(name: str, alias: str, policy: NamePolicy, used: set[str]) -> str:
    """Return the alias followed by enough of the name's digest to be unique."""
    digest = _digest_of(name, policy.digits)
    room = policy.room
    for size in range(min(_DIGEST, room - 2), min(len(digest), room - 1) + 1):
        candidate = f"{alias[: room - size - 1]}{policy.separator}{digest[:size]}"
        if size > 0 and candidate not in used and policy.allows(candidate):
            return candidate
    for number in range(_TRIES):  # the names are so short that parts of digests meet
        candidate = policy.clean(_digest_of(f"{number}:{name}", policy.digits))[:room]
        if candidate not in used and policy.allows(candidate):
            return candidate
    raise UsageError(f"no name of {policy.words()} is left for {name!r}")


def _digest_of(name: str, digits: str) -> str:
    """Return the digest of a name in these digits; in 16 of them it is hexadecimal."""
    found = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    if len(digits) == _HEXADECIMAL:
        return "".join(digits[int(digit, _HEXADECIMAL)] for digit in found)
    number, written = int(found, 16), ""
    while number and len(written) < len(found):
        number, rest = divmod(number, len(digits))
        written += digits[rest]
    return written


Known: TypeAlias = tuple[str | None, str]
"""A namespace, where calls have one, and a name in it."""


def history_names(
    names: Iterable[Known],
    sent: Collection[Known],
    policy: NamePolicy | None,
    profile: Profile | None,
) -> dict[Known, str]:
    """Return the wire name of each tool, in its namespace; its order among the names is irrelevant.

    ``sent`` are the wire names of the request's tools. No other tool gets one of them, unless the
    target has no policy for names.

    >>> policy = NamePolicy("a-z_0-9", 64)
    >>> history_names([(None, "a.b"), (None, "c.d")], [(None, "a_b")], policy, None)
    {(None, 'a.b'): 'a_b_2e7336dc', (None, 'c.d'): 'c_d'}
    """
    wanted = {known: known[1] for known in names}
    if profile is not None:
        wanted |= _outward([name for space, name in wanted if space is None], sent, profile)
    if policy is None:
        return wanted
    spaces: defaultdict[str | None, dict[str, None]] = defaultdict(dict)
    for (space, _), name in wanted.items():
        spaces[space][name] = None
    found: dict[Known, str] = {}
    for space, group in spaces.items():
        reserved = {name for other, name in sent if other == space}
        for name, alias in zip(group, aliases(list(group), policy, reserved), strict=True):
            found[space, name] = alias
    return {known: found[known[0], name] for known, name in wanted.items()}


def _outward(names: list[str], sent: Collection[Known], profile: Profile) -> dict[Known, str]:
    """Return names as the profile writes them, without those that another tool has.

    Of two tools that would share a name, the one that the name is read as gets it. Two names of one
    tool share it.
    """
    meant = {name: profile.outward(profile.inward(name)) for name in names}
    taken = {name for space, name in sent if space is None}
    owners: dict[str, str] = {}
    found: dict[Known, str] = {}
    for name in sorted(meant, key=lambda n: (profile.inward(meant[n]) != n, n)):
        own = profile.inward(name)
        if meant[name] not in taken or owners.get(meant[name]) == own:
            taken.add(meant[name])
            owners[meant[name]] = own
            found[None, name] = meant[name]
    return found
