"""Steps on names of members, and on rules for them.

Why: some providers check the names of parameters, and one bad name fails the whole request.
Tag: EXACT; WIDENED by a condition or a rule for names that cannot be written for the new names.

Why: the target has no rules for names alone.
Tag: EXACT. Rules that are neither a pattern nor a list are left to the step for keywords.

Why: dropped as a keyword, such a rule would drop its members where the object is closed.
Tag: EXACT where a pattern matches every name, otherwise WIDENED: names are no longer checked.

Members are named not only in ``properties``: conditions, conjunctions, branches and targets of
references apply to the same object, and rules for names apply to the new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect, NamePolicy, Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.members import declared
from toolcanon.lowering.notes import with_notes
from toolcanon.lowering.step import Glance, Op, Step, StepExample, StepNode, Trouble, without
from toolcanon.lowering.steps.enums import is_plain
from toolcanon.lowering.steps.maps import EVERY, declared_members, either, values_of
from toolcanon.naming import aliases
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.references import Place
from toolcanon.schema.validate import judge
from toolcanon.schema.values import same

_PROPERTY_NAMES: Final = "propertyNames"
_SAYABLE: Final = ANNOTATIONS | {"type", "pattern", "enum", "const", "format"}


def rewrite_property_names(node: JsonObject, site: StepNode) -> JsonObject:
    rule = node[_PROPERTY_NAMES]
    parts = _parts(rule)
    if not parts:
        return node
    site.lose("L246", _PROPERTY_NAMES, rule, None)
    out = without(node, _PROPERTY_NAMES)
    out["allOf"] = [*(out.get("allOf") or ()), *parts]
    return out


def _parts(rule: Json) -> list[JsonObject]:
    """Return the parts of a rule that an object must follow; empty where it cannot be split."""
    if rule is False or (rule.__class__ is dict and rule == {"not": {}}):
        return [{"maxProperties": 0}]
    if rule.__class__ is not dict or not rule.keys() <= _SAYABLE:
        return []
    kind = rule.get("type", "string")
    if kind != "string" and "string" not in kind:
        return [{"maxProperties": 0}]
    parts: list[JsonObject] = []
    if "pattern" in rule:
        parts.append({"patternProperties": {rule["pattern"]: {}}})
    for values in (rule.get("enum"), [rule["const"]] if "const" in rule else None):
        if values is not None:
            names: JsonObject = {name: {} for name in values if isinstance(name, str)}
            parts.append({"properties": names})
    return [{**part, "additionalProperties": False} for part in parts]


def _property_names_needed(dialect: Dialect) -> bool:
    return dialect.maps and dialect.support(_PROPERTY_NAMES) is Support.REJECTED


PROPERTY_NAMES_STEP = Step(
    id="property-names",
    codes=("L246",),
    needed=_property_names_needed,
    meets=lambda _dialect, _kinds, keys: _PROPERTY_NAMES in keys,
    rewrite=rewrite_property_names,
    examples=(
        StepExample(
            before={"type": "object", "additionalProperties": {"type": "integer"},
                    "propertyNames": {"pattern": "^a"}},
            after={"type": "object", "additionalProperties": {"type": "integer"},
                   "allOf": [{"patternProperties": {"^a": {}}, "additionalProperties": False}]},
            args={"a": 1},
            wire_args={"a": 1},
            dialect="keywords.propertyNames=REJECTED",
        ),
    ),
)  # fmt: skip


_PATTERN_PROPERTIES: Final = "patternProperties"
_OTHERS: Final = "additionalProperties"


def rewrite_name_patterns(node: JsonObject, site: StepNode) -> JsonObject:
    if not _is_refused(node, site.dialect):
        return node
    patterns: JsonObject = node[_PATTERN_PROPERTIES]
    site.run.follow()
    said = node.get(_OTHERS)
    others = None if said is True or said == {} else said
    out = without(node, _PATTERN_PROPERTIES, _OTHERS)
    if node.get("properties") or node.get("required"):
        declared = node.get("properties") or {}
        out["properties"] = declared_members(node, declared, patterns, others, site)
    is_exact = EVERY.issuperset(patterns)
    if others is not None or not EVERY.isdisjoint(patterns):
        values = values_of(patterns, others, site)
        value: Json = either(values) if values else False
        site.merge(value, values)
        out[_OTHERS] = value
        is_exact = is_exact or value is False
    elif said is not None:
        out[_OTHERS] = said
    site.lose(
        "L228", _PATTERN_PROPERTIES, patterns, None, Effect.EXACT if is_exact else Effect.WIDENED
    )
    return out if is_exact else with_notes(out, [site.remark(_PATTERN_PROPERTIES, patterns)])


def _is_refused(node: JsonObject, dialect: Dialect) -> bool:
    patterns = node[_PATTERN_PROPERTIES]
    if not patterns:
        return False
    if dialect.support(_PATTERN_PROPERTIES) is Support.REJECTED:
        return True
    most = dialect.name_patterns
    if most is not None and (len(patterns) > most or "anyOf" in node):
        return True
    return dialect.plain_patterns and not all(is_plain(text, dialect) for text in patterns)


def _pattern_properties_needed(dialect: Dialect) -> bool:
    refuses = dialect.support(_PATTERN_PROPERTIES) is Support.REJECTED
    return dialect.maps and (refuses or dialect.plain_patterns or dialect.name_patterns is not None)


def glance_name_patterns(dialect: Dialect, keys: frozenset[str]) -> Glance:
    del keys
    return lambda node: _is_refused(node, dialect)


NAME_PATTERNS_STEP = Step(
    id="name-patterns",
    codes=("L228", "L236"),
    needed=_pattern_properties_needed,
    meets=lambda _dialect, _kinds, keys: _PATTERN_PROPERTIES in keys,
    rewrite=rewrite_name_patterns,
    glance=glance_name_patterns,
    examples=(
        StepExample(
            before={"type": "object", "patternProperties": {"^a": {"type": "integer"}},
                    "additionalProperties": False},
            after={"type": "object", "additionalProperties": {"type": "integer"},
                   "description": '(patternProperties: {"^a":{"type":"integer"}})'},
            args={"a": 1},
            wire_args={"a": 1},
            dialect="keywords.patternProperties=REJECTED",
        ),
        StepExample(
            before={"type": "object", "patternProperties": {"^a": {"type": "integer"}, "b$": {}},
                    "additionalProperties": {"type": "string"}},
            after={"type": "object", "additionalProperties": {"anyOf": [
                       {"type": "integer"}, {}, {"type": "string"}]},
                   "description": '(patternProperties: {"^a":{"type":"integer"},"b$":{}})'},
            args={"a": 1},
            wire_args={"a": 1},
            dialect="name_patterns=1",
        ),
    ),
)  # fmt: skip


_ONE: Final = frozenset({"if", "then", "else", "not"})
_SEVERAL: Final = frozenset({"allOf", "anyOf", "oneOf"})
_REFERENCES: Final = ("$ref", "$dynamicRef")
_LISTING: Final = ANNOTATIONS | {"type", "enum", "const"}
_MOST_NODES: Final = 2_000


class Stuck(Exception):
    """A rule that cannot be written with the new names."""


class Renaming:
    """The names of one object's members, own to written."""

    def __init__(self, names: Mapping[str, str], site: StepNode) -> None:
        self.met: dict[str, None] = {}
        """Every name that was come across."""
        self._names = names
        self._site = site
        self._left = _MOST_NODES
        self._open: set[Place] = set()

    def node(self, schema: Json, at: Place) -> Json:
        """Return a schema that applies to the object; the same where nothing is to be renamed."""
        if schema.__class__ is not dict:
            return schema
        self._left -= 1
        if self._left < 0:
            raise Stuck
        out: JsonObject = {key: self.value(key, value, (*at, key)) for key, value in schema.items()}
        if "patternProperties" in schema:
            for pattern, said in schema["patternProperties"].items():
                self.pattern(out, pattern, said)
        for key in _REFERENCES:
            if key in schema:
                out = self._reference(out, key, (*at, key))
        if out == schema:
            return schema
        self._site.run.succeed(schema, out)
        return out

    def value(self, key: str, value: Json, at: Place) -> Json:
        """Return the value of a keyword with the new names."""
        new = value
        if key in _ONE:
            new = self.node(value, at)
        elif key in _SEVERAL:
            new = [self.node(item, (*at, index)) for index, item in enumerate(value)]
        elif key == "required":
            new = [self._name(name) for name in value]
        elif key == "properties":
            new = {self._name(name): held for name, held in value.items()}
        elif key == "dependentRequired":
            new = {self._name(name): [*map(self._name, held)] for name, held in value.items()}
        elif key == "dependentSchemas":
            new = {self._name(name): self.node(held, (*at, name)) for name, held in value.items()}
        elif key == "propertyNames":
            new = self._rule(value)
        return value if new == value else new

    def pattern(self, out: JsonObject, pattern: str, said: Json) -> None:
        """Have a pattern hold for the members that it held for under their own names."""
        matches = _judge(pattern=pattern)
        for own, written in self._names.items():
            before, now = matches(own), matches(written)
            if before is None or now is None or now > before:
                raise Stuck
            if before > now:
                members = out.get("properties") or {}
                held = [members[written], said] if written in members else [said]
                new = held[0] if len(held) == 1 else {"allOf": held}
                out["properties"] = {**members, written: new}

    def _name(self, name: str) -> str:
        self.met[name] = None
        return self._names.get(name, name)

    def _rule(self, rule: Json) -> Json:
        """Return a rule for names, changed to hold for the new ones."""
        if rule.__class__ is not dict:
            return rule
        if rule.keys() <= _LISTING:
            out = dict(rule)
            if "enum" in rule:
                out["enum"] = [self._name(v) if v.__class__ is str else v for v in rule["enum"]]
            if rule.get("const").__class__ is str:
                out["const"] = self._name(rule["const"])
            return out
        accepts = _judge(**rule)
        verdicts = [(accepts(own), accepts(written)) for own, written in self._names.items()]
        if all(before is now and now is not None for before, now in verdicts):
            return rule
        if any(before is None for before, _ in verdicts):
            raise Stuck
        fine = [
            new for new, (before, _) in zip(self._names.values(), verdicts, strict=True) if before
        ]
        others: JsonObject = {"not": {"enum": list(self._names.values())}, "allOf": [rule]}
        return {"anyOf": [{"enum": fine}, others]} if fine else others

    def _reference(self, out: JsonObject, key: str, at: Place) -> JsonObject:
        """Keep the target of a reference, unless it must have other names."""
        found = self._site.run.find(out[key])
        if found is None:
            return out
        if found.pointer in self._open:
            raise Stuck
        self._open.add(found.pointer)
        target = self.node(found.schema, found.pointer)
        self._open.discard(found.pointer)
        if target is found.schema:
            return out
        self._site.log.append(("L201", None, at, out[key], None))
        return {**without(out, key), "allOf": [*(out.get("allOf") or ()), target]}


def _judge(**rule: Json) -> Callable[[Json], bool | None]:
    """Return a function that judges a name by a rule, where all of it can be judged."""
    judging = judge(rule)
    if judging.skipped:
        raise Stuck
    return judging.accepts


_MOST_NAMES: Final = 50_000
_CONDITION: Final = frozenset({"if", "then", "else"})
_NONE: Final[JsonObject] = {}
_MARK: Final = "~"  # in no name that a provider allows


def rewrite_member_names(node: JsonObject, site: StepNode) -> JsonObject:
    members = node["properties"]
    policy = site.dialect.members
    if policy is None or not (site.is_root or site.dialect.nested_members):
        return node
    if all(map(policy.allows, members)):
        return node
    site.run.follow()
    known = list(dict.fromkeys([*members, *_met(node, site)]))
    names = {
        own: written
        for own, written in zip(known, aliases(known, policy), strict=True)
        if own != written and own in members
    }
    for own, written in names.items():
        site.log.append(("L226", None, site.member(own), own, written))
    site.op("rename", names=names)
    if site.is_root:
        site.run.renamed = names
    return _renamed(node, Renaming(names, site), policy, site)


def _met(node: JsonObject, site: StepNode) -> list[str]:
    """Return other names of the same object, which no member may get."""
    looking = Renaming({}, site)
    with suppress(Stuck):  # what was not inspected cannot be renamed, and is dropped
        looking.node(without(node, "properties"), site.at)
    return list(looking.met)


def _renamed(
    node: JsonObject, renaming: Renaming, policy: NamePolicy, site: StepNode
) -> JsonObject:
    out: JsonObject = {}
    stuck: dict[str, Json] = {}
    for key, value in node.items():
        try:
            out[key] = renaming.value(key, value, site.place(key))
        except Stuck:
            stuck[key] = value
    if not _CONDITION.isdisjoint(stuck):
        stuck |= {key: node[key] for key in node if key in _CONDITION}
    for key in stuck:
        out.pop(key, None)
        site.lose("L228", key, node[key], None, Effect.WIDENED)
    remarks = [site.remark(key, value) for key, value in stuck.items()]
    for pattern, said in node.get("patternProperties", _NONE).items():
        try:
            renaming.pattern(out, pattern, said)
        except Stuck:
            out["patternProperties"] = {**out["patternProperties"], pattern: {}}
            at = (*site.place("patternProperties"), pattern)
            site.log.append(("L228", Effect.WIDENED, at, said, {}))
            remarks.append(site.remark("patternProperties", {pattern: said}))
    # A rule that cannot be written must not drop a parameter.
    spare = declared(stuck, site.run.target) if stuck else _NONE
    out["properties"] = {**{name: {} for name in spare if policy.allows(name)}, **out["properties"]}
    return with_notes(_told(out, renaming, site), remarks)


def _told(node: JsonObject, renaming: Renaming, site: StepNode) -> JsonObject:
    """Return the node with the new names in the notes of its description."""
    text = node.get("description")
    if not site.notes or text.__class__ is not str:
        return node
    for said, again in site.notes:
        known = len(site.log)
        try:
            new = again(lambda key, value: renaming.value(key, value, site.at))
        except Stuck:
            new = None
        del site.log[known:]  # nothing is rewritten but the words
        before, found, after = text.rpartition(said)
        if found and new:
            text = f"{before}{new}{after}"
    return {**node, "description": text}


def apply(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    """Rename members. An undeclared key that is spelled like an alias gets a mark."""
    del troubles
    names = op["names"]
    if value.__class__ is not dict:
        return value
    written = {*names.values()}
    return {
        names.get(key) or (f"{key}{_MARK}" if key.rstrip(_MARK) in written else key): held
        for key, held in value.items()
    }


def restore(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    """Undo ``apply``. Of a member that is given by both names, the value of the alias counts."""
    if value.__class__ is not dict:
        return value
    names = {written: own for own, written in op["names"].items()}
    out: JsonObject = {}
    for key, held in value.items():
        alias = op["names"].get(key)
        if alias in value and key not in names:
            if not same(held, value[alias]):
                troubles.append(Trouble((key,), f"{alias!r} is given as well", repair="R129"))
            continue
        is_marked = key[-1:] == _MARK and key.rstrip(_MARK) in names
        out[names.get(key, key[:-1] if is_marked else key)] = held
    return out


def glance_member_names(dialect: Dialect, keys: frozenset[str]) -> Glance:
    del keys
    return _finds_illegal(dialect)


@lru_cache(maxsize=64)
def _finds_illegal(dialect: Dialect) -> Glance:
    """Names repeat from tool to tool, so legal ones are remembered."""
    policy = dialect.members
    legal: set[str] = set()

    def has_illegal(node: JsonObject) -> bool:
        members = node["properties"]
        if legal.issuperset(members):
            return False
        if policy is None or not all(map(policy.allows, members)):
            return True
        if len(legal) < _MOST_NAMES:
            legal.update(members)
        return False

    return has_illegal


MEMBER_NAMES_STEP = Step(
    id="member-names",
    codes=("L201", "L226", "L228"),
    needed=lambda dialect: dialect.members is not None,
    meets=lambda _dialect, _kinds, keys: "properties" in keys,
    rewrite=rewrite_member_names,
    glance=glance_member_names,
    ops=(Op(name="rename", apply=apply, restore=restore, needs=(("names", dict),)),),
    examples=(
        StepExample(
            before={"type": "object", "properties": {"a b": {"type": "string"}}},
            after={"type": "object", "properties": {"a_b": {"type": "string"}}},
            args={"a b": "x"},
            wire_args={"a_b": "x"},
            dialect="members=a-z_",
        ),
    ),
)
