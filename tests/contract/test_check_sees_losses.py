"""Check reports what conversion reports: every loss but exact ones, every guess, every repair."""

import pytest

import toolcanon as tc
from tests.conftest import format_cases
from tests.unit.test_lost_references import CYCLES, with_definitions
from tests.unit.test_malformed import tool
from tests.unit.test_rivals import AMBIGUOUS
from toolcanon.checking.payloads import check
from toolcanon.diagnostics.codes import REFUSALS
from toolcanon.formats.wire.format import BESIDE, GUESSES, KEYS, NOTES, TEXT

TARGETS = ("openai", "anthropic", "gemini", "cohere", "mcp")
MEMBERS = [
    {"type": "array", "maxItems": -1},
    {"type": "number", "multipleOf": 0},
    {"type": "colour"},
    {"type": ["string", "paint"]},
    {"type": "string", "enum": "any string"},
    {"type": "str | int"},
    {"type": "list of str or int"},
    {"type": "json"},
    {"enum": [1, "a", None]},
    {"enum": [{"a": 1}]},
    {"type": "string", "pattern": "^a", "format": "uuid", "default": "a"},
    {"type": "object", "patternProperties": {"^x": {"type": "integer"}}},
    {"if": {"required": ["a"]}, "then": {"required": ["b"]}},
    {"oneOf": [{"type": "integer"}, {"minimum": 3}]},
    {"not": {"type": "string"}},
    {"$ref": "#/$defs/gone"},
    {"$ref": "https://example.net/a.json"},
    {"type": "object", "properties": {"next": {"$ref": "#"}}},
]
DEFINITIONS = {
    **{f"{name}: {case['case']}": case["definition"] for name, case in format_cases()},
    **{f"member {number}": tool(member) for number, member in enumerate(MEMBERS)},
    **{f"cycle {number}": with_definitions(cycle) for number, cycle in enumerate(CYCLES)},
    **{name: definition for name, (definition, _, _) in AMBIGUOUS.items()},
}


def is_seen(loss, findings):
    """Whether a finding has the place and the code of a loss; a guess has a finding of its own."""
    codes = {loss.code, REFUSALS.get(loss.code)}
    return any(
        one.code in codes
        and (one.at == loss.at or one.at[: len(loss.at) + 1] == (*loss.at, GUESSES))
        for one in findings
    )


@pytest.mark.parametrize("target", TARGETS)
def test_check_reports_every_loss_that_is_not_exact(target):
    seen = set()
    for name, definition in DEFINITIONS.items():
        findings = check(definition, [target]).findings
        for loss in tc.convert(definition, target).losses:
            if loss.effect != tc.Effect.EXACT:
                seen.add(loss.code)
                assert is_seen(loss, findings), (name, loss)
    assert len(seen) > 8, seen  # else nothing was tried


def test_check_reports_material_losses_as_warnings():
    material = tc.Effect.WIDENED | tc.Effect.NARROWED
    for name, definition in DEFINITIONS.items():
        worst = {one.level for one in check(definition, ["gemini"]).findings}
        if any(loss.effect & material for loss in tc.convert(definition, "gemini").losses):
            assert worst & {"warning", "error"}, name


def test_check_reports_every_guess_and_repair_of_a_reader():
    guessed = repaired = 0
    for name, definition in DEFINITIONS.items():
        findings = check(definition, ["anthropic"], select=["C", "L"]).findings
        for read in tc.read(definition):
            for format_id, own in read.extras.items():
                noted = own.get(NOTES, {})
                places = {one.at for one in findings}
                for number in range(len(noted.get(GUESSES, ()))):
                    guessed += 1
                    assert ("extras", format_id, NOTES, GUESSES, number) in places, name
                for note in (TEXT, BESIDE, KEYS):
                    for key in noted.get(note, ()):
                        repaired += 1
                        assert ("extras", format_id, NOTES, note, key) in places, name
    assert guessed
    assert repaired


@pytest.mark.parametrize(
    "definition",
    [
        {"name": "f", "description": "Adds.", "inputSchema": {"type": "object", "properties": {}}},
        tool({"type": "string", "description": "Whom."}),
    ],
)
def test_check_reports_nothing_for_an_exact_conversion(definition):
    assert not check(definition).findings
