"""A tool has one name at a provider: in the tools, the choice, the history and the stream."""

import json
from itertools import product

import pytest

import toolcanon as tc
from tests.loopback import FAMILIES, Said
from tests.loopback.wires import WIRES
from tests.referee.histories import certain_faults
from tests.tables import table
from toolcanon.boundary.rewriter import Rewriter, RewriterOptions

HISTORY = {"openai-responses": "input", "gemini": "contents"}
# What applications call their tools: legal everywhere, or refused by some for a sign, for the
# first character, for the length or for the alphabet; and two that the same signs make alike.
NAMES = ["look", "db.query", "db_query", "9lives", "n" * 70, "grüße", "a b", "mcp__x__y"]
SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
PATCHED = [family for family in FAMILIES if family != "bedrock"]  # which streams no SSE
WAYS = {"as they are": {}, "by a profile": {"naming": "pascal"}}


def declared(family, tools):
    """Tools as an application writes them, which does not know what is refused."""
    made = []
    for name in tools:
        flat = {"name": name, "description": "d"}
        if family == "openai":
            made.append({"type": "function", "function": {**flat, "parameters": SCHEMA}})
        elif family == "openai-responses":
            made.append({"type": "function", **flat, "parameters": SCHEMA, "strict": False})
        elif family == "anthropic":
            made.append({**flat, "input_schema": SCHEMA})
        elif family == "gemini":
            made.append({**flat, "parametersJsonSchema": SCHEMA})
        else:
            made.append({"toolSpec": {**flat, "inputSchema": {"json": SCHEMA}}})
    return [{"functionDeclarations": made}] if family == "gemini" else made


def chosen(family, name):
    """The choice of one tool, as a part of the request."""
    if family == "openai":
        return {"tool_choice": {"type": "function", "function": {"name": name}}}
    if family == "openai-responses":
        return {"tool_choice": {"type": "function", "name": name}}
    if family == "anthropic":
        return {"tool_choice": {"type": "tool", "name": name}}
    if family == "gemini":
        calling = {"mode": "ANY", "allowedFunctionNames": [name]}
        return {"toolConfig": {"functionCallingConfig": calling}}
    return {"toolConfig": {"toolChoice": {"tool": {"name": name}}}}


def request(family, choice="db.query"):
    """A request with every tool declared and called once, and one of them chosen."""
    calls = [tc.Call(name, {"q": "db.query"}, f"c{n}") for n, name in enumerate(NAMES)]
    results = [tc.Result(call.id, [tc.Text("look")], call.name) for call in calls]
    said = tc.Conversation([tc.Message("user", [tc.Text("Go.")]), tc.Message("assistant", calls),
                            tc.Message("tool", results)])  # fmt: skip
    body = tc.write_conversation(said, family).payload
    body |= chosen(family, choice)
    if family == "bedrock":
        body["toolConfig"]["tools"] = declared(family, NAMES)
    else:
        body["tools"] = declared(family, NAMES)
    return body


def names_of_tools(family, body):
    tools = body["toolConfig"]["tools"] if family == "bedrock" else body["tools"]
    if family == "gemini":
        tools = [one for each in tools for one in each["functionDeclarations"]]
    inner = {"openai": "function", "bedrock": "toolSpec"}.get(family)
    return [tool[inner]["name"] if inner else tool["name"] for tool in tools]


def check(family, body, outside):
    """Everything in a request goes by the same names; ``outside`` is what each tool is called."""
    assert names_of_tools(family, body) == [outside[name] for name in NAMES]
    read = tc.read_conversation(body, source=family)
    assert [call.name for one in read for call in one.calls] == [outside[name] for name in NAMES]
    answered = [result.name for one in read for result in one.results]
    assert {*answered} <= {None, *outside.values()}
    assert answered[1] in {None, outside["db.query"]}
    assert read.tool_choice.names == [outside["db.query"]]
    assert {call.arguments["q"] for one in read for call in one.calls} == {"db.query"}
    assert certain_faults(family, body, model="m") == []


def restored(answer):
    return [(call.name, call.arguments) for call in answer.calls]


@table("way", WAYS)
@table("source", FAMILIES)
def test_switch_names_tools_alike_in_tools_choice_history_and_stream(source, way):
    for target in FAMILIES:
        done = tc.switch(request(source), target, source=source, **WAYS[way])
        outside = done.binding.names
        assert list(outside) == NAMES
        assert len({*outside.values()}) == len(NAMES)
        check(target, done.payload, outside)
        asked = [(f"c{n}", outside[name], {"q": name}) for n, name in enumerate(NAMES)]
        own = [(name, {"q": name}) for name in NAMES]
        if target in PATCHED:
            sent = WIRES[target].stream(Said("", tuple(asked)), 1)
            there = tc.translate_stream(sent, source, source=target, source_binding=done.binding)
            events = list(there)
            assert restored(there.answer) == own
            assert restored(tc.accumulate(events, source=source)) == own
        body = WIRES[target].body(Said("", tuple(asked)), 1)
        back = [done.binding.restore(call.name, call.arguments)
                for call in tc.read_answer(body, source=target).calls]  # fmt: skip
        assert [(call.name, call.arguments) for call in back] == own


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("family", PATCHED)
def test_the_boundary_names_tools_as_switch_does(family, way):
    exchange = Rewriter(family, RewriterOptions(**WAYS[way])).request(
        json.dumps(request(family)).encode()
    )
    sent = json.loads(exchange.body)
    source = next(other for other in FAMILIES if other != family)
    outside = tc.switch(request(source), family, source=source, **WAYS[way]).binding.names
    check(family, sent, outside)
    asked = tuple((f"c{n}", outside[name], {"q": name}) for n, name in enumerate(NAMES))
    own = [(name, {"q": name}) for name in NAMES]
    body = json.dumps(WIRES[family].body(Said("", asked), 1)).encode()
    assert restored(tc.read_answer(json.loads(exchange.answer(body)), source=family)) == own
    stream = exchange.stream()
    events = stream.feed(WIRES[family].stream(Said("", asked), 1)) + stream.close()
    assert restored(tc.accumulate(events, source=family)) == own
    for name, (_, wire, _) in zip(NAMES, asked, strict=True):
        if wire not in NAMES:  # in no event, by no key
            assert json.dumps(wire) not in events.decode(), name


@pytest.mark.parametrize("target", FAMILIES)
def test_an_allow_list_names_tools_as_the_tools_do(target):
    for source, kept in product(("openai", "openai-responses"), (["db.query", "a b"],)):
        body = request(source)
        tools = [
            {"type": "function", **({"function": {"name": name}} if source == "openai" else
                                    {"name": name})} for name in kept
        ]  # fmt: skip
        listed = {"mode": "auto", "tools": tools}
        body["tool_choice"] = {"type": "allowed_tools", **(
            {"allowed_tools": listed} if source == "openai" else listed)}  # fmt: skip
        done = tc.switch(body, target, source=source)
        outside = [done.binding.names[name] for name in kept]
        choice = tc.read_conversation(done.payload, source=target).tool_choice
        named = names_of_tools(target, done.payload)
        assert (choice.names or named) == outside
        assert {*outside} <= {*named}


CHAINS = [
    ("search", "find", {"names": {"search": "find", "find": "lookup"}}),
    ("search", "find", {"names": {"search": "find", "find": "search"}}),
    ("Überprüfen", "_berpr_fen", "pascal"),
    ("é", "_", "claude-code"),
]


@table("target", FAMILIES)
@table("first, second, naming", CHAINS)
def test_a_new_name_that_is_another_tool_s_own_leads_to_the_right_tool(
    target, first, second, naming
):
    calls = [
        {"id": str(n), "type": "function", "function": {"name": name, "arguments": "{}"}}
        for n, name in enumerate((first, second))
    ]
    body = {
        "model": "m",
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *({"role": "tool", "tool_call_id": str(n), "content": "R"} for n in range(2)),
        ],
        "tools": declared("openai", [first, second]),
        "tool_choice": {"type": "function", "function": {"name": second}},
    }
    done = tc.switch(body, target, naming=naming)
    home = tc.switch(done.payload, "openai", receipt=done.receipt())
    for made, family in ((done, target), (home, "openai")):
        history = tc.read_conversation(made.payload, source=family)
        names = [tool.name for tool in tc.read(made.payload)]
        assert len(set(names)) == 2
        assert [call.name for message in history.messages for call in message.calls] == names
        assert history.tool_choice.names == names[1:]
