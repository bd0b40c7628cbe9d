"""The benchmarks of the core run, and their cold state is cold."""

from __future__ import annotations

import os
import subprocess
import sys

import orjson
import pytest

import toolcanon as tc
from tests.conftest import ROOT, corpus_folder

pytestmark = pytest.mark.corpus

BENCHMARKS = ROOT / "benchmarks"
FEW = ("--definitions", "64", "--processes", "1")


def output_of(*command: str) -> str:
    if not (corpus_folder() / "bench_2k.jsonl").exists():
        pytest.skip(f"no benchmark set at {corpus_folder()}")
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, *command],
        check=False,
        capture_output=True,
        text=True,
        cwd=BENCHMARKS,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("script", "row"),
    [
        (("cold.py", "--only", "convert to openai/strict", *FEW), "| convert to openai/strict | "),
        (("repeated.py", "--only", "Toolset", *FEW), "| Toolset.bind to openai/strict"),
        (("startup.py", "--runs", "1", "--only", "check FILE"), "| toolcanon check FILE"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_benchmarks_print_a_table(script: tuple[str, ...], row: str) -> None:
    assert row in output_of(*script)


def test_warm_up_shares_no_input_schema_with_the_benchmark_set() -> None:
    script = (
        "import corpus, orjson;"
        "print(orjson.dumps([corpus.definitions(), corpus.others(400)]).decode())"
    )
    measured, others = orjson.loads(output_of("-c", script))
    schemas = [
        {orjson.dumps(tc.read(row)[0].inputs) for row in rows} for rows in (measured, others)
    ]
    assert len(others) > 300
    assert schemas[0].isdisjoint(schemas[1])
