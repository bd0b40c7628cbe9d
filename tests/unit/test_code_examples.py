"""Every example of a code reports that code, and changes what is given."""

import pytest

from toolcanon.cli.code_examples import codes, converted, example_lines
from toolcanon.diagnostics import CODES

CANNOT_BE_SHORT = {
    "L004", "L008", "L016", "L017", "L018", "L237", "L239", "L246", "L250",
    "L401", "L402", "L403", "L404", "L405",
}  # fmt: skip


@pytest.mark.parametrize("code", list(codes()))
def test_example_reports_its_code(code):
    before, after, reported = converted(code)
    assert code in reported
    assert before != after
    assert len(list(example_lines(code))) == 3


def test_codes_without_an_example_are_listed():
    lowered = {code for code in CODES if code[:2] in {"L0", "L1", "L2", "L4"}}
    assert lowered - set(codes()) == CANNOT_BE_SHORT
