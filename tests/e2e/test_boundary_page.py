"""The code of docs/boundary.md is run against loopback, and every value on it compared."""

import pytest

from tests.e2e.pages import values
from tests.loopback import Said
from tests.loopback.boundary_server import Provider

pytest.importorskip("openai", reason="the providers' packages are not installed")

SENT = {"query": "it", "labels": [{"key": "team", "value": "a"}]}


def test_the_page_matches_the_code(monkeypatch):
    with Provider("openai", Said("", (("c1", "files_find", SENT),))) as provider:
        for name, value in {
            "OPENAI_BASE_URL": f"{provider.url}/v1",
            "OPENAI_API_KEY": "k",
            "ANTHROPIC_API_KEY": "k",
            "GEMINI_API_KEY": "k",
        }.items():
            monkeypatch.setenv(name, value)
        names, compared = values("docs/boundary.md")
        for client in ("client", "claude", "gemini"):
            names[client].close()
    assert [(said, value) for said, value, _ in compared] == [
        (said, claimed) for said, _, claimed in compared
    ]
    assert len(compared) == 4
    sent = provider.received[0].body["tools"][0]["function"]
    assert (sent["name"], sent["strict"]) == ("files_find", True)
