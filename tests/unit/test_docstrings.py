"""Docstrings in every style, well written and not."""

import inspect

import pytest

from tests.tables import table
from toolcanon.define.callable_info import Docstring, parse

GOOGLE = """Find pages.

    Looks everywhere, and
    takes its time.

    Args:
        query (str): What to look for.
        limit (int, optional): How many,
            at most.

            Ten are plenty.
        *tags: Only these.
        callback (Callable[[int], str]): Called back (often): yes.

    Returns:
        list[str]: The addresses.

    Raises:
        ValueError: If the query is empty.
        toolcanon.Oops: Otherwise.

    Example:
        find("tea")
    """

NUMPY = """Find pages.

    Looks everywhere.

    Parameters
    ----------
    query : str
        What to look for.
    limit, most : int, optional
        How many.

        - ten
        - twenty
    flag

    Returns
    -------
    list of str
        The addresses.

    Raises
    ------
    ValueError
        If the query is empty.

    Notes
    -----
    Slow.
    """

SPHINX = """Find pages.

    Looks everywhere.

    :param query: What to look for:
        anything.
    :param int limit: How many.
    :type query: str
    :keyword tags: Only these.
    :returns: The addresses.
    :rtype: list[str]
    :raises ValueError: If the query is empty.
    """


def test_google():
    assert parse(GOOGLE) == Docstring(
        "Find pages.",
        'Looks everywhere, and\ntakes its time.\n\nExample:\n    find("tea")',
        {
            "query": "What to look for.",
            "limit": "How many, at most.\n\nTen are plenty.",
            "tags": "Only these.",
            "callback": "Called back (often): yes.",
        },
        "The addresses.",
        {"ValueError": "If the query is empty.", "toolcanon.Oops": "Otherwise."},
    )


def test_numpy():
    assert parse(NUMPY) == Docstring(
        "Find pages.",
        "Looks everywhere.\n\nNotes\n-----\nSlow.",
        {
            "query": "What to look for.",
            "limit": "How many.\n\n- ten\n- twenty",
            "most": "How many.\n\n- ten\n- twenty",
            "flag": "",
        },
        "The addresses.",
        {"ValueError": "If the query is empty."},
    )


def test_sphinx():
    assert parse(SPHINX) == Docstring(
        "Find pages.",
        "Looks everywhere.",
        {
            "query": "What to look for: anything.",
            "limit": "How many.",
            "tags": "Only these.",
        },
        "The addresses.",
        {"ValueError": "If the query is empty."},
    )


# A docstring, what is said of the parameters, and the text that is left for the tool.
ODD = [
    (None, {}, ""),
    ("   \n  ", {}, ""),
    ("One line.", {}, "One line."),
    ("Args:\n    a: First.", {"a": "First."}, ""),
    ("Do.\n\nArguments:\n  a: Two\n  blanks: Deep.", {"a": "Two", "blanks": "Deep."}, "Do."),
    ("Do.\n\nArgs:\n    a: First,\n    not indented.", {"a": "First, not indented."}, "Do."),
    (
        "Do.\n\nArgs:\n    `a`: Ticks.\n    b:\n        Below.",
        {"a": "Ticks.", "b": "Below."},
        "Do.",
    ),
    ("Do.\n\nArgs:\n    a, b: Both.", {"a": "Both.", "b": "Both."}, "Do."),
    ("Do.\n\nArgs: none.", {}, "Do.\n\nArgs: none."),
    ("Do.\n\nArgs:", {}, "Do.\n\nArgs:"),
    ("Do.\n\nReturns: The thing.", {}, "Do."),
    ("Do.\n\nNote: see Args: below.", {}, "Do.\n\nNote: see Args: below."),
    ("Do.\n\n@param a: Epytext.", {"a": "Epytext."}, "Do."),
    ("Do.\n\n:param a: One.\nText after.", {"a": "One."}, "Do.\n\nText after."),
    (":func:`do` does it.", {}, ":func:`do` does it."),
    ("Do it at 10:30: now.", {}, "Do it at 10:30: now."),
    ("Heading\n=======\n\nText.", {}, "Heading\n=======\n\nText."),
    ("Do.\n\nParameters\n----------\na: int\n    One.\nb: str", {"a": "One.", "b": ""}, "Do."),
    ("Do.\n\nAttributes:\n    a: A field.", {"a": "A field."}, "Do."),
    ("Do.\n\nArgs:\n    a: One.\n\n:param b: Two.", {"a": "One.", "b": "Two."}, "Do."),
    ("Do.\n\nArgs:\n    a: https://x.y/z: there.", {"a": "https://x.y/z: there."}, "Do."),
]


@table("text, parameters, description", ODD)
def test_odd_ones(text, parameters, description):
    found = parse(text)
    assert (found.parameters, found.description) == (parameters, description)


@pytest.mark.parametrize(
    "text, returns",
    [
        ("Returns:\n    The name.", "The name."),
        ("Returns:\n    str: The name.", "The name."),
        ("Returns:\n    dict[str, int] | None: The\n      counts.", "The counts."),
        ("Returns: The name.", "The name."),
        ("Yields:\n    One at a time.", "One at a time."),
        ("Returns\n-------\nstr\n    The name.", "The name."),
        ("Returns\n-------\nThe name.", "The name."),
        (":return: The name.", "The name."),
        ("Returns the name.", ""),
    ],
)
def test_returns(text, returns):
    assert parse(f"Do.\n\n{text}").returns == returns
    assert parse(inspect.cleandoc(text)).returns == returns


def test_long_lines_are_quick():
    """Docstrings may come with foreign code."""
    for text in ("a" * 200_000, "(" * 50_000, "a, " * 50_000, "a(" * 50_000 + ":", ":a " * 50_000):
        assert parse(f"Do.\n\nArgs:\n    {text}\n\nReturns:\n    {text}\n").summary == "Do."
