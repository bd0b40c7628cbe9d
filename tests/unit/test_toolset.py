"""Toolsets: what goes in, what is chosen, what is called, and what a model is sent."""

import asyncio
import base64
import concurrent.futures
import functools
import json
import re
import threading
import time
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

import toolcanon as tc
from tests.conftest import ROOT
from tests.tables import table
from toolcanon.define import Context, Injected, define_tool, tool
from toolcanon.define.results import MOST_YIELDED
from toolcanon.define.toolset import Toolset
from toolcanon.errors import (
    AnswerFailed,
    CannotCall,
    CutStream,
    DefinitionError,
    UnknownTool,
    UsageError,
)

PNG = b"\x89PNG\r\n\x1a\n\x00"
PICTURE = base64.b64encode(PNG).decode()


def add(a: int, b: int = 1) -> int:
    """Add."""
    return a + b


def search(query: str, limit: int = 10) -> str:
    """Search."""
    return query * limit


def nothing() -> None:
    """Do nothing."""


def answer(*calls, format="openai"):
    """What a model sent: calls as (name, arguments), or whole calls."""
    made = [call if isinstance(call, tc.Call) else tc.Call(call[0], call[1], f"c{number}")
            for number, call in enumerate(calls)]  # fmt: skip
    return tc.Answer([tc.Candidate([tc.Message("assistant", made)])], format=format)


# --- what goes in


class Shop:
    @tool
    def order(self, what: str) -> str:
        """Order."""
        return f"{what} for {id(self)}"


class Ask(BaseModel):
    """Ask a person."""

    question: str


class Live:
    """A live source without a wire."""

    reached = "a server"

    def tools(self):
        return [tc.CanonicalTool(name="far", inputs={"type": "object", "properties": {}})]

    def call(self, name, arguments):
        return {"content": [{"type": "text", "text": f"{name} {arguments}"}]}


class LiveAsync(Live):
    async def acall(self, name, arguments):
        return {"content": [{"type": "text", "text": "awaited"}], "isError": False}


DEFINITION = {"name": "given", "input_schema": {"type": "object", "required": ["x"],
              "properties": {"x": {"type": "integer"}}}}  # fmt: skip


@table("member, name", [
    (add, "add"),
    (tool(search), "search"),
    (Shop().order, "order"),
    (Ask, "Ask"),
    (functools.partial(add, b=2), "add"),
    (tc.CanonicalTool(name="bare"), "bare"),
    (DEFINITION, "given"),
    ((tc.read(DEFINITION)[0], len), "given"),
    (Live(), "far"),
    (Toolset([add]), "add"),
])  # fmt: skip
def test_members(member, name):
    tools = Toolset([member])
    assert tools.names == [name]
    assert name in tools
    assert tools[name] in tools
    assert [one.name for one in tools] == [name]
    assert len(tools) == 1
    assert "else" not in tools


@pytest.mark.parametrize("member", [3, object(), "add", None])
def test_what_is_no_tool(member):
    with pytest.raises(UsageError, match="is not a tool"):
        Toolset([member])


def test_a_method_without_its_object():
    with pytest.raises(CannotCall, match=r"object\.method"):
        Toolset([Shop.order])


def test_a_function_that_cannot_be_a_tool():
    with pytest.raises(DefinitionError, match="annotation"):
        Toolset([lambda_like])


def lambda_like(x):
    return x


def test_add_decorates_and_takes_handlers():
    tools = Toolset()

    @tools.add
    def twice(x: int) -> int:
        """Double."""
        return 2 * x

    assert twice(2) == 4
    tools.add(tc.read(DEFINITION)[0], lambda arguments: arguments["x"] + 1)
    assert tools.call("given", {"x": 1}).value == 2
    assert tools.call("given", {"x": "one"}).response.error_type == "validation"
    with pytest.raises(UsageError, match="answers its own calls"):
        tools.add(add, len)


def test_two_of_one_name_are_reported_with_both_places():
    with pytest.raises(UsageError) as caught:
        Toolset([add, functools.partial(add, b=1)])
    assert str(caught.value).count("test_toolset.py:") == 2
    with pytest.raises(UsageError, match="a server and a definition read from raw"):
        Toolset([Live(), tc.CanonicalTool(name="far")])


def test_an_unknown_name_of_the_program_is_raised():
    with pytest.raises(UnknownTool, match="did you mean 'add'"):
        Toolset([add])["ad"]


# --- namespaces


def test_namespaces():
    inner = Toolset([add], namespace="math")
    whole = Toolset([inner, add, Toolset([inner], namespace="more"), inner.prefixed("my")])
    assert whole.names == ["math:add", "add", "more.math:add", "math:my_add"]
    assert inner.names == ["math:add"]
    bound = whole.bind("openai")
    assert len(set(bound.names.values())) == 4
    for name in whole.names:
        assert whole.call(name, {"a": 1}).value == 2
        ran = bound.run(answer((bound.names[name], {"a": 2})))
        assert [(one.name, one.value) for one in ran.calls] == [(name, 3)]


def test_a_call_that_names_its_namespace():
    tools = Toolset([Toolset([add], namespace="a"), Toolset([nothing], namespace="b")])
    tools.bind("openai-responses")
    call = tc.Call("add", {"a": 1}, "c", namespace="a")
    assert tools.run(answer(call, format="openai-responses")).calls[0].value == 2


def test_a_call_without_its_namespace_means_one_tool_or_none():
    one, other = (Toolset([define_tool(add, name="a dd")], namespace=space) for space in "ab")

    def called(tools, name, namespace=None):
        bound = tools.bind("openai-responses")
        call = tc.Call(name, {"a": 1}, "c", namespace=namespace)
        (done,) = tools.run(answer(call, format="openai-responses")).calls
        assert bound.restorer.fitting(name, {"a": 1}) is None or done.ok
        return done.name if done.ok else done.response

    both = Toolset([one, other])
    failure = called(both, "a_dd")
    assert failure.error_type == "not_found"
    assert failure.error == ("several tools are called 'a_dd'; use the full name: a:a_dd or b:a_dd")
    with pytest.raises(UnknownTool, match="a:a_dd or b:a_dd"):
        both.bind("openai-responses").restore("a_dd", {"a": 1})
    assert called(both, "a:a_dd") == called(both, "a_dd", "a") == "a:a dd"
    assert called(both, "b:a_dd") == called(both, "a_dd", "b") == "b:a dd"
    assert "did you mean 'a:a_dd'" in called(both, "a:add").error
    assert called(Toolset([one]), "a_dd") == "a:a dd"
    assert called(Toolset([one, other, define_tool(add, name="a dd")]), "a_dd") == "a dd"


# --- filters


@tool(tags=["web", "slow"], read_only=True, capabilities={"action": "search", "domain": "web",
                                                          "cost_estimate": "low"})  # fmt: skip
def look() -> str:
    """Look."""
    return ""


@tool(tags=["disk"], read_only=False, security={"data_classification": "confidential",
                                                "required_permissions": ["fs.write"]})  # fmt: skip
def remove() -> str:
    """Remove a file."""
    return ""


@tool(security={"data_classification": "public"},
      capabilities={"side_effects": False, "cost_estimate": "high"})  # fmt: skip
def read() -> str:
    """Read a file."""
    return ""


FILTERS = [
    ({}, "look remove read guess"),
    ({"tags": "web"}, "look"),
    ({"tags": ["web", "disk"]}, "look remove"),
    ({"tags": []}, ""),
    ({"capability": "web"}, "look"),
    ({"capability": {"search", "filesystem"}}, "look remove"),
    ({"read_only": True}, "look read"),
    ({"read_only": False}, "remove guess"),
    ({"security": "public"}, "read"),
    ({"security": "restricted"}, "remove read"),
    ({"permissions": []}, "look read guess"),
    ({"permissions": ["fs.write", "fs.read"]}, "look remove read guess"),
    ({"cost": "low"}, "look"),
    ({"cost": "high"}, "look read"),
    ({"names": ["look", "guess", "none"]}, "look guess"),
    ({"where": lambda one: "file" in one.description}, "remove read"),
    ({"where": lambda one: "file" in one.description, "read_only": True}, "read"),
]


@table("asked, names", FILTERS)
def test_filters(asked, names):
    def guess() -> str:
        """Get something."""
        return ""

    tools = Toolset([look, remove, read, guess])
    assert tools.filter(**asked).names == names.split()
    assert tools.names == "look remove read guess".split()


def test_a_level_that_does_not_exist():
    with pytest.raises(UsageError, match="did you mean 'internal'"):
        Toolset([look]).filter(security="intern")


# --- calls and values


class Point(BaseModel):
    x: int
    when: date


@dataclass
class Pair:
    left: int
    right: Point


class Picture:
    """Like an image of PIL."""

    mode, size = "RGB", (1, 1)

    def save(self, out, format):
        out.write(PNG)


def texts():
    yield "a"
    yield "b"


IMAGE = tc.Media("image", "image/png", PICTURE)
DAY = date(2026, 11, 16)
# What a function returned -> what the model is given.
VALUES = {
    "text": ("a", [tc.Text("a")]),
    "nothing": (None, [tc.Data(None)]),
    "number": (1.5, [tc.Data(1.5)]),
    "object": ({"a": [1]}, [tc.Data({"a": [1]})]),
    "model": (Point(x=1, when=DAY), [tc.Data({"x": 1, "when": "2026-11-16"})]),
    "dataclass": (Pair(1, Point(x=2, when=DAY)),
                  [tc.Data({"left": 1, "right": {"x": 2, "when": "2026-11-16"}})]),
    "set of days": ({DAY}, [tc.Data(["2026-11-16"])]),
    "day": (DAY, [tc.Text("2026-11-16")]),
    "numbers that are none": ([float("nan"), {"a": float("-inf")}, None],
                              [tc.Data(["nan", {"a": "-inf"}, None])]),
    "half a character": ("a\udc80ä", [tc.Text("a\\udc80ä")]),
    "half a character below": ({"\udc80": ["\udc80", 2**70]},
                               [tc.Data({"\\udc80": ["\\udc80", 2**70]})]),
    "image": (PNG, [IMAGE]),
    "image of a library": (Picture(), [IMAGE]),
    "bytes that are text": (b"abc", [tc.Text("abc")]),
    "other bytes": (b"\xff\x00", [tc.Media("file", "application/octet-stream", "/wA=")]),
    "words and an image": (["see", PNG, {"a": 1}, Point(x=1, when=DAY)],
                           [tc.Text("see"), IMAGE, tc.Data({"a": 1}),
                            tc.Data({"x": 1, "when": "2026-11-16"})]),
    "parts": ((tc.Text("t"), IMAGE), [tc.Text("t"), IMAGE]),
    "result": (tc.Result("other", [tc.Text("t")]), [tc.Text("t")]),
    "envelope": (tc.ToolResponse.success({"a": 1}), [tc.Data({"a": 1})]),
    "pieces": (texts(), [tc.Text("ab")]),
    "values one by one": ((n for n in (1, 2)), [tc.Data([1, 2])]),
    "content that is none of the protocol's": ({"content": [{"type": "text"}], "b": 1},
                                               [tc.Data({"content": [{"type": "text"}], "b": 1})]),
}  # fmt: skip


@table("case", VALUES)
def test_values(case):
    value, content = VALUES[case]

    def give() -> Any:
        """Give it."""
        return value

    done = Toolset([give]).call("give", {})
    assert done.result.content == content
    assert repr(done.value) == repr(value) or case in {"pieces", "values one by one"}
    assert done.ok
    assert done.result.is_error is None
    assert done.error is None


# What a function returned, that is a failure -> kind and text.
FAILURES = {
    "envelope": (tc.ToolResponse.failure("no", "permission"), ("permission", "no")),
    "flat envelope": ({"ok": False, "error": "no"}, (None, "no")),
    "protocol": ({"content": [{"type": "text", "text": "no"}], "isError": True}, (None, "no")),
    "reply": ({"jsonrpc": "2.0", "error": {"code": -32602, "message": "no"}}, ("validation", "no")),
    "no JSON": (object(), ("execution",
                           "give failed: it returned a object, which cannot be told in JSON.")),
    "endless": ((0 for _ in range(MOST_YIELDED + 1)),
                ("execution", "give failed: it yields more than 10,000 values.")),
}  # fmt: skip


@pytest.mark.parametrize("case", FAILURES)
def test_failures_that_are_returned(case):
    value, (kind, text) = FAILURES[case]

    def give() -> Any:
        """Give it."""
        return value

    done = Toolset([give]).call("give", {})
    assert not done.ok
    assert (done.response.error_type, done.response.error) == (kind, text)


def test_the_return_type_decides_how_a_value_is_written():
    class Other(BaseModel):
        a: int
        b: str = "x"

    def give() -> Annotated[Other, "b is its own"]:
        """Give it."""
        return Other(a=1)

    assert Toolset([give]).call("give", {}).result.content == [tc.Data({"a": 1, "b": "x"})]


class NamedFault(Exception):
    pass


# What is raised -> what is told; never a trace, never a secret.
RAISED = [
    (ValueError("bad"), "ValueError: bad"),
    (NamedFault(), "NamedFault"),
    (KeyError("k"), "KeyError: 'k'"),
    (OSError("cannot log in with password=hunter2hunter2"),
     "OSError: cannot log in with password=***"),
    (TimeoutError("theirs"), "TimeoutError: theirs"),
    (RuntimeError("x" * 5000), "RuntimeError: " + "x" * 2000),
]  # fmt: skip


@pytest.mark.parametrize("error, text", RAISED, ids=lambda one: type(one).__name__)
def test_what_is_raised(error, text):
    @tool(timeout=5)
    def give() -> str:
        """Raise it."""
        raise error

    async def agive() -> str:
        """Raise it."""
        raise error

    tools = Toolset([give, agive])
    for done in (tools.call("give", {}), asyncio.run(tools.acall("give", {})),
                 tools.call("agive", {}), asyncio.run(tools.acall("agive", {}))):  # fmt: skip
        assert repr(done.error) == repr(error)
        assert done.response == tc.ToolResponse.failure(text, "execution")


# Errors that a loop, a task or a generator takes for its own; here the tool raised them.
MISLEADING = [
    (StopIteration(3), "StopIteration: 3"),
    (StopAsyncIteration(), "StopAsyncIteration"),
    (concurrent.futures.CancelledError(), "CancelledError"),
    (concurrent.futures.InvalidStateError(), "InvalidStateError"),
    (asyncio.CancelledError(), "RuntimeError: it was cancelled from within"),
    (GeneratorExit(), "RuntimeError: it raised GeneratorExit"),
]


@table("error, text", MISLEADING, ids=lambda one: type(one).__name__)
@table("timeout", [None, 5])
def test_errors_that_mean_something_to_the_caller(error, text, timeout):
    def give() -> str:
        """Raise it."""
        raise error

    tools = Toolset([give, add])
    tools.bind("openai")

    async def both():
        one = await tools.acall("give", {}, timeout=timeout)
        ran = await tools.arun(answer(("give", {}), ("add", {"a": 1})), timeout=timeout)
        return one, *ran.calls

    *failed, added = asyncio.run(asyncio.wait_for(both(), 20))
    for done in (tools.call("give", {}, timeout=timeout), *failed):
        assert done.response == tc.ToolResponse.failure(text, "execution")
    assert added.value == 2


def test_a_task_that_cancels_itself_ends_no_program():
    async def stop() -> str:
        """Stop."""
        asyncio.current_task().cancel()
        await asyncio.sleep(1)
        return ""

    done = Toolset([stop]).call("stop", {})
    assert done.response.error == "RuntimeError: it was cancelled from within"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_exit_is_not_caught(error):
    @tool(timeout=5)
    def timed() -> str:
        """End."""
        raise error

    def plain() -> str:
        """End."""
        raise error

    tools = Toolset([timed, plain])
    for name in tools.names:
        with pytest.raises(error):
            tools.call(name, {})
        with pytest.raises(error):
            asyncio.run(tools.acall(name, {}))


def test_problems_are_reported_in_terms_of_what_the_model_saw():
    def count(words: dict[str, int], mode: Literal["all", "some"] = "all") -> int:
        """Count."""
        return sum(words.values())

    tools = Toolset([count])
    sent = {"words": [{"key": "a", "value": "many"}], "mode": None}
    (strict,) = tools.bind("openai", strict=True).run(answer(("count", sent))).calls
    assert strict.response.details == {"parameter": "/words/0/value"}
    assert strict.response.error == (
        "The arguments of count cannot be used:\n"
        '- /words/0/value: "many" is not of type "integer"\n'
        "Correct them and call the tool again."
    )
    wrong = answer(("count", {"words": {"a": "many"}, "mode": "none"}))
    (loose,) = tools.bind("openai").run(wrong).calls
    assert loose.response.error_type == "validation"
    assert "- /words/a: " in loose.response.error
    assert "- /mode: " in loose.response.error


@pytest.mark.parametrize(
    "text, problem", [("{", "not JSON"), ("[1]", "[1] is not of type"), ("", "there are none")]
)
def test_arguments_that_are_none(text, problem):
    tools = Toolset([add])
    tools.bind("openai")
    call = tc.Call("add", None, "c", text=text, problem="not-json")
    (done,) = tools.run(answer(call)).calls
    assert done.response.error_type == "validation"
    assert problem in done.response.error


def test_repairs_are_reported():
    tools = Toolset([add])
    tools.bind("openai")
    heard = []
    with_observer = tc.observe(heard.append)
    try:
        (done,) = tools.run(answer(("add", {"a": "2"}))).calls
    finally:
        with_observer()
    assert done.value == 3
    assert done.arguments == {"a": 2}
    assert [one.code for one in done.repairs] == [one.code for told in heard for one in told]
    assert done.repairs


def test_free_text_tools_get_their_text():
    run = tc.CanonicalTool(name="run", kind="freeform")
    tools = Toolset([(run, str.upper)])
    tools.bind("openai")
    call = tc.Call("run", None, "c", text="echo", is_text=True)
    assert tools.run(answer(call)).calls[0].value == "ECHO"


# --- context


def test_context():
    def who(context: Context[str], db: Annotated[dict, Injected]) -> str:
        """Tell."""
        return f"{context.state} {context.call_id} {db['a']}"

    tools = Toolset([who, nothing])
    tools.bind("openai")
    context = Context("Ann", {"db": {"a": 1}})
    assert tools.run(answer(("who", {})), context=context).calls[0].value == "Ann c0 1"
    assert context.call_id is None
    for run in (tools.run, lambda *a, **k: asyncio.run(tools.arun(*a, **k))):
        with pytest.raises(CannotCall, match="'db'"):
            run(answer(("nothing", {}), ("who", {})), context="Ann")


def test_a_tool_without_a_handler_is_reported_before_anything_runs():
    done = []

    def work() -> None:
        """Work."""
        done.append(1)

    tools = Toolset([work, tc.CanonicalTool(name="bare")])
    tools.bind("openai")
    with pytest.raises(CannotCall, match=r"toolset.add\(tool, function\)"):
        tools.run(answer(("work", {}), ("bare", {})))
    assert not done


# --- time


@tool(timeout=0.1)
def slow(seconds: float) -> str:
    """Sleep."""
    time.sleep(seconds)
    return threading.current_thread().name


async def aslow(seconds: float) -> str:
    """Sleep."""
    await asyncio.sleep(seconds)
    return "awake"


def test_time_limits():
    tools = Toolset([slow, aslow])
    begun = time.monotonic()
    late = tools.call("slow", {"seconds": 6})
    assert late.response.error_type == "timeout"
    assert "may still be at work" in late.response.error
    later = tools.call("aslow", {"seconds": 6}, timeout=0.1)
    assert "and was stopped" in later.response.error
    assert asyncio.run(tools.acall("slow", {"seconds": 6}, timeout=9)).response == late.response
    assert time.monotonic() - begun < 5  # a busy machine takes its time
    assert tools.call("slow", {"seconds": 0}).value == "toolcanon call"
    assert tools.call("aslow", {"seconds": 0}).value == "awake"


def test_without_a_limit_a_function_runs_in_the_callers_thread():
    def where() -> str:
        """Tell."""
        return threading.current_thread().name

    assert Toolset([where]).call("where", {}).value == threading.current_thread().name


def test_calls_side_by_side():
    tools = Toolset([aslow, define_sleep()], at_once=4)
    tools.bind("openai")

    def taken(count):
        begun = time.monotonic()
        asked = answer(*[("aslow", {"seconds": 0.2}), ("doze", {"seconds": 0.2})] * (count // 2))
        ran = asyncio.run(tools.arun(asked))
        assert [one.name for one in ran.calls] == ["aslow", "doze"] * (count // 2)
        assert all(one.ok for one in ran.calls)
        return time.monotonic() - begun

    assert 0.2 <= taken(4) < 0.38
    assert 0.4 <= taken(8) < 0.75


@pytest.mark.parametrize(
    "limits",
    [{"at_once": 0}, {"at_once": "4"}, {"at_once": True}, {"at_once": 2.5}, {"at_once": None},
     {"max_result_chars": -1}, {"max_result_chars": "x"}, {"max_media_bytes": 1.5}],
)  # fmt: skip
def test_limits_that_mean_nothing(limits):
    (name,) = limits
    with pytest.raises(UsageError, match=name):
        Toolset([add], **limits)


@pytest.mark.parametrize("timeout", [0, -1, -0.5, float("nan"), "5", True, [], 1j])
def test_times_that_mean_nothing(timeout):
    tools = Toolset([add])
    bound = tools.bind("openai")
    asked, silent = answer(("add", {"a": 1})), answer()
    for run in (
        lambda: tools.run(asked, timeout=timeout),
        lambda: bound.run(silent, timeout=timeout),
        lambda: asyncio.run(tools.arun(asked, timeout=timeout)),
        lambda: tools.call("add", {"a": 1}, timeout=timeout),
        lambda: asyncio.run(bound.acall("add", {"a": 1}, timeout=timeout)),
    ):
        with pytest.raises(UsageError, match="pass seconds, or None"):
            run()


@pytest.mark.parametrize("timeout", [1, 0.5, 1e12, float("inf")])
def test_times_that_can_be_kept(timeout):
    assert Toolset([add]).call("add", {"a": 1}, timeout=timeout).value == 2


def define_sleep():
    def doze(seconds: float) -> str:
        """Sleep."""
        time.sleep(seconds)
        return "awake"

    return doze


def test_cancellation_goes_through():
    ended = []

    async def wait() -> str:
        """Wait."""
        try:
            await asyncio.sleep(9)
        except asyncio.CancelledError:
            ended.append(1)
            raise
        return ""

    tools = Toolset([wait])
    tools.bind("openai")

    async def main():
        task = asyncio.create_task(tools.arun(answer(("wait", {}), ("wait", {}))))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert ended == [1, 1]


def test_a_tool_that_cancels_itself_has_failed():
    async def stop() -> str:
        """Stop."""
        raise asyncio.CancelledError

    tools = Toolset([stop, add])
    tools.bind("openai")
    stopped, added = asyncio.run(tools.arun(answer(("stop", {}), ("add", {"a": 1})))).calls
    assert stopped.response.error == "RuntimeError: it was cancelled from within"
    assert added.value == 2


def test_async_functions_in_plain_code():
    async def pieces():
        """Pieces."""
        yield "a"
        yield "b"

    def hidden() -> Any:
        """Async, but does not say so."""
        return aslow(0)

    tools = Toolset([aslow, pieces, hidden, LiveAsync()])
    expected = {"aslow": "awake", "pieces": "ab", "hidden": "awake"}
    for name, text in expected.items():
        sent = {"seconds": 0} if name == "aslow" else {}
        for done in (tools.call(name, sent), asyncio.run(tools.acall(name, sent))):
            assert done.result.content == [tc.Text(text)]

    async def main():
        with pytest.raises(CannotCall, match="await"):
            tools.call("aslow", {"seconds": 0})
        return tools.call("far", {}), await tools.acall("far", {})

    plain, awaited = asyncio.run(main())
    assert plain.result.content == [tc.Text("far {}")]
    assert awaited.result.content == [tc.Text("awaited")]


# --- sizes


def test_what_is_too_long_is_cut_and_marked():
    def read(page: int = 1) -> str:
        """Read."""
        return "x" * 5000

    tools = Toolset([read, search], max_result_chars=1000)
    (part,) = tools.call("read", {}).result.content
    assert len(part.text) == 1000
    head, _, notice = part.text.partition("\n")
    assert notice == (
        f"[{5000 - len(head):,} of 5,000 characters left out: 1,000 are sent at most. "
        "Call the tool again with page to get the rest.]"
    )
    assert head == "x" * len(head)
    assert "with limit to" in tools.call("search", {"query": "y" * 1000}).result.content[0].text
    assert tools.call("search", {"query": "y" * 100}).result.content[0].text == "y" * 1000


def test_values_and_parts_are_cut_together():
    def give() -> Any:
        """Give it."""
        return [tc.Text("a" * 300), tc.Data(["b" * 300]), IMAGE, tc.Text("c" * 300)]

    content = Toolset([give], max_result_chars=600).call("give", {}).result.content
    assert [type(part) for part in content] == [tc.Text, tc.Text, tc.Media]
    assert sum(len(part.text) for part in content[:2]) <= 600
    assert content[1].text.startswith('["bbb')
    assert "of 904 characters left out" in content[1].text
    assert "arguments that ask for less" in content[1].text
    whole = Toolset([give], max_result_chars=None).call("give", {}).result.content
    assert len(whole) == 4


def test_large_media_are_named_instead():
    def give() -> bytes:
        """Give it."""
        return PNG + bytes(1000)

    small = Toolset([give], max_media_bytes=100).call("give", {})
    assert small.result.content == [
        tc.Text("[image image/png left out: it has 1,009 bytes, 100 are sent at most.]")
    ]
    assert isinstance(Toolset([give]).call("give", {}).result.content[0], tc.Media)


def test_what_a_server_repeats_is_sent_once_and_not_cut_for_it():
    words = "line\n" * 100

    def read() -> dict:
        """Read."""
        return {"content": [{"type": "text", "text": words}], "structuredContent": {"file": words}}

    tools = Toolset([read], max_result_chars=700)
    for family in ("openai", "anthropic", "gemini", "bedrock", "openai-responses"):
        sent = json.dumps(tools.bind(family).run(answer(("read", {}), format=family)).results)
        assert sent.count("line") == 100
        assert "left out" not in sent


# --- answers in, messages out

CHAT = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [
    {"index": 0, "finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": [
            {"id": "c1", "type": "function",
             "function": {"name": "add", "arguments": '{"a": 1}'}}]}}]}  # fmt: skip


def test_the_turn_and_the_results_are_what_to_append():
    tools = Toolset([add])
    tools.bind("openai")
    before = json.dumps(CHAT)
    ran = tools.run(CHAT)
    assert ran == [*ran.turn, *ran.results]
    assert ran.turn == [CHAT["choices"][0]["message"]]
    assert ran.results == [{"role": "tool", "tool_call_id": "c1", "content": "2"}]
    assert ran.answer.calls[0].id == "c1"
    assert ran.losses
    assert tools.run(json.dumps(CHAT)) == tools.run(json.dumps(CHAT).encode()) == ran
    assert json.dumps(CHAT) == before


def test_an_answer_in_words_is_the_models_turn_and_ends_the_loop():
    tools = Toolset([add])
    ran = tools.run(tc.Answer([tc.Candidate([tc.Message("assistant", [tc.Text("Hi.")])])],
                              format="openai"))  # fmt: skip
    assert ran == ran.turn == [{"role": "assistant", "content": "Hi."}]
    assert ran.calls == ran.results == []
    assert ran.is_final
    tools.bind("openai")
    assert not tools.run(CHAT).is_final


def test_streams_are_put_together():
    tools = Toolset([add])
    tools.bind("openai")
    chunks = [
        {"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": [
            {"index": 0, "delta": delta, "finish_reason": end}]}
        for delta, end in (
            ({"role": "assistant", "tool_calls": [{"index": 0, "id": "c1", "type": "function",
              "function": {"name": "add", "arguments": '{"a"'}}]}, None),
            ({"tool_calls": [{"index": 0, "function": {"arguments": ": 4}"}}]}, None),
            ({}, "tool_calls"))]  # fmt: skip

    class Stream:
        def __iter__(self):
            return iter(chunks)

    events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    for stream in (chunks, iter(chunks), tuple(chunks), Stream(), events, events.encode()):
        assert tools.run(stream).calls[0].value == 5

    async def pieces():
        for chunk in chunks:
            yield chunk

    assert asyncio.run(tools.arun(pieces())).calls[0].value == 5
    with pytest.raises(CutStream):
        tools.run(chunks[:2])


def test_bindings_are_remembered_by_family():
    def count(words: dict[str, int]) -> int:
        """Count."""
        return sum(words.values())

    tools = Toolset([count])
    with pytest.raises(UsageError, match="no binding is for"):
        tools.run(answer(("count", {})))
    loose = tools.bind("openai")
    strict = tools.bind("openai", strict=True)
    tools.bind("anthropic")
    entries, plain = {"words": [{"key": "a", "value": 1}]}, {"words": {"a": 1}}
    assert strict.run(answer(("count", entries))).calls[0].value == 1
    assert loose.run(answer(("count", plain))).calls[0].value == 1
    for one in (answer(("count", plain)), answer()):
        with pytest.raises(UsageError, match="2 bindings fit this answer of openai"):
            tools.run(one)
    assert not loose.run(answer(("count", entries))).calls[0].ok
    assert tools.run(answer(("count", plain), format="anthropic")).calls[0].value == 1
    apart = tc.bind(tools.tools, "openai", strict=True)
    assert tools.run(answer(("count", entries)), binding=apart).calls[0].value == 1
    assert strict.call("count", entries).value == 1
    assert asyncio.run(strict.acall("count", entries)).value == 1


def test_the_same_way_is_the_same_binding_until_a_tool_is_added():
    tools = Toolset([add])
    loose = tools.bind("openai")
    assert tools.bind("openai") is tools.bind("openai", model="gpt-5") is loose
    assert tools.bind("openai", strict="auto") is not loose
    assert tools.bind("anthropic") is tools.bind("anthropic")
    fresh = Toolset([add])
    before = fresh.bind("openai")
    fresh.add(search)
    assert fresh.bind("openai") is not before
    assert list(fresh.bind("openai").names) == ["add", "search"]
    assert fresh.run(CHAT).calls[0].value == 2, "the one before is no rival"
    served = Toolset([add])
    served.bind("groq")
    served.bind("mistral")
    with pytest.raises(UsageError, match="2 bindings"):
        served.run(CHAT)


def test_a_binding_of_other_tools():
    other = Toolset([search]).bind("openai")
    with pytest.raises(CannotCall, match="not in this toolset"):
        Toolset([add]).run(answer(("search", {"query": "x"})), binding=other)


def test_formats_that_share_the_answers_of_another():
    tools = Toolset([add])
    tools.bind("groq")
    assert tools.run(CHAT).calls[0].value == 2


def test_raw_bytes_for_targets_that_accept_them():
    def draw() -> bytes:
        """Draw."""
        return PNG

    tools = Toolset([draw, add])
    tools.bind("bedrock")
    asked = answer(("draw", {}), ("add", {"a": 1}), format="bedrock")
    (turn,) = tools.run(asked).results
    image = turn["content"][0]["toolResult"]["content"][0]["image"]
    assert image == {"format": "png", "source": {"bytes": PNG}}
    (turn,) = tools.run(asked, raw_bytes=False).results
    image = turn["content"][0]["toolResult"]["content"][0]["image"]
    assert image["source"] == {"bytes": PICTURE}

    def odd() -> dict:
        """Data that looks like it."""
        return {"bytes": PICTURE}

    odd_tools = Toolset([odd])
    odd_tools.bind("bedrock")
    (turn,) = odd_tools.run(answer(("odd", {}), format="bedrock")).results
    assert turn["content"][0]["toolResult"]["content"] == [{"json": {"bytes": PICTURE}}]


@pytest.mark.parametrize("family", ["openai", "openai-responses"])
def test_an_error_is_stated_once_where_there_is_no_flag(family):
    def fail() -> str:
        """Fail."""
        raise ValueError("no")

    tools = Toolset([fail])
    tools.bind(family)
    (message,) = tools.run(answer(("fail", {}), format=family)).results
    said = json.loads(message.get("content") or message["output"])
    assert said == {"ok": False, "error": "ValueError: no", "errorType": "execution"}


HALF = "caf\udce9"
"""What a file name becomes that is no UTF-8: half a character, which no message can hold."""


@pytest.mark.parametrize("family", ["openai", "openai-responses", "anthropic", "gemini", "bedrock"])
def test_half_characters_are_spelled_out_wherever_they_come_from(family):
    def fail(path: str = "") -> str:
        """Fail."""
        raise OSError(f"no file {HALF}")

    tools = Toolset([fail])
    tools.bind(family)
    odd = [tc.Call("fail", {}, HALF), tc.Call("fail", {"path": HALF})]
    members = {"path": HALF, HALF: [HALF]}
    asked = answer(("fail", {}), (f"open {HALF}", {}), ("fail", members), *odd, format=family)
    ran = tools.run(asked)
    assert json.dumps(list(ran), ensure_ascii=False).encode()
    assert len(ran.calls) == 5
    told = "OSError: no file caf\\udce9"
    assert ran.calls[0].response == tc.ToolResponse.failure(told, "execution")
    assert ran.calls[1].response.error_type == "not_found"
    text = json.dumps(ran.results, ensure_ascii=False)
    assert "caf\\" in text
    if family.startswith("openai"):
        said = json.loads(ran.results[0].get("content") or ran.results[0]["output"])
        assert said == {"ok": False, "error": told, "errorType": "execution"}
    asked.candidates[0].stop = tc.Stop("filter")
    assert json.dumps(list(tools.run(asked)), ensure_ascii=False).encode()


def test_request_and_payload_are_those_of_any_binding():
    tools = Toolset([add, search])
    bound = tools.bind("gemini")
    plain = tc.bind(tools.tools, "gemini")
    assert bound.request() == plain.request()
    assert bound.receipt() == plain.receipt()
    assert tc.Binding.from_receipt(bound.receipt()).restore("add", {"a": 1}).ok


def test_names_are_those_that_the_target_knows():
    def finish() -> str:
        """Only for the program itself."""

    made = Toolset([add, finish]).tools
    bound = tc.bind(made, "anthropic", naming="claude-code")
    assert bound.names == {"add": "Add"}
    assert bound.names == tc.Binding.from_receipt(bound.receipt()).names
    assert tc.bind(made[1], "anthropic", naming="claude-code").names == {}
    assert tc.bind(made, "anthropic").names == {"add": "add", "finish": "finish"}


def test_a_call_that_was_cut_is_not_carried_out():
    tools = Toolset([add])
    tools.bind("openai")
    asked = answer(("add", {"a": 1}), ("add", {"a": 2}))
    asked.candidates[0].stop = tc.Stop("length")
    whole, cut = tools.run(asked).calls
    assert whole.value == 2
    assert not cut.ok
    assert "may be incomplete" in cut.response.error
    asked.candidates[0].messages[0].parts.append(tc.Text("and so"))
    assert all(one.ok for one in tools.run(asked).calls)


def test_calls_without_ids_are_answered_in_order():
    tools = Toolset([add, search])
    tools.bind("gemini")
    calls = [tc.Call("add", {"a": 1}), tc.Call("search", {"query": "x", "limit": 1}),
             tc.Call("add", {"a": 2})]  # fmt: skip
    turn, results = tools.run(answer(*calls, format="gemini"))
    assert [part["functionCall"]["name"] for part in turn["parts"]] == ["add", "search", "add"]
    assert [part["functionResponse"] for part in results["parts"]] == [
        {"name": "add", "response": {"output": 2}},
        {"name": "search", "response": {"output": "x"}},
        {"name": "add", "response": {"output": 3}},
    ]


FAMILIES = ["openai", "openai-responses", "anthropic", "gemini", "bedrock"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def order(lines: list[dict[str, int]], speed: Literal["slow", "fast"] | None = None) -> int:
    """Order."""
    return len(lines)


@settings(max_examples=200)
@given(st.sampled_from(["order", "nothing", "orders", ""]) | st.text(), JSON, st.booleans(),
       st.sampled_from(FAMILIES))  # fmt: skip
def test_whatever_a_model_sends_there_is_an_answer(name, sent, strict, family):
    tools = Toolset([order, nothing])
    bound = tools.bind(family, strict=strict)
    for arguments in (sent, {"lines": sent, "speed": None}, {"lines": [sent]}):
        call = tc.Call(name or "order", arguments, "c")
        ran = bound.run(answer(call, format=family))
        (done,) = ran.calls
        assert done.ok or done.response.error_type in {"validation", "not_found"}
        assert len(ran.turn) == len(ran.results) == 1


@given(st.text() | st.binary(max_size=50))
def test_any_text_of_arguments_has_an_answer(text):
    done = Toolset([order]).call("order", text)
    assert done.ok is False


PAGE = (ROOT / "docs" / "toolset.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_the_page_runs_as_written(code):
    exec(compile(code, "toolset.md", "exec"), {"__name__": "page"})  # noqa: S102


def test_the_page_shows_the_notice_of_a_cut():
    def read(page: int = 1) -> str:
        """Read."""
        return "x" * 5000

    text = Toolset([read], max_result_chars=1000).call("read", {}).result.content[0].text
    assert text.partition("\n")[2] in PAGE


@pytest.mark.parametrize("way", ["to_langchain", "to_pydantic_ai", "to_openai_agents"])
def test_a_binding_of_definitions_has_nothing_to_run(way):
    binding = tc.bind({"name": "f", "inputSchema": {"type": "object"}}, "openai")
    assert not hasattr(binding, way)


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"message": "too many requests", "type": "rate_limit_error"}},
        {"type": "error", "error": {"type": "overloaded_error", "message": "too many requests"}},
        {"error": {"code": 429, "message": "too many requests", "status": "EXHAUSTED"}},
        {"object": "response", "status": "failed", "output": [],
         "error": {"code": "server_error", "message": "too many requests"}},
    ],
)  # fmt: skip
def test_a_providers_error_is_no_answer_without_calls(answer):
    def f():
        """Do it."""

    toolset = Toolset([f])
    for family in ("openai", "openai-responses", "anthropic", "gemini"):
        toolset.bind(family)
    with pytest.raises(AnswerFailed, match="too many requests"):
        toolset.run(answer)


# --- integers that lose digits


def test_integers_that_a_family_stores_with_fewer_digits_are_reported():
    def count(shape: str) -> Any:
        """Count."""
        return {"value": {"n": [1, 2**60 + 1]}, "text": str(2**60 + 1)}[shape]

    tools = tc.Toolset([count])
    calls = [{"functionCall": {"name": "count", "args": {"shape": s}}} for s in ("text", "value")]
    content = {"role": "model", "parts": calls}
    answer = {"candidates": [{"content": content, "finishReason": "STOP"}]}
    ran = tools.bind("gemini").run(answer)
    (loss,) = [loss for loss in ran.losses if loss.code == "L332"]
    assert str(loss.at) == "/messages/1/parts/1/content/0/n/1"
    assert (loss.before, loss.after) == (2**60 + 1, 2**60)
    assert ran.results[0]["parts"][1]["functionResponse"]["response"]["n"] == [1, 2**60 + 1]


# --- the wrong binding, the wrong thing


def test_a_wrong_binding_is_refused_with_the_one_to_use():
    def count() -> int:
        """Count."""
        return 1

    tools, others = tc.Toolset([count]), tc.Toolset([tool(count, name="other")])
    use = {"type": "tool_use", "id": "t", "name": "count", "input": {}}
    answer = {"type": "message", "role": "assistant", "model": "m", "content": [use],
              "stop_reason": "tool_use"}  # fmt: skip
    with pytest.raises(
        tc.ToolcanonError, match=r"in the format anthropic, .* toolset.bind\('anthropic'\)"
    ):
        tools.bind("gemini").run(answer)
    with pytest.raises(
        tc.ToolcanonError, match=r"not in this toolset \(other\); use the toolset that"
    ):
        others.run(answer, binding=tools.bind("anthropic"))
    ran = tools.run(answer, binding=others.bind("anthropic"))
    assert "bound tools: other; use the binding" in ran.calls[0].error.__notes__[0]


@pytest.mark.parametrize("take", [tc.read, tc.check, lambda given: tc.bind(given, "openai"),
                                  lambda given: tc.switch([], "openai", source="openai",
                                                          tools=given)])  # fmt: skip
def test_a_toolset_in_place_of_tools_is_refused_with_advice(take):
    with pytest.raises(tc.ToolcanonError, match=r"pass its tools \(toolset.tools\)"):
        take(tc.Toolset([]))
