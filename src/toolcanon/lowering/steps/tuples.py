"""A list with a schema for each place becomes an object, or a plain list where all are alike.

Why: the target knows one schema for all items.
Tag: EXACT; WIDENED where several places may be missing, since one of them alone would leave a gap.
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Support
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.step import Example, Op, Site, Step, Trouble, without

_REST: Final = "rest"
_GONE: Final = ("prefixItems", "items", "minItems", "maxItems")


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    prefix: list[Json] = node["prefixItems"]
    rest = node.get("items")
    least, most = node.get("minItems", 0), node.get("maxItems")
    open_end = rest is not None and rest is not False
    # Without a word on the rest anything may follow, but a caller sends what is declared.
    if most is not None and most <= len(prefix):
        prefix, open_end = prefix[: int(most)], False
    site.run.follow()
    out = without(node, *_GONE)
    first = prefix[0] if prefix else {}
    if all(item == first for item in prefix) and (not open_end or rest == first):
        out["items"] = first
        if least:
            out["minItems"] = least
        longest = most if open_end else min(len(prefix), most if most is not None else len(prefix))
        if longest is not None and (open_end or rest is False or most is not None):
            out["maxItems"] = longest
        site.lose("L220", "prefixItems", node["prefixItems"], None)
        return out
    names = [f"item_{number}" for number in range(1, len(prefix) + 1)]
    members: JsonObject = dict(zip(names, prefix, strict=True))
    if open_end:
        members[_REST] = {"type": "array", "items": rest}
        if most is not None:
            members[_REST]["maxItems"] = most - len(prefix)
        if least > len(prefix):
            members[_REST]["minItems"] = least - len(prefix)
    out["type"] = ["object", "null"] if "null" in (node.get("type") or ()) else "object"
    out["properties"] = members
    needed = names[: int(least)]
    if open_end and least > len(prefix):
        needed = [*names, _REST]
    if needed:
        out["required"] = needed
    optional = len(names) - len(needed) + int(open_end)
    gaps = Effect.WIDENED if optional > 1 else Effect.EXACT
    site.lose("L219", "prefixItems", node["prefixItems"], None, gaps)
    details: JsonObject = {"rest": _REST} if open_end else {}
    site.op("tuple", names=names, **details)
    return out


def apply(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    del troubles
    if value.__class__ is not list:
        return value
    names = op["names"]
    out = dict(zip(names, value, strict=False))
    if "rest" in op and len(value) > len(names):
        out[op["rest"]] = value[len(names) :]
    return out


def restore(value: Json, op: JsonObject, troubles: list[Trouble]) -> Json:
    if value.__class__ is not dict:
        return value
    names = op["names"]
    given = [index for index, name in enumerate(names) if name in value]
    rest = value.get(op.get("rest"))
    length = len(names) if rest else max(given, default=-1) + 1
    missing = [name for name in names[:length] if name not in value]
    troubles += [Trouble((name,), "it is missing before places that are there") for name in missing]
    out = [value.get(name) for name in names[:length]]
    return out + rest if rest.__class__ is list else out


STEP = Step(
    id="tuples",
    codes=("L219", "L220"),
    needed=lambda dialect: dialect.support("prefixItems") is Support.REJECTED,
    meets=lambda _dialect, kinds, keys: "prefixItems" in keys and kinds <= {"array", "null"},
    rewrite=rewrite,
    ops=(Op(name="tuple", apply=apply, restore=restore, needs=(("names", list),)),),
    examples=(
        Example(
            before={"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}],
                    "minItems": 2, "items": False},
            after={"type": "object",
                   "properties": {"item_1": {"type": "string"}, "item_2": {"type": "integer"}},
                   "required": ["item_1", "item_2"]},
            args=["a", 1],
            wire_args={"item_1": "a", "item_2": 1},
            dialect="keywords.prefixItems=REJECTED",
        ),
    ),
)  # fmt: skip
