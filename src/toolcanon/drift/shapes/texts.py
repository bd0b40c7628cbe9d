"""Compare texts: lost formats, new values, and content that gives orders to a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.drift.shapes.chances import fewer, no_accident
from toolcanon.drift.shapes.forms import LOOSE
from toolcanon.drift.shapes.nodes import POOL, Node, Records, Texts
from toolcanon.drift.shapes.run import Run, Site, share
from toolcanon.drift.shapes.wary import WARY, wary

_FEW_VALUES: Final = 10
_ENOUGH: Final = 20
_UNSEEN: Final = 0.05
_REST: Final = 0.1
"""The share of the former format that may remain in a change of format."""
_TYPED: Final = 3
_PARSED: Final = "json"
_STRUCTURAL: Final = frozenset({_PARSED, "html"})
"""Formats with a grammar: a parser of one cannot read another."""
_TELLING: Final = frozenset({"empty", "html"})
"""Formats that indicate another source, or an empty answer."""


def compare_texts(run: Run, old: Texts, new: Texts, site: Site) -> None:
    """Compare everything but the contents of JSON texts."""
    for word in new.wary:
        if word not in old.wary:
            message = f"a text {WARY[word]}, which none did before"
            run.tell("response-instruction-injected", site, message, severity="medium", after=word)
    _formats(run, old, new, site)
    _values(run, old, new, site)


def _formats(run: Run, old: Texts, new: Texts, site: Site) -> None:
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


def _values(run: Run, old: Texts, new: Texts, site: Site) -> None:
    """Compare the values of a short enumeration."""
    weights = run.weights(site, old, new)
    known = old.values
    if known is None or len(known) > _FEW_VALUES or weights[0] < _ENOUGH:
        return
    if list(known.values()).count(1) >= _UNSEEN * old.count:
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


def wary_below(node: Node, site: Site) -> Iterator[tuple[Site, str]]:
    """Yield the suspicious texts and keys in a new part of responses."""
    pending = [(node, site)]
    while pending:
        one, at = pending.pop()
        for word in one.string.wary if one.string is not None else ():
            yield at, WARY[word]
        if one.object is not None:
            yield from wary_keys(Records(), one.object, at)
        pending += [(below, at.under(step)) for step, below in one.below()]


def wary_keys(old: Records, new: Records, site: Site) -> Iterator[tuple[Site, str]]:
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
