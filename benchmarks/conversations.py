"""Histories read, written and switched: ours, and what llm-rosetta and LiteLLM do alike.

Runs in the peers' environment, so that all ratios come from one run. The floor is orjson's loads
and dumps of the same body. Then: from every family to every other, read and written, and switched
with every repair looked for; and is it linear in the number of messages? The floor itself is not,
once its objects outgrow the caches, so it is shown as well.
"""

from __future__ import annotations

import copy
import gc
import os
import platform
import random
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import orjson

import toolcanon as tc
from toolcanon.conversations.switch import switch

FAMILIES = ("openai", "openai-responses", "anthropic", "gemini", "bedrock")
Way = Callable[[str, str], Callable[[Any], Any]]
SIZES = (100, 1_000, 10_000)
ROUNDS = 21
WORDS = "the issue was opened by somebody who had read none of the notes on this release".split()


def chat(messages: int, seed: int = 7) -> dict[str, Any]:
    """A history as agents have them: a question, one or two calls, their results, an answer."""
    chance = random.Random(seed)  # noqa: S311 - nothing secret

    def words(low: int, high: int) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(low, high)))

    out: list[dict[str, Any]] = []
    while len(out) < messages:  # the last exchange is whole, so there may be a few more
        calls = [
            {
                "id": f"call_{len(out)}_{number}",
                "type": "function",
                "function": {
                    "name": chance.choice(["search_issues", "get_file", "run_query"]),
                    "arguments": orjson.dumps(
                        {"query": words(2, 8), "limit": chance.randint(1, 99), "labels": ["a", "b"]}
                    ).decode(),
                },
            }
            for number in range(chance.randint(1, 2))
        ]
        out.append({"role": "user", "content": words(5, 40)})
        out.append({"role": "assistant", "content": words(3, 20), "tool_calls": calls})
        out += [
            {"role": "tool", "tool_call_id": call["id"], "content": words(20, 120)}
            for call in calls
        ]
        out.append({"role": "assistant", "content": words(10, 60)})
    return {"model": "m", "messages": out}


def bodies(messages: int) -> dict[str, Any]:
    """The same history in every family."""
    read = tc.read_conversation(chat(messages), source="openai")
    return {family: tc.write_conversation(read, family).payload for family in FAMILIES}


def ours(family: str, target: str) -> Callable[[Any], Any]:
    return lambda body: tc.write_conversation(tc.read_conversation(body, source=family), target)


def switched(family: str, target: str) -> Callable[[Any], Any]:
    return lambda body: switch(body, target, source=family)


def peers() -> dict[str, tuple[str, Callable[[Any], Any]]]:
    """By name: the family that is given, and what is done. They work in place on a fresh copy."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or the import asks the network
    from litellm.litellm_core_utils.prompt_templates.factory import (  # noqa: PLC0415
        anthropic_messages_pt,
    )
    from litellm.llms.vertex_ai.gemini.transformation import (  # noqa: PLC0415
        _gemini_convert_messages_with_history,
    )
    from llm_rosetta import convert  # noqa: PLC0415

    names = {"openai": "openai_chat", "openai-responses": "openai_responses",
             "anthropic": "anthropic", "gemini": "google"}  # fmt: skip

    def rosetta(source: str, target: str) -> Callable[[Any], Any]:
        return lambda body: convert(
            body, names[target], source_provider=names[source], force_conversion=True
        )

    found: dict[str, tuple[str, Callable[[Any], Any]]] = {
        f"llm-rosetta: {source} to {target}": (source, rosetta(source, target))
        for source, target in [*((name, name) for name in names), ("openai", "anthropic"),
                               ("openai", "gemini")]
    }  # fmt: skip
    found["litellm: openai to anthropic"] = (
        "openai",
        lambda body: anthropic_messages_pt(body["messages"], "claude-sonnet-4-5", "anthropic"),
    )
    found["litellm: openai to gemini"] = (
        "openai",
        lambda body: _gemini_convert_messages_with_history(body["messages"], "gemini-2.5-pro"),
    )
    return found


def clocked(run: Callable[[Any], Any], value: Any) -> float:
    start = time.process_time_ns()
    run(value)
    return time.process_time_ns() - start


def floor(text: bytes) -> None:
    orjson.dumps(orjson.loads(text))


def ratios(run: Callable[[Any], Any], body: Any) -> tuple[float, float, float]:
    """Median and quartiles, each round against the floor right before it."""
    text = orjson.dumps(body)
    found = []
    for _ in range(ROUNDS):
        given = orjson.loads(text)  # off the clock
        least = min(clocked(floor, text) for _ in range(3))
        found.append(clocked(run, given) / least)
    low, middle, high = statistics.quantiles(found, n=4)
    return middle, low, high


def contest(held: dict[str, Any]) -> None:
    rows = [(f"{name}: read and write", name, ours(name, name)) for name in FAMILIES]
    rows += [
        (f"openai to {target}", "openai", ours("openai", target)) for target in ("anthropic",
                                                                               "gemini")
    ]  # fmt: skip
    rows += [
        (f"openai switched to {target}", "openai", switched("openai", target))
        for target in ("anthropic", "gemini")
    ]
    try:
        rows += [(name, family, run) for name, (family, run) in peers().items()]
    except ImportError as missing:
        print(f"no peers: {missing}")
    rows.append(("copy.deepcopy of the body", "openai", copy.deepcopy))
    print("| what | x floor | quartiles |\n| --- | ---: | --- |")
    for name, family, run in rows:
        try:
            middle, low, high = ratios(run, held[family])
        except Exception as error:  # noqa: BLE001 - a peer's own
            print(f"| {name} | - | {type(error).__name__} |")
            continue
        print(f"| {name} | {middle:.2f} | {low:.2f} to {high:.2f} |")


def crossings(held: dict[str, Any], what: str, way: Way) -> None:
    """From every family to every other, in floors of the body that is read."""
    print(f"\n| {what} | {' | '.join(FAMILIES)} |\n| --- |{' ---: |' * len(FAMILIES)}")
    for family in FAMILIES:
        found = [ratios(way(family, target), held[family])[0] for target in FAMILIES]
        print(f"| {family} | {' | '.join(f'{middle:.2f}' for middle in found)} |")


def growth(what: str, way: Way) -> None:
    """Microseconds a message, ours and the floor's, the best of many."""
    heads = " | ".join(f"{size:,}" for size in SIZES)
    print(f"\n| {what} | {heads} | last / first | floor: {heads} | last / first |")
    print(f"| --- |{' ---: |' * (2 * len(SIZES) + 2)}")
    costs: dict[str, list[float]] = {family: [] for family in FAMILIES}
    floors: dict[str, list[float]] = {family: [] for family in FAMILIES}
    for size in SIZES:
        held = bodies(size)
        rounds = max(7, 10_000 // size)
        for family in FAMILIES:
            run, text = way(family, _other(family)), orjson.dumps(held[family])
            best = min(clocked(run, held[family]) for _ in range(rounds))
            costs[family].append(best / 1000 / size)
            best = min(clocked(floor, text) for _ in range(rounds))
            floors[family].append(best / 1000 / size)
    for family in FAMILIES:
        cells = [
            cell
            for per in (costs[family], floors[family])
            for cell in (*(f"{cost:.2f}" for cost in per), f"{per[-1] / per[0]:.1f}")
        ]
        print(f"| {family} | {' | '.join(cells)} |")


def _other(family: str) -> str:
    return FAMILIES[(FAMILIES.index(family) + 1) % len(FAMILIES)]


def main() -> None:
    held = bodies(1_000)
    sizes = ", ".join(f"{name} {len(orjson.dumps(held[name])):,}" for name in FAMILIES)
    print(f"1,000 messages; bytes: {sizes}")
    print(f"CPython {platform.python_version()}, orjson {version('orjson')}")
    gc.collect()
    gc.freeze()
    gc.disable()
    contest(held)
    crossings(held, "read and written, from", ours)
    crossings(held, "switched, from", switched)
    growth("read and written to the next", ours)
    growth("switched to the next", switched)


if __name__ == "__main__":
    main()
