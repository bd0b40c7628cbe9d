"""Rules about names, kinds, texts, metadata and annotations of tools.

A hint that is not stated has a default, and two of them have no meaning for a read-only tool. So
stating a default changes nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from toolcanon.diagnostics.change import Change, Severity
from toolcanon.drift.pair import ToolPair
from toolcanon.drift.report import amended, here, told
from toolcanon.infer import infer
from toolcanon.ir import CanonicalTool, stated_hints
from toolcanon.jsonio.types import Json
from toolcanon.schema.algebra.normal.terms import alike
from toolcanon.schema.values import is_number

_OWN: Final = frozenset({"name", "namespace", "title", "kind", "grammar"})
_LEGAL: Final = re.compile(r"[A-Za-z0-9_.\-/]{1,128}")


def identity(pair: ToolPair) -> Iterator[Change]:
    """Yield the changes of name, title and kind."""
    if _OWN.isdisjoint(pair.differing):
        return
    before, after = pair.before, pair.after
    if before.id != after.id:
        yield told("tool-renamed", f"{before.id} was renamed to {after.id}", both=here("name"),
                   before=before.id, after=after.id, model_visible=True,
                   reason="every call by the old name fails, whatever its arguments")  # fmt: skip
    if _LEGAL.fullmatch(before.name) and not _LEGAL.fullmatch(after.name):
        yield told("name-invalid", both=here("name"), before=before.name, after=after.name,
                   reason="hosts that check names drop the tool")  # fmt: skip
    if before.kind is not after.kind:
        yield told("kind-changed", f"the kind is {after.kind.value}, was {before.kind.value}",
                   both=here("kind"), before=before.kind.value, after=after.kind.value,
                   reason="it is called in another way")  # fmt: skip
    if "grammar" in pair.differing and before.kind is after.kind:
        yield told("input-undecided", both=here("grammar"),
                   reason="grammars of free text are not compared")  # fmt: skip
    if before.title != after.title and pair.is_same_format:
        contradicts = _contradicts(pair)
        yield told(
            "title-changed", both=here("title"), before=before.title, after=after.title,
            verdict="security" if contradicts else None,
            hint="the title describes reading, and the name a change" if contradicts else "",
        )  # fmt: skip


def _contradicts(pair: ToolPair) -> bool:
    """Return whether a new title hides a side effect that the name states."""
    title = pair.after.title
    if not title:
        return False
    named = infer(pair.after.name, "", {}, {})
    called = infer(title.replace(" ", "_").lower(), "", {}, {})
    before = infer((pair.before.title or "").replace(" ", "_").lower(), "", {}, {})
    return named.side_effects and bool(called.action) and not called.side_effects and (
        before.side_effects or not pair.before.title
    )  # fmt: skip


_HOST: Final = re.compile(r"https?://([^/?#\s\"'@]+@)?([^/?#:\s\"']+)", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z]{4,}")
_GRANTS: Final = re.compile(
    r"(?:^|[_\-./])(?:scopes?|permissions?|grants?)$|[a-z](?:Scopes?|Permissions?)$"
)
_GRANTING: Final = frozenset({"extras", "security"})
_UI: Final = "ui://"
_TASKS: Final = "taskSupport"
_NO_TASKS: Final = "forbidden"
_OPTIONAL: Final = "optional"
_COMPARED: Final = frozenset({"annotations", "icons", "execution", "_meta", "deprecated"})
_FIELDS: Final = ("version", "category", "tags", "timeout", "examples")
_CONTRACT: Final = frozenset({"name", "description", "inputs", "outputs"})
_DEEPEST: Final = 6
_REGISTERED: Final = 2


def metadata(pair: ToolPair) -> Iterator[Change]:
    """Yield the changes beside name, texts, schemas and hints."""
    if pair.differing <= _CONTRACT:
        return
    yield from _fields(pair)
    if not _GRANTING.isdisjoint(pair.differing):
        yield from _grants(pair)
    if not pair.is_same_format or "extras" not in pair.differing:
        return
    yield from _icons(pair)
    yield from _execution(pair)
    yield from _deprecated(pair)
    yield from _meta(pair)


def _fields(pair: ToolPair) -> Iterator[Change]:
    """Yield the changes of fields that only canonical documents have."""
    if not pair.is_same_format:
        return
    one, other = pair.before.__dict__, pair.after.__dict__
    for key in _FIELDS:
        if not alike(one.get(key), other.get(key)):
            yield told("meta-changed", f"{key} changed", both=here(key), before=one.get(key),
                       after=other.get(key), model_visible=key == "examples")  # fmt: skip


def _grants(pair: ToolPair) -> Iterator[Change]:
    """Yield the changes of permissions; the first declaration requests nothing new."""
    before, after = _declared_grants(pair.before), _declared_grants(pair.after)
    for key, now in after.items():
        if key not in before:
            continue
        more, less = sorted(now - before[key]), sorted(before[key] - now)
        place = here("security") if key == "required_permissions" else here("extras")
        if more:
            yield told("meta-scope-expanded", f"asks for {', '.join(more)} now", both=place,
                       before=sorted(before[key]), after=sorted(now))  # fmt: skip
        elif less:
            yield told("meta-scope-reduced", f"no longer asks for {', '.join(less)}", both=place,
                       before=sorted(before[key]), after=sorted(now))  # fmt: skip


def _declared_grants(tool: CanonicalTool) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    if tool.security is not None:
        found["required_permissions"] = set(tool.security.required_permissions)
    stack: list[tuple[str, Json, int]] = [("", tool.__dict__.get("extras") or {}, 0)]
    while stack:
        key, value, depth = stack.pop()
        if _GRANTS.search(key):
            texts = value.split() if isinstance(value, str) else value
            if texts and isinstance(texts, list) and all(isinstance(one, str) for one in texts):
                found[key] = set(texts)
        elif isinstance(value, dict) and depth < _DEEPEST:
            stack.extend((name, inner, depth + 1) for name, inner in value.items())
    return found


def _icons(pair: ToolPair) -> Iterator[Change]:
    before, after = (extras.get("icons") for extras in pair.extras)
    if alike(before, after):
        return
    place = here("extras", str(pair.after.source_format), "icons")
    hosts = _hosts(after)
    if hosts:  # most icons are embedded
        hosts = hosts - _hosts([*pair.extras[0].values()]) - _own_hosts(pair, after)
    foreign = sorted(hosts)
    if foreign:
        yield told("icon-remote-source-added", f"an icon is loaded from {foreign[0]}", both=place,
                   severity="low", before=None, after=foreign)  # fmt: skip
    else:
        yield told("icons-changed", both=place, before=_brief(before), after=_brief(after))


def _hosts(value: Json) -> set[str]:
    if isinstance(value, str):
        return {found[2].lower() for found in _HOST.finditer(value)} if "://" in value else set()
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {host for one in inner for host in _hosts(one)}


def _own_hosts(pair: ToolPair, icons: Json) -> set[str]:
    """Return the hosts whose name the old texts contain: those of the publisher."""
    before = pair.before
    texts = " ".join([before.name, before.description, before.title or "", before.namespace or ""])
    words = set(_WORD.findall(texts.lower()))
    found = set()
    for host in _hosts(icons):
        labels = host.split(".")
        name = labels[-_REGISTERED] if len(labels) >= _REGISTERED else host
        if any(name.startswith(word) for word in words):
            found.add(host)
    return found


def _brief(icons: Json) -> Json:
    """Return icons without embedded images, which are long."""
    if isinstance(icons, list):
        return [_brief(icon) for icon in icons]
    if isinstance(icons, dict):
        return {key: value[:60] if isinstance(value, str) else value
                for key, value in icons.items()}  # fmt: skip
    return icons


def _execution(pair: ToolPair) -> Iterator[Change]:
    """Compare whether calls are tasks; by default tasks are forbidden."""
    before, after = (extras.get("execution") for extras in pair.extras)
    if alike(before, after):
        return
    old, new = _tasks(before), _tasks(after)
    place = here("extras", str(pair.after.source_format), "execution")
    if old == new:
        yield told("execution-default-stated", both=place, before=before, after=after)
        return
    # Calls in the old mode are rejected, unless both modes are allowed now.
    is_breaking = new != _OPTIONAL
    calls = "a plain call" if new == "required" else "a call as a task"
    yield told(
        "execution-mode-changed", f"tasks were {old} and are {new}", both=place,
        before=old, after=new, verdict="breaking" if is_breaking else "compatible",
        reason=f"{calls} is rejected, whatever its arguments" if is_breaking else "",
    )  # fmt: skip


def _tasks(execution: Json) -> str:
    stated = execution.get(_TASKS) if isinstance(execution, dict) else None
    return stated if isinstance(stated, str) else _NO_TASKS


def _deprecated(pair: ToolPair) -> Iterator[Change]:
    before, after = (_is_deprecated(extras) for extras in pair.extras)
    if before != after:
        name = "deprecated-set" if after else "deprecated-cleared"
        yield told(name, both=here("extras", str(pair.after.source_format)), before=before,
                   after=after, severity="low")  # fmt: skip


def _is_deprecated(extras: Json) -> bool:
    holders = (extras, extras.get("annotations"), extras.get("_meta"))
    stated = [one.get("deprecated") for one in holders if isinstance(one, dict)]
    return any(value not in (None, False) for value in stated)


def _meta(pair: ToolPair) -> Iterator[Change]:
    before, after = pair.extras
    origin = str(pair.after.source_format)
    for key in {**before, **after}:
        old, new = before.get(key), after.get(key)
        if alike(old, new) or (key in _COMPARED and key != "_meta"):
            continue
        shown, hidden = _interfaces(old), _interfaces(new)
        if shown != hidden:
            action = "changed" if shown and hidden else "added" if hidden else "removed"
            yield told(f"meta-ui-binding-{action}", both=here("extras", origin, key),
                       before=sorted(shown), after=sorted(hidden),
                       severity="low" if hidden else None)  # fmt: skip
        else:
            yield told("meta-changed", f"{key} changed", both=here("extras", origin, key),
                       before=old, after=new)  # fmt: skip


def _interfaces(value: Json) -> set[str]:
    """Return the interfaces that metadata binds to a tool."""
    if isinstance(value, str):
        return {value} if value.startswith(_UI) else set()
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {found for one in inner for found in _interfaces(one)}


DEFAULTS: Final = {
    "read_only": False, "destructive": True, "idempotent": False, "open_world": True,
}  # fmt: skip
_MOVES: Final[dict[tuple[str, bool], tuple[str, Severity]]] = {
    ("read_only", False): ("annotation-readonly-dropped", "high"),
    ("read_only", True): ("annotation-readonly-claimed", "medium"),
    ("destructive", True): ("annotation-destructive-raised", "high"),
    ("destructive", False): ("annotation-destructive-cleared", "high"),
    ("idempotent", False): ("annotation-idempotent-dropped", "low"),
    ("idempotent", True): ("annotation-idempotent-claimed", "low"),
    ("open_world", True): ("annotation-openworld-raised", "medium"),
    ("open_world", False): ("annotation-openworld-cleared", "low"),
}
OF_WRITERS: Final = frozenset({"destructive", "idempotent"})
_TITLE: Final = "title"


def claims(pair: ToolPair) -> Iterator[Change]:
    """Yield the changes of what the tool claims about itself."""
    if pair.states_hints():
        yield from _hints(pair)
    if pair.is_same_format:
        yield from _others(pair)


def _hints(pair: ToolPair) -> Iterator[Change]:
    before, after = stated_hints(pair.before), stated_hints(pair.after)
    if before == after:
        return
    moved = False
    for hint in _compared(before, after):
        old, new = _effective(before, hint), _effective(after, hint)
        if hint == "destructive" and _effective(before, "read_only"):
            old = False  # a read-only tool is not destructive
        if old == new:
            continue
        moved = True
        name, severity = _MOVES[hint, new]
        if hint == "read_only" and new and _is_writing(pair):
            severity = "high"
        yield told(name, both=here("hints", hint), before=old, after=new, severity=severity)
    for hint in sorted({*before, *after}.difference(DEFAULTS)):
        if before.get(hint) != after.get(hint):
            moved = True
            yield told("annotation-unknown-changed", f"the hint {hint} changed",
                       both=here("hints", hint), before=before.get(hint),
                       after=after.get(hint))  # fmt: skip
    if not moved:
        is_more = len(after) >= len(before)
        name = "annotation-default-made-explicit" if is_more else "annotation-default-omitted"
        yield told(name, both=here("hints"), before={**before}, after={**after})


def _effective(stated: Mapping[str, bool], hint: str) -> bool:
    return stated.get(hint, DEFAULTS[hint])


def _compared(before: Mapping[str, bool], after: Mapping[str, bool]) -> Iterator[str]:
    """Yield the hints that apply on both sides, or that a tool states when it begins to write."""
    for hint in DEFAULTS:
        read_only = [_effective(stated, "read_only") for stated in (before, after)]
        if (
            hint not in OF_WRITERS
            or not any(read_only)
            or (read_only == [True, False] and hint == "destructive" and after.get(hint))
        ):
            yield hint


def _is_writing(pair: ToolPair) -> bool:
    """Return whether the text contradicts a read-only claim."""
    after = pair.after
    return infer(after.name, after.description, {}, {}).side_effects


def _others(pair: ToolPair) -> Iterator[Change]:
    before, after = (extras.get("annotations") or {} for extras in pair.extras)
    if not isinstance(before, dict) or not isinstance(after, dict):
        return
    for key in {**before, **after}:
        old, new = before.get(key), after.get(key)
        if old == new or key == "deprecated":
            continue
        name = "annotation-title-changed" if key == _TITLE else "annotation-unknown-changed"
        yield told(name, both=here("extras", str(pair.after.source_format), "annotations", key),
                   before=old, after=new)  # fmt: skip


_QUOTES: Final = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-",
    "\u2026": "...", "\u00a0": " ",
})  # fmt: skip
_LIMIT: Final = re.compile(
    r"""(?x)
    \b(?:up\ to|at\ (?:most|least)|max(?:imum)?|min(?:imum)?|no\ (?:more|fewer|less)\ than
       |limit(?:ed)?(?:\ (?:to|of))?|between|within|exceed(?:s|ing)?|more\ than|less\ than|over
       |default(?:s)?(?:\ (?:to|is|value))?|first|last|longer\ than|shorter\ than)
    \b[^.\n\d]{0,30}?(\d[\d,._]*)\s?([a-z%]{0,12})"""
)
_RANGE: Final = re.compile(r"\b(\d[\d,._]*)\s?(?:-|to|\.\.)\s?(\d[\d,._]*)\b")
_CONDITION: Final = re.compile(
    r"\b(?:(?:only )?required (?:if|when|for|unless)|mandatory (?:if|when|for)|"
    r"must (?:also )?be (?:provided|set|given) (?:if|when|with)|mutually exclusive)\b[^.\n]{0,40}"
)
_DIGITS: Final = re.compile(r"\d+")
_LIMITING: Final = (
    "up to", "at most", "at least", "max", "min", "no more", "no fewer", "no less", "limit",
    "between", "within", "exceed", "more than", "less than", "over", "default", "first", "last",
    "longer than", "shorter than",
)  # fmt: skip
"""Beginnings of limits."""
_NEAR: Final = 60
"""The largest number of characters before the number of a limit."""
_MANY: Final = 32
_CUES: Final = ("required", "mandatory", "must", "exclusive")
_SEARCHED: Final = 20_000
_MARKS: Final = ",._"
_FEW: Final = 40


def texts(pair: ToolPair, changes: Iterable[Change] = ()) -> Iterator[Change]:
    """Yield the changes of the description of the tool; ``changes`` are those of its schemas."""
    before, after = pair.before.description, pair.after.description
    if before == after:
        return
    place = here("description")
    if not before.strip() or not after.strip():
        if before.strip() or after.strip():
            name = "description-added" if after.strip() else "description-removed"
            yield told(name, both=place, before=before, after=after, model_visible=True)
        return
    plain = _plain(before), _plain(after)
    if plain[0] == plain[1]:
        yield told("description-whitespace-changed", both=place, before=before, after=after)
        return
    change = told(
        "description-changed",
        "the description changed",
        both=place,
        before=before,
        after=after,
        model_visible=True,
    )
    yield _reworded(change, plain, known=_numbers(changes))


def with_limits(change: Change, *, is_told: bool) -> Change:
    """Return the change of a member's text as one of a limit when the text has another limit.

    With ``is_told`` the schema changed at the same place, and the text only follows it.
    """
    if isinstance(change.before, str) and isinstance(change.after, str):
        plain = _plain(change.before), _plain(change.after)
        if plain[0] == plain[1]:
            return amended(change, model_visible=False)
        return _reworded(change, plain, is_told=is_told)
    return change


def _numbers(changes: Iterable[Change]) -> frozenset[str]:
    """Return the numbers that changed in a schema."""
    values = [value for change in changes for value in (change.before, change.after)]
    return frozenset(str(value) for value in values if is_number(value))


def _reworded(
    change: Change,
    plain: tuple[str, str],
    *,
    is_told: bool = False,
    known: frozenset[str] = frozenset(),
) -> Change:
    before, after = str(change.before), str(change.after)
    hint = f"{similarity(before, after):.0%} of the words are the same"
    if is_told:
        return amended(change, hint=hint)
    old, new = _limits(before, plain[0]), _limits(after, plain[1])
    added = [words for key, words in new.items() if key not in old and known.isdisjoint(key)]
    removed = [words for key, words in old.items() if key not in new and known.isdisjoint(key)]
    if not (added or removed):
        return amended(change, hint=hint)
    statement = f"states {added[0]!r}" if added else f"no longer states {removed[0]!r}"
    where = change.message.removesuffix(" changed")
    return told("description-constraint-changed", f"{where} {statement}", at=change.at,
                was=change.was, before=before, after=after, severity="low", hint=hint,
                model_visible=True)  # fmt: skip


def similarity(one: str, other: str) -> float:
    """Return the share of words that two texts have in common."""
    mine, theirs = one.split(), other.split()
    total = len(mine) + len(theirs)
    if len(mine) < _FEW and len(theirs) < _FEW:
        own, others_own = set(mine), set(theirs)
        if len(own) + len(others_own) == total:  # no word occurs twice, as in most short texts
            return 2 * len(own & others_own) / total if total else 1.0
    words, others = Counter(mine), Counter(theirs)
    both = words.keys() & others.keys()
    shared = sum(map(min, map(words.__getitem__, both), map(others.__getitem__, both)))
    return 2 * shared / total if total else 1.0


def _limits(text: str, plain: str) -> dict[tuple[str, ...], str]:
    """Return the limits and conditions in a text, normalized, with their original text."""
    words = (plain if len(text) <= _SEARCHED else _plain(text[:_SEARCHED])).lower()
    found: dict[tuple[str, ...], str] = {}
    numbers = [match.start() for match in islice(_DIGITS.finditer(words), _MANY)]
    for match in _LIMIT.finditer(words) if _may_limit(words, numbers) else ():
        kind = "default" if match.group().startswith("default") else "limit"
        found.setdefault((kind, match[1].strip(_MARKS)), match.group().strip())
    for match in _RANGE.finditer(words) if len(numbers) > 1 else ():
        key = ("range", match[1].strip(_MARKS), match[2].strip(_MARKS))
        found.setdefault(key, match.group())
    for match in _CONDITION.finditer(words) if any(map(words.__contains__, _CUES)) else ():
        found.setdefault(("condition", *match.group().split()[:4]), match.group().strip())
    return found


def _may_limit(words: str, numbers: list[int]) -> bool:
    """Precheck whether a limit may be before one of the numbers."""
    if len(numbers) == _MANY:
        return True
    before = [words[max(0, at - _NEAR) : at] for at in numbers]
    return any(any(map(piece.__contains__, _LIMITING)) for piece in before)


def _plain(text: str) -> str:
    """Return a text with normalized line ends, blanks and quotes."""
    if text.isprintable() and text.isascii() and "  " not in text:  # the most common case
        return text.strip()
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_QUOTES)
    return " ".join(text.split())
