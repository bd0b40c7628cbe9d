"""A conversation with each provider's own package: the loop that its users write."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import toolcanon as tc
from toolcanon.define.turn_messages import TurnMessages

Run = Callable[[Any], TurnMessages]
Arun = Callable[[Any], Awaitable[TurnMessages]]


def talk(family: str, url: str, bound: Any, run: Run, *, streamed: bool) -> list[Any]:
    """Ask until the model wants nothing more; the history with its last words at the end."""
    history = [START[family]]
    ask = ASKING[family](url, bound, streamed)
    while True:
        new = run(ask(history))
        history += new
        if new.is_final:
            return history


async def atalk(family: str, url: str, bound: Any, arun: Arun, *, streamed: bool) -> list[Any]:
    """Do it with the async client of the package; a stream is passed on as it is."""
    history = [START[family]]
    async with AsyncExitStack() as clients:
        ask = await AASKING[family](url, bound, streamed, clients)
        while True:
            new = await arun(await ask(history))
            history += new
            if new.is_final:
                return history


def _chat(url: str, bound: Any, streamed: bool) -> Callable[[list[Any]], Any]:
    import openai

    client = openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0)

    def ask(history: list[Any]) -> Any:
        answer = client.chat.completions.create(
            model="m", messages=history, stream=streamed, **bound.request()
        )
        return tc.accumulate(answer) if streamed else answer

    return ask


def _responses(url: str, bound: Any, streamed: bool) -> Callable[[list[Any]], Any]:
    import openai

    client = openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0)

    def ask(history: list[Any]) -> Any:
        answer = client.responses.create(
            model="m", input=history, stream=streamed, store=False, **bound.request()
        )
        return tc.accumulate(answer) if streamed else answer

    return ask


def _messages(url: str, bound: Any, streamed: bool) -> Callable[[list[Any]], Any]:
    import anthropic

    client = anthropic.Anthropic(base_url=url, api_key="k", max_retries=0)

    def ask(history: list[Any]) -> Any:
        answer = client.messages.create(
            model="m", max_tokens=1000, messages=history, stream=streamed, **bound.request()
        )
        return tc.accumulate(answer) if streamed else answer

    return ask


def _contents(url: str, bound: Any, streamed: bool) -> Callable[[list[Any]], Any]:
    from google import genai

    client = genai.Client(api_key="k", http_options={"base_url": url})

    def ask(history: list[Any]) -> Any:
        models = client.models
        if streamed:
            chunks = models.generate_content_stream(model="m", contents=history, **bound.request())
            return tc.accumulate(chunks)
        return models.generate_content(model="m", contents=history, **bound.request())

    return ask


def _converse(url: str, bound: Any, streamed: bool) -> Callable[[list[Any]], Any]:
    import boto3

    client = boto3.client(
        "bedrock-runtime",
        region_name="us-east-1",
        endpoint_url=url,
        aws_access_key_id="k",
        aws_secret_access_key="s",  # noqa: S106 - nobody looks at it
    )

    def ask(history: list[Any]) -> Any:
        if streamed:
            answer = client.converse_stream(modelId="m", messages=history, **bound.request())
            return answer["stream"]  # put together by whoever runs its calls
        return client.converse(modelId="m", messages=history, **bound.request())

    return ask


AsyncAsk = Callable[[list[Any]], Awaitable[Any]]


async def _achat(url: str, bound: Any, streamed: bool, clients: AsyncExitStack) -> AsyncAsk:
    import openai

    client = openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0)
    await clients.enter_async_context(client)
    return lambda history: client.chat.completions.create(
        model="m", messages=history, stream=streamed, **bound.request()
    )


async def _aresponses(url: str, bound: Any, streamed: bool, clients: AsyncExitStack) -> AsyncAsk:
    import openai

    client = openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0)
    await clients.enter_async_context(client)
    return lambda history: client.responses.create(
        model="m", input=history, stream=streamed, store=False, **bound.request()
    )


async def _amessages(url: str, bound: Any, streamed: bool, clients: AsyncExitStack) -> AsyncAsk:
    import anthropic

    client = anthropic.AsyncAnthropic(base_url=url, api_key="k", max_retries=0)
    await clients.enter_async_context(client)
    return lambda history: client.messages.create(
        model="m", max_tokens=1000, messages=history, stream=streamed, **bound.request()
    )


async def _acontents(url: str, bound: Any, streamed: bool, clients: AsyncExitStack) -> AsyncAsk:
    from google import genai

    client = genai.Client(api_key="k", http_options={"base_url": url}).aio
    await clients.enter_async_context(client)
    ask = client.models.generate_content_stream if streamed else client.models.generate_content
    return lambda history: ask(model="m", contents=history, **bound.request())


START: dict[str, Any] = {
    "openai": {"role": "user", "content": "Go."},
    "openai-responses": {"role": "user", "content": "Go."},
    "anthropic": {"role": "user", "content": "Go."},
    "gemini": {"role": "user", "parts": [{"text": "Go."}]},
    "bedrock": {"role": "user", "content": [{"text": "Go."}]},
}
ASKING = {
    "openai": _chat,
    "openai-responses": _responses,
    "anthropic": _messages,
    "gemini": _contents,
    "bedrock": _converse,
}
AASKING = {  # the fifth has no async client
    "openai": _achat,
    "openai-responses": _aresponses,
    "anthropic": _amessages,
    "gemini": _acontents,
}
