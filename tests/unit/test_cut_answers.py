"""Answers that a limit cut off: the rest of a call is never run, and the model gets a result."""

import json

import pytest

import toolcanon as tc
from tests.loopback import FAMILIES, Said
from tests.loopback.wires import WIRES
from toolcanon import Toolset
from toolcanon.errors import AnswerFailed

# Where each family says why the model stopped, its words for a limit, and what may stand behind a
# call without saying anything.
LIMITS = {
    "openai": ("length", "model_length", "max_tokens", "MAX_TOKENS"),
    "openai-responses": ("max_output_tokens",),
    "anthropic": ("max_tokens", "model_context_window_exceeded"),
    "gemini": ("MAX_TOKENS",),
    "bedrock": ("max_tokens", "model_context_window_exceeded"),
}
SILENT = {
    "openai-responses": {"type": "reasoning", "id": "rs_9", "summary": []},
    "anthropic": {"type": "text", "text": ""},
    "gemini": {"text": "", "thoughtSignature": "YQ=="},
    "bedrock": {"text": " "},
}
WORDS = {
    "openai-responses": {"type": "message", "role": "assistant", "id": "msg_9",
                         "content": [{"type": "output_text", "text": "And"}]},
    "anthropic": {"type": "text", "text": "And"},
    "gemini": {"text": "And"},
    "bedrock": {"text": "And"},
}  # fmt: skip


class Paying:
    """A tool that must not run by mistake: all of its parameters have defaults."""

    def __init__(self, family):
        self.paid = []
        self.bound = Toolset([self.pay]).bind(family)

    def pay(self, amount: int = 1, to: str = "all") -> str:
        """Pay."""
        self.paid.append(amount)
        return "paid"


def parts_of(family, body):
    """The list that holds the calls, and the object that holds the reason to stop."""
    if family == "openai-responses":
        return body["output"], body
    if family == "anthropic":
        return body["content"], body
    if family == "gemini":
        return body["candidates"][0]["content"]["parts"], body["candidates"][0]
    if family == "bedrock":
        return body["output"]["message"]["content"], body
    return body["choices"][0]["message"]["tool_calls"], body["choices"][0]


def cut(family, word, behind=None):
    """A body with two calls that a limit ended behind the second."""
    calls = [("c1", "pay", {"amount": 1}), ("c2", "pay", {})]
    body = json.loads(json.dumps(WIRES[family].body(Said("Now.", calls), 1)))
    parts, stopped = parts_of(family, body)
    if behind is not None:
        parts.append(behind)
    if family == "openai-responses":
        stopped |= {"status": "incomplete", "incomplete_details": {"reason": word}}
    else:
        key = {"openai": "finish_reason", "gemini": "finishReason", "bedrock": "stopReason"}
        stopped[key.get(family, "stop_reason")] = word
    return body


@pytest.mark.parametrize("family", FAMILIES)
def test_the_last_call_of_an_answer_that_a_limit_cut_is_not_run(family):
    for word in LIMITS[family]:
        for behind in (None, SILENT.get(family)):
            tool = Paying(family)
            ran = tool.bound.run(cut(family, word, behind))
            assert tool.paid == [1], (word, behind)
            assert [one.ok for one in ran.calls] == [True, False]
            assert "was not carried out" in ran.calls[1].response.error
            assert not ran.is_final
            assert "was not carried out" in json.dumps(ran.results)


@pytest.mark.parametrize("family", WORDS)
def test_a_call_that_words_follow_was_whole(family):
    tool = Paying(family)
    tool.bound.run(cut(family, LIMITS[family][0], WORDS[family]))
    assert tool.paid == [1, 1]


def test_a_call_that_its_provider_calls_incomplete_is_not_run():
    for status, is_run in (("incomplete", False), ("in_progress", False), ("completed", True)):
        tool = Paying("openai-responses")
        body = WIRES["openai-responses"].body(Said("", [("c1", "pay", {})]), 1)
        body["output"][-1]["status"] = status
        ran = tool.bound.run(body)
        assert bool(tool.paid) is is_run
        assert ran.calls[0].ok is is_run


def test_an_answer_that_is_not_finished_is_refused():
    """As an SDK's stream has it before its end: the arguments are an object, and may be empty."""
    tool = Paying("anthropic")
    body = WIRES["anthropic"].body(Said("", [("c1", "pay", {})]), 1)
    with pytest.raises(AnswerFailed, match="not finished"):
        tool.bound.run({**body, "stop_reason": None})
    assert tool.paid == []


@pytest.mark.parametrize("family", FAMILIES)
def test_a_stream_that_a_limit_cut_runs_nothing_at_any_other_provider(family):
    sent = [{"index": 0, "id": "c1", "type": "function",
             "function": {"name": "pay", "arguments": ""}}]  # fmt: skip
    for text in ("", '{"amount": 5', '{"amount": 5}'):
        sent[0]["function"]["arguments"] = text
        chunks = [
            {"object": "chat.completion.chunk", "choices": [{"index": 0, **choice}]}
            for choice in (
                {"delta": {"role": "assistant", "tool_calls": sent}, "finish_reason": None},
                {"delta": {}, "finish_reason": "length"},
            )
        ]
        tool = Paying(family)
        source = tool.bound.toolset.bind("openai") if family != "openai" else tool.bound
        for given in ({}, {"binding": tool.bound, "source_binding": source}):
            events = list(tc.translate_stream(chunks, family, source="openai", **given))
            ran = tool.bound.run(tc.accumulate(events, source=family))
            assert (tool.paid, [one.ok for one in ran.calls]) == ([], [False])
