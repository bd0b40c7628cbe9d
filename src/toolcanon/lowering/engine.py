"""The engine: one walk over a schema, top-down, with a plan of steps for each node.

Which steps a node needs follows from its types and keywords (see ``plans``). A subtree that needs
nothing is shared, not copied.

Plans belong to a dialect, and so does what is the same in every schema lowered to it.

Where arguments need a lens, so do they; one that the written schema refuses all the same would
mislead a model, and some targets refuse the schema for it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

from toolcanon.diagnostics import CODES, Effect
from toolcanon.dialect import Dialect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.any_value import (
    ANY,
    ANY_PLACE,
    DEEPEST,
    Anything,
    Done,
    definition,
    is_scalar,
    written_out,
)
from toolcanon.lowering.definitions import GROWTH, MOST_NODES, Definitions
from toolcanon.lowering.lens import VERSION, Lens
from toolcanon.lowering.lens_document import apart, nodes, unread
from toolcanon.lowering.lowered import Lowered, spelled
from toolcanon.lowering.passthrough import passthrough
from toolcanon.lowering.source_map import Origins
from toolcanon.lowering.step import Glance, Record, Rewrite, StepNode
from toolcanon.lowering.steps import STEPS
from toolcanon.lowering.unions import Tagged, Union, into_branches, settle
from toolcanon.schema import Upgraded, upgrade
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.malformed import Omission, sound
from toolcanon.schema.measure import count_nodes
from toolcanon.schema.references import Place
from toolcanon.schema.resources import by_place
from toolcanon.schema.validate import judge
from toolcanon.schema.values import same

_MOST_PLANS: Final = 8192
_LONGEST_KEY: Final = 4096  # characters
SCALARS: Final = frozenset({"string", "integer", "number", "boolean", "null"})


Planned: TypeAlias = tuple[int, Glance | None, Rewrite, bool]
"""The number of a step, its precheck of a node (None where every node needs it), its rewrite.

And whether the plan is right for the rewritten node as well.
"""


class Plan:
    """The steps for every node of the same types and keywords."""

    __slots__ = ("children", "later", "steps")

    def __init__(
        self, steps: tuple[Planned, ...], children: tuple[tuple[str, Position], ...]
    ) -> None:
        self.steps = steps
        """In order."""
        self.children = children
        self.later: dict[int, tuple[Planned, ...]] = {}
        """By the number of a step that has run, the later steps, as far as they were needed."""

    def after(self, number: int) -> tuple[Planned, ...]:
        """Return the steps behind one that has run."""
        found = self.later[number] = tuple(step for step in self.steps if step[0] > number)
        return found


IDLE: Final = Plan((), ())
"""Of nodes that nothing is ever done with."""


@lru_cache(maxsize=64)
def engine_of(dialect: Dialect) -> PlanCache:
    return PlanCache(dialect)


class PlanCache:
    """The plans of a dialect."""

    __slots__ = (
        "_steps",
        "anything",
        "dialect",
        "is_leaf",
        "is_leaf_of_several",
        "plans",
        "root_plans",
        "steps",
        "written_out",
    )

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.anything: Anything | None = None
        """The definition of any value, once it was needed."""
        self.written_out: Anything | None = None
        """The same where it is written out in its place."""
        self.steps = [(order, step) for order, step in enumerate(STEPS) if step.needed(dialect)]
        self.plans: dict[tuple[object, ...], Plan] = {}
        self.root_plans: dict[tuple[object, ...], Plan] = {}
        self._steps: dict[tuple[object, frozenset[str], bool], tuple[Planned, ...]] = {}
        self.is_leaf = self._idle([frozenset({kind}) for kind in SCALARS]).issuperset
        """Whether a scalar has only keywords that need no step."""
        self.is_leaf_of_several = self._idle([SCALARS]).issuperset
        """The same of what may be scalars of several types."""

    def _idle(self, types: list[frozenset[str]]) -> frozenset[str]:
        """Return the usual keywords that need no step beside any of these types."""
        return frozenset(
            key
            for key in ("type", "description", "title", "default")
            if not any(
                step.meets(self.dialect, kinds, frozenset({"type", key}))
                for _, step in self.steps
                for kinds in types
                if not step.root_only
            )
        )

    def _steps_for(
        self, kind: object, keys: frozenset[str], *, is_root: bool
    ) -> tuple[Planned, ...]:
        """Return the steps for these types and keywords, in whatever order the keywords come."""
        known = (kind, keys, is_root)
        found = self._steps.get(known)
        if found is None:
            if len(self._steps) >= _MOST_PLANS:
                self._steps.clear()
            kinds = frozenset(kind if isinstance(kind, tuple) else () if kind is None else (kind,))
            steps: list[Planned] = []
            for number, step in self.steps:
                if (is_root or not step.root_only) and step.meets(self.dialect, kinds, keys):
                    look = step.glance is None or step.glance(self.dialect, keys)
                    if look is not False:
                        check = None if look is True else look
                        stays = step.keeps is not None and step.keeps(self.dialect, keys)
                        steps.append((number, check, step.rewrite, stays))
            found = self._steps[known] = tuple(steps)
        return found

    def plan(self, key: tuple[object, ...], node: JsonObject, *, is_root: bool) -> Plan:
        """Work out a plan and remember it."""
        plans = self.root_plans if is_root else self.plans
        if len(plans) >= _MOST_PLANS:  # hostile input must not grow it without end
            plans.clear()
        steps = self._steps_for(key[0], frozenset(node), is_root=is_root)
        children = tuple((name, POSITIONS[name]) for name in node if name in POSITIONS)
        found = Plan(steps, children) if steps or children else IDLE
        if len(repr(key)) <= _LONGEST_KEY:
            plans[key] = found
        return found


_Tell: TypeAlias = Callable[[str, str, Json, Json], None]
"""Takes a code, a keyword, its value before and its value after."""

_VALUES: Final = ("default", "examples")


def restated(schema: JsonObject, lens: JsonObject, tell: _Tell) -> JsonObject:
    """Return a written schema whose defaults and examples are values of its own.

    Where a lens leads to others, which may still be made, they stay as they are.
    """
    stated = [key for key in _VALUES if key in schema]
    if not stated or any("$ref" in node for node in nodes(lens)):
        return schema
    apply = Lens({"version": VERSION, "root": lens}).apply
    rest = {key: value for key, value in schema.items() if key not in _VALUES}
    accepts = judge(upgrade(rest).schema).accepts  # which knows how some targets spell null
    out = dict(schema)
    for key in stated:
        values = schema[key] if key == "examples" else [schema[key]]
        if values.__class__ is not list:
            continue
        made = [value for value in map(apply, values) if accepts(value) is not False]
        if not made:
            tell("L229", key, schema[key], None)
            del out[key]
        elif not same(made, values):
            out[key] = made if key == "examples" else made[0]
            tell("L250", key, schema[key], out[key])
    return out


_MAP, _LIST = Position.SCHEMA_MAP, Position.SCHEMAS
_SOME_NODES: Final = 2_000
_UNIONS: Final = frozenset({"anyOf", "oneOf"})
_TURNING: Final = frozenset({"not", "if"})
_MATERIAL: Final = Effect.WIDENED | Effect.NARROWED
_STATED: Final = frozenset({"default", "examples"})
_HOLDERS: Final = _UNIONS | {"properties", "items", "prefixItems", "additionalProperties"}
"""Where schemas below a node apply to parts of the value, so that lenses are needed there."""


def lower_anew(schema: JsonObject, dialect: Dialect, *, is_root: bool) -> Lowered:
    """Lower a schema that does not pass through as it is."""
    upgraded = upgrade(schema)
    rewrites, latest = upgraded.log, upgraded.schema
    if latest is not schema:
        passes = passthrough(dialect, is_root)
        if passes is not None and passes(latest):
            return Lowered(latest, None, [], rewrites, upgraded=latest)
    run = Lowerer(engine_of(dialect), latest)
    if not upgraded.is_sound or upgraded.is_addressed:
        run.prepare(upgraded)
    out, document = run.top(run.schema, is_root)
    log = run.log
    if run.known is not None:
        out, document = run.known.finish(out, document, log)
        log = [record for record in log if record[2][:1] != ANY_PLACE]  # of our own making
    elif document is not None:
        document = {"version": VERSION, "root": document}
    lowered = Lowered(out, document, log, rewrites, run.size, latest)
    return lowered if dialect.draft is None else spelled(lowered, dialect.draft)


def _turned(record: Record, key: str) -> Record:
    """Return the record with its effect reversed below a negation, or both ways in a condition."""
    code, effect, *rest = record
    effect = CODES[code].effect if effect is None else effect
    if not effect & _MATERIAL:
        return record
    if key == "if":
        return (code, effect | _MATERIAL, *rest)
    return (code, effect if effect & _MATERIAL == _MATERIAL else effect ^ _MATERIAL, *rest)


class Lowerer:
    """One schema being lowered."""

    __slots__ = (
        "_booleans",
        "_dialect",
        "_plans",
        "depth",
        "engine",
        "known",
        "limit",
        "log",
        "schema",
        "size",
    )

    def __init__(self, engine: PlanCache, schema: JsonObject) -> None:
        self.engine = engine
        self.schema = schema
        self.log: list[Record] = []
        self.known: Definitions | None = None
        self.size = 0
        self.limit = _SOME_NODES
        self.depth = 0
        self._plans = engine.plans
        self._dialect = engine.dialect
        self._booleans = engine.dialect.booleans

    def prepare(self, upgraded: Upgraded) -> None:
        """Leave out what is malformed, and have references lead by place."""
        dialect = self._dialect
        if not upgraded.is_sound:
            omitted: list[Omission] = []
            self.schema = sound(self.schema, omitted)
            for at, was, now in omitted:
                self.log.append(("L233", unread(at, was, dialect), at, was, now))
        if upgraded.is_addressed and dialect.draft is None:
            # Otherwise the draft's own words come last, and with them what addresses mean.
            self.schema, moves = by_place(self.schema)
            for at, was, now in moves:
                self.log.append(("L229" if now is None else "L202", None, at, was, now))

    @property
    def definitions(self) -> Definitions:
        """The targets of references; most schemas never need them."""
        if self.known is None:
            self.known = Definitions(self.schema, self.engine.dialect, self._definition)
        return self.known

    def _definition(self, node: JsonObject, at: Place) -> Done:
        """Return a definition that references lead to."""
        if node is not ANY:
            return self.node(node, at)
        engine = self.engine
        done, engine.anything = definition(self, engine.anything, at, self.node)
        return done

    def top(self, node: JsonObject, is_root: bool) -> Done:  # noqa: FBT001
        """Return the whole schema."""
        if not is_root:
            return self.node(node, ())
        kind = node.get("type")
        key = (tuple(kind) if kind.__class__ is list else kind, *node)
        plan = self.engine.root_plans.get(key) or self.engine.plan(key, node, is_root=True)
        return self._visit(node, plan, (), True)

    def node(self, node: JsonObject, at: Place) -> Done:
        """Lower a schema and everything below it; the same object if nothing is to be done."""
        self.size += 1
        kind = node.get("type")
        if kind.__class__ is str and kind in SCALARS and self.engine.is_leaf(node):
            return node, None  # as most are
        if (self.size > self.limit or self.depth > DEEPEST) and self._is_too_much(node):
            return self._given_up(node, at)
        key = (tuple(kind) if kind.__class__ is list else kind, *node)
        plan = self._plans.get(key) or self.engine.plan(key, node, is_root=False)
        if not node and plan.steps:
            return self._anything(node, plan, at)
        return self._visit(node, plan, at)

    def _anything(self, node: JsonObject, plan: Plan, at: Place) -> Done:
        """Lower an empty schema."""
        engine, homes = self.engine, None if self.known is None else self.known.homes
        if homes is not None:
            at = homes.places.get(id(node), at)
        done, engine.written_out = written_out(
            self, engine.written_out, at, lambda: self._visit(node, plan, at)
        )
        return done

    def _visit(  # noqa: C901, PLR0912 - a call less for each node
        self,
        node: JsonObject,
        plan: Plan,
        at: Place,
        is_root: bool = False,  # noqa: FBT001, FBT002
    ) -> Done:
        """Run the steps in order, then go below what they made.

        A rewritten node may need other steps, of those still to come.
        """
        site: StepNode | None = None
        steps: tuple[Planned, ...] | None
        new, steps = node, plan.steps
        while steps:
            for number, look, rewrite, stays in steps:
                if look is not None and not look(new):
                    continue
                if site is None:
                    site = StepNode(self, self._dialect, at, is_root)
                    if self.known is not None and self.known.homes is not None:
                        site.find(node, self.known.homes)
                made = rewrite(new, site)
                if made is new:
                    continue
                new = made
                if stays:
                    continue
                kind = new.get("type")
                key = (tuple(kind) if kind.__class__ is list else kind, *new)
                plans = self.engine.root_plans if is_root else self._plans
                plan = plans.get(key) or self.engine.plan(key, new, is_root=is_root)
                if site.restart:
                    site.restart = False
                    steps = plan.steps
                else:
                    steps = plan.later.get(number)
                    if steps is None:
                        steps = plan.after(number)
                break
            else:
                break
        if site is None:
            if not plan.children:
                return node, None
            out, lens = self._below(node, plan.children, at, None)
            if lens is not None and not _STATED.isdisjoint(out):
                out = restated(out, lens, StepNode(self, self._dialect, at).lose)
            return out, lens
        lens = None
        if plan.children:
            self.depth += 1
            new, lens = self._below(new, plan.children, site.at, site.origins)
            self.depth -= 1
        if lens is None and site.ops is None and site.entered is None and "$ref" not in new:
            return new, None  # as most are
        return self._finished(new, lens, site)

    def _finished(self, node: JsonObject, lens: JsonObject | None, site: StepNode) -> Done:
        """Return a node that steps have seen, with what they do to arguments."""
        if site.entered is not None:
            self.definitions.leave(site.entered)
        ref = node.get("$ref")
        if ref is not None and self.definitions.is_led(ref):
            lens = {**(lens or {}), "$ref": self.definitions.name_of(ref)}
        if site.ops is not None:
            lens = {"ops": site.ops, **(lens or {})}
        if lens is not None and not _STATED.isdisjoint(node):
            node = restated(node, lens, site.lose)
        return node, lens

    def _below(  # noqa: C901, PLR0912 - a call less for each level: depth is what it is about
        self,
        node: JsonObject,
        children: tuple[tuple[str, Position], ...],
        at: Place,
        origins: Origins | None,
    ) -> Done:
        """Lower everything below a node; some keywords may have come from elsewhere."""
        lens: JsonObject | None = None
        tagged: Tagged | None = None
        out = node
        new: Json
        below: Json
        for key, position in children:
            value = node[key]
            if value is False and key == "additionalProperties":
                continue
            here = (*at, key) if origins is None or key not in origins else origins[key][0].at
            if position is _MAP:
                new, below = self._members(value, here)
            elif position is _LIST:
                new, below = self._items(value, here)
                if below is not None and key in _UNIONS:
                    union = Union(value, new, below, here)
                    new, below, keys = settle(union, self.definitions, self.log)
                    tagged = Tagged(key, here, keys) if keys else None
            elif value.__class__ is dict:
                known = len(self.log)
                new, below = self.node(value, here)
                if key in _TURNING and len(self.log) > known:
                    self.log[known:] = [_turned(record, key) for record in self.log[known:]]
            elif self._booleans or key == "additionalProperties":
                continue
            else:
                new, below = self._boolean(value, here)
            if new is not value:
                if out is node:
                    out = node.copy()
                out[key] = new
            if below is not None and key in _HOLDERS:
                if lens is None:
                    lens = {}
                lens["anyOf" if key == "oneOf" else key] = below
        if lens is None:
            return out, None
        lens = apart(lens, out)
        return (out, lens) if tagged is None else into_branches(out, lens, tagged, self.log)

    def _members(  # noqa: C901, PLR0912 - a hot loop
        self, table: Json, at: Place
    ) -> tuple[Json, JsonObject | None]:
        out, lenses = table, None
        plans, is_leaf = self._plans, self.engine.is_leaf
        is_leaf_of_several = self.engine.is_leaf_of_several
        for name, value in table.items():
            if value.__class__ is dict:
                kind = value.get("type")
                if kind.__class__ is str:
                    if kind in SCALARS and is_leaf(value):
                        continue
                elif kind.__class__ is list:
                    if is_leaf_of_several(value) and SCALARS.issuperset(kind):
                        continue
                    kind = tuple(kind)
                if self.size >= self.limit or self.depth > DEEPEST or not value:
                    new, lens = self.node(value, (*at, name))
                else:
                    self.size += 1
                    key = (kind, *value)
                    plan = plans.get(key) or self.engine.plan(key, value, is_root=False)
                    if plan is IDLE:
                        continue
                    new, lens = self._visit(value, plan, (*at, name))
            elif self._booleans:
                continue
            else:
                new, lens = self._boolean(value, (*at, name))
            if new is not value:
                if out is table:
                    out = table.copy()
                out[name] = new
            if lens is not None:
                if lenses is None:
                    lenses = {}
                lenses[name] = lens
        return out, lenses

    def _items(self, items: Json, at: Place) -> tuple[Json, list[JsonObject | None] | None]:
        out = items
        lenses: list[JsonObject | None] = []
        for index, value in enumerate(items):
            lens: JsonObject | None = None
            new = value
            if value.__class__ is dict:
                new, lens = self.node(value, (*at, index))
            elif not self._booleans:
                new, lens = self._boolean(value, (*at, index))
            if new is not value:
                if out is items:
                    out = items.copy()
                out[index] = new
            lenses.append(lens)
        return out, lenses if any(lenses) else None

    def _is_too_much(self, node: JsonObject) -> bool:
        """Return whether more was written than a document of this size may become."""
        if self.limit == _SOME_NODES:  # found out when it matters
            own = count_nodes(self.schema)
            self.limit = max(min(MOST_NODES, GROWTH * own), 2 * own + _SOME_NODES + 1)
        is_over = self.size > self.limit or self.depth > DEEPEST
        return is_over and not is_scalar(node, self.definitions.target)

    def _given_up(self, node: JsonObject, at: Place) -> Done:
        """Give up a schema that would be too large or too deep: its value travels as text."""
        self.log.append(("L205", None, at, node, {"type": "string"}))
        text = {"type": "string", "description": "a JSON value, as JSON text"}
        return text, {"ops": [{"op": "json"}]}

    def _boolean(self, value: Json, at: Place) -> Done:
        """Lower ``true`` as any value and ``false`` as none, which only ``not`` can express."""
        node: JsonObject = {} if value else {"not": {}}
        self.log.append(("L232", None, at, value, node))
        return self.node(node, at)
