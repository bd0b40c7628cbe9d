"""Any JSON value, and single values, as a dialect writes them.

The empty schema (``{}``) allows any value. Targets that want a type get it as a
union, which takes most of the steps there are. What was made of it is kept with the dialect as
text, together with what the walk used up meanwhile, so that a schema is lowered to the same bytes
whether or not others came before. Records of what became of its parts are of our own making and are
dropped (see ``lower_anew``), so none are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias

from orjson import dumps, loads

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.lens_document import is_settled
from toolcanon.schema.keywords import POSITIONS, TYPES
from toolcanon.schema.references import DEFINITIONS, REFERENCES, Place
from toolcanon.schema.values import types_of

if TYPE_CHECKING:
    from toolcanon.lowering.definitions import Definitions
    from toolcanon.lowering.step import Record

_SCALARS: Final = TYPES - {"object", "array"}
_UNIONS: Final = ("anyOf", "oneOf")
_BELOW: Final = frozenset(POSITIONS) - DEFINITIONS - {*_UNIONS}
_MOST: Final = 64  # looks at schemas


def is_scalar(schema: Json, target: Callable[[Json], Json]) -> bool:
    """Return whether a schema allows only strings, numbers, booleans or null, through references.

    ``target`` is the schema that a reference leads to.
    """
    ahead = [schema]
    for _ in range(_MOST):
        if not ahead:
            return True
        node = ahead.pop()
        if node.__class__ is not dict or not _BELOW.isdisjoint(node):
            return False
        led = [target(node[key]) for key in REFERENCES if key in node]
        led += [branch for key in _UNIONS for branch in node.get(key) or ()]
        kinds = types_of(node)
        if not (_lists_scalars(node) or (kinds and kinds <= _SCALARS)):
            if not led:
                return False
            ahead += led
    return False


def _lists_scalars(node: Json) -> bool:
    values = [node["const"]] if "const" in node else node.get("enum")
    return bool(values) and not any(isinstance(value, dict | list) for value in values)


ANY_REF: Final = "toolcanon:any"
ANY_PLACE: Final[Place] = (ANY_REF,)
ANY_NAME: Final = "any_json"
ANY: Final[JsonObject] = {
    "anyOf": [
        {"type": "string"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "null"},
        {"type": "array", "items": {"$ref": ANY_REF}},
        {"type": "object", "additionalProperties": {"$ref": ANY_REF}},
    ]
}
"""Any JSON value, written out for a target that requires a type in every schema."""
ANY_TEXT: Final = dumps(ANY)

Done: TypeAlias = tuple[JsonObject, JsonObject | None]
"""The schema and the lens of a node."""
DEEPEST: Final = 96  # rewritten levels; Python would give up at some 200
_ROOM: Final = 16  # levels that any value may take


class Anything(NamedTuple):
    """The lowered form of any value."""

    text: bytes
    """The schema and its lens."""
    size: int
    spent: int
    """How much of the allowance for comparing branches it took."""
    moves: bool
    """Whether schemas were known by what they are, once it was made."""
    settled: bool
    """Whether its lens is complete."""


class AnyValueWalk(Protocol):
    """The walk over a schema that has such a node."""

    log: list[Record]
    size: int
    depth: int
    limit: int

    @property
    def definitions(self) -> Definitions: ...


def definition(
    walk: AnyValueWalk,
    known: Anything | None,
    at: Place,
    lower: Callable[[JsonObject, Place], Done],
) -> tuple[Done, Anything | None]:
    """Return the definition of any value, for targets that keep references."""
    run = walk.definitions
    if not run.is_usual or walk.depth + _ROOM > DEEPEST:
        return lower(loads(ANY_TEXT), at), known
    if known is None:
        size, left = walk.size, run.allowance.left
        done = lower(ANY, at)
        known = _kept(walk, done, size, left)
        if known.settled:
            run.settled.add(ANY_NAME)
        return loads(known.text), known
    if known.settled:
        run.settled.add(ANY_NAME)
    return _again(walk, known), known


def written_out(
    walk: AnyValueWalk, known: Anything | None, at: Place, lower: Callable[[], Done]
) -> tuple[Done, Anything | None]:
    """Lower an empty schema for targets that need every value written out in its place."""
    run = walk.definitions
    is_usual = run.is_outside_any() and walk.depth + _ROOM <= DEEPEST
    if known is not None and is_usual and walk.size + known.size < walk.limit:
        walk.log.append(("L216", None, at, {}, None))
        return _again(walk, known), known
    logged, size, left, mark = len(walk.log), walk.size, run.allowance.left, run.mark()
    done = lower()
    if not is_usual or known is not None or run.mark() != mark:
        return done, known
    (code, _, place, *_), *rest = walk.log[logged:] or [("", None, (), None, None)]
    if (code, place) != ("L216", at) or any(record[2][:1] != (ANY_REF,) for record in rest):
        return done, known
    made = _kept(walk, done, size, left)
    return done, known if b'"$ref"' in made.text else made  # which would lead to definitions


def _kept(walk: AnyValueWalk, done: Done, size: int, left: int) -> Anything:
    run = walk.definitions
    return Anything(
        dumps(done),
        walk.size - size,
        left - run.allowance.left,
        moves=run.homes is not None,
        settled=is_settled(done[1]),
    )


def _again(walk: AnyValueWalk, known: Anything) -> Done:
    walk.size += known.size
    run = walk.definitions
    run.allowance.left -= known.spent
    if known.moves:
        run.follow()
    schema, lens = loads(known.text)  # for its owner to change
    return schema, lens
