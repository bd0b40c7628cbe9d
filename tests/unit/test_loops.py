"""Agents that talk for several turns and change their provider in between: nothing is forgotten."""

import copy
import json
import pickle
from itertools import product

import pytest

import toolcanon as tc
from tests.loopback import FAMILIES, Said
from tests.loopback.wires import WIRES
from tests.referee.bodies import sdk_faults
from tests.referee.histories import certain_faults
from tests.tables import table
from toolcanon import Toolset
from toolcanon.errors import UsageError

PROMPT = "You are terse."
HISTORY = {"openai-responses": "input", "gemini": "contents"}
SYSTEM = {"openai-responses": "instructions", "gemini": "systemInstruction", "openai": ""}
# The same words of a user, and the same prompt, as each family has them.
SHAPES = {
    "openai": {"role": "system", "content": PROMPT},
    "openai-responses": PROMPT,
    "anthropic": [{"type": "text", "text": PROMPT}],
    "gemini": {"parts": [{"text": PROMPT}]},
    "bedrock": [{"text": PROMPT}],
}


def weather(city: str, unit: str | None = None) -> dict:
    """Forecast."""
    return {"city": city, "sky": "clear"}


def asked(family, words):
    if family == "gemini":
        return {"role": "user", "parts": [{"text": words}]}
    if family == "bedrock":
        return {"role": "user", "content": [{"text": words}]}
    return {"role": "user", "content": words}


def key(family):
    return HISTORY.get(family, "messages")


def answered(family, said, number, *, streamed):
    """What a provider sends: a body, or the events of a stream as its SDK or the wire has them."""
    if not streamed:
        return WIRES[family].body(said, number)
    sent = WIRES[family].stream(said, number)
    if family != "bedrock":
        return sent
    frames = pytest.importorskip("botocore.eventstream").EventStreamBuffer()
    frames.add_data(sent)
    return [{frame.headers[":event-type"]: json.loads(frame.payload)} for frame in frames]


def turn(family, bound, history, number, *, streamed=False):
    """A user's turn in the documented loop: a call, its result, and the answer in words."""
    history.append(asked(family, f"Question {number}?"))
    script = [
        Said("One moment.", ((f"call_{number}", *bound.render("weather", {"city": "Oslo"})),)),
        Said(f"Answer {number}."),
    ]
    while True:
        ran = bound.run(answered(family, script.pop(0), number, streamed=streamed))
        history += ran
        if ran.is_final:
            break
    assert not script


def begun(family):
    """A list of messages, and the prompt beside it where it has no place there."""
    if family == "openai":
        return [SHAPES[family]], None
    return [], SHAPES[family]


def whole(family, messages, system, bound):
    """The request that a program makes of a list, the prompt and its tools."""
    request = {"tools": bound.payload} if family == "gemini" else bound.request()
    beside = {} if system is None else {SYSTEM.get(family, "system"): system}
    return json.loads(json.dumps({key(family): list(messages), **beside, **request}))


def check(family, body):
    """The prompt, every question and every answer are there, once, and the body is legal."""
    read = tc.read_conversation(body, source=family)
    said = [*read.everything()]
    prompts = [one.text for one in said if one.role in {"system", "developer"}]
    assert prompts == [PROMPT]
    answers = [one.text for one in said if one.role == "assistant" and "Answer" in one.text]
    assert answers == ["Answer 1.", "Answer 2.", "Answer 3."]
    assert sum(one.text.count("Question") for one in said if one.role == "user") == 3
    assert len([call for one in said for call in one.calls]) == 3
    assert sdk_faults(family, body[key(family)]) == []
    # The history ends with the model's words here; a program goes on with the user's.
    body = {**body, key(family): [*body[key(family)], asked(family, "And now?")]}
    assert certain_faults(family, body, model="m") == []


TRIPLES = table("first", FAMILIES)


@TRIPLES
@table("kept", ["carried", "given", "receipt"])
def test_three_turns_and_two_switches_of_a_list(first, kept):
    for second, third in product(FAMILIES, FAMILIES):
        tools = Toolset([weather])
        bound = tools.bind(first)
        history, system = begun(first)
        turn(first, bound, history, 1)
        at, receipt = first, None
        for number, family in enumerate((second, third), 2):
            source, bound = bound, tools.bind(family)
            if kept != "carried" and at != first:  # as it comes back from a file
                history = json.loads(json.dumps(history))
            first_time = at == first and number == 2
            done = tc.switch(
                history,
                family,
                source=at,
                binding=bound,
                source_binding=source,
                system=system if first_time or kept == "given" else None,
                receipt=receipt if kept == "receipt" else None,
            )
            history, system, at, receipt = done.payload, done.system, family, done.receipt()
            turn(family, bound, history, number)
        check(third, whole(third, history, system, bound))


@TRIPLES
@table("streamed", [False, True])
def test_three_turns_and_two_switches_of_a_request_body(first, streamed):
    for second, third in product(FAMILIES, FAMILIES):
        tools = Toolset([weather])
        bound = tools.bind(first)
        history, system = begun(first)
        turn(first, bound, history, 1, streamed=streamed)
        body, at = whole(first, history, system, bound), first
        for number, family in enumerate((second, third), 2):
            done = tc.switch(body, family, source=at, source_binding=bound)
            bound, at = tools.bind(family), family
            body = json.loads(json.dumps(done.payload))
            turn(family, bound, body[key(family)], number, streamed=streamed)
        check(third, body)


@table("shape, to", [*product(SHAPES, FAMILIES)])
def test_a_system_prompt_is_taken_in_any_shape(shape, to):
    said = [{"role": "user", "content": "Hi"}]
    done = tc.switch(said, to, system=SHAPES[shape])
    assert not [loss for loss in done.losses if loss.code != "L308"]
    body = {key(to): done.payload, SYSTEM.get(to, "system") or "x": done.system}
    assert [one.text for one in tc.read_conversation(body, source=to).everything()] == [
        PROMPT,
        "Hi",
    ]
    again = tc.switch(said, to, system=done.system) if done.system is not None else done
    assert (again.payload, again.system) == (done.payload, done.system)


def test_a_system_prompt_that_the_messages_begin_with_is_not_repeated():
    said = [{"role": "system", "content": PROMPT}, {"role": "user", "content": "Hi"}]
    assert tc.switch(said, "anthropic", system=PROMPT).system == [{"type": "text", "text": PROMPT}]
    both = tc.switch(said, "anthropic", system="Be kind.").system
    assert [block["text"] for block in both] == ["Be kind.", PROMPT]


@pytest.mark.parametrize("wrong", [3, [3], {"a": 1}, [{"a": 1}], object()])
def test_what_is_no_system_prompt_is_refused(wrong):
    with pytest.raises(UsageError, match="not a system prompt"):
        tc.switch([{"role": "user", "content": "Hi"}], "gemini", system=wrong)


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "openai"])
def test_a_list_carries_its_prompt_through_copies_sums_and_slices(family):
    said = [SHAPES["openai"], *({"role": "user", "content": word} for word in "abc")]
    source = {"system": PROMPT, "messages": said[1:]}
    messages = tc.write_messages(tc.read_conversation(source, source="anthropic"), family).payload
    for made in (
        messages.copy(),
        messages + messages[:0],
        messages[:],
        messages[-1:],
        copy.copy(messages),
        copy.deepcopy(messages),
        pickle.loads(pickle.dumps(messages)),  # noqa: S301 - our own
        tc.trim(messages, messages=2).payload,
        tc.switch(messages, family).payload,
    ):
        back = tc.switch(made, "openai").payload
        assert [one["content"] for one in back if one["role"] in {"system", "developer"}] == [
            PROMPT
        ]
    assert messages == list(messages)
    assert json.loads(json.dumps(messages)) == list(messages)
