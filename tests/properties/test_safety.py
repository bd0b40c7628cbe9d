"""Whatever is hidden, wherever it is put, is found there; and ordinary text stays ordinary."""

import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolcanon as tc
from tests.conftest import CASES
from toolcanon.checking.rules import rules
from toolcanon.ir.walk import ToolView
from toolcanon.text.hidden_text import carried, decoded, hidden
from toolcanon.text.homoglyphs import disguises, reading, skeleton

SAFETY = [rule for code, rule in rules().items() if code.startswith("S")]
TONGUES = json.loads((CASES / "safety" / "tongues.json").read_text(encoding="utf-8"))

INVISIBLE = [
    *"\xad\u034f\u115f\u1160\u17b4\u17b5\u180b\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064",
    *"\u206a\u206f\u2800\u3164\ufe00\ufe0f\ufeff\uffa0\ufff9\ufffb\U0001d173",
    *"\U000e0001\U000e0020\U000e0041\U000e007f\U000e0100\U000e01ef",
]  # fmt: skip
TURNING = [*"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"]
CONTROLS = [chr(point) for point in (*range(9), *range(0xE, 0x20), *range(0x7F, 0x85), 0x9B, 0x9D)]

# Latin text, in which none of these characters has anything to do.
LATIN = st.text(
    st.characters(codec="ascii", min_codepoint=0x20, exclude_characters="0123456789#*<>[]&%\\"),
    min_size=1,
    max_size=40,
)
PLACES = st.sampled_from(
    [
        (("name",), "name"),
        (("title",), "title"),
        (("description",), "description"),
        (("inputs", "properties", "a", "description"), "description"),
        (("inputs", "properties", "a", "default"), "value"),
        (("inputs", "properties", "a", "enum", 0), "value"),
        (("inputs", "$defs", "d", "title"), "title"),
        (("inputs", "properties", "a", "anyOf", 1, "items", "const"), "value"),
        (("outputs", "properties", "b", "examples", 0, "c"), "value"),
        (("extras", "mcp", "_meta", "note"), "remark"),
    ]
)


def planted(steps, text):
    """A tool with a text at one place and nothing else to find."""
    value = text
    for step in reversed(steps[1:]):
        value = [None] * step + [value] if isinstance(step, int) else {step: value}
    said = {"name": "add", steps[0]: value}
    return tc.CanonicalTool(**said)


def codes_at(tool, at):
    subject = ToolView(tool)
    return {
        rule.code
        for rule in SAFETY
        if rule.look
        for hit in rule.look(subject)
        if tuple(hit.at) == tuple(at)
    }


@pytest.mark.parametrize(
    ("characters", "code"), [(INVISIBLE, "S101"), (TURNING, "S102"), (CONTROLS, "S103")]
)
def test_a_hidden_character_is_found_at_any_place_of_any_text(characters, code):
    @settings(max_examples=300)
    @given(LATIN, st.sampled_from(characters), st.integers(0, 40), PLACES)
    def holds(text, character, position, place):
        position = min(position, len(text))
        spoiled = text[:position] + character + text[position:]
        steps, _ = place
        assert code in codes_at(planted(steps, spoiled), steps)

    holds()


@settings(max_examples=200)
@given(
    st.text(
        st.characters(codec="ascii", min_codepoint=0x20, max_codepoint=0x7E),
        min_size=2,
        max_size=60,
    )
)
def test_tags_and_selectors_give_back_what_they_carry(text):
    assert carried("".join(chr(0xE0000 + ord(char)) for char in text)) == text
    assert carried("".join(chr(0xE0100 + byte - 16) for byte in text.encode())) == text


@settings(max_examples=200)
@given(
    st.lists(st.sampled_from(sorted(TONGUES)), min_size=1, max_size=4),
    st.sampled_from(["\n", " ", ". ", "\n\n"]),
)
def test_ordinary_texts_stay_ordinary_side_by_side(names, between):
    text = between.join(TONGUES[name] for name in names)
    tool = tc.CanonicalTool(name="add", description=text)
    assert codes_at(tool, ("description",)) == set()


@settings(max_examples=300)
@given(st.text(max_size=80))
def test_scanners_bear_any_text(text):
    for run in hidden(text):
        assert 0 <= run.start < run.end <= len(text)
    assert skeleton(text) == skeleton(unicodedata.normalize("NFC", text))
    assert "\n" not in reading(text)
    list(decoded(text))
    list(disguises(text))


@settings(max_examples=200)
@given(st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=3, max_size=20))
def test_a_skeleton_does_not_tell_look_alikes_apart(name):
    swapped = name.translate(str.maketrans("aeopcxyAEOPCXTHKMB", "аеорсхуАЕОРСХТНКМВ"))  # noqa: RUF001
    assert skeleton(swapped) == skeleton(name)
    assert skeleton(unicodedata.normalize("NFD", name)) == skeleton(name)
