"""The rewriter on bytes: any split of a stream, odd servers, histories, names, requests at rest."""

import json
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolcanon as tc
from tests.conftest import rows
from tests.properties.test_streams import LABELS, STREAMS, as_bytes
from toolcanon.boundary.rewriter import Rewriter, RewriterOptions, StreamRewriter
from toolcanon.errors import (
    CutStream,
    LimitExceeded,
    MissingPackage,
    NotAConversation,
    ProfileCollision,
    UnknownFormat,
    UnreadableTool,
    UsageError,
    WrongFormat,
)
from toolcanon.naming.profiles import Profile

FAMILIES = ("openai", "openai-responses", "anthropic", "gemini")
every_family = pytest.mark.parametrize("family", FAMILIES)
STRICT = {
    "openai": {"strict": True},
    "openai-responses": {"strict": True},
    "anthropic": {"strict": True},
    "gemini": {"dialect": "gemini/openapi"},
}
FIND = tc.CanonicalTool(name="find files", inputs={
    "type": "object", "required": ["query"], "properties": {
        "query": {"type": "string"}, "limit": {"type": "integer"},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}}}})  # fmt: skip
SAY = tc.CanonicalTool(name="say", inputs={
    "type": "object", "required": ["text"], "additionalProperties": False,
    "properties": {"text": {"type": "string"}}})  # fmt: skip
OWN = {"query": 'é "😀"', "labels": {"": "x"}}


def request(family, tools=(FIND, SAY), messages=None, **more):
    """A body as an application writes it."""
    asked = {
        "openai": {"messages": [{"role": "user", "content": "Go."}]},
        "openai-responses": {"input": "Go."},
        "anthropic": {"messages": [{"role": "user", "content": "Go."}], "max_tokens": 1},
        "gemini": {"contents": [{"role": "user", "parts": [{"text": "Go."}]}]},
    }[family]
    if messages is not None:
        asked[next(iter(asked))] = messages
    if tools:
        asked["tools"] = tc.bind(list(tools), family, lower=False).payload
    return json.dumps({**asked, **more}).encode()


def exchange(family, body=None, **options):
    return Rewriter(family, RewriterOptions(**(options or STRICT[family]))).request(
        request(family) if body is None else body
    )


def called(family, *asked):
    """Calls as a model writes them that saw the lowered tools: (id, name, arguments, pieces)."""
    bound = tc.bind([FIND, SAY], family, **STRICT[family])
    calls = []
    for number, (name, own) in enumerate(asked):
        wire, arguments = bound.render(name, own)
        text = json.dumps(arguments)
        calls.append((f"c{number}", wire, arguments, [text[:7], text[7:20], text[20:]]))
    return calls


def found(answer):
    return [(call.name, call.arguments) for call in answer.calls]


def through(rewriter, pieces):
    return b"".join([*map(rewriter.feed, pieces), rewriter.close()])


ASKED = (("find files", OWN), ("say", {"text": "é"}), ("find files", {"query": "", "limit": 1}))


# --- streams


@every_family
@given(data=st.data())
@settings(max_examples=60)
def test_any_split_gives_the_same_bytes(family, data):
    events = list(STREAMS[family](["Hé", "llo"], called(family, *ASKED)))
    end = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    sent = as_bytes(family, events, end, comments=data.draw(st.booleans()))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=9)))
    pieces = [sent[a:b] for a, b in pairwise([0, *cuts, len(sent)])]
    rewritten = exchange(family)
    whole = through(rewritten.stream(), [sent])
    assert through(rewritten.stream(), pieces) == whole
    assert through(rewritten.stream(), [sent[n : n + 1] for n in range(len(sent))]) == whole
    answer = tc.accumulate(whole, source=family)
    assert found(answer) == list(ASKED)
    assert "".join(message.text for message in answer.messages) == "Héllo"


@every_family
def test_everything_but_calls_passes_at_once_and_byte_for_byte(family):
    sent = as_bytes(family, STREAMS[family](["Hé", "llo"], []), "\r\n", comments=True)
    stream = exchange(family).stream()
    assert [stream.feed(line) for line in sent.splitlines(keepends=True)] != [b""]
    assert through(exchange(family).stream(), [sent]) == sent
    stream, out = exchange(family).stream(), b""
    for number, byte in enumerate(sent, 1):
        out += stream.feed(bytes([byte]))
        if sent[:number].endswith(b"\r\n\r\n"):
            assert out == sent[:number]  # an event is handed on with its last byte


@every_family
def test_a_tool_that_goes_out_as_it_is_comes_back_as_it_is(family):
    """Its pieces are not held back, whatever happens to others."""
    sent = as_bytes(family, STREAMS[family](["x"], called(family, ASKED[1])))
    assert through(exchange(family).stream(), [sent]) == sent


@every_family
def test_a_cut_stream_stays_cut(family):
    events = list(STREAMS[family](["x"], called(family, *ASKED)))
    for length in range(len(events) - 2):
        sent = as_bytes(family, events[:length]).removesuffix(b"data: [DONE]\n\n")
        with pytest.raises(CutStream) as caught:
            tc.accumulate(through(exchange(family).stream(), [sent]), source=family)
        partial = caught.value.partial
        for call, meant in zip(partial.calls if partial else (), ASKED, strict=False):
            assert (call.name, call.arguments) == meant or call.problem


def chunk(*calls, finish=None, **more):
    delta = {"tool_calls": list(calls)} if calls else {}
    choice = {"index": 0, "delta": {**delta, **more}, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [choice]}  # fmt: skip


def piece(index, text, **more):
    return {**({} if index is None else {"index": index}), "function": {"arguments": text}, **more}


def start(index, id_, name, text=""):
    function = {"name": name, "arguments": text}
    return {**({} if index is None else {"index": index}), "id": id_, "type": "function",
            "function": function}  # fmt: skip


WIRE = '{"query":"a","limit":null,"labels":null}'
ODD_SERVERS = {
    "side by side": [
        chunk(start(0, "a", "find_files")), chunk(start(1, "b", "find_files")),
        chunk(piece(0, WIRE[:9])), chunk(piece(1, WIRE[:12])), chunk(piece(0, WIRE[9:])),
        chunk(piece(1, WIRE[12:])), chunk(finish="tool_calls"),
    ],
    "all in one chunk": [
        chunk(start(0, "a", "find_files", WIRE), start(1, "b", "find_files", WIRE),
              finish="tool_calls"),
    ],
    "whole calls": [
        chunk(start(0, "a", "find_files", WIRE)), chunk(start(1, "b", "find_files", WIRE)),
        chunk(finish="stop"),
    ],
    "without an index": [
        chunk(start(None, "a", "find_files")), chunk(piece(None, WIRE)),
        chunk(start(None, "b", "find_files")), chunk(piece(None, WIRE)), chunk(finish="stop"),
    ],
    "the id in every chunk": [
        chunk(start(0, "a", "find_files")), chunk(piece(0, WIRE[:5], id="a")),
        chunk(piece(0, WIRE[5:], id="a")), chunk(start(1, "b", "find_files")),
        chunk(piece(1, WIRE, id="b")), chunk(finish="tool_calls"),
    ],
    "words in between": [
        chunk(start(0, "a", "find_files"), content="Hm."), chunk(piece(0, WIRE), content=" Yes."),
        chunk(start(1, "b", "find_files", WIRE)), chunk(finish="tool_calls"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("case", ODD_SERVERS)
def test_chat_servers_of_all_sorts(case):
    events = ODD_SERVERS[case]
    out = through(exchange("openai").stream(), [as_bytes("openai", events)])
    answer = tc.accumulate(out, source="openai")
    assert found(answer) == [("find files", {"query": "a"})] * 2
    assert [call.id for call in answer.calls] == ["a", "b"]
    assert [message.text for message in answer.messages] == [
        message.text for message in tc.accumulate(events).messages
    ]
    # Whoever reads it sees a call finished before the next one begins.
    told = [piece for line in out.splitlines() if line.startswith(b"data: {")
            for choice in json.loads(line[6:])["choices"]
            for piece in choice["delta"].get("tool_calls", ())]  # fmt: skip
    order = [one.get("index") for one in told if one.get("index") is not None]
    assert order == sorted(order)


def test_what_is_held_back_comes_before_the_word_at_the_end():
    events = [chunk(start(0, "a", "find_files")), chunk(piece(0, WIRE))]
    sent = as_bytes("openai", events)
    out = through(exchange("openai").stream(), [sent])
    assert out.endswith(b"data: [DONE]\n\n")
    assert out.count(b"[DONE]") == 1
    assert json.dumps(json.dumps({"query": "a"}, separators=(",", ":"))).encode() in out


@every_family
def test_every_event_of_a_call_has_the_applications_name(family):
    """Whether or not its arguments are held back: no event has the provider's name."""
    plain = tc.CanonicalTool(name="a.b", inputs={"type": "object", "properties": {"x": {}}})
    body = request(family, [plain])
    sent = as_bytes(family, STREAMS[family]([], [("c0", "a_b", {"x": 1}, ['{"x":', " 1}"])]))
    sent = sent if family != "gemini" else sent.replace(b"a_b", b"a.b")  # legal there
    out = through(exchange(family, body, strict=False).stream(), [sent])
    assert b"a.b" in out
    assert b"a_b" not in out
    assert found(tc.accumulate(out)) == [("a.b", {"x": 1})]


def test_a_gateway_that_leaves_out_that_arguments_are_done():
    events = [
        event
        for event in STREAMS["openai-responses"]([], called("openai-responses", ASKED[0]))
        if event["type"] != "response.function_call_arguments.done"
    ]
    out = through(exchange("openai-responses").stream(), [as_bytes("openai-responses", events)])
    assert found(tc.accumulate(out)) == [ASKED[0]]
    told = [json.loads(line[6:]) for line in out.splitlines() if line.startswith(b"data: {")]
    assert [json.loads(one["delta"]) for one in told if "delta" in one] == [OWN]


def test_a_stream_that_does_not_say_that_it_is_one():
    sent = as_bytes("anthropic", STREAMS["anthropic"](["x"], called("anthropic", *ASKED)))
    assert found(tc.accumulate(exchange("anthropic").answer(sent))) == list(ASKED)


def test_tools_that_a_result_points_out_are_renamed():
    reference = {"type": "tool_reference", "tool_name": "find files"}
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "say",
                                           "input": {"text": "x"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1",
                                      "content": [reference]}]},
    ]  # fmt: skip
    sent = json.loads(exchange("anthropic", request("anthropic", messages=messages)).body)
    assert sent["messages"][2]["content"][0]["content"][0]["tool_name"] == "find_files"


def test_arguments_by_path_are_put_together():
    def part(**call):
        content = {"role": "model", "parts": [{"functionCall": call}]}
        return {"candidates": [{"content": content, "index": 0}]}

    path = {"jsonPath": "$.query", "stringValue": "a"}
    events = [
        part(name="find_files", id="c", partialArgs=[path], willContinue=True),
        part(partialArgs=[{**path, "stringValue": "b"}], willContinue=True),
        part(partialArgs=[{"jsonPath": "$.labels[0].key", "stringValue": "k"},
                          {"jsonPath": "$.labels[0].value", "stringValue": "v"}]),
        {"candidates": [{"content": {"role": "model", "parts": []}, "finishReason": "STOP"}]},
    ]  # fmt: skip
    out = through(exchange("gemini").stream(), [as_bytes("gemini", events)])
    assert found(tc.accumulate(out)) == [("find files", {"query": "ab", "labels": {"k": "v"}})]


def test_the_list_that_google_sends_without_sse():
    chunks = list(STREAMS["gemini"](["x"], called("gemini", ASKED[0])))
    out = exchange("gemini").answer(json.dumps(chunks).encode())
    assert found(tc.accumulate(json.loads(out))) == [ASKED[0]]


def test_the_echo_of_a_response_is_the_applications():
    body = json.loads(request("openai-responses", tool_choice={"type": "function",
                                                               "name": "find files"}))  # fmt: skip
    made = exchange("openai-responses", json.dumps(body).encode())
    sent = json.loads(made.body)
    assert sent["tools"] != body["tools"]
    answer = {"id": "r", "object": "response", "status": "completed", "output": [],
              "tools": sent["tools"], "tool_choice": sent["tool_choice"]}  # fmt: skip
    out = json.loads(made.answer(json.dumps(answer).encode()))
    assert (out["tools"], out["tool_choice"]) == (body["tools"], body["tool_choice"])


def test_what_is_no_event_passes():
    odd = (b'data: [DONE]\n\ndata: not json\n\n: ping\n\ndata: {"a": \xff}\n\nid: 7\n\n'
           b'data: [1]\n\nretry: 1\n\ndata: {"type":"content_block_stop","index":"x"}\n\n'
           b'\xef\xbb\xbfdata: {"broken\n\ndata: {"text": "\\ud83d"}\n\ndata: {"a":1}')  # fmt: skip
    for family in FAMILIES:
        assert through(exchange(family).stream(), [odd]) == odd
        for nonsense in (b"", b"no", b"[1]", b'{"a": 1}', b"\xff", b'"x"'):
            assert exchange(family).answer(nonsense) == nonsense


def test_one_event_has_a_limit():
    stream = StreamRewriter(exchange("openai").stream()._patcher, limit=100)
    assert [stream.feed(b"data: 12345") for _ in range(9)] == [b""] * 9
    with pytest.raises(LimitExceeded):
        stream.feed(b"data: 12345")


def test_half_a_character_and_huge_numbers_do_not_stop_an_answer():
    body = (b'{"content":[{"type":"text","text":"\\ud83d","n":1e999},'
            b'{"type":"tool_use","id":"1","name":"find_files","input":{"query":"x",'
            b'"limit":null,"labels":null}}]}')  # fmt: skip
    out = json.loads(exchange("anthropic").answer(body))
    assert out["content"][0]["text"] == "\ud83d"
    assert out["content"][1]["name"] == "find files"


# --- requests


def conversation(made):
    return tc.read_conversation(json.loads(made.body))


def chat_history(*names):
    messages = [{"role": "user", "content": "Go."}]
    for number, name in enumerate(names):
        call = {"id": f"c{number}", "type": "function",
                "function": {"name": name, "arguments": '{"query":"x"}'}}  # fmt: skip
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "done"})
    return messages


def names_of(made):
    return [call.name for message in conversation(made).messages for call in message.calls]


def test_tools_of_the_history_get_unused_names():
    """The tool `a.b` is sent as `a_b`; another, called `a_b`, is only in the history."""
    tools = [tc.CanonicalTool(name="a.b", inputs=SAY.inputs)]
    body = request("openai", tools, chat_history("a_b", "a.b", "gone away", "a_b"))
    made = exchange("openai", body, strict=False)
    first, second, third, again = names_of(made)
    assert (second, third) == ("a_b", "gone_away")
    assert first == again != "a_b"
    call = {"id": "1", "type": "function", "function": {"name": first, "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    answer = {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    assert found(tc.read_answer(json.loads(made.answer(json.dumps(answer).encode())))) == [
        ("a_b", {})
    ]


def test_a_request_without_tools_still_has_its_history_renamed():
    body = request("openai", (), chat_history("find files"))
    assert names_of(exchange("openai", body)) == ["find_files"]
    made = exchange("openai", body, tools=[FIND], strict=True)
    assert "tools" not in json.loads(made.body)
    (call,) = conversation(made).messages[1].calls
    assert call.arguments == {"query": "x", "limit": None, "labels": None}


def test_definitions_given_go_before_those_of_the_request():
    rough = tc.CanonicalTool(name="find files", inputs={"type": "object"})
    made = exchange("openai", request("openai", [rough]), tools=[FIND], strict=True)
    assert json.loads(made.body)["tools"] == tc.bind([FIND], "openai", strict=True).payload


def test_internal_tools_are_neither_sent_nor_replayed():
    profile = Profile("mine", {"say": "Speak"}, internal=frozenset({"finish"}))
    tools = [SAY, tc.CanonicalTool(name="finish", inputs=SAY.inputs)]
    body = request("openai", tools, chat_history("say", "finish", "say"))
    made = exchange("openai", body, naming=profile)
    sent = json.loads(made.body)
    assert [tool["function"]["name"] for tool in sent["tools"]] == ["Speak"]
    assert names_of(made) == ["Speak", "Speak"]
    assert [m.get("tool_call_id") for m in sent["messages"] if m["role"] == "tool"] == ["c0", "c2"]


def test_two_tools_under_one_name_are_refused():
    profile = Profile("mine", {"say": "X", "find files": "X"})
    with pytest.raises(ProfileCollision):
        exchange("openai", naming=profile)


def test_strictness_of_a_whole_request_is_asked_for_where_it_is_one():
    made = exchange("gemini", strict=True)
    config = json.loads(made.body)["toolConfig"]
    assert config == {"functionCallingConfig": {"mode": "VALIDATED"}}
    chosen = {"functionCallingConfig": {"mode": "NONE"}}
    made = exchange("gemini", request("gemini", toolConfig=chosen), strict=True)
    assert json.loads(made.body)["toolConfig"] == chosen


@every_family
def test_rewriting_twice_is_rewriting_once(family):
    """And two adapters on top of each other undo each other's work in order."""
    first = exchange(family)
    second = exchange(family, first.body)
    assert json.loads(second.body) == json.loads(first.body)
    assert exchange(family).body == first.body
    sent = as_bytes(family, STREAMS[family](["x"], called(family, *ASKED)))
    inner = through(second.stream(), [sent])
    assert found(tc.accumulate(through(first.stream(), [inner]), source=family)) == list(ASKED)


@every_family
def test_built_in_tools_and_settings_stay(family):
    hosted = {
        "openai": [],
        "openai-responses": [{"type": "web_search"}],
        "anthropic": [{"type": "web_search_20250305", "name": "web_search", "max_uses": 2}],
        "gemini": [{"googleSearch": {}}],
    }[family]
    body = json.loads(request(family))
    body["tools"] += hosted
    body |= {"temperature": 0.5, "metadata": {"name": "find files"}}
    sent = json.loads(exchange(family, json.dumps(body).encode(), naming="pascal").body)
    assert all(tool in sent["tools"] for tool in hosted)
    assert (sent["temperature"], sent["metadata"]) == (0.5, {"name": "find files"})
    assert list(sent) == list(body)


def test_what_is_no_request_of_ours_passes():
    for family in FAMILIES:
        for body in (b"", b"{}", b"[]", b"no", b'{"input": 1}', b"\xff"):
            made = exchange(family, body)
            assert (made.body, made.is_changed, made.changes_answer) == (body, False, False)


def test_misuse_is_refused_when_it_is_made():
    for family in ("bedrock", "mcp", "nobody"):
        with pytest.raises(UnknownFormat):
            Rewriter(family)
    bound = tc.bind([FIND], "anthropic")
    with pytest.raises(UsageError):
        Rewriter("openai", RewriterOptions(binding=bound))
    with pytest.raises(UsageError):
        Rewriter("anthropic", RewriterOptions(binding=tc.Binding.from_receipt(bound.receipt())))


def test_what_is_missing_is_named(monkeypatch):
    import sys

    from toolcanon.boundary import anthropic, google, httpx_transport

    for module, name in (("httpx2", "httpx2"), ("anthropic", "anthropic"),
                         ("google.genai.types", "google-genai")):  # fmt: skip
        monkeypatch.setitem(sys.modules, module, None)
        asked = {
            "httpx2": lambda: httpx_transport.kit_for.__wrapped__("httpx2"),
            "anthropic": anthropic._middleware.__wrapped__,
            "google.genai.types": google.http_options,
        }[module]
        with pytest.raises(MissingPackage, match=name):
            asked()


def test_other_objects_than_clients_are_refused():
    from toolcanon.boundary import anthropic, httpx_transport, openai

    for take in (httpx_transport.client, openai.adapt, anthropic.adapt):
        with pytest.raises(UsageError):
            take(object())


# --- recorded requests and streams


@pytest.mark.corpus
@pytest.mark.parametrize("label", [label for label, family in LABELS.items() if family in FAMILIES])
def test_recorded_requests_keep_their_bytes_when_nothing_is_to_be_done(label):
    rewriter, seen = Rewriter(LABELS[label], RewriterOptions(lower=False)), 0
    for row in rows(label, "conversations"):
        body = row["body"].get("request")
        if not isinstance(body, dict):
            continue
        try:
            tc.read(
                body.get("tools") or [SAY], source=None if not body.get("tools") else LABELS[label]
            )
        except (WrongFormat, UnreadableTool):  # a gateway's tools, or such as have no name
            continue
        data = json.dumps(body).encode()
        made = rewriter.request(data)
        assert made.body == data, row["id"]
        seen += 1
    assert seen


@pytest.mark.corpus
@pytest.mark.parametrize("label", [label for label, family in LABELS.items() if family in FAMILIES])
def test_recorded_requests_are_rewritten_and_their_calls_come_back(label):
    """Each call of a history goes out in the provider's terms and is the same when read back."""
    family, seen = LABELS[label], 0
    rewriter = Rewriter(family, RewriterOptions(naming="pascal", **STRICT[family]))
    for row in rows(label, "conversations"):
        body = row["body"].get("request")
        if not isinstance(body, dict):
            continue
        try:
            before = tc.read_conversation(body, source=family)
            made = rewriter.request(json.dumps(body).encode())
        except (WrongFormat, UnreadableTool, ProfileCollision, NotAConversation):
            continue
        if not made.is_changed:
            continue
        after = tc.read_conversation(json.loads(made.body), source=family)
        table = made._table
        for one, other in zip(before.messages, after.messages, strict=True):
            for call, sent in zip(one.calls, other.calls, strict=True):
                assert table.name(sent.name, sent.namespace) == call.name, row["id"]
                assert sent.id == call.id
                seen += call.name != sent.name
            assert one.text == other.text
    assert seen


def test_numbers_and_keys_come_through_as_they_were():
    """What changes elsewhere in a body must not touch these."""
    body = request("openai", seed=12345678901234567890123, temperature=1.0)
    sent = exchange("openai", body).body
    assert b"12345678901234567890123" in sent
    assert b'"temperature":1.0' in sent
    answer = (b'{"choices":[{"index":0,"finish_reason":"tool_calls","n":98765432109876543210987,'
              b'"message":{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":'
              b'{"name":"find_files","arguments":"{\\"query\\":\\"x\\",\\"limit\\":null,'
              b'\\"labels\\":null}"}}]}}]}')  # fmt: skip
    out = exchange("openai").answer(answer)
    assert b"98765432109876543210987" in out
    assert found(tc.read_answer(json.loads(out))) == [("find files", {"query": "x"})]


def test_depth_is_refused_rather_than_walked():
    deep = b'{"messages":[],"x":' + b"[" * 5000 + b"]" * 5000 + b"}"
    with pytest.raises(LimitExceeded):
        exchange("openai", deep)


@pytest.mark.parametrize("names", list(permutations(("a.b", "a:b", "a_b", "c.d"))))
def test_an_adapter_and_switch_name_a_tool_of_the_history_alike(names):
    """Whatever else the history calls before it."""
    tool = tc.CanonicalTool(name="c d", inputs={"type": "object"})
    messages = [{"role": "user", "content": "Go."}]
    for number, name in enumerate(names):
        use = {"type": "tool_use", "id": f"c{number}", "name": name, "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": "x"}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    body = request("anthropic", [tool], messages, max_tokens=1)
    adapted = json.loads(exchange("anthropic", body, strict=False).body)["messages"]
    switched = tc.switch(messages, "anthropic", tools=[tool], source="anthropic").payload
    found = [
        {name: block["name"] for name, block in zip(names, uses, strict=True)}
        for uses in (
            [b for m in history if m["role"] == "assistant" for b in m["content"]]
            for history in (adapted, switched)
        )
    ]
    expected = {"a_b": "a_b", "a.b": "a_b_2e7336dc", "a:b": "a_b_6783a31e", "c.d": "c_d_713ff6c4"}
    assert found == [expected, expected]
