"""A server on loopback that answers by a script and keeps what it was sent."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

from tests.loopback.wires import WIRES


class Said(NamedTuple):
    """One turn of a model: words, and calls as (id, name, arguments)."""

    text: str = ""
    calls: tuple[tuple[str, str, Any], ...] = ()


class Loopback:
    """Speaks one family's wire; a turn of the script for each request."""

    def __init__(self, family: str, script: list[Said]) -> None:
        self.script = list(script)
        self.bodies: list[Any] = []
        self.paths: list[str] = []
        self.wire = WIRES[family]
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers.get("content-length", 0))
                body = json.loads(self.rfile.read(size))
                outer.bodies.append(body)
                outer.paths.append(self.path)
                if not outer.script:
                    self.send_error(500, "the script is over")
                    return
                turn, number = outer.script.pop(0), len(outer.bodies)
                streamed = outer.wire.is_streamed(self.path, body)
                kind, data = (
                    ("application/json", json.dumps(outer.wire.body(turn, number)).encode())
                    if not streamed
                    else (outer.wire.kind, outer.wire.stream(turn, number))
                )
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
