"""What must hold of every shape: merging is exact, nothing is kept, chance raises no alarm."""

from __future__ import annotations

import copy
import json
import os
import random
import secrets
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolcanon.drift.shapes import Shape, compare_shapes, learn, nodes

KEYS = st.one_of(
    st.sampled_from(["a", "b", "name", "children", "type", "2026-01-01", "42", "{}", "*", "error"]),
    st.text(max_size=4),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.sampled_from(["open", "2026-01-01", '{"a": [1, {"b": null}]}', "[1, 2", "x" * 99, "a word"]),
    st.text(st.characters(exclude_categories=()), max_size=12),
)
RESPONSES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


def text_of(shape):
    return json.dumps(shape.to_dict())


def law(responses, order, cuts):
    """Learned at once, or in any parts put together in any order: the same bytes."""
    whole = text_of(Shape.learn(responses))
    mixed = [responses[i] for i in order]
    first, second = sorted(cut % (len(mixed) + 1) for cut in cuts)
    one, two, three = (
        Shape.learn(part) for part in (mixed[:first], mixed[first:second], mixed[second:])
    )
    assert text_of(one.merge(two).merge(three)) == whole
    assert text_of(one.merge(two.merge(three))) == whole
    assert text_of(three.merge(one).merge(two)) == whole
    empty = Shape.learn([])
    assert text_of(empty.merge(one).merge(empty)) == text_of(one)
    stored = [Shape.from_dict(json.loads(text_of(part))) for part in (two, three, one)]
    assert text_of(stored[0].merge(stored[1]).merge(stored[2])) == whole


SPLIT = st.tuples(st.integers(0, 99), st.integers(0, 99))


@given(st.lists(RESPONSES, max_size=12), st.randoms(use_true_random=False), SPLIT)
@settings(max_examples=150)
def test_merging_is_exact(responses, rng, cuts):
    order = list(range(len(responses)))
    rng.shuffle(order)
    law(responses, order, cuts)


CROWDED = [None, {"¦": {"a": 0, "b": 0, "children": 0, "type": 0}, "a": 0, "children": 0, "b": 0}]


@given(st.lists(RESPONSES, max_size=12), st.randoms(use_true_random=False), SPLIT)
@example([*CROWDED, {"b": 0, "a": 0, "type": 0}], random, (0, 0))
@settings(max_examples=150)
def test_merging_is_exact_where_tables_overflow(responses, rng, cuts):
    order = list(range(len(responses)))
    rng.shuffle(order)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodes, "MOST_MEMBERS", 3)
        patch.setattr(learn, "_MOST_PENDING", 2)
        for module in (nodes, learn):
            patch.setattr(module, "MOST_SETS", 2)
            patch.setattr(module, "MOST_VALUES", 2)
        law(responses, order, cuts)


@given(st.lists(RESPONSES, max_size=6), st.lists(RESPONSES, max_size=6))
@settings(max_examples=150)
def test_nothing_given_is_changed_and_everything_can_be_compared(one, other):
    before = copy.deepcopy((one, other))
    old, new = Shape.learn(one), Shape.learn(other)
    texts = text_of(old), text_of(new)
    found = compare_shapes(old, new)
    json.dumps(found.to_dict())
    assert repr((one, other)) == repr(before)
    assert (text_of(old), text_of(new)) == texts
    assert compare_shapes(old, old).changes == ()
    assert compare_shapes(old, new) == found


def drawn_key():
    """What is certain from a name, wherever it was drawn."""
    letters = "".join(secrets.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(16))
    host = f"db{secrets.randbelow(90)}.{letters[:6].lower()}.corp"
    mail = f"{secrets.token_hex(4)}@{letters[:6].lower()}.example"
    return secrets.choice((secrets.token_hex(10), f"AKIA{letters}", host, mail))


def secret():
    return secrets.choice(
        (
            lambda: secrets.token_hex(12),
            lambda: secrets.token_urlsafe(12),
            drawn_key,
            lambda: f"the {secrets.token_hex(6)} is near",
        )
    )()


def planted(depth, found):
    """A value with a secret wherever a value can be, keys of maps included."""
    kind = secrets.randbelow(6 if depth else 3)
    if kind == 0:
        found.append(str(number := 10**9 + secrets.randbelow(10**12)))
        return number
    if kind in {1, 2}:
        found.append(text := secret())
        return json.dumps({"inner": text}) if kind == 2 else text
    if kind == 3:
        return [planted(depth - 1, found) for _ in range(3)]
    if kind == 4:
        found.append(key := drawn_key())
        return {key: planted(depth - 1, found)}
    return {name: planted(depth - 1, found) for name in ("left", "right", "error_text")}


def test_no_value_is_kept_or_shown():
    for _ in range(60):
        found = []
        old, new = ([planted(4, found) for _ in range(8)] for _ in range(2))
        shapes = Shape.learn(old), Shape.learn(new)
        said = [text_of(shape) for shape in (*shapes, shapes[0].merge(shapes[1]))]
        said.append(json.dumps(compare_shapes(*shapes).to_dict()))
        for text in said:
            assert [one for one in found if one in text] == []


PROGRAM = """
import json
from toolcanon.drift.shapes import Shape, compare_shapes
rows = [{"b": [{"x": 1, "y": "open"}, {"z": None}], "a": {"2026-01-01": 1.5}, "cde"[:n % 3]: n}
        for n in range(40)]
one, two = Shape.learn(rows), Shape.learn([{"b": 1, "n": "x"}] * 9)
print(json.dumps([one.to_dict(), one.merge(two).digest, compare_shapes(one, two).to_dict()]))
"""


def test_bytes_do_not_depend_on_the_hash_seed():
    told = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(told) == 1


def optional(rng):
    return {"id": rng.randrange(10**6), "always": 1, **{
        f"opt_{letter}": rng.random() for letter in "abcdefgh"
        if rng.random() < (ord(letter) - 96) / 9}}  # fmt: skip


def enums(rng):
    return {
        "state": rng.choices(["a", "b", "c", "d", "e", "f"], [100, 40, 15, 6, 3, 1])[0],
        "level": rng.choices(["x", "y", "z"], [200, 10, 1])[0],
        "flag": rng.random() < 0.03,
    }


NAMES = [a + b for a in "anna bert carl dora emil fritz gerd hans".split()
         for b in "son man berg feld stein wald".split()]  # fmt: skip


def maps(rng):
    return {
        "rates": {rng.choice(NAMES): rng.random() for _ in range(rng.randrange(5))},
        "by_id": {str(rng.randrange(10**8)): {"n": rng.randrange(9), "s": rng.choice("ab")}
                  for _ in range(rng.randrange(1, 5))},
    }  # fmt: skip


def variants(rng):
    kind = rng.random()
    if kind < 0.1:
        return {"ok": False, "error": "no", "code": rng.randrange(400, 410)}
    if kind < 0.5:
        return {"ok": True, "kind": "text", "text": "t" * rng.randrange(20)}
    if kind < 0.8:
        return {"ok": True, "kind": "image", "data": "d", "mime": "image/png"}
    return {"ok": True, "kind": "link", "url": f"https://x.example/{rng.randrange(99)}"}


def lists(rng):
    """Items of one list resemble each other."""
    middle, has = rng.gauss(100, 50), rng.random() < 0.4
    items = [{"p": middle + rng.gauss(0, 5), **({"extra": 1} if has else {})}
             for _ in range(rng.randrange(12))]  # fmt: skip
    return {"items": items, "total": int(rng.lognormvariate(3, 2))}


def wide(rng):
    return {f"f_{a}{b}": rng.random() for a in "abcdefgh" for b in "kl" if rng.random() < 0.9}


def nulls(rng):
    return {f"f_{letter}": rng.choice(["u", "v", None]) for letter in "abcdefghijklmnopqrst"}


def types(rng):
    return {f"f_{letter}": rng.choice(["u", "v", "u", 1]) for letter in "abcdefghijklmnopqrst"}


def rarities(rng):
    """Nulls and other types here and there, and in items of lists that are longer now and then."""
    return {
        **{f"f_{letter}": None if rng.random() < 0.05 else "x" for letter in "abcdefghij"},
        "items": [
            {"a": rng.choice(["u", "u", None]), "b": rng.choice(["x", 1, "y"])}
            for _ in range(rng.choice([0, 1, 1, 2, 30]))
        ],
    }


@pytest.mark.parametrize(
    "make", [optional, enums, maps, variants, lists, wide, nulls, types, rarities]
)
def test_chance_raises_no_alarm(make, record_property):
    """Two samples of one source, three hundred times: at most six alarms."""
    alarms = Counter()
    for seed in range(300):
        rng = random.Random(f"{make.__name__} {seed}")  # noqa: S311 - made-up data
        before, now = ((10, 10), (30, 15), (60, 30), (8, 100), (10, 3))[seed % 5]
        found = compare_shapes(
            Shape.learn(make(rng) for _ in range(before)),
            Shape.learn(make(rng) for _ in range(now)),
        )
        alarms.update({change.name for change in found.changes if change.is_alarm})
    record_property("alarms", dict(alarms))
    assert alarms.total() <= 6, alarms


def test_a_drift_is_found_nearly_always():
    """Thirty before and fifteen now: each kind of drift in at least nine of ten histories."""
    edits = {
        "response-key-vanished": lambda row: row.pop("state"),
        "response-type-changed": lambda row: row.update(n=str(row["n"])),
        "response-null-appeared": lambda row: row["n"] % 2 or row.update(when=None),
        "response-value-unseen": lambda row: row.update(state=row["state"].upper()),
        "response-range-shifted": lambda row: row.update(n=row["n"] * 1000),
        "response-list-emptied": lambda row: row.update(rows=[]),
        "response-list-capped": lambda row: row.update(rows=row["rows"][:10]),
        "response-format-changed": lambda row: row.update(when=row["when"][:10]),
        "response-error-rate-raised": lambda row: row.update(error="no", ok=False),
    }

    def usual(rng):
        return {"n": rng.randrange(50, 900), "state": rng.choice(["open", "closed"]), "ok": True,
                "when": f"2026-01-{rng.randrange(1, 29):02}T10:00:00Z",
                "rows": [1] * rng.randrange(1, 40)}  # fmt: skip

    for name, edit in edits.items():
        hits = 0
        for seed in range(20):
            rng = random.Random(f"{name} {seed}")  # noqa: S311 - made-up data
            rows = [usual(rng) for _ in range(15)]
            for row in rows:
                edit(row)
            found = compare_shapes(Shape.learn(usual(rng) for _ in range(30)), Shape.learn(rows))
            hits += name in {change.name for change in found.changes if change.is_alarm}
        assert hits >= 18, (name, hits)
