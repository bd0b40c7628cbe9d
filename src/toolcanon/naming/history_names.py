"""Wire names of tools that only a history calls: no definition of them is sent with the request.

``switch`` and the adapters of ``boundary`` name such tools here, so both write the same history.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import TypeAlias

from toolcanon.dialect import NamePolicy
from toolcanon.naming.alias import aliases
from toolcanon.naming.profiles import Profile

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
