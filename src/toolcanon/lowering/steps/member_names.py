"""Members get names that the target allows.

Why: some providers check the names of parameters, and one bad name fails the whole request.
Tag: EXACT; WIDENED by a condition or a rule for names that cannot be said of the new ones.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Dialect, NamePolicy
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.declared import declared
from toolcanon.lowering.notes import with_notes
from toolcanon.lowering.renaming import Renaming, Stuck
from toolcanon.lowering.step import Example, Glance, Op, Site, Step, Trouble, without
from toolcanon.naming import aliases
from toolcanon.schema.values import same

_MOST_NAMES: Final = 50_000
_CONDITION: Final = frozenset({"if", "then", "else"})
_NONE: Final[JsonObject] = {}
_MARK: Final = "~"  # in no name that a provider allows


def rewrite(node: JsonObject, site: Site) -> JsonObject:
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


def _met(node: JsonObject, site: Site) -> list[str]:
    """Other names of the same object, which no member may get."""
    looking = Renaming({}, site)
    with suppress(Stuck):  # what was not looked at cannot be renamed, and goes
        looking.node(without(node, "properties"), site.at)
    return list(looking.met)


def _renamed(node: JsonObject, renaming: Renaming, policy: NamePolicy, site: Site) -> JsonObject:
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
    # No parameter is lost with what cannot be said.
    spare = declared(stuck, site.run.target) if stuck else _NONE
    out["properties"] = {**{name: {} for name in spare if policy.allows(name)}, **out["properties"]}
    return with_notes(_told(out, renaming, site), remarks)


def _told(node: JsonObject, renaming: Renaming, site: Site) -> JsonObject:
    """The node with the new names in what its description says of members."""
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


def glance(dialect: Dialect, keys: frozenset[str]) -> Glance:
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


STEP = Step(
    id="member-names",
    codes=("L201", "L226", "L228"),
    needed=lambda dialect: dialect.members is not None,
    meets=lambda _dialect, _kinds, keys: "properties" in keys,
    rewrite=rewrite,
    glance=glance,
    ops=(Op(name="rename", apply=apply, restore=restore, needs=(("names", dict),)),),
    examples=(
        Example(
            before={"type": "object", "properties": {"a b": {"type": "string"}}},
            after={"type": "object", "properties": {"a_b": {"type": "string"}}},
            args={"a b": "x"},
            wire_args={"a_b": "x"},
            dialect="members=a-z_",
        ),
    ),
)
