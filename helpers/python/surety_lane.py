"""Passes the key of a Surety lane on from a request to the calls that a service makes for it.

Copy this file into your service; it needs only the standard library (Python 3.8 and newer). A
service that runs under opentelemetry-instrument does not need it: see docs/languages.md.

    app.wsgi_app = surety_lane.Wsgi(app.wsgi_app)   # Flask, Django and other WSGI applications
    app.add_middleware(surety_lane.Asgi)            # FastAPI, Starlette and other ASGI applications
    surety_lane.install()                           # calls by urllib, urllib3 and requests

Other clients take the headers with them: httpx.get(url, headers=surety_lane.headers()).
"""

import contextlib
import contextvars
import http.client

# The key is in the first one; the others keep the calls of one request together.
NAMES = ("baggage", "traceparent", "tracestate", "x-request-id")

_carried = contextvars.ContextVar("surety_lane", default={})


def headers():
    """The headers for a call that is made for the current request; empty outside of requests."""
    return dict(_carried.get())


@contextlib.contextmanager
def serving(get):
    """Serves one request; get(name) returns a header of it, or None."""
    token = _carried.set(_read(get))
    try:
        yield
    finally:
        _carried.reset(token)


def _read(get):
    return {name: value for name, value in ((name, get(name)) for name in NAMES) if value}


class Wsgi:
    """Middleware for a WSGI application."""

    def __init__(self, app):
        self.app = app

    def __call__(self, environ, start_response):
        carried = _read(lambda name: environ.get("HTTP_" + name.upper().replace("-", "_")))
        # A context of its own: the answer may be made after this returns, piece by piece, and the
        # thread must not keep the key for its next request.
        context = contextvars.copy_context()
        context.run(_carried.set, carried)
        return _Answer(context.run(self.app, environ, start_response), context)


class _Answer:
    def __init__(self, parts, context):
        self._parts, self._context = parts, context
        self._iterator = context.run(iter, parts)

    def __iter__(self):
        return self

    def __next__(self):
        return self._context.run(next, self._iterator)

    def close(self):
        if hasattr(self._parts, "close"):
            self._context.run(self._parts.close)


class Asgi:
    """Middleware for an ASGI application."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        given = {name.decode("latin-1"): value for name, value in scope.get("headers", ())}
        with serving(lambda name: given[name].decode("latin-1") if name in given else None):
            await self.app(scope, receive, send)


def install():
    """Adds the headers to calls by http.client, and so by urllib, urllib3 and requests."""
    connection = http.client.HTTPConnection
    if getattr(connection.endheaders, "is_surety_lane", False):
        return
    original = connection.endheaders

    def endheaders(self, *args, **kwargs):
        sent = {line.split(b":")[0].lower() for line in getattr(self, "_buffer", ())}
        for name, value in _carried.get().items():
            # A header that the service sets itself stays as it is.
            if name.encode() not in sent:
                self.putheader(name, value)
        return original(self, *args, **kwargs)

    endheaders.is_surety_lane = True
    connection.endheaders = endheaders
