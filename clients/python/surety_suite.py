"""Suites in Python. Standard library only, Python 3.9 or newer.

    python3 -m surety_suite suites/payment_flow.py

runs every function of that file whose name begins with `validate_`, each a check that holds unless
it raises or returns False. Such a file needs no import: `api`, `capture`, `check`, `eventually` and
`logs` are there. What a suite is told by its environment is in docs/suites.md.
"""

import itertools
import json
import linecache
import os
import runpy
import socket
import sys
import time
import traceback
import urllib.error
import urllib.parse
import urllib.request
import uuid

__all__ = ["Answer", "Broken", "Client", "Suite", "main"]

ANSWER_SECONDS_MAX = 10
TEXT_CHARS_MAX = 2_000


class Broken(Exception):
    """The suite could not look: that says nothing about the system."""


class LaneNeeded(Broken):
    """It asks for something that exists only in lanes."""


class Answer:
    """What came back; fields of a JSON object are attributes, too: `order.id`."""

    def __init__(self, status_code, headers, text, request_id):
        self.status_code = status_code
        self.headers = headers
        self.text = text
        self.request_id = request_id

    def json(self):
        return json.loads(self.text)

    def __getattr__(self, name):
        try:
            return self.json()[name]
        except (ValueError, KeyError, TypeError):
            raise AttributeError(f"the answer has no {name}: {self}") from None

    def __str__(self):
        return f"{self.status_code} {self.text}"[:TEXT_CHARS_MAX]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler({}))


class Client:
    """Sends requests with the key of the lane and an id of their own."""

    def __init__(self, base_url, headers, on_answer=lambda answer: None, faults=()):
        self._base_url = base_url
        self._headers = headers
        self._on_answer = on_answer
        self._faults = faults

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.request("POST", path, body, **options)

    def put(self, path, body=None, **options):
        return self.request("PUT", path, body, **options)

    def patch(self, path, body=None, **options):
        return self.request("PATCH", path, body, **options)

    def delete(self, path, **options):
        return self.request("DELETE", path, **options)

    def with_headers(self, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._with(headers={**self._headers, **named})

    def with_token(self, token):
        headers = {name: value for name, value in self._headers.items() if name != "authorization"}
        return self._with(headers={**headers, **({} if token is None else _bearer(token))})

    def with_fault(self, hop, delay_ms=None, status=None, reset=False, share=1, lost=False):
        """Its requests meet this at `caller>service`; `share` of them, always the same ones."""
        if "surety-lane=" not in self._headers.get("baggage", ""):
            raise LaneNeeded("A fault needs a lane: HEADERS carries no key of one.")
        parts = [
            *([] if delay_ms is None else [f"delay={delay_ms}"]),
            *([] if status is None else [f"status={status}"]),
            *(["reset"] if reset else []),
            *(["lost"] if lost else []),
        ]
        if not parts or ">" not in hop or not 0 <= share <= 1:
            raise Broken("A fault needs caller>service, delay_ms, status, reset or lost, a share of 0 to 1.")
        fault = (f"{hop}:{'+'.join(parts)}", share, itertools.count(1))
        return self._with(faults=(*self._faults, fault))

    def request(self, method, path, body=None, timeout=ANSWER_SECONDS_MAX):
        request_id = str(uuid.uuid4())
        headers = {"x-request-id": request_id, **self._headers}
        members = [text for text, share, sent in self._faults if _is_next(share, next(sent))]
        if members:
            headers["baggage"] += f",surety-fault={'|'.join(members)}"
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers.setdefault("content-type", "application/json")
        url = urllib.parse.urljoin(self._base_url, path)
        request = urllib.request.Request(url, data, headers, method=method)
        answer = _send(request, timeout, request_id)
        self._on_answer(answer)
        return answer

    def _with(self, **changes):
        own = {"headers": self._headers, "faults": self._faults, **changes}
        return Client(self._base_url, own["headers"], self._on_answer, own["faults"])


def _bearer(token):
    return {"authorization": f"Bearer {token}"}


def _is_next(share, sent):
    return int(sent * share) > int((sent - 1) * share)


def _send(request, timeout, request_id):
    what = f"{request.method} {request.selector}"
    try:
        with _opener.open(request, timeout=timeout) as response:
            return _answer(response, request_id)
    except urllib.error.HTTPError as response:
        with response:
            return _answer(response, request_id)
    except urllib.error.URLError as error:
        if isinstance(error.reason, (ConnectionRefusedError, socket.gaierror)):
            raise Broken(f"Nobody is at {request.host}: {error.reason}") from None
        raise RuntimeError(f"{what} failed: {error.reason}") from None
    except TimeoutError:
        raise RuntimeError(f"{what} had no answer within {timeout} s") from None
    except OSError as error:
        raise RuntimeError(f"{what} failed: {error}") from None


def _answer(response, request_id):
    text = response.read().decode("utf-8", "replace")
    answer = Answer(
        response.status, response.headers, text, response.headers.get("x-request-id", request_id)
    )
    # The router itself says that the lane is over: what was asked never got to the system.
    if response.headers.get("x-surety-refused") in ("LANE_UNKNOWN", "INJECTION_INVALID"):
        raise Broken(answer.json().get("fault", {}).get("message"))
    return answer


class Suite:
    """Prints one JSON line per check, and knows how the program ends."""

    def __init__(self, environment):
        self._environment = environment
        self._latest = None
        self.name = environment.get("SURETY_SUITE", "suite")
        self.exit_code = 0
        self.api = Client(self._required("BASE_URL"), self._headers(), self._remember)

    def check(self, name, actual, expected, about=None):
        """Tells whether they are equal, and goes on either way."""
        answer = about or self._latest
        self._tell(
            check=name,
            passed=actual == expected,
            expected=expected,
            actual=actual,
            requestId=answer.request_id if answer else None,
        )
        return actual == expected

    def eventually(self, look, within, every=0.05):
        """Looks until what it sees is true, for so many seconds, and gives it."""
        deadline = time.monotonic() + within
        while True:
            try:
                seen = look()
                told = f"it saw {seen!r}"
            except Broken:
                raise
            except Exception as error:  # Whatever it is, it may be better at the next look.
                seen, told = None, str(error)
            if seen:
                return seen
            if time.monotonic() + every > deadline:
                raise AssertionError(f"within {within} s it did not come true; at last {told}")
            time.sleep(every)

    def logs(self, about):
        """What the services wrote about a request, by its answer or its id."""
        request_id = about.request_id if isinstance(about, Answer) else about
        query = urllib.parse.urlencode({"about": request_id})
        with _opener.open(f"{self._required('SURETY_LOGS')}?{query}") as response:
            return [json.loads(line) for line in response.read().decode().splitlines()]

    def capture(self, work, **point):
        """Reads values inside the lane's copy of a service while `work` runs: its result, and one
        dictionary for each hit. None: the lane has no copy, as the change does not touch it."""
        address = self._environment.get("SURETY_CAPTURES")
        if not address:
            raise LaneNeeded("A capture needs a lane: SURETY_CAPTURES is not set.")
        names = {"hits_max": "hitsMax"}
        wanted = {names.get(name, name): value for name, value in point.items()}
        begun = _call_captures(address, "POST", wanted)["capture"]
        if begun is None:
            return work(), None
        try:
            result = work()
        finally:
            ended = _call_captures(f"{address}/{begun}", "DELETE")
        if ended["missed"]:
            raise Broken(f"The capture is not complete: {ended['missed']}")
        return result, ended["captures"]

    def run(self, name, validate):
        try:
            held = validate() is not False
            self._tell(check=name, passed=held, expected=True, actual=held, **self._about())
        except Broken:
            raise
        except AssertionError as error:
            wanted = str(error) or _source_of(error)
            self._tell(
                check=name, passed=False, expected=wanted, actual=str(self._latest), **self._about()
            )
        except Exception as error:  # Whatever it is, the check did not hold.
            self._tell(check=name, passed=False, reason=repr(error), **self._about())

    def give_up(self, reason):
        self.exit_code = 2
        needs_lane = {"needsLane": True} if isinstance(reason, LaneNeeded) else {}
        print(json.dumps({"suite": self.name, "broken": str(reason), **needs_lane}), flush=True)

    def _tell(self, **line):
        if not line["passed"]:
            self.exit_code = max(self.exit_code, 1)
        print(json.dumps({"suite": self.name, **line}, default=str), flush=True)

    def _about(self):
        return {"requestId": self._latest.request_id if self._latest else None}

    def _remember(self, answer):
        self._latest = answer

    def _required(self, name):
        value = self._environment.get(name)
        if not value:
            raise Broken(f"{name} is not set. It is there when Surety runs the suite.")
        return value

    def _headers(self):
        token = self._environment.get("TOKEN")
        try:
            given = json.loads(self._environment.get("HEADERS", "{}"))
        except ValueError:
            raise Broken("HEADERS must be a JSON object.") from None
        return {**({} if not token else _bearer(token)), **given}


def _call_captures(url, method, body=None):
    data = None if body is None else json.dumps(body).encode()
    try:
        with _opener.open(urllib.request.Request(url, data, method=method)) as response:
            return json.loads(response.read())
    except urllib.error.HTTPError as response:
        with response:
            raise Broken(f"The capture was refused: {json.loads(response.read())['message']}") from None
    except OSError as error:
        raise Broken(f"The capture failed: {error}") from None


def _source_of(error):
    """The assertion itself, with its line."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"line {frame.lineno}: {linecache.getline(frame.filename, frame.lineno).strip()}"


def main(arguments):
    if len(arguments) != 1:
        print("python3 -m surety_suite <file>", file=sys.stderr)
        return 2
    suite = None
    try:
        suite = Suite(os.environ)
        given = {name: getattr(suite, name) for name in ("api", "capture", "check", "eventually", "logs")}
        found = runpy.run_path(arguments[0], init_globals=given)
        for name, validate in list(found.items()):
            if name.startswith("validate_") and callable(validate):
                suite.run(name, validate)
    except Broken as error:
        if suite is None:
            print(json.dumps({"broken": str(error)}), flush=True)
            return 2
        suite.give_up(error)
    return suite.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
