"""Endpoints written by hand that are no MCP servers, or bad ones: a path for each."""

import gzip
import http.server
import json
import sys
import time

RESULT = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "w", "version": "0"},
}
TWICE = '{"tools":[{"name":"a","name":"b","inputSchema":{}}]}'


class Endpoint(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        self.send(405, "text/plain", b"")

    def do_DELETE(self):
        self.do_GET()

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        mode, _, query = self.path.strip("/").partition("?")
        if mode == "hangs":
            time.sleep(30)
        elif mode == "html":
            self.send(200, "text/html", b"<html>\x1b[31mwelcome</html>")
        elif mode == "elsewhere":
            port = query.partition("to=")[2] or "1"
            self.send(307, "text/plain", b"", location=f"http://localhost:{port}/mcp?key=k")
        elif mode == "broken":
            self.send(500, "text/plain", b"secret trace")
        elif mode == "packed":
            body = gzip.compress(b"[" + b" " * 10**6 + b"]")
            self.send(200, "application/json", body, content_encoding="gzip")
        else:
            self.speak(mode, request)

    def speak(self, mode, request):
        if "id" not in request:
            self.send(202, "text/plain", b"")
            return
        if request["method"] == "initialize":
            self.result(request, json.dumps(RESULT), as_events=False)
        elif request["method"] != "tools/list":
            error = {"code": -32601, "message": "no"}
            body = {"jsonrpc": "2.0", "id": request["id"], "error": error}
            self.send(200, "application/json", json.dumps(body).encode())
        elif mode == "endless":
            self.endless()
        elif mode in {"twice", "twice-events"}:
            self.result(request, TWICE, as_events=mode == "twice-events")
        else:
            self.result(request, '{"tools":[],"x-kept":[1.0]}', as_events=True)

    def result(self, request, text, *, as_events):
        body = f'{{"jsonrpc":"2.0","id":{request["id"]},"result":{text}}}'
        if as_events:
            self.send(200, "text/event-stream", f"event: message\ndata: {body}\n\n".encode())
        else:
            self.send(200, "application/json", body.encode())

    def endless(self):
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("connection", "close")
        self.end_headers()
        for _ in range(100):
            self.wfile.write(b" " * 2**20)

    def send(self, status, kind, body, **headers):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Endpoint).serve_forever()
