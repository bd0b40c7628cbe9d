"""Checks of payloads: tools, conversations and requests, one report for all files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, Self

from toolcanon.checking.compatibility import CheckTarget, asked, dry_run, usual_targets
from toolcanon.checking.history.lint import lint
from toolcanon.checking.outcome import LEVELS, CheckReport, TargetOutcome
from toolcanon.checking.rule import Rule, RuleHit
from toolcanon.checking.rules import rules
from toolcanon.checking.selection import Selection
from toolcanon.checking.source_positions import Origins, Places
from toolcanon.conversations.read_write import codecs, read_conversation
from toolcanon.conversion.api import explained
from toolcanon.conversion.detect import FALLBACK, detect
from toolcanon.conversion.predicted_losses import facts
from toolcanon.conversion.read import read_payload
from toolcanon.conversion.sdk_objects import plain
from toolcanon.conversion.target import Target, targets_of
from toolcanon.diagnostics import FINDINGS, Effect, Finding, Fix
from toolcanon.errors import NotAConversation, NoTools
from toolcanon.ir import CanonicalTool
from toolcanon.ir.conversation import Conversation
from toolcanon.ir.walk import ToolView
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

    targets: tuple[CheckTarget, ...]
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
        subjects = [ToolView(tool) for tool in given]
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
    columns: Mapping[str, tuple[list[TargetOutcome], list[tuple[int, Finding]]]],
    others: list[tuple[int, Finding]],
    chosen: Selection,
) -> CheckReport:
    cells: dict[str, dict[str, TargetOutcome]] = {
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


def _loose(subjects: Sequence[ToolView], places: Places) -> Iterator[tuple[int, Finding]]:
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
    subjects: Sequence[ToolView], selection: Selection, places: Places
) -> Iterator[tuple[int, Finding]]:
    for rule in _chosen(selection):
        if rule.look is not None:
            for number, subject in enumerate(subjects):
                for hit in rule.look(subject):
                    yield number, _found(rule, hit, number, places)
        if rule.compare is not None and len(subjects) > 1:
            for number, hit in rule.compare(subjects):
                yield number, _found(rule, hit, number, places)


def _found(rule: Rule, hit: RuleHit, number: int, places: Places) -> Finding:
    at = Pointer(hit.at)
    label, origin = places.of(number, at)
    return Finding(
        rule.code, rule.name, hit.level or rule.level, at, hit.message, hit.remedy or rule.remedy,
        label, origin=origin, fix=places.of_fix(number, hit.fix, at),
    )  # fmt: skip


def merged(reports: Sequence[CheckReport]) -> CheckReport:
    """Return one report of all, findings worst first; tools of the same name get a number."""
    if len(reports) == 1:
        return reports[0]
    cells: dict[str, dict[str, TargetOutcome]] = {}
    findings: list[Finding] = []
    aside: list[Finding] = []
    free = Labels().free
    for report in reports:
        labels = {tool: free(tool) for tool in report.cells}
        cells |= {labels[tool]: row for tool, row in report.cells.items()}
        findings += [_named(finding, labels) for finding in report.findings]
        aside += [_named(finding, labels) for finding in report.suppressed]
    findings.sort(key=lambda finding: LEVELS.index(finding.level))
    return CheckReport(
        tuple(cells),
        tuple(dict.fromkeys(target for report in reports for target in report.targets)),
        cells,
        tuple(findings),
        tuple(aside),
    )


def _named(finding: Finding, labels: dict[str, str]) -> Finding:
    """Return the finding with the label that its tool has in the merged report."""
    label = labels.get(finding.subject, finding.subject)
    return finding if label == finding.subject else replace(finding, subject=label)


_NO_TOOLS: Final = "tools-missing"
_NO_RESULT: Final = "call-without-result"


def check(  # noqa: PLR0913 - the public contract
    payload: Any,
    to: str | Target | Iterable[str | Target] | None = None,
    *,
    source: str | None = None,
    model: str | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    watch: Callable[[str], None] | None = None,
) -> CheckReport:
    """Check tools and conversations against each target, and by the rules for definitions.

    ``payload`` is anything ``read`` accepts, canonical tools, a list of messages, or a request
    body. ``to`` are targets: by default the most common ones for tools, and its own format for a
    conversation. ``source`` names that format where it cannot be detected. ``select`` and
    ``ignore`` take codes, names or beginnings of codes; compatibility, losses and safety (C, L, S)
    are selected by default. ``watch`` is called with the next step. Raises UnknownCode, NoTools.

    >>> check({"name": "f", "inputSchema": {"type": "object"}}, to="mcp").matrix
    {'f': {'mcp': 'ok'}}
    >>> call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    >>> asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    >>> [finding.name for finding in check([{"role": "user", "content": "Go."}, asked]).findings]
    ['call-without-result']
    """
    targets = None if to is None else targets_of(to)
    select, ignore = (
        (word,) if isinstance(word, str) else tuple(word) for word in (select, ignore)
    )
    if source is None and (targets == () or plain_tools(payload) is not None):
        checks = Checks.of(targets, model=model, select=select, ignore=ignore)
        return checks.report(payload, watch)
    inspection = Inspection(targets or (), model=model, source=source, select=select, ignore=ignore)
    try:
        return inspection.report(payload, watch, may_be_empty=True)
    except RecursionError as error:  # the loader limits the depth of text, not that of objects
        raise explained(error, payload) from None


class Inspection:
    """A check with fixed options; each payload is checked separately.

    ``targets`` are for tools and conversations, ``tool_targets`` for tools that come without a
    conversation. A conversation is checked against its own provider by default.
    """

    def __init__(  # noqa: PLR0913 - the options of the command line
        self,
        targets: tuple[str | Target, ...] = (),
        tool_targets: tuple[str | Target, ...] = (),
        *,
        model: str | None = None,
        source: str | None = None,
        select: tuple[str, ...] = (),
        ignore: tuple[str, ...] = (),
    ) -> None:
        """``source`` is the format of conversations. Raises UnknownCode."""
        self.targets, self.tool_targets = targets_of(targets), targets_of(tool_targets)
        self.model, self.source = model, source
        self.select, self.ignore = select, ignore
        self.chosen = Selection.of(select, ignore)
        self._checks: dict[tuple[str, ...], Checks] = {}

    def report(
        self,
        payload: Any,
        watch: Callable[[str], None] | None = None,
        *,
        may_be_empty: bool = False,
    ) -> CheckReport:
        """Return the report of one payload. Raises NoTools when it is empty."""
        conversation = self._conversation(payload)
        reports: list[CheckReport] = []
        targets = self.targets or self.tool_targets
        if conversation is not None:
            targets = self.targets or (conversation.format,)
            reports.append(self._linted(payload, conversation, targets))
        if conversation is None or conversation.tools:
            tools = self._asked(targets).report(payload, watch)
            if not tools.tools and not may_be_empty:
                raise NoTools("it is empty")
            reports.append(tools)
        return merged(reports)

    def _asked(self, targets: tuple[str | Target, ...]) -> Checks:
        key = tuple(map(str, targets))
        if key not in self._checks:
            self._checks[key] = Checks.of(
                targets or None, model=self.model, select=self.select, ignore=self.ignore
            )
        return self._checks[key]

    def _conversation(self, payload: Json) -> Conversation | None:
        """Return the conversation, or None for other payloads: without messages it holds tools."""
        source = self.source
        if source is not None and detect(payload).format != FALLBACK and not _has_messages(payload):
            raise NotAConversation(
                "", "it has tools, and source (--from) is the format of a conversation"
            )
        try:
            found = read_conversation(payload, source=source)
        except NotAConversation:
            if source is not None:
                raise
            return None
        if found.everything():
            return found
        if source is not None:
            raise NotAConversation("", "it has no messages")
        return None

    def _linted(
        self, payload: Json, conversation: Conversation, targets: tuple[str | Target, ...]
    ) -> CheckReport:
        unasked = _beyond(payload, conversation)
        findings = [
            replace(finding, target=str(target))
            for target in targets
            for finding in lint(conversation, target, model=self.model, document=payload)
            if finding.name not in unasked and self.chosen.takes(finding.code, finding.name)
        ]
        findings.sort(key=lambda finding: LEVELS.index(finding.level))
        return CheckReport((), tuple(map(str, targets)), {}, tuple(findings))


def is_message(payload: Json) -> bool:
    """Return whether it is a single message: a part of a conversation."""
    if not isinstance(payload, dict):
        return False
    known = codecs().values()
    whole = any(codec.sniff_body(payload) or codec.sniff_answer(payload) for codec in known)
    return not whole and any(codec.sniff(payload) for codec in known)


def _has_messages(payload: Json) -> bool:
    return isinstance(payload, dict) and any(
        codec.history in payload for codec in codecs().values()
    )


def _beyond(payload: Json, conversation: Conversation) -> tuple[str, ...]:
    """Return the names of findings that the payload does not suffice for.

    Tools are declared beside messages, and the calls of a response have no results yet.
    """
    codec = codecs()[conversation.format]
    if isinstance(payload, dict) and codec.history in payload:
        return ()
    is_response = isinstance(payload, dict) and codec.sniff_answer(payload) > 0
    return (_NO_TOOLS, _NO_RESULT) if is_response else (_NO_TOOLS,)
