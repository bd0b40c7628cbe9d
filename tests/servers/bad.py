"""Servers written by hand that do one thing wrong each: ``bad.py MODE [DETAIL]``.

Without another mode it makes the handshake of 2025-06-18 and lists one tool.
"""

import contextlib
import itertools
import json
import os
import pathlib
import signal
import sys
import time

TOOL = {"name": "t", "inputSchema": {"type": "object"}, "x-unknown": {"kept": 2**64 + 1}}
FLOOD = 100 * 1024 * 1024


def write(text):
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(text)
        sys.stdout.flush()


def answer(request, **fields):
    write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **fields}) + "\n")


def raw(request, result):
    write(f'{{"jsonrpc":"2.0","id":{request["id"]},"result":{result}}}\n')


def hang():
    while True:
        time.sleep(60)


def fork(folder):
    """Leave the pids of this process and of a child, both deaf to SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        pathlib.Path(folder, "child").write_text(str(os.getpid()), encoding="utf-8")
        hang()
    pathlib.Path(folder, "parent").write_text(str(os.getpid()), encoding="utf-8")


def exits(_):
    sys.stderr.write("no \x1b[31mkey\n")
    sys.exit(3)


def rubbish(_):
    write("Welcome!\n" * 3)
    hang()


def half(then):
    write('{"jsonrpc":"2.0","id":1,')
    if then == "exit":
        sys.exit(0)
    hang()


def long_line(_):
    for _ in range(FLOOD // 2**20):
        write("x" * 2**20)
    hang()


def floods(_):
    note = {"jsonrpc": "2.0", "method": "notifications/x", "params": {"a": "x" * 10**6}}
    for _ in range(FLOOD // 10**6):
        write(json.dumps(note) + "\n")
    hang()


def tells(then):
    """Send everything it was given, in the hope that it is printed."""
    sys.stderr.write(f"{sys.argv} {dict(os.environ)}\n")
    if then == "fails":
        sys.exit(1)


AT_START = {
    "forks": fork,
    "forks-and-hangs": fork,
    "exits": exits,
    "rubbish": rubbish,
    "banner": lambda _: write("Welcome!\nstarting…\n"),
    "half": half,
    "long-line": long_line,
    "floods": floods,
    "loud": lambda _: sys.stderr.write(("x" * 200 + "\n") * 20_000),
    "tells": tells,
}


def handshake(mode, request):
    if mode in {"hangs-at-initialize", "forks-and-hangs"}:
        hang()
    if mode == "refuses":
        answer(request, error={"code": -32000, "message": "not \x1b[31mtoday"})
        return
    version = "1999-01-01" if mode == "old" else "2025-06-18"
    info = {"name": "bad", "version": "0", "x": 1}
    if mode == "tells":
        info = {"name": os.environ.get("KEY", "bad"), "version": " ".join(sys.argv)}
    if mode == "bad-shape":
        answer(request, result={"protocolVersion": version})
        return
    answer(
        request,
        result={"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info},
    )


PAGES = itertools.count()


def list_tools(mode, request):
    page = next(PAGES)
    if mode == "hangs-at-list":
        hang()
    if mode == "dies-at-list":
        sys.exit(5)
    results = {
        "loops": {"tools": [TOOL], "nextCursor": "again"},
        "endless": {"tools": [], "nextCursor": str(page)},
        "crowded": {"tools": [TOOL] * 6000, "nextCursor": str(page)},
        "odd-cursor": {"tools": [TOOL], "nextCursor": 7},
        "no-list": {"tools": {"t": TOOL}},
        "echoes": {"tools": [{**TOOL, "description": os.environ.get("KEY")}]},
        "odd-tools": {"tools": [TOOL, {"name": 3}, {"inputSchema": None}], "x": 1},
    }
    if mode == "duplicate":
        raw(request, '{"tools":[{"name":"a","name":"b","inputSchema":{}}]}')
    elif mode == "nan":
        raw(request, '{"tools":[{"name":"a","inputSchema":{"default":NaN}}]}')
    elif mode == "deep":
        raw(request, '{"tools":' + "[" * 5000 + "]" * 5000 + "}")
    elif mode == "no-tools":
        answer(request, error={"code": -32601, "message": "Method not found"})
    else:
        answer(request, result=results.get(mode, {"tools": [TOOL]}))


def main():
    mode, folder = (*sys.argv[1:], "", "")[:2]
    AT_START.get(mode, str)(folder)
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        if request["method"] == "initialize":
            handshake(mode, request)
        elif request["method"] == "tools/list":
            list_tools(mode, request)
        elif mode == "handshake-only":
            sys.exit(1)
        elif mode != "silent":
            answer(request, error={"code": -32601, "message": "Method not found"})


if __name__ == "__main__":
    main()
