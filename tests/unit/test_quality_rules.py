"""The rules of quality: what each finds, where, and what it leaves alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolcanon as tc
from tests.tables import table
from toolcanon.checking.rules import rules
from toolcanon.ir.walk import ToolView

QUALITY = {code: rule for code, rule in rules().items() if code.startswith("Q")}


def tool(name="look_up", description="Looks a thing up by its number.", **inputs):
    return tc.CanonicalTool(name=name, description=description, inputs=inputs)


def with_parameters(**members):
    return tool(type="object", properties=members)


def hits(code, *tools):
    """(pointer, level) of what one rule finds in tools that come together."""
    rule, subjects = QUALITY[code], [ToolView(one) for one in tools]
    found = [hit for one in subjects for hit in (rule.look(one) if rule.look else ())]
    found += [hit for _, hit in (rule.compare(subjects) if rule.compare else ())]
    return found


def places(code, *tools):
    return [str(hit.at) for hit in hits(code, *tools)]


def text(description, **more):
    return {"type": "string", "description": description, **more}


@table("code", QUALITY)
def test_the_wrong_is_found_and_the_right_is_not(code):
    rule = QUALITY[code]
    wrong, right = (
        [tc.read(one, source="mcp" if "name" in one else None)[0] for one in side]
        for side in (rule.wrong, rule.right)
    )
    if rule.compare:
        assert hits(code, *wrong)
    else:
        assert all(hits(code, one) for one in wrong)
    assert hits(code, *right) == []


@table(
    ("name", "description", "level"),
    [
        ("get_user", "Get user", "info"),
        ("get_user", "Gets the users.", "info"),
        ("getUser", "This tool gets a user", "info"),
        ("get_user", "Get user by e-mail", None),
        ("get_user", "Deletes the user", None),
        ("get_user", "获取用户", None),
        ("sync", "todo", "warning"),
        ("sync", "  TBD. ", "warning"),
        ("sync", "...", "warning"),
        ("sync", "No description provided.", "warning"),
        ("sync", "Test the synchronisation", None),
        ("sync", "", None),
    ],
)
def test_descriptions_that_say_nothing(name, description, level):
    rule = QUALITY["Q102"]
    found = hits("Q102", tool(name, description))
    assert [hit.level or rule.level for hit in found] == ([] if level is None else [level])


@pytest.mark.parametrize("description", ["", "  \n"])
def test_missing_descriptions(description):
    assert places("Q101", tool(description=description)) == ["/description"]


def test_only_functions_need_a_description():
    builtin = tc.CanonicalTool(name="web_search", kind=tc.Kind.BUILTIN)
    assert places("Q101", builtin) == []


@pytest.mark.parametrize(
    ("members", "found"),
    [
        ({"a": {"type": "string"}}, ["/inputs/properties/a"]),
        ({"a": {"type": "string"}, "b": {}}, ["/inputs/properties"]),
        ({"a": {"type": "string", "title": "A"}}, ["/inputs/properties/a"]),
        ({"a": {"enum": ["x"]}, "b": {"const": 1}}, []),
        ({"a": {"$ref": "#/$defs/Told"}}, []),
        ({"a": {"$ref": "#/$defs/Silent"}}, ["/inputs/properties/a"]),
        ({"a": {"anyOf": [{"$ref": "#/$defs/Told"}, {"type": "null"}]}}, []),
        ({"a": True}, ["/inputs/properties/a"]),
    ],
)
def test_undescribed_parameters(members, found):
    told = {"Told": {"type": "string", "description": "A name."}, "Silent": {"type": "string"}}
    one = tool(type="object", properties=members, **{"$defs": told})
    assert places("Q103", one) == found


@table(
    ("description", "values"),
    [
        ("Must be 'asc' or 'desc'.", ["asc", "desc"]),
        ('"buy" or "sell".', ["buy", "sell"]),
        ("Unit: 'hour', 'day', or 'month'", ["hour", "day", "month"]),
        ("Action (`get`, `set`)", ["get", "set"]),
        ("One of: pending, in_progress, done", ["pending", "in_progress", "done"]),
        ("Allows one of following : 5m|15m|1h", ["5m", "15m", "1h"]),
        ("Either major or minor.", ["major", "minor"]),
        ("Allowed values: a, b or c.", ["a", "b", "c"]),
        ("A city, e.g. 'Rome' or 'Paris'", None),
        ("Cities such as 'Rome', 'Paris'", None),
        ("Options: 'Rome', 'Paris', etc.", None),
        ("One of: a, b, c and others", None),
        ("An integer, 'none' or 'any'", None),
        ("Values: 'a', 'b' or any other text", None),
        ("For text: any. For checkbox: 'true' or 'false'", None),
        ("Fields, comma separated: 'a', 'b'", None),
        ("Say 'please' and 'thanks' to be polite", None),
        ("Either a name or the number of a row", None),
        ("One of: in progress, done", None),
        ("Module: 'os.path' or 'sys'", None),
        ("The only value is 'a'", None),
    ],
)
def test_enums_in_prose(description, values):
    found = hits("Q104", with_parameters(p=text(description)))
    mended = [hit.fix.after for hit in found]
    assert [schema["enum"] for schema in mended] == ([] if values is None else [values])
    assert all(hits("Q104", with_parameters(p=schema)) == [] for schema in mended)
    for hit in found:
        assert '"enum"' in hit.remedy
        assert not hit.fix.is_safe


@pytest.mark.parametrize(
    "more",
    [{"enum": ["a", "b"]}, {"pattern": "a|b"}, {"type": "integer"}, {"default": "c"}],
)
def test_enums_in_prose_are_left_alone_where_the_schema_states_more(more):
    assert hits("Q104", with_parameters(p=text("One of: a, b") | more)) == []


@table(
    ("schema", "level"),
    [
        ({"type": "integer", "default": "1"}, "warning"),
        ({"type": "integer", "default": 1.0}, None),
        ({"type": "string", "enum": ["a"], "default": "b"}, "warning"),
        ({"type": "integer", "minimum": 5, "default": 1}, "warning"),
        ({"type": "string", "default": None}, "info"),
        ({"type": ["string", "null"], "default": None}, None),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}, None),
        ({"$ref": "#/$defs/Small", "default": 11}, "warning"),
        ({"$ref": "#/$defs/Small", "default": 1}, None),
        ({"$ref": "#/$defs/Nowhere", "default": 1}, None),
        ({"type": "array", "items": {"type": "string"}, "default": [1]}, "warning"),
        ({"type": "colour", "default": 1}, None),
        ({"default": {}}, None),
        ({"type": "string", "pattern": "(?<=a)b", "default": "x"}, None),
    ],
)
def test_defaults(schema, level):
    one = tool(type="object", properties={"p": schema}, **{"$defs": {"Small": {"maximum": 9}}})
    found = hits("Q105", one)
    assert [hit.level or "warning" for hit in found] == ([] if level is None else [level])
    assert all(str(hit.at) == "/inputs/properties/p/default" for hit in found)


def test_null_defaults_are_reported_once():
    members = {name: {"type": "string", "default": None} for name in "abc"}
    (hit,) = hits("Q105", with_parameters(**members))
    assert "2 more" in hit.message


def test_examples_of_members_and_of_calls():
    schema = {"type": "object", "properties": {"n": {"type": "integer", "examples": [1, "x"]}}}
    one = tc.CanonicalTool(name="f", inputs=schema, examples=[{"n": 1}, {"n": "x"}])
    assert places("Q106", one) == ["/inputs/properties/n/examples/1", "/examples/1"]


def test_duplicates_and_shared_descriptions_are_distinguished():
    first, again = tool("a", type="object"), tool("b", type="object")
    other = tool("c", type="object", properties={"n": {}})
    assert places("Q107", first, again, other) == ["/name"]
    assert places("Q108", first, again, other) == ["/description"]
    assert places("Q107", first, tool("b", "Something else.", type="object")) == []
    assert places("Q107", tool("a", ""), tool("b", "")) == []


@pytest.mark.parametrize(
    ("schema", "is_found"),
    [
        ({}, True),
        (True, True),
        ({"description": "A thing.", "title": "T", "default": 1}, True),
        ({"enum": [1]}, False),
        ({"$ref": "#/$defs/T"}, False),
        ({"anyOf": [{"type": "string"}]}, False),
        ({"items": {}}, False),
    ],
)
def test_untyped_parameters(schema, is_found):
    assert bool(hits("Q110", with_parameters(p=schema))) is is_found


def test_a_branch_need_not_repeat_the_type():
    one = tool(properties={"p": {"type": "string"}}, anyOf=[{"properties": {"p": {}}}])
    assert hits("Q110", one) == []


@pytest.mark.parametrize(
    ("name", "schema", "is_found"),
    [
        ("data", {"type": "object"}, True),
        ("Params", {"type": "object", "additionalProperties": True}, True),
        ("value", {"type": "string", "title": "Value"}, True),
        ("value", {"type": "number"}, False),
        ("data", text("Rows to add."), False),
        ("data", {"type": "object", "properties": {"a": {}}}, False),
        ("city", {"type": "string"}, False),
    ],
)
def test_vague_parameters(name, schema, is_found):
    assert bool(hits("Q111", with_parameters(**{name: schema}))) is is_found
    nested = {"type": "object", "properties": {name: schema}}
    assert hits("Q111", with_parameters(user=nested)) == []


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"properties": {"a": {}}, "required": ["a", "b"]}, ["/inputs/required/1"]),
        ({"required": ["b"]}, []),
        ({"properties": {"a": {}}, "required": ["b"], "patternProperties": {"b": {}}}, []),
        ({"properties": {"a": {}}, "required": ["b"], "allOf": [{"properties": {"b": {}}}]}, []),
        ({"properties": {"a": {}}, "anyOf": [{"properties": {}, "required": ["a"]}]}, []),
    ],
)
def test_required_and_undeclared(schema, found):
    assert places("Q112", tool(type="object", **schema)) == found


@pytest.mark.parametrize(
    ("definitions", "member", "rest"),
    [
        ({"A": {"type": "string"}}, {}, None),
        ({"A": {"$ref": "#/$defs/B"}, "B": {}, "C": {}}, {"$ref": "#/$defs/A"}, {"A", "B"}),
        ({"A": {"$ref": "#/$defs/A"}, "B": {}}, {"$ref": "#/$defs/B"}, {"B"}),
        ({"A": {}}, {"$ref": "#/$defs/A"}, "all"),
        ({"A": {"$anchor": "a"}}, {"$ref": "#a"}, "all"),
        ({"A": {"properties": {"x": {}}}}, {"$ref": "#/$defs/A/properties/x"}, "all"),
        ({"A": {}}, {"$ref": "#/%24defs/A"}, "all"),
        ({"A": {}}, {"$dynamicRef": "#A"}, "all"),
    ],
)
def test_unused_definitions(definitions, member, rest):
    one = tool(type="object", properties={"p": member}, **{"$defs": definitions})
    found = hits("Q113", one)
    if rest == "all":
        assert found == []
        return
    (hit,) = found
    assert hit.fix.is_safe
    assert hit.fix.is_removal is (rest is None)
    assert rest is None or set(hit.fix.after) == rest


def test_lengths_depths_and_numbers():
    deep = {"type": "object"}
    for _ in range(6):
        deep = {"type": "object", "properties": {"part": deep}}
    assert len(places("Q119", tool(**deep))) == 1
    assert places("Q119", tool(**deep["properties"]["part"])) == []
    assert places("Q109", with_parameters(**{f"p{n}": {} for n in range(26)})) != []
    assert places("Q109", with_parameters(**{f"p{n}": {} for n in range(25)})) == []
    long = with_parameters(p=text("x" * 1025))
    assert places("Q114", long) == ["/inputs/properties/p/description"]
    assert places("Q114", tool(description="x" * 4097)) == ["/description"]
    assert places("Q114", tool(description="x" * 4096)) == []


@pytest.mark.parametrize(
    ("names", "odd"),
    [
        ("a_b c_d e_f gH", "gH"),
        ("aB cD eF g-h", "g-h"),
        ("a_b c_d e_f list", None),
        ("a_b c_d gH", None),
        ("A_B c_d e_f g_h", None),
        ("a_b c_d e_f g_h", None),
    ],
)
def test_mixed_names(names, odd):
    parameters = hits("Q115", with_parameters(**{name: {} for name in names.split()}))
    together = hits("Q115", *(tool(name) for name in names.split()))
    for found in (parameters, together):
        assert len(found) == (odd is not None)
        assert all(hit.message.endswith(odd) for hit in found)


@table(
    ("schema", "levels"),
    [
        ({"minimum": 2, "maximum": 1}, ["warning"]),
        ({"minimum": 1, "maximum": 1}, []),
        ({"minLength": 3, "maxLength": 2}, ["warning"]),
        ({"minItems": [3], "maxItems": 2}, []),
        ({"type": "string", "enum": [1, 2]}, ["warning"]),
        ({"type": "string", "enum": ["a", 1]}, ["info"]),
        ({"type": "string", "enum": ["a", None]}, []),
        ({"type": ["string", "integer"], "enum": ["a", 1]}, []),
        ({"type": "number", "enum": [1, 2.5]}, []),
        ({"type": "integer", "const": "a"}, ["warning"]),
        ({"type": "colour", "enum": [1]}, []),
    ],
)
def test_contradictions(schema, levels):
    found = hits("Q116", with_parameters(p=schema))
    assert [hit.level or "warning" for hit in found] == levels


@pytest.mark.parametrize(
    ("values", "is_found"),
    [
        (["true", "false"], True),
        (["False", "True"], True),
        ([True, False], False),
        (["true", "false", "auto"], False),
        (["yes", "no"], False),
        (["true", None], False),
    ],
)
def test_booleans_as_texts(values, is_found):
    assert bool(hits("Q117", with_parameters(p={"enum": values}))) is is_found


@pytest.mark.parametrize(
    ("values", "once"),
    [(["a", "b", "a"], ["a", "b"]), ([1, True], None), ([{"x": 1}, {"x": 1}], [{"x": 1}])],
)
def test_repeated_values(values, once):
    found = hits("Q118", with_parameters(p={"enum": values}))
    assert [hit.fix.after for hit in found] == ([] if once is None else [once])
    assert all(hit.fix.is_safe for hit in found)


WORDS = """
type properties required enum const default examples description items anyOf allOf $ref $defs
definitions minimum maximum minLength maxLength additionalProperties title pattern
""".split()
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    LEAVES | st.sampled_from(["string", "object", "#/$defs/a", "One of: a, b", "'x' or 'y'"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*WORDS, "a", "data"]), inner, max_size=5)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(WORDS), JSON, max_size=6), st.text(max_size=20))
def test_no_rule_stumbles_over_odd_schemas(inputs, description):
    one = tc.CanonicalTool(name="f", description=description, inputs=inputs, examples=[inputs, 1])
    before = one.to_dict()
    for code in QUALITY:
        found = hits(code, one, one)
        assert found == hits(code, one, one)
        assert all(hit.message for hit in found)
    assert repr(one.to_dict()) == repr(before)


@pytest.mark.parametrize(
    "description",
    ["'a' or " * 40_000, "one of: " + "a, " * 40_000, "either " * 40_000, "(" * 100_000],
)
def test_long_texts_take_no_time(description):
    one = tool(description=description, type="object", properties={"p": text(description)})
    for code in QUALITY:
        hits(code, one)
