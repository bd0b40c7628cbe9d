"""Reading and writing a history is linear in its length: counted in calls, not in seconds."""

import sys

import toolcanon as tc
from tests.tables import table

FAMILIES = ("openai", "openai-responses", "anthropic", "gemini", "bedrock")


def chat(exchanges):
    """Questions, calls without an answer in between, answers late and in another order."""
    out = [{"role": "system", "content": "be brief"}]
    for number in range(exchanges):
        ids = [f"call.{number}.{index}" for index in range(3)]
        out += [
            {"role": "user", "content": f"question {number}"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": id_, "type": "function", "function": {"name": "f", "arguments": "{}"}}
                    for id_ in ids
                ],
            },
            *({"role": "tool", "tool_call_id": id_, "content": "x"} for id_ in reversed(ids[:2])),
            {"role": "user", "content": " "},
            {"role": "assistant", "content": "so"},
            {"role": "tool", "tool_call_id": ids[2], "content": '{"ok":false,"error":"late"}'},
        ]
    return {"model": "m", "messages": out}


def calls_of(body, source, target):
    """How many functions are called on the way, ours and the interpreter's."""
    count = 0

    def look(frame, event, argument):
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        tc.write_conversation(tc.read_conversation(body, source=source), target)
    finally:
        sys.setprofile(before)
    return count


@table("target", FAMILIES)
@table("source", FAMILIES)
def test_ten_times_the_messages_take_ten_times_the_calls(source, target):
    short, long = (
        tc.write_conversation(tc.read_conversation(chat(size), source="openai"), source).payload
        for size in (10, 100)
    )
    calls_of(short, source, target)  # what is loaded or remembered once
    first = calls_of(short, source, target)
    assert first > 100
    assert calls_of(long, source, target) < 10.2 * first
