"""Check tools before they are sent: compatibility by a dry run, safety and quality by rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Self

from toolcanon.checking.compatibility import dry_run
from toolcanon.checking.origins import Origins, Places
from toolcanon.checking.outcome import LEVELS, Cell, CheckReport
from toolcanon.checking.rule import Hit, Rule
from toolcanon.checking.rules import rules
from toolcanon.checking.selection import Selection
from toolcanon.checking.subject import Subject
from toolcanon.checking.targets import Asked, asked, usual_targets
from toolcanon.conversion.api import explained
from toolcanon.conversion.differences import facts
from toolcanon.conversion.plain import plain
from toolcanon.conversion.reader import read_payload
from toolcanon.conversion.target import Target, targets_of
from toolcanon.diagnostics import FINDINGS, Effect, Finding, Fix
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json
from toolcanon.registry import get_format
from toolcanon.schema import Upgraded
from toolcanon.text import safe, safe_json

_SOURCE: Final = "_source"
_SHOWN: Final = 60
_BY_HAND: Final = (
    "write it as 2020-12 by hand: --fix writes no guess, and changes no format with its own type "
    "names or keywords"
)
_LOOSE: Final = "C205"
_LABEL: Final = "L110"  # an older `$schema` alone needs no finding
_UNNAMED: Final = "tool"


@dataclass(frozen=True, slots=True)
class Checks:
    """A check of tools with fixed options, for any number of unrelated payloads."""

    targets: tuple[Asked, ...]
    chosen: Selection

    @classmethod
    def of(
        cls,
        targets: Iterable[str | Target] | None = None,
        *,
        model: str | None = None,
        select: Iterable[str] = (),
        ignore: Iterable[str] = (),
    ) -> Self:
        """Return checks with the options of ``check``. Raises UnknownCode."""
        wanted = usual_targets() if targets is None else targets_of(targets)
        return cls(tuple(asked(name, model) for name in wanted), Selection.of(select, ignore))

    def report(self, payload: Any, watch: Callable[[str], None] | None = None) -> CheckReport:
        """Return the report of the tools of a payload."""
        given = plain_tools(payload)
        document = None if given is not None else plain(payload)
        try:
            return self._report(document, given, watch or (lambda _: None))
        except (RecursionError, TypeError) as error:  # too deep, or a key that is not a string
            said = document if given is None else list(map(facts, given))
            raise explained(error, said) from None

    def _report(
        self, document: Json, given: list[CanonicalTool] | None, watch: Callable[[str], None]
    ) -> CheckReport:
        origins = None
        if given is None:
            given, _ = read_payload(document)
            origins = Origins(document, [tool.__dict__.get(_SOURCE) for tool in given])
        labels = _labels(given)
        places = Places(given, labels, origins)
        columns = {}
        for target in self.targets:
            watch(f"{len(given):,} tools for {target.name}")
            columns[target.name] = dry_run(given, target, places)
        watch(f"rules on {len(given):,} tools")
        subjects = [Subject(tool) for tool in given]
        found = [*_loose(subjects, places), *_by_rules(subjects, self.chosen, places)]
        return _report(labels, columns, found, self.chosen)


def plain_tools(payload: Any) -> list[CanonicalTool] | None:
    """Return the canonical tools of a payload of such; None for a payload to be read."""
    if isinstance(payload, CanonicalTool):
        return [payload]
    is_list = isinstance(payload, list | tuple) and bool(payload)
    if is_list and all(isinstance(item, CanonicalTool) for item in payload):
        return list(payload)
    return None


def _report(
    labels: tuple[str, ...],
    columns: Mapping[str, tuple[list[Cell], list[tuple[int, Finding]]]],
    others: list[tuple[int, Finding]],
    chosen: Selection,
) -> CheckReport:
    cells: dict[str, dict[str, Cell]] = {
        label: {name: column[number] for name, (column, _) in columns.items()}
        for number, label in enumerate(labels)
    }
    found = [each for _, findings in columns.values() for each in findings]
    found += others
    codes = {finding.code: finding.name for _, finding in found}
    told = {code for code, name in codes.items() if chosen.takes(code, name)}
    kept = [each for each in found if each[1].code in told]
    kept.sort(key=lambda item: (LEVELS.index(item[1].level), item[0]))
    return CheckReport(labels, tuple(columns), cells, tuple(finding for _, finding in kept))


def _labels(tools: Sequence[CanonicalTool]) -> tuple[str, ...]:
    """Return the label of each tool: its id, with a number where two have the same."""
    labels = Labels()
    return tuple([labels.free(tool.id or _UNNAMED) for tool in tools])


class Labels:
    """Unique labels for names that may be equal."""

    __slots__ = ("_last", "_taken")

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._last: dict[str, int] = {}

    def free(self, name: str) -> str:
        """Return the name, with a number if it is taken, and reserve it."""
        label, number = name, self._last.get(name, 1)
        while label in self._taken:
            number += 1
            label = f"{name} ({number})"
        self._last[name] = number
        self._taken.add(label)
        return label


def _loose(subjects: Sequence[Subject], places: Places) -> Iterator[tuple[int, Finding]]:
    """Report schemas that 2020-12 does not allow, once for each side of a tool."""
    entry = FINDINGS[_LOOSE]
    for number, subject in enumerate(subjects):
        if not subject.is_function:
            continue
        for side, upgraded in (("inputs", subject.inputs), ("outputs", subject.outputs)):
            if upgraded is None or not upgraded.losses:
                continue
            losses = [loss for loss in upgraded.losses if loss.code != _LABEL]
            if not losses:
                continue
            first = losses[0]
            before, after = (
                safe(safe_json(one, indent=None), _SHOWN) for one in (first.before, first.after)
            )
            more = f", and {len(losses) - 1} more like it" if len(losses) > 1 else ""
            message = f"{entry.says}: {before} is read as {after} ({first.name}){more}"
            fix = _rewording(subject.tool, side, upgraded)
            remedy = entry.remedy if fix.is_safe else _BY_HAND
            label, origin = places.of(number, first.at)
            yield number, Finding(
                entry.code, entry.name, "info", first.at, message, remedy, label, origin=origin,
                fix=places.of_fix(number, fix, first.at),
            )  # fmt: skip


def _rewording(tool: CanonicalTool, side: str, upgraded: Upgraded) -> Fix:
    """Return the fix that writes the schema as 2020-12.

    It is safe unless something was guessed or lost, or the format has its own type names.
    """
    source = get_format(str(tool.source_format))
    is_own = any(dialect.nullable for dialect in source.dialects)
    says = f"write {side} as JSON Schema 2020-12"
    is_exact = all(loss.effect is Effect.EXACT for loss in upgraded.losses)
    is_safe = is_exact and not is_own and source.write is not None
    return Fix(says, upgraded.schema, is_safe=is_safe, at=Pointer((side,)))


@lru_cache(maxsize=16)
def _chosen(selection: Selection) -> list[Rule]:
    return [rule for rule in rules().values() if selection.takes(rule.code, rule.name)]


def _by_rules(
    subjects: Sequence[Subject], selection: Selection, places: Places
) -> Iterator[tuple[int, Finding]]:
    for rule in _chosen(selection):
        if rule.look is not None:
            for number, subject in enumerate(subjects):
                for hit in rule.look(subject):
                    yield number, _found(rule, hit, number, places)
        if rule.compare is not None and len(subjects) > 1:
            for number, hit in rule.compare(subjects):
                yield number, _found(rule, hit, number, places)


def _found(rule: Rule, hit: Hit, number: int, places: Places) -> Finding:
    at = Pointer(hit.at)
    label, origin = places.of(number, at)
    return Finding(
        rule.code, rule.name, hit.level or rule.level, at, hit.message, hit.remedy or rule.remedy,
        label, origin=origin, fix=places.of_fix(number, hit.fix, at),
    )  # fmt: skip
