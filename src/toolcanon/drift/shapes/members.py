"""Compare the members of objects: removed, added, and those that only occur with others.

An object whose keys keep being new is a map, whatever they look like. Members that never occur
together belong to variants (an answer and an error, a text and an image): where one of them is
present, the absence of the other is no evidence.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from toolcanon.drift.shapes.chances import fewer
from toolcanon.drift.shapes.nodes import POOL, Node, Records, together
from toolcanon.drift.shapes.run import Run, Site
from toolcanon.drift.shapes.texts import wary_below, wary_keys

_ENOUGH: Final = 5
_MANY_NAMES: Final = 8
_UNSEEN: Final = 0.1
_NEARLY_ALWAYS: Final = 0.9
_MOST: Final = 0.5
_TWICE: Final = 2


class Matched(NamedTuple):
    """A member on both sides, and its place."""

    old: Node
    new: Node
    site: Site


def matched(run: Run, old: Records, new: Records, site: Site) -> list[Matched]:
    """Test every member, and return those on both sides to be compared."""
    for at, words in wary_keys(old, new, site):
        run.tell("response-instruction-injected", at, f"a new key {words}")
    before, now = _sorted_out(old, new)
    out = []
    added = [name for name in now if name not in before and name != POOL]
    for name, node in before.items():
        place = _below(site, name, old, new, node, now.get(name))
        _test(run, name, (old, new), (node, now.get(name)), site.under(name), added, now)
        if (other := now.get(name)) is not None:
            out.append(Matched(node, other, place))
    for name, node in now.items():
        if name not in before:
            _report_new(run, name, node, new, site, is_map=POOL in before)
    return out


def _sorted_out(old: Records, new: Records) -> tuple[dict[str, Node], dict[str, Node]]:
    """Return the members by name; keys that are data are pooled, on both sides alike."""
    if not (old.is_map or new.is_map or _is_open(old)):
        return old.members, new.members
    kept: set[str] = set()
    if not old.is_map and not new.is_map:
        kept = {
            name
            for name, node in old.members.items()
            if name != POOL and node.count >= _NEARLY_ALWAYS * old.count
        }
    sides = []
    for records in (old, new):
        rest = [node.loosened() for name, node in records.members.items() if name not in kept]
        pool = together(rest)
        table = {name: node for name, node in records.members.items() if name in kept}
        sides.append(table if pool is None else {**table, POOL: pool})
    return sides[0], sides[1]


def _is_open(records: Records) -> bool:
    """Return whether the next key is likely to be a new one (Good and Turing)."""
    named = [node.samples for name, node in records.members.items() if name != POOL]
    if records.samples < _ENOUGH or len(named) < _MANY_NAMES:
        return False
    return named.count(1) > _UNSEEN * sum(named)


def _below(  # noqa: PLR0913, PLR0917 - both sides of one member
    site: Site, name: str, old: Records, new: Records, node: Node, other: Node | None
) -> Site:
    """Return the site of a member; entries of a map count together as much as their map."""
    place = site.under(name)
    if name != POOL or other is None:
        return place
    return Site(
        place.path,
        site.before * min(1.0, old.samples / max(1, node.samples)),
        site.now * min(1.0, new.samples / max(1, other.samples)),
    )


def _test(  # noqa: PLR0913, PLR0917 - both sides of one member, and what else came or went
    run: Run,
    name: str,
    records: tuple[Records, Records],
    nodes: tuple[Node, Node | None],
    site: Site,
    added: list[str],
    now: dict[str, Node],
) -> None:
    """Test whether a member is missing more often than chance explains."""
    old, new = records
    node, other = nodes
    held = _with_and_without(old, new, name, node, other)
    if held is None or not held[1] or not held[3]:
        return
    had, all_old, has, all_new = held
    weights = run.weights(site, old, new)
    ratio_old, ratio_new = weights[0] / old.count, weights[1] / new.count
    chance = fewer(had * ratio_old, all_old * ratio_old, has * ratio_new, all_new * ratio_new)
    if name == POOL:
        message = "a map that had entries is empty"
        change = run.change("response-list-emptied", site, message) if not has else None
    elif not has:
        is_always = had == all_old
        message = f"present in {had:,} of {all_old:,} before, in none of {all_new:,} now"
        change = run.change("response-key-vanished", site, message, hint=_renamed(node, added, now),
                            severity="high" if is_always else "medium")  # fmt: skip
    elif had == all_old and has < all_new:
        message = f"always present before, missing in {all_new - has:,} of {all_new:,} now"
        change = run.change("response-key-optional", site, message, severity="medium")
    else:
        change = None
    run.ask(chance, change)


def _with_and_without(
    old: Records, new: Records, name: str, node: Node, other: Node | None
) -> tuple[int, int, int, int] | None:
    """Return how many objects have a member, of how many that could; variants without it apart."""
    plain = (node.count, old.count, 0 if other is None else other.count, new.count)
    if name == POOL:
        filled = [_count_with(records, POOL) for records in (old, new)]
        if filled[0] is None or filled[1] is None:
            return (old.count, old.count, new.count, new.count) if other is not None else None
        return filled[0], old.count, filled[1], new.count
    if old.sets is None or new.sets is None or node.count == old.count:
        return plain
    companions = {one for names in old.sets if name in names for one in names}
    alternatives = {one for names in old.sets for one in names if one not in companions}
    if not alternatives:
        return plain
    counts = []
    for sets in (old.sets, new.sets):
        possible = {names: times for names, times in sets.items() if alternatives.isdisjoint(names)}
        counts += [sum(t for names, t in possible.items() if name in names), sum(possible.values())]
    return counts[0], counts[1], counts[2], counts[3]


def _count_with(records: Records, name: str) -> int | None:
    if records.sets is None:
        return None
    return sum(times for names, times in records.sets.items() if name in names)


def _renamed(node: Node, added: list[str], now: dict[str, Node]) -> str:
    """Return a hint if exactly one new member has the same types."""
    types = [kind for kind, _ in node.tallies()]
    alike = [name for name in added if [kind for kind, _ in now[name].tallies()] == types]
    return f"it may have been renamed to {alike[0]!r}" if len(alike) == 1 else ""


def _report_new(  # noqa: PLR0913 - a member, its object, and its place
    run: Run, name: str, node: Node, new: Records, site: Site, *, is_map: bool
) -> None:
    place = site.under(name)
    for at, words in wary_below(node, place):
        run.tell("response-instruction-injected", at, f"a new text {words}")
    if is_map:
        return
    times, samples, what = node.count, node.samples, "new"
    if name == POOL:  # one object may have many of them
        holders = _count_with(new, POOL)
        times = min(times, new.count) if holders is None else holders
        samples, what = min(samples, new.samples), "keys that are data, where there were none"
    if min(times, samples) >= _TWICE and times > _MOST * new.count:
        run.tell("response-key-added", place, f"{what}, in {times:,} of {new.count:,} now")
    else:
        run.note(f"{place.words}: seen for the first time, in {samples:,} of "
                 f"{new.samples:,} responses")  # fmt: skip
