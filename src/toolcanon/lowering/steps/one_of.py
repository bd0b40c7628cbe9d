"""oneOf becomes anyOf.

Why: a grammar can offer branches but cannot see to it that only one of them matches.
Tag: EXACT when no value fits two branches, WIDENED otherwise.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.declared import by_declared
from toolcanon.lowering.step import Example, Site, Step, without
from toolcanon.schema.conjunction import conjoin
from toolcanon.schema.overlap import are_apart

_MOST_BRANCHES: Final = 24  # each is compared with each
_MOST_PRODUCTS: Final = 36


def rewrite(node: JsonObject, site: Site) -> JsonObject:
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
    """Branches with the type that the node states for all of them, where they state none."""
    if "type" not in node:
        return branches
    kind = node["type"]
    return [
        {"type": kind, **branch} if branch.__class__ is dict and "$ref" not in branch else branch
        for branch in branches
    ]


def _products(ours: list[Json], theirs: list[Json], site: Site) -> list[Json]:
    """Each branch of one union with each of the other, where they have values in common."""
    found = [(both, conjoin(both)) for both in product(ours, theirs)]
    found = [item for item in found if not item[1].is_nothing] or found
    made: list[Json] = []
    for both, merged in found:
        site.merge(merged.schema, both)
        site.leave_out("L207", merged.residue, both, site.place("anyOf"))
        made.append(site.extend(merged.schema, both).schema if merged.residue else merged.schema)
    return made


def _seen(branch: Json, site: Site) -> Json:
    """A branch by its declared members, where objects are closed or can say nothing else."""
    return branch if site.dialect.maps else by_declared(branch, site.run.target)


STEP = Step(
    id="one-of",
    codes=("L206", "L207", "L211"),
    needed=lambda dialect: dialect.support("oneOf") is Support.REJECTED,
    meets=lambda _dialect, _kinds, keys: "oneOf" in keys,
    rewrite=rewrite,
    examples=(
        Example(
            before={"oneOf": [{"type": "string"}, {"type": "integer"}]},
            after={"anyOf": [{"type": "string"}, {"type": "integer"}]},
            args="x",
            wire_args="x",
            dialect="keywords.oneOf=REJECTED",
        ),
    ),
)  # fmt: skip
