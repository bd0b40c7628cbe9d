"""Whatever a page or a program of the AI SDK may hold: read, the same at home, taken elsewhere."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolcanon as tc
from tests.referee.histories import certain_faults
from toolcanon.conversations.read_write import codec_of
from toolcanon.formats.vercel.tools import AWAITS
from toolcanon.formats.wire.codec import WriteLog

CODEC = codec_of("vercel")

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", " ", "w", '{"a":1}']),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["type", "value", "text", "$", "a"]), inner, max_size=2)
    ),
    max_leaves=4,
)
IDS = st.sampled_from(["a", "b", "c", "", 7, 1.5, None])
NAMES = st.sampled_from(["f", "g", "a.b"])
STATES = st.sampled_from(
    """input-streaming input-available approval-requested approval-responded output-available
    output-error output-denied odd""".split()
)
OLDER = st.sampled_from(["partial-call", "call", "result", "odd"])
WORDS = st.sampled_from(["", "w", "é"])
APPROVALS = st.fixed_dictionaries(
    {"id": st.sampled_from(["p", "q"])}, optional={"approved": st.booleans(), "reason": WORDS}
)
METADATA = st.just({"x": {"y": 1}})


def shaped(kind, optional=None, **required):
    """An object of a kind; now and then something is not what it should be."""
    known = {"type": st.just(kind), **required}
    usual = st.fixed_dictionaries(known, optional=optional or {})
    return st.one_of(usual, usual, usual, st.builds(_spoilt, usual, JSON, st.integers(0, 9)))


def _spoilt(value, other, number):
    keys = [key for key in value if key != "type"]
    return {**value, keys[number % len(keys)]: other} if keys else value


CONTENT = st.one_of(
    shaped("text", text=WORDS),
    shaped("file", data=st.just({"type": "data", "data": "aGk="}), mediaType=st.just("image/png")),
    shaped("image-url", url=st.just("https://e.org/a")),
    shaped("custom"),
)
OUTPUTS = st.one_of(
    shaped("text", value=WORDS),
    shaped("json", value=JSON),
    shaped("error-text", value=WORDS),
    shaped("error-json", value=JSON),
    shaped("content", value=st.lists(CONTENT, max_size=2)),
    shaped("execution-denied", {"reason": WORDS}),
)
CALLS = {"toolCallId": IDS, "toolName": NAMES}
SHARED = [
    shaped("text", {"providerOptions": METADATA}, text=WORDS),
    shaped("reasoning", {"providerMetadata": METADATA}, text=WORDS),
    shaped("what", a=JSON),
]
MODEL_PARTS = st.one_of(
    *SHARED,
    shaped("tool-call", {"providerExecuted": st.booleans()}, **CALLS, input=JSON),
    shaped("tool-call", **CALLS, args=JSON),
    shaped("tool-result", **CALLS, output=OUTPUTS),
    shaped("tool-result", {"isError": st.booleans()}, **CALLS, result=JSON),
    shaped("tool-approval-request", approvalId=st.just("p"), toolCallId=IDS),
    shaped("tool-approval-response", approvalId=st.just("p"), approved=st.booleans()),
    shaped("file", data=st.just("aGk="), mediaType=st.just("application/pdf")),
    shaped("image", {"mimeType": st.just("image/png")}, image=st.just("aGk=")),
)
TOOL = {
    "input": JSON,
    "output": JSON,
    "errorText": WORDS,
    "rawInput": JSON,
    "approval": APPROVALS,
    "providerExecuted": st.booleans(),
    "callProviderMetadata": METADATA,
}
HELD = st.fixed_dictionaries(
    {"state": OLDER, **CALLS}, optional={"args": JSON, "result": JSON, "step": st.integers(0, 2)}
)
PAGE_PARTS = st.one_of(
    *SHARED,
    shaped("tool-f", TOOL, toolCallId=IDS, state=STATES),
    shaped("dynamic-tool", TOOL, toolCallId=IDS, state=STATES, toolName=NAMES),
    shaped("tool-invocation", toolInvocation=HELD),
    shaped("file", url=st.just("https://e.org/a"), mediaType=st.just("image/png")),
    shaped("step-start"),
    shaped("data-x", data=JSON),
    shaped("steering-message", parts=st.lists(SHARED[0], max_size=1)),
)


def message(roles, key, parts, **more):
    said = st.one_of(parts, parts, JSON)
    known = {"role": st.sampled_from(roles), key: said}
    return st.fixed_dictionaries(known, optional={"id": st.sampled_from(["1", "2"]), **more})


MODEL = message(
    ["user", "assistant", "tool", "system"], "content",
    st.one_of(WORDS, st.lists(MODEL_PARTS, max_size=4)),
)  # fmt: skip
PAGE = message(
    ["user", "assistant", "system"], "parts", st.lists(PAGE_PARTS, max_size=4), metadata=JSON
)
FLAT = message(["assistant"], "toolInvocations", st.lists(HELD, max_size=2), content=WORDS)
HISTORIES = st.lists(st.one_of(MODEL, PAGE, FLAT), min_size=1, max_size=5)
TARGETS = ["openai", "openai-responses", "anthropic", "gemini", "bedrock", "vercel/model",
           "vercel/ui"]  # fmt: skip


def text(value):
    return json.dumps(value, sort_keys=True)


@given(HISTORIES)
@settings(max_examples=300)
def test_whatever_is_read_is_the_same_at_home(history):
    before = copy.deepcopy(history)
    told = WriteLog()
    written = CODEC.write_messages(CODEC.read_messages(history, None), told)
    assert text(written) == text(history)
    assert history == before
    assert not told.losses


@pytest.mark.parametrize("target", TARGETS)
@given(history=HISTORIES)
@settings(max_examples=100)
def test_whatever_is_read_is_taken_elsewhere(target, history):
    messages = CODEC.read_messages([{"role": "user", "content": "go"}, *history], None)
    read = tc.Conversation(messages, format="vercel")
    done = tc.switch(read, target)
    family = target.partition("/")[0]
    found = [one for one in tc.lint(done.payload, family, source=family) if one.level == "error"]
    if target == "vercel/ui":  # whose last call may still run: a page is no request
        last = tc.read_conversation(done.payload, source=family).messages[-2:]
        calls = [call for message in last for call in message.calls]
        running = {call.id for call in calls if call.extras["vercel"].get(AWAITS) == "ui"}
        found = [one for one in found if (one.code, one.subject in running) != ("C101", True)]
    assert not found
    assert text(tc.switch(read, target).payload) == text(done.payload)
    if family != "vercel":  # which leaves system messages, and calls that wait, where they are
        assert not certain_faults(family, done.payload)
