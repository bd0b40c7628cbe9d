"""Differences at one position of a shape: members, numbers, texts, meanings.

An object whose keys keep being new is a map, whatever they look like. Members that never occur
together belong to variants (an answer and an error, a text and an image): where one of them is
present, the absence of the other is no evidence.

An identifier is a label, so its size has no meaning. Sequence numbers and times grow from one day
to the next; a constant factor is another unit all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from toolcanon.drift.shapes.nodes import (
    ITEMS,
    JSON,
    POOL,
    Booleans,
    Lists,
    Node,
    Numbers,
    Records,
    Texts,
    bucket,
    quantile,
    superiority,
    together,
)
from toolcanon.drift.shapes.significance import (
    ComparisonRun,
    SamplePlace,
    fewer,
    no_accident,
    ranks,
    share,
)
from toolcanon.drift.shapes.text_formats import LOOSE, WARY, wary

Meaning: TypeAlias = Literal["label", "sequence", "time"]
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LAST: Final[dict[str, Meaning]] = {
    **dict.fromkeys(
        "id ids uid uids gid pid oid uuid guid key keys identifier identifiers".split(), "label"
    ),
    **dict.fromkeys(
        "seq sequence serial number no nr iid cursor revision rev version build".split(),
        "sequence",
    ),
    **dict.fromkeys(
        "ts timestamp timestamps epoch time at created updated modified date expires".split(),
        "time",
    ),
}
"""By the last word of a name."""
_EPOCH: Final = 1e8
"""Fewer seconds than these are before 1973; such a number is a duration rather than a time."""
_UNNAMED: Final = frozenset({ITEMS, POOL, JSON})


def meaning_of(path: Sequence[str]) -> Meaning | None:
    """Return the meaning of the numbers at a place by the name of their member.

    >>> meaning_of(("orders", "*", "customerId")), meaning_of(("created_at",)), meaning_of(("n",))
    ('label', 'time', None)
    """
    name = next((step for step in reversed(path) if step not in _UNNAMED), "")
    return _by_name(name)


@lru_cache(maxsize=4096)
def _by_name(name: str) -> Meaning | None:
    words = _WORD.findall(name)
    return _LAST.get(words[-1].lower()) if words else None


def is_expected(
    meaning: Meaning | None, way: str, least: float, *, is_whole: bool, has_factor: bool
) -> bool:
    """Return whether such numbers may move that way; ``least`` is one of the smaller ones."""
    if meaning == "label":
        return is_whole
    if meaning is None or has_factor or way != "larger":
        return False
    return least > _EPOCH if meaning == "time" else is_whole


_CLEAR: Final = 0.9
"""The share of pairs in which the new number must be the larger (or the smaller) one."""
_ENOUGH_NUMBERS: Final = 4
_QUARTERS: Final = (0.25, 0.5, 0.75)
_FACTORS: Final = (60, 100, 1000, 1024, 3600, 86_400, 1_000_000, 1_000_000_000)
_NEAR, _NOT_FAR = 0.2, 0.4
_REST: Final = 0.1
"""The share of former values that may remain in a change of all."""
_SHORTEST_CAP: Final = 5
_FEWEST: Final = 3


def compare_numbers(run: ComparisonRun, old: Numbers, new: Numbers, site: SamplePlace) -> None:
    weights = run.weights(site, old, new)
    _precision(run, old, new, site, weights)
    if min(weights) < _ENOUGH_NUMBERS or not old.buckets or not new.buckets:
        return
    larger = superiority(old.buckets, new.buckets)
    total = sum(old.buckets.values()), sum(new.buckets.values())
    places = old.buckets.keys() | new.buckets.keys()
    shares = {
        place: (
            old.buckets.get(place, 0) / total[0] * weights[0]
            + new.buckets.get(place, 0) / total[1] * weights[1]
        )
        / sum(weights)
        for place in places
    }
    chance = ranks(larger, *weights, shares)
    if 1 - _CLEAR <= larger <= _CLEAR:
        run.ask(chance, None)
        return
    factor = _factor(old, new)
    way = "larger" if larger > _CLEAR else "smaller"
    is_whole = old.whole == old.count and new.whole == new.count
    least = quantile(old.buckets, _QUARTERS[0])
    if is_expected(meaning_of(site.path), way, least, is_whole=is_whole, has_factor=bool(factor)):
        run.ask(chance, None)
        run.note(
            f"{site.words}: numbers are {way} than before, as expected of identifiers and times"
        )
        return
    message = f"nearly all numbers are {way} than before{factor and f', about {factor}'}"
    run.ask(chance, run.change("response-range-shifted", site, message, after=way,
                               severity="high" if factor else "medium",
                               hint="it looks like another unit" if factor else ""))  # fmt: skip


def _factor(old: Numbers, new: Numbers) -> str:
    """Return the factor between old and new numbers, if it is a usual one between units."""
    pairs = [(quantile(old.buckets, at), quantile(new.buckets, at)) for at in _QUARTERS]
    if any(one * other <= 0 for one, other in pairs):
        return ""
    ratios = [other / one for one, other in pairs]
    turned = [ratio if ratio >= 1 else 1 / ratio for ratio in ratios]
    for factor in _FACTORS:
        aside = [abs(ratio / factor - 1) for ratio in turned]
        if aside[1] < _NEAR and max(aside) < _NOT_FAR:
            return f"{factor:,} times" if ratios[0] > 1 else f"1/{factor:,}"
    return ""


def _precision(
    run: ComparisonRun, old: Numbers, new: Numbers, site: SamplePlace, weights: tuple[float, float]
) -> None:
    if old.whole == old.count:
        chance = fewer(weights[0], weights[0], share(new.whole, new, weights[1]), weights[1])
        message = f"always integers before, {new.count - new.whole:,} of {new.count:,} are not now"
        run.ask(chance, None if new.whole == new.count else run.change(
            "response-precision-changed", site, message, severity="medium"))  # fmt: skip
    if _is_floated(old, new) and weights[0] >= _FEWEST:
        message = (
            f"integers beyond 2^53 before, {new.wide - new.exact:,} of {new.wide:,} are not now"
        )
        run.tell("response-precision-changed", site, message, severity="high",
                 hint="a double holds no more than 53 bits, so digits are lost")  # fmt: skip
    elif old.wide and new.wide:
        chance = fewer(
            (old.wide - old.rounded) / old.count * weights[0], old.wide / old.count * weights[0],
            (new.wide - new.rounded) / new.count * weights[1], new.wide / new.count * weights[1],
        )  # fmt: skip
        message = "every number beyond 2^53 now fits a double, which was not so before"
        run.ask(chance, None if new.rounded < new.wide else run.change(
            "response-precision-changed", site, message, severity="high",
            hint="digits were lost in a conversion to double"))  # fmt: skip


def _is_floated(old: Numbers, new: Numbers) -> bool:
    """Return whether numbers beyond 2^53 were all integers, and almost none is one now."""
    return 0 < old.wide == old.exact and new.exact < _REST * new.wide


def compare_booleans(run: ComparisonRun, old: Booleans, new: Booleans, site: SamplePlace) -> None:
    if old.true not in {0, old.count}:
        return
    weights = run.weights(site, old, new)
    same = new.true if old.true else new.count - new.true
    chance = fewer(weights[0], weights[0], share(same, new, weights[1]), weights[1])
    message = "always the same before, always the opposite now"
    run.ask(chance, None if same else run.change("response-value-unseen", site, message,
                                                 severity="medium"))  # fmt: skip


def compare_lists(run: ComparisonRun, old: Lists, new: Lists, site: SamplePlace) -> None:
    weights = run.weights(site, old, new)
    rates = old.filled * site.before, new.filled * site.now
    chance = fewer(min(rates[0], weights[0]), weights[0], min(rates[1], weights[1]), weights[1])
    message = f"not empty in {old.filled:,} of {old.samples:,} before, always empty now"
    emptied = run.change("response-list-emptied", site, message,
                         severity="high" if old.filled == old.samples else "medium")  # fmt: skip
    run.ask(chance, emptied if not new.filled else None)
    if new.filled:
        _cap(run, old, new, site, weights)


def _cap(
    run: ComparisonRun, old: Lists, new: Lists, site: SamplePlace, weights: tuple[float, float]
) -> None:
    """Report lists that end at a round length that was not common before."""
    top = new.longest
    if top < _SHORTEST_CAP or old.longest <= top or not _is_round(top):
        return
    end = bucket(top)
    longer = sum(times for place, times in old.lengths.items() if place > end)
    at_end = sum(times for place, times in old.lengths.items() if place == end)
    if new.at_longest < max(_FEWEST, new.count / 2) or at_end * 2 > old.count:
        return
    chance = fewer(share(longer, old, weights[0]), weights[0], 0, weights[1])
    message = (
        f"{new.at_longest:,} of {new.count:,} end at {top:,} and none is longer; "
        f"{longer:,} of {old.count:,} were longer before"
    )
    run.ask(chance, run.change("response-list-capped", site, message, severity="medium"))


def _is_round(length: int) -> bool:
    return length % 5 == 0 or length & (length - 1) == 0


_FEW_VALUES: Final = 10
_ENOUGH_TEXTS: Final = 20
_UNSEEN_TEXTS: Final = 0.05
_TYPED: Final = 3
_PARSED: Final = "json"
_STRUCTURAL: Final = frozenset({_PARSED, "html"})
"""Formats with a grammar: a parser of one cannot read another."""
_TELLING: Final = frozenset({"empty", "html"})
"""Formats that indicate another source, or an empty answer."""


def compare_texts(run: ComparisonRun, old: Texts, new: Texts, site: SamplePlace) -> None:
    """Compare everything but the contents of JSON texts."""
    for word in new.wary:
        if word not in old.wary:
            message = f"a text {WARY[word]}, which none did before"
            run.tell("response-instruction-injected", site, message, severity="medium", after=word)
    _formats(run, old, new, site)
    _values(run, old, new, site)


def _formats(run: ComparisonRun, old: Texts, new: Texts, site: SamplePlace) -> None:
    weights = run.weights(site, old, new)
    usual = max(sorted(old.formats), key=lambda name: old.formats[name], default="")
    recent = max(sorted(new.formats), key=lambda name: new.formats[name], default="")
    if usual == "" or recent == "":
        return
    if usual not in LOOSE and old.formats[usual] == old.count:
        kept = new.formats.get(usual, 0)
        chance = fewer(weights[0], weights[0], share(kept, new, weights[1]), weights[1])
        is_lost = recent != usual or (usual == _PARSED and kept < new.count)
    elif recent in _TELLING and new.formats[recent] == new.count and recent != usual:
        others = old.count - old.formats.get(recent, 0)
        chance = fewer(share(others, old, weights[0]), weights[0], 0, weights[1])
        is_lost = True
    else:
        return
    if is_lost and recent == usual:
        recent = max(sorted(new.formats.keys() - {usual}), key=lambda name: new.formats[name])
    others = new.count - new.formats.get(usual, 0)
    now = "" if others == new.count else f" in {others:,} of {new.count:,}"
    message = f"{_named(usual)} before, {_named(recent)}{now} now"
    is_switch = usual in _STRUCTURAL or recent in _STRUCTURAL
    is_sure = (
        is_switch
        and new.count - others <= _REST * new.count
        and weights[0] >= _TYPED
        and not run.is_mixed
    )
    found = run.change("response-format-changed", site, message, before=usual, after=recent,
                       severity="high" if is_sure else "medium")  # fmt: skip
    if is_lost and is_sure:
        run.tell_change(found)
    else:
        run.ask(chance, found if is_lost else None, is_noted=is_switch)


def _named(format: str) -> str:
    return {"word": "a word", "plain": "plain text", "fields": "lines of fields"}.get(
        format, format
    )


def _values(run: ComparisonRun, old: Texts, new: Texts, site: SamplePlace) -> None:
    """Compare the values of a short enumeration."""
    weights = run.weights(site, old, new)
    known = old.values
    if known is None or len(known) > _FEW_VALUES or weights[0] < _ENOUGH_TEXTS:
        return
    if list(known.values()).count(1) >= _UNSEEN_TEXTS * old.count:
        return
    recent = new.values or {}
    recurring = sum(times for mark, times in recent.items() if mark in known)
    fresh = [times for mark, times in recent.items() if mark not in known]
    other = new.count - recurring
    chance = fewer(weights[0], weights[0], share(recurring, new, weights[1]), weights[1])
    if recurring:
        run.ask(chance, None)
    else:
        message = f"none of {new.count:,} values is one of the {len(known)} earlier ones"
        run.ask(chance, run.change("response-value-unseen", site, message, verdict="breaking",
                                   severity="medium"))  # fmt: skip
    if recurring and no_accident(share(other, new, weights[1]), *weights):
        message = f"{len(fresh) or 'many'} new values beside {len(known)} earlier ones, "
        run.tell("response-value-unseen", site, f"{message}{other:,} times in {new.count:,}",
                 severity="low")  # fmt: skip
    elif recurring and other:
        run.note(f"{site.words}: {other:,} of {new.count:,} values are new")


def wary_below(node: Node, site: SamplePlace) -> Iterator[tuple[SamplePlace, str]]:
    """Yield the suspicious texts and keys in a new part of responses."""
    pending = [(node, site)]
    while pending:
        one, at = pending.pop()
        for word in one.string.wary if one.string is not None else ():
            yield at, WARY[word]
        if one.object is not None:
            yield from wary_keys(Records(), one.object, at)
        pending += [(below, at.under(step)) for step, below in one.below()]


def wary_keys(old: Records, new: Records, site: SamplePlace) -> Iterator[tuple[SamplePlace, str]]:
    """Yield suspicious new keys: names one by one, keys that are data all together."""
    if not new.wary:
        return
    named = set()
    for name in sorted(new.members.keys() - old.members.keys()):
        for word in wary(name):
            named.add(word)
            yield site.under(name), WARY[word]
    for word in sorted(new.wary.keys() - old.wary.keys() - named):
        yield site.under(POOL), WARY[word]


_ENOUGH_RESPONSES: Final = 5
_MANY_NAMES: Final = 8
_UNSEEN_TYPES: Final = 0.1
_NEARLY_ALWAYS: Final = 0.9
_MOST: Final = 0.5
_TWICE: Final = 2


class MatchedMembers(NamedTuple):
    """A member on both sides, and its place."""

    old: Node
    new: Node
    site: SamplePlace


def matched(
    run: ComparisonRun, old: Records, new: Records, site: SamplePlace
) -> list[MatchedMembers]:
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
            out.append(MatchedMembers(node, other, place))
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
    if records.samples < _ENOUGH_RESPONSES or len(named) < _MANY_NAMES:
        return False
    return named.count(1) > _UNSEEN_TYPES * sum(named)


def _below(  # noqa: PLR0913, PLR0917 - both sides of one member
    site: SamplePlace, name: str, old: Records, new: Records, node: Node, other: Node | None
) -> SamplePlace:
    """Return the site of a member; entries of a map count together as much as their map."""
    place = site.under(name)
    if name != POOL or other is None:
        return place
    return SamplePlace(
        place.path,
        site.before * min(1.0, old.samples / max(1, node.samples)),
        site.now * min(1.0, new.samples / max(1, other.samples)),
    )


def _test(  # noqa: PLR0913, PLR0917 - both sides of one member, and what else came or went
    run: ComparisonRun,
    name: str,
    records: tuple[Records, Records],
    nodes: tuple[Node, Node | None],
    site: SamplePlace,
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
    run: ComparisonRun, name: str, node: Node, new: Records, site: SamplePlace, *, is_map: bool
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
