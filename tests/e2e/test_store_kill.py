"""Killed at any moment, a store opens again and has everything that was acknowledged.

A sample of the rounds by default, all 500 with TOOLCANON_CORPUS_ALL=1 or with ``make corpus``.
"""

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

ALL = bool(os.environ.get("TOOLCANON_CORPUS_ALL"))


def processes(what, folder, rounds, seed=1):
    command = [
        sys.executable,
        "-m",
        "tests.store_processes",
        what,
        str(folder),
        str(rounds),
        str(seed),
    ]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=1500
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.corpus
def test_no_acknowledged_write_is_lost(tmp_path):
    rounds = 500 if ALL else 12
    found = processes("kill", tmp_path, rounds)
    assert found["kills"] == 4 * rounds
    assert found["acknowledged"] > rounds  # they were really writing
    assert found["lost"] == 0


def test_killed_while_it_is_brought_up_to_date(tmp_path):
    found = processes("migration", tmp_path, 60 if ALL else 12)
    assert found["rounds"] == (60 if ALL else 12)
