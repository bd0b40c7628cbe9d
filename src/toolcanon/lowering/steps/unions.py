"""Steps that rewrite a union as another keyword, or its siblings into its branches.

Why: the target, or a gateway before it, accepts a union without siblings.
Tag: EXACT. A default goes to the branch that accepts it, or into the descriptions.

Why: a grammar can offer branches but cannot ensure that only one of them matches.
Tag: EXACT when no value fits two branches, WIDENED otherwise.

Why: one keyword expresses the same. Grammars limit the number of unions, and models answered with
values outside such a union.
Tag: EXACT. Annotations of branches go into the description.

Why: the target writes null as ``nullable: true``.
Tag: EXACT; WIDENED where null was the only branch and the type beside it forbids null.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.members import by_declared
from toolcanon.lowering.notes import note, shown, with_notes
from toolcanon.lowering.step import Step, StepExample, StepNode, without
from toolcanon.schema.algebra.conjunction import conjoin
from toolcanon.schema.algebra.overlap import are_apart
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.validate import judge
from toolcanon.schema.values import has_type, identity, types_of

_MOST_BRANCHES: Final = 24  # each is compared with each
_MOST_PRODUCTS: Final = 36


def rewrite_one_of(node: JsonObject, site: StepNode) -> JsonObject:
    branches = node["oneOf"]
    pairs = combinations(_typed(branches, node), 2)
    references, allowance = site.run.references, site.run.allowance
    apart = len(branches) <= _MOST_BRANCHES and all(
        are_apart(_seen(one, site), other, references, allowance)
        and are_apart(one, _seen(other, site), references, allowance)
        for one, other in pairs
    )
    effect = Effect.EXACT if apart else Effect.WIDENED
    out: JsonObject = {}
    for key, value in node.items():
        out["anyOf" if key == "oneOf" else key] = value
    if "anyOf" in node:
        others = node["anyOf"]
        out = without(out, "anyOf")
        out["anyOf"] = branches
        if len(branches) * len(others) <= _MOST_PRODUCTS:
            out["anyOf"] = _products(others, branches, site)
        site.lose("L206", "anyOf", others, None)
        effect = Effect.WIDENED
    site.lose("L211", "oneOf", branches, None, effect)
    site.rename(node, "oneOf", "anyOf")
    return out


def _typed(branches: list[Json], node: JsonObject) -> list[Json]:
    """Return branches with the type of the node, where they have none."""
    if "type" not in node:
        return branches
    kind = node["type"]
    return [
        {"type": kind, **branch} if branch.__class__ is dict and "$ref" not in branch else branch
        for branch in branches
    ]


def _products(ours: list[Json], theirs: list[Json], site: StepNode) -> list[Json]:
    """Return each branch of one union with each of the other, where they share values."""
    found = [(both, conjoin(both)) for both in product(ours, theirs)]
    found = [item for item in found if not item[1].is_nothing] or found
    made: list[Json] = []
    for both, merged in found:
        site.merge(merged.schema, both)
        site.leave_out("L207", merged.residue, both, site.place("anyOf"))
        made.append(site.extend(merged.schema, both).schema if merged.residue else merged.schema)
    return made


def _seen(branch: Json, site: StepNode) -> Json:
    """Return a branch by its declared members, where objects are closed or can say nothing else."""
    return branch if site.dialect.maps else by_declared(branch, site.run.target)


ONE_OF_STEP = Step(
    id="one-of",
    codes=("L206", "L207", "L211"),
    needed=lambda dialect: dialect.support("oneOf") is Support.REJECTED,
    meets=lambda _dialect, _kinds, keys: "oneOf" in keys,
    rewrite=rewrite_one_of,
    examples=(
        StepExample(
            before={"oneOf": [{"type": "string"}, {"type": "integer"}]},
            after={"anyOf": [{"type": "string"}, {"type": "integer"}]},
            args="x",
            wire_args="x",
            dialect="keywords.oneOf=REJECTED",
        ),
    ),
)  # fmt: skip


_UNIONS: Final = ("anyOf", "oneOf")
_BESIDE: Final = frozenset({"type", "enum", "const"})
_LISTING: Final = frozenset({"const", "enum", "type", "description", "title", "default"})


def rewrite_constant_unions(node: JsonObject, site: StepNode) -> JsonObject:
    for key in _UNIONS:
        branches = node.get(key)
        if not branches or not _values(branches[0]):  # as of most
            continue
        listed = [_values(branch) for branch in branches]
        if not all(listed):
            continue
        values: dict[Json, Json] = {}
        for part in listed:
            for value in part:
                if key == "oneOf" and identity(value) in values:
                    return node  # a value of two branches is refused
                values[identity(value)] = value
        notes = [
            f"{shown(part[0])}: {branch['description']}"
            for part, branch in zip(listed, branches, strict=True)
            if len(part) == 1 and isinstance(branch.get("description"), str)
        ]
        site.lose("L238", key, branches, None)
        return with_notes({**without(node, key), "enum": list(values.values())}, notes)
    return node


def _values(branch: Json) -> list[Json]:
    """Return the values of a branch that does nothing but list them; nothing for any other."""
    if branch.__class__ is not dict or not branch.keys() <= _LISTING:
        return []
    values: list[Json] = [branch["const"]] if "const" in branch else branch.get("enum") or []
    if not values:
        return []
    types = types_of(branch)
    return [value for value in values if not types or has_type(value, types)]


CONSTANT_UNIONS_STEP = Step(
    id="constant-unions",
    codes=("L238",),
    needed=lambda dialect: dialect.typed,
    meets=lambda _dialect, _kinds, keys: keys.isdisjoint(_BESIDE) and not keys.isdisjoint(_UNIONS),
    rewrite=rewrite_constant_unions,
    examples=(
        StepExample(
            before={"anyOf": [{"const": "a", "description": "first"}, {"const": "b"}]},
            after={"enum": ["a", "b"], "type": "string", "description": "(a: first)"},
            args="a",
            wire_args="a",
            dialect="typed=True",
        ),
    ),
)


_REMARKS = ("title", "description", "default", "nullable")


def rewrite_lone_unions(node: JsonObject, site: StepNode) -> JsonObject:
    said: JsonObject = {key: node[key] for key in _REMARKS if key in node}
    if not said:
        return node
    for key, value in said.items():
        site.lose("L247", key, value, None)
    branches = [{} if branch is True else branch for branch in node["anyOf"]]
    whole = [_meant(branch, site) for branch in branches]
    takes = _taking(said, whole)
    new: list[Json] = []
    for index, (branch, meant) in enumerate(zip(branches, whole, strict=True)):
        if branch.__class__ is not dict:
            new.append(branch)
            continue
        made = {**branch, **_words(said, meant)}
        if said.get("nullable"):
            made["nullable"] = True
        if takes == index:
            made.setdefault("default", said["default"])
        elif takes is None and "default" in said and (remark := note("default", said["default"])):
            made = with_notes(made, [remark])
        site.run.succeed(branch, made)
        new.append(made)
    return {**without(node, *said), "anyOf": new}


def _meant(branch: Json, site: StepNode) -> JsonObject:
    """Return a branch, or what it refers to."""
    if branch.__class__ is not dict:
        return {}
    if "$ref" not in branch:
        return branch
    meant = site.run.target(branch["$ref"])
    return {**(meant if meant.__class__ is dict else {}), **without(branch, "$ref")}


def _words(said: JsonObject, meant: JsonObject) -> JsonObject:
    """Return title and description of a branch, behind those of the whole union."""
    made: JsonObject = {}
    if "title" in said:
        made["title"] = meant.get("title", said["title"])
    if text := said.get("description"):
        own = meant.get("description")
        made["description"] = f"{text} {own}" if own and own != text else text
    return made


def _taking(said: JsonObject, branches: list[JsonObject]) -> int | None:
    """Return the first branch that takes the default."""
    if "default" not in said:
        return None
    value = said["default"]
    for index, branch in enumerate(branches):
        if value is None and (said.get("nullable") or branch.get("nullable")):
            return index
        if branch and judge(branch).accepts(value):
            return index
    return None


LONE_UNIONS_STEP = Step(
    id="lone-unions",
    codes=("L247",),
    needed=lambda dialect: dialect.lone_unions,
    meets=lambda _dialect, _kinds, keys: "anyOf" in keys and not keys.isdisjoint(_REMARKS),
    rewrite=rewrite_lone_unions,
    examples=(
        StepExample(
            before={"description": "When.", "default": 0,
                    "anyOf": [{"type": "string", "description": "A date."}, {"type": "integer"}]},
            after={"anyOf": [{"type": "string", "description": "When. A date."},
                             {"type": "integer", "description": "When.", "default": 0}]},
            args=3,
            wire_args=3,
            dialect="lone_unions=True",
        ),
    ),
)  # fmt: skip


def rewrite_null_branches(node: JsonObject, site: StepNode) -> JsonObject:
    branches = node["anyOf"]
    held = [branch for branch in branches if not _is_null(branch)]
    if len(held) == len(branches):
        return _alone(node, held, site) if len(held) == 1 else node
    never = "null" not in node.get("type", "null")
    # No value was valid if it required null of another type.
    effect = Effect.WIDENED if never and not held else None
    site.lose("L218", "anyOf", branches, held, effect)
    if not held:
        return {**without(node, "anyOf"), "type": "null"}
    if never:
        return {**node, "anyOf": held}
    if len(held) == 1:
        only = _alone(node, held, site)
        if only is not node:
            return {**only, "nullable": True}
    # On a branch, since some gateways drop the siblings of a union.
    first = held[0]
    if first.__class__ is dict and first.keys() != {"$ref"}:
        made = {**first, "nullable": True}
        if site.known_homes is not None:
            site.known_homes.succeed(first, made)
        return {**node, "anyOf": [made, *held[1:]]}
    return {**node, "anyOf": held, "nullable": True}


def _alone(node: JsonObject, held: list[Json], site: StepNode) -> JsonObject:
    """Return the branch of a union of one, if it has no siblings but annotations."""
    (only,) = held
    beside = without(node, "anyOf")
    if only.__class__ is not dict or beside.keys() - ANNOTATIONS - {"nullable"}:
        return node
    site.restart = True
    if len(held) == len(node["anyOf"]):
        site.lose("L218", "anyOf", node["anyOf"], None)
    site.enter("anyOf", next(i for i, one in enumerate(node["anyOf"]) if one is only), only, beside)
    return {**only, **beside}


def _is_null(branch: Json) -> bool:
    if branch.__class__ is not dict:
        return False
    kind = branch.get("type", "null")
    if kind in ("null", ["null"]) and "type" in branch:
        return True
    # One of another type is not even null.
    return "null" in kind and (branch.get("enum") == [None] or branch.get("const", ...) is None)


NULL_BRANCHES_STEP = Step(
    id="null-branches",
    codes=("L218",),
    needed=lambda dialect: dialect.nullable,
    meets=lambda _dialect, _kinds, keys: "anyOf" in keys,
    rewrite=rewrite_null_branches,
    examples=(
        StepExample(
            before={"anyOf": [{"type": "string"}, {"type": "null"}], "description": "d"},
            after={"type": "string", "description": "d", "nullable": True},
            args=None,
            wire_args=None,
            dialect="nullable=True",
        ),
    ),
)
