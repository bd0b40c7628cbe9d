"""Secrets that were passed are found again in what a server sends."""

import time
from base64 import b64encode

from tests.tables import table
from toolcanon.text.secrets import MASK
from toolcanon.watch.observed_source import Handed, handed_to_command, handed_to_url

VARIABLES = [
    ("TENANT", "acme-7", "for acme-7.", f"for {MASK}."),
    ("TENANT", "acme-7", "for acme-77 and xacme-7", "for acme-77 and xacme-7"),
    ("ANY", "swordfish", "says swordfish", f"says {MASK}"),
    ("DB_PASSWORD", "hunter", "says hunter", f"says {MASK}"),
    ("DB_PASSWORD", "hunter2hunter2", "xhunter2hunter2x", f"x{MASK}x"),
    ("HOOK", "https://hooks.example/T1/B2", "to https://hooks.example/T1/B2", f"to {MASK}"),
    ("STORE", "pg://app:k7Rq2v@db/main", "with k7Rq2v", f"with {MASK}"),
    ("STAGE", "production", "in production", "in production"),
    ("STAGE", "Production", "in Production", "in Production"),
    ("DATA", "/srv/data", "in /srv/data", "in /srv/data"),
    ("DATA", "../data", "in ../data", "in ../data"),
    ("MODE", "fast", "is fast", "is fast"),
    ("FLAG", "true", "true or not", "true or not"),
    ("COUNT", "10000", "10000 of 0.25", "10000 of 0.25"),
    ("RATIO", "0.2500", "a ratio of 0.2500", "a ratio of 0.2500"),
]


@table(("name", "value", "text", "kept"), VARIABLES)
def test_values_of_variables(name, value, text, kept):
    handed = handed_to_command(["serve"], {name: value})
    assert handed.masked({"description": [text]}) == {"description": [kept]}
    assert handed.masked({text: 1}) == {kept: 1}


@table(
    ("url", "headers", "text", "kept"),
    [
        ("https://h/?k=abcd", {}, "k abcd, abcde", f"k {MASK}, abcde"),
        ("https://h/?k=abc", {}, "k abc", "k abc"),
        ("https://h/?debug=true", {}, "if true", "if true"),
        ("https://h/?k=a%20b%2Fc1", {}, "k a b/c1", f"k {MASK}"),
        ("https://me:pw@h/", {}, b64encode(b"me:pw").decode(), MASK),
        ("https://me:p%40w@h/", {}, f"Basic {b64encode(b'me:p@w').decode()}", f"Basic {MASK}"),
        ("https://h/", {"X-Team": "blue7"}, "team blue7", f"team {MASK}"),
        ("https://h/", {"Authorization": "Bearer ab12"}, "Bearer ab12", MASK),
        ("https://h/", {"Authorization": "Bearer ab12"}, "Bearer or ab12", f"Bearer or {MASK}"),
        ("https://h/", {"Accept": "application/json"}, "application/json", "application/json"),
    ],
)
def test_addresses_and_headers(url, headers, text, kept):
    assert handed_to_url(url, headers).masked(text) == kept


def test_names_of_tools_stay_unless_they_are_secrets():
    handed = handed_to_command([], {"TOOL": "search", "API_TOKEN": "sesame"})
    assert handed.masked("search sesame") == f"{MASK} {MASK}"
    assert handed.sparing(["search", "sesame"]).masked("search sesame") == f"search {MASK}"


def test_no_secrets_change_nothing():
    value = {"a": ["b", 1, None]}
    assert Handed([]).masked(value) is value
    assert Handed([MASK, "", "abc"]).masked(value) is value


def test_many_long_values_take_no_time():
    handed = handed_to_command([], {f"V{n}": "(a+)+$" * 50 + str(n) for n in range(50)})
    begun = time.process_time()
    handed.masked("a" * 200_000)
    assert time.process_time() - begun < 2
