"""Steps on closed objects, unevaluated members and optional members.

Why: grammars require ``additionalProperties: false`` on every object; some targets reject the
keyword, and some close an object without it, so that a map must state it.
Tag: EXACT where the object does not mention other members or forbids them, because callers send
declared members; NARROWED where it allows others explicitly; WIDENED where an object without
members cannot be written as such, since below the root it is a map.

Why: the target does not track evaluated members and items.
Tag: EXACT where the same ones are evaluated for every value: declared here, in every part of a
conjunction, behind a reference. Where it depends on the value the keyword is dropped: WIDENED.

Why: a grammar without optional members requires every one of them; another requires one in every
object, so the first becomes required where none is. Some need the list of required members even
where there are no members.
Tag: EXACT. Null comes back as absent where the original rejects null; where it accepts null, the
value is put under a key of its own so that both can be sent, and where null is the declared
default the two are merged, which is NARROWED.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect, Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.members import dependent_names
from toolcanon.lowering.notes import with_notes
from toolcanon.lowering.step import Glance, Op, Step, StepExample, StepNode, Trouble, without
from toolcanon.schema.algebra.constraints import NULL, with_null
from toolcanon.schema.references import Place
from toolcanon.schema.values import size_of

_KEY = "additionalProperties"
_NOTHING: JsonObject = {}
_EXACT, _NARROWED = Effect.EXACT, Effect.NARROWED
_ABOUT_MEMBERS: Final = frozenset(
    "properties patternProperties required allOf anyOf oneOf $ref if dependentSchemas "
    "unevaluatedProperties enum const".split()
)


def rewrite_closed(node: JsonObject, site: StepNode) -> JsonObject:
    said = node.get(_KEY)
    dialect = site.dialect
    if dialect.closed:
        if said is not False:
            site.lose("L222", _KEY, said, False, _EXACT if said is None else _NARROWED)
            node = node.copy()
            node[_KEY] = False
    elif dialect.closed_unless_said:
        if said is None and not _declares(node):
            site.lose("L222", _KEY, None, True, Effect.EXACT)
            return {**node, _KEY: True}
        return node
    elif said is not None:
        opens = said is False and not site.is_root and not node.get("properties")
        site.lose("L222", _KEY, said, None, Effect.WIDENED if opens else _effect(said))
        node = without(node, _KEY)
    members = node.get("properties", _NOTHING)
    named = node.get("required") or ()
    # A member may depend on one of the others.
    if "dependentRequired" in node and said is not False and not _lists_others(site):
        named = [*named, *dependent_names(node)]
    undeclared = [name for name in named if name not in members]
    if undeclared:
        undeclared = list(dict.fromkeys(undeclared))
        members = {**members, **{name: {} for name in undeclared}}
        # No value was valid if it required what it forbids.
        effect = Effect.WIDENED if said is False else None
        site.lose("L236", "properties", None, undeclared, effect)
        node = {**node, "properties": members}
    if dialect.closed and "properties" not in node:
        site.lose("L235", "properties", None, {})
        node = {**node, "properties": {}}
    return node


def _lists_others(site: StepNode) -> bool:
    """Return whether members that are not declared have a place among the arguments."""
    return any(op["op"] == "rest" for op in site.ops or ())


def _declares(node: JsonObject) -> bool:
    """Return whether a schema declares its members, including that there are none."""
    return not node.keys().isdisjoint(_ABOUT_MEMBERS)


def _effect(said: object) -> Effect:
    return _EXACT if said is None or said is False else _NARROWED


def _closing_needed(dialect: Dialect) -> bool:
    return dialect.closed or dialect.closed_unless_said or dialect.support(_KEY) is Support.REJECTED


def glance_closed(dialect: Dialect, keys: frozenset[str]) -> Glance | bool:
    """Precheck: where the keyword need not be written, only the members of an object count."""
    if dialect.closed:
        return _closes if keys >= {_KEY, "properties"} else True
    if dialect.closed_unless_said:
        return _KEY not in keys and keys.isdisjoint(_ABOUT_MEMBERS)
    if _KEY in keys or "dependentRequired" in keys:
        return True
    return _lacks if "required" in keys else False


def _closes(node: JsonObject) -> bool:
    return node[_KEY] is not False or _lacks(node)


def _lacks(node: JsonObject) -> bool:
    """Return whether some required member is not declared."""
    return "required" in node and not node.get("properties", _NOTHING).keys() >= set(
        node["required"]
    )


CLOSED_STEP = Step(
    id="closed-objects",
    codes=("L222", "L235", "L236"),
    needed=_closing_needed,
    meets=lambda _dialect, kinds, _keys: "object" in kinds,
    rewrite=rewrite_closed,
    glance=glance_closed,
    keeps=lambda dialect, keys: dialect.closed and "properties" in keys,
    examples=(
        StepExample(
            before={"type": "object", "properties": {"a": {"type": "string"}}},
            after={"type": "object", "properties": {"a": {"type": "string"}},
                   "additionalProperties": False},
            args={"a": "x"},
            wire_args={"a": "x"},
            dialect="closed=True",
        ),
        StepExample(
            before={"type": "object"},
            after={"type": "object", "additionalProperties": True},
            args={"a": "x"},
            wire_args={"a": "x"},
            dialect="closed_unless_said=True",
        ),
    ),
)  # fmt: skip


_MEMBERS: Final = "unevaluatedProperties"
_ITEMS: Final = "unevaluatedItems"
_DEPENDING: Final = ("anyOf", "oneOf")
_SINGLE: Final = ("if", "then", "else")
_SMALL: Final = 16


class _Kind(NamedTuple):
    """Members or items: which words evaluate some, which all of them."""

    keyword: str
    some: tuple[str, ...]
    all: tuple[str, ...]


_KINDS: Final = (
    _Kind(_MEMBERS, ("properties", "patternProperties"), ("additionalProperties", _MEMBERS)),
    _Kind(_ITEMS, ("prefixItems", "contains"), ("items", _ITEMS)),
)


class _DependsOnValue(Exception):
    """What is evaluated depends on the value."""


def rewrite_unevaluated(node: JsonObject, site: StepNode) -> JsonObject:
    for kind in _KINDS:
        if kind.keyword in node and (
            _is_refused(kind.keyword, site.dialect) or _is_idle(kind, node, site.dialect)
        ):
            node = _without_count(node, kind, site)
    return node


def _without_count(node: JsonObject, kind: _Kind, site: StepNode) -> JsonObject:
    value = node[kind.keyword]
    out = without(node, kind.keyword)
    welcome = value is True or value == {}
    if welcome and kind.keyword == _MEMBERS and not (site.dialect.maps or kind.all[0] in node):
        site.lose("L245", kind.keyword, value, None)
        return {**out, kind.all[0]: True}  # which matters where no others can be sent
    if welcome or kind.all[0] in node:
        site.lose("L228", kind.keyword, value, None, Effect.EXACT)
        return out
    try:
        found = _Evaluated(kind, site.run.target)
        found.collect(out)
        twice = not _is_refused("contains", site.dialect)
        if kind.keyword == _ITEMS and twice and size_of(out.get("contains")) > _SMALL:
            raise _DependsOnValue  # it would have to be written twice
    except _DependsOnValue:
        if kind.keyword == _MEMBERS and not site.dialect.maps:
            return node  # each branch reports it, and so does the step for maps
        site.lose("L228", kind.keyword, value, None)
        return with_notes(out, [site.note(kind.keyword, value)])
    if found.everything:
        site.lose("L228", kind.keyword, value, None, Effect.EXACT)
        return out
    site.run.follow()
    if kind.keyword == _ITEMS:
        new: JsonObject = {"items": value}
        if "contains" in out:
            new = {"items": {"anyOf": [out["contains"], value]}}
    else:
        new = {
            key: {**dict.fromkeys(names, _ANY), **(out.get(key) or {})}
            for key, names in found.members.items()
            if names
        }
        new["additionalProperties"] = value
    site.lose("L245", kind.keyword, value, None)
    return {**out, **new}


_ANY: Final[JsonObject] = {}


class _Evaluated:
    """What a schema evaluates whenever it accepts a value."""

    def __init__(self, kind: _Kind, find: Callable[[Json], Json]) -> None:
        self.everything = False
        self.members: dict[str, dict[str, None]] = {key: {} for key in kind.some}
        self._kind = kind
        self._find = find
        self._seen: set[int] = set()

    def collect(self, schema: Json, *, inner: bool = False) -> None:
        if schema.__class__ is not dict or id(schema) in self._seen:
            return
        self._seen.add(id(schema))
        self.everything |= any(key in schema for key in self._kind.all)
        for key in self._kind.some:
            if key not in schema:
                continue
            if inner and self._kind.keyword == _ITEMS:
                raise _DependsOnValue  # places of two lists would have to be counted together
            if schema[key].__class__ is dict:
                self.members[key] |= dict.fromkeys(schema[key])
        for part in schema.get("allOf") or ():
            self.collect(part, inner=True)
        for key in ("$ref", "$dynamicRef"):
            if key in schema:
                target = self._find(schema[key])
                if key == "$dynamicRef" or target is None:
                    raise _DependsOnValue
                self.collect(target, inner=True)
        depending = [schema[key] for key in _SINGLE if key in schema]
        depending += [part for key in _DEPENDING for part in schema.get(key) or ()]
        depending += (schema.get("dependentSchemas") or {}).values()
        for part in depending:
            self._must_be_silent(part)

    def _must_be_silent(self, schema: Json) -> None:
        """Raise where a schema that may not apply evaluates anything."""
        if schema.__class__ is not dict or id(schema) in self._seen:
            return
        own = _Evaluated(self._kind, self._find)
        own._seen = {*self._seen}
        own.collect(schema, inner=True)
        if own.everything or any(own.members.values()):
            raise _DependsOnValue


def _is_refused(keyword: str, dialect: Dialect) -> bool:
    return dialect.support(keyword) is Support.REJECTED


def _is_idle(kind: _Kind, node: JsonObject, dialect: Dialect) -> bool:
    """Return whether a word will be added for all items, after which none is unevaluated."""
    return kind.keyword == _ITEMS and dialect.items and kind.all[0] not in node


def _needed(dialect: Dialect) -> bool:
    return dialect.items or any(_is_refused(kind.keyword, dialect) for kind in _KINDS)


UNEVALUATED_STEP = Step(
    id="unevaluated",
    codes=("L228", "L245"),
    needed=_needed,
    meets=lambda _dialect, _kinds, keys: _MEMBERS in keys or _ITEMS in keys,
    rewrite=rewrite_unevaluated,
    examples=(
        StepExample(
            before={"type": "object", "properties": {"a": {"type": "string"}},
                    "allOf": [{"properties": {"b": {"type": "string"}}}],
                    "unevaluatedProperties": False},
            after={"type": "object", "properties": {"b": {}, "a": {"type": "string"}},
                   "allOf": [{"properties": {"b": {"type": "string"}}}],
                   "additionalProperties": False},
            args={"a": "x", "b": "y"},
            wire_args={"a": "x", "b": "y"},
            dialect="keywords.unevaluatedProperties=REJECTED",
        ),
    ),
)  # fmt: skip


_VALUE: Final = "value"


def rewrite_optional(node: JsonObject, site: StepNode) -> JsonObject:
    members = node.get("properties")
    if not members:
        return _spelled_out(node, site)
    stated, is_all = node.get("required"), site.dialect.all_required
    required = set(stated or ())
    optional = [name for name in members if name not in required]
    if not is_all:
        optional = optional[:1] if required.isdisjoint(members) else []
    if not optional:
        return node
    new = members.copy()
    merged: list[str] = []
    tagged: list[str] = []
    tell, is_merged = site.log.append, site.origins is not None
    at = (*site.at, "properties")
    homes = site.known_homes
    for name in optional:
        schema = members[name]
        where = site.member(name) if is_merged else (*at, name)
        kind = schema.get("type") if schema.__class__ is dict else None
        if (kind is not None and "null" not in kind) or not site.takes_null(schema):
            made = new[name] = with_null(schema)
            if homes is not None or "anyOf" in made:
                _settle(made, schema, where, site)
            code = "L223"
        elif schema.__class__ is dict and schema.get("default", ...) is None:
            merged.append(name)
            code = "L225"
        else:
            site.run.follow()
            new[name] = _tagged(schema, site)
            tagged.append(name)
            code = "L224"
        tell((code, None, where, None, "null"))
    kept = {"null": merged} if merged else {}
    others = {*merged, *tagged}
    absent = [name for name in optional if name not in others] if others else optional
    if absent or merged:
        site.op("absent", keys=absent, **kept)
    if tagged:
        site.op("options", keys=tagged)
    names = list(members) if is_all else [*(stated or ()), *optional]
    tell(("L223", None, site.place("required"), stated, names))
    out = node.copy()
    out["properties"], out["required"] = new, names
    return out


def _spelled_out(node: JsonObject, site: StepNode) -> JsonObject:
    """Return an object without members, with an empty ``required`` where that is required."""
    if not site.dialect.empty_required or "required" in node:
        return node
    site.lose("L235", "required", None, [])
    return {**node, "required": []}


def _settle(made: JsonObject, schema: Json, at: Place, site: StepNode) -> None:
    """Record the original place of a member that accepts null now."""
    first = made["anyOf"][0] if "anyOf" in made else schema
    wraps = first is not schema and first is not (schema.get("anyOf") or [None])[0]
    homes = site.run.follow() if wraps else site.known_homes
    if homes is not None:
        homes.succeed(schema, made)
    if homes is not None and wraps:  # keywords of the value are one level below
        at = homes.places.get(id(schema), at)
        homes.place(first, at, homes.merged.get(id(schema)))


def _tagged(schema: Json, site: StepNode) -> JsonObject:
    said = schema.get("description") if schema.__class__ is dict else None
    inner: JsonObject = {
        "type": "object",
        "properties": {_VALUE: schema},
        "required": [_VALUE],
    }
    if site.dialect.closed:
        inner["additionalProperties"] = False
    remark = "null: not given; otherwise the value"
    described = f"{said} ({remark})" if said else remark
    return {"anyOf": [inner, NULL.copy()], "description": described}


def apply_absent(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del troubles
    if value.__class__ is not dict:
        return value
    missing = [key for key in (*op["keys"], *op.get("null", ())) if key not in value]
    return {**value, **dict.fromkeys(missing)} if missing else value


def restore_absent(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del troubles
    if value.__class__ is not dict:
        return value
    keys = op["keys"]
    return {key: held for key, held in value.items() if held is not None or key not in keys}


def apply_options(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del troubles
    if value.__class__ is not dict:
        return value
    told = {key: {_VALUE: value[key]} if key in value else None for key in op["keys"]}
    return {**value, **told}


def restore_options(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    if value.__class__ is not dict:
        return value
    out = {}
    for key, held in value.items():
        if key not in op["keys"]:
            out[key] = held
        elif held.__class__ is dict and held.keys() == {_VALUE}:
            out[key] = held[_VALUE]
        elif held is not None:
            troubles.append(Trouble((key,), f"an object with {_VALUE!r}, or null, was expected"))
            out[key] = held
    return out


def glance_optional(dialect: Dialect, keys: frozenset[str]) -> Glance | bool:
    if "required" not in keys:
        return True
    return _has_optional if dialect.all_required or dialect.empty_required else _has_only_optional


def _has_optional(node: JsonObject) -> bool:
    """Return whether fewer names are required than declared: cheaper than finding them."""
    return len(node["required"]) < len(node["properties"])


def _has_only_optional(node: JsonObject) -> bool:
    return bool(node["properties"].keys().isdisjoint(node["required"]))


OPTIONAL_STEP = Step(
    id="optional-members",
    codes=("L223", "L224", "L225", "L235"),
    needed=lambda dialect: (
        dialect.all_required or dialect.some_required or dialect.empty_required
    ),
    meets=lambda _dialect, kinds, keys: "object" in kinds and "properties" in keys,
    rewrite=rewrite_optional,
    glance=glance_optional,
    keeps=lambda _dialect, _keys: True,
    ops=(
        Op(name="absent", apply=apply_absent, restore=restore_absent, needs=(("keys", list),)),
        Op(name="options", apply=apply_options, restore=restore_options, needs=(("keys", list),)),
    ),
    examples=(
        StepExample(
            before={"type": "object", "properties": {"a": {"type": "string"}}},
            after={"type": "object", "properties": {"a": {"type": ["string", "null"]}},
                   "required": ["a"]},
            args={},
            wire_args={"a": None},
            dialect="all_required=True",
        ),
        StepExample(
            before={"type": "object", "properties": {"a": {"type": "string"},
                                                     "b": {"type": "string"}}},
            after={"type": "object", "properties": {"a": {"type": ["string", "null"]},
                                                    "b": {"type": "string"}},
                   "required": ["a"]},
            args={"b": "x"},
            wire_args={"b": "x", "a": None},
            dialect="some_required=True",
        ),
        StepExample(
            before={"type": "object", "properties": {}},
            after={"type": "object", "properties": {}, "required": []},
            args={},
            wire_args={},
            dialect="empty_required=True",
        ),
    ),
)  # fmt: skip
