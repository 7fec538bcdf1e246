"""What a trade costs. A service in Python that needs nothing but Python 3.9 or newer.

It hands on the headers by which traces are joined (W3C trace context and baggage), as
OpenTelemetry's instrumentation would do.
"""

import json
import os
import signal
import sys
import threading
import urllib.error
import urllib.request
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FLAGS_URL = os.environ.get("FLAGS_URL", "http://127.0.0.1:4305")
HANDED_ON = ("traceparent", "tracestate", "baggage", "x-request-id")
RATE = Decimal("0.001")
LEAST = Decimal("1.00")
CENT = Decimal("0.01")
BODY_BYTES_MAX = 64 * 1024
FLAGS_SECONDS_MAX = 5


def fee_of(amount, is_free):
    if is_free:
        return Decimal("0.00")
    return max(LEAST, (amount * RATE).quantize(CENT, ROUND_HALF_UP))


def trading_is_free(headers):
    """Asks the flags on behalf of the request that is being served."""
    carried = {name: headers[name] for name in HANDED_ON if headers[name]}
    request = urllib.request.Request(f"{FLAGS_URL}/flags/free-trading", headers=carried)
    try:
        with urllib.request.urlopen(request, timeout=FLAGS_SECONDS_MAX) as answer:
            return json.load(answer)["on"]
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return False
        raise


class Fees(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/healthz":
            return self.answer(200, {"status": "ok", "service": "fees"})
        return self.fail(404, "route_not_found", f"Nothing is at {self.path}.")

    def do_POST(self):
        body = self.read()
        if self.path != "/fees":
            return self.fail(404, "route_not_found", f"Nothing is at {self.path}.")
        amount = amount_in(body)
        if amount is None:
            return self.fail(400, "invalid_field", '"amount" must be an amount greater than 0.')
        try:
            is_free = trading_is_free(self.headers)
        except (OSError, ValueError, KeyError) as error:
            return self.fail(502, "flags_unreachable", f"flags did not answer: {error}.")
        return self.answer(200, {"fee": float(fee_of(amount, is_free)), "free": is_free})

    def read(self):
        length = self.headers.get("content-length", "0")
        if not length.isdigit() or int(length) > BODY_BYTES_MAX:
            self.close_connection = True
            return b""
        return self.rfile.read(int(length))

    def fail(self, status, code, message):
        self.answer(status, {"error": {"code": code, "message": message}})

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        if self.path != "/healthz":
            log("request", method=self.command, route=self.path, status=status)

    def log_message(self, *_):
        """Written by `answer`, as one JSON line."""


def amount_in(body):
    try:
        amount = Decimal(str(json.loads(body)["amount"]))
    except (ValueError, KeyError, TypeError, InvalidOperation):
        return None
    return amount if amount.is_finite() and amount > 0 else None


def log(message, **fields):
    print(json.dumps({"level": "info", "service": "fees", "message": message, **fields}), flush=True)


def main():
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4306"))), Fees)
    server.daemon_threads = True
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    log("listening", port=server.server_address[1])
    server.serve_forever(poll_interval=0.05)
    log("stopped")


if __name__ == "__main__":
    sys.exit(main())
