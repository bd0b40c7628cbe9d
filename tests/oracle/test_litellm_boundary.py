"""LiteLLM with openai 2, on httpx, through the boundary: the older stack, where it lives."""

import inspect
import json
import os
import subprocess

import pytest

from tests.conftest import ROOT

PEERS = ROOT / ".venv-peers"


def through_litellm():  # noqa: PLR0915 - one text, sent over there
    """Runs over there, as text; prints what was sent and what came back."""
    import asyncio
    import json
    import os
    import socket
    import sys

    def refuse(*_args, **_options):
        raise OSError("the network is shut")

    socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import httpx
    import litellm
    import openai
    from litellm.llms.custom_httpx.http_handler import HTTPHandler

    from toolcanon.boundary.httpx_transport import client as adapted
    from toolcanon.boundary.openai import adapt

    schema = {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}},
              "required": ["q"]}  # fmt: skip
    tools = [{"type": "function", "function": {"name": "find_files", "parameters": schema}}]
    wire = '{"q":"é","n":null}'
    sent = []

    def events(*payloads):
        return "".join(f"data: {json.dumps(p)}\n\n" for p in payloads) + "data: [DONE]\n\n"

    def chat(request):
        body = json.loads(request.content)
        sent.append(body["tools"][0]["function"]["name"])
        head = {"id": "1", "created": 1, "model": "m"}
        call = {"id": "c", "type": "function", "index": 0}
        if not body.get("stream"):
            call["function"] = {"name": "FindFiles", "arguments": wire}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
            choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            return httpx.Response(200, json={**head, "object": "chat.completion",
                                             "choices": [choice], "usage": usage})  # fmt: skip

        def chunk(delta, finish=None):
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            return {**head, "object": "chat.completion.chunk", "choices": [choice]}

        begun = {**call, "function": {"name": "FindFiles", "arguments": ""}}
        pieces = [{"index": 0, "function": {"arguments": p}} for p in (wire[:5], wire[5:])]
        text = events(
            chunk({"role": "assistant", "tool_calls": [begun]}),
            *(chunk({"tool_calls": [piece]}) for piece in pieces),
            chunk({}, "tool_calls"),
        )
        kind = {"content-type": "text/event-stream"}
        return httpx.Response(200, text=text, headers=kind)

    def claude(request):
        body = json.loads(request.content)
        sent.append(body["tools"][0]["name"])
        block = {"type": "tool_use", "id": "c", "name": "FindFiles", "input": {"q": "é"}}
        return httpx.Response(200, json={
            "id": "1", "type": "message", "role": "assistant", "model": "m", "content": [block],
            "stop_reason": "tool_use", "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1}})  # fmt: skip

    options = {"strict": True, "naming": "pascal"}
    plain = openai.OpenAI(
        api_key="k", http_client=httpx.Client(transport=httpx.MockTransport(chat))
    )
    asynchronous = openai.AsyncOpenAI(
        api_key="k", http_client=httpx.AsyncClient(transport=httpx.MockTransport(chat))
    )
    through = adapt(plain, **options)
    given = {"model": "openai/gpt-4o", "messages": [{"role": "user", "content": "Go."}],
             "tools": tools}  # fmt: skip
    whole = litellm.completion(client=through, **given)
    pieces = list(litellm.completion(client=through, stream=True, **given))
    streamed = litellm.stream_chunk_builder(pieces)
    awaited = asyncio.run(litellm.acompletion(client=adapt(asynchronous, **options), **given))
    http = adapted(httpx.Client(transport=httpx.MockTransport(claude)), **options)
    other = litellm.completion(**{**given, "model": "anthropic/claude-sonnet-4-5"}, api_key="k",
                               client=HTTPHandler(client=http))  # fmt: skip
    found = [
        (call.function.name, json.loads(call.function.arguments))
        for answer in (whole, streamed, awaited, other)
        for call in answer.choices[0].message.tool_calls
    ]
    json.dump({"openai": openai.__version__, "sent": sent, "found": found}, sys.stdout)


def test_names_and_arguments_are_restored_for_litellm():
    if not (PEERS / ".ready").exists():
        pytest.skip("no .venv-peers with LiteLLM: `make test` makes it, given a package index")
    done = subprocess.run(
        [PEERS / "bin" / "python", "-c", inspect.getsource(through_litellm) + "through_litellm()"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    said = json.loads(done.stdout)
    assert said["openai"].startswith("2.")
    assert said["sent"] == ["FindFiles"] * 4
    assert said["found"] == [["find_files", {"q": "é"}]] * 4
