"""Differences of schemas as changes of arguments or results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Literal, TypeAlias

import orjson

from toolcanon.diagnostics.change import Change, DriftVerdict, Severity, Witness
from toolcanon.diagnostics.change_codes import CHANGES
from toolcanon.drift.contract import Difference, differences
from toolcanon.drift.pair import Pair
from toolcanon.drift.telling import short, told
from toolcanon.drift.validity import invalidated
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.containment import Contained
from toolcanon.schema.judge import Judge, judge
from toolcanon.schema.normal.keeping import kept
from toolcanon.schema.normal.terms import alike
from toolcanon.schema.references import Place

Side: TypeAlias = Literal["input", "output"]

_FIELDS: Final[dict[Side, Literal["inputs", "outputs"]]] = {
    "input": "inputs",
    "output": "outputs",
}
_UNSIDED: Final = frozenset({"schema-too-complex", "schema-invalid"})
_GONE: Final = frozenset({"property-removed", "property-renamed", "pattern-properties-removed"})
_OMITTED: Final = frozenset({"default-changed", "default-removed"})
_READ: Final = frozenset({"description-changed", "title-changed", "examples-changed"})
_SEEN: Final = _READ | {"property-added", "property-renamed", "default-added", "default-changed"}
_CAUTIONED: Final = frozenset(
    {"additional-properties-closed", "deprecated-set", "read-write-only-changed"}
)
_FORMAT: Final = "format"
_NO_VALUE: Final = "no single value shows it: the same values have another meaning"


def schema_changes(pair: Pair, side: Side) -> Iterator[Change]:
    """Yield the changes of the schema of one side; a place that became invalid is reported once."""
    broken = invalidated(pair.before, pair.after, _FIELDS[side])
    yield from broken
    places = {change.at for change in broken}
    for change in SchemaChanges(side, *(pair.inputs if side == "input" else pair.outputs)):
        is_echo = change.name in {"schema-invalid", f"{side}-schema-rewritten"}
        if not broken or (places.isdisjoint({change.at, change.was}) and not is_echo):
            yield change


class SchemaChanges:
    """The changes between two schemas of one side."""

    def __init__(self, side: Side, before: JsonObject, after: JsonObject) -> None:
        self.side = side
        self._before, self._after = before, after

    def __iter__(self) -> Iterator[Change]:
        if alike(self._before, self._after):
            return
        found = differences(self._before, self._after, closes=self.side == "input")
        is_deep = any(one.counts for one in found)
        if (
            is_deep
            and _may_fail(self._after)
            and not self._new_judge.judged
            and (self._old_judge.judged)
        ):
            yield told("schema-invalid", at=self._pointer(()), was=self._pointer(()))
        changes = [self._change(one) for one in found]
        yield from changes
        if not changes:
            yield self._rewritten()

    @kept
    def _old_judge(self) -> Judge:
        return judge(self._before)

    @kept
    def _new_judge(self) -> Judge:
        return judge(self._after)

    def _pointer(self, place: Place | None) -> Pointer | None:
        return None if place is None else Pointer((_FIELDS[self.side], *place))

    def _rewritten(self) -> Change:
        place = self._pointer(())
        return told(f"{self.side}-schema-rewritten", at=place, was=place)

    def _change(self, found: Difference) -> Change:
        harm, other = found.narrowed, found.widened
        if self.side == "output":
            harm, other = other, harm
        name = self._name(found.name)
        verdict, reason = self._verdict(name, found, harm, other)
        witness = None
        if verdict == "breaking" and harm is not None and harm.answer == "no":
            witness, reason = self._witness(found, harm)
            if witness is None:
                verdict = "unknown"
        return told(
            name,
            _message(found, self.side),
            at=self._pointer(found.at),
            was=self._pointer(found.was),
            before=found.before,
            after=found.after,
            verdict=verdict,
            severity=_severity(found, verdict),
            witness=witness,
            reason=reason,
            hint=found.hint,
            model_visible=found.name in _SEEN,
        )

    def _name(self, name: str) -> str:
        if name in _UNSIDED:
            return name
        if name == "property-added" and self.side == "input":
            return "input-optional-property-added"
        return f"{self.side}-{name}"

    def _verdict(
        self, name: str, found: Difference, harm: Contained | None, other: Contained | None
    ) -> tuple[DriftVerdict, str]:
        if harm is None:
            usual = CHANGES[name].verdict
            if other is not None and usual == "breaking":
                usual = "compatible"
            return usual, _NO_VALUE if usual == "breaking" else ""
        if harm.answer == "unknown":
            return "unknown", harm.reason
        if harm.answer == "yes":
            return "compatible", ""
        is_remark = self.side == "output" and found.name in _OMITTED
        return ("cosmetic" if is_remark else "breaking"), ""

    def _witness(self, found: Difference, harm: Contained) -> tuple[Witness | None, str]:
        """Return the witness, validated against the whole schema that must reject it."""
        value = harm.witness
        if found.name in _OMITTED or found.name == "content-encoding-changed":
            return Witness(value, "differs"), ""
        if found.name in _GONE and self.side == "output":
            return Witness(value, "missing"), ""
        refusing = self._new_judge if self.side == "input" else self._old_judge
        accepted = refusing.accepts(value)
        if found.name in _GONE and accepted:
            return Witness(value, "ignored"), ""
        is_format = _FORMAT in found.name
        if accepted and not is_format and found.name != "additional-properties-closed":
            return None, "a witness was found that the whole schema accepts"
        problems = [] if is_format else refusing.problems(value)
        place = found.at if self.side == "input" else found.was
        said = [one.message for one in problems if one.keyword in (place or ())]
        says = next(iter(said), problems[0].message if problems else harm.reason)
        return Witness(value, "refused" if self.side == "input" else "unexpected", says), ""


def _may_fail(schema: JsonObject) -> bool:
    """Return whether a schema has what compilers may reject: references, patterns."""
    try:
        text = orjson.dumps(schema)
    except TypeError:  # orjson rejects integers beyond 64 bits, lone surrogates and great depth
        return True
    return b'"$' in text or b'"pattern' in text


def _severity(found: Difference, verdict: DriftVerdict) -> Severity | None:
    if verdict == "breaking" and found.is_soft:
        return "medium"
    return "low" if verdict == "compatible" and found.name in _CAUTIONED else None


def _message(found: Difference, side: Side) -> str:
    path = found.path or ("the arguments" if side == "input" else "the result")
    make = _MESSAGES.get(found.name)
    if make is not None:
        return make(path, found)
    return f"{path}: {CHANGES.get(f'{side}-{found.name}', CHANGES['input-undecided']).says}"


def _was(found: Difference) -> str:
    return "" if found.before is None else f", was {short(found.before)}"


def _kind(value: Json) -> str:
    """Return a type, or what is declared instead of one, in a few words."""
    if value is None:
        return "anything"
    if value is False:
        return "nothing"
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return " or ".join(value)
    if isinstance(value, dict):
        return f"only {_listed(value.get('enum'))}"
    return f"one of {len(value)} branches"


def _limit(path: str, found: Difference) -> str:
    place = found.at or found.was or ()
    word = str(place[-1]) if place else "limit"
    if found.after is None or isinstance(found.after, dict):
        return f"{path}: {word} was removed{_was(found)}"
    return f"{path}: {word} is {short(found.after)}{_was(found) or ', was not set'}"


def _typed(path: str, found: Difference) -> str:
    before, after = _kind(found.before), _kind(found.after)
    if before == after:
        return f"{path} accepts other values than before"
    return f"{path} accepts {after}, accepted {before}"


def _listed(values: Json) -> str:
    return ", ".join(short(value, 40) for value in (values or ())[:8])


_MESSAGES: Final[dict[str, Callable[[str, Difference], str]]] = {
    "property-removed": lambda path, _: f"{path} was removed",
    "property-renamed": lambda path, found: f"{path} was renamed to {found.after}",
    "property-added": lambda path, _: f"{path} was added as optional",
    "required-added": lambda path, found: (
        f"{path} {'was added as' if found.was is None else 'became'} required"
    ),
    "required-removed": lambda path, _: f"{path} is no longer required",
    "type-changed": _typed,
    "type-narrowed": _typed,
    "type-widened": _typed,
    "enum-added": lambda path, found: f"{path} accepts only {_listed(found.after)}",
    "enum-removed": lambda path, found: f"{path} accepts more than {_listed(found.before)}",
    "enum-value-removed": lambda path, found: f"{path} no longer accepts {_listed(found.before)}",
    "enum-value-added": lambda path, found: f"{path} also accepts {_listed(found.after)}",
    "const-changed": lambda path, found: f"{path} is {short(found.after)}{_was(found)}",
    "range-narrowed": _limit,
    "range-widened": _limit,
    "pattern-changed": _limit,
    "pattern-added": _limit,
    "pattern-removed": _limit,
    "format-changed": _limit,
    "format-added": _limit,
    "format-removed": _limit,
    "default-added": lambda path, found: (
        f"the default of {path} is {short(found.after)}, was not set"
    ),
    "default-changed": lambda path, found: (
        f"the default of {path} is {short(found.after)}, was {short(found.before)}"
    ),
    "default-removed": lambda path, found: (
        f"the default of {path} was removed, was {short(found.before)}"
    ),
    "description-changed": lambda path, _: f"the description of {path} changed",
    "title-changed": lambda path, _: f"the title of {path} changed",
    "examples-changed": lambda path, _: f"the examples of {path} changed",
}
