"""The trust surface: what new texts add, and new ways to send data out.

The rules of a check are run on both versions. What they find only in the new one was added, which
is far stronger evidence than a finding in a definition that did not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from toolcanon.checking.rule import Rule, RuleHit
from toolcanon.checking.rules import rules
from toolcanon.diagnostics.change import Change, Severity
from toolcanon.drift.pair import ToolPair
from toolcanon.drift.report import told
from toolcanon.infer import infer, words_of
from toolcanon.ir import stated_hints
from toolcanon.ir.walk import ToolParameter, ToolView
from toolcanon.jsonio import Pointer
from toolcanon.text.homoglyphs import is_plain

_PLAIN: Final = {
    "invisible-characters": "text-invisible-characters",
    "bidirectional-controls": "text-bidi-control",
    "control-characters": "text-control-characters",
    "disguised-words": "text-confusable-letters",
    "lookalike-name": "text-confusable-letters",
    "hidden-by-layout": "text-hidden-markup",
    "encoded-payload": "text-encoded-payload",
    "secrecy-demanded": "description-secrecy-demand",
    "sensitive-places": "description-sensitive-path",
    "outside-address": "description-external-url",
    "secret-in-value": "default-suspicious-value",
    "remote-reference": "schema-external-ref",
    "other-tools": "description-cross-tool-instruction",
}
_OF_LETTERS: Final = frozenset(
    {"invisible-characters", "bidirectional-controls", "control-characters", "disguised-words",
     "lookalike-name"}
)  # fmt: skip
"""Rules that find nothing in printable ASCII."""
_ORDERS: Final = frozenset({"orders-to-the-model", "role-markers"})
_SIDES: Final = {
    "inputs": "input-instruction-injected",
    "outputs": "output-instruction-injected",
}
_PRIORITY: Final = re.compile(r"before|instead|first|prefer|priority|only|always")
_LEVELS: Final[dict[str, Severity]] = {"error": "high", "warning": "high", "info": "low"}
"""Findings that are only warnings in a check are worse when they were just added."""
_PADDED: Final = "blanks"

_PROMISES: Final = (
    (
        ("never ", "not ", "no ", "n't "),
        re.compile(
            r"(?:never|not|no(?: data)?|n't)(?: \w+){0,3} (?:leaves?|sent|send|shared?|stored?"
            r"|store|upload(?:ed)?|modif(?:y|ies|ied)|changed?|delet(?:e|es|ed)|written|writes?"
            r"|execut(?:e|es|ed))\b"
        ),
    ),
    (("read-only", "read only"), re.compile(r"\bread[- ]only\b")),
    (("without ",), re.compile(r"\bwithout (?:changing|modifying|sending|storing)\b")),
    (("stay",), re.compile(r"\bstays? (?:local|on)\b")),
    (("local",), re.compile(r"\blocal(?:ly)? only\b")),
    (("only read", "only local"), re.compile(r"\bonly (?:reads?|locally)\b")),
    (("dry",), re.compile(r"\bdry[- ]run\b")),
)
"""Promises, and texts that each of them contains: one pattern for all would be slow."""
_SINKS: Final = re.compile(
    r"\b(?:bcc|webhook|callback url|callback uri|exfil\w*|telemetry url|report url|notify url"
    r"|(?:chat|conversation|session|dialog(?:ue)?|message|prompt) (?:history|context|log)"
    r"|conversation|transcript|system prompt|full context|history context|side ?note)\b"
)
_CARRIERS: Final = re.compile(r"\b(?:context|notes?|metadata|history|debug|feedback|trace|memo)\b")
_EVERYTHING: Final = re.compile(
    r"\b(?:everything|entire|whole|full|all|complete|verbatim)\b[^.]{0,60}"
    r"\b(?:conversation|chat|messages?|said|prompt|context|history|session|files?|environment"
    r"|instructions?)\b|\bsystem prompt\b|\bso far\b|\bprevious (?:messages|turns|tool)\b"
)
_WRITE: Final = re.compile(
    r"\b(?:save|saves|saved|saving|write|writes|written|export|exports|dump|dumps|overwrite"
    r"|overwrites|persist|stored? (?:in|at|to)|download to|output to|created? (?:the|a) file)\b"
)
_WRITE_NAME: Final = re.compile(
    r"\b(?:save|write|export|overwrite|persist)\b"
    r"|\boutput (?:file|path|dir|directory|folder|filename)\b"
    r"|\b(?:out|dest|destination) (?:file|path)\b"
)
_WRITE_SWITCH: Final = re.compile(
    r"\b(?:save|write|export|overwrite|persist|commit|apply|delete|force|execute)\b"
)
_PLACE_NAME: Final = re.compile(r"\b(?:file ?name|file|path|file ?path|dir|directory|folder)\b")
_SWITCH: Final = re.compile(
    r"\b(?:dry ?run|confirm|confirmed|force|recursive|public|sandbox|safe(?: mode)?|read ?only"
    r"|preview|verify|overwrite|delete|share|anonymous)\b"
)
_DANGEROUS: Final = re.compile(
    r"https?://(?!localhost|127\.|\[::1\]|[\w.-]*example\.)|^(?:~|/etc|/root|/home|/var|[A-Za-z]:\\)"
    r"|\.\./|[;|&]\s?(?:curl|wget|rm|sh|bash|nc)\b|\$\(|`[^`]+`|\brm -rf\b"
)
_NEWCOMERS: Final = frozenset(
    {"input-optional-property-added", "input-required-added", "input-property-renamed"}
)
_ADDED_ORDERS: Final = (
    (
        "description-sensitive-path",
        frozenset("before first always also must then whenever".split()),
        (
            "environment variable",
            "env var",
            "api key",
            "credential",
            "access token",
            "private key",
            "password",
            "secret",
            "ssh key",
            "cookie",
            "chat history",
            "conversation",
            "system prompt",
        ),
        re.compile(
            r"\b(?:before|first|always|also|must|then|whenever)\b[^.]{0,60}?"
            r"\b(?:read|include|collect|gather|attach|append|fetch|copy)\b[^.]{0,60}?"
            r"\b(environment variable|env var|api key|credential|access token|private key|password"
            r"|secret|ssh key|cookie|chat history|conversation|system prompt)"
        ),
    ),
    (
        "description-external-url",
        frozenset("bcc cc copy forward send add include post upload".split()),
        ("@",),
        re.compile(
            r"\b(?:bcc|cc|copy|forward|send|add|include|post|upload)\b[^.]{0,60}?"
            r"\b([\w.+-]{1,64}@(?!example)[\w-]{1,60}\.[\w.-]{2,60})"
        ),
    ),
)
"""The change, words of which one must occur, words for the subject, and the pattern."""
_TEXTUAL: Final = frozenset({"string", "array", "object", ""})


def security(pair: ToolPair, changes: Iterable[Change]) -> Iterator[Change]:
    """Yield added content that needs a review."""
    found = list(changes)
    yield from _defaults(found)
    if not pair.differing:
        return
    if _has_new_text(pair):
        yield from _by_rules(pair)
        yield from _orders(pair)
    yield from _scope(pair)
    if any(change.name in _NEWCOMERS for change in found):
        yield from _parameters(pair)


@cache
def _watched(*, of_letters: bool) -> tuple[Rule, ...]:
    """Return the rules to run, with or without those that find nothing in printable ASCII."""
    wanted = _PLAIN.keys() | _ORDERS
    if not of_letters:
        wanted -= _OF_LETTERS
    return tuple(rule for rule in rules().values() if rule.name in wanted and rule.look is not None)


def _has_new_text(pair: ToolPair) -> bool:
    """Return whether there is any new text; the name always counts as one."""
    return len(pair.new.texts) > 1 or "name" in pair.differing


def _by_rules(pair: ToolPair) -> Iterator[Change]:
    for rule in _watched(of_letters=not is_plain(pair.new.joined)):
        hits = _hits(rule, pair.new)
        if not hits:
            continue
        known = {hit.message for hit in _hits(rule, pair.gone)}
        told_of: set[str] = set()
        for hit in hits:
            if hit.message not in known and hit.message not in told_of:
                told_of.add(hit.message)
                yield _found(rule, hit)


def _hits(rule: Rule, subject: ToolView) -> list[RuleHit]:
    return [] if rule.look is None else list(rule.look(subject))


def _level(rule: Rule, hit: RuleHit) -> str:
    return hit.level or rule.level


def _found(rule: Rule, hit: RuleHit) -> Change:
    if rule.name in _ORDERS:
        name = _SIDES.get(str(hit.at[0]) if hit.at else "", "description-instruction-injected")
    elif rule.name == "lookalike-name" and hit.at[:1] == ("name",):
        name = "name-confusable"
    elif rule.name == "hidden-by-layout" and _PADDED in hit.message:
        name = "text-padding"
    elif rule.name == "outside-address" and "default" in hit.at:
        name = "default-suspicious-value"
    elif rule.name == "other-tools" and _PRIORITY.search(hit.message):
        name = "description-priority-claim"
    else:
        name = _PLAIN[rule.name]
    return told(name, hit.message, at=hit.at, severity=_LEVELS[_level(rule, hit)],
                model_visible=True)  # fmt: skip


def _orders(pair: ToolPair) -> Iterator[Change]:
    """Report orders that matter because they were just added."""
    new = pair.new
    possible = [
        (name, pattern)
        for name, cues, about, pattern in _ADDED_ORDERS
        if not cues.isdisjoint(new.vocabulary)
        and any(map(new.words.__contains__, about))
        and pattern.search(new.words)
    ]
    if not possible:
        return
    before = f"{pair.before.name} {pair.before.description}".lower()
    for text, words in zip(new.texts, new.readings, strict=True):
        for name, pattern in possible:
            found = pattern.search(words)
            # Subjects that the tool had before are not reported.
            if found and text.role != "name" and found[1] not in before:
                yield told(name, f"added: {found.group()[:80]!r}", at=text.at,
                           severity="medium", model_visible=True)  # fmt: skip


def _scope(pair: ToolPair) -> Iterator[Change]:
    """Report removed promises, and a read that became a write, in descriptions."""
    old, new = pair.before.description, pair.after.description
    if old == new or not old or not new:
        return
    place = Pointer(("description",))
    promised = _promise(old)
    if promised and not _promise(new):
        says = f"the description no longer states {promised.group()!r}"
        yield told("description-scope-expanded", says, both=place, severity="medium", before=old,
                   after=new, model_visible=True)  # fmt: skip
        return
    other = infer(pair.after.name, new, {}, {})
    if not other.side_effects:
        return
    one = infer(pair.before.name, old, {}, {})
    if one.action and not one.side_effects:
        says = f"the described action was {one.action} and is {other.action}"
        yield told("description-scope-expanded", says, both=place, severity="medium", before=old,
                   after=new, model_visible=True)  # fmt: skip


def _promise(text: str) -> re.Match[str] | None:
    """Return the first promise of a text."""
    words = text.lower()
    made = [
        pattern.search(words) for cues, pattern in _PROMISES if any(map(words.__contains__, cues))
    ]
    return min(filter(None, made), key=re.Match.start, default=None)


def _parameters(pair: ToolPair) -> Iterator[Change]:
    """Report new parameters that send data out, or let a read-only tool write."""
    reads_only = bool(stated_hints(pair.after).get("read_only"))
    found = [one for one in pair.new.parameters if _is_sink(one) or (reads_only and _writes(one))]
    known = {one.name for one in ToolView(pair.before).parameters} if found else set()
    for parameter in found:
        if parameter.name in known:
            continue
        if _is_sink(parameter):
            yield told("input-sensitive-sink-added", f"{parameter.name} could send any data out",
                       at=parameter.at, severity="medium", model_visible=True)  # fmt: skip
        else:
            yield told("input-write-parameter-added", f"{parameter.name} names a place to write to",
                       at=parameter.at, severity="medium", model_visible=True)  # fmt: skip


def _is_sink(parameter: ToolParameter) -> bool:
    kind = parameter.schema.get("type", "")
    if not isinstance(kind, str) or kind not in _TEXTUAL or "enum" in parameter.schema:
        return False
    name = " ".join(words_of(parameter.name))
    if _SINKS.search(name):
        return True
    return bool(_CARRIERS.search(name) and _EVERYTHING.search(_text(parameter)))


def _writes(parameter: ToolParameter) -> bool:
    name, text = " ".join(words_of(parameter.name)), _text(parameter)
    if parameter.schema.get("type") == "boolean":
        return _WRITE_SWITCH.search(name) is not None
    is_place = _PLACE_NAME.search(name) is not None and _WRITE.search(text) is not None
    return is_place or _WRITE_NAME.search(name) is not None


def _text(parameter: ToolParameter) -> str:
    found = parameter.schema.get("description")
    return found.lower() if isinstance(found, str) else ""


def _defaults(changes: list[Change]) -> Iterator[Change]:
    """Report dangerous defaults, and defaults that change a safety switch."""
    for change in changes:
        if change.name not in {"input-default-changed", "input-default-added"}:
            continue
        value, name = change.after, " ".join(words_of(str(change.place[-2])))
        flips = isinstance(value, bool) and isinstance(change.before, bool) and _SWITCH.search(name)
        if flips or (isinstance(value, str) and _DANGEROUS.search(value)):
            yield told("default-suspicious-value", change.message, at=change.at, was=change.was,
                       before=change.before, after=value)  # fmt: skip
