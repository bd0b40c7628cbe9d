"""Compare two sets of tools: pair them, and report added, removed, renamed and duplicate tools."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from toolcanon.checking.rules import rules
from toolcanon.checking.subject import Subject
from toolcanon.diagnostics.change import Change
from toolcanon.drift.fingerprint import definition_of, schema_hash
from toolcanon.drift.rules.texts import similarity
from toolcanon.drift.telling import here, told
from toolcanon.drift.tools import tool_changes
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.schema.normal.terms import alike

_WORD: Final = re.compile(r"[\w\-/]+(?:\.[\w\-/]+)*")
_LOOKALIKE: Final = "lookalike-name"
_ELSEWHERE: Final = "is also the name"
_ALIKE: Final = 0.72
_MOST: Final = 300
"""With more candidates than this on both sides, renamed tools are not searched for."""
_NAME: Final = Pointer(("name",))


@dataclass(frozen=True, slots=True)
class Matched:
    """The pairs of two sets of tools, and what was added and removed."""

    pairs: tuple[tuple[CanonicalTool, CanonicalTool], ...]
    removed: tuple[CanonicalTool, ...]
    added: tuple[CanonicalTool, ...]


def match(before: Sequence[CanonicalTool], after: Sequence[CanonicalTool]) -> Matched:
    """Pair tools by name, then renamed ones by arguments and text.

    One tool on each side is a pair, whatever its name.
    """
    if len(before) == len(after) == 1:
        return Matched(((before[0], after[0]),), (), ())
    partners = _partners(before, after)
    pairs = [(partners[id(tool)], tool) for tool in after if id(tool) in partners]
    known = {tool.id for tool in before}
    added = [tool for tool in after if tool.id not in known]
    paired = {id(old) for old, _ in pairs}
    removed = [tool for tool in before if id(tool) not in paired]
    renamed = _renamed(removed, added)
    gone, new = ({id(pair[side]) for pair in renamed} for side in (0, 1))
    return Matched(
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
    before: Sequence[CanonicalTool], after: Sequence[CanonicalTool], matched: Matched
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
    for number, hit in rule.compare([Subject(tool) for tool in tools]):
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
