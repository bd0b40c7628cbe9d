"""Many processes, one store."""

from tests.e2e.test_store_kill import processes


def test_eight_writers(tmp_path):
    assert processes("writers", tmp_path, 200) == {"writes": 8 * 200}


def test_two_approvers(tmp_path):
    assert processes("approvers", tmp_path, 15) == {"races": 15}
