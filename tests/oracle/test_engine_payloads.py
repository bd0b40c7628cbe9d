"""Constrained-decoding engines judge the payloads of the corpus, byte by byte.

They compile every strict payload. What they let a model write, our validator accepts, and it
comes back as arguments that the tool's own schema accepts; what is valid they let a model write.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from itertools import islice

import jsonschema_rs
import pytest

import toolcanon as tc
from tests.conftest import corpus_folder, rows
from tests.engines.judges import LLGUIDANCE, OUTLINES, Refused, outlines_pattern
from tests.engines.spelling import spelled
from tests.lens_laws import thinned
from tests.sampling import sample
from toolcanon.conversion.target import all_dialects, find_dialect
from toolcanon.diagnostics import Effect
from toolcanon.dialect import Support
from toolcanon.ir import Kind
from toolcanon.schema.keywords import POSITIONS, Position

WHOLE = bool(os.environ.get("TOOLCANON_CORPUS_ALL"))
LABELS = sorted(path.stem for path in corpus_folder().glob("definitions/*.jsonl")) or ["mcp"]
OWN = {"openai/outlines": OUTLINES}
# Whatever sends grammars: those that refuse what no grammar can say.
GRAMMARS = [
    dialect.id
    for dialect in all_dialects().values()
    if dialect.strict and dialect.support("not") is Support.REJECTED
]
AGREEING = ["openai/strict", "openai/llguidance", "openai/outlines"]
FEW = 24
LONGEST_PATTERN = 2_000  # an automaton is built from all of it, which may take minutes


def judge_of(dialect):
    engine = OWN.get(dialect, LLGUIDANCE)
    if not engine.is_installed:
        pytest.skip("not installed")
    return engine


def bindings(label, dialect):
    """Each function of a label bound to a dialect, once for each schema that is written."""
    seen = set()
    for row in rows(label) if WHOLE else islice(rows(label), 0, None, 24):
        try:
            found = tc.read(row["definition"])
        except tc.ToolcanonError:
            continue  # the reading tests show which and why
        for tool in found:
            if tool.kind is not Kind.FUNCTION:
                continue
            bound = tc.bind(tool, dialect.partition("/")[0], dialect=dialect)
            wire = bound._bound[0].wire
            text = json.dumps(wire.inputs)
            # Where a tool is not sent as strict, a loss gives the reason.
            if text not in seen and wire.strict:
                seen.add(text)
                yield row.get("id", ""), tool, bound


@pytest.mark.corpus
@pytest.mark.parametrize("dialect", GRAMMARS)
def test_every_strict_payload_compiles(dialect):
    engine, takes_none = judge_of(dialect), find_dialect(dialect).empty_enums
    compile_ = outlines_pattern if engine is OUTLINES else engine.compile
    wrong = []
    for label in LABELS:
        for where, tool, bound in bindings(label, dialect):
            schema = bound._bound[0].wire.inputs
            try:
                compile_(schema)
            except Refused as error:
                if takes_none and '"enum": []' in json.dumps(schema):
                    continue  # nothing fits, and nothing is known of what the provider does
                wrong.append((label, where, tool.name, str(error)[:200]))
    assert not wrong, (len(wrong), wrong[:5])


@pytest.mark.corpus
@pytest.mark.parametrize("dialect", AGREEING)
def test_engines_and_our_validator_agree_on_samples(dialect):
    engine, facts = judge_of(dialect), find_dialect(dialect)
    wrong, counts = [], Counter()
    for label in LABELS:
        # Building automata for all of them would take an hour.
        step = 12 if WHOLE and engine is OUTLINES else 1
        for where, tool, bound in islice(bindings(label, dialect), 0, None, step):
            for kind, text in disagreements(engine, facts, bound, counts):
                wrong.append((label, where, tool.name, kind, text))
    print(dialect, dict(counts))  # noqa: T201 - shown with -s
    assert not wrong, (len(wrong), wrong[:5])
    assert min(counts["accepted"], counts["refused"], counts["restored"]) > 100


def disagreements(engine, dialect, bound, counts):
    schema = bound._bound[0].wire.inputs
    if engine is OUTLINES and len(outlines_pattern(schema)) > LONGEST_PATTERN:
        counts["too long"] += 1
        return
    try:
        accepts = engine.compile(schema)
    except Refused:
        counts["unsatisfiable"] += 1  # the other test refuses all other reasons
        return
    lax, exact = validators(schema, dialect)
    counts["compared"] += 1
    found = sample(schema, most=FEW)
    thin = islice((less for value in found.valid[:4] for less in thinned(value)), FEW)
    # With a loss that widens, arguments may be valid here and not there.
    claims = not any(loss.effect & Effect.WIDENED for loss in bound.losses)
    for value in (*found.valid, *found.invalid, *thin):
        texts = spelled(value, schema)
        text = next(filter(accepts, texts), texts[0])
        taken = accepts(text)
        counts["accepted" if taken else "refused"] += 1
        if taken and not lax.is_valid(value):
            yield "let through", text
        elif not taken and exact.is_valid(value):
            yield "refused", text
        elif taken and claims and exact.is_valid(value):
            counts["restored"] += 1
            back = bound.restore(bound._bound[0].wire.name, text.decode())
            if back.problems:
                yield "not restored", text


def validators(schema, dialect):
    """One that knows what the engine ignores, and one that asserts all, formats included."""
    make = jsonschema_rs.Draft202012Validator
    return make(enforced(schema, dialect)), make(schema, validate_formats=True)


def enforced(node, dialect):
    """The schema without the keywords that the dialect calls accepted and not enforced."""
    if not isinstance(node, dict):
        return node
    out = {key: value for key, value in node.items() if dialect.support(key) is Support.ENFORCED}
    for key, value in out.items():
        position = POSITIONS.get(key)
        if position is Position.SCHEMA:
            out[key] = enforced(value, dialect)
        elif position is Position.SCHEMAS:
            out[key] = [enforced(item, dialect) for item in value]
        elif position is Position.SCHEMA_MAP:
            out[key] = {name: enforced(item, dialect) for name, item in value.items()}
    return out
