"""Results stay as they were: the committed digests hold, under any hash seed, compiled or not."""

import sys

import pytest

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import digests

MOST_BYTES = 300_000


@pytest.mark.parametrize(
    "seed, python_only", [("0", False), ("1", True)], ids=["compiled", "python only"]
)
def test_results_are_those_of_the_committed_digests(seed, python_only):
    """After a wanted change: `make digests UPDATE=1`, and the commit gives the reason."""
    kept = digests.parsed(digests.SAMPLE.read_text(encoding="utf-8").splitlines())
    now = digests.parsed(digests.sample_lines(seed, python_only=python_only).splitlines())
    assert digests.differences(kept, now) == []


def test_differences_name_case_and_column():
    before = {"a": ("1", "1"), "b": ("1", "1"), "c": ("1", "1"), "d": ("1", "1")}
    after = {"a": ("1", "1"), "b": ("2", "1"), "c": ("1", "2"), "e": ("1", "1")}
    assert digests.differences(before, after) == [
        ("d", "gone"), ("b", "structure"), ("c", "text"), ("e", "new"),
    ]  # fmt: skip


def test_digests_see_order_and_type():
    made = {digests.digest(value) for value in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, 1, 1.0, "1")}
    assert len(made) == 5


def test_the_committed_file_stays_small():
    assert digests.SAMPLE.stat().st_size < MOST_BYTES
