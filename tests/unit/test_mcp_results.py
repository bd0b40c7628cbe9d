"""CallToolResult: the same JSON after reading and writing, the protocol's own types as judges."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import table
from toolcanon.errors import NotAConversation
from toolcanon.formats.mcp.results import read_result, write_result
from toolcanon.formats.wire.codec import WriteLog
from toolcanon.ir.conversation import Data, Media, Native, Result, Text
from toolcanon.ir.response import ToolResponse

TEXT = {"type": "text", "text": "a"}
IMAGE = {"type": "image", "data": "AA==", "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": "AA==", "mimeType": "audio/wav"}
LINK = {"type": "resource_link", "uri": "https://e.org/f", "name": "f", "mimeType": "text/plain"}
WORDS = {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/x", "text": "t"}}
BLOB = {"type": "resource", "resource": {"uri": "file:///a", "blob": "AA=="}}
MARKS = {"annotations": {"audience": ["user"], "priority": 0.5}, "_meta": {"k": 1}}

VALID = {
    "empty": {"content": []},
    "text": {"content": [TEXT]},
    "error": {"content": [TEXT], "isError": True},
    "no error": {"content": [], "isError": False},
    "all blocks": {"content": [TEXT, IMAGE, AUDIO, LINK, WORDS, BLOB]},
    "marks": {"content": [{**b, **MARKS} for b in (TEXT, IMAGE, AUDIO, LINK, WORDS, BLOB)]},
    "plain link": {"content": [{"type": "resource_link", "uri": "x:y", "name": "n", "size": 3}]},
    "resource meta": {"content": [{**WORDS, "resource": {**WORDS["resource"], "_meta": {}}}]},
    "image in a resource": {"content": [{"type": "resource", "resource":
                            {"uri": "x:y", "blob": "AA==", "mimeType": "image/png"}}]},
    "object": {"content": [TEXT], "structuredContent": {"a": 1}},
    "list": {"content": [], "structuredContent": [1, None]},
    "number": {"content": [], "structuredContent": 0},
    "null": {"content": [], "structuredContent": None},
    "echo": {"content": [{"type": "text", "text": '{"a":1}'}], "structuredContent": {"a": 1}},
    "meta": {"content": [], "_meta": {"x": {"y": 1}}},
    "type of result": {"content": [], "resultType": "input_required"},
}  # fmt: skip

ODD = {
    "no content": {"structuredContent": {"a": 1}},
    "flag of another type": {"content": [], "isError": "yes"},
    "null flag": {"content": [], "isError": None},
    "unknown block": {"content": [{"type": "hologram", "x": 1}]},
    "no type": {"content": [{"text": "a"}]},
    "odd type": {"content": [{"type": ["text"], "text": "a"}]},
    "no block": {"content": [None, "a", 1, [TEXT]]},
    "text of another type": {"content": [{"type": "text", "text": 1}]},
    "image without a type": {"content": [{"type": "image", "data": "AA=="}]},
    "link without a name": {"content": [{"type": "resource_link", "uri": "x:y"}]},
    "both": {"content": [{"type": "resource", "resource": {"uri": "x:y", "text": "", "blob": ""}}]},
    "neither": {"content": [{"type": "resource", "resource": {"uri": "x:y"}}]},
    "odd resource": {"content": [{"type": "resource", "resource": {"text": 1}}]},
    "odd media types": {"content": [{**LINK, "mimeType": 1},
                                    {"type": "resource", "resource": {"text": "", "mimeType": 1}}]},
    "a note of ours": {"content": [{**TEXT, "$": {"structuredContent": True}}]},
    "other keys": {"content": [{**TEXT, "x": 1}], "x": [1]},
}  # fmt: skip
ALL = {**VALID, **ODD}


def written(result):
    told = WriteLog()
    out = write_result(result, told)
    json.dumps(out)
    return out, [loss.code for loss in told.losses]


@table("value", ALL.values(), ids=ALL)
def test_there_and_back(value):
    before = copy.deepcopy(value)
    result = read_result(value, "c", "f")
    assert (result.call_id, result.name) == ("c", "f")
    assert written(result) == (before, [])
    assert value == before


@table("value", VALID.values(), ids=VALID)
def test_valid_ones_are_understood(value):
    assert not any(isinstance(part, Native) for part in read_result(value).content)


def test_what_is_read():
    result = read_result({**VALID["all blocks"], "structuredContent": [1], "isError": True})
    assert result.is_error is True
    text, image, audio, link, words, blob, data = result.content
    assert text.text == "a"
    assert (image.kind, image.mime, image.data) == ("image", "image/png", "AA==")
    assert audio.kind == "audio"
    assert (link.file_id, link.url, link.name) == ("https://e.org/f", None, "f")
    assert (words.text, words.data, words.mime) == ("t", None, "text/x")
    assert (blob.text, blob.data, blob.kind) == (None, "AA==", "file")
    assert data.value == [1]


def test_fields_are_the_truth():
    result = read_result({**VALID["all blocks"], "structuredContent": {"a": 1}})
    text, image, _, link, words, blob, data = result.content
    text.text, image.data, link.name, words.text, blob.data = "T", "BB==", "N", "W", "CC=="
    data.value, result.is_error = [2], True
    out, _ = written(result)
    said = out["content"]
    assert [said[0]["text"], said[1]["data"], said[3]["name"]] == ["T", "BB==", "N"]
    assert [said[4]["resource"]["text"], said[5]["resource"]["blob"]] == ["W", "CC=="]
    assert (out["structuredContent"], out["isError"]) == ([2], True)


PNG = Media("image", "image/png", "AA==")
FOREIGN = [
    ([Text("a")], [TEXT], []),
    ([Text("a", {"other": {"cache": 1}})], [TEXT], ["L308"]),
    ([Text("a", {"other": {"$": {"form": 1}}})], [TEXT], []),
    ([PNG], [IMAGE], []),
    ([Media("image", data="AA==")], [{**IMAGE, "mimeType": "application/octet-stream"}], []),
    ([Media("document", "application/pdf", "AA==", name="a b")],
     [{"type": "resource", "resource": {"uri": "attachment:a%20b", "mimeType": "application/pdf",
                                        "blob": "AA=="}}], []),
    ([Media("document", text="t")],
     [{"type": "resource", "resource": {"uri": "attachment:document", "text": "t"}}], []),
    ([Media("image", url="https://e.org/i")],
     [{"type": "resource_link", "uri": "https://e.org/i", "name": "https://e.org/i"}], []),
    ([Media("file", file_id="file-1")], [{"type": "text", "text": "[file: file-1]"}], ["L302"]),
    ([Native("other", "reference", {})], [], ["L307"]),
]  # fmt: skip


@table("content, blocks, codes", FOREIGN)
def test_results_of_others(content, blocks, codes):
    out, told = written(Result("c", content))
    assert (out, told) == ({"content": blocks}, codes)
    judge(out)


def test_values_of_others():
    said = {"type": "text", "text": '{"a":1}'}
    one = {"content": [said], "structuredContent": {"a": 1}}
    assert written(Result("c", [Data({"a": 1})])) == (one, [])
    assert written(Result("c", [Text('{"a":1}'), Data({"a": 1})])) == (one, [])
    both = {**one, "content": [TEXT, said]}
    assert written(Result("c", [Text("a"), Data({"a": 1})])) == (both, [])
    assert written(Result("c", [Data({"a": 1}), Data(2)])) == (
        {"content": [said, {"type": "text", "text": "2"}]}, ["L305", "L305"],
    )  # fmt: skip


@pytest.mark.parametrize("value", [{}, {"content": None}, {"content": {}}, {"toolResult": 1},
                                   {"content": [], "$": 1}, {"jsonrpc": "2.0"},
                                   {"jsonrpc": "2.0", "result": 1}, {"jsonrpc": "2.0", "error": 1},
                                   {"jsonrpc": "2.0", "result": {"jsonrpc": "2.0"}}])  # fmt: skip
def test_refused_with_a_reason(value):
    with pytest.raises(NotAConversation):
        read_result(value)


ERRORS = [
    ({"code": -32601, "message": "m"}, "not_found", {"code": -32601}),
    ({"code": -32602, "message": "m", "data": [1]}, "validation", {"code": -32602, "data": [1]}),
    ({"code": -32001, "message": "m"}, "timeout", {"code": -32001}),
    ({"code": -32603, "message": "m"}, "execution", {"code": -32603}),
    ({"code": "x", "message": "m"}, "execution", {"code": "x"}),
    ({"message": "m"}, "execution", {}),
]


@pytest.mark.parametrize("error, kind, details", ERRORS)
def test_errors_of_the_protocol_are_results(error, kind, details):
    result = read_result({"jsonrpc": "2.0", "id": 1, "error": error}, "c")
    assert (result.call_id, result.is_error) == ("c", True)
    found = ToolResponse.from_result(result)
    assert (found.error, found.error_type, found.details) == ("m", kind, details)
    out, _ = written(result)
    assert out["isError"] is True
    judge(out)


def test_a_reply_is_taken_apart():
    reply = {"jsonrpc": "2.0", "id": 1, "result": VALID["text"]}
    assert read_result(reply).content == [Text("a")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "content type text data mimeType uri name resource blob isError _meta $ "
                "structuredContent jsonrpc error code message image resource_link".split()
            ),
            inner | st.sampled_from(["text", "image", "resource", "resource_link"]),
            max_size=4,
        )
    ),
    max_leaves=14,
)


@given(st.dictionaries(st.sampled_from(["content", "isError", "structuredContent", "_meta"]), JSON))
def test_hostile_shapes_are_kept_or_refused(value):
    try:
        result = read_result(value)
    except NotAConversation:
        return
    assert written(result) == (value, [])


def judge(value):
    types = pytest.importorskip("mcp.types")
    types.CallToolResult.model_validate(value)
    known = {field.alias for field in types.CallToolResult.model_fields.values()}
    assert value.keys() <= known
    again = types.CallToolResult.model_validate(value).model_dump(
        mode="json", by_alias=True, exclude_unset=True
    )
    assert again == value  # the types drop what they do not know


@table("value", VALID.values(), ids=VALID)
def test_the_protocols_types_agree(value):
    judge(value)
    judge(written(read_result(value))[0])
