"""Tables report every row that fails, by its id, and no other."""

import pytest

from tests.tables import table

pytest_plugins = ["pytester"]

TABLE = """
import pytest
from tests.tables import table

@pytest.mark.parametrize("kind", ["one", "two"])
@table("given, wanted", [(1, 1), (1, 2), pytest.param(3, 4, id="third")])
@table("letter", "pq")
def test_rows(kind, given, wanted, letter, tmp_path):
    if letter == "q" and given == 3:
        pytest.skip("not this one")
    assert tmp_path.is_dir()
    assert given == wanted or kind == "two"
"""


def test_every_row_that_fails_is_named(pytester):
    pytester.makepyfile(TABLE)
    done = pytester.runpytest_inprocess("-rA", "-o", "verbosity_subtests=1")
    shown = "\n".join(done.outlines)
    for row in ("1 1-2-0 p", "1 1-2-1 q", "2 third-0 p"):
        assert f"SUBFAILED[{row}]" in shown
    assert sum(line.startswith("SUBFAILED[") for line in done.outlines) == 3
    assert "SUBSKIPPED[2 third-1 q]" in shown
    done.assert_outcomes(failed=4, passed=1, skipped=2)


def test_a_table_needs_rows_and_names_that_the_test_takes():
    with pytest.raises(AssertionError, match="tests nothing"):
        table("a", [])
    with pytest.raises(AssertionError, match="takes no b"):
        table("b", [1])(lambda a: None)
    with pytest.raises(AssertionError, match="marks"):
        table("a", [pytest.param(1, marks=pytest.mark.skip)])
