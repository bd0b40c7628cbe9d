"""Compare responses with the output schema that a tool declares.

The shape is compared with the schema: undeclared types, names that a closed object does not have,
missing required members. Other keywords are skipped, so that only what is certain is reported.
Where the responses themselves are available, a validator also checks each of them. Messages have
places and counts, never values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from toolcanon.drift.shapes.comparing import ShapeComparison
from toolcanon.drift.shapes.learning import Learner
from toolcanon.drift.shapes.names import is_data
from toolcanon.drift.shapes.nodes import ITEMS, JSON, POOL, Node, Numbers, Records
from toolcanon.drift.shapes.promises import Promise, Promised
from toolcanon.drift.shapes.results import structured
from toolcanon.drift.shapes.run import Run, Site
from toolcanon.drift.shapes.shape import Shape
from toolcanon.errors import ToolcanonError
from toolcanon.schema.judge import Schema, judge
from toolcanon.schema.upgrade import upgrade

_NAME: Final = "response-contradicts-schema"
_STRUCTURED: Final = "structuredContent"
_MOST: Final = 50
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
        run = Run(tool, (0, given.answers))
        _shape(run, given, current)
    else:
        run = Run(tool, (0, 0))
        _responses(run, given, current)
    if len(run.changes) > _MOST:
        run.notes.append(f"{len(run.changes) - _MOST:,} more places are not listed")
    return ShapeComparison(tuple(run.changes[:_MOST]), tuple(run.notes))


def _current(schema: Schema) -> Schema:
    if isinstance(schema, bool):
        return schema
    try:
        return upgrade(schema).schema
    except ToolcanonError:
        return schema


def _responses(run: Run, responses: Iterable[Any], schema: Schema) -> None:
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
        _compare(run, learner.done()[0], Promised(schema), schema, Site(start, 1.0, 1.0))
    explained = {one for change in run.changes for one in (change.place, change.place[:-1])}
    for (path, keyword), times in sorted(found.items()):
        if keyword in _STRUCTURAL and path in explained:
            continue
        said = f"{keyword!r} is violated" if keyword else "the schema is violated"
        run.tell(_NAME, Site(path, 1.0, 1.0), f"{said} in {times:,} of {answers:,} responses",
                 before=keyword)  # fmt: skip
    if not judged.judged:
        run.note("a validator cannot use the schema")
    elif unchecked:
        run.note(f"{unchecked:,} responses were not validated: too large, or not JSON")


def _place(start: tuple[str, ...], at: Iterable[str | int]) -> tuple[str, ...]:
    steps = (ITEMS if isinstance(step, int) else POOL if is_data(step) else step for step in at)
    return (*start, *steps)


def _shape(run: Run, shape: Shape, schema: Schema) -> None:
    if not shape.answers:
        run.note("no answers were learned, so nothing was compared")
        return
    node, path = _payload(shape.root)
    promised = Promised(schema)
    _compare(run, node, promised, schema, Site(path, 1.0, 1.0))
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


def _compare(run: Run, node: Node, promised: Promised, said: Any, site: Site) -> None:
    promise = promised.of(said)
    if promise is None:
        return
    _types(run, node, promise, site)
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


def _types(run: Run, node: Node, promise: Promise, site: Site) -> None:
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


def _members(run: Run, records: Records, promise: Promise, site: Site) -> None:
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
