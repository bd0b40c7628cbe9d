"""Two versions of tools or of sets of tools compared: changes, verdicts, providers."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from toolcanon.checking.compatibility import asked, dry_run
from toolcanon.checking.outcome import VERDICTS, TargetOutcome, Verdict
from toolcanon.checking.payloads import plain_tools
from toolcanon.checking.rules import rules
from toolcanon.conversion.read import read_payload
from toolcanon.conversion.target import Target, targets_of
from toolcanon.diagnostics import Finding
from toolcanon.diagnostics.change import Change
from toolcanon.drift.fingerprint import definition_of, schema_hash
from toolcanon.drift.pair import ToolPair
from toolcanon.drift.report import DiffReport, amended, here, told
from toolcanon.drift.rules.metadata import (
    claims,
    identity,
    metadata,
    similarity,
    texts,
    with_limits,
)
from toolcanon.drift.rules.schemas import inputs, outputs
from toolcanon.drift.rules.security import security
from toolcanon.errors import LimitExceeded, NoTools
from toolcanon.ir import CanonicalTool
from toolcanon.ir.walk import ToolView
from toolcanon.jsonio import DEFAULT_LIMITS, Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.normal.terms import alike

_WORSE: Final[dict[Verdict, str]] = {
    "rejected": "target-newly-rejects",
    "lossy": "target-newly-loses",
}
_BETTER: Final[dict[Verdict, str]] = {
    "rejected": "target-newly-accepts",
    "lossy": "target-no-longer-loses",
}


def provider_changes(
    pairs: Sequence[tuple[CanonicalTool, CanonicalTool]], targets: Iterable[str | Target]
) -> Iterator[Change]:
    """Yield the changes of verdicts for each target, by lowering both versions for it."""
    for name in targets:
        target = asked(name)
        for before, after in pairs:
            old, new = (dry_run([tool], target) for tool in (before, after))
            yield from _moved(
                after.id, target.name, old[0][0], new[0][0], [found for _, found in new[1]]
            )


def _moved(
    tool: str, target: str, old: TargetOutcome, new: TargetOutcome, findings: list[Finding]
) -> Iterator[Change]:
    if old.verdict == new.verdict or "unknown" in {old.verdict, new.verdict}:
        return
    is_worse = VERDICTS.index(new.verdict) < VERDICTS.index(old.verdict)
    name = _WORSE[new.verdict] if is_worse else _BETTER[old.verdict]
    why = next((found.message for found in findings), "")
    yield told(
        name, f"{target}: {new.verdict}, was {old.verdict}", before=old.verdict, after=new.verdict,
        target=target, tool=tool, severity="low" if name == "target-newly-loses" else None,
        reason=why if is_worse else "",
    )  # fmt: skip


_TEXTS = frozenset({"input-description-changed", "output-description-changed"})


def tool_changes(before: CanonicalTool, after: CanonicalTool) -> list[Change]:
    """Return every change of a tool, in the order of the rules."""
    pair = ToolPair(before, after)
    if not pair.differs:
        return []
    found = list(_contract(pair))
    found += [*texts(pair, found), *claims(pair), *metadata(pair)]
    found += security(pair, found)
    return [amended(change, tool=pair.name) for change in found]


def _contract(pair: ToolPair) -> Iterator[Change]:
    yield from identity(pair)
    for rule in (inputs, outputs):
        found = list(rule(pair))
        if not any(change.name in _TEXTS for change in found):
            yield from found
            continue
        told = {change.place for change in found if change.name not in _TEXTS}
        holders = told | {Pointer(place[:-1]) for place in told}
        for change in found:
            is_told = Pointer(change.place[:-1]) in holders
            yield with_limits(change, is_told=is_told) if change.name in _TEXTS else change


_WORD: Final = re.compile(r"[\w\-/]+(?:\.[\w\-/]+)*")
_LOOKALIKE: Final = "lookalike-name"
_ELSEWHERE: Final = "is also the name"
_ALIKE: Final = 0.72
_MOST: Final = 300
"""With more candidates than this on both sides, renamed tools are not searched for."""
_NAME: Final = Pointer(("name",))


@dataclass(frozen=True, slots=True)
class MatchedTools:
    """The pairs of two sets of tools, and what was added and removed."""

    pairs: tuple[tuple[CanonicalTool, CanonicalTool], ...]
    removed: tuple[CanonicalTool, ...]
    added: tuple[CanonicalTool, ...]


def match(before: Sequence[CanonicalTool], after: Sequence[CanonicalTool]) -> MatchedTools:
    """Pair tools by name, then renamed ones by arguments and text.

    One tool on each side is a pair, whatever its name.
    """
    if len(before) == len(after) == 1:
        return MatchedTools(((before[0], after[0]),), (), ())
    partners = _partners(before, after)
    pairs = [(partners[id(tool)], tool) for tool in after if id(tool) in partners]
    known = {tool.id for tool in before}
    added = [tool for tool in after if tool.id not in known]
    paired = {id(old) for old, _ in pairs}
    removed = [tool for tool in before if id(tool) not in paired]
    renamed = _renamed(removed, added)
    gone, new = ({id(pair[side]) for pair in renamed} for side in (0, 1))
    return MatchedTools(
        (*pairs, *renamed),
        tuple(tool for tool in removed if id(tool) not in gone),
        tuple(tool for tool in added if id(tool) not in new),
    )


def _partners(
    before: Sequence[CanonicalTool], after: Sequence[CanonicalTool]
) -> dict[int, CanonicalTool]:
    """Return the old tool of the same name, by the identity of a new tool.

    Of several with the same name, equal ones are paired first, then the others in order, so that
    every change is reported.
    """
    waiting: dict[str, list[CanonicalTool]] = {}
    for tool in before:
        waiting.setdefault(tool.id, []).append(tool)
    doubled = Counter(tool.id for tool in after)
    found: dict[int, CanonicalTool] = {}
    same: dict[tuple[str, str], list[CanonicalTool]] = {}
    for name, tools in waiting.items():
        if len(tools) > 1 or doubled[name] > 1:
            for tool in tools:
                same.setdefault((name, schema_hash(definition_of(tool))), []).append(tool)
    for tool in after if same else ():
        alike = (
            same.get((tool.id, schema_hash(definition_of(tool)))) if tool.id in waiting else None
        )
        if alike:
            found[id(tool)] = alike.pop(0)
    taken = {id(tool) for tool in found.values()}
    left = {
        name: deque(tool for tool in tools if id(tool) not in taken)
        for name, tools in waiting.items()
    }
    for tool in after:
        if id(tool) not in found and left.get(tool.id):
            found[id(tool)] = left[tool.id].popleft()
    return found


def set_changes(
    before: Sequence[CanonicalTool], after: Sequence[CanonicalTool], matched: MatchedTools
) -> Iterator[Change]:
    """Yield every change of the tools and of the set as a whole."""
    if len(before) == len(after) == 1:  # no change of the set is possible but the name
        yield from tool_changes(before[0], after[0])
        yield from _lookalikes(before, after)
        return
    names = {tool.name for tool in after}
    for old, new in matched.pairs:
        yield from tool_changes(old, new)
        if len(after) > 1:
            yield from _references(old, new, names)
    ids = {tool.id for tool in after}
    for tool in matched.removed:
        which = f"one of several tools named {tool.id}" if tool.id in ids else tool.id
        yield told("tool-removed", f"{which} was removed", was=_NAME, before=tool.id,
                   tool=tool.id,
                   reason="every call of it fails, whatever its arguments")  # fmt: skip
    for tool in matched.added:
        yield told("tool-added", f"{tool.id} was added", at=_NAME, after=tool.id, tool=tool.id,
                   model_visible=True)  # fmt: skip
    yield from _duplicates(before, after)
    yield from _lookalikes(before, after)
    if all(old.id == new.id for old, new in matched.pairs):
        kept = dict.fromkeys(id(old) for old, _ in matched.pairs)
        if list(kept) != [number for number in dict.fromkeys(map(id, before)) if number in kept]:
            yield told("tool-order-changed")


def _references(old: CanonicalTool, new: CanonicalTool, names: set[str]) -> Iterator[Change]:
    """Report other tools of the set that a description newly mentions."""
    if old.description == new.description:
        return
    words, known = (set(_WORD.findall(tool.description)) for tool in (new, old))
    for name in sorted((words - known) & names - {new.name}):
        if "_" in name or "-" in name:  # a plain word need not mean the tool
            yield told("description-tool-reference-added", f"the description mentions {name}",
                       both=here("description"), after=name, tool=new.id)  # fmt: skip


def _duplicates(
    before: Sequence[CanonicalTool], after: Sequence[CanonicalTool]
) -> Iterator[Change]:
    if len(after) == 1:
        return
    known, found = (Counter(tool.id for tool in tools) for tools in (before, after))
    for name, count in found.items():
        if count > max(1, known[name]):
            yield told("tool-duplicated", f"{count} tools are named {name}", at=_NAME,
                       before=known[name], after=count, tool=name)  # fmt: skip


def _lookalikes(
    before: Sequence[CanonicalTool], after: Sequence[CanonicalTool]
) -> Iterator[Change]:
    """Report new names that look like others of the set."""
    if len(before) == len(after) == 1 and before[0].id == after[0].id:
        return
    old_names = {tool.id for tool in before}
    if {tool.id for tool in after} <= old_names:
        return
    rule = next(rule for rule in rules().values() if rule.name == _LOOKALIKE)
    if rule.compare is None:
        return
    # Old names come first, so that the new one is reported.
    tools = sorted(after, key=lambda tool: tool.id not in old_names)
    for number, hit in rule.compare([ToolView(tool) for tool in tools]):
        tool = tools[number]
        if tool.id not in old_names:
            shadows = _ELSEWHERE in hit.message
            name = "name-shadows-other-server" if shadows else "name-confusable"
            yield told(name, hit.message, at=_NAME, after=tool.id, tool=tool.id)


def _renamed(
    removed: Sequence[CanonicalTool], added: Sequence[CanonicalTool]
) -> list[tuple[CanonicalTool, CanonicalTool]]:
    """Pair removed and added tools that are probably the same, the most similar first."""
    if not removed or not added or len(removed) * len(added) > _MOST * _MOST:
        return []
    scores = [
        (_likeness(old, new), -one, -other)
        for one, old in enumerate(removed)
        for other, new in enumerate(added)
    ]
    taken: set[tuple[str, int]] = set()
    found = []
    for score, one, other in sorted(scores, reverse=True):
        ends = {("old", one), ("new", other)}
        if score >= _ALIKE and taken.isdisjoint(ends):
            taken |= ends
            found.append((removed[-one], added[-other]))
    return found


def _likeness(old: CanonicalTool, new: CanonicalTool) -> float:
    """Return how similar two tools are, from 0 to 1, by arguments, text and name."""
    one, other = (tool.input_schema.get("properties") or {} for tool in (old, new))
    names = one.keys() | other.keys()
    if names:
        same = sum(alike(_shape(one.get(name)), _shape(other.get(name))) for name in names)
        shape = same / len(names)
    else:
        shape = 0.75  # equal arguments are stronger evidence than no arguments on both sides
    words = similarity(old.description, new.description) if old.description else 0.5
    name = SequenceMatcher(None, old.name.lower(), new.name.lower(), autojunk=False).ratio()
    return 0.4 * shape + 0.3 * words + 0.3 * name


def _shape(schema: object) -> object:
    return schema.get("type") if isinstance(schema, dict) else schema


_ABOUT: Final = {
    "instructions": ("instructions",),
    "version": ("serverInfo", "server"),
    "protocol": ("protocolVersion", "protocol"),
}
_NAMES: Final = {
    "instructions": "server-instructions-changed",
    "version": "server-version-changed",
    "protocol": "protocol-version-changed",
}


def diff(
    before: Any,
    after: Any,
    *,
    to: str | Target | Iterable[str | Target] = (),
    source: str | None = None,
) -> DiffReport:
    """Compare two tools or two sets of tools: return the changes, who breaks, and a witness.

    Both sides are anything ``read`` accepts, or canonical tools; their formats may differ. With
    targets in ``to``, a tool that a target accepted before and rejects now is reported too. Nothing
    is changed or fetched, and what cannot be proved is ``unknown``, never compatible.

    >>> one = {"name": "f", "inputSchema": {"type": "object", "properties": {"n": {"minimum": 0}}}}
    >>> two = {"name": "f", "inputSchema": {"type": "object", "properties": {"n": {"minimum": 1}}}}
    >>> report = diff(one, two)
    >>> report.verdict, report.changes[0].witness.value
    ('breaking', {'n': 0})
    """
    try:
        return _compared(before, after, targets_of(to), source)
    except RecursionError:  # the loader limits the depth of text, not that of Python objects
        raise LimitExceeded("depth", DEFAULT_LIMITS.depth) from None


def _compared(
    before: Any, after: Any, targets: tuple[str | Target, ...], source: str | None
) -> DiffReport:
    old, new = _tools(before, source), _tools(after, source)
    matched = match(old, new)
    changes = [*_about(before, after), *set_changes(old, new, matched)]
    if targets:
        changes += provider_changes(matched.pairs, targets)
    names = [tool.id for tool in (*new, *matched.removed)]
    return DiffReport.of(changes, names)


def _tools(payload: Any, source: str | None) -> list[CanonicalTool]:
    given = plain_tools(payload)
    if given is not None:
        return given
    try:
        return read_payload(payload, source)[0]
    except NoTools:
        if _is_empty(payload):
            return []
        raise


def _is_empty(payload: Any) -> bool:
    """Return whether this is an empty list of tools, which a server may have."""
    return payload == [] or (isinstance(payload, dict) and payload.get("tools") == [])


def _about(before: Any, after: Any) -> Iterator[Change]:
    """Report changes of the server information beside the tools."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return
    if "tools" not in before or "tools" not in after:
        return
    for what, keys in _ABOUT.items():
        old, new = (_stated(payload, keys) for payload in (before, after))
        if old is not None and new is not None and old != new:
            yield told(_NAMES[what], before=old, after=new, model_visible=what == "instructions")


def _stated(payload: JsonObject, keys: tuple[str, ...]) -> Json:
    found = next((payload[key] for key in keys if key in payload), None)
    return found.get("version") if isinstance(found, dict) else found
