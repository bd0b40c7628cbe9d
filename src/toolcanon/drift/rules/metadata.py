"""Rules about names, kinds, metadata and annotations of tools.

A hint that is not stated has a default, and two of them have no meaning for a read-only tool. So
stating a default changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from toolcanon.diagnostics.change import Change, Severity
from toolcanon.drift.pair import ToolPair
from toolcanon.drift.report import here, told
from toolcanon.infer import infer
from toolcanon.ir import CanonicalTool, stated_hints
from toolcanon.jsonio.types import Json
from toolcanon.schema.algebra.normal.terms import alike

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
