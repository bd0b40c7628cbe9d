"""What is remarked beside a union moves into its branches.

Why: the target, or whoever translates for it, takes a union and nothing beside it.
Tag: EXACT. A default goes to the branch that takes it, or into the descriptions.
"""

from __future__ import annotations

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.notes import note, with_notes
from toolcanon.lowering.step import Example, Site, Step, without
from toolcanon.schema.judge import judge

_REMARKS = ("title", "description", "default", "nullable")


def rewrite(node: JsonObject, site: Site) -> JsonObject:
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


def _meant(branch: Json, site: Site) -> JsonObject:
    """A branch, or what it refers to."""
    if branch.__class__ is not dict:
        return {}
    if "$ref" not in branch:
        return branch
    meant = site.run.target(branch["$ref"])
    return {**(meant if meant.__class__ is dict else {}), **without(branch, "$ref")}


def _words(said: JsonObject, meant: JsonObject) -> JsonObject:
    """Title and description of a branch: its own, behind what is said of all of them."""
    made: JsonObject = {}
    if "title" in said:
        made["title"] = meant.get("title", said["title"])
    if text := said.get("description"):
        own = meant.get("description")
        made["description"] = f"{text} {own}" if own and own != text else text
    return made


def _taking(said: JsonObject, branches: list[JsonObject]) -> int | None:
    """The first branch that takes the default."""
    if "default" not in said:
        return None
    value = said["default"]
    for index, branch in enumerate(branches):
        if value is None and (said.get("nullable") or branch.get("nullable")):
            return index
        if branch and judge(branch).accepts(value):
            return index
    return None


STEP = Step(
    id="lone-unions",
    codes=("L247",),
    needed=lambda dialect: dialect.lone_unions,
    meets=lambda _dialect, _kinds, keys: "anyOf" in keys and not keys.isdisjoint(_REMARKS),
    rewrite=rewrite,
    examples=(
        Example(
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
