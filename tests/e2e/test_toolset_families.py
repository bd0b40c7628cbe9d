"""The same ten functions through five families, by the providers' own packages, on loopback."""

import asyncio
import base64
import json

import pytest

import toolcanon as tc
from tests.loopback import FAMILIES, SEALS, Loopback, Said
from tests.loopback.functions import ASKED, LOG, PNG, toolset
from tests.loopback.sdks import AASKING, atalk, talk
from tests.referee.bodies import sdk_faults
from tests.referee.histories import certain_faults
from tests.tables import table
from toolcanon.define import Context

pytest.importorskip("openai", reason="the providers' packages are not installed")

# What each call of ASKED comes to: data, or the kind of error and its text.
OUTCOMES = (
    {"stops": 1, "from": [1.5, 0.0]},
    "paid 3 by cash",
    "paid 5 by card",
    ["tea", None, "en", None],
    ["tea", 3, "en", False],
    3,
    0,
    {"colour": "blue", "level": 2},
    3,
    None,
    ...,  # the image, looked at apart
    ("execution", "LookupError: nothing there: é, password=***"),
    "Ann slept",
    ("timeout", "sleep did not finish within 0.2 seconds and may still be at work."),
)
WRONG = (
    ("pain", {}, ("not_found", "no tool is called 'pain'; did you mean 'paint'?")),
    ("plan", {"route": {"start": {"x": "far"}}, "name": "b"}, ("validation", "/route/start/x")),
    ("paint", {"colour": "green"}, ("validation", "/colour")),
)

cases = table(
    "family, strict, streamed",
    [(f, strict, streamed) for f in FAMILIES for strict in (False, True)
     for streamed in (False, True)],
)  # fmt: skip


def script(bound):
    """The turns of the model: all calls at once, then wrong calls, then a final text."""
    asked = tuple(
        (f"call_{number}", *bound.render(name, arguments))
        for number, (name, arguments) in enumerate(ASKED)
    )
    wrong = tuple((f"call_w{n}", name, sent) for n, (name, sent, _) in enumerate(WRONG))
    return [Said("Let me see.", asked), Said(calls=wrong), Said("Done.")]


def told(result):
    """The results that a provider got, in whatever form."""
    response = tc.ToolResponse.from_result(result)
    if not response.ok:
        return response.error_type, response.error
    data = response.data
    if isinstance(data, str):
        try:
            return json.loads(data)
        except ValueError:
            return data
    if isinstance(data, dict) and data.keys() == {"output"}:
        return data["output"]
    return data


def check_calls():
    """The functions were called with what the model meant, as Python values."""
    calls = [(name, arguments) for name, arguments in LOG]
    by_hand = toolset()
    LOG.clear()
    for name, arguments in ASKED:
        by_hand.call(name, arguments, context="Ann")
    assert sorted(map(repr, calls)) == sorted(map(repr, LOG))


def check_results(family, body):
    results = [r for m in tc.read_conversation(body, source=family).messages for r in m.results]
    assert len(results) == len(ASKED) + len(WRONG)
    for result, expected in zip(results, OUTCOMES, strict=False):
        if expected is ...:
            assert "Here it is." in str(result.content)
        else:
            assert told(result) == expected
    for result, (_, _, (kind, words)) in zip(results[len(ASKED) :], WRONG, strict=True):
        found, text = told(result)
        assert found == kind
        assert words in text
    spellings = (base64.b64encode(PNG), base64.urlsafe_b64encode(PNG))
    assert sum(json.dumps(body).count(spelling.decode()) for spelling in spellings) == 1


def check_bodies(family, bodies):
    for body in bodies:
        assert sdk_faults(family, body) == []
        assert certain_faults(family, body, model="m") == []
    assert SEALS.get(family, "") in json.dumps(bodies[-1], ensure_ascii=False)


@cases
def test_the_same_calls_and_the_same_results(family, strict, streamed):
    tools = toolset()
    bound = tools.bind(family, strict=strict)
    LOG.clear()
    with Loopback(family, script(bound)) as provider:
        history = talk(family, provider.url, bound,
                       lambda answer: tools.run(answer, context=Context("Ann")),
                       streamed=streamed)  # fmt: skip
    assert len(provider.bodies) == 3
    last = tc.read_conversation(history, source=family).messages[-1]
    assert (last.role, last.text) == ("assistant", "Done."), "the last words are in the history"
    check_calls()
    check_results(family, provider.bodies[-1])
    check_bodies(family, provider.bodies)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_results_asynchronously(family):
    tools = toolset()
    bound = tools.bind(family)
    LOG.clear()
    with Loopback(family, script(bound)) as provider:
        talk(family, provider.url, bound,
             lambda answer: asyncio.run(bound.arun(answer, context="Ann")),
             streamed=False)  # fmt: skip
    check_calls()
    check_results(family, provider.bodies[-1])


@table("streamed", [False, True])
@table("strict", [False, True])
@table("family", AASKING)
def test_async_clients_and_their_streams(family, strict, streamed):
    tools = toolset()
    bound = tools.bind(family, strict=strict)
    LOG.clear()
    with Loopback(family, script(bound)) as provider:
        asyncio.run(
            atalk(family, provider.url, bound,
                  lambda answer: tools.arun(answer, context="Ann"), streamed=streamed)
        )  # fmt: skip
    assert len(provider.bodies) == 3
    check_calls()
    check_results(family, provider.bodies[-1])
    check_bodies(family, provider.bodies)
