"""A table as one test: every row is tried, and every row that fails is reported by its id.

`table` is used like `pytest.mark.parametrize`. Rows share the fixtures of their test, so a row that
needs a folder or a patch of its own stays a test of its own.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import pytest

ParameterSet = type(pytest.param())
_COLUMNS = "_columns"
_WIDEST = 60


@contextmanager
def tried(subtests: pytest.Subtests, row: str) -> Iterator[None]:
    """What fails or is skipped within is reported as that row, and the next row follows.

    A row that passes costs no report, which is most of what a test of its own costs.
    """
    try:
        yield
    except (Exception, pytest.skip.Exception, pytest.fail.Exception):
        with subtests.test(row):
            raise


def table(
    names: str | tuple[str, ...],
    rows: Iterable,
    ids: Iterable[str] | Callable[[object], object] | None = None,
) -> Callable:
    """Try the test on each row; stacked tables try every combination of their rows."""
    split = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names
    listed = list(rows)
    assert listed, "a table without rows tests nothing"
    if ids is None:
        ids = [_id_of(row) for row in listed]
    elif callable(ids):
        name_of = ids  # of each value, as there
        ids = ["-".join(str(name_of(one)) for one in (row if len(split) > 1 else (row,)))
               for row in listed]  # fmt: skip
    ids = list(itertools.islice(ids, len(listed)))  # which may be a counter
    names_of_rows = [f"{number} {name}" for number, name in enumerate(ids)]
    values = [row.values if isinstance(row, ParameterSet) else row for row in listed]
    if len(split) == 1:  # the row itself is the one value
        values = [one if isinstance(row, ParameterSet) else (one,)
                  for row, one in zip(listed, values, strict=True)]  # fmt: skip
    column = split, list(zip(names_of_rows, values, strict=True))

    def decorate(test: Callable) -> Callable:  # marks set between stacked tables stay
        columns = (column, *getattr(test, _COLUMNS, ()))
        inner = test.__wrapped__ if hasattr(test, _COLUMNS) else test
        made = _tried(inner, columns)
        made.pytestmark = [*getattr(test, "pytestmark", ())]
        setattr(made, _COLUMNS, columns)
        return made

    return decorate


def _tried(inner: Callable, columns: tuple) -> Callable:
    taken = {name for names, _ in columns for name in names}
    signature = inspect.signature(inner)
    unknown = taken - signature.parameters.keys()
    assert not unknown, f"{inner.__name__} takes no {', '.join(sorted(unknown))}"
    fixtures = [one for name, one in signature.parameters.items() if name not in taken]
    takes_subtests = any(one.name == "subtests" for one in fixtures)
    if not takes_subtests:
        fixtures.append(inspect.Parameter("subtests", inspect.Parameter.POSITIONAL_OR_KEYWORD))

    @functools.wraps(inner)
    def test(subtests: pytest.Subtests, **given):
        if takes_subtests:
            given["subtests"] = subtests
        for row in itertools.product(*(rows for _, rows in columns)):
            values = dict(given)
            for (names, _), (_, held) in zip(columns, row, strict=True):
                values.update(zip(names, held, strict=True))
            with tried(subtests, "-".join(name for name, _ in row)):
                inner(**values)

    test.__signature__ = signature.replace(parameters=fixtures)
    return test


def _id_of(row: object) -> str:
    """The plain values of a row; what is nested may be a bomb that no one should write out."""
    if isinstance(row, ParameterSet):
        assert not row.marks, "a row with marks is a test of its own"
        if isinstance(row.id, str):
            return row.id
        row = row.values
    parts = row if isinstance(row, tuple) else (row,)
    return "-".join(filter(None, map(_plain, parts)))


def _plain(value: object) -> str:
    if value is None or isinstance(value, (str, int, float)):
        return str(value)[:_WIDEST]
    named = getattr(value, "id", None) or getattr(value, "__name__", None)
    return named if isinstance(named, str) else ""
