"""Rules about schemas of arguments and results, invalid ones included.

What is invalid in 2020-12 is reported at each new place. Values that only this library accepts
(``minimum: "0"``, ``type: "int"``) are reported where the format uses JSON Schema and the earlier
version had none of them: a catalog that does so throughout has its own rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal, TypeAlias

import orjson

from toolcanon.diagnostics.change import CHANGES, Change, DriftVerdict, Severity, Witness
from toolcanon.drift.contract import Divergence, differences
from toolcanon.drift.pair import ToolPair
from toolcanon.drift.report import amended, here, short, told
from toolcanon.formats.wire.format import ABSENT, NOTES, SPELLING
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.registry import get_format
from toolcanon.schema.algebra.containment import Contained
from toolcanon.schema.algebra.normal.terms import alike
from toolcanon.schema.cached_property import kept
from toolcanon.schema.malformed import Flaw, flaw, flaws, lost_references, walk
from toolcanon.schema.references import Place
from toolcanon.schema.upgrade.property_maps import property_map
from toolcanon.schema.validate import Judge, judge

_SHOWN: Final = 60
_MOST: Final = 20


def invalidated(
    before: CanonicalTool, after: CanonicalTool, side: Literal["inputs", "outputs"]
) -> list[Change]:
    """Yield the places at which the schema of one side became invalid."""
    broken = _broken(after, side)
    loose = _loose(after, side)
    if not (broken or loose):
        return []
    known = {one.at for one in (*_broken(before, side), *_loose(before, side))}
    found = {one.at: one for one in broken if one.at not in known}
    if not _loose(before, side):
        found = {**{one.at: one for one in loose}, **found}
    shown = list(found.values())[:_MOST]
    return [_change(one, side) for one in shown]


def _change(found: Flaw, side: str) -> Change:
    return told(
        "schema-invalid",
        f"{_path(found.at[:-1], side)}: {found.reason}, found {short(found.value, _SHOWN)}",
        at=Pointer((side, *found.at)),
        after=found.value,
    )


def _path(place: Place, side: str) -> str:
    """Return the members on the path to a place, or the name of the whole."""
    names = [str(place[n]) for n in range(1, len(place)) if place[n - 1] == "properties"]
    return ".".join(names) or ("the arguments" if side == "inputs" else "the result")


def _broken(tool: CanonicalTool, side: Literal["inputs", "outputs"]) -> tuple[Flaw, ...]:
    """Return the defects that no reading can repair."""
    schema: JsonObject = tool.upgraded(side).schema if tool.__dict__.get(side) else {}
    return (*flaws(schema), *lost_references(schema), *_patterns(walk(schema)))


def _patterns(nodes: Iterable[tuple[Place, JsonObject]]) -> Iterator[Flaw]:
    for place, node in nodes:
        pattern, names = node.get("pattern"), node.get("patternProperties")
        written = [((*place, "pattern"), pattern)] if isinstance(pattern, str) else []
        if isinstance(names, dict):
            written += [((*place, "patternProperties", name), name) for name in names]
        for at, text in written:
            if reason := flaw(text):
                yield Flaw(at, text, f"the pattern is not a regular expression: {reason}")


def _loose(tool: CanonicalTool, side: str) -> tuple[Flaw, ...]:
    """Return the values that a validator rejects as written, although they can be read."""
    schema = tool.__dict__.get(side)
    if not schema or not _is_json_schema(tool) or property_map(schema) is not None:
        return ()
    return flaws(schema)


def _is_json_schema(tool: CanonicalTool) -> bool:
    """Return whether the format uses JSON Schema, rather than types of its own."""
    dialects = get_format(str(tool.source_format)).dialects
    return bool(dialects) and not any(dialect.nullable for dialect in dialects)


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


def schema_changes(pair: ToolPair, side: Side) -> Iterator[Change]:
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

    def _change(self, found: Divergence) -> Change:
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
        self, name: str, found: Divergence, harm: Contained | None, other: Contained | None
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

    def _witness(self, found: Divergence, harm: Contained) -> tuple[Witness | None, str]:
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


def _severity(found: Divergence, verdict: DriftVerdict) -> Severity | None:
    if verdict == "breaking" and found.is_soft:
        return "medium"
    return "low" if verdict == "compatible" and found.name in _CAUTIONED else None


def _message(found: Divergence, side: Side) -> str:
    path = found.path or ("the arguments" if side == "input" else "the result")
    make = _MESSAGES.get(found.name)
    if make is not None:
        return make(path, found)
    return f"{path}: {CHANGES.get(f'{side}-{found.name}', CHANGES['input-undecided']).says}"


def _was(found: Divergence) -> str:
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


def _limit(path: str, found: Divergence) -> str:
    place = found.at or found.was or ()
    word = str(place[-1]) if place else "limit"
    if found.after is None or isinstance(found.after, dict):
        return f"{path}: {word} was removed{_was(found)}"
    return f"{path}: {word} is {short(found.after)}{_was(found) or ', was not set'}"


def _typed(path: str, found: Divergence) -> str:
    before, after = _kind(found.before), _kind(found.after)
    if before == after:
        return f"{path} accepts other values than before"
    return f"{path} accepts {after}, accepted {before}"


def _listed(values: Json) -> str:
    return ", ".join(short(value, 40) for value in (values or ())[:8])


_MESSAGES: Final[dict[str, Callable[[str, Divergence], str]]] = {
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


_DOCUMENTED: Final = "the description listed exactly these values before"


def inputs(pair: ToolPair) -> Iterator[Change]:
    """Yield the changes of the schema of the arguments."""
    if pair.is_same_format and pair.after.kind is Kind.FUNCTION:
        lost, had = _has_no_schema(pair.after), _has_no_schema(pair.before)
        if lost != had:
            yield told("input-schema-missing" if lost else "input-schema-restored",
                       both=here("inputs"))  # fmt: skip
    if "inputs" not in pair.differing:
        return
    for change in schema_changes(pair, "input"):
        if change.name == "input-optional-property-added" and _is_required(change, pair):
            continue  # the change to required reports the new member
        yield _hinted(change, pair)


def _has_no_schema(tool: CanonicalTool) -> bool:
    """Return whether the schema is absent or null; an empty one accepts everything."""
    if tool.inputs:
        return False
    noted: Json = (tool.extras.get(str(tool.source_format)) or {}).get(NOTES) or {}
    return bool(noted.get(ABSENT)) or None in (noted.get(SPELLING) or {}).values()


def _is_required(change: Change, pair: ToolPair) -> bool:
    if change.at is None:
        return False
    *_, name = change.at
    holder: Json = pair.inputs[1]
    for step in change.at[1:-2]:  # down to the object that declares it
        holder = holder[step]
    required = holder.get("required")
    return isinstance(required, list) and name in required


def _hinted(change: Change, pair: ToolPair) -> Change:
    """Add a hint and lower the severity where the text listed the values of a new enum before."""
    if change.name != "input-enum-added" or not isinstance(change.after, list):
        return change
    texts = " ".join([pair.before.description, *_texts(change, pair)]).lower()
    words = [str(value).lower() for value in change.after]
    is_known = bool(words) and all(word in texts for word in words)
    return amended(change, hint=_DOCUMENTED) if is_known else change


def _texts(change: Change, pair: ToolPair) -> Iterator[str]:
    holder: Json = pair.inputs[0]
    steps = Pointer((change.was or ())[1:]).as_far_as(holder)
    for end in range(len(steps) + 1):
        around = Pointer(steps[:end]).resolve(holder)
        if isinstance(around, dict) and isinstance(text := around.get("description"), str):
            yield text


def outputs(pair: ToolPair) -> Iterator[Change]:
    """Yield the changes of the schema of the results; no schema declares nothing."""
    if "outputs" not in pair.differing:
        return
    before, after = pair.before.outputs, pair.after.outputs
    if not before and not after:
        return
    if before and after:
        yield from schema_changes(pair, "output")
    elif pair.is_same_format:
        name = "output-schema-added" if after else "output-schema-removed"
        reason = "" if after else "any result is possible now: no schema is declared"
        yield told(name, both=here("outputs"), before=before or None, after=after or None,
                   reason=reason)  # fmt: skip
