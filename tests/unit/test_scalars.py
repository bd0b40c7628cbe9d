"""Single values behind references, where a document is too large to be written out."""

import pytest

import toolcanon as tc
from toolcanon.conversion.target import all_dialects
from toolcanon.lowering import lower

SCALARS = {
    "Id": {"type": "string", "description": "an id"},
    "Alias": {"$ref": "#/$defs/Id"},
    "Colour": {"enum": ["red", "green"]},
    "Kind": {"const": "k"},
    "Count": {"type": ["integer", "null"], "minimum": 1},
}
INLINING = [name for name, one in all_dialects().items() if not one.references.keep]
KINDS = 40


def web(kinds):
    """Many kinds of objects, each of which leads to several others, and to every scalar."""
    definitions = dict(SCALARS)
    for one in range(kinds):
        members = {name: {"$ref": f"#/$defs/{name}"} for name in SCALARS}
        members |= {f"to{to}": {"$ref": f"#/$defs/N{(one * 7 + to * 3 + 1) % kinds}"}
                    for to in range(6)}  # fmt: skip
        made = {"type": "object", "properties": members, "required": ["Count"]}
        definitions[f"N{one}"] = made
    members = {f"n{one}": {"$ref": f"#/$defs/N{one}"} for one in range(5)}
    members |= {name: {"$ref": f"#/$defs/{name}"} for name in SCALARS}
    return {**made, "properties": members, "$defs": definitions}


def as_text(node, name=""):
    """The names of members that travel as JSON text."""
    if isinstance(node, dict):
        if "as JSON text" in str(node.get("description")):
            yield name
        for key, value in node.items():
            yield from as_text(value, key)
    elif isinstance(node, list):
        for value in node:
            yield from as_text(value, name)


@pytest.mark.parametrize("name", INLINING)
def test_scalars_behind_references_never_become_text(name):
    found = list(as_text(lower(web(KINDS), all_dialects()[name]).schema))
    assert found  # it was too large
    assert not set(found) & SCALARS.keys()


def test_scalars_behind_references_travel_as_they_are():
    tool = tc.CanonicalTool(name="f", inputs=web(KINDS))
    bound = tc.bind(tool, "gemini", dialect="gemini/openapi")
    given = {"Id": "x", "Alias": "y", "Colour": "red", "Kind": "k", "Count": 3}
    assert bound.render("f", given)[1] == given
    assert bound.restore("f", given).arguments == given
