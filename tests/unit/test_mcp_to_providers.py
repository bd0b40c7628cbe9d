"""What becomes of a CallToolResult at each provider, what is reported, and what comes back."""

import copy
import json

import toolcanon as tc
from tests.referee.bodies import sdk_faults
from tests.tables import table
from toolcanon.formats.mcp.results import read_result, write_result
from toolcanon.formats.wire.codec import WriteLog

CHAT, ITEMS, CLAUDE, GEMINI, CONVERSE = (
    "openai", "openai-responses", "anthropic", "gemini", "bedrock",
)  # fmt: skip
FAMILIES = (CHAT, ITEMS, CLAUDE, GEMINI, CONVERSE)


def text(words):
    return {"type": "text", "text": words}


def held(mime=None, **held_as):
    typed = {} if mime is None else {"mimeType": mime}
    return {"type": "resource", "resource": {"uri": "file:///a", **typed, **held_as}}


PNG = {"type": "image", "data": "AA==", "mimeType": "image/png"}
BMP = {**PNG, "mimeType": "image/bmp"}
WAV = {"type": "audio", "data": "AA==", "mimeType": "audio/wav"}
LINK = {"type": "resource_link", "uri": "https://e.org/f", "name": "f", "mimeType": "text/plain"}
LINKED = "[document text/plain: https://e.org/f]"
SILENT = "The tool failed without a message."


def moved(what):
    return f"[{what}: in the next user message]"


def blob(mime):
    return {"response": {}, "parts": [{"inlineData": {"data": "AA==", "mimeType": mime}}]}


# Case -> the result, and for each provider: what is written, the codes told (L325, that the name
# of the tool goes unsaid, is told by all but one and left out here).
TABLE = {
    "text": ({"content": [text("a")]}, {
        CHAT: ("a", []),
        ITEMS: ("a", []),
        CLAUDE: ({"content": [text("a")]}, []),
        GEMINI: ({"response": {"output": "a"}}, []),
        CONVERSE: ({"content": [{"text": "a"}]}, []),
    }),
    "texts": ({"content": [text("a"), text("b")]}, {
        CHAT: ([text("a"), text("b")], []),
        ITEMS: ([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}], []),
        CLAUDE: ({"content": [text("a"), text("b")]}, []),
        GEMINI: ({"response": {"output": "a\nb"}}, []),
        CONVERSE: ({"content": [{"text": "a"}, {"text": "b"}]}, []),
    }),
    "image": ({"content": [PNG]}, {
        CHAT: (moved("image"), ["L303"]),
        ITEMS: ([{"type": "input_image", "image_url": "data:image/png;base64,AA==",
                  "detail": "auto"}], []),
        CLAUDE: ({"content": [{"type": "image", "source": {
            "type": "base64", "media_type": "image/png", "data": "AA=="}}]}, []),
        GEMINI: (blob("image/png"), []),
        CONVERSE: ({"content": [{"image": {"format": "png", "source": {"bytes": "AA=="}}}]}, []),
    }),
    "image that few take": ({"content": [BMP]}, {
        CHAT: (moved("image"), ["L303"]),
        ITEMS: ([{"type": "input_image", "image_url": "data:image/bmp;base64,AA==",
                  "detail": "auto"}], []),
        CLAUDE: ({"content": [text("[image image/bmp]")]}, ["L302"]),
        GEMINI: (blob("image/bmp"), []),
        CONVERSE: ({"content": [{"text": "[image image/bmp]"}]}, ["L302"]),
    }),
    "audio": ({"content": [WAV]}, {
        CHAT: (moved("audio"), ["L303"]),
        ITEMS: ("[audio audio/wav]", ["L302"]),
        CLAUDE: ({"content": [text("[audio audio/wav]")]}, ["L302"]),
        GEMINI: (blob("audio/wav"), []),
        CONVERSE: ({"content": [{"text": "[audio audio/wav]"}]}, ["L302"]),
    }),
    "link": ({"content": [LINK]}, {
        CHAT: (LINKED, ["L302"]),
        ITEMS: (LINKED, ["L302"]),
        CLAUDE: ({"content": [text(LINKED)]}, ["L302"]),
        GEMINI: ({"response": {"output": LINKED}}, ["L302"]),
        CONVERSE: ({"content": [{"text": LINKED}]}, ["L302"]),
    }),
    "embedded text": ({"content": [held("text/plain", text="t")]}, {
        CHAT: ("t", ["L302", "L308"]),
        ITEMS: ("t", ["L302", "L308"]),
        CLAUDE: ({"content": [{"type": "document", "source": {
            "type": "text", "media_type": "text/plain", "data": "t"}}]}, ["L308"]),
        GEMINI: ({"response": {"output": "t"}}, ["L308"]),
        CONVERSE: ({"content": [{"document": {"format": "txt", "name": "document",
                                              "source": {"text": "t"}}}]}, ["L308"]),
    }),
    "embedded file": ({"content": [held("application/pdf", blob="AA==")]}, {
        CHAT: (moved("document"), ["L303", "L308"]),
        ITEMS: ([{"type": "input_file", "filename": "file.pdf",
                  "file_data": "data:application/pdf;base64,AA=="}], ["L308"]),
        CLAUDE: ({"content": [{"type": "document", "source": {
            "type": "base64", "media_type": "application/pdf", "data": "AA=="}}]}, ["L308"]),
        GEMINI: (blob("application/pdf"), ["L308"]),
        CONVERSE: ({"content": [{"document": {"format": "pdf", "name": "document",
                                              "source": {"bytes": "AA=="}}}]}, ["L308"]),
    }),
    "embedded bytes": ({"content": [held(blob="AA==")]}, {
        CHAT: (moved("file"), ["L303", "L308"]),
        ITEMS: ([{"type": "input_file", "filename": "file.bin", "file_data": "AA=="}], ["L308"]),
        CLAUDE: ({"content": [text("[file]")]}, ["L302", "L308"]),
        GEMINI: (blob("application/octet-stream"), ["L308"]),
        CONVERSE: ({"content": [{"text": "[file]"}]}, ["L302", "L308"]),
    }),
    "structured": ({"content": [], "structuredContent": {"a": 1}}, {
        CHAT: ('{"a":1}', ["L305"]),
        ITEMS: ('{"a":1}', ["L305"]),
        CLAUDE: ({"content": [text('{"a":1}')]}, ["L305"]),
        GEMINI: ({"response": {"a": 1}}, []),
        CONVERSE: ({"content": [{"json": {"a": 1}}]}, []),
    }),
    "structured, no object": ({"content": [], "structuredContent": [1]}, {
        CHAT: ("[1]", ["L305"]),
        ITEMS: ("[1]", ["L305"]),
        CLAUDE: ({"content": [text("[1]")]}, ["L305"]),
        GEMINI: ({"response": {"output": [1]}}, ["L306"]),
        CONVERSE: ({"content": [{"text": "[1]"}]}, ["L305"]),
    }),
    "structured, and the same in words": (
        {"content": [text('{"a":1}')], "structuredContent": {"a": 1}}, {
            CHAT: ('{"a":1}', ["L305"]),
            ITEMS: ('{"a":1}', ["L305"]),
            CLAUDE: ({"content": [text('{"a":1}')]}, ["L305"]),
            GEMINI: ({"response": {"a": 1}}, []),
            CONVERSE: ({"content": [{"json": {"a": 1}}]}, []),
        }),
    "structured, and its one member in words": (
        {"content": [text("a\nb")], "structuredContent": {"content": "a\nb"}}, {
            CHAT: ("a\nb", ["L305"]),
            ITEMS: ("a\nb", ["L305"]),
            CLAUDE: ({"content": [text("a\nb")]}, ["L305"]),
            GEMINI: ({"response": {"content": "a\nb"}}, ["L330"]),
            CONVERSE: ({"content": [{"json": {"content": "a\nb"}}]}, ["L330"]),
        }),
    "structured, and its items in words": (
        {"content": [text("a"), text('{"y": 2, "x": 1.0}')],
         "structuredContent": {"result": ["a", {"x": 1, "y": 2}]}}, {
            CHAT: ([text("a"), text('{"y": 2, "x": 1.0}')], ["L305"]),
            ITEMS: ([{"type": "input_text", "text": "a"},
                     {"type": "input_text", "text": '{"y": 2, "x": 1.0}'}], ["L305"]),
            CLAUDE: ({"content": [text("a"), text('{"y": 2, "x": 1.0}')]}, ["L305"]),
            GEMINI: ({"response": {"result": ["a", {"x": 1, "y": 2}]}}, ["L330", "L330"]),
            CONVERSE: ({"content": [{"json": {"result": ["a", {"x": 1, "y": 2}]}}]},
                       ["L330", "L330"]),
        }),
    "structured, and a part of it in words": (
        {"content": [text("file"), PNG], "structuredContent": {"at": "/f", "is": {"in": "file"}}}, {
            CHAT: ([text(moved("image")), text('{"at":"/f","is":{"in":"file"}}')],
                   ["L303", "L305", "L330"]),
            ITEMS: ([{"type": "input_image", "image_url": "data:image/png;base64,AA==",
                      "detail": "auto"},
                     {"type": "input_text", "text": '{"at":"/f","is":{"in":"file"}}'}],
                    ["L305", "L330"]),
            CLAUDE: ({"content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png",
                                             "data": "AA=="}},
                text('{"at":"/f","is":{"in":"file"}}')]}, ["L305", "L330"]),
            GEMINI: ({"response": {"at": "/f", "is": {"in": "file"}},
                      "parts": [{"inlineData": {"data": "AA==", "mimeType": "image/png"}}]},
                     ["L330"]),
            CONVERSE: ({"content": [{"image": {"format": "png", "source": {"bytes": "AA=="}}},
                                    {"json": {"at": "/f", "is": {"in": "file"}}}]}, ["L330"]),
        }),
    "structured, and one of several in words": (
        {"content": [text("a")], "structuredContent": {"all": ["a", "b"]}}, {
            CHAT: ([text("a"), text('{"all":["a","b"]}')], ["L305"]),
            ITEMS: ([{"type": "input_text", "text": "a"},
                     {"type": "input_text", "text": '{"all":["a","b"]}'}], ["L305"]),
            CLAUDE: ({"content": [text("a"), text('{"all":["a","b"]}')]}, ["L305"]),
            GEMINI: ({"response": {"output": 'a\n{"all":["a","b"]}'}}, ["L305"]),
            CONVERSE: ({"content": [{"text": "a"}, {"json": {"all": ["a", "b"]}}]}, []),
        }),
    "structured, and other words": ({"content": [text("w")], "structuredContent": {"a": 1}}, {
        CHAT: ([text("w"), text('{"a":1}')], ["L305"]),
        ITEMS: ([{"type": "input_text", "text": "w"}, {"type": "input_text", "text": '{"a":1}'}],
                ["L305"]),
        CLAUDE: ({"content": [text("w"), text('{"a":1}')]}, ["L305"]),
        GEMINI: ({"response": {"output": 'w\n{"a":1}'}}, ["L305"]),
        CONVERSE: ({"content": [{"text": "w"}, {"json": {"a": 1}}]}, []),
    }),
    "error": ({"content": [text("a")], "isError": True}, {
        CHAT: ('{"ok":false,"error":"a"}', ["L304"]),
        ITEMS: ('{"ok":false,"error":"a"}', ["L304"]),
        CLAUDE: ({"content": [text("a")], "is_error": True}, []),
        GEMINI: ({"response": {"error": "a"}}, []),
        CONVERSE: ({"content": [{"text": "a"}], "status": "error"}, []),
    }),
    "error without a word": ({"content": [], "isError": True}, {
        CHAT: ('{"ok":false,"error":""}', ["L304"]),
        ITEMS: ('{"ok":false,"error":""}', ["L304"]),
        CLAUDE: ({"content": [text(SILENT)], "is_error": True}, []),
        GEMINI: ({"response": {"error": ""}}, []),
        CONVERSE: ({"content": [{"text": SILENT}], "status": "error"}, []),
    }),
    "empty": ({"content": []}, {
        CHAT: ("", []),
        ITEMS: ("", []),
        CLAUDE: ({"content": []}, []),
        GEMINI: ({"response": {}}, []),
        CONVERSE: ({"content": []}, []),
    }),
    "what only the protocol says": ({"content": [text("a")], "_meta": {"k": 1}}, {
        CHAT: ("a", ["L308"]),
        ITEMS: ("a", ["L308"]),
        CLAUDE: ({"content": [text("a")]}, ["L308"]),
        GEMINI: ({"response": {"output": "a"}}, ["L308"]),
        CONVERSE: ({"content": [{"text": "a"}]}, ["L308"]),
    }),
}  # fmt: skip
CELLS = [(case, family) for case in TABLE for family in FAMILIES]


def conversation(*results):
    calls = [tc.Call("f", {}, result.call_id) for result in results]
    return tc.Conversation(
        [
            tc.Message("user", [tc.Text("q")]),
            tc.Message("assistant", calls),
            tc.Message("tool", list(results)),
        ]
    )


def shown(family, messages):
    """The one result of a written history, without what pairs it with its call."""
    last = messages[2]
    match family:
        case "openai":
            return last["content"]
        case "openai-responses":
            return last["output"]
        case "anthropic":
            (block,) = last["content"]
            return {key: block[key] for key in block if key not in {"type", "tool_use_id"}}
        case "gemini":
            found = last["parts"][0]["functionResponse"]
            return {key: found[key] for key in found if key not in {"name", "id"}}
    found = last["content"][0]["toolResult"]
    return {key: found[key] for key in found if key != "toolUseId"}


@table("case, family", CELLS)
def test_the_table(case, family):
    value, expected = TABLE[case]
    before = copy.deepcopy(value)
    written = tc.write_messages(conversation(read_result(value, "c1", "f")), family)
    codes = sorted(loss.code for loss in written.losses if loss.code != "L325")
    assert (shown(family, written.payload), codes) == expected[family]
    assert value == before
    assert not sdk_faults(family, written.payload)
    assert ("L325" in {loss.code for loss in written.losses}) == (family != GEMINI)


@table("case, family", CELLS)
def test_what_comes_back_is_the_same_unless_reported(case, family):
    """The flag is never lost; the content only with a loss, or where text was put in."""
    value, expected = TABLE[case]
    written = tc.write_messages(conversation(read_result(value, "c1", "f")), family)
    history = tc.read_conversation(written.payload, source=family)
    (result,) = [part for message in history for part in message.results]
    told = WriteLog()
    back = write_result(result, told)
    assert back.get("isError", False) == value.get("isError", False)
    assert result.call_id == "c1"
    if expected[family][1] or case in {"error without a word", "texts"}:
        return
    own_words = [] if case != "structured" else [text('{"a":1}')]  # for those who read only words
    if case in {"structured, and other words", "structured, and one of several in words"}:
        spelled = json.dumps(value["structuredContent"], separators=(",", ":"))
        own_words = [*value["content"], text(spelled)]
    assert back == {**value, "content": own_words or value["content"]}


def test_what_is_moved_follows_the_last_result():
    """The one provider that takes only words there gets media in a user message behind all."""
    first = read_result({"content": [PNG]}, "c1", "f")
    second = read_result({"content": [text("b")]}, "c2", "f")
    written = tc.write_messages(conversation(first, second), CHAT)
    roles = [message["role"] for message in written.payload]
    assert roles == ["user", "assistant", "tool", "tool", "user"]
    assert written.payload[4]["content"] == [
        text("image from tool call c1:"),
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
    ]
