"""The types of more providers judge what we write, and what their own objects are read as."""

import json
import warnings

import pytest
from pydantic import TypeAdapter, ValidationError

import toolcanon as tc
from tests.conftest import LABELS, chosen_targets, format_cases, rows
from tests.tables import table
from toolcanon.errors import ToolcanonError

CASES = [(f, c["definition"]) for f, c in format_cases()]
WHOLE = ("function", "parameters")
FUNCTION = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}


def same(model):
    """A judge whose model keeps every key: what it dumps must be what it was given."""

    def judge(item):
        dumped = model.model_validate(item).model_dump(mode="json", by_alias=True)
        assert pruned(dumped) == pruned(item)

    return judge


def pruned(value):
    """Without nulls, which say nothing."""
    if isinstance(value, dict):
        return {key: pruned(item) for key, item in value.items() if item is not None}
    return [pruned(item) for item in value] if isinstance(value, list) else value


def mistral():
    from mistralai.client.models import Tool

    return same(Tool)


def cohere():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own deprecations while it is imported
        from cohere.types import ToolV2, ToolV2Function

    def judge(item):
        assert item.keys() <= ToolV2.model_fields.keys()
        assert item["function"].keys() <= ToolV2Function.model_fields.keys()
        same(ToolV2)(item)

    return judge


def ollama():
    from ollama import Tool

    def judge(item):
        kept = pruned(Tool.model_validate(item).model_dump(mode="json", by_alias=True))
        kept["function"].setdefault("description", "")
        assert [*dropped(pruned(item), kept)] == []

    return judge


def dropped(given, kept, at=()):
    """What the client does not pass on, except what the server would have read.

    Members of members and unions reach the model by other clients (see the format's sources). A
    description of the arguments as a whole is never sent, nor is a title.
    """
    if not isinstance(given, dict) or not isinstance(kept, dict):
        if given != kept:
            yield at
        return
    for key, value in given.items():
        known = key in {"properties", "required", "anyOf"} and len(at) > len(WHOLE)
        known = known or key == "title" or (at == WHOLE and key == "description")
        if key in kept:
            yield from dropped(value, kept[key], (*at, key))
        elif not known:
            yield (*at, key)


def groq():
    from groq.types.chat import ChatCompletionToolParam

    return strict(ChatCompletionToolParam)


def chat():
    from openai.types.chat import ChatCompletionFunctionToolParam

    return strict(ChatCompletionFunctionToolParam)


def strict(type_):
    adapter = TypeAdapter(type_)
    return lambda item: adapter.validate_python(item, strict=True, extra="forbid")


JUDGES = {
    "cohere": cohere,
    "deepseek": chat,
    "groq": groq,
    "mistral": mistral,
    "ollama": ollama,
    "xai": chat,
}


@pytest.fixture(scope="module", params=JUDGES)
def judged(request):
    return request.param, JUDGES[request.param]()


def accepted(tool, target, judge, where):
    if tool.kind is tc.Kind.BUILTIN:
        return 0
    for strictly in (False, True):
        payload = tc.bind(tool, target, strict=strictly).payload
        try:
            judge(json.loads(json.dumps(payload)))
        except (ValidationError, AssertionError) as error:
            raise AssertionError(f"{where}: {target} refuses {payload}: {error}") from error
    return 1


def test_every_case_is_accepted(judged):
    target, judge = judged
    seen = sum(
        accepted(tool, target, judge, definition)
        for source, definition in CASES
        for tool in tc.read(definition, source=source)
    )
    assert seen > 80


@pytest.mark.corpus
@pytest.mark.parametrize("label", LABELS)
def test_every_row_is_accepted(judged, label):
    target, judge = judged
    for row in rows(label):
        if target not in chosen_targets(row["definition"], [*JUDGES]):
            continue
        try:
            tools = tc.read(row["definition"], source=LABELS[label])
        except ToolcanonError:
            continue
        for tool in tools:
            accepted(tool, target, judge, row["id"])


WRONG = [
    {"type": "nothing", "function": {"name": "f", "parameters": {"type": "string"}}},
    {"type": "function", "function": {"name": "f", "parameters": {"type": "array"}, "x": 1}},
]


@table("wrong", WRONG)
def test_the_judges_can_say_no(judged, wrong):
    target, judge = judged
    if target == "groq" and wrong is WRONG[0]:
        pytest.skip("any type is taken there")
    judge(FUNCTION)
    with pytest.raises((ValidationError, AssertionError)):
        judge(wrong)


def test_what_the_client_drops_is_seen():
    nested = {"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}}
    item = {"type": "function", "function": {"name": "f", "description": "", "parameters": nested}}
    with pytest.raises(AssertionError):
        ollama()(item)
    ollama()(tc.convert(item, "ollama").payload)


def test_hosted_tools_are_those_of_the_types():
    import typing

    from groq.types.chat import chat_completion_tool_param
    from mistralai.client.models import ChatCompletionRequestTool, CreateAgentRequestTool

    from toolcanon.formats.groq import HOSTED as AT_GROQ
    from toolcanon.formats.mistral import HOSTED as AT_MISTRAL

    agents = typing.get_args(typing.get_args(CreateAgentRequestTool)[0])
    named = {
        model.model_fields["type"].default
        for model in (*typing.get_args(ChatCompletionRequestTool), *agents)
    }
    assert named - {"function"} == set(AT_MISTRAL)
    hints = typing.get_type_hints(chat_completion_tool_param.ChatCompletionToolParam)
    literal = typing.get_args(hints["type"])[0]
    assert set(typing.get_args(literal)) - {"function"} == set(AT_GROQ)


def test_live_objects_are_read():
    from mistralai.client.models import Function, Tool
    from ollama import Tool as LocalTool

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from cohere.types import ToolV2, ToolV2Function

    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    for live in (
        Tool(function=Function(name="f", parameters=schema)),
        ToolV2(function=ToolV2Function(name="f", parameters=schema)),
        LocalTool.model_validate({"function": {"name": "f", "parameters": schema}}),
    ):
        (tool,) = tc.read([live])
        assert (tool.name, tool.inputs) == ("f", schema), type(live)


def test_requests_are_what_the_clients_take():
    import inspect

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from cohere.v2.client import V2Client
    from ollama import Client

    function = {"name": "f", "parameters": {"type": "object", "properties": {"a": {}}}}
    strictly = tc.bind({"type": "function", "function": function}, "cohere", strict=True)
    assert strictly.request()["strict_tools"] is True
    assert strictly.request().keys() <= inspect.signature(V2Client.chat).parameters.keys()
    local = tc.bind(FUNCTION, "ollama").request()
    assert local.keys() <= inspect.signature(Client.chat).parameters.keys()
