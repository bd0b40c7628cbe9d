"""What the transport does around bodies: redirects, packed requests, hooks, other traffic."""

import asyncio
import gzip
import json

import pytest

import toolcanon as tc
from toolcanon.boundary.httpx_transport import client
from toolcanon.errors import NotAConversation

httpx2 = pytest.importorskip("httpx2")

TOOL = tc.CanonicalTool(name="find files", inputs={"type": "object", "properties": {
    "q": {"type": "string"}, "n": {"type": "integer"}}, "required": ["q"]})  # fmt: skip
BODY = {
    "model": "m",
    "messages": [{"role": "user", "content": "Go."}],
    "tools": tc.bind([TOOL], "openai", lower=False).payload,
}
CALL = {"id": "1", "type": "function",
        "function": {"name": "find_files", "arguments": '{"q":"x","n":null}'}}  # fmt: skip
MESSAGE = {"role": "assistant", "content": None, "tool_calls": [CALL]}
ANSWER = {"id": "a", "object": "chat.completion", "created": 1, "model": "m",
          "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "tool_calls"}]}  # fmt: skip
URL = "http://provider.example/v1/chat/completions"


every_package = pytest.mark.parametrize(
    "http", [httpx2, pytest.importorskip("httpx")], ids=["httpx2", "httpx"]
)


def calls(response):
    return [(call.name, call.arguments) for call in tc.read_answer(response.json()).calls]


def names(request):
    return [tool["function"]["name"] for tool in json.loads(request.content)["tools"]]


def adapted(http, answer, **more):
    inner = http.Client(transport=http.MockTransport(answer), **more)
    return client(inner, strict=True)


@every_package
def test_a_redirect_is_rewritten_once(http):
    seen = []

    def answer(request):
        seen.append(request)
        if request.url.path.startswith("/v1"):
            there = "http://provider.example/v2/chat/completions"
            return http.Response(307, headers={"location": there})
        return http.Response(200, json=ANSWER)

    with adapted(http, answer, follow_redirects=True) as made:
        response = made.post(URL, json=BODY)
    assert calls(response) == [("find files", {"q": "x"})]
    assert [names(request) for request in seen] == [["find_files"]] * 2
    assert len({request.content for request in seen}) == 1


@every_package
def test_a_packed_request_stays_packed(http):
    seen = []

    def answer(request):
        seen.append(request)
        return http.Response(200, json=ANSWER)

    with adapted(http, answer) as made:
        packed = gzip.compress(json.dumps(BODY).encode())
        kind = {"content-type": "application/json", "content-encoding": "gzip"}
        response = made.post(URL, content=packed, headers=kind)
    assert calls(response) == [("find files", {"q": "x"})]
    (request,) = seen
    assert request.headers["content-encoding"] == "gzip"
    assert int(request.headers["content-length"]) == len(request.content)
    assert json.loads(gzip.decompress(request.content))["tools"][0]["function"]["strict"] is True


@every_package
def test_what_the_other_client_is_set_up_for_holds(http):
    hooked, seen = [], []

    def answer(request):
        seen.append(request)
        return http.Response(200, json=ANSWER, headers={"set-cookie": "a=b"})

    hooks = {"request": [lambda request: hooked.append(names(request))]}
    more = {"headers": {"x-team": "t"}, "params": {"v": "1"}, "cookies": {"c": "d"}}
    more |= {"timeout": 7.5, "event_hooks": hooks, "base_url": "http://provider.example/v1"}
    with adapted(http, answer, **more) as made:
        made.post("/chat/completions", json=BODY)
    (request,) = seen
    assert request.headers["x-team"] == "t"
    assert request.headers["cookie"] == "c=d"
    assert request.url.params["v"] == "1"
    assert request.extensions["timeout"]["read"] == 7.5
    assert hooked == [["find_files"]]


@every_package
@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/v1/chat/completions"), ("POST", "/v1/files"), ("POST", "/v1/embeddings"),
     ("POST", "/v1/chat/completions/x")],
)  # fmt: skip
def test_other_traffic_passes(http, method, path):
    seen = []

    def answer(request):
        seen.append(request)
        return http.Response(200, json=ANSWER)

    with adapted(http, answer) as made:
        response = made.request(method, f"http://provider.example{path}", json=BODY)
    assert names(seen[0]) == ["find files"]
    assert response.json() == ANSWER


@every_package
def test_an_answer_that_cannot_be_put_back_is_refused(http):
    """Nothing passes with the provider's names in it unnoticed."""
    kind = {"content-type": "application/vnd.amazon.eventstream"}

    def answer(request):
        return http.Response(200, content=b"x", headers=kind)

    with adapted(http, answer) as made, pytest.raises(NotAConversation):
        made.post(URL, json=BODY)


@every_package
def test_errors_of_the_connection_pass(http):
    def answer(request):
        raise http.ConnectError("no route", request=request)

    with adapted(http, answer) as made, pytest.raises(http.ConnectError):
        made.post(URL, json=BODY)


@every_package
def test_async_is_the_same(http):
    async def answer(request):
        return http.Response(200, json=ANSWER, headers={"x-request-id": "r"})

    async def run():
        inner = http.AsyncClient(transport=http.MockTransport(answer))
        async with client(inner, strict=True) as made:
            response = await made.post(URL, json=BODY)
        return response, inner

    response, inner = asyncio.run(run())
    assert calls(response) == [("find files", {"q": "x"})]
    assert response.headers["x-request-id"] == "r"
    assert int(response.headers["content-length"]) == len(response.content)
    assert inner.is_closed


def test_every_provider_goes_through_one_client():
    """For gateways: the path names the provider."""
    seen = {}

    def answer(request):
        seen[request.url.path] = json.loads(request.content)["tools"]
        return httpx2.Response(200, json={})

    bodies = {
        "/v1/chat/completions": ("openai", BODY),
        "/v1/responses": ("openai-responses", {"model": "m", "input": "Go."}),
        "/v1/messages": ("anthropic", {"model": "m", "messages": BODY["messages"]}),
        "/v1beta/models/m:generateContent": ("gemini", {"contents": [{"parts": [{"text": "x"}]}]}),
        "/v1beta/models/m:streamGenerateContent": ("gemini", {"contents": []}),
    }
    with adapted(httpx2, answer) as made:
        for path, (family, body) in bodies.items():
            tools = tc.bind([TOOL], family, lower=False).payload
            made.post(f"http://provider.example{path}", json={**body, "tools": tools})
    for path, (family, _) in bodies.items():
        assert seen[path] == tc.bind([TOOL], family, strict=True).payload, path
