"""Records which watched lines of a Python service run. Python loads it at its start, from
PYTHONPATH. Needs sys.monitoring of Python 3.12: it ends the watching of a line at its first run."""

import json
import os
import sys
from urllib.parse import unquote, urlsplit


def _start():
    url = os.environ.get("SURETY_COVERAGE", "")
    if not url.startswith("file:///") or not hasattr(sys, "monitoring"):
        return
    directory = unquote(urlsplit(url).path)
    with open(os.path.join(directory, "lines.json"), encoding="utf-8") as file:
        watched = {name: set(lines) for name, lines in json.load(file).items()}
    service = os.environ.get("SURETY_SERVICE", "")
    monitoring = sys.monitoring
    events = monitoring.events
    tool = next((one for one in (3, 4) if monitoring.get_tool(one) is None), None)
    if tool is None:
        return

    def write(record):
        # By the process that writes: a server may fork its workers.
        path = os.path.join(directory, f"{service}.{os.getpid()}.0.jsonl")
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def lines_of(code):
        own = {line for _, _, line in code.co_lines() if line}
        inner = (lines_of(one) for one in code.co_consts if hasattr(one, "co_lines"))
        return own.union(*inner)

    def on_start(code, _offset):
        if code.co_filename.endswith(".py"):
            path = os.path.realpath(code.co_filename)
            if path in watched:
                if code.co_name == "<module>":
                    lines = sorted(lines_of(code) & watched[path])
                    write({"loaded": path, "points": [[line, 0] for line in lines]})
                monitoring.set_local_events(tool, code, events.LINE)
        return monitoring.DISABLE

    def on_line(code, line):
        path = os.path.realpath(code.co_filename)
        if line in watched.get(path, ()):
            write({"ran": path, "point": [line, 0]})
        return monitoring.DISABLE

    monitoring.use_tool_id(tool, "surety")
    monitoring.register_callback(tool, events.PY_START, on_start)
    monitoring.register_callback(tool, events.LINE, on_line)
    monitoring.set_events(tool, events.PY_START)
    write({"started": "python"})


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


try:
    _start()
except Exception:
    # A mistake of ours costs a record, never the service.
    pass
_continue()
