"""Normal forms and containment over all real definitions, and over real changes to tools."""

import os
import statistics
import time

import pytest

import toolcanon as tc
from tests.conftest import LABELS, rows
from tests.sampling import sample
from toolcanon.schema.algebra.containment import contained
from toolcanon.schema.algebra.containment.answer import closed
from toolcanon.schema.algebra.normal import normal_form
from toolcanon.schema.upgrade.walk import upgrade
from toolcanon.schema.validate import judge

pytestmark = pytest.mark.corpus

PAIRS = ("github_mcp_pairs", "server_release_pairs")
SIDES = (("inputSchema", "inputs"), ("outputSchema", "outputs"))
MOST_UNKNOWN = 0.03
DOCUMENTS = {"jsonschema"}  # schemas of configuration files, larger and stranger than any tool's


def schemas(label):
    """Schemas of arguments, as 2020-12."""
    for row in rows(label):
        try:
            found = tc.read(row["definition"])
        except tc.ToolcanonError:
            continue  # the reading tests say which and why
        for tool in found:
            yield row.get("id", ""), tool.input_schema


@pytest.mark.parametrize("label", LABELS)
def test_every_schema_is_contained_in_itself_however_spelled(label):
    answers = []
    for name, schema in schemas(label):
        form = normal_form(schema)
        assert normal_form(form) == form, name
        # Which members count as declared can change when conditions and nested unions are written
        # otherwise; tools hardly have any, documents do.
        for reading in ("plain",) if label in DOCUMENTS else ("plain", "inputs"):
            both = (
                contained(schema, form, reading=reading),
                contained(form, schema, reading=reading),
            )
            answers += [found.answer for found in both]
            assert "no" not in answers, (name, both)
    unknown = answers.count("unknown")
    print(f"{label}: {unknown} of {len(answers)} unknown")  # noqa: T201 - shown with -s
    assert unknown <= (MOST_UNKNOWN if label not in DOCUMENTS else 1) * len(answers)


@pytest.mark.parametrize("label", LABELS)
def test_a_normal_form_accepts_what_the_schema_accepts(label):
    for name, schema in list(schemas(label))[:: 1 if os.environ.get("TOOLCANON_CORPUS_ALL") else 3]:
        form = normal_form(schema)
        one, other = judge(schema), judge(form)
        found = sample(schema, most=24)
        for value in (*found.valid, *found.invalid):
            verdicts = {one.accepts(value), other.accepts(value)} - {None}  # which is no opinion
            assert len(verdicts) < 2, (name, value)


@pytest.mark.parametrize("label", PAIRS)
def test_real_changes_are_decided_and_proven(label):
    answers, costs = [], []
    for row in rows(label, "drift"):
        for key, reading in SIDES:
            sides = [row[side].get(key) for side in ("before", "after")]
            if not all(isinstance(side, dict) for side in sides):
                continue
            one, other = (upgrade(side).schema for side in sides)
            if reading == "outputs":
                one, other = other, one
            start = time.process_time()
            found = contained(one, other, reading=reading)
            costs.append(time.process_time() - start)
            answers.append(found.answer)
            check(row["id"], one, other, reading, found)
    unknown = answers.count("unknown")
    cost = statistics.median(costs) * 1e6
    print(f"{label}: {unknown} of {len(answers)} unknown, median {cost:.0f} us")  # noqa: T201
    assert unknown <= MOST_UNKNOWN * len(answers)


def check(name, one, other, reading, found):
    """A no is proven by a judge, and a yes is not refuted by what a sampler finds."""
    if reading == "inputs":
        strict, one = closed(one, maps=False), closed(one, maps=True)
        other = closed(other, maps=False, lenient=True)
    else:
        strict = one
    theirs = judge(other)
    if found.answer == "no":
        assert judge(one).accepts(found.witness), name
        assert theirs.accepts(found.witness) is False or found.at[-1] == "format", name
    elif found.answer == "yes":
        for value in sample(strict, most=40).valid:
            safe = theirs.accepts(value) or "9007199254740991" in str(other)
            assert safe, (name, value)
