"""The envelope of tools: what is read, what is written, what is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import table
from toolcanon.errors import NotAToolResponse
from toolcanon.ir.conversation import Data, Media, Result, Text
from toolcanon.ir.response import ERROR_KINDS, ToolResponse

ok, bad = ToolResponse.success, ToolResponse.failure

READ = [
    ({"ok": True, "data": {"a": 1}}, ok({"a": 1})),
    ({"ok": True, "data": None}, ok(None)),
    ({"ok": True}, ok(None)),
    ({"ok": True, "data": 1, "error": None, "errorType": None}, ok(1)),
    ({"ok": True, "path": "p", "content": "c"}, ok({"path": "p", "content": "c"})),
    ({"ok": True, "data": "d", "encoding": "utf8"}, ok({"data": "d", "encoding": "utf8"})),
    ({"ok": True, "error": "odd"}, ok({"error": "odd"})),
    ({"ok": True, "data": {"ok": False}}, ok({"ok": False})),
    ({"ok": False, "error": "e"}, bad("e")),
    ({"ok": False, "error": "e", "errorType": "timeout"}, bad("e", "timeout")),
    ({"ok": False, "error": "e", "error_type": "timeout"}, bad("e", "timeout")),
    ({"ok": False, "error": "e", "errorType": "timeout", "error_type": "timeout"},
     bad("e", "timeout")),
    ({"ok": False, "error": "e", "errorType": "timeout", "error_type": "permission"},
     bad("e", "timeout", error_type="permission")),
    ({"ok": False, "error": "e", "errorType": "NOPE"}, bad("e", errorType="NOPE")),
    ({"ok": False, "error": "e", "errorType": 7}, bad("e", errorType=7)),
    ({"ok": False, "error": "e", "details": {"parameter": "p", "value": 1}},
     bad("e", parameter="p", value=1)),
    ({"ok": False, "error": "e", "details": None, "data": None}, bad("e")),
    ({"ok": False, "error": "e", "details": "why"}, bad("e", details="why")),
    ({"ok": False, "error": "e", "path": "p", "details": {"suggestion": "s"}},
     bad("e", path="p", suggestion="s")),
]  # fmt: skip


@table("value, expected", READ)
def test_reading(value, expected):
    before = json.dumps(value)
    assert ToolResponse.from_value(value) == expected
    assert json.dumps(value) == before
    assert ToolResponse.from_value(expected.to_dict()) == expected


REFUSED = [
    None, 1, "x", [], {}, {"data": 1}, {"error": "x"}, {"ok": "true", "data": 1}, {"ok": 1},
    {"ok": None}, {"ok": False}, {"ok": False, "error": None}, {"ok": False, "error": {"a": 1}},
]  # fmt: skip


@table("value", REFUSED)
def test_refused(value):
    with pytest.raises(NotAToolResponse) as caught:
        ToolResponse.from_value(value)
    assert caught.value.reason in str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: bad("e", "oops"),
        lambda: bad(None),
        lambda: bad(7, "timeout"),
        lambda: ToolResponse(ok=1),
        lambda: ToolResponse(ok=True, error="e"),
        lambda: ToolResponse(ok=False, error="e", data=1),
        lambda: ToolResponse(ok=False),
        lambda: ToolResponse(ok=False, error="e", details=[]),
    ],
)
def test_misuse(make):
    with pytest.raises(NotAToolResponse):
        make()


def test_written_form():
    assert ok(1).to_dict() == {"ok": True, "data": 1}
    assert bad("e").to_dict() == {"ok": False, "error": "e"}
    assert bad("e", "validation", message="m", kind="k").to_dict() == {
        "ok": False, "error": "e", "errorType": "validation",
        "details": {"message": "m", "kind": "k"},
    }  # fmt: skip


RESULTS = [
    (Result("c", [Text("x")], is_error=True), bad("x")),
    (Result("c", [], is_error=True), bad("the tool failed")),
    (Result("c", [Data({"a": 1})], is_error=True), bad('{"a":1}')),
    (Result("c", [Text('{"ok": true, "data": 1}')], is_error=True),
     bad('{"ok": true, "data": 1}', "execution", conflict="ok", data=1)),
    (Result("c", [Text('{"ok": false, "error": "e", "errorType": "timeout"}')]),
     bad("e", "timeout")),
    (Result("c", [Text('{"ok": false, "error": "e"}')], is_error=False),
     ok('{"ok": false, "error": "e"}')),
    (Result("c", [Text("Error: no")]), ok("Error: no")),
    (Result("c", [Text('{"error": "e"}')]), ok('{"error": "e"}')),
    (Result("c", [Text('{"ok": "true"}')]), ok('{"ok": "true"}')),
    (Result("c", [Text("1")]), ok("1")),
    (Result("c", [Text("{broken")]), ok("{broken")),
    (Result("c", [Data([1])]), ok([1])),
    (Result("c", []), ok(None)),
    (Result("c", [Text("a"), Data(1)]), ok(["a", 1])),
    (Result("c", [Media("image", "image/png", "AA==")]),
     ok({"kind": "image", "mime": "image/png", "data": "AA=="})),
]  # fmt: skip


@table("result, expected", RESULTS)
def test_from_results(result, expected):
    assert ToolResponse.from_result(result) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5).filter(lambda key: key != "ok"), inner, max_size=3)
    ),
    max_leaves=8,
)
RESPONSES = st.builds(ok, JSON) | st.builds(
    lambda message, kind, details: bad(message, kind, **details),
    st.text(max_size=9).filter(lambda text: text.strip()[:1] != "{"),
    st.none() | st.sampled_from(ERROR_KINDS),
    st.dictionaries(st.sampled_from(["parameter", "value", "suggestion"]), JSON.filter(bool)),
)


@given(RESPONSES)
def test_there_and_back(response):
    assert ToolResponse.from_value(json.loads(json.dumps(response.to_dict()))) == response
    result = response.to_result("c", "f")
    assert (result.call_id, result.name, result.is_error) == ("c", "f", not response.ok)
    if not (response.ok and isinstance(response.data, str)):
        assert ToolResponse.from_result(result) == response
