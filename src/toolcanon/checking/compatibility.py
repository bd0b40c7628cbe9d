"""Compatibility with targets: a dry run of lowering, reported as verdicts and findings.

There is no rule for any provider here. Tools are bound to the target as they would be for sending;
the result follows from what binding lost and from what it could not write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from toolcanon.checking.outcome import TargetOutcome, Verdict
from toolcanon.checking.source_positions import Places
from toolcanon.conversion.bind_tool import BoundTool
from toolcanon.conversion.binding import Binding, bind_one, bound_tools
from toolcanon.conversion.target import (
    BindTarget,
    Target,
    all_dialects,
    ensure_options,
    find_bind_target,
    known_targets,
    merged,
    parse_target,
)
from toolcanon.diagnostics import CODES, FINDINGS, Effect, Finding, Level, Loss
from toolcanon.diagnostics.codes import REFUSALS
from toolcanon.dialect import Dialect, Source
from toolcanon.errors import UsageError, nearest
from toolcanon.formats.wire.format import GUESSES
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json
from toolcanon.registry import meant, registry
from toolcanon.text import safe

_LONGEST: Final = 60


class CheckTarget(NamedTuple):
    """One requested target: how tools are bound to it, and its dialect."""

    name: str
    bind_target: BindTarget | None
    """None for a target that does not exist."""
    dialect: Dialect | None
    """None when there is no dialect for it."""


def usual_targets() -> tuple[str, ...]:
    """Return the default targets of tools, in a fixed order."""
    named = [dialect for dialect in all_dialects().values() if dialect.usual]
    return tuple(dialect.id for dialect in sorted(named, key=lambda dialect: dialect.usual))


def asked(to: str | Target, model: str | None = None) -> CheckTarget:
    """Return the target for a check; an unknown one is returned without a ``bind_target``.

    ``model`` chooses the dialect of targets that name only a format.
    """
    try:
        bind_target = known_target(to, model)
    except UsageError:
        if isinstance(to, Target):  # it exists, so the error is another one
            raise
        ensure_options(strict=False, model=model, via=None)
        return CheckTarget(to, None, None)
    return CheckTarget(str(to), bind_target, bind_target.choice.wanted)


def known_target(to: str | Target, model: str | None = None) -> BindTarget:
    """Return a known target. Raises UnknownFormat, NotWritable, UnknownDialect."""
    parsed = parse_target(to)
    if parsed.dialect is not None:
        model = None
    elif isinstance(to, Target):
        model = merged("model", to, model)
    bound: str | Target = to
    if parsed.layout is not None:  # every layout of messages has the same tools
        name = parsed.format.id
        bound = replace(to, format=name) if isinstance(to, Target) else name
    return find_bind_target(bound, model=model)


def model_advice(model: str) -> str | None:
    """Return a note on a model that chooses no dialect; None for a known one."""
    formats = registry().formats.values()
    bare = next(item.id for item in formats if item.write is not None and not item.dialects)
    if (
        find_bind_target(bare, model=model).choice.plain is not None
    ):  # the dialect was not given, so the model chose it
        return None
    known = sorted({name for dialect in all_dialects().values() for name in dialect.models})
    stem = model.lower().rpartition("/")[2]
    near = nearest(stem, known) or nearest(stem.partition("-")[0], known)
    hint = f"did you mean {near!r}?" if near else f"models begin with {', '.join(known)}"
    return f"note: the model {safe(model, _LONGEST)!r} is unknown, so it chooses no dialect; {hint}"


_DRAFT: Final = "$schema"
_STRICT_ONLY: Final = "L237"
_OVER: Final = "L239"
_GUESSED: Final = "L017"
_UNREAD: Final = frozenset({"L204", "L233"})
"""Losses of parts that cannot be parsed, so that no argument is validated by them."""
_TWICE: Final = "C110"
_UNKNOWN: Final = "C204"
_NARROWED: Final = Effect.NARROWED.value
_WIDENED: Final = Effect.WIDENED.value
_HINT_LOST: Final = Effect.HINT_LOST.value
_MATERIAL: Final = _WIDENED | _NARROWED
_UNAMBIGUOUS: Final = "write it so that it can be read in one way only"
_SHOWN: Final = 60
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False).encode
_WORDS: Final = re.compile(r"\w{4,}")  # shorter words such as "of" and "at" have no meaning


def dry_run(
    tools: Sequence[CanonicalTool], target: CheckTarget, places: Places | None = None
) -> tuple[list[TargetOutcome], list[tuple[int, Finding]]]:
    """Return a cell for each tool, and findings with the number of their tool."""
    if places is None:
        places = Places(tools, [tool.id for tool in tools])
    if target.bind_target is None or target.dialect is None:
        found = [(0, _unknown(target, places))] if tools else []
        return [TargetOutcome("unknown")] * len(tools), found
    kept = places.kept
    cells = [TargetOutcome("rejected")] * len(tools)
    findings = [(number, _twice(number, first, target, places))
                for number, first in places.doubled.items()]  # fmt: skip
    bound = _bound([tools[number] for number in kept], target.bind_target)
    for number, (item, lost) in zip(kept, bound, strict=True):
        cells[number], about = _evaluated(item, lost, target, number, places)
        findings += [(number, finding) for finding in about]
    return cells, findings


def _bound(
    tools: list[CanonicalTool], bind_target: BindTarget
) -> Iterator[tuple[BoundTool, list[Loss]]]:
    """Yield each tool as bound to the target, with its losses.

    Tools are bound together, since a request has limits of its own.
    """
    if len(tools) == 1:
        binding = bind_one(Binding, tools[0], bind_target)
        yield bound_tools(binding)[0], list(binding.losses)
    elif tools:
        binding = Binding(tools, bind_target)
        by_tool: dict[str, list[Loss]] = {tool.id: [] for tool in tools}
        for loss in binding.losses:
            by_tool[loss.tool].append(loss)
        yield from ((item, by_tool[item.tool.id]) for item in bound_tools(binding))


def _is_rejection(loss: Loss, target: CheckTarget) -> bool:
    if loss.code not in REFUSALS:
        return False
    strict = target.bind_target is not None and bool(target.bind_target.choice.mode)
    return loss.code != _STRICT_ONLY or strict


def _evaluated(
    item: BoundTool, losses: list[Loss], target: CheckTarget, number: int, places: Places
) -> tuple[TargetOutcome, list[Finding]]:
    """Return the cell of one tool, with a finding for each loss."""
    findings: list[Finding] = []
    narrowed = widened = hints = 0
    is_rejected = False
    for loss in losses:
        if _is_rejection(loss, target):
            is_rejected = True
            findings.append(_rejected(loss, target, *places.of(number, loss.at)))
            continue
        effect = loss.effect.value
        narrowed += bool(effect & _NARROWED)
        widened += bool(effect & _WIDENED)
        hints += bool(effect & _HINT_LOST)
        if loss.code == _GUESSED:
            findings += _guessed(loss, target, number, places)
        elif effect:
            findings.append(_lost(loss, effect, target, *places.of(number, loss.at)))
    verdict: Verdict = "rejected" if is_rejected else "lossy" if narrowed or widened else "ok"
    return TargetOutcome(verdict, _is_rewritten(item), narrowed, widened, hints), findings


def _is_rewritten(item: BoundTool) -> bool:
    tool, wire = item.tool, item.wire
    if wire is None or wire.name != tool.id:
        return wire is not None
    stated = tool.inputs
    if _DRAFT in stated and _DRAFT in wire.inputs:  # whose name alone changes nothing
        stated = {**stated, _DRAFT: wire.inputs[_DRAFT]}
    return wire.inputs != stated


def _rejected(loss: Loss, target: CheckTarget, subject: str, origin: Pointer | None) -> Finding:
    entry = FINDINGS[REFUSALS[loss.code]]
    said = [str(part) for part in (loss.before, loss.after) if part and part != "strict"]
    message = f"{entry.says}: {', '.join(said)}" if said else entry.says
    return Finding(
        entry.code, entry.name, "error", loss.at, message, entry.remedy, subject, target.name,
        source=_why(loss, target), origin=origin,
    )  # fmt: skip


def _lost(
    loss: Loss, effect: int, target: CheckTarget, subject: str, origin: Pointer | None
) -> Finding:
    level: Level = "warning" if effect & _MATERIAL else "info"
    message = f"{CODES[loss.code].says}{_change(loss)}; {loss.effect.words()}"
    return Finding(
        loss.code, loss.name, level, loss.at, message, _remedy(loss.code, effect), subject,
        target.name, source=_why(loss, target), origin=origin,
    )  # fmt: skip


def _guessed(loss: Loss, target: CheckTarget, number: int, places: Places) -> Iterator[Finding]:
    """Yield a finding for each guess: every one has its own place and reason."""
    noted = loss.before if isinstance(loss.before, dict) else {}
    for count, guess in enumerate(noted.get(GUESSES, ())):
        place = Pointer((*loss.at, GUESSES, count))
        message = f"{CODES[_GUESSED].says} at {guess['at'] or '/'}: {guess['why']}"
        subject, origin = places.of(number, place)
        yield Finding(
            loss.code, loss.name, "info", place, message, _UNAMBIGUOUS, subject, target.name,
            origin=origin,
        )  # fmt: skip


def _remedy(code: str, effect: int) -> str:
    if code in _UNREAD:
        return "correct the definition: this part of it is not validated"
    if not effect & _MATERIAL:
        return ""
    if effect & _NARROWED:
        otherwise = "some calls cannot be sent to this target"
    else:
        otherwise = "validate the arguments that come back: restore does"
    edit = CODES[code].edit
    return f"{edit}; otherwise {otherwise}" if edit else otherwise


def _change(loss: Loss) -> str:
    if loss.before is None or isinstance(loss.before, dict):
        return ""
    return f": {_short(loss.before)}"


def _short(value: Json) -> str:
    text = _ENCODE(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… {len(text) - _SHOWN:,} more"


def _why(loss: Loss, target: CheckTarget) -> str:
    """Return the fact that causes a loss or a rejection, with its source."""
    dialect, bind_target = target.dialect, target.bind_target
    if loss.code == _OVER:
        if loss.at:
            return _fact(dialect, {"schema_bytes"}, set(), least=True)
        # The fact comes from the dialect that has the limit, whatever strictness was requested.
        plain = dialect if bind_target is None else bind_target.choice.plain
        return _fact(plain, {"tools"}, set(), least=True)
    if loss.code == _STRICT_ONLY:  # its reason contains the names of limits
        reason = {*_WORDS.findall(str(loss.after))}
        return _fact(dialect, reason, reason)
    return _fact(dialect, set(), {str(loss.at[-1])} if loss.at else set())


def _fact(dialect: Dialect | None, facts: set[str], words: set[str], *, least: bool = False) -> str:
    """Return a dialect with its version, and the source of these facts.

    A source that lists its facts is used for those only. Among the sources of the whole dialect,
    one that mentions these words is preferred, then the first. With ``least`` none of them is
    used: the source of a limit must list it.
    """
    if dialect is None:
        return ""
    named = _source(dialect.sources, facts, words, least=least)
    if named is None:
        return dialect.pinned
    return f"{dialect.pinned}, from {named.where} ({named.checked})"


def _source(
    sources: Sequence[Source], facts: set[str], words: set[str], *, least: bool
) -> Source | None:
    first = None
    matching = None
    for one in sources:
        if one.about:
            if not facts.isdisjoint(one.about):
                return one
        elif matching is None and not words.isdisjoint(_words_of(one.says)):
            matching = one
        elif first is None and not least:
            first = one
    return matching or first


@lru_cache(maxsize=256)  # sources of dialects
def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text))


def _unknown(target: CheckTarget, places: Places) -> Finding:
    entry = FINDINGS[_UNKNOWN]
    near = "" if target.bind_target else meant(target.name) or nearest(target.name, known_targets())
    remedy = f"did you mean {near!r}?" if near else entry.remedy
    at = Pointer()
    subject, origin = places.of(0, at)
    return Finding(
        entry.code, entry.name, "warning", at, entry.says, remedy, subject, target.name,
        origin=origin,
    )  # fmt: skip


def _twice(number: int, first: int, target: CheckTarget, places: Places) -> Finding:
    entry = FINDINGS[_TWICE]
    message = f"{entry.says}: this one and tool {first + 1}"
    at = Pointer(("name",))
    subject, origin = places.of(number, at)
    return Finding(
        entry.code, entry.name, "error", at, message, entry.remedy, subject, target.name,
        source=_fact(target.dialect, {"names"}, {"names"}), origin=origin,
    )  # fmt: skip
