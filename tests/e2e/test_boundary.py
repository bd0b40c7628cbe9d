"""The providers' own packages, adapted, against loopback: what they send and return.

The application knows its tools by names and schemas that no provider takes as they are. The server
speaks as a model that saw the lowered tools would.
"""

import asyncio
import copy
import json

import pytest

import toolcanon as tc
from tests.loopback import Said
from tests.loopback.boundary_server import ERRORS, Manner, Provider
from tests.referee.bodies import sdk_faults
from tests.referee.histories import certain_faults
from tests.tables import table
from toolcanon.errors import ProfileCollision

pytest.importorskip("openai", reason="the providers' packages are not installed")

FAMILIES = ("openai", "openai-responses", "anthropic", "gemini")
OPTIONS = {
    "openai": {"strict": True},
    "openai-responses": {"strict": True},
    "anthropic": {"strict": True},
    "gemini": {"dialect": "gemini/openapi"},
}
MANNERS = {
    "plain": (False, Manner()),
    "gzip": (False, Manner(packed=True)),
    "two retries": (False, Manner(failures=2)),
    "streamed": (True, Manner()),
    "streamed in bytes": (True, Manner(pieces=1)),
    "streamed with CRLF": (True, Manner(line_end=b"\r\n", pieces=7)),
    "streamed with CR": (True, Manner(line_end=b"\r", pieces=5)),
    "streamed and packed": (True, Manner(packed=True, pieces=3)),
    "streamed after two retries": (True, Manner(failures=2)),
}
every_family = table("family", FAMILIES)
every_manner = table("manner", MANNERS)
both_ways = table("is_async", [False, True], ids=["sync", "async"])

# --- the application: its tools, its history, what the model will call

NAME = "find files"
SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["query"],
}
PLAIN = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"],
         "additionalProperties": False}  # fmt: skip
TOOLS = [tc.CanonicalTool(name=NAME, description="Find.", inputs=SCHEMA),
         tc.CanonicalTool(name="say", description="Say.", inputs=PLAIN)]  # fmt: skip
BEFORE = {"query": "find files", "labels": {"name": "find files"}}
ASKED = ({"query": "é😀", "labels": {"a b": "c", "": "d"}}, {"query": "x", "limit": 3})


def own_tools(family):
    """As the application writes them, in its SDK's way and with nothing lowered."""
    return tc.bind(TOOLS, family, lower=False).payload


def turn(family):
    """The answer of a model that got the lowered tools."""
    bound = tc.bind(TOOLS, family, **OPTIONS[family])
    calls = [(f"call_{n}", *bound.render(NAME, asked)) for n, asked in enumerate(ASKED)]
    return Said("Well, é😀.", (*calls, ("call_9", "say", {"text": "hé"})))


EXPECTED = [(NAME, ASKED[0]), (NAME, ASKED[1]), ("say", {"text": "hé"})]

HISTORY = {
    "openai": [
        {"role": "user", "content": "find files"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_b", "type": "function",
             "function": {"name": NAME, "arguments": json.dumps(BEFORE)}}]},
        {"role": "tool", "tool_call_id": "call_b", "content": "find files"},
        {"role": "user", "content": "Go on."},
    ],
    "openai-responses": [
        {"role": "user", "content": "find files"},
        {"type": "function_call", "call_id": "call_b", "name": NAME,
         "arguments": json.dumps(BEFORE)},
        {"type": "function_call_output", "call_id": "call_b", "output": "find files"},
        {"role": "user", "content": "Go on."},
    ],
    "anthropic": [
        {"role": "user", "content": "find files"},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "call_b", "name": NAME, "input": BEFORE}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "call_b", "content": "find files"},
            {"type": "text", "text": "Go on."}]},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "find files"}]},
        {"role": "model", "parts": [{"functionCall": {"name": NAME, "args": BEFORE}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": NAME, "response": {"output": "find files"}}},
            {"text": "Go on."}]},
    ],
}  # fmt: skip
CHOICE = {
    "openai": {"type": "function", "function": {"name": NAME}},
    "openai-responses": {"type": "function", "name": NAME},
    "anthropic": {"type": "tool", "name": NAME},
}


# --- the packages


class Openai:
    def __init__(self, url, options, is_async):
        import openai

        from toolcanon.boundary.openai import adapt

        kind = openai.AsyncOpenAI if is_async else openai.OpenAI
        self.plain = kind(base_url=f"{url}/v1", api_key="secret", max_retries=2)
        self.sdk = adapt(self.plain, **options)

    def asked(self, **more):
        return self.sdk.chat.completions.create, {"model": "m", "messages": HISTORY["openai"],
                "tools": own_tools("openai"), "tool_choice": CHOICE["openai"], **more}  # fmt: skip


class Responses(Openai):
    def asked(self, **more):
        family = "openai-responses"
        return self.sdk.responses.create, {"model": "m", "input": HISTORY[family], "store": False,
                "tools": own_tools(family), "tool_choice": CHOICE[family], **more}  # fmt: skip


class Anthropic:
    def __init__(self, url, options, is_async):
        import anthropic

        from toolcanon.boundary.anthropic import adapt

        kind = anthropic.AsyncAnthropic if is_async else anthropic.Anthropic
        self.plain = kind(base_url=url, api_key="secret", max_retries=2)
        self.sdk = adapt(self.plain, **options)

    def asked(self, **more):
        return self.sdk.messages.create, {"model": "m", "max_tokens": 9,
                "messages": HISTORY["anthropic"], "tools": own_tools("anthropic"),
                "tool_choice": CHOICE["anthropic"], **more}  # fmt: skip


class Gemini:
    def __init__(self, url, options, is_async):
        from google import genai

        from toolcanon.boundary.google import http_options

        retry = {"attempts": 3, "initial_delay": 0.01, "max_delay": 0.02}
        given = {"base_url": url, "retry_options": retry}
        client = genai.Client(api_key="secret", http_options=http_options(given, **options))
        self.client = client
        self.sdk = client.aio if is_async else client

    def asked(self, *, stream=False, **more):
        models = self.sdk.models
        method = models.generate_content_stream if stream else models.generate_content
        chosen = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [NAME]}}
        config = {"tools": own_tools("gemini"), "toolConfig": chosen,
                  "automatic_function_calling": {"disable": True}}  # fmt: skip
        return method, {"model": "m", "contents": HISTORY["gemini"],
                        "config": {**config, **more}}  # fmt: skip


SDKS = {"openai": Openai, "openai-responses": Responses, "anthropic": Anthropic, "gemini": Gemini}


def ask(family, url, options, is_async, *, streamed, **more):
    """One answer by the package, whichever way; objects of its own."""

    async def awaited():
        made = SDKS[family](url, options, True)
        try:
            method, given = made.asked(**({"stream": True} if streamed else {}), **more)
            answer = await method(**given)
            return [event async for event in answer] if streamed else answer
        finally:
            await (made.client.aio.aclose() if family == "gemini" else made.sdk.close())

    if is_async:
        return asyncio.run(awaited())
    made = SDKS[family](url, options, False)
    try:
        method, given = made.asked(**({"stream": True} if streamed else {}), **more)
        answer = method(**given)
        return list(answer) if streamed else answer
    finally:
        (made.client if family == "gemini" else made.sdk).close()


def read(answer, family, *, streamed):
    return (
        tc.accumulate(answer, source=family) if streamed else tc.read_answer(answer, source=family)
    )


def calls(answer):
    return [(call.name, call.arguments) for call in answer.calls]


# --- the claims


@every_family
@every_manner
@both_ways
def test_names_are_renamed_and_restored(family, manner, is_async):
    streamed, how = MANNERS[manner]
    with Provider(family, turn(family), how) as provider:
        answer = ask(family, provider.url, OPTIONS[family], is_async, streamed=streamed)
    found = read(answer, family, streamed=streamed)
    assert calls(found) == EXPECTED
    assert "".join(message.text for message in found.messages) == "Well, é😀."
    assert [call.id for call in found.calls] == ["call_0", "call_1", "call_9"]
    assert found.stop.reason == "tool_call"
    assert len(provider.received) == 1 + how.failures
    assert len({request.raw for request in provider.received}) == 1
    check_sent(family, provider.received[-1])


def check_sent(family, request):
    body = request.body
    bound = tc.bind(TOOLS, family, **OPTIONS[family])
    assert body["tools"] == bound.payload
    wire_name, wire_arguments = bound.render(NAME, BEFORE)
    assert wire_name != NAME
    assert wire_arguments != BEFORE
    read = tc.read_conversation(body, source=family)
    (call,) = [call for message in read.messages for call in message.calls]
    assert (call.name, call.arguments) == (wire_name, wire_arguments)
    assert read.tool_choice.names == [wire_name]
    (result,) = [result for message in read.messages for result in message.results]
    assert result.name in (None, wire_name)
    said = [part.text for m in read.messages for part in m.parts if isinstance(part, tc.Text)]
    assert said == ["find files", "Go on."]  # what people and tools say is nobody's name
    assert "find files" in str(result.content)
    assert sdk_faults(family, body) == []
    assert certain_faults(family, body) == []
    assert int(request.headers["content-length"]) == len(request.raw)
    assert any(value.endswith("secret") for value in request.headers.values())
    assert not any("toolcanon" in f"{k}{v}".lower() for k, v in request.headers.items())
    assert b"toolcanon" not in request.raw


@every_family
@both_ways
@table("streamed", [False, True], ids=["whole", "streamed"])
@table("packed", [False, True], ids=["as is", "packed"])
def test_an_error_arrives_as_it_was_sent(family, is_async, streamed, packed):
    manner = Manner(error=True, packed=packed)
    with (
        Provider(family, turn(family), manner) as provider,
        pytest.raises(Exception, match="find_files is bad") as caught,
    ):
        ask(family, provider.url, OPTIONS[family], is_async, streamed=streamed)
    assert len(provider.received) == 1
    error = caught.value
    body = error.details if family == "gemini" else error.response.json()
    assert body == ERRORS[family]
    assert (error.code if family == "gemini" else error.status_code) == 400


@every_family
@both_ways
@table("manner", ["plain", "gzip", "streamed in bytes", "streamed and packed"])
def test_what_needs_no_change_is_byte_for_byte_the_same(family, is_async, manner):
    """Verbatim, nothing is to be done: the SDK sends and gets what it does without us."""
    streamed, how = MANNERS[manner]
    said = Said("Hi.", (("call_1", NAME, {"query": 1}),))
    seen = []
    for options in ({"lower": False}, None):
        with Provider(family, said, how) as provider:
            if options is None:
                answer = plain_answer(family, provider.url, is_async, streamed)
            else:
                answer = ask(family, provider.url, options, is_async, streamed=streamed)
        found = read(answer, family, streamed=streamed)
        seen.append((provider.received[-1].raw, found.to_dict() if hasattr(found, "to_dict")
                     else repr(found)))  # fmt: skip
    assert seen[0] == seen[1]


def plain_answer(family, url, is_async, streamed):
    """Without the adapter."""

    class Bare(SDKS[family]):
        def __init__(self, url, options, is_async):
            if family == "gemini":
                from google import genai

                retry = {"attempts": 3, "initial_delay": 0.01, "max_delay": 0.02}
                given = {"base_url": url, "retry_options": retry}
                self.client = genai.Client(api_key="secret", http_options=given)
                self.sdk = self.client.aio if is_async else self.client
            else:
                super().__init__(url, options, is_async)
                self.sdk = self.plain

    kept, SDKS[family] = SDKS[family], Bare
    try:
        return ask(family, url, {}, is_async, streamed=streamed)
    finally:
        SDKS[family] = kept


@every_family
def test_given_objects_are_not_changed(family):
    history, tools = copy.deepcopy(HISTORY[family]), copy.deepcopy(own_tools(family))
    with Provider(family, turn(family)) as provider:
        ask(family, provider.url, OPTIONS[family], False, streamed=False)
    assert HISTORY[family] == history
    assert own_tools(family) == tools


@every_family
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_naming_profile_holds_at_the_boundary(family, streamed):
    said = Said("", (("call_1", "FindFiles", {"query": "x"}), ("call_2", "Say", {"text": "y"})))
    tools = [tc.CanonicalTool(name="find_files", inputs=SCHEMA), TOOLS[1]]
    more = {"tools": tc.bind(tools, family, lower=False).payload}
    if family == "gemini":
        more["toolConfig"] = {}
    elif family in CHOICE:
        more["tool_choice"] = "auto" if family != "anthropic" else {"type": "auto"}
    with Provider(family, said) as provider:
        answer = ask(family, provider.url, {"naming": "pascal"}, False, streamed=streamed, **more)
    found = read(answer, family, streamed=streamed)
    assert calls(found) == [("find_files", {"query": "x"}), ("say", {"text": "y"})]
    body = provider.received[0].body
    assert list(tc.bind(tc.read(body["tools"], source=family), family).names) == [
        "FindFiles",
        "Say",
    ]


@every_family
def test_a_ready_binding_is_what_is_sent(family):
    bound = tc.bind(TOOLS, family, **OPTIONS[family])
    with Provider(family, turn(family)) as provider:
        answer = ask(family, provider.url, {"binding": bound}, False, streamed=True)
    assert calls(read(answer, family, streamed=True)) == EXPECTED
    assert provider.received[0].body["tools"] == bound.payload


def test_our_own_errors_reach_the_application():
    tools = [tc.CanonicalTool(name=name, inputs=PLAIN) for name in ("a_b", "AB")]
    options = {"naming": "pascal"}
    for family in ("anthropic", "openai"):
        given = {"tools": tc.bind(tools, family, lower=False).payload}
        with (
            Provider(family, turn(family)) as provider,
            pytest.raises(Exception, match=r".") as caught,
        ):
            ask(family, provider.url, options, False, streamed=False, **given)
        found = [caught.value, caught.value.__cause__]
        assert any(isinstance(error, ProfileCollision) for error in found), family
        assert provider.received == []


# --- the packages' own ways with streams


def test_the_stream_helpers_end_with_the_applications_terms():
    import anthropic
    import openai

    from toolcanon.boundary import anthropic as for_anthropic
    from toolcanon.boundary import openai as for_openai

    manner = Manner(pieces=11)
    with Provider("anthropic", turn("anthropic"), manner) as provider:
        made = for_anthropic.adapt(
            anthropic.Anthropic(base_url=provider.url, api_key="k"), strict=True
        )
        given = {"model": "m", "max_tokens": 9, "messages": HISTORY["anthropic"]}
        with made, made.messages.stream(**given, tools=own_tools("anthropic")) as stream:
            message = stream.get_final_message()
    assert [(b.name, b.input) for b in message.content if b.type == "tool_use"] == EXPECTED

    with Provider("openai", turn("openai"), manner) as provider:
        sdk = openai.OpenAI(base_url=f"{provider.url}/v1", api_key="k")
        made = for_openai.adapt(sdk, strict=True)
        given = {"model": "m", "messages": HISTORY["openai"], "tools": strictly("openai")}
        with made, made.chat.completions.stream(**given) as stream:
            events = list(stream)
            final = stream.get_final_completion()
    told = [(c.function.name, json.loads(c.function.arguments))
            for c in final.choices[0].message.tool_calls]  # fmt: skip
    assert told == EXPECTED
    done = [e for e in events if e.type == "tool_calls.function.arguments.done"]
    assert [(e.name, json.loads(e.arguments)) for e in done] == EXPECTED

    with Provider("openai-responses", turn("openai-responses"), manner) as provider:
        sdk = openai.OpenAI(base_url=f"{provider.url}/v1", api_key="k")
        made = for_openai.adapt(sdk, strict=True)
        given = {"model": "m", "input": HISTORY["openai-responses"], "store": False}
        with made, made.responses.stream(**given, tools=strictly("openai-responses")) as stream:
            events = list(stream)
            final = stream.get_final_response()
    told = [(i.name, json.loads(i.arguments)) for i in final.output if i.type == "function_call"]
    assert told == EXPECTED
    done = [e for e in events if e.type == "response.function_call_arguments.done"]
    assert [(e.name, json.loads(e.arguments)) for e in done] == EXPECTED
    pieces = [e.delta for e in events if e.type == "response.function_call_arguments.delta"]
    assert [json.loads(piece) for piece in pieces[:2]] == [ASKED[0], ASKED[1]]


def test_raw_and_streaming_responses_are_rewritten_as_well():
    import anthropic
    import openai

    from toolcanon.boundary import anthropic as for_anthropic
    from toolcanon.boundary import openai as for_openai

    with Provider("anthropic", turn("anthropic"), Manner(packed=True)) as provider:
        sdk = anthropic.Anthropic(base_url=provider.url, api_key="k")
        with for_anthropic.adapt(sdk, strict=True) as made:
            given = {"model": "m", "max_tokens": 9, "messages": HISTORY["anthropic"]}
            given["tools"] = own_tools("anthropic")
            raw = made.messages.with_raw_response.create(**given)
            assert calls(tc.read_answer(raw.parse())) == EXPECTED
            assert calls(tc.read_answer(json.loads(raw.text()))) == EXPECTED
            assert raw.elapsed.total_seconds() >= 0
            assert raw.headers["x-request-id"] == "req_1"
            with made.messages.with_streaming_response.create(**given, stream=True) as raw:
                assert calls(tc.accumulate(raw.iter_bytes())) == EXPECTED

    with Provider("openai", turn("openai"), Manner(packed=True)) as provider:
        sdk = openai.OpenAI(base_url=f"{provider.url}/v1", api_key="k")
        with for_openai.adapt(sdk, strict=True) as made:
            given = {"model": "m", "messages": HISTORY["openai"], "tools": own_tools("openai")}
            raw = made.chat.completions.with_raw_response.create(**given)
            assert calls(tc.read_answer(raw.parse())) == EXPECTED
            assert raw.headers["x-request-id"] == "req_1"
            assert int(raw.headers["content-length"]) == len(raw.content)
            with made.chat.completions.with_streaming_response.create(**given, stream=True) as raw:
                assert calls(tc.accumulate(raw.iter_bytes())) == EXPECTED


def test_this_openai_also_takes_the_older_http_package():
    import httpx
    import openai

    from toolcanon.boundary.openai import adapt

    with Provider("openai", turn("openai"), Manner(pieces=7)) as provider:
        http = httpx.Client()
        sdk = openai.OpenAI(base_url=f"{provider.url}/v1", api_key="k", http_client=http)
        with adapt(sdk, strict=True) as made:
            given = {"model": "m", "messages": HISTORY["openai"], "tools": own_tools("openai")}
            answer = list(made.chat.completions.create(**given, stream=True))
    assert calls(tc.accumulate(answer)) == EXPECTED
    assert http.is_closed


def strictly(family):
    """The helpers of this package take nothing else; the schemas stay the application's."""
    tools = copy.deepcopy(own_tools(family))
    for tool in tools:
        (tool.get("function") or tool)["strict"] = True
    return tools


def test_functions_that_google_calls_by_itself_are_found():
    from google import genai

    from toolcanon.boundary.google import http_options

    asked = []

    def find_files(query: str) -> str:
        """Find."""
        asked.append(query)
        return "none"

    said = Said("", (("c1", "FindFiles", {"query": "é"}),))
    with Provider("gemini", said) as provider:
        options = http_options({"base_url": provider.url}, naming="pascal")
        client = genai.Client(api_key="k", http_options=options)
        config = {"tools": [find_files], "automatic_function_calling": {"maximum_remote_calls": 2}}
        client.models.generate_content(model="m", contents="Go.", config=config)
        client.close()
    assert asked == ["é"]
    sent = provider.received[1].body["contents"]
    assert sent[1]["parts"][0]["functionCall"]["name"] == "FindFiles"
    assert sent[2]["parts"][0]["functionResponse"]["name"] == "FindFiles"
