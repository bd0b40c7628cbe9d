"""MCP is open: from MCP to MCP a tool keeps the keys that no version of the protocol names."""

import pytest

import toolcanon as tc

TOOL = {
    "name": "f",
    "description": "d",
    "inputSchema": {"type": "object"},
    "execution": {"taskSupport": "optional"},
    "_meta": {"k": 1},
    "x-vendor": {"a": [1, None]},
    "future": True,
    "$": "not a note of ours",
}


@pytest.mark.parametrize("times", range(3))  # also once it is remembered
def test_unknown_keys_and_execution_are_kept(times):
    del times
    done = tc.convert(TOOL, "mcp")
    assert done.payload == TOOL
    assert list(done.losses) == []
    assert tc.convert([TOOL, {**TOOL, "name": "g"}], "mcp").payload[0] == TOOL


def test_what_a_field_of_the_protocol_cannot_hold_is_still_a_loss():
    done = tc.convert({**TOOL, "icons": 3, "_meta": "text"}, "mcp")
    assert {"icons", "_meta"}.isdisjoint(done.payload)
    assert {str(loss.at) for loss in done.losses} == {"/extras/mcp/icons", "/extras/mcp/_meta"}


def test_a_client_gets_unknown_keys_too():
    assert tc.convert(TOOL, "mcp", dialect="mcp/cursor").payload["x-vendor"] == TOOL["x-vendor"]


def test_the_pinned_version_drops_execution():
    done = tc.convert(TOOL, "mcp", dialect="mcp@2026-07-28")
    assert "execution" not in done.payload
    assert [str(loss.at) for loss in done.losses] == ["/extras/mcp/execution"]


def test_other_targets_report_unknown_keys():
    lost = {str(loss.at) for loss in tc.convert(TOOL, "anthropic").losses}
    assert {"/extras/mcp/x-vendor", "/extras/mcp/execution", "/extras/mcp/future"} <= lost
