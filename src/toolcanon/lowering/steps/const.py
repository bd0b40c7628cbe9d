"""const becomes an enum of one.

Why: several targets know enum and not const.
Tag: EXACT.
"""

from __future__ import annotations

from toolcanon.dialect import Support
from toolcanon.jsonio.types import JsonObject
from toolcanon.lowering.step import Example, Site, Step


def rewrite(node: JsonObject, site: Site) -> JsonObject:
    value = node["const"]
    dialect = site.dialect
    if dialect.support("const") is not Support.REJECTED and value.__class__ not in (dict, list):
        return node
    site.lose("L212", "const", value, None)
    out: JsonObject = {}
    for key, held in node.items():
        if key == "const":
            out["enum"] = [value]
        elif key != "enum":
            out[key] = held
    site.rename(node, "const", "enum")
    return out


STEP = Step(
    id="const-as-enum",
    codes=("L212",),
    needed=lambda dialect: dialect.support("const") is Support.REJECTED or dialect.enum_primitives,
    meets=lambda _dialect, _kinds, keys: "const" in keys,
    rewrite=rewrite,
    examples=(
        Example(
            before={"type": "string", "const": "a"},
            after={"type": "string", "enum": ["a"]},
            args="a",
            wire_args="a",
            dialect="keywords.const=REJECTED",
        ),
    ),
)
