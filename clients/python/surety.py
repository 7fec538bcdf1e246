"""Guards Python functions with a Surety daemon. Standard library only, Python 3.9 or newer.

    from surety import Surety, Denied

    gate = Surety(directory="/path/to/workspace", agent="ada")

    @gate.guard("note.write")
    def write_note(name, text):
        with open(name, "w") as file:
            file.write(text)
        return {"written": name}

    try:
        write_note(name="a.txt", text="hello")
    except Denied as refused:
        print(refused.message, refused.remedy)

A guarded function asks the daemon for a grant, says that it begins, runs, and tells how it ended.
What was granted once under a key is not run again: the recorded value is returned.
"""

import asyncio
import base64
import functools
import hashlib
import hmac
import http.client
import inspect
import json
import math
import os
import secrets
import socket
import stat
import threading
import time
from urllib.parse import quote, urlsplit

__all__ = [
    "Denied",
    "Failed",
    "Fault",
    "Held",
    "InDoubt",
    "InFlight",
    "Surety",
    "Unknown",
    "Unreachable",
    "arguments_hash",
    "canonical_json",
]

ANSWER_SECONDS_MAX = 30
SETTLE_SECONDS_MAX = 600
PATIENCE_SECONDS_MIN = 2
DEPTH_MAX = 64


class Fault(Exception):
    """What Surety answers instead of a value: `code`, `message`, `remedy` and `details`."""

    def __init__(self, code, message, remedy="", retryable=False, details=None):
        super().__init__(message)
        self.code = code
        self.message = message
        self.remedy = remedy
        self.retryable = retryable
        self.details = details or {}

    def report(self):
        """As a dictionary, for a model to read."""
        return {
            "code": self.code,
            "message": self.message,
            "remedy": self.remedy,
            "retryable": self.retryable,
            "details": self.details,
        }


class Denied(Fault):
    """The policy says no. `remedy` says what would make it pass."""


class Held(Fault):
    """A person has to approve it first: `details["approval"]`."""


class InFlight(Fault):
    """The same call is under way, or its end could not be told yet. Nothing runs twice."""


class Failed(Fault):
    """It ran and had no effect."""


class Unknown(Fault):
    """Nobody can tell whether it had its effect. It is not run again."""


class Unreachable(Fault):
    """No daemon answered. Nothing was granted, so nothing was run."""


class InDoubt(Exception):
    """Raised by a guarded function that cannot tell whether it had its effect."""


_KINDS = {
    "PROPOSAL_DENIED": Denied,
    "PROPOSAL_KEY_REUSED": Denied,
    "PROPOSAL_HELD": Held,
    "PROPOSAL_IN_FLIGHT": InFlight,
    "PROPOSAL_FAILED": Failed,
    "PROPOSAL_COMPENSATED": Failed,
    "TOOL_FAILED": Failed,
    "RESULT_REFUSED": Failed,
    "PROPOSAL_UNKNOWN": Unknown,
    "DAEMON_NOT_RUNNING": Unreachable,
    "DAEMON_SILENT": Unreachable,
}


def _fault(report):
    kind = _KINDS.get(report.get("code"), Fault)
    names = ("code", "message", "remedy", "retryable", "details")
    return kind(**{name: report[name] for name in names if name in report})


def canonical_json(value):
    """RFC 8785: the one text of a value, so that a hash of it names the value."""
    return _write(value, 0)


def _whole(text):
    """An integer beyond those that a double holds one by one is a double on the other side."""
    number = int(text)
    return number if abs(number) <= 2**53 else float(text)


def _parse(text):
    return json.loads(text, parse_int=_whole)


def arguments_hash(arguments):
    """What a grant and an approval are bound to."""
    return hashlib.sha256(canonical_json(arguments).encode("utf-8")).hexdigest()


def _write(value, depth):
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return _write_text(value)
    if isinstance(value, (int, float)):
        return _write_number(value)
    if depth >= DEPTH_MAX:
        raise ValueError("it is nested deeper than %d levels" % DEPTH_MAX)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_write(item, depth + 1) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(_members(value, depth)) + "}"
    raise ValueError("a %s is not JSON" % type(value).__name__)


def _members(value, depth):
    for key in value:
        if not isinstance(key, str):
            raise ValueError("a key that is no text is not JSON")
    # RFC 8785 sorts by UTF-16 code units, which is not the order of code points.
    for key in sorted(value, key=lambda text: text.encode("utf-16-be", "surrogatepass")):
        yield _write_text(key) + ":" + _write(value[key], depth + 1)


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _write_text(text):
    parts = ['"']
    for character in text:
        if "\ud800" <= character <= "\udfff":
            raise ValueError("a string holds a lone surrogate")
        if character in _ESCAPES:
            parts.append(_ESCAPES[character])
        elif character < " ":
            parts.append("\\u%04x" % ord(character))
        else:
            parts.append(character)
    parts.append('"')
    return "".join(parts)


def _write_number(number):
    """As ECMAScript writes it. An integer that no double holds exactly is refused, not rounded."""
    if isinstance(number, int):
        try:
            exact = float(number)
        except OverflowError:
            exact = math.inf
        if not math.isfinite(exact) or int(exact) != number:
            raise ValueError("%d is no number that JSON carries exactly" % number)
        number = exact
    if not math.isfinite(number):
        raise ValueError("%r is not JSON" % number)
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    digits, point = _shortest(abs(number))
    return sign + _layout(digits, point)


def _shortest(number):
    """The fewest digits that give the same double, and where the decimal point stands."""
    mantissa, _, exponent = repr(number).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    leading = len(whole + fraction) - len(digits)
    point = len(whole) - leading + int(exponent or 0)
    return digits.rstrip("0"), point


def _layout(digits, point):
    """ECMA-262, Number::toString."""
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    power = point - 1
    fraction = "." + digits[1:] if count > 1 else ""
    return "%s%se%s%d" % (digits[0], fraction, "+" if power >= 0 else "-", abs(power))


class Surety:
    """A client of a Surety daemon: of the workspace in `directory`, or of the one at `url`.

    With a directory, `agent` names whose token is used; without an agent it is that of
    SURETY_TOKEN, or of the owner of the directory.
    """

    def __init__(self, directory=None, url=None, token=None, agent=None, audience="python"):
        if (directory is None) == (url is None):
            raise ValueError("say either directory or url")
        if url is not None and not token:
            raise ValueError("with a url, say the token too")
        self._state = None if directory is None else os.path.join(directory, ".surety")
        self._url = url
        self._token = token
        self._agent = agent
        self._audience = audience
        self._pending = []

    def propose(self, tool, arguments, key=None, task=None, wait=None, reported=None):
        """Has the daemon execute a tool whose contract says how; returns what it answered."""
        body = _proposed(tool, arguments, task, wait, reported)
        return _value(self._call("POST", "/v1/proposals", body, key, wait))

    def grant(self, tool, arguments, key=None, task=None, wait=None, reported=None):
        """A signed grant to execute it here, or the outcome of the same call before."""
        body = _proposed(tool, arguments, task, wait, reported)
        body["audience"] = self._audience
        answer = self._call("POST", "/v1/grants", body, key, wait)
        if answer["status"] == "granted":
            self._check(answer, tool, arguments)
        return answer

    def redeem(self, token):
        """Says that the call is about to begin; refused if it was stopped meanwhile."""
        return self._call("POST", "/v1/grants/redeem", {"token": token})

    def settle(self, token, report):
        """Says how it ended. The same report again is harmless."""
        return self._call("POST", "/v1/grants/settle", {"token": token, "report": report})

    def deploy_and_validate(self, changes, validation_suite=None, timeout_minutes=10):
        """Runs a patch beside the running system and judges it. A dictionary comes back:
        `tests_passed` and `metrics_acceptable` are both true for a pass and for nothing else;
        `failed_tests`, `degraded_metrics`, `error_logs` and `verdict` say what was seen."""
        body = {"changes": changes, "timeout_minutes": timeout_minutes}
        if validation_suite is not None:
            body["validation_suite"] = validation_suite
        wait = timeout_minutes * 60 + ANSWER_SECONDS_MAX
        return self._call("POST", "/v1/validations", body, None, wait)

    def explain(self, proposal):
        """Why a proposal was decided as it was, and what became of it."""
        return self._call("GET", "/v1/proposals/" + quote(proposal, safe=""))

    def run(self, tool, arguments, work, key=None, task=None, wait=None, reported=None):
        """Asks for a grant, runs `work()`, settles. Returns the value, or raises a Fault."""
        granted = self.grant(tool, arguments, key, task, wait, reported)
        if granted["status"] != "granted":
            return _value(granted)
        self._begin(granted)
        try:
            value = work()
        except Exception as error:
            return self._end(granted, _report_of(error), wait, error)
        except BaseException:
            self._later(granted["token"], {"status": "unknown"}).join(PATIENCE_SECONDS_MIN)
            raise
        return self._end(granted, _committed(value), wait)

    def guard(self, tool, key=None, task=None, wait=None, on_fault=None):
        """Decorates a function, plain or async: its parameters are the arguments of the tool.

        `key` may be a function of the arguments that gives the idempotency key. `on_fault` may be
        a function of the Fault whose value is returned in its place.
        """

        def decorate(function):
            signature = inspect.signature(function)

            def prepare(args, kwargs):
                bound = signature.bind(*args, **kwargs)
                bound.apply_defaults()
                arguments = _snapshot(bound.arguments)
                chosen = key(arguments) if callable(key) else key
                return arguments, chosen

            def answer(error):
                if on_fault is None:
                    raise error
                return on_fault(error)

            if inspect.iscoroutinefunction(function):

                @functools.wraps(function)
                async def guarded_async(*args, **kwargs):
                    arguments, chosen = prepare(args, kwargs)
                    try:
                        return await self._run_async(tool, arguments, function, chosen, task, wait)
                    except Fault as error:
                        return answer(error)

                return guarded_async

            @functools.wraps(function)
            def guarded(*args, **kwargs):
                arguments, chosen = prepare(args, kwargs)
                try:
                    # What runs is what was decided, whatever becomes of the caller's objects.
                    work = functools.partial(function, **arguments)
                    return self.run(tool, arguments, work, chosen, task, wait)
                except Fault as error:
                    return answer(error)

            return guarded

        return decorate

    def close(self, seconds=5):
        """Waits until what could not be told yet is told, for so long."""
        deadline = time.monotonic() + seconds
        for thread in list(self._pending):
            thread.join(max(0, deadline - time.monotonic()))

    async def _run_async(self, tool, arguments, function, key, task, wait):
        def beside(work, *args):
            return asyncio.get_running_loop().run_in_executor(None, functools.partial(work, *args))

        granted = await beside(self.grant, tool, arguments, key, task, wait)
        if granted["status"] != "granted":
            return _value(granted)
        await beside(self._begin, granted)
        try:
            value = await function(**arguments)
        except Exception as error:
            return await beside(self._end, granted, _report_of(error), wait, error)
        except BaseException:
            # Cancelled in the middle: somebody has to hear that it is in doubt.
            self._later(granted["token"], {"status": "unknown"})
            raise
        return await beside(self._end, granted, _committed(value), wait)

    def _begin(self, granted):
        try:
            self.redeem(granted["token"])
        except Fault as refused:
            # A daemon that refused has ended the grant; one that did not answer may have redeemed it.
            if refused.retryable:
                report = {"status": "failed", "code": refused.code, "message": "it was not begun"}
                self._later(granted["token"], report, redeem=True)
            raise

    def _redeem_again(self, token):
        try:
            self.redeem(token)
        except Fault as refused:
            if refused.retryable:
                raise

    def _end(self, granted, report, wait, error=None):
        """Tells how it ended for as long as the caller has patience, then behind its back."""
        deadline = time.monotonic() + max(wait or 0, PATIENCE_SECONDS_MIN)
        pause = 0.05
        while True:
            try:
                settled = self.settle(granted["token"], report)
                break
            except Fault as away:
                if not away.retryable or isinstance(away, InFlight):
                    raise
                if time.monotonic() + pause >= deadline:
                    self._later(granted["token"], report)
                    raise _in_flight(granted["proposal"], report, away) from (error or away)
            time.sleep(pause)
            pause = min(2 * pause, 2)
        try:
            return _value(settled)
        except Fault as fault:
            raise fault from error

    def _later(self, token, report, redeem=False):
        told = (token, report, redeem)
        thread = threading.Thread(target=self._tell_until_heard, args=told, daemon=True)
        self._pending.append(thread)
        thread.start()
        return thread

    def _tell_until_heard(self, token, report, redeem=False):
        deadline = time.monotonic() + SETTLE_SECONDS_MAX
        pause = 0.05
        try:
            while True:
                try:
                    if redeem:
                        self._redeem_again(token)
                    self.settle(token, report)
                    return
                except Fault as away:
                    if not away.retryable or time.monotonic() >= deadline:
                        return
                time.sleep(pause)
                pause = min(2 * pause, 2)
        finally:
            self._pending.remove(threading.current_thread())

    def _check(self, granted, tool, arguments):
        """A grant is for these arguments and this agent, or nothing is done with it."""
        claims = _claims(granted["token"])
        expected = arguments_hash(arguments)
        if claims.get("tool") != tool or claims.get("arg") != expected:
            self._refuse(granted, "it is for another call")
        if self._agent is not None and claims.get("sub") != "agent:" + self._agent:
            self._refuse(granted, "the token is that of %s" % claims.get("sub"))

    def _refuse(self, granted, reason):
        report = {"status": "failed", "code": "GRANT_REFUSED", "message": "it was not begun"}
        self._later(granted["token"], report)
        remedy = "Nothing was executed. Check which daemon and which token this program uses."
        raise Fault("GRANT_REFUSED", "The grant was refused: %s." % reason, remedy)

    def _connection(self, timeout):
        """Looked for at every call: a daemon that was started again may be elsewhere.

        The token is sent only to the owner of the directory, or to somebody who knows it already.
        """
        if self._url is not None:
            return _connect(urlsplit(self._url), self._token, timeout), self._token
        token_file = "token" if self._agent is None else "agents/%s.token" % self._agent
        try:
            with open(os.path.join(self._state, "daemon.json"), encoding="utf-8") as file:
                path = json.load(file)["socket"]
            chosen = self._token or (os.environ.get("SURETY_TOKEN") if self._agent is None else None)
            if not chosen:
                with open(os.path.join(self._state, token_file), encoding="utf-8") as file:
                    chosen = file.read().strip()
            _check_owner(os.path.dirname(path))
        except (OSError, ValueError, KeyError) as error:
            raise _unreachable(self._state, error) from error
        return _SocketConnection(path, timeout), chosen

    def _call(self, method, path, body=None, key=None, wait=None):
        address = self._url or self._state
        headers = {"content-type": "application/json"}
        if key is not None:
            headers["idempotency-key"] = key
        data = None if body is None else canonical_json(body).encode("utf-8")
        try:
            connection, token = self._connection(ANSWER_SECONDS_MAX + (wait or 0))
            headers["authorization"] = "Bearer " + token
            prefix = urlsplit(address).path.rstrip("/") if self._url is not None else ""
            try:
                connection.request(method, prefix + path, data, headers)
                response = connection.getresponse()
                text = response.read()
            finally:
                connection.close()
            if response.status == 200:
                return _parse(text)
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise _unreachable(address, error) from error
        raise _answered(response.status, text)


class _SocketConnection(http.client.HTTPConnection):
    """HTTP over the daemon's socket, where only the owner of its directory can listen."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _check_owner(directory):
    """Whoever may write there may listen there, and would get the token."""
    found = os.lstat(directory)
    is_mine = found.st_uid == os.getuid() or os.getuid() == 0
    if not is_mine or stat.S_IMODE(found.st_mode) & 0o022:
        raise PermissionError("%s is not a private directory of yours" % directory)


def _connect(url, token, timeout):
    """TLS proves who answers. Without it, the other end has to prove that it knows the token."""
    if url.scheme == "https":
        return http.client.HTTPSConnection(url.hostname, url.port, timeout=timeout)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=timeout)
    nonce = secrets.token_hex(32)
    body = {"tokenHash": hashlib.sha256(token.encode()).hexdigest(), "nonce": nonce}
    headers = {"content-type": "application/json"}
    connection.request("POST", "/v1/proof", json.dumps(body).encode(), headers)
    # The token must not be sent on another connection than the proven one.
    connection.auto_open = False
    response = connection.getresponse()
    text = response.read()
    if response.status == 401:
        raise _answered(response.status, text)
    if connection.sock is None or not _is_proof(text, token, nonce, connection.sock.getpeername()):
        connection.close()
        raise _unproven(url.netloc)
    return connection


def _is_proof(text, token, nonce, peer):
    challenge = "surety-daemon-proof\n%s\n%d\n%s" % (peer[0], peer[1], nonce)
    expected = hmac.new(token.encode(), challenge.encode(), hashlib.sha256).hexdigest()
    try:
        return hmac.compare_digest(str(json.loads(text)["proof"]), expected)
    except (ValueError, KeyError, TypeError):
        return False


def _proposed(tool, arguments, task, wait, reported):
    body = {"tool": tool, "arguments": arguments}
    if task is not None:
        body["task"] = task
    if reported is not None:
        body["reported"] = reported
    if wait is not None:
        body["waitMs"] = int(wait * 1000)
    return body


def _snapshot(arguments):
    """As they are now, and as JSON keeps them: lists for tuples."""
    try:
        return _parse(canonical_json(dict(arguments)))
    except ValueError as error:
        remedy = "Use only what JSON can carry."
        raise Denied("JSON_INVALID", "The arguments are no JSON: %s." % error, remedy) from error


def _committed(value):
    """What cannot be recorded took its effect all the same: that is in doubt, and not failed."""
    try:
        return {"status": "committed", "value": _parse(canonical_json(value))}
    except ValueError:
        return {"status": "unknown"}


_DOUBTFUL = (
    InDoubt,
    TimeoutError,
    ConnectionResetError,
    BrokenPipeError,
    asyncio.TimeoutError,
)


def _report_of(error):
    seen = error
    while seen is not None:
        if isinstance(seen, _DOUBTFUL):
            return {"status": "unknown"}
        reason = getattr(seen, "reason", None)
        seen = seen.__cause__ or (reason if isinstance(reason, BaseException) else None)
    code = type(error).__name__
    return {"status": "failed", "code": code, "message": str(error) or code}


def _value(outcome):
    if outcome["status"] == "committed":
        return outcome.get("value")
    if outcome["status"] == "failed":
        raise _fault(_with_proposal(outcome))
    message = "Proposal %s was interrupted. It is unknown whether it took effect." % outcome["proposal"]
    remedy = "Check the affected system, then propose what is still missing with a new key."
    details = {"proposal": outcome["proposal"]}
    raise Unknown("PROPOSAL_UNKNOWN", message, remedy, details=details)


def _with_proposal(outcome):
    report = dict(outcome["fault"])
    report["details"] = {"proposal": outcome["proposal"], **(report.get("details") or {})}
    return report


def _in_flight(proposal, report, away):
    message = "The call of proposal %s has ended, but the daemon is away." % proposal
    remedy = "Do not repeat it under another key: it is told in the background. Ask again later."
    details = {"proposal": proposal, "reported": report["status"], "reason": away.message}
    return InFlight("PROPOSAL_IN_FLIGHT", message, remedy, True, details)


def _answered(status, text):
    try:
        return _fault(json.loads(text)["fault"])
    except (ValueError, KeyError, TypeError):
        message = "The daemon answered %d: %s" % (status, text[:200])
        return Fault("INTERNAL", message, "Read its log: surety logs daemon")


def _unreachable(where, error):
    message = "No Surety daemon answers at %s (%s)." % (where, error)
    return Unreachable("DAEMON_NOT_RUNNING", message, "Start it: surety up", True)


def _unproven(address):
    message = "The program at %s did not prove that it is the daemon of this token." % address
    remedy = "The token was not sent. Check the address: surety status shows the one of the daemon."
    return Unreachable("DAEMON_UNPROVEN", message, remedy)


def _claims(token):
    payload = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
