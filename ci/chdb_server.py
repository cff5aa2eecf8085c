"""Serves the engine of the package `chdb-core` as a ClickHouse server does over HTTP: statements in bodies of POST.

    chdb_server.py PORT DIRECTORY

The engine itself has no listener and no users. It runs one statement at a time.
"""

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from chdb.session import Session


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    session = None
    one_at_a_time = threading.Lock()

    def do_GET(self):
        self.answer(200, b"Ok.\n")

    def do_POST(self):
        statement = self.rfile.read(int(self.headers["Content-Length"])).decode()
        database = parse_qs(urlsplit(self.path).query).get("database", ["default"])[0]
        try:
            with self.one_at_a_time:
                self.session.query(f"USE {database}")
                result = self.session.query(statement).bytes()
        except Exception as error:  # The engine has an error of its own for everything.
            return self.answer(500, str(error).encode())
        self.answer(200, result)

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    port, directory = sys.argv[1:]
    Handler.session = Session(directory)
    ThreadingHTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()
