"""What a schema promises about answers, compared with a shape.

References are followed within the schema, conjunctions and unions are resolved when reached.

The shape is compared with the schema: undeclared types, names that a closed object does not have,
missing required members. Other keywords are skipped, so that only what is certain is reported.
Where the responses themselves are available, a validator also checks each of them. Messages have
places and counts, never values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Final

from toolcanon.drift.shapes.compare import ShapeComparison
from toolcanon.drift.shapes.learn import Learner, structured
from toolcanon.drift.shapes.nodes import ITEMS, JSON, POOL, Node, Numbers, Records
from toolcanon.drift.shapes.shape import Shape
from toolcanon.drift.shapes.significance import ComparisonRun, SamplePlace
from toolcanon.drift.shapes.text_formats import is_data
from toolcanon.errors import ToolcanonError
from toolcanon.jsonio.types import JsonObject
from toolcanon.schema.references import References
from toolcanon.schema.upgrade.walk import upgrade
from toolcanon.schema.validate import Schema, judge

_DEEPEST: Final = 24
_MOST: Final = 5_000
_ALL: Final = ("and", "or")


@dataclass(frozen=True, slots=True)
class Promise:
    """What holds for every value at a place; None where nothing is declared."""

    types: frozenset[str] | None = None
    members: dict[str, Any] = field(default_factory=dict)
    allowed: frozenset[str] | None = None
    """The names of an object without others."""
    required: frozenset[str] = frozenset()
    items: Any = None
    others: Any = None
    """The schema of members without one of their own."""


_NOTHING: Final = Promise()


class Promised:
    """Reads declarations from one root schema.

    >>> Promised(True).of({"type": "object", "required": ["a"]}).required
    frozenset({'a'})
    """

    def __init__(self, root: Schema) -> None:
        self._references = References(root)
        self._left = _MOST

    @property
    def is_spent(self) -> bool:
        """Whether the work limit was reached."""
        return self._left < 0

    def of(self, said: Any, depth: int = 0) -> Promise | None:
        """Return the declaration of a schema, or of a conjunction or union of several."""
        self._left -= 1
        if said is False:
            return Promise(types=frozenset())
        if depth > _DEEPEST or self._left < 0:
            return None
        if isinstance(said, tuple) and said[0] in _ALL:
            parts = [self.of(one, depth + 1) for one in said[1]]
            known = [one for one in parts if one is not None]
            if said[0] == "or":
                return reduce(_either, known) if len(known) == len(parts) and known else None
            return reduce(_both, known, _NOTHING)
        if not isinstance(said, dict):
            return None
        parts = [_own(said), *(self.of(one, depth + 1) for one in self._joined(said))]
        return reduce(_both, [one for one in parts if one is not None], _NOTHING)

    def _joined(self, said: JsonObject) -> Iterable[Any]:
        """Return the schemas that apply beside a schema's own keywords."""
        if isinstance(ref := said.get("$ref"), str):
            found = self._references.find(ref)
            yield found.schema if found is not None else True
        if isinstance(both := said.get("allOf"), list):
            yield from both
        for word in ("anyOf", "oneOf"):
            if isinstance(some := said.get(word), list) and some:
                yield ("or", tuple(some))


def _own(said: JsonObject) -> Promise:
    members = said.get("properties")
    members = members if isinstance(members, dict) else {}
    required, others = said.get("required"), said.get("additionalProperties")
    is_closed = others is False and "patternProperties" not in said
    has_places = "prefixItems" in said
    return Promise(
        _declared_types(said),
        dict(members),
        frozenset(members) if is_closed else None,
        frozenset(one for one in required if isinstance(one, str))
        if isinstance(required, list)
        else frozenset(),
        None if has_places else said.get("items"),
        others if isinstance(others, dict) and "patternProperties" not in said else None,
    )


def _declared_types(said: JsonObject) -> frozenset[str] | None:
    kind = said.get("type")
    if isinstance(kind, str):
        return frozenset({kind})
    if isinstance(kind, list):
        return frozenset(one for one in kind if isinstance(one, str))
    values: Sequence[Any] | None = [said["const"]] if "const" in said else said.get("enum")
    return frozenset(map(_type_of, values)) if isinstance(values, list) else None


def _type_of(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, (int, float)):
        return "number"
    return "object" if isinstance(value, dict) else "array"


def _both(one: Promise, other: Promise) -> Promise:
    members = dict(one.members)
    for name, said in other.members.items():
        members[name] = ("and", (members[name], said)) if name in members else said
    if one.allowed is None or other.allowed is None:
        allowed = one.allowed if other.allowed is None else other.allowed
    else:
        allowed = one.allowed & other.allowed
    return Promise(
        _narrower(one.types, other.types),
        members,
        allowed,
        one.required | other.required,
        _with(one.items, other.items),
        _others(one, other),
    )


def _others(one: Promise, other: Promise) -> Any:
    """Return the schema of other members if both have none of their own; otherwise nothing."""
    for these, those in ((one, other), (other, one)):
        if those.others is None and not those.members:
            return these.others
    return None


def _narrower(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    if one is None or other is None:
        return one if other is None else other
    common = one & other
    for narrow, wide in ((one, other), (other, one)):
        if "integer" in narrow and "number" in wide:
            common |= {"integer"}
    return common


def _either(one: Promise, other: Promise) -> Promise:
    members = {
        name: ("or", (said, other.members[name]))
        for name, said in one.members.items()
        if name in other.members
    }
    is_open = one.allowed is None or other.allowed is None
    return Promise(
        None if one.types is None or other.types is None else one.types | other.types,
        members,
        None if is_open else (one.allowed or frozenset()) | (other.allowed or frozenset()),
        one.required & other.required if _are_objects(one, other) else frozenset(),
        ("or", (one.items, other.items)) if one.items is not None and other.items is not None
        else None,
    )  # fmt: skip


def _are_objects(one: Promise, other: Promise) -> bool:
    """Return whether both are objects, so that what both require is always required."""
    return all(found.types is None or "object" in found.types for found in (one, other))


def _with(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return one if other is None else other
    return ("and", (one, other))


_NAME: Final = "response-contradicts-schema"
_STRUCTURED: Final = "structuredContent"
_MOST_CHANGES: Final = 50
_NO_KEY: Final = b"nothing is kept"
_STRUCTURAL: Final = frozenset(
    {"type", "required", "additionalProperties", "anyOf", "oneOf", "allOf", "falseSchema", "$ref"}
)
"""Keywords of validation errors that the shape reports more clearly."""
_ENVELOPE: Final = frozenset({"content", "isError", "_meta"})


def against_schema(
    given: Shape | Iterable[Any], schema: Schema, *, tool: str = ""
) -> ShapeComparison:
    """Return the contradictions with a declared output schema; no statistics are needed."""
    current = _current(schema)
    if isinstance(given, Shape):
        run = ComparisonRun(tool, (0, given.answers))
        _shape(run, given, current)
    else:
        run = ComparisonRun(tool, (0, 0))
        _responses(run, given, current)
    if len(run.changes) > _MOST_CHANGES:
        run.notes.append(f"{len(run.changes) - _MOST_CHANGES:,} more places are not listed")
    return ShapeComparison(tuple(run.changes[:_MOST_CHANGES]), tuple(run.notes))


def _current(schema: Schema) -> Schema:
    if isinstance(schema, bool):
        return schema
    try:
        return upgrade(schema).schema
    except ToolcanonError:
        return schema


def _responses(run: ComparisonRun, responses: Iterable[Any], schema: Schema) -> None:
    judged = judge(schema)
    found: Counter[tuple[tuple[str, ...], str]] = Counter()
    learners: dict[tuple[str, ...], Learner] = {}
    answers = unchecked = 0
    for response in responses:
        payload = structured(response)
        if payload is None:
            continue
        answers += 1
        start, value = payload
        fits = judged.accepts(value)
        unchecked += fits is None
        learners.setdefault(start, Learner(_NO_KEY)).take(value, failed=False)
        if fits is False:
            places = {(_place(start, one.at), one.keyword) for one in judged.problems(value)}
            found.update(places or {(start, "")})
    for start, learner in sorted(learners.items()):
        _compare(run, learner.done()[0], Promised(schema), schema, SamplePlace(start, 1.0, 1.0))
    explained = {one for change in run.changes for one in (change.place, change.place[:-1])}
    for (path, keyword), times in sorted(found.items()):
        if keyword in _STRUCTURAL and path in explained:
            continue
        said = f"{keyword!r} is violated" if keyword else "the schema is violated"
        run.tell(
            _NAME,
            SamplePlace(path, 1.0, 1.0),
            f"{said} in {times:,} of {answers:,} responses",
            before=keyword,
        )
    if not judged.judged:
        run.note("a validator cannot use the schema")
    elif unchecked:
        run.note(f"{unchecked:,} responses were not validated: too large, or not JSON")


def _place(start: tuple[str, ...], at: Iterable[str | int]) -> tuple[str, ...]:
    steps = (ITEMS if isinstance(step, int) else POOL if is_data(step) else step for step in at)
    return (*start, *steps)


def _shape(run: ComparisonRun, shape: Shape, schema: Schema) -> None:
    if not shape.answers:
        run.note("no answers were learned, so nothing was compared")
        return
    node, path = _payload(shape.root)
    promised = Promised(schema)
    _compare(run, node, promised, schema, SamplePlace(path, 1.0, 1.0))
    if promised.is_spent:
        run.note("the schema is too large to be compared everywhere")


def _payload(root: Node) -> tuple[Node, tuple[str, ...]]:
    """Return the part of the shape that ``structured`` finds in a response, and its path."""
    if root.string is not None and root.string.json is not None:
        return root.string.json, (JSON,)
    members = root.object.members if root.object is not None else {}
    if _STRUCTURED in members:
        return members[_STRUCTURED], (_STRUCTURED,)
    content = members.get("content")
    if content is None or not members.keys() <= _ENVELOPE or content.array is None:
        return root, ()
    items = content.array.items
    blocks = items.object if items is not None else None
    texts = blocks.members.get("text") if blocks is not None else None
    if texts is None or texts.string is None or texts.string.json is None:
        return root, ()
    return texts.string.json, ("content", ITEMS, "text", JSON)


def _compare(
    run: ComparisonRun, node: Node, promised: Promised, said: Any, site: SamplePlace
) -> None:
    promise = promised.of(said)
    if promise is None:
        return
    _compare_types(run, node, promise, site)
    if node.array is not None and node.array.items is not None and promise.items is not None:
        _compare(run, node.array.items, promised, promise.items, site.under(ITEMS))
    if node.object is None or (promise.types is not None and "object" not in promise.types):
        return
    _members(run, node.object, promise, site)
    for name, member in sorted(node.object.members.items()):
        if name in promise.members:
            _compare(run, member, promised, promise.members[name], site.under(name))
        elif promise.others is not None and promise.allowed is None:
            _compare(run, member, promised, promise.others, site.under(name))


def _compare_types(run: ComparisonRun, node: Node, promise: Promise, site: SamplePlace) -> None:
    if promise.types is None:
        return
    wanted = " or ".join(sorted(promise.types)) or "nothing"
    for kind, tally in node.tallies():
        if kind in promise.types or kind in {"again", "other"}:
            continue
        times = tally.count
        if isinstance(tally, Numbers) and "integer" in promise.types:
            times -= tally.whole
        if times:
            message = f"{kind} in {times:,} of {node.count:,}, where {wanted} is declared"
            run.tell(_NAME, site, message, before=wanted, after=kind)


def _members(run: ComparisonRun, records: Records, promise: Promise, site: SamplePlace) -> None:
    members = records.members
    for name in sorted(promise.required):
        if records.is_map or (is_data(name) and POOL in members):
            continue  # names of a map are not kept
        present = members[name].count if name in members else 0
        if present < records.count:
            message = f"required, and missing in {records.count - present:,} of {records.count:,}"
            run.tell(_NAME, site.under(name), message, before="required")
    if promise.allowed is None:
        return
    for name in sorted(members):
        if name not in promise.allowed and (name != POOL or not any(map(is_data, promise.allowed))):
            message = f"in {members[name].count:,} of {records.count:,}, and not declared"
            run.tell(_NAME, site.under(name), message, after="undeclared")
