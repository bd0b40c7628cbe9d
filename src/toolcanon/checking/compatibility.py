"""Will these tools work there: a dry run of lowering, told as verdicts and findings.

There is no rule for any provider here. Tools are bound to the target as they would be for sending;
what binding lost, and what it could not do at all, is the answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from toolcanon.checking.outcome import Cell, Verdict
from toolcanon.checking.targets import Asked, known_targets
from toolcanon.conversion.binding import Binding
from toolcanon.conversion.bound import BoundTool
from toolcanon.conversion.way import Way
from toolcanon.diagnostics import CODES, FINDINGS, Effect, Finding, Level, Loss
from toolcanon.dialect import Dialect
from toolcanon.errors import nearest
from toolcanon.formats.wire.extras import GUESSES
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json
from toolcanon.registry import meant

REFUSALS: Final = {"L015": "C201", "L018": "C208", "L237": "C202", "L239": "C203"}
"""Losses that mean: this tool does not get there."""
_DRAFT: Final = "$schema"
_STRICT_ONLY: Final = "L237"
_OVER: Final = "L239"
_GUESSED: Final = "L017"
_UNREAD: Final = frozenset({"L204", "L233"})
"""Losses of parts that cannot be read, so that no argument is checked by them."""
_TWICE: Final = "C110"
_UNKNOWN: Final = "C204"
_NARROWED: Final = Effect.NARROWED.value
_WIDENED: Final = Effect.WIDENED.value
_HINT_LOST: Final = Effect.HINT_LOST.value
_MATERIAL: Final = _WIDENED | _NARROWED
_UNAMBIGUOUS: Final = "write it so that it can be read in one way only"
_SHOWN: Final = 60
_WORDS: Final = re.compile(r"\w{4,}")  # shorter ones, such as "of" and "at", tell nothing


def dry_run(
    tools: Sequence[CanonicalTool], target: Asked
) -> tuple[list[Cell], list[tuple[int, Finding]]]:
    """A cell for each tool, and findings with the number of the tool each is about."""
    if target.way is None or target.dialect is None:
        found = [(number, _unknown(tool, target)) for number, tool in enumerate(tools)]
        return [Cell("unknown")] * len(tools), found[:1]
    doubled = _doubled(tools)
    kept = [number for number in range(len(tools)) if number not in doubled]
    cells = [Cell("rejected")] * len(tools)
    findings = [(number, _twice(tools[number], first, target)) for number, first in doubled.items()]
    bound = _bound([tools[number] for number in kept], target.way)
    for number, (item, lost) in zip(kept, bound, strict=True):
        cells[number] = _cell(item, lost, target)
        findings += [(number, finding) for finding in _findings(lost, target)]
    return cells, findings


def _bound(tools: list[CanonicalTool], way: Way) -> Iterator[tuple[BoundTool, list[Loss]]]:
    """Each tool as it would be sent, with what it loses.

    Bound together, since a request has limits of its own.
    """
    if len(tools) == 1:
        binding = Binding.of_one(tools[0], way)
        yield binding.bound[0], list(binding.losses)
    elif tools:
        binding = Binding(tools, way)
        by_tool: dict[str, list[Loss]] = {tool.id: [] for tool in tools}
        for loss in binding.losses:
            by_tool[loss.tool].append(loss)
        yield from ((item, by_tool[item.tool.id]) for item in binding.bound)


def _doubled(tools: Sequence[CanonicalTool]) -> dict[int, int]:
    """Tools whose name an earlier one has, with the number of that one."""
    seen: dict[str, int] = {}
    found: dict[int, int] = {}
    for number, tool in enumerate(tools):
        first = seen.setdefault(tool.id, number)
        if first != number:
            found[number] = first
    return found


def _is_refusal(loss: Loss, target: Asked) -> bool:
    if loss.code not in REFUSALS:
        return False
    strict = target.way is not None and bool(target.way.choice.mode)
    return loss.code != _STRICT_ONLY or strict


def _cell(item: BoundTool, losses: list[Loss], target: Asked) -> Cell:
    effects = [loss.effect.value for loss in losses if not _is_refusal(loss, target)]
    refused = len(effects) < len(losses)
    narrowed = sum(bool(effect & _NARROWED) for effect in effects)
    widened = sum(bool(effect & _WIDENED) for effect in effects)
    hints = sum(bool(effect & _HINT_LOST) for effect in effects)
    verdict: Verdict = "rejected" if refused else "lossy" if narrowed or widened else "ok"
    return Cell(verdict, _is_rewritten(item), narrowed, widened, hints)


def _is_rewritten(item: BoundTool) -> bool:
    tool, wire = item.tool, item.wire
    if wire is None or wire.name != tool.id:
        return wire is not None
    stated = tool.inputs
    if _DRAFT in stated and _DRAFT in wire.inputs:  # whose name alone changes nothing
        stated = {**stated, _DRAFT: wire.inputs[_DRAFT]}
    return wire.inputs != stated


def _findings(losses: list[Loss], target: Asked) -> Iterator[Finding]:
    for loss in losses:
        if _is_refusal(loss, target):
            yield _refused(loss, target)
        elif loss.code == _GUESSED:
            yield from _guessed(loss, target)
        elif loss.effect != Effect.EXACT:
            yield _lost(loss, target)


def _refused(loss: Loss, target: Asked) -> Finding:
    entry = FINDINGS[REFUSALS[loss.code]]
    said = [str(part) for part in (loss.before, loss.after) if part and part != "strict"]
    message = f"{entry.says}: {', '.join(said)}" if said else entry.says
    return Finding(
        entry.code, entry.name, "error", loss.at, message, entry.remedy, loss.tool, target.name,
        source=_why(loss, target),
    )  # fmt: skip


def _lost(loss: Loss, target: Asked) -> Finding:
    entry = CODES[loss.code]
    level: Level = "warning" if loss.effect.value & _MATERIAL else "info"
    message = f"{entry.says}{_change(loss)}; {loss.effect.words()}"
    return Finding(
        loss.code, loss.name, level, loss.at, message, _remedy(loss), loss.tool, target.name,
        source=_why(loss, target),
    )  # fmt: skip


def _guessed(loss: Loss, target: Asked) -> Iterator[Finding]:
    """Each guess by itself, since every one has its place and its reason."""
    noted = loss.before if isinstance(loss.before, dict) else {}
    for number, guess in enumerate(noted.get(GUESSES, ())):
        place = Pointer((*loss.at, GUESSES, number))
        message = f"{CODES[_GUESSED].says} at {guess['at'] or '/'}: {guess['why']}"
        yield Finding(
            loss.code, loss.name, "info", place, message, _UNAMBIGUOUS, loss.tool, target.name,
        )  # fmt: skip


def _remedy(loss: Loss) -> str:
    if loss.code in _UNREAD:
        return "correct the definition: what it meant here is checked nowhere"
    effect = loss.effect.value
    if effect & _NARROWED:
        return "say it so that the target can hold it, or do without the calls it can no longer say"
    if effect & _WIDENED:
        return "check arguments when they come back: restore does, and says what is wrong"
    return ""


def _change(loss: Loss) -> str:
    if loss.before is None or isinstance(loss.before, dict):
        return ""
    return f": {_short(loss.before)}"


def _short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… {len(text) - _SHOWN:,} more"


def _why(loss: Loss, target: Asked) -> str:
    """The fact that a loss or a refusal comes from, with its source."""
    dialect, way = target.dialect, target.way
    if loss.code == _OVER:
        if loss.at:
            return _fact(dialect, {"schema_bytes"}, set(), least=True)
        # Whose limit it is, whatever strictness asks for.
        plain = dialect if way is None else way.choice.plain
        return _fact(plain, {"tools"}, set(), least=True)
    if loss.code == _STRICT_ONLY:  # its reason calls limits by their names
        reason = {*_WORDS.findall(str(loss.after))}
        return _fact(dialect, reason, reason)
    return _fact(dialect, set(), {str(loss.at[-1])} if loss.at else set())


def _fact(dialect: Dialect | None, facts: set[str], words: set[str], *, least: bool = False) -> str:
    """A dialect in its version, and where these facts of it come from.

    A source that says which facts it is for is named for no others. Among those that tell of the
    dialect as a whole it is one that speaks of it in these words, or the first; with ``least``
    none of them, since a limit is looked up where it stands or not at all.
    """
    sources = () if dialect is None else dialect.sources
    others = [one for one in sources if not one.about]
    named = (
        [one for one in sources if not facts.isdisjoint(one.about)]
        or [one for one in others if not words.isdisjoint(_words_of(one.says))]
        or ([] if least else others)
    )
    if dialect is None or not named:
        return "" if dialect is None else dialect.pinned
    return f"{dialect.pinned}, after {named[0].where} ({named[0].checked})"


@lru_cache(maxsize=256)  # sources of dialects
def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text))


def _unknown(tool: CanonicalTool, target: Asked) -> Finding:
    entry = FINDINGS[_UNKNOWN]
    near = "" if target.way else meant(target.name) or nearest(target.name, known_targets())
    remedy = f"did you mean {near!r}?" if near else entry.remedy
    return Finding(
        entry.code, entry.name, "warning", Pointer(), entry.says, remedy, tool.id, target.name
    )


def _twice(tool: CanonicalTool, first: int, target: Asked) -> Finding:
    entry = FINDINGS[_TWICE]
    message = f"{entry.says}: this one and tool {first + 1}"
    return Finding(
        entry.code, entry.name, "error", Pointer(("name",)), message, entry.remedy, tool.id,
        target.name, source=_fact(target.dialect, {"names"}, {"names"}),
    )  # fmt: skip
