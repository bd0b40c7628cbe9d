"""Small edits of JSON texts: the text has the new value, and what need not change stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.text_edits import edited, line_and_column, spans

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab"\\,{}[]: \n', max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text('ab"~/', max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)
LAYOUTS = st.sampled_from(
    [{}, {"indent": 2}, {"indent": "\t"}, {"separators": (",", ":")}, {"ensure_ascii": False}]
)


@given(VALUES, VALUES, LAYOUTS)
def test_the_text_has_the_new_value(before: object, after: object, layout: dict) -> None:
    text = json.dumps(before, **layout)
    assert json.loads(edited(text, before, after)) == after


@given(VALUES, LAYOUTS)
def test_nothing_to_change_changes_nothing(value: object, layout: dict) -> None:
    text = json.dumps(value, **layout)
    assert edited(text, value, json.loads(text)) == text


def places(value: object, at: tuple = ()) -> list[tuple]:
    if not isinstance(value, dict | list):
        return [at]
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    return [at, *(p for step, item in inner for p in places(item, (*at, step)))]


@given(VALUES, LAYOUTS)
def test_every_value_is_found_at_its_place(value: object, layout: dict) -> None:
    text = json.dumps(value, **layout)
    wanted = [Pointer(at) for at in places(value)]
    found = spans(text, wanted)
    assert set(found) == set(wanted)
    for pointer, span in found.items():
        assert json.loads(text[span.value : span.end]) == pointer.resolve(value)
        if span.start != span.value:
            assert json.JSONDecoder().raw_decode(text, span.start)[0] == pointer[-1]


@pytest.mark.parametrize(
    ("text", "index", "place"),
    [("a", 0, (1, 1)), ("a\nbc", 3, (2, 2)), ("\n\n", 1, (2, 1)), ("é\r\nx", 3, (2, 1))],
)
def test_lines_and_columns_count_from_one(text: str, index: int, place: tuple[int, int]) -> None:
    assert line_and_column(text, index) == place


def test_layout_and_order_of_the_rest_stay() -> None:
    text = '{\n  "b": {"x": 1},\n\n  "a":   [1,2],\n  "type": "dict"\n}\n'
    before = json.loads(text)
    after = {"b": {"x": 1, "y": [2]}, "a": [1, 2], "type": "object"}
    assert edited(text, before, after) == (
        '{\n  "b": {"x": 1, "y": [2]},\n\n  "a":   [1,2],\n  "type": "object"\n}\n'
    )


def test_lines_end_as_they_did_and_short_lists_stay_short() -> None:
    text = '{\r\n\t"required": ["n", "n"],\r\n\t"type": "dict"\r\n}'
    after = {"required": ["n"], "type": "object", "properties": {"n": {}}}
    assert edited(text, json.loads(text), after) == (
        '{\r\n\t"required": ["n"],\r\n\t"type": "object",\r\n\t"properties": '
        '{\r\n\t\t"n": {}\r\n\t}\r\n}'
    )
