"""Records which watched lines of a Python service run, and moves a port that is built into it.
Python loads it at its start, from PYTHONPATH. Python 3.12 and later end the watching of a line at its first run. Older ones are traced
until the record is complete, which slows down every call of a function."""

import json
import os
import sys
import threading
from dis import findlinestarts
from urllib.parse import unquote, urlsplit


class _Records:
    def __init__(self, directory, service):
        self._directory = directory
        self._service = service
        with open(os.path.join(directory, "lines.json"), encoding="utf-8") as file:
            self._watched = {name: set(lines) for name, lines in json.load(file).items()}

    def write(self, record):
        # By the process that writes: a server may fork its workers.
        path = os.path.join(self._directory, f"{self._service}.{os.getpid()}.0.jsonl")
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def watched_file(self, code):
        """The path of its file if lines of that are watched, else None."""
        if not code.co_filename.endswith(".py"):
            return None
        path = os.path.realpath(code.co_filename)
        if path not in self._watched:
            return None
        if code.co_name == "<module>":
            lines = sorted(_lines_of(code) & self._watched[path])
            self.write({"loaded": path, "points": [[line, 0] for line in lines]})
        return path

    def note(self, path, line):
        if line in self._watched[path]:
            self.write({"ran": path, "point": [line, 0]})

    def is_complete(self):
        return os.path.exists(os.path.join(self._directory, "done"))


def _lines_of(code):
    own = {line for _, line in findlinestarts(code) if line}
    inner = (_lines_of(one) for one in code.co_consts if hasattr(one, "co_code"))
    return own.union(*inner)


def _monitor(records):
    monitoring = sys.monitoring
    events = monitoring.events
    tool = next((one for one in (3, 4) if monitoring.get_tool(one) is None), None)
    if tool is None:
        return False

    def on_start(code, _offset):
        if records.watched_file(code) is not None:
            monitoring.set_local_events(tool, code, events.LINE)
        return monitoring.DISABLE

    def on_line(code, line):
        records.note(os.path.realpath(code.co_filename), line)
        return monitoring.DISABLE

    monitoring.use_tool_id(tool, "surety")
    monitoring.register_callback(tool, events.PY_START, on_start)
    monitoring.register_callback(tool, events.LINE, on_line)
    monitoring.set_events(tool, events.PY_START)
    return True


# How many calls of functions pass between two looks whether the record is complete.
_LOOK_EVERY = 512


def _trace(records):
    if sys.gettrace() is not None:
        return False
    # By id, with the code itself, so that no id is used again: comparing code is slow.
    known = {}
    noted = set()
    calls = 0
    is_over = False

    def on_line(frame, event, _argument):
        if event == "line":
            place = (known[id(frame.f_code)][1], frame.f_lineno)
            if place not in noted:
                noted.add(place)
                records.note(*place)
        return on_line

    def on_call(frame, _event, _argument):
        nonlocal calls, is_over
        calls += 1
        if calls % _LOOK_EVERY == 0:
            is_over = is_over or records.is_complete()
        if is_over:
            sys.settrace(None)
            return None
        code = frame.f_code
        entry = known.get(id(code))
        if entry is None:
            entry = known[id(code)] = (code, records.watched_file(code))
        return None if entry[1] is None else on_line

    threading.settrace(on_call)
    sys.settrace(on_call)
    return True


def _move_port():
    """Has the service listen on another port than the one that is built into it."""
    built_in, port = os.environ.get("SURETY_OWN_PORT"), os.environ.get("SURETY_LISTEN_PORT")
    if not built_in or not port or built_in == port:
        return
    import socket

    bind = socket.socket.bind

    def moved_bind(self, address):
        is_internet = self.family in (socket.AF_INET, socket.AF_INET6)
        if is_internet and len(address) > 1 and address[1] == int(built_in):
            address = (address[0], int(port), *address[2:])
        return bind(self, address)

    socket.socket.bind = moved_bind


def _start():
    url = os.environ.get("SURETY_COVERAGE", "")
    if not url.startswith("file:///"):
        return
    records = _Records(unquote(urlsplit(url).path), os.environ.get("SURETY_SERVICE", ""))
    record = _monitor if hasattr(sys, "monitoring") else _trace
    if record(records):
        records.write({"started": "python"})


def _continue():
    """Loads the sitecustomize that this one hides, if there is one."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]
    own = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401
    except ImportError:
        if own is not None:
            sys.modules["sitecustomize"] = own


for _step in (_move_port, _start):
    try:
        _step()
    except Exception:
        # A mistake of ours costs a record, never the service.
        pass
_continue()
