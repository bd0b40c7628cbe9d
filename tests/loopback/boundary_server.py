"""A provider on loopback with all that happens on a wire: pieces, line ends, gzip, failures."""

from __future__ import annotations

import json
import threading
import zlib
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.loopback.wires import WIRES

ERRORS = {
    "openai": {"error": {"message": "find_files is bad", "type": "invalid_request_error",
                         "param": None, "code": None}},
    "openai-responses": {"error": {"message": "find_files is bad", "type": "x", "code": None}},
    "anthropic": {"type": "error", "error": {"type": "invalid_request_error",
                                             "message": "find_files is bad"}},
    "gemini": {"error": {"code": 400, "message": "find_files is bad", "status": "INVALID"}},
}  # fmt: skip


@dataclass
class Manner:
    """How the server behaves."""

    pieces: int | None = None
    """Bytes in one chunk; all at once otherwise."""
    line_end: bytes = b"\n"
    packed: bool = False
    failures: int = 0
    """Answers that fail before one does not, by turns of two kinds."""
    error: bool = False
    """The answer is the provider's refusal."""


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


class Provider:
    """Answers every request with the same turn; keeps what it was sent and what it sent."""

    def __init__(self, family: str, turn: Any, manner: Manner | None = None) -> None:
        self.family, self.turn, self.manner = family, turn, manner or Manner()
        self.received: list[Received] = []
        self.sent = b""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {key.lower(): value for key, value in self.headers.items()}
                outer.received.append(Received(self.path, headers, raw))
                outer.answer(self)

            def date_time_string(self, *_: object) -> str:
                return "Thu, 01 Jan 1970 00:00:00 GMT"  # two answers are the same to the byte

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                pass  # whoever hangs up has seen enough

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        manner, wire = self.manner, WIRES[self.family]
        request = self.received[-1]
        if len(self.received) <= manner.failures:
            status = (429, 500)[len(self.received) % 2]
            self._send(handler, status, "application/json", b"{}", {"retry-after-ms": "1"})
        elif manner.error:
            data = json.dumps(ERRORS[self.family]).encode()
            self._send(handler, 400, "application/json", data)
        elif wire.is_streamed(request.path, request.body):
            data = wire.stream(self.turn, 1).replace(b"\r\n", b"\n")
            data = data.replace(b"\n", manner.line_end)
            self._send(handler, 200, wire.kind, data)
        else:
            data = json.dumps(wire.body(self.turn, 1)).encode()
            self._send(handler, 200, "application/json", data)

    def _send(
        self,
        handler: BaseHTTPRequestHandler,
        status: int,
        kind: str,
        data: bytes,
        more: dict[str, str] | None = None,
    ) -> None:
        self.sent = data
        handler.send_response(status)
        headers = {"content-type": kind, "x-request-id": "req_1"}
        headers |= more or {}
        if self.manner.packed:
            packer = zlib.compressobj(wbits=31)
            data = packer.compress(data) + packer.flush()
            headers["content-encoding"] = "gzip"
        size = self.manner.pieces
        headers |= {"transfer-encoding": "chunked"} if size else {"content-length": str(len(data))}
        for key, value in headers.items():
            handler.send_header(key, value)
        handler.end_headers()
        if not size:
            handler.wfile.write(data)
            return
        for start in range(0, len(data), size):
            piece = data[start : start + size]
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        handler.wfile.write(b"0\r\n\r\n")

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
