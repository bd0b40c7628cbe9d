"""The code of docs/conversations.md is run, and every value on it compared."""

import json

import pytest

import toolcanon as tc
from tests.e2e.pages import blocks, commands, run, values
from toolcanon.errors import CutStream

PAGE = "docs/conversations.md"
CUT = [
    {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}},
    {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "tool_use", "id": "c1", "name": "weather", "input": {}},
    },
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "input_json_delta", "partial_json": '{"city": "Os'},
    },
]


@pytest.fixture(scope="module")
def shown():
    return values(PAGE)


def test_values_match_the_page(shown):
    _, compared = shown
    assert [(said, value) for said, value, _ in compared] == [
        (said, claimed) for said, _, claimed in compared
    ]
    assert len(compared) == len({said for said, *_ in compared}) == 15


def test_a_cut_stream_is_an_error():
    (told,) = blocks(PAGE, "")
    with pytest.raises(CutStream) as caught:
        tc.accumulate(iter(CUT))
    assert str(caught.value) == " ".join(told.split())
    (call,) = caught.value.partial.calls
    assert (call.arguments, call.text) == (None, '{"city": "Os')
    assert call.problem


def test_the_output_matches_the_page(shown, tmp_path):
    names, _ = shown
    unanswered = [*names["history"][:2], {"role": "user", "content": "Well?"}]
    (tmp_path / "history.json").write_text(json.dumps(unanswered))
    ((line, expected),) = commands(PAGE)
    assert run(line, tmp_path).stdout == expected
