"""Responses of another format, of lost digits, and numbers that grow by nature."""

import json

import pytest

from tests.tables import table
from toolcanon import Shape, compare_shapes

PAGE = "<!doctype html><html><body><h1>Sorry</h1><p>Try again in {} minutes</p></body></html>"
WIDE = 2**53


def texts(count):
    return [json.dumps({"number": n, "state": "open"}) for n in range(count)]


def pages(count):
    return [PAGE.format(n) for n in range(count)]


def answer(text):
    return {"content": [{"type": "text", "text": text}]}


def compared(before, now):
    return compare_shapes(Shape.learn(before), Shape.learn(now))


def names(found):
    return {(change.name, str(change.place)) for change in found.changes}


@pytest.mark.parametrize(("before", "now"), [(3, 1), (3, 3), (5, 2), (30, 30)])
@pytest.mark.parametrize("wrap", [str, answer])
def test_json_text_that_becomes_html_is_breaking_at_once(before, now, wrap):
    found = compared([*map(wrap, texts(before))], [*map(wrap, pages(now))])
    place = "" if wrap is str else "/content/*/text"
    assert ("response-format-changed", place) in names(found)
    assert found.verdict == "breaking"


def test_json_text_that_becomes_other_text_is_breaking_at_once():
    found = compared(texts(4), ["the service is closed"])
    assert names(found) == {("response-format-changed", "")}


def test_some_json_texts_that_become_html_are_weighed():
    found = compared(texts(40), [*texts(24), *pages(16)])
    assert ("response-format-changed", "") in names(found)
    assert "html in 16 of 40" in found.changes[0].message
    assert not compared(texts(40), [*texts(39), *pages(1)]).changes


def test_too_few_json_texts_are_noted():
    found = compared(texts(1), pages(1))
    assert not found.changes
    assert any("json before, html now" in note for note in found.notes)


@pytest.mark.parametrize(("before", "now"), [(3, 1), (5, 2), (30, 30)])
@pytest.mark.parametrize("step", [1, 2 * WIDE])
def test_wide_integers_that_become_floats_are_breaking_at_once(before, now, step):
    ids = [{"id": 4 * WIDE + step * n + step % 2} for n in range(before)]
    floats = [{"id": float(row["id"])} for row in ids[:now]]
    found = compared(ids, floats)
    assert names(found) == {("response-precision-changed", "/id")}
    assert not compared(ids, ids[:now]).changes
    assert not compared(floats, ids).changes


def test_small_integers_that_are_written_as_floats_are_the_same():
    rows = [{"n": n} for n in range(30)]
    assert not compared(rows, [{"n": float(row["n"])} for row in rows]).changes


def test_how_wide_numbers_were_written_is_kept_and_merged():
    ids = [{"id": 4 * WIDE + n} for n in range(20)]
    kept = Shape.from_dict(json.loads(json.dumps(Shape.learn(ids).to_dict())))
    assert kept == Shape.learn(ids[:7]).merge(Shape.learn(ids[7:]))
    found = compare_shapes(kept, Shape.learn([{"id": float(4 * WIDE)}]))
    assert names(found) == {("response-precision-changed", "/id")}


@table("name", ["id", "order_id", "customerId", "ids", "number", "seq"])
@table("start", [1_100, 5_003, 250_000])
def test_growing_identifiers_are_no_change(name, start):
    def rows(first):
        return [{"rows": [{name: first + 10 * k + n} for n in range(9)]} for k in range(30)]

    found = compared(rows(100), rows(start))
    assert not found.changes
    assert any(name in note for note in found.notes)


def test_growing_times_are_no_change_but_another_unit_is():
    times = [{"created_at": 400_000_000 + 60 * n} for n in range(30)]
    later = [{"created_at": row["created_at"] + 900_000_000} for row in times]
    assert not compared(times, later).changes
    thousands = [{"created_at": row["created_at"] * 1000} for row in times]
    assert names(compared(times, thousands)) == {("response-range-shifted", "/created_at")}


@pytest.mark.parametrize("name", ["price", "response_time", "valid", "total"])
def test_other_numbers_that_move_are_still_breaking(name):
    before = [{name: 100 + n % 7} for n in range(30)]
    assert compared(before, [{name: 450 + n % 7} for n in range(30)]).verdict == "breaking"
