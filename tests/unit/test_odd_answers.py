"""What providers really answer: nothing crashes, nothing is lost without a word."""

import asyncio
import copy
import json

import pytest

import toolcanon as tc
from tests.loopback.sdks import START
from tests.referee.histories import certain_faults
from tests.tables import table
from toolcanon import Toolset
from toolcanon.errors import AnswerFailed, CutStream, NotAConversation

HISTORY = {
    "openai": "messages",
    "openai-responses": "input",
    "anthropic": "messages",
    "gemini": "contents",
    "bedrock": "messages",
}


def add(a: int, b: int = 1) -> int:
    """Add."""
    return a + b


def ping() -> str:
    """Answer."""
    return "pong"


def page(number: int = 1, size: int | None = None) -> int:
    """Turn to a page."""
    return number


def toolset():
    tools = Toolset([add, ping, page])
    for family in HISTORY:
        tools.bind(family)
    return tools


# --- what each provider's answers look like

A1, A2 = {"a": 1}, {"a": 2}
T1, T2 = '{"a":1}', '{"a":2}'
CUT = '{"a":'


def chat(*calls, finish="tool_calls", **said):
    message = {"role": "assistant", "content": None, **said}
    if calls:
        message["tool_calls"] = list(calls)
    return {
        "id": "x",
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
    }


def chat_call(name="add", arguments=T1, id="c1"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def chunk(delta, finish=None):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "choices": [choice]}


def responses(*items, status="completed", **said):
    return {"id": "r", "object": "response", "status": status, "output": list(items), **said}


def item(name="add", arguments=T1, call_id="c1", **said):
    return {
        "type": "function_call",
        "id": f"fc_{call_id}",
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
        "status": "completed",
        **said,
    }


def message(*blocks, stop="tool_use", **said):
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": list(blocks),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
        **said,
    }


def use(name="add", input=A1, id="t1"):
    return {"type": "tool_use", "id": id, "name": name, "input": input}


def contents(*parts, finish="STOP"):
    content = {"role": "model", "parts": list(parts)}
    return {"candidates": [{"index": 0, "content": content, "finishReason": finish}]}


def function(name="add", args=A1, **said):
    return {"functionCall": {"name": name, "args": args, **said}}


def converse(*blocks, stop="tool_use"):
    return {
        "output": {"message": {"role": "assistant", "content": list(blocks)}},
        "stopReason": stop,
        "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
        "metrics": {"latencyMs": 1},
    }


def tool(name="add", input=A1, id="t1"):
    return {"toolUse": {"toolUseId": id, "name": name, "input": input}}


def without(thing, key):
    return {name: value for name, value in thing.items() if name != key}


SEARCHING = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}
SEARCHED = {"type": "web_search_call", "id": "ws_1", "status": "completed",
            "action": {"type": "search", "query": "x"}}  # fmt: skip
WORDS = {"type": "message", "id": "m1", "role": "assistant", "status": "completed",
         "content": [{"type": "output_text", "text": "Hi.", "annotations": []}]}  # fmt: skip
REFUSED = {**WORDS, "content": [{"type": "refusal", "refusal": "No."}]}

NONE = "there are none; send a JSON object"
LENGTH = "cut at the limit of the answer's length"
FILTER = "a filter stopped"

# The answer, and what comes of its calls: a value, or the kind of error and words of its text.
ANSWERED = [
    # ids: missing, null, empty, of a wrong type, twice the same
    ("openai", chat(without(chat_call(), "id")), [2]),
    ("openai", chat(chat_call(id=None), chat_call(arguments=T2, id=None)), [2, 3]),
    ("openai", chat(chat_call(id=""), chat_call(arguments=T2, id="")), [2, 3]),
    ("openai", chat(chat_call(id=5), chat_call(arguments=T2)), [2, 3]),
    ("openai", chat(chat_call(), chat_call(arguments=T2)), [2, 3]),
    ("openai", chat(chat_call(), chat_call("ping", "{}"), chat_call(arguments=T2)), [2, "pong", 3]),
    ("openai-responses", responses(without(item(), "call_id")), [2]),
    ("openai-responses", responses(item(call_id=None), item(arguments=T2, call_id=None)), [2, 3]),
    ("openai-responses", responses(item(call_id=""), item(arguments=T2, call_id="")), [2, 3]),
    ("openai-responses", responses(item(), item(arguments=T2)), [2, 3]),
    ("anthropic", message(use(id=""), use(input=A2, id="")), [2, 3]),
    ("anthropic", message(use(), use(input=A2)), [2, 3]),
    ("gemini", contents(function(), function(args=A2)), [2, 3]),
    ("gemini", contents(function(id="g1"), function(args=A2, id="g1")), [2, 3]),
    ("gemini", contents(function(), function(args=A2, id="g2"), function("ping", {})),
     [2, 3, "pong"]),
    ("bedrock", converse(tool(id=""), tool(input=A2, id="")), [2, 3]),
    ("bedrock", converse(tool(), tool(input=A2)), [2, 3]),
    # spellings of old, and of proxies
    ("openai", chat(finish="function_call", function_call={"name": "add", "arguments": T1}), [2]),
    ("openai", [chunk({"role": "assistant", "function_call": {"name": "add", "arguments": CUT}}),
                chunk({"function_call": {"arguments": "1}"}}), chunk({}, "function_call")], [2]),
    ("openai", chat(without(chat_call(), "type")), [2]),
    ("openai", chat(chat_call(), finish="stop"), [2]),
    ("openai", chat(chat_call(), finish=None), [2]),
    ("openai", chat(chat_call(), refusal="I will not."), [2]),
    # names
    ("openai", chat(chat_call("ad")), [("not_found", "did you mean 'add'?")]),
    ("openai-responses", responses(item("ad"), item("ping", "{}", "c2")),
     [("not_found", "'add'"), "pong"]),
    ("anthropic", message(use("ad")), [("not_found", "'add'")]),
    ("gemini", contents(function("ad")), [("not_found", "'add'")]),
    ("bedrock", converse(tool("ad")), [("not_found", "'add'")]),
    ("openai", chat(chat_call("functions.add"), chat_call(id="c2")),
     [("not_found", "'functions.add'"), 2]),
    ("openai-responses", responses(item("multi_tool_use.parallel")), [("not_found", "parallel")]),
    ("anthropic", message(use("add numbers"), use("\u2028" * 200, id="t2")),
     [("not_found", "add numbers"), ("not_found", "no tool")]),
    ("gemini", contents(function("0 add"), function(args=A2)), [("not_found", "0 add"), 3]),
    ("bedrock", converse(tool("functions.add")), [("not_found", "functions.add")]),
    # arguments
    *[("openai", chat(chat_call(arguments=sent)), [("validation", says)])
      for sent, says in ((None, NONE), ("", NONE), (" ", NONE), ("null", NONE), ("[]", '"object"'),
                         ([], '"object"'), ("5", '"object"'), ('"x"', "not JSON"),
                         (CUT, "not JSON"), ("{}", '"a" is a required'))],
    *[("openai-responses", responses(item(arguments=sent)), [("validation", says)])
      for sent, says in ((None, NONE), ("", NONE), ("null", NONE), ("[1]", '"object"'))],
    *[("anthropic", message(use(input=sent)), [("validation", says)])
      for sent, says in ((None, NONE), ("", NONE), ("null", NONE), ([], '"object"'))],
    *[("gemini", contents(function(args=sent)), [("validation", says)])
      for sent, says in ((None, '"a" is a required'), ("", NONE), ([], '"object"'))],
    *[("bedrock", converse(tool(input=sent)), [("validation", says)])
      for sent, says in ((None, NONE), ("", NONE), ("null", NONE), ([], '"object"'))],
    *[("openai", chat(chat_call("ping", sent)), ["pong"])
      for sent in (None, "", "null", "{}", {}, '"{}"')],
    *[("openai", chat(chat_call("page", sent)), [1])
      for sent in (None, "", " ", "null", "{}", {})],
    *[("openai-responses", responses(item("page", sent)), [1]) for sent in (None, "", "null")],
    *[("anthropic", message(use("page", sent)), [1]) for sent in (None, "", "null", {})],
    *[("gemini", contents(function("page", sent)), [1]) for sent in (None, "", {})],
    *[("bedrock", converse(tool("page", sent)), [1]) for sent in (None, "", "null", {})],
    *[("openai", chat(chat_call("page", sent)), [("validation", says)])
      for sent, says in (("[]", '"object"'), ("0", '"object"'), ('{"number":NaN}', "not JSON"))],
    ("openai", chat({**chat_call(), "function": {"name": "page"}}), [1]),
    ("openai", chat({**chat_call(), "function": {"name": "add"}}), [("validation", NONE)]),
    ("openai", chat(finish="function_call", function_call={"name": "page"}), [1]),
    ("openai-responses", responses(without(item("page"), "arguments")), [1]),
    ("anthropic", message(without(use("page"), "input")), [1]),
    ("gemini", contents({"functionCall": {"name": "page"}}), [1]),
    ("openai", chat(chat_call(arguments={"a": 1})), [2]),
    ("openai", chat(chat_call(arguments=json.dumps(T1))), [2]),
    ("openai", chat(chat_call(arguments='{"a": 1}')), [2]),
    ("anthropic", message(use(input=T1)), [2]),
    # cut or filtered
    ("openai", chat(chat_call(), chat_call(arguments=CUT, id="c2"), finish="length"),
     [2, ("validation", LENGTH)]),
    ("openai", chat(chat_call(), finish="content_filter"), [("validation", FILTER)]),
    ("openai-responses", responses(item(), item(arguments=CUT, call_id="c2", status="incomplete"),
                                   status="incomplete",
                                   incomplete_details={"reason": "max_output_tokens"}),
     [2, ("validation", LENGTH)]),
    ("openai-responses", responses(item(), status="incomplete",
                                   incomplete_details={"reason": "content_filter"}),
     [("validation", FILTER)]),
    ("anthropic", message(use(input={}), stop="max_tokens"), [("validation", LENGTH)]),
    ("anthropic", message(use(), stop="model_context_window_exceeded"), [("validation", LENGTH)]),
    ("anthropic", message(use(), stop="refusal"), [("validation", FILTER)]),
    ("gemini", contents(function(), finish="MAX_TOKENS"), [("validation", LENGTH)]),
    ("gemini", contents(function(), finish="SAFETY"), [("validation", FILTER)]),
    ("bedrock", converse(tool(), stop="max_tokens"), [("validation", LENGTH)]),
    ("bedrock", converse(tool(), stop="guardrail_intervened"), [("validation", FILTER)]),
    # among other things
    ("openai-responses", responses(THOUGHT, SEARCHED, WORDS, item()), [2]),
    ("openai-responses", responses({"type": "item_of_tomorrow", "id": "i"}, item()), [2]),
    ("anthropic", message(SEARCHING, FOUND, use()), [2]),
    ("anthropic", message({"type": "thinking", "thinking": "Hm.", "signature": "s"}, use()), [2]),
    ("gemini", contents({"executableCode": {"language": "PYTHON", "code": "1"}},
                        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
                        function()), [2]),
    ("gemini", contents({**function(), "thoughtSignature": "YQ=="}, function(args=A2)), [2, 3]),
]  # fmt: skip


def told(result):
    response = tc.ToolResponse.from_result(result)
    return response.data if response.ok else (response.error_type, response.error)


@table("family, response, expected", ANSWERED)
def test_each_call_is_answered_once_and_in_the_providers_shape(family, response, expected):
    tools = toolset()
    before = copy.deepcopy(response)
    new = tools.run(response)
    assert response == before, "must not be changed"
    assert new == asyncio.run(tools.arun(response))
    assert new == [*new.turn, *new.results]
    found = [told(call.result) for call in new.calls]
    assert len(found) == len(expected)
    for one, wanted in zip(found, expected, strict=True):
        if isinstance(wanted, tuple):
            kind, words = wanted
            assert one[0] == kind
            assert words in one[1]
        else:
            assert one == wanted
    turn = tc.read_conversation(new.turn, source=family).messages
    assert all(isinstance(call.arguments, dict) for one in turn for call in one.calls)
    asked, answers = paired(family, new)
    assert sorted(map(repr, asked)) == sorted(map(repr, answers))
    assert certain_faults(family, body(family, tools, new), model="m") == []


def body(family, tools, new):
    """The next request."""
    bound = tools.bind(family)
    beside = {"tools": bound.payload} if family == "gemini" else bound.request()
    return json.loads(json.dumps({HISTORY[family]: [START[family], *new], **beside}))


def paired(family, new):
    """The ids (names, where there are none) of calls and of results."""
    history = tc.read_conversation(list(new), source=family)
    calls = [call.id or call.name for one in history.messages for call in one.calls]
    results = [one.call_id or one.name for each in history.messages for one in each.results]
    return calls, results


# The answer, the error, and words of it.
FAILED = [
    # calls that nobody can answer
    ("openai", chat(chat_call(None)), AnswerFailed, "without a name or an id"),
    ("openai", chat(chat_call("")), AnswerFailed, "without a name"),
    ("openai", chat(chat_call(), chat_call(5, id="c2")), AnswerFailed, "without a name or an id"),
    ("openai", chat({"id": "c1", "type": "function"}), AnswerFailed, "without a name or an id"),
    ("openai", chat({"id": "c1", "type": "function", "function": None}), AnswerFailed, "a call"),
    ("openai", chat(None), AnswerFailed, "without a name or an id"),
    ("openai", chat(tool_calls={"x": 1}), AnswerFailed, "without a name"),
    ("openai", chat(tool_calls=[]), AnswerFailed, "has no call"),
    ("openai", chat(finish="function_call", function_call={"name": None}), AnswerFailed,
     "has no call"),
    ("openai-responses", responses(item(None)), AnswerFailed, "without a name or an id"),
    ("anthropic", message(use(None)), AnswerFailed, "without a name or an id"),
    ("anthropic", message(use(), use(id=None)), AnswerFailed, "without a name or an id"),
    ("anthropic", message(without(use(), "id")), AnswerFailed, "without a name or an id"),
    ("gemini", contents(function(None)), AnswerFailed, "without a name or an id"),
    ("gemini", contents({"functionCall": "x"}), AnswerFailed, "without a name or an id"),
    ("bedrock", converse(tool(None)), AnswerFailed, "without a name or an id"),
    ("bedrock", converse(tool(id=None)), AnswerFailed, "without a name or an id"),
    ("bedrock", converse({"toolUse": None}), AnswerFailed, "without a name or an id"),
    # calls that the provider itself could not read
    ("gemini", {"candidates": [{"content": {}, "finishReason": "MALFORMED_FUNCTION_CALL",
                                "finishMessage": "Malformed: print(add(1))"}]},
     AnswerFailed, "Malformed: print(add(1))"),
    ("gemini", {"candidates": [{"content": {}, "finishReason": "UNEXPECTED_TOOL_CALL"}]},
     AnswerFailed, "UNEXPECTED_TOOL_CALL"),
    ("bedrock", converse({"text": "x"}, stop="malformed_tool_use"), AnswerFailed,
     "malformed_tool_use"),
    *[("gemini", contents(function(), finish=word), AnswerFailed, word)
      for word in ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL")],
    *[("bedrock", converse(tool(), stop=word), AnswerFailed, word)
      for word in ("malformed_tool_use", "malformed_model_output")],
    # nothing there, or not yet
    ("openai", {"object": "chat.completion", "choices": []}, AnswerFailed, "no candidate"),
    ("openai", {"object": "chat.completion", "choices": None}, NotAConversation, "/choices"),
    ("gemini", {"candidates": [], "promptFeedback": {"blockReason": "SAFETY"}}, AnswerFailed,
     "SAFETY"),
    ("gemini", [{"promptFeedback": {"blockReason": "SAFETY"}}], AnswerFailed, "SAFETY"),
    ("openai-responses", responses(status="queued"), AnswerFailed, "queued"),
    ("openai-responses", responses(item(), status="in_progress"), AnswerFailed, "in_progress"),
    ("openai-responses", responses(item(), status="cancelled"), AnswerFailed, "cancelled"),
    ("openai-responses", responses(None, item()), NotAConversation, "/output/0"),
    ("anthropic", message(content=None), NotAConversation, "/content"),
    ("bedrock", {"output": {}, "stopReason": "end_turn"}, NotAConversation, "/output/message"),
    # errors
    ("openai", {"error": {"message": "boom"}}, AnswerFailed, "boom"),
    ("openai-responses", responses(status="failed", error={"message": "boom"}), AnswerFailed,
     "boom"),
    ("openai-responses", [{"type": "response.created", "response": responses(status="queued")},
                          {"type": "response.failed",
                           "response": responses(status="failed", error={"message": "boom"})}],
     AnswerFailed, "boom"),
    ("anthropic", {"type": "error", "error": {"message": "Overloaded"}}, AnswerFailed,
     "Overloaded"),
    ("anthropic", [{"type": "message_start", "message": message(stop=None)},
                   {"type": "error", "error": {"message": "Overloaded"}}], CutStream, "Overloaded"),
    ("openai", [chunk({"role": "assistant", "tool_calls": [{"index": 0, **chat_call()}]})],
     CutStream, "no finish_reason"),
    ("openai", None, NotAConversation, "not a response"),
    ("openai", {}, NotAConversation, "pass a list"),
    ("openai", 5, NotAConversation, "not a response"),
    ("openai", [], CutStream, "request it again"),
    ("openai", "", CutStream, "request it again"),
    *[("openai", text, NotAConversation, "neither a JSON object nor events")
      for text in ("hello", b"hello", " Hi: you", "[]", "data of old")],
    *[("openai", text, CutStream, "request it again")
      for text in ('data: {"id"', b": wait\n\n", "event: x\n")],
]  # fmt: skip


@table("family, response, error, words", FAILED)
def test_what_cannot_be_run_is_reported_and_nothing_runs(family, response, error, words):
    ran = []

    def add(a: int, b: int = 1) -> int:
        """Add."""
        ran.append(a)
        return a + b

    bound = Toolset([add]).bind(family)
    before = copy.deepcopy(response)
    with pytest.raises(error) as caught:
        bound.run(response)
    assert words in str(caught.value)
    with pytest.raises(error):
        asyncio.run(bound.arun(response))
    assert response == before
    assert ran == []


def test_a_text_that_is_no_answer_is_reported_as_such():
    with pytest.raises(NotAConversation, match="neither a JSON object nor events of a stream"):
        toolset().run("hello")


EVENTS = [
    {"messageStart": {"role": "assistant"}},
    {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "t", "name": "ping"}},
                           "contentBlockIndex": 0}},
    {"contentBlockStop": {"contentBlockIndex": 0}},
    {"messageStop": {"stopReason": "tool_use"}},
]  # fmt: skip


def test_a_stream_in_its_envelope_is_taken():
    async def awaited():
        for event in EVENTS:
            yield event

    for tools in (toolset(), toolset().bind("bedrock")):
        plain = tools.run({"ResponseMetadata": {}, "stream": iter(EVENTS)})
        assert [call.value for call in plain.calls] == ["pong"]
        for stream in (iter(EVENTS), awaited()):
            assert asyncio.run(tools.arun({"stream": stream})) == plain


# Answers that ask for nothing: the loop ends, why is in the answer, and its words are in the turn.
ALONE = {"type": "reasoning", "id": "rs_1", "summary": []}
ENDED = [
    ("openai", chat(content="Hi.", finish="stop"), "end", "Hi."),
    ("openai", chat(content="Hi.", finish="stop", tool_calls=None, function_call=None), "end",
     "Hi."),
    ("openai", chat(content="Hi.", finish="stop", tool_calls=[]), "end", "Hi."),
    ("openai", chat(finish="stop", refusal="I will not."), "end", "I will not."),
    ("openai", chat(content="Hi", finish="length"), "length", "Hi"),
    ("openai", chat(finish="content_filter"), "filter", None),
    ("openai-responses", responses(SEARCHED, WORDS), "end", "Hi."),
    ("openai-responses", responses(REFUSED), "end", "No."),
    ("openai-responses", responses(), "end", None),
    ("openai-responses", responses(ALONE, status="incomplete",
                                   incomplete_details={"reason": "max_output_tokens"}),
     "length", None),
    ("openai-responses", responses(ALONE, WORDS), "end", "Hi."),
    ("anthropic", message(stop="refusal"), "filter", ""),
    ("anthropic", message({"type": "text", "text": "Hi."}, stop="end_turn"), "end", "Hi."),
    ("anthropic", message({"type": "text", "text": ""}, stop="end_turn"), "end", None),
    ("gemini", {"candidates": [{"index": 0, "finishReason": "SAFETY"}]}, "filter", None),
    ("gemini", {"candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}]},
     "length", None),
    ("gemini", contents({"text": "Hi."}), "end", "Hi."),
    ("bedrock", converse({"text": "Blocked."}, stop="guardrail_intervened"), "filter", "Blocked."),
    ("bedrock", converse(stop="end_turn"), "end", "(The model answered without words.)"),
    ("bedrock", converse({"text": " "}, stop="end_turn"), "end",
     "(The model answered without words.)"),
]  # fmt: skip


@table("family, response, reason, words", ENDED)
def test_an_answer_in_words_enters_the_history_and_ends_the_loop(family, response, reason, words):
    tools = toolset()
    new = tools.run(response)
    assert new == asyncio.run(tools.arun(response)) == new.turn
    assert (new.calls, new.results, new.is_final) == ([], [], True)
    assert new.answer.stop.reason == reason
    assert bool(new) == (words is not None)
    assert (words or "") in json.dumps(new)
    asked = body(family, tools, [*new, START[family]])
    assert certain_faults(family, asked, model="m") == []


def test_a_pause_goes_on_with_the_models_own_turn():
    new = toolset().run(message(SEARCHING, stop="pause_turn"))
    assert new == [{"role": "assistant", "content": [SEARCHING]}]
    assert (new.turn, new.results, new.calls, new.is_final) == (new, [], [], False)
    both = toolset().run(message(SEARCHING, use(), stop="pause_turn"))
    assert [one["role"] for one in both] == ["assistant", "user"]


@pytest.mark.parametrize(
    "answer",
    [
        {**chat(), "choices": [*chat(chat_call())["choices"], *chat(chat_call())["choices"]]},
        {"candidates": [*contents(function())["candidates"], *contents()["candidates"]]},
    ],
)
def test_of_several_candidates_the_first_counts_and_the_rest_is_reported(answer):
    new = toolset().run(answer)
    assert [call.value for call in new.calls] == [2]
    assert "L320" in [loss.code for loss in new.losses]


def test_made_ids_are_the_same_each_time_and_differ_between_answers():
    def ids(answer_id):
        new = toolset().run({**chat(chat_call(id=None), chat_call(id=None)), "id": answer_id})
        assert [one["id"] for one in new.turn[0]["tool_calls"]] == [
            one["tool_call_id"] for one in new.results
        ]
        return [one["tool_call_id"] for one in new.results]

    assert ids("x") == ids("x")
    assert len({*ids("x"), *ids("y")}) == 4
