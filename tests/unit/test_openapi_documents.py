"""OpenAPI documents as a whole: keys, subtypes, shared definitions, the way back."""

import contextlib
import copy
import json
import time

import jsonschema_rs
import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.errors import LimitExceeded, UnreadableTool
from toolcanon.formats.openapi.document import with_text_keys
from toolcanon.jsonio import Limits, within

STRING = {"type": "string"}
INFO = {"title": "T", "version": "1"}


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def content(schema):
    return {"content": {"application/json": {"schema": schema}}}


def document(paths, schemas=None, **more):
    components = {"components": {"schemas": schemas}} if schemas is not None else {}
    return {"openapi": "3.1.0", "info": INFO, "paths": paths, **components, **more}


def posts(schema, answer=None):
    responses = {"200": {"description": "", **content(answer)}} if answer is not None else {}
    return {"post": {"requestBody": {"required": True, **content(schema)}, "responses": responses}}


def back(given):
    return tc.convert(given, "openapi", lower=False).payload


def guesses(tool):
    found = tool.extras["openapi"].get("$", {}).get("guesses", [])
    return {guess["at"]: guess["why"].partition(":")[0] for guess in found}


# --- keys that a YAML reader made something else of ---


def test_keys_are_texts_whatever_a_reader_made_of_them():
    schema = {"type": "object", "properties": {2: STRING, True: STRING, None: STRING, 1.5: STRING}}
    given = document({"/x": {"get": {"responses": {200: {"description": "", **content(schema)}}}}})
    before = copy.deepcopy(given)
    (tool,) = tc.read(given)
    assert given == before
    assert set(tool.outputs["properties"]) == {"2", "true", "null", "1.5"}
    assert back(given) == json.loads(json.dumps(given))


def test_a_duplicate_key_is_refused():
    with pytest.raises(UnreadableTool) as caught:
        tc.read(document({"/x": {"get": {"responses": {200: {}, "200": {}}}}}))
    assert caught.value.at == "/paths/~1x/get/responses/200"


def test_documents_with_aliases_are_looked_through_once():
    bomb = {1: "x"}
    for _ in range(60):
        bomb = {"a": bomb, "b": bomb}
    found = with_text_keys({"x-bomb": bomb})
    for _ in range(61):
        found = next(iter(found.values()))
    assert found == {"1": "x"}


# --- subtypes ---

PET = {
    "type": "object",
    "description": "A pet.",
    "required": ["t"],
    "properties": {"t": STRING, "friends": {"type": "array", "items": ref("Pet")}},
    "discriminator": {"propertyName": "t", "mapping": {"c": ref("Cat")["$ref"], "d": "Dog"}},
}
CAT = {"allOf": [ref("Pet"), {"required": ["m"], "properties": {"m": {"type": "integer"}}}]}
DOG = {"allOf": [ref("Pet"), {"required": ["b"], "properties": {"b": {"type": "boolean"}}}]}
PUPPY = {"allOf": [ref("Dog"), {"required": ["age"], "properties": {"age": {"type": "integer"}}}]}
ZOO = {"Pet": PET, "Cat": CAT, "Dog": DOG, "Puppy": PUPPY}
UNMAPPED = {**ZOO, "Pet": {**PET, "discriminator": {"propertyName": "t"}}}


def names(union):
    return [branch["$ref"].rpartition("/")[2] for branch in union["anyOf"]]


def dangling(schema):
    """References within a schema that name nothing, mappings among them."""
    found, stack = [], [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack += node
        elif isinstance(node, dict):
            stack += node.values()
            mapping = node.get("discriminator", {}).get("mapping", {})
            for item in [node.get("$ref", "#"), *mapping.values()]:
                value = schema
                for step in item.split("/")[1:]:
                    value = value.get(step, {})
                found += [] if value else [item]
    return found


@pytest.mark.parametrize(
    "schemas, branches",
    [
        (ZOO, ["Cat", "Dog", "Puppy"]),
        (UNMAPPED, ["Cat", "Dog", "Puppy", "Pet"]),
        ({"Pet": PET, "Cat": {"properties": {"m": {"type": "integer"}}}}, ["Cat"]),
    ],
)
def test_a_base_stands_for_its_subtypes(schemas, branches):
    given = document({"/x": posts(ref("Pet"), {"type": "array", "items": ref("Pet")})}, schemas)
    (tool,) = tc.read(given)
    assert names(tool.inputs) == branches
    assert tool.inputs["description"] == "A pet."
    assert names(tool.outputs["$defs"]["Pet_subtypes"]) == branches
    assert tool.outputs["items"] == {"$ref": "#/$defs/Pet_subtypes"}
    assert "m" in json.dumps(tool.inputs)
    assert not dangling(tool.inputs)
    assert not dangling(tool.outputs)
    assert back(given) == given


@pytest.mark.parametrize(
    "value, valid",
    [
        ({"t": "c", "m": 1}, True),
        ({"t": "c"}, False),
        ({"t": "c", "m": 1, "friends": [{"t": "d", "b": True}]}, True),
        ({"t": "c", "m": 1, "friends": [{"t": "d"}]}, False),
    ],
)
def test_values_are_those_of_a_subtype(value, valid):
    for schema, wrapped in ((ref("Pet"), value), ({"properties": {"p": ref("Pet")}}, {"p": value})):
        (tool,) = tc.read(document({"/x": posts(schema)}, ZOO))
        assert jsonschema_rs.is_valid(tool.input_schema, wrapped) == valid


USES = [
    (ref("Pet"), "Pet_subtypes"),
    ({"allOf": [ref("Pet")], "description": "d"}, "Pet_subtypes"),
    ({"anyOf": [ref("Pet"), {"type": "null"}]}, "Pet_subtypes"),
    ({"items": ref("Pet")}, "Pet_subtypes"),
    ({"allOf": [ref("Pet"), {"required": ["x"]}]}, "Pet"),
    ({"oneOf": [ref("Pet"), ref("Cat")]}, "Pet"),
    (ref("Pet/properties/t"), "Pet/properties/t"),
    (ref("Cat"), "Cat"),
]


@pytest.mark.parametrize("schema, name", USES)
def test_where_something_is_made_of_a_base_it_is_itself(schema, name):
    (tool,) = tc.read(document({"/x": posts({"type": "object", "properties": {"a": schema}})}, ZOO))
    text = json.dumps(tool.inputs["properties"]["a"])
    assert f'"#/$defs/{name}"' in text
    assert name == "Pet_subtypes" or "Pet_subtypes" not in text
    assert not dangling(tool.inputs)


def test_each_tool_of_many_can_be_written_alone():
    given = document({"/x": posts(ref("Cat")), "/y": posts(ref("Pet")), "/z": posts(STRING)}, ZOO)
    for tool in tc.read(given):
        (alone,) = tc.read(tc.bind(tool, "openapi").payload)
        assert (alone.inputs, alone.outputs) == (tool.inputs, tool.outputs)
    assert back(given) == given


LOOPS = {
    "Alias": ref("Pet"),
    "Maybe": {"anyOf": [ref("Pet"), {"type": "null"}]},
    "Via": {"allOf": [ref("Maybe")]},
    "Owner": {"type": "object", "properties": {"pet": ref("Pet")}},
    "Deep": {"allOf": [ref("Owner/properties/pet")]},
    "Other": {"discriminator": {"propertyName": "t", "mapping": {"v": "Back"}}},
    "Back": {"anyOf": [ref("Pet")]},
}


@table("start", ["Pet", *LOOPS])
@table("target", LOOPS)
def test_subtypes_that_lead_back_come_to_an_end(start, target):
    pet = {**PET, "discriminator": {"propertyName": "t", "mapping": {"x": target, "p": "Pet"}}}
    schemas = {**ZOO, **LOOPS, "Pet": pet, "Via": {"allOf": [ref("Maybe"), ref("Other")]}}
    (tool,) = tc.read(document({"/x": posts({"properties": {"a": ref(start)}})}, schemas))
    assert not dangling(tool.inputs)
    validator = jsonschema_rs.validator_for(tool.input_schema)
    assert validator.is_valid({"a": {"t": "p", "friends": [{"t": "p"}]}}) or start == "Other"
    assert not validator.is_valid({"a": 1}) or start == "Other"
    tc.bind(tool, "openai")


def test_what_a_mapping_cannot_express_is_reported():
    lost = {**PET, "discriminator": {"propertyName": "t", "mapping": {"c": "Cat", "z": "z.json"}}}
    (tool,) = tc.read(document({"/x": posts(ref("Pet"))}, {**ZOO, "Pet": lost}))
    at = "/components/schemas/Pet/discriminator/mapping/z"
    assert guesses(tool)[at] == "reference-unresolved"
    assert not dangling(tool.inputs)
    inline = {"properties": {"a": {**PET, "properties": {"t": STRING}}}}
    (tool,) = tc.read(document({"/x": posts(inline)}, ZOO))
    assert "mapping-ignored" in guesses(tool).values()
    assert not dangling(tool.inputs)


def test_a_mapping_beside_alternatives_names_what_is_carried():
    mapping = {"a": "A", "b": ref("B")["$ref"], "c": "c.json"}
    union = {"oneOf": [ref("A")], "discriminator": {"propertyName": "t", "mapping": mapping}}
    schemas = {"A": {"properties": {"t": STRING}}, "B": {"properties": {"u": STRING}}}
    given = document({"/x": posts(union), "/y": posts(STRING)}, schemas)
    tool = tc.read(given)[0]
    assert tool.inputs["discriminator"]["mapping"] == {"a": "#/$defs/A", "b": "#/$defs/B"}
    assert not dangling(tool.inputs)
    assert "reference-unresolved" in guesses(tool).values()
    (alone,) = tc.read(tc.bind(tool, "openapi").payload)
    assert alone.inputs == tool.inputs


def test_many_bases_take_time_in_proportion():
    schemas = {f"B{i}": {"discriminator": {"propertyName": "t"}, "properties": {
        "n": ref(f"B{i + 1}")}} for i in range(800)}  # fmt: skip
    schemas |= {f"S{i}": {"allOf": [ref(f"B{i}"), ref(f"B{(i * 7) % 800}")]} for i in range(800)}
    started = time.process_time()
    (tool,) = tc.read(document({"/x": posts(ref("B0"))}, schemas))
    assert time.process_time() - started < 20
    assert len(tool.inputs["$defs"]) > 800


# --- members that go one way only ---

FLAGGED = {
    "B": {"type": "object", "properties": {"id": {"readOnly": True}, "name": STRING,
                                           "secret": {"writeOnly": True}}},
    "Child": {"required": ["id", "e", "secret"],
              "allOf": [ref("B"), {"properties": {"e": STRING}}]},
    "Needs": {"required": ["id", "name", "secret"]},
    "Needs2": {"allOf": [ref("Needs")]},
    "Alias": ref("Needs2"),
    "Needs3": {"allOf": [ref("Needs3"), ref("B")], "required": ["id", "secret"]},
    "Id": {"type": "integer", "readOnly": True},
    "Secret": {"allOf": [{"writeOnly": True}]},
    "Ring": {"allOf": [ref("Ring2"), {"required": ["id"]}]},
    "Ring2": {"allOf": [ref("Ring"), ref("B")], "required": ["secret", "id"]},
}  # fmt: skip
ONE_WAY = {
    "required beside": {"allOf": [ref("B"), {"required": ["id", "name", "secret"]}]},
    "required around": {"allOf": [ref("B")], "required": ["id", "secret"]},
    "a child": ref("Child"),
    "of a child": {"allOf": [ref("Child"), {"allOf": [{"required": ["secret", "id"]}]}]},
    "members made of flags": {"required": ["id", "secret"], "properties": {
        "id": {"allOf": [ref("Id")]}, "secret": {"allOf": [ref("Secret"), STRING]}}},
    "beside a reference": {**ref("B"), "required": ["id", "secret"]},
    "branches": {"allOf": [ref("B")], "anyOf": [{"required": ["id", "secret"]}],
                 "oneOf": [{"required": ["id", "secret", "a"]}, {"required": ["name"]}]},
    "a ring": ref("Ring"),
    "by another definition": {"allOf": [ref("B"), ref("Needs")]},
    "by one behind it": {"allOf": [ref("Needs2"), ref("B"), ref("Needs2")]},
    "by another name": {"allOf": [ref("B"), ref("Alias")]},
    "by a ring": {"allOf": [ref("B"), ref("Needs3")]},
    "a member that is called like a keyword": {"properties": {"allOf": {"items": {
        "required": ["id", "secret"], "properties": {"id": ref("Id"), "secret": ref("Secret")}}}}},
    "deeper": {"properties": {"in": {"type": "array", "items": ref("Child")}}},
}  # fmt: skip


@table("schema", ONE_WAY.values(), ids=ONE_WAY)
def test_nothing_that_is_left_out_is_required(schema):
    (tool,) = tc.read(document({"/x": posts(schema, schema)}, FLAGGED))
    asked, answered = json.dumps(tool.inputs), json.dumps(tool.outputs)
    assert '"id"' not in asked
    assert '"secret"' in asked
    assert '"secret"' not in answered
    assert '"id"' in answered


def test_branches_that_differ_by_a_flag_stay_apart():
    schema = {"allOf": [ref("B")], "oneOf": [{"required": ["id"]}, {"required": ["name"]}]}
    (tool,) = tc.read(document({"/x": posts(schema)}, FLAGGED))
    assert tool.inputs["oneOf"] == schema["oneOf"]


# --- definitions that many tools share ---


def linked(count, size, *, ring):
    schemas = {
        f"S{i}": {"type": "object", "properties": {"n": ref(f"S{(i + 1) % size}")}}
        for i in range(size)
    }
    if not ring:
        schemas[f"S{size - 1}"] = STRING
    paths = {f"/{i}": posts(ref(f"S{i % size}"), ref(f"S{i % size}")) for i in range(count)}
    return document(paths, schemas)


def test_a_large_document_of_linked_schemas_is_read_and_shared():
    first, second, *rest = tc.read(linked(900, 1000, ring=True))
    assert len(rest) == 898
    assert len(first.inputs["$defs"]) == 1000
    assert first.inputs["$defs"] is second.inputs["$defs"]


def test_what_each_tool_carries_is_what_it_needs():
    given = linked(6, 6, ring=False)
    found = [sorted(tool.inputs.get("$defs", {})) for tool in tc.read(given)]
    assert found == [[f"S{i}" for i in range(k + 1, 6)] for k in range(6)]


def test_what_tools_carry_is_counted_within_the_limits_of_the_caller():
    bomb = linked(400, 300, ring=True)
    with within(Limits(values=10_000)), pytest.raises(LimitExceeded, match="more than 10,000"):
        tc.read(bomb)
    with within(Limits(values=300_000)):
        assert len(tc.read(bomb)) == 400
    odd = {"properties": {str(i): {"$ref": f"x{i}.json"} for i in range(500)}}
    told = document(
        {f"/{i}": posts({"properties": {"a": ref("A")}}) for i in range(50)}, {"A": odd}
    )
    with within(Limits(values=10_000)), pytest.raises(LimitExceeded):
        tc.read(told)
    with within(Limits(tools=49)), pytest.raises(LimitExceeded, match="limit-tools"):
        tc.read(told)


WIDE = {"type": "object", "properties": {f"p{i}": {"type": "object", "properties": {
    "a": STRING}} for i in range(2000)}}  # fmt: skip
WORDS = {"type": "string", "enum": [f"v{i}" for i in range(20_000)]}
PARAMETERS = {f"P{i}": {"name": f"q{i}", "in": "query", "schema": STRING} for i in range(500)}
ALL_PARAMETERS = [{"$ref": f"#/components/parameters/P{i}"} for i in range(500)]
LADDER = {f"B{i}": {**({"allOf": [ref(f"B{i - 1}")]} if i else {}), "type": "object",
                    "discriminator": {"propertyName": "t"}} for i in range(2000)}  # fmt: skip
SUBTYPES = {
    "B": {"properties": {"n": ref("B")}, "discriminator": {"propertyName": "t", "mapping": {
        f"m{i}": f"#/components/schemas/S{i}" for i in range(2000)}}},
    **{f"S{i}": {"allOf": [ref("B")]} for i in range(2000)},
}  # fmt: skip
MANY = range(2000)


def nested(schema, levels):
    for _ in range(levels):
        schema = {"allOf": [schema]}
    return schema


NAMES_ENOUGH = {"properties": {f"p{i}": {"readOnly": True} for i in range(100_000)}}
BOMBS = {
    "remarks beside a reference": document(
        {f"/{i}": posts({**ref("A"), "description": str(i)}) for i in MANY}, {"A": WIDE}
    ),
    "a long enum": document(
        {f"/{i}": posts({"properties": {"a": {**ref("A"), "title": str(i)}}}) for i in MANY},
        {"A": WORDS},
    ),
    "a long text": document(
        {f"/{i}": posts({"properties": {"a": {**ref("A"), "title": str(i)}}}) for i in MANY},
        {"A": {"type": "string", "pattern": "x" * 2_000_000}},
    ),
    "members of a shared body": document(
        {f"/{i}/{{id}}": posts(ref("A")) for i in MANY}, {"A": WIDE}
    ),
    "parameters by reference": document(
        {f"/{i}": {"$ref": "#/components/pathItems/I"} for i in MANY},
        components={"parameters": PARAMETERS,
                    "pathItems": {"I": {"parameters": ALL_PARAMETERS, "get": {}}}},
    ),
    "a shared path item": document(
        {f"/{i}": {"$ref": "#/components/pathItems/I"} for i in MANY},
        components={"pathItems": {"I": {"get": {"x-much": WIDE}}}},
    ),
    "a ladder of bases": document({f"/{i}": posts(ref(f"B{i}")) for i in MANY}, LADDER),
    "subtypes of one base": document(
        {f"/{i}": posts({**ref("B"), "description": str(i)}) for i in MANY}, SUBTYPES
    ),
    "a chain through bodies": document({
        f"/{i}": posts({"properties": {"n": {
            "$ref": f"#/paths/~1{i + 1}/post/requestBody/content/application~1json/schema"}}})
        for i in range(3000)}),
    "nullable references": document(
        {f"/{i}": posts({**ref("A"), "nullable": True}) for i in MANY},
        {"A": WIDE}, openapi="3.0.3",
    ),
    "callbacks": document(
        {f"/{i}": {"post": {"callbacks": {"c": {"{$url}": posts(ref("A"))}}}} for i in MANY},
        {"A": WIDE},
    ),
    "security": document(
        {f"/{i}": {"get": {}} for i in MANY},
        security=[{f"s{i}": []} for i in MANY],
        components={"securitySchemes": {f"s{i}": {"type": "http"} for i in MANY}},
    ),
    "a ladder of flags": document(
        {"/x": posts(ref("L0"))},
        {f"L{i}": {"allOf": [ref(f"L{i + 1}"), {"required": ["id"]}],
                   "properties": {f"p{i}": {"readOnly": True}}} for i in MANY},
    ),
    "parts within parts": document({"/x": posts(nested(NAMES_ENOUGH, 90))}, {}),
    "copies of a definition": document(
        {"/x": posts({"allOf": [{"properties": {"id": {"readOnly": True}}}, *[ref("A")] * 200]})},
        {"A": {"required": ["id"], "properties": {f"p{i}": {"items": STRING}
                                                  for i in range(100_000)}}},
    ),
    "a wide form": document(
        {f"/{i}": {"post": {"requestBody": {"content": {"multipart/form-data": {
            "schema": {"allOf": [ref("A")] * 100}}}}}} for i in MANY},
        {"A": WIDE},
    ),
    "a flag at the end of a chain": document(
        {f"/{i}": posts(ref("A")) for i in range(100)},
        {"A": {"type": "object", "properties": {f"p{i}": ref("X0") for i in MANY}},
         **{f"X{i}": ref(f"X{i + 1}") for i in range(63)}, "X63": {"readOnly": True}},
    ),
}  # fmt: skip


@table("name", BOMBS)
def test_what_operations_share_takes_time_in_proportion_or_is_refused(name):
    started = time.process_time()
    with contextlib.suppress(LimitExceeded):
        tc.read(BOMBS[name])
    assert time.process_time() - started < 15


def test_answers_over_the_limit_are_left_out_and_reported():
    """In large interfaces everything reaches everything; the parameters are wanted all the same."""
    fields = {f"f{i}": {**STRING, "description": "A field."} for i in range(10)}
    resources = {
        f"S{i}": {"type": "object", "properties": {**fields, "next": ref(f"S{(i + 1) % 400}")}}
        for i in range(400)
    }
    given = document({
        f"/{i}": {"get": {"parameters": [{"name": "id", "in": "query", "schema": STRING}],
                          "responses": {"200": {"content": {"application/json": {
                              "schema": ref(f"S{i}")}}}}}}
        for i in range(400)}, resources)  # fmt: skip
    tools = tc.read(given)
    assert all(tool.inputs["properties"] == {"id": STRING} for tool in tools)
    assert tools[0].outputs["properties"]["f0"] == fields["f0"]
    assert tools[-1].outputs == {}
    at = "/paths/~1399/get/responses/200/content/application~1json/schema"
    assert guesses(tools[-1])[at] == "answer-left-out"
    with within(Limits(values=20_000_000)):
        assert tc.read(given)[-1].outputs != {}


def test_a_refusal_states_what_to_do():
    with pytest.raises(LimitExceeded) as caught:
        tc.read(BOMBS["remarks beside a reference"])
    assert str(caught.value) == (
        "limit-values: more than 1,500,000 values in one document, once every operation carries "
        "what it refers to (read fewer of them); reduce it, or raise it with --limit values=N"
    )


def test_descriptions_beside_a_reference_are_those_of_its_operation():
    given = document(
        {f"/{i}": posts({**ref("A"), "description": f"d{i}"}) for i in range(2)},
        {"A": {"type": "object", "description": "own", "properties": {"r": {
            "type": "string", "readOnly": True}, "b": ref("B")}}, "B": STRING},
    )  # fmt: skip
    for index, tool in enumerate(tc.read(given)):
        assert tool.inputs == {
            "type": "object",
            "description": f"d{index}",
            "properties": {"b": {"$ref": "#/$defs/B"}},
            "$defs": {"B": STRING},
        }


# --- the way back ---

PATH_ITEM = {
    "parameters": [{"name": "id", "in": "query", "schema": STRING}],
    "get": {"operationId": "g", "responses": {}},
    "post": {"operationId": "p", **posts(ref("A"))["post"]},
}
WHOLE = {
    "made names that meet": document(
        {"/b": {"delete": {"responses": {}}}, "/b/": {"delete": {"responses": {}}}}
    ),
    "a path item by reference": document(
        {"/a": {"$ref": "#/components/pathItems/A"}, "/b": {"get": {"responses": {}}}},
        components={"pathItems": {"A": PATH_ITEM}, "schemas": {"A": STRING}},
    ),
    "with words beside it": document(
        {"/a": {"$ref": "#/components/pathItems/A", "summary": "s"}},
        components={"pathItems": {"A": PATH_ITEM}, "schemas": {"A": STRING}},
    ),
    "used twice": document(
        {"/a": {"$ref": "#/x-items/A"}, "/b": {"$ref": "#/x-items/A"}},
        components={"schemas": {"A": STRING}}, **{"x-items": {"A": PATH_ITEM}},
    ),
    "another path": document(
        {"/b": {"$ref": "#/paths/~1a"}, "/a": PATH_ITEM}, {"A": STRING},
    ),
    "an operation alone": document(
        {"/a": {"$ref": "#/components/pathItems/A"}},
        components={"pathItems": {"A": {"get": {"responses": {}}}}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("given", WHOLE.values(), ids=WHOLE)
def test_what_was_read_is_written(given):
    before = copy.deepcopy(given)
    payload = back(given)
    assert payload == given == before
    assert list(payload["paths"]) == list(given["paths"])


def test_made_names_that_meet_stay_unsaid():
    given = WHOLE["made names that meet"]
    assert tc.convert(given, "openapi").payload == given
    assert len({tool.name for tool in tc.read(given)}) == 2


def test_a_path_item_that_is_no_longer_whole_is_written_out():
    tools = tc.read(WHOLE["a path item by reference"])
    written = tc.bind(tools[:1], "openapi", lower=False).payload["paths"]["/a"]
    assert set(written) == {"parameters", "get"}
    tools[0].description = "new"
    written = tc.bind(tools, "openapi", lower=False).payload
    assert written["paths"]["/a"]["get"]["description"] == "new"
    assert set(written["paths"]["/a"]) == {*PATH_ITEM}


def test_words_that_were_changed_behind_a_reference_are_written():
    (tool,) = tc.read(WHOLE["an operation alone"])
    tool.description = "new"
    written = tc.bind(tool, "openapi", lower=False).payload
    assert written["paths"]["/a"]["get"]["description"] == "new"
