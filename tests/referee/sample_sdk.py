"""Histories of the AI SDK that break one rule, in the layout of pages and with approvals."""

from typing import Any

from tests.referee.sample_histories import SOME, SURE, perform

ASK = {"id": "1", "role": "user", "parts": [{"type": "text", "text": "go"}]}
ASKED = {"type": "tool-approval-request", "approvalId": "ap", "toolCallId": "a"}
SAID = {"type": "tool-approval-response", "approvalId": "ap", "approved": True}
SYSTEM = {"role": "system", "content": "be brief"}


def page(*parts: dict[str, Any], after: tuple[Any, ...] = (), **more: Any) -> dict[str, Any]:
    answer = {"id": "2", "role": "assistant", "parts": list(parts)}
    return {"messages": [ASK, answer, *after], **more}


def tool(state: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool-f", "toolCallId": "a", "state": state, "input": {}, **more}


def approved(*more: dict[str, Any]) -> dict[str, Any]:
    body = perform("vercel", "ask call:a")
    body["messages"][1]["content"].append(ASKED)
    body["messages"] += [{"role": "tool", "content": list(more)}] if more else []
    return body


def with_system(**more: Any) -> dict[str, Any]:
    body = perform("vercel", "ask", **more)
    return {**body, "messages": [SYSTEM, *body["messages"]]}


DONE = tool("output-available", output=1)
Row = tuple[str, str, bool, dict[str, Any], dict[str, Any]]
ROWS: list[Row] = [
    ("call-without-result", "vercel", SURE, page(DONE), page(tool("input-available"))),
    ("call-without-result", "vercel", SURE, page(DONE, after=(ASK,)),
     page({**tool("input-available"), "type": "dynamic-tool", "toolName": "f"}, after=(ASK,))),
    ("call-without-result", "vercel", SURE, page(tool("input-available", providerExecuted=True)),
     page(tool("input-available", providerExecuted=False))),
    ("call-without-result", "vercel", SURE,
     page(tool("approval-responded", approval={"id": "ap", "approved": True})),
     page(tool("approval-requested", approval={"id": "ap"}))),
    ("call-without-result", "vercel", SURE, approved(SAID), approved()),
    ("system-in-list", "vercel", SURE, with_system(allowSystemInMessages=True), with_system()),
    ("empty-message", "vercel", SOME, page(after=(ASK,)), page(after=({**ASK, "parts": []},))),
    ("no-messages", "vercel", SURE, perform("vercel", "ask"), perform("vercel", "")),
    *(("number-not-finite", "vercel", SURE, perform("vercel", "ask", temperature=0.5),
       perform("vercel", "ask", temperature=bad)) for bad in (float("inf"), float("nan"))),
]  # fmt: skip
