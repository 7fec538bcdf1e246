"""The helper that passes keys of lanes on (helpers/python/surety_lane.py)."""

import asyncio
import sys
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.request import Request, urlopen

sys.path.insert(0, str(Path(__file__).parents[2] / "helpers" / "python"))
import surety_lane  # noqa: E402

KEY = "surety-lane=lane_1"


class Echo(BaseHTTPRequestHandler):
    def do_GET(self):
        values = self.headers.get_all("baggage") or []
        self.send_response(200)
        self.end_headers()
        self.wfile.write("|".join(values).encode())

    def log_message(self, *_):
        pass


class SuretyLaneTest(unittest.TestCase):
    def test_wsgi_keeps_headers_while_the_answer_is_made_and_no_longer(self):
        def app(environ, start_response):
            def parts():
                yield surety_lane.headers().get("baggage", "none").encode()

            return parts()

        served = surety_lane.Wsgi(app)
        self.assertEqual(list(served({"HTTP_BAGGAGE": KEY}, None)), [KEY.encode()])
        self.assertEqual(surety_lane.headers(), {})
        self.assertEqual(list(served({}, None)), [b"none"])

    def test_asgi_keeps_requests_apart_that_are_served_at_once(self):
        seen = {}

        async def app(scope, receive, send):
            await asyncio.sleep(0)
            seen[scope["path"]] = surety_lane.headers()

        async def serve():
            served = surety_lane.Asgi(app)
            keyed = {"path": "keyed", "headers": [(b"baggage", KEY.encode())]}
            plain = {"path": "plain", "headers": []}
            await asyncio.gather(*(served(scope, None, None) for scope in (keyed, plain)))

        asyncio.run(serve())
        self.assertEqual(seen, {"keyed": {"baggage": KEY}, "plain": {}})

    def test_install_adds_headers_to_calls_for_a_request_only(self):
        surety_lane.install()
        surety_lane.install()
        server = HTTPServer(("127.0.0.1", 0), Echo)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/"
        try:
            with surety_lane.serving({"baggage": KEY}.get):
                self.assertEqual(urlopen(url).read().decode(), KEY)
                own = Request(url, headers={"Baggage": "own=1"})
                self.assertEqual(urlopen(own).read().decode(), "own=1")
            self.assertEqual(urlopen(url).read(), b"")
        finally:
            server.shutdown()
            server.server_close()


if __name__ == "__main__":
    unittest.main()
