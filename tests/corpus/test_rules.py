"""Safety rules on real definitions: what they say must be rare, and each kind was looked at."""

from collections import Counter, defaultdict

import pytest

import toolcanon as tc
from tests.conftest import LABELS, corpus_folder, rows
from toolcanon.checking.rules import rules
from toolcanon.errors import ToolcanonError
from toolcanon.ir.walk import ToolView

pytestmark = pytest.mark.corpus

SAFETY = [rule for code, rule in rules().items() if code.startswith("S")]
MORE = ["acebench_raw", "api_bank", "docker_registry", "rapidapi", "seal_tools"]

# The most findings of a code and a level among ten thousand tools. Whole JSON Schema documents
# refer to other documents; that is why they are counted apart.
BUDGET = {
    ("S103", "warning"): 3,
    ("S105", "warning"): 3,
    ("S107", "info"): 5,
    ("S107", "warning"): 3,
    ("S108", "warning"): 5,
    ("S109", "warning"): 5,
    ("S110", "warning"): 5,
    ("S111", "error"): 5,
    ("S111", "warning"): 5,
    ("S112", "info"): 10,
    ("S112", "warning"): 3,
    ("S113", "info"): 15,
    ("S113", "warning"): 25,
    ("S116", "warning"): 3,
}
FEWEST = 2
"""A sample is small: two of a kind may be in it by chance."""


def read_all(label):
    for row in rows(label):
        try:
            yield row, tc.read(row["definition"])[0]
        except ToolcanonError:
            continue


def findings(tool):
    subject = ToolView(tool)
    for rule in SAFETY:
        for hit in rule.look(subject) if rule.look else ():
            yield rule.code, hit.level or rule.level, hit


def test_findings_are_rare():
    counted, told, total = Counter(), defaultdict(list), 0
    for label in [*LABELS, *MORE]:
        for row, tool in read_all(label):
            total += 1
            for code, level, hit in findings(tool):
                if label == "jsonschema" and code == "S114":
                    continue
                counted[code, level] += 1
                told[code, level].append((row["id"], str(hit.at), hit.message))
    for kind, count in counted.items():
        most = max(FEWEST, BUDGET.get(kind, 0) * total / 10_000) if kind in BUDGET else 0
        assert count <= most, (kind, told[kind])


def test_nothing_hidden_in_real_definitions():
    """Emoji, accents and scripts of every kind are there; nothing in disguise is."""
    seen = 0
    for label in [*LABELS, *MORE]:
        for row, tool in read_all(label):
            subject = ToolView(tool)
            seen += any(not text.text.isascii() for text in subject.unusual)
            found = {code for code, level, _ in findings(tool) if level == "error"}
            assert not found & {"S101", "S102", "S103", "S104"}, row["id"]
    assert seen > 30


def test_names_of_real_servers_are_not_taken_for_each_other():
    servers = defaultdict(list)
    for row, tool in read_all("mcp"):
        if row["source"].startswith(("npm:", "pypi:")) or row["source"] == "github-mcp-server":
            servers[row["source"]].append(ToolView(tool))
    assert servers, corpus_folder()
    for source, subjects in servers.items():
        for rule in SAFETY:
            if rule.compare:
                assert list(rule.compare(subjects)) == [], source
