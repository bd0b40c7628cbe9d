"""Calls come back as the tool's own, from what models really send, in this process or another."""

import copy
import json
import subprocess
import sys
import time

import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.calls.repair_arguments import mended
from toolcanon.conversion.verify import verify
from toolcanon.errors import AmbiguousCall, BadReceipt, UnknownTool, UsageError

TEXT, WHOLE, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
SCHEMA = {
    "type": "object",
    "properties": {
        "city": TEXT,
        "days": WHOLE,
        "rate": {"type": "number"},
        "loud": FLAG,
        "tags": {"type": "array", "items": TEXT},
        "where": {"type": "object", "properties": {"x": WHOLE, "note": TEXT}, "required": ["x"]},
        "counts": {"type": "object", "additionalProperties": WHOLE},
        "may": {"type": ["string", "null"]},
        "either": {"anyOf": [WHOLE, TEXT]},
    },
    "required": ["city"],
    "additionalProperties": False,
}
TOOL = tc.CanonicalTool(name="weather", description="The weather.", inputs=SCHEMA)
TARGETS = [
    "openai", "openai/strict", "openai-responses", "openai-responses/strict", "anthropic",
    "anthropic/strict", "gemini", "gemini/openapi", "bedrock", "bedrock/strict", "mcp", "langchain",
]  # fmt: skip


def bound(dialect="openai", tool=TOOL):
    return tc.bind(tool, dialect.partition("/")[0], dialect=dialect)


def restored(sent, dialect="openai", tool=TOOL):
    binding = bound(dialect, tool)
    before = copy.deepcopy(sent)
    found = binding.restore(binding.names[tool.id], sent)
    assert sent == before, "must not be changed"
    return found


# What is sent, what it means, and the repairs told.
SENT = [
    ({"city": "Rome"}, {"city": "Rome"}, []),
    ('{"city": "Rome", "days": 3}', {"city": "Rome", "days": 3}, []),
    (b'{"city": "Rome"}', {"city": "Rome"}, []),
    ('"{\\"city\\": \\"Rome\\"}"', {"city": "Rome"}, ["R001"]),
    (json.dumps(json.dumps(json.dumps({"city": "Rome"}))), {"city": "Rome"}, ["R001", "R001"]),
    ({"city": "Rome", "days": None}, {"city": "Rome"}, ["R003"]),
    ({"city": "A", "where": {"x": 1, "note": None}}, {"city": "A", "where": {"x": 1}}, ["R003"]),
    ({"city": "Rome", "may": None}, {"city": "Rome", "may": None}, []),
    ({"city": "Rome", "days": "3"}, {"city": "Rome", "days": 3}, ["R004"]),
    ({"city": "Rome", "rate": "0.5"}, {"city": "Rome", "rate": 0.5}, ["R004"]),
    ({"city": "Rome", "rate": "-1e2"}, {"city": "Rome", "rate": -100.0}, ["R004"]),
    ({"city": "Rome", "loud": "True"}, {"city": "Rome", "loud": True}, ["R004"]),
    ({"city": "Rome", "loud": "false"}, {"city": "Rome", "loud": False}, ["R004"]),
    ({"city": 12}, {"city": "12"}, ["R005"]),
    ({"city": True}, {"city": "true"}, ["R005"]),
    ({"city": "Rome", "tags": [1, "b"]}, {"city": "Rome", "tags": ["1", "b"]}, ["R005"]),
    ({"city": "Rome", "tags": '["a", "b"]'}, {"city": "Rome", "tags": ["a", "b"]}, ["R002"]),
    ({"city": "Rome", "where": '{"x": 1}'}, {"city": "Rome", "where": {"x": 1}}, ["R002"]),
    ({"city": "A", "where": '{"x": "1"}'}, {"city": "A", "where": {"x": 1}}, ["R002", "R004"]),
    ({"city": "Rome", "counts": {"a": "1"}}, {"city": "Rome", "counts": {"a": 1}}, ["R004"]),
    # Text that looks like something else is text where text is wanted.
    ({"city": '{"x": 1}'}, {"city": '{"x": 1}'}, []),
    ({"city": "null"}, {"city": "null"}, []),
    ({"city": "12", "either": "12"}, {"city": "12", "either": "12"}, []),
]  # fmt: skip


@table("sent, meant, repairs", SENT)
def test_what_models_send_is_repaired_and_reported(sent, meant, repairs):
    found = restored(sent)
    assert found.ok, found.message
    assert found.arguments == meant
    assert [item.code for item in found.repairs] == repairs
    assert found.name == "weather"
    assert found.message == ""


def test_what_is_named_among_the_values_stays_though_it_is_of_another_type():
    node = {"type": "integer", "enum": ["1", "any"]}
    repairs = []
    assert mended({"a": "1"}, {"type": "object", "properties": {"a": node}}, repairs) == {"a": "1"}
    assert repairs == []


@table("target", TARGETS)
@table("sent, meant, repairs", SENT)
def test_any_target_means_the_same(target, sent, meant, repairs):
    """The call as that target would have written it comes back whole, also as text."""
    binding = bound(target)
    name, wire = binding.render("weather", meant)
    for form in (wire, json.dumps(wire), json.dumps(json.dumps(wire))):
        found = binding.restore(name, form)
        assert found.ok, found.message
        assert found.arguments == meant


# What cannot be mended: it is refused, with words for the model.
REFUSED = [
    ({}, "city"),
    ({"city": None}, "null"),
    ({"city": "Rome", "days": "three"}, "/days"),
    ({"city": "Rome", "days": "3.5"}, "/days"),
    ({"city": "Rome", "days": 1.5}, "/days"),
    ({"city": "Rome", "loud": "yes"}, "/loud"),
    ({"city": "Rome", "where": {"note": "n"}}, "/where"),
    ({"city": "Rome", "where": "[1]"}, "/where"),
    ({"city": "Rome", "nonsense": 1}, "nonsense"),
    ({"city": ["Rome"]}, "/city"),
    ([], "object"),
    (5, "object"),
]


@table("sent, says", REFUSED)
def test_problems_are_worded_for_the_model(sent, says):
    found = restored(sent)
    assert not found.ok
    assert says in found.message
    assert found.message.startswith("The arguments of weather cannot be used:")
    assert found.message.endswith("Correct them and call the tool again.")
    assert json.loads(json.dumps(found.to_dict()))["problems"]


@pytest.mark.parametrize(
    "sent", ["not json", '{"city": "Ro', "{'city': 'Rome'}", "", "  ", None, b"\xff"]
)
def test_garbage_never_becomes_an_empty_object(sent):
    found = restored(sent)
    assert found.arguments is None
    assert not found.ok
    assert "send a JSON object" in found.message
    assert found.repairs == ()


def tool(**members):
    required = members.pop("required", [])
    more = members.pop("more", {})
    inputs = {"type": "object", "properties": members, "required": required, **more}
    return tc.CanonicalTool(name="f", inputs=inputs)


def thing(**members):
    """An object with members, those with a star required."""
    required = [name.removesuffix("_") for name in members if name.endswith("_")]
    table = {name.removesuffix("_"): schema for name, schema in members.items()}
    return {"type": "object", "properties": table, "required": required}


KINDS = [
    thing(kind_={"const": "a"}, n_=WHOLE, note=TEXT),
    thing(kind_={"enum": ["b", "c"]}, m_={"type": "object", "additionalProperties": WHOLE}),
    {"$ref": "#/$defs/D"},
]
UNION = {"$ref": "#/$defs/U"}
DEFS = {
    "D": {"allOf": [thing(kind_={"$ref": "#/$defs/Word"}), {"$ref": "#/$defs/Sized"}]},
    "Word": {"type": "string", "const": "d"},
    "Sized": thing(
        size_={"type": "number"}, kids={"type": "array", "items": {"$ref": "#/$defs/U"}}
    ),
    "U": {"anyOf": KINDS},
}
TOLD_APART = tool(x={"oneOf": KINDS}, more={"$defs": DEFS})
BY_MEMBERS = tool(x={"anyOf": [
    {**thing(n_=WHOLE, note=TEXT), "additionalProperties": False},
    {**thing(m_=FLAG, note=WHOLE), "additionalProperties": False},
    thing(q_=TEXT),
]})  # fmt: skip
BASED = tool(x={**thing(n=WHOLE, m=WHOLE), "anyOf": [{"required": ["n"]}, {"required": ["m"]}]})
PARTS = tool(x={"allOf": [{"$ref": "#/$defs/Q"}, thing(t=FLAG)], "required": ["n"]},
             more={"$defs": {"Q": thing(n=WHOLE, s=TEXT)}})  # fmt: skip
TUPLE = tool(x={"type": "array", "prefixItems": [WHOLE, TEXT], "items": FLAG})
ENDLESS = tool(x={"$ref": "#/$defs/E"}, more={"$defs": {"E": {"anyOf": [
    WHOLE, {"type": "array", "items": {"$ref": "#/$defs/E"}}]}}})  # fmt: skip

# A tool, what is sent as x, what it means, and the repairs told.
BRANCHES = [
    (TOLD_APART, {"kind": "a", "n": "5"}, {"kind": "a", "n": 5}, ["R004 /x/n"]),
    (TOLD_APART, {"kind": "a", "n": 5, "note": None}, {"kind": "a", "n": 5}, ["R003 /x/note"]),
    (TOLD_APART, {"kind": "c", "m": {"k": "1"}}, {"kind": "c", "m": {"k": 1}}, ["R004 /x/m/k"]),
    (TOLD_APART, {"kind": "c", "m": '{"k": 1}'}, {"kind": "c", "m": {"k": 1}}, ["R002 /x/m"]),
    (TOLD_APART, '{"kind": "a", "n": "5"}', {"kind": "a", "n": 5}, ["R002 /x", "R004 /x/n"]),
    (TOLD_APART, {"kind": "d", "size": "1.5"}, {"kind": "d", "size": 1.5}, ["R004 /x/size"]),
    (TOLD_APART, {"kind": "d", "size": 1, "kids": [{"kind": "a", "n": "5"}]},
     {"kind": "d", "size": 1, "kids": [{"kind": "a", "n": 5}]}, ["R004 /x/kids/0/n"]),
    (BY_MEMBERS, {"n": "5", "note": None}, {"n": 5}, ["R004 /x/n", "R003 /x/note"]),
    (BY_MEMBERS, {"m": "true", "note": "7"}, {"m": True, "note": 7},
     ["R004 /x/m", "R004 /x/note"]),
    (BY_MEMBERS, {"q": 5, "n": "5"}, {"q": "5", "n": "5"}, ["R005 /x/q"]),
    (BASED, {"n": "5", "m": None}, {"n": 5}, ["R004 /x/n", "R003 /x/m"]),
    (PARTS, {"n": "5", "s": None, "t": "true"}, {"n": 5, "t": True},
     ["R004 /x/n", "R003 /x/s", "R004 /x/t"]),
    (TUPLE, ["1", 2, "true", "false"], [1, "2", True, False],
     ["R004 /x/0", "R005 /x/1", "R004 /x/2", "R004 /x/3"]),
    (ENDLESS, [["5"], "6"], [[5], 6], ["R004 /x/0/0", "R004 /x/1"]),
]  # fmt: skip


@table("own, sent, meant, repairs", BRANCHES)
def test_repairs_reach_into_branches_parts_and_places(own, sent, meant, repairs):
    found = restored({"x": sent}, tool=own)
    assert found.ok, found.message
    assert found.arguments == {"x": meant}
    assert [f"{item.code} {item.at}" for item in found.repairs] == repairs
    again = restored(found.arguments, tool=own)
    assert (again.arguments, again.repairs) == (found.arguments, ())
    receipt = bound(tool=own).receipt()
    assert tc.Binding.from_receipt(receipt).restore("f", {"x": sent}) == found


@table("target", ["openai/strict", "gemini/openapi", "anthropic/strict"])
@table("own, sent, meant, repairs", BRANCHES)
def test_branches_are_repaired_whatever_the_target_saw(target, own, sent, meant, repairs):
    found = restored({"x": sent}, target, own)
    assert not found.ok or found.arguments == {"x": meant}
    binding = bound(target, own)
    wire = binding.render("f", {"x": meant})[1]
    assert binding.restore("f", wire).arguments == {"x": meant}


# Where several branches may be meant, or none, nothing changes.
UNCERTAIN = [
    (TOLD_APART, {"kind": "z", "n": "5"}),
    (TOLD_APART, {"kind": "a", "n": "five"}),
    (TOLD_APART, {"n": "5"}),
    (tool(x={"anyOf": [thing(n_=WHOLE, p_=FLAG), thing(n_=FLAG, p_=WHOLE)]}), {"n": "5", "p": "6"}),
    (PARTS, {"n": None}),
]


@pytest.mark.parametrize("own, sent", UNCERTAIN)
def test_what_may_mean_several_things_is_refused_as_it_came(own, sent):
    found = restored({"x": sent}, tool=own)
    assert not found.ok
    assert found.arguments == {"x": sent}
    assert found.repairs == ()


def test_what_a_repair_uncovers_is_reported():
    found = restored({"o": '{"c": 1}'}, tool=tool(o=thing(a_=WHOLE, b_=TEXT)))
    assert [item.code for item in found.repairs] == ["R002"]
    assert {str(problem.at) for problem in found.problems} == {"/o"}
    assert '"a" is a required property' in found.message
    assert '"b" is a required property' in found.message


def hostile():
    whole = {"type": "object", "properties": {"n": WHOLE}}
    for word in ("allOf", "anyOf"):
        ways = {f"d{i}": {word: [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(60)}
        yield {"$ref": "#/$defs/d0"}, {**ways, "d60": whole}, {"n": "5"}
        long = {f"d{i}": {word: [{"$ref": f"#/$defs/d{i + 1}"}]} for i in range(20_000)}
        yield {"$ref": "#/$defs/d0"}, {**long, "d20000": whole}, {"n": "5"}
    ring = {
        f"d{i}": {
            "anyOf": [
                *({"$ref": f"#/$defs/d{j}"} for j in range(i + 1, 20)),
                thing(**{f"k{i}": {"$ref": "#/$defs/d0"}}),
            ]
        }
        for i in range(20)
    }
    deep = "5"
    for _ in range(150):
        deep = {"k7": deep}
    yield {"$ref": "#/$defs/d0"}, ring, deep
    many = [thing(kind={"const": i}, **{f"m{i}": WHOLE}) for i in range(190)]
    yield {"type": "array", "items": {"anyOf": many}}, {}, [{f"m{i}": "5"} for i in range(3_000)]
    product = [{"anyOf": [thing(**{f"a{i}{j}": WHOLE}) for j in range(10)]} for i in range(10)]
    yield {"allOf": product}, {}, {"a00": "5"}
    below = [{"$ref": f"#/$defs/d{i + 1}"} for i in range(60)]
    stairs = {f"d{i}": {"anyOf": [b, {"allOf": [thing(k=b)]}]} for i, b in enumerate(below)}
    yield {"$ref": "#/$defs/d0"}, {**stairs, "d60": WHOLE}, {"k": {"k": {"k": "x"}}}


@pytest.mark.parametrize("schema, defs, value", list(hostile()))
def test_repairing_ends(schema, defs, value):
    root = {"type": "object", "properties": {"x": schema}, "$defs": defs}
    repairs, same = [], []
    began = time.process_time()
    found = mended({"x": value}, root, repairs)
    assert time.process_time() - began < 3
    assert mended({"x": value}, root, same) == found
    assert same == repairs


ODD = [
    {"$ref": "https://a.test/x.json"}, {"$ref": "#/nowhere"}, {"type": "colour"}, {"items": None},
    {"type": []}, {"allOf": []}, {"description": 5}, {"maxLength": -1}, {"required": "a"},
    {"not": {"type": "colour"}}, {"$id": "#foo"}, {"$ref": "#/properties/odd"}, None,
]  # fmt: skip


@table("odd", ODD)
@table("target", ["openai", "openai/strict", "anthropic", "gemini/openapi"])
def test_one_odd_member_leaves_the_others_validated_and_repaired(odd, target):
    own = tool(odd=odd, n=WHOLE, r=TEXT, required=["r"])
    bad = restored({"n": "zz"}, target, own)
    assert {str(problem.at) for problem in bad.problems} >= {"", "/n"}
    good = restored({"n": "5", "r": "x"}, target, own)
    assert good.ok, good.message
    assert good.arguments == {"n": 5, "r": "x"}
    again = tc.Binding.from_receipt(bound(target, own).receipt())
    assert again.restore("f", {"n": "zz"}) == bad


BARE = tool(u={"type": ["integer", "null"]}, w={}, required=[])
TAGGED = tool(
    un={"anyOf": [{"type": "object", "additionalProperties": WHOLE},
                  {"type": "array", "items": FLAG}]}, required=["un"])  # fmt: skip


@pytest.mark.parametrize(
    "own, sent, meant, repairs",
    [
        (BARE, {"u": 5}, {"u": 5}, ["R007 /u"]),
        (BARE, {"u": "5"}, {"u": 5}, ["R004 /u", "R007 /u"]),
        (BARE, {"u": {"value": 5}}, {"u": 5}, []),
        (BARE, {"u": {"value": None}}, {"u": None}, []),
        (BARE, {"u": None}, {}, []),
        (BARE, {"w": [1]}, {"w": [1]}, ["R007 /w"]),
        (TAGGED, {"un": {"k": 1}}, {"un": {"k": 1}}, ["R007 /un"]),
        (TAGGED, {"un": {"k": "1"}}, {"un": {"k": 1}}, ["R004 /un/k", "R007 /un"]),
    ],
)
def test_a_value_in_the_tools_own_shape_is_accepted_and_reported(own, sent, meant, repairs):
    found = restored(sent, "openai/strict", own)
    assert found.ok, found.message
    assert found.arguments == meant
    assert [f"{item.code} {item.at}" for item in found.repairs] == repairs


def test_a_value_that_fits_neither_shape_is_a_problem():
    found = restored({"u": "x"}, "openai/strict", BARE)
    assert {problem.keyword for problem in found.problems} == {"shape", "type"}


def test_what_the_way_back_had_to_leave_out_is_always_a_problem():
    """An entry without a key is gone from what is restored, which then fits and is not meant."""
    own = tool(counts={"type": "object", "additionalProperties": WHOLE}, n=WHOLE)
    for more in ({}, {"n": "5"}):
        found = restored({"counts": [{"value": 1}], **more}, "openai/strict", own)
        assert [problem.keyword for problem in found.problems] == ["shape"]


@pytest.mark.parametrize("number", [2**63, 2**64, 2**70, -(2**70), 10**100])
def test_integers_are_never_rounded(number):
    own = tool(x=WHOLE, o={})
    text = f'{{"x": {number}, "o": [{number}]}}'
    for target in TARGETS:
        binding = bound(target, own)
        wire = binding.render("f", json.loads(text))[1]
        for sent in (wire, json.dumps(wire), json.dumps(wire).encode()):
            assert repr(binding.restore("f", sent).arguments) == repr(json.loads(text)), target
    assert repr(restored(json.dumps(text), tool=own).arguments["x"]) == str(number)


def test_the_model_gets_the_names_it_knows():
    own = tool(**{"a b": TEXT, "l": {"type": "array", "items": thing(**{"c d_": WHOLE})}},
               required=["a b"])  # fmt: skip
    binding = bound("anthropic", own)
    names = binding.payload["input_schema"]["properties"]
    assert "a_b" in names
    missing = binding.restore("f", {})
    assert '"a b" is a required property (write "a_b" for "a b")' in missing.message
    assert [problem.message for problem in missing.problems] == ['"a b" is a required property']
    wrong = binding.restore("f", {"a_b": [1]})
    assert "- /a_b: " in wrong.message
    assert [str(problem.at) for problem in wrong.problems] == ["/a b"]
    again = tc.Binding.from_receipt(binding.receipt())
    assert again.restore("f", {}).message == missing.message
    assert restored({}, "openai", own).said == ()


def test_messages_are_short_and_harmless():
    inputs = {"type": "object", "additionalProperties": WHOLE}
    sent = {f"m{number}": "\x1b[31m" + "x" * 5000 for number in range(50)}
    message = restored(sent, tool=tc.CanonicalTool(name="f", inputs=inputs)).message
    assert len(message) < 4000
    assert "\x1b" not in message
    assert "more" in message.splitlines()[-2]


EMPTY = [{}, {"type": "object"}, {"type": "object", "properties": {}}]


@table("inputs", EMPTY)
@table("sent", ["", " ", None, "{}", {}, b""])
@table("target", TARGETS)
def test_a_tool_without_parameters_takes_nothing_for_none(target, sent, inputs):
    found = restored(sent, target, tc.CanonicalTool(name="ping", inputs=inputs))
    assert found.ok, found.message
    assert found.arguments == {}
    assert [item.code for item in found.repairs] == ([] if sent in ("{}", {}) else ["R006"])


def test_unused_options_of_strict_mode_come_back_as_absent():
    found = restored({**dict.fromkeys(SCHEMA["properties"]), "city": "Rome"}, "openai/strict")
    assert found.arguments == {"city": "Rome"}
    assert found.repairs == ()


def test_a_free_text_tool_takes_text():
    tool = tc.read({"type": "custom", "custom": {"name": "run"}}, source="openai")[0]
    for target in ("openai", "anthropic"):
        binding = tc.bind(tool, target)
        name, wire = binding.render("run", "ls -l")
        found = binding.restore(name, wire)
        assert found.ok, found.message
        assert found.arguments == "ls -l"


def test_unknown_tools_are_named_with_advice():
    binding = tc.bind([TOOL, tc.CanonicalTool(name="news")], "openai")
    for ask in (binding.restore, binding.render):
        with pytest.raises(UnknownTool, match="weather") as caught:
            ask("wether", {})
        assert "did you mean" in str(caught.value).lower()
    with pytest.raises(UnknownTool):
        binding.tool_choice("nothing-like-it")


def test_other_names_go_there_and_come_back():
    tool = tc.CanonicalTool(name="get weather!", namespace="home", inputs={"type": "object"})
    for target in ("openai", "anthropic", "gemini", "bedrock"):
        binding = tc.bind(tool, target)
        wire = binding.names[tool.id]
        assert wire != tool.id
        assert binding.needs_restore
        assert binding.restore(wire, {}).name == tool.id
        assert binding.render(tool.id, {}) == (wire, {})


# From a receipt, in a process that never saw the tools.

CHILD = """
import json, sys
import toolcanon as tc
given = json.load(sys.stdin)
binding = tc.Binding.from_receipt(given["receipt"])
found = [binding.restore(name, sent).to_dict() for name, sent in given["calls"]]
print(json.dumps({"restored": found, "names": binding.names,
                  "choice": binding.tool_choice("weather"), "receipt": binding.receipt()}))
"""


def test_a_receipt_works_in_another_process():
    for target in ("openai/strict", "gemini/openapi"):
        binding = bound(target)
        wire_name = binding.names["weather"]
        sent = [meant for _, meant, _ in SENT]
        calls = [(wire_name, binding.render("weather", value)[1]) for value in sent]
        calls += [(wire_name, "garbage"), (wire_name, {"days": []})]
        receipt = binding.receipt()
        done = subprocess.run(
            [sys.executable, "-c", CHILD],
            input=json.dumps({"receipt": receipt, "calls": calls}),
            capture_output=True,
            text=True,
            check=True,
        )
        told = json.loads(done.stdout)
        assert told["restored"] == [binding.restore(*call).to_dict() for call in calls]
        assert told["names"] == binding.names
        assert told["choice"] == binding.tool_choice("weather")
        assert told["receipt"] == receipt


def test_a_binding_from_a_receipt_has_no_payload():
    again = tc.Binding.from_receipt(bound().receipt())
    with pytest.raises(AttributeError, match="receipt"):
        _ = again.payload


def damaged():
    """A receipt, each time with another part replaced."""
    whole = bound("openai/strict").receipt()
    yield from (None, 5, "x", [], {}, {"tools": []})
    for key in ("toolcanon-receipt", "ir", "format", "tools"):
        for value in (None, 99, "x", [5], {"x": 1}):
            if value != whole[key]:
                yield {**whole, key: value}
    (entry,) = whole["tools"]
    for key in ("id", "wire", "inputs", "wire_inputs", "lens"):
        for value in (None, 5, [], "x" if key not in {"id", "wire"} else {}):
            yield {**whole, "tools": [{**entry, key: value}]}
    lens = entry["lens"]
    for wrong in (
        {"version": 2}, {"root": 5}, {"root": {"ops": [{"op": "nope"}]}}, {"root": {"ops": 5}},
        {"root": {"ops": [5]}}, {"root": {"ops": [{"op": "absent"}]}}, {"root": {"properties": 5}},
        {"root": {"properties": {"city": 5}}}, {"root": {"anyOf": 5}}, {"root": {"$ref": 5}},
        {"root": {"ops": [{"op": "rename", "names": 5}]}}, {"defs": 5}, {"defs": {"a": 5}},
        {"root": {"ops": [{"op": "words", "table": [5]}]}}, {"root": {"items": 5}},
    ):  # fmt: skip
        yield {**whole, "tools": [{**entry, "lens": {**lens, **wrong}}]}


@pytest.mark.parametrize("receipt", [pytest.param(r, id=str(i)) for i, r in enumerate(damaged())])
def test_damaged_receipts_are_refused(receipt):
    def used():
        binding = tc.Binding.from_receipt(copy.deepcopy(receipt))
        binding.restore("weather", {"city": "Rome", "tags": ["a"]})
        binding.render("weather", {"city": "Rome", "tags": ["a"]})

    with pytest.raises(BadReceipt):
        used()


# Requests and choices, as the providers' own types have them.


def checked(type_):
    adapter = pytest.importorskip("pydantic").TypeAdapter(type_)
    return lambda value: adapter.validate_python(value, strict=True, extra="forbid")


def openai_types():
    pytest.importorskip("openai")
    from openai.types.chat import (
        ChatCompletionNamedToolChoiceParam,
        ChatCompletionToolUnionParam,
    )

    return ChatCompletionToolUnionParam, ChatCompletionNamedToolChoiceParam


def responses_types():
    pytest.importorskip("openai")
    from openai.types.responses import ToolChoiceFunctionParam, ToolParam

    return ToolParam, ToolChoiceFunctionParam


def anthropic_types():
    pytest.importorskip("anthropic")
    from anthropic.types import ToolChoiceToolParam, ToolUnionParam

    return ToolUnionParam, ToolChoiceToolParam


@pytest.mark.parametrize(
    "target, types",
    [
        ("openai", openai_types),
        ("openai-responses", responses_types),
        ("anthropic", anthropic_types),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_requests_and_choices_fit_the_types(target, types, strict):
    tool_type, choice_type = types()
    binding = tc.bind([TOOL, tc.CanonicalTool(name="ping")], target, strict=strict)
    request = binding.request()
    assert set(request) == {"tools"}
    assert len(request["tools"]) == 2
    for tool in request["tools"]:
        checked(tool_type)(tool)
    checked(choice_type)(binding.tool_choice("weather"))


@pytest.mark.parametrize("strict", [False, True])
def test_gemini_requests_fit_the_model(strict):
    types = pytest.importorskip("google.genai.types")
    binding = tc.bind([TOOL], "gemini", strict=strict)
    request = binding.request()
    types.GenerateContentConfig.model_validate(request["config"])
    assert ("toolConfig" in request["config"]) == strict
    choice = binding.tool_choice("weather")
    types.GenerateContentConfig.model_validate({**request["config"], "toolConfig": choice})


@pytest.mark.parametrize("strict", [False, True])
def test_bedrock_requests_fit_the_service(strict):
    session = pytest.importorskip("botocore.session").get_session()
    from botocore.validate import ParamValidator

    shape = session.get_service_model("bedrock-runtime").operation_model("Converse").input_shape
    binding = tc.bind([TOOL], "bedrock", strict=strict)
    request = binding.request()
    request["toolConfig"]["toolChoice"] = binding.tool_choice("weather")
    body = {"modelId": "m", **request}
    assert ParamValidator().validate(body, shape).generate_report() == ""


def test_a_request_without_tools_is_empty():
    assert tc.bind([], "openai").request() == {}


def test_where_nothing_can_be_chosen_that_is_reported():
    with pytest.raises(UsageError, match="json-schema"):
        tc.bind(TOOL, "json-schema").tool_choice("weather")


def test_a_name_of_two_namespaces_is_reported_and_not_guessed():
    tools = [
        tc.CanonicalTool(name="search", namespace=group, inputs={"type": "object"})
        for group in ("files", "mail")
    ]
    bound = tc.bind(tools, "openai-responses")
    assert verify(bound).violations == []
    for binding in (bound, tc.Binding.from_receipt(bound.receipt())):
        with pytest.raises(AmbiguousCall, match="files:search or mail:search"):
            binding.restore("search", {})
        assert binding.restore("mail:search", {}).name == "mail:search"


@table(
    "others",
    [
        {"additionalProperties": WHOLE},
        {"additionalProperties": True},
        {"patternProperties": {"^_": WHOLE}},
        {},
    ],
)
def test_a_key_that_is_spelled_like_an_alias_stays_another_key(others):
    tool = {"name": "t", "inputSchema": {"type": "object", "properties": {"$x": WHOLE}, **others}}
    binding = tc.bind(tool, "anthropic")
    given = {"$x": 1, "_x": 2, "_x~": 3}
    name, written = binding.render("t", given)
    assert written["_x"] == 1
    assert sorted(written.values()) == [1, 2, 3]
    found = binding.restore(name, written)
    assert (found.arguments, found.ok, found.repairs) == (given, True, ())


def test_a_member_that_is_given_by_both_names_is_reported():
    tool = {"name": "t", "inputSchema": {"type": "object", "properties": {"$x": WHOLE}}}
    found = tc.bind(tool, "anthropic").restore("t", {"$x": 2, "_x": 1})
    assert found.arguments == {"$x": 1}
    assert [(str(made.at), made.code, made.before) for made in found.repairs] == [
        ("/$x", "R129", 2)
    ]
    assert not tc.bind(tool, "anthropic").restore("t", {"$x": 1, "_x": 1}).repairs


def test_a_key_that_an_entry_list_repeats_is_reported():
    entries = [{"key": "k", "value": 1}, {"key": "j", "value": 5}, {"key": "k", "value": 2}]
    found = restored({"city": "Rome", "counts": entries}, "openai/strict")
    assert found.ok
    assert found.arguments["counts"] == {"k": 2, "j": 5}
    repaired = [made for made in found.repairs if made.code == "R129"]
    assert [(str(made.at), made.before) for made in repaired] == [("/counts/0", entries[0])]


def test_members_of_a_condition_widen_a_closed_object():
    schema = {
        "type": "object",
        "properties": {"n": WHOLE},
        "additionalProperties": False,
        "if": {"properties": {"kind": {"const": "a"}}},
    }
    losses = tc.bind({"name": "t", "inputSchema": schema}, "openai/strict").losses
    assert {loss.code for loss in losses if loss.effect & tc.Effect.WIDENED} == {"L210"}
