"""Runs inside a probed Python process, called by its debugger at each hit of a probe's line.

It reads values without running code of the program: no property, no __getattr__, no __repr__, no
operator of a class. What could only be read by running code is reported as an error.
"""

import dis
import json
import os
import sys
import threading
import time
import types

LIMITS = {}
PROBES = {}
PENDING = threading.local()

MEMBERS = (types.MemberDescriptorType, types.GetSetDescriptorType)
SCALARS = (bool, int, float, str, type(None))
SEQUENCES = (list, tuple)
SETS = (set, frozenset)


class Unreadable(Exception):
    pass


def type_name(kind):
    return type.__dict__["__name__"].__get__(kind)


def class_member(kind, name):
    for base in type.__dict__["__mro__"].__get__(kind):
        members = type.__dict__["__dict__"].__get__(base)
        if name in members:
            return members[name]
    return Unreadable


def instance_members(value):
    """The attributes that are stored in an object, or None."""
    if isinstance_of(value, type):
        return type.__dict__["__dict__"].__get__(value)
    found = class_member(type(value), "__dict__")
    if type(found) not in MEMBERS:
        return None
    members = found.__get__(value)
    return members if type(members) is dict else None


def isinstance_of(value, kind):
    return kind in type.__dict__["__mro__"].__get__(type(value))


def read_attribute(value, name):
    found = class_member(type(value), name)
    if type(found) in MEMBERS:
        return found.__get__(value)
    if found is not Unreadable and class_member(type(found), "__set__") is not Unreadable:
        raise Unreadable("%s is computed by a property" % name)
    members = instance_members(value)
    if members is not None and name in members:
        return members[name]
    if found is not Unreadable:
        return found
    raise Unreadable("%s has no stored attribute %s" % (type_name(type(value)), name))


def read_index(value, key):
    if type(key) not in SCALARS:
        raise Unreadable("an index must be a plain value")
    if isinstance_of(value, dict):
        found = dict.get(value, key, Unreadable)
        if found is Unreadable:
            raise Unreadable("there is no key %s" % json.dumps(key)[:80])
        return found
    for kind in (list, tuple, str):
        if isinstance_of(value, kind) and type(key) is int:
            if not -kind.__len__(value) <= key < kind.__len__(value):
                raise Unreadable("index %d is out of range" % key)
            return kind.__getitem__(value, key)
    raise Unreadable("%s cannot be indexed without running its code" % type_name(type(value)))


def is_true(value):
    if type(value) in SCALARS:
        return bool(value)
    for kind in (list, tuple, dict, str, set, frozenset):
        if isinstance_of(value, kind):
            return kind.__len__(value) > 0
    if class_member(type(value), "__bool__") is Unreadable:
        if class_member(type(value), "__len__") is Unreadable:
            return True
    raise Unreadable("whether %s is true is computed" % type_name(type(value)))


COMPARISONS = {
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}


def compare(operator, left, right):
    if operator == "is":
        return left is right
    if operator == "is not":
        return left is not right
    for value in (left, right):
        if type(value) not in SCALARS:
            raise Unreadable("%s is compared by its own code" % type_name(type(value)))
    return COMPARISONS[operator](left, right)


def evaluate(expression, frame):
    kind, rest = expression[0], expression[1:]
    if kind == "literal":
        return rest[0]
    if kind == "name":
        for scope in (frame.f_locals, frame.f_globals):
            if rest[0] in scope:
                return scope[rest[0]]
        raise Unreadable("there is no variable %s" % rest[0])
    if kind == "attribute":
        return read_attribute(evaluate(rest[0], frame), rest[1])
    if kind == "index":
        return read_index(evaluate(rest[0], frame), evaluate(rest[1], frame))
    if kind == "not":
        return not is_true(evaluate(rest[0], frame))
    if kind == "negative":
        value = evaluate(rest[0], frame)
        if type(value) not in (int, float):
            raise Unreadable("only a number has a negative")
        return -value
    if kind in ("and", "or"):
        left = evaluate(rest[0], frame)
        return left if is_true(left) == (kind == "or") else evaluate(rest[1], frame)
    return compare(rest[0], evaluate(rest[1], frame), evaluate(rest[2], frame))


class Copy:
    """A value as JSON within bounds. Cycles and what lies deeper are named, not followed."""

    def __init__(self):
        self.nodes = 0
        self.above = []

    def of(self, value, depth=0):
        self.nodes += 1
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is int:
            if -(2**53) < value < 2**53:
                return value
            return str(value) if value.bit_length() < 1024 else "<%d bits>" % value.bit_length()
        if kind is float:
            return value if value - value == 0 else str(value)
        if isinstance_of(value, str):
            return str.__getitem__(value, slice(0, LIMITS["chars"]))
        return self.compound(value, depth)

    def compound(self, value, depth):
        if any(value is other for other in self.above):
            return "<cycle>"
        if depth >= LIMITS["depth"] or self.nodes >= LIMITS["nodes"]:
            return "<%s>" % type_name(type(value))
        self.above.append(value)
        try:
            return self.members(value, depth + 1)
        finally:
            self.above.pop()

    def members(self, value, depth):
        for kind in SEQUENCES + SETS:
            if isinstance_of(value, kind):
                return self.items(kind.__iter__(value), kind.__len__(value), depth)
        if isinstance_of(value, dict):
            return self.pairs(dict.items(value), depth)
        members = None if isinstance_of(value, type) else instance_members(value)
        if members is None or callable_kind(type(value)):
            return "<%s>" % type_name(type(value))
        return self.pairs(dict.items(members), depth)

    def items(self, iterator, length, depth):
        copies = []
        for item in iterator:
            if len(copies) >= LIMITS["members"] or self.nodes >= LIMITS["nodes"]:
                copies.append("<%d more>" % (length - len(copies)))
                break
            copies.append(self.of(item, depth))
        return copies

    def pairs(self, pairs, depth):
        copies = {}
        for key, item in pairs:
            if len(copies) >= LIMITS["members"] or self.nodes >= LIMITS["nodes"]:
                copies["<more>"] = len(pairs) - len(copies)
                break
            text = key if type(key) is str else json.dumps(self.of(key, depth))
            copies[text[: LIMITS["chars"]]] = self.of(item, depth)
        return copies


def callable_kind(kind):
    return kind in (types.FunctionType, types.ModuleType, types.MethodType)


def observe(read):
    try:
        value = read()
        return {"type": type_name(type(value)), "value": Copy().of(value)}
    except Unreadable as error:
        return {"error": str(error)}
    except Exception as error:
        return {"error": type_name(type(error))}


def stack_of(frame):
    frames = []
    while frame is not None and len(frames) < LIMITS["frames"]:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        frames.append({"function": name, "file": code.co_filename, "line": frame.f_lineno or 0})
        frame = frame.f_back
    return frames


class Probe:
    def __init__(self, plan):
        self.plan = plan
        self.hits = self.matched = self.captured = self.skipped = self.errors = 0
        self.share = 1.0 - plan["sampleRate"]
        self.second = 0
        self.in_second = 0

    def hit(self, frame):
        self.hits += 1
        condition = self.plan["condition"]
        if condition is not None:
            try:
                if not is_true(evaluate(condition, frame)):
                    return None
            except Exception:
                self.errors += 1
                return None
        self.matched += 1
        if self.plan["kind"] == "counter" or self.captured >= self.plan["hitsMax"]:
            return None
        if not self.may_capture():
            self.skipped += 1
            return None
        self.captured += 1
        return self.capture(frame)

    def may_capture(self):
        self.share += self.plan["sampleRate"]
        if self.share < 1.0:
            return False
        self.share -= 1.0
        now = int(time.monotonic())
        if now != self.second:
            self.second, self.in_second = now, 0
        self.in_second += 1
        return self.in_second <= LIMITS["perSecond"]

    def capture(self, frame):
        plan = self.plan
        values = [
            [text, observe(lambda: evaluate(expression, frame))]
            for text, expression in plan["expressions"]
        ]
        if plan["kind"] == "snapshot":
            for name in list(frame.f_locals)[: LIMITS["locals"]]:
                values.append([name, observe(lambda: frame.f_locals[name])])
        return {
            "probe": plan["id"],
            "atMs": int(time.time() * 1000),
            "hit": self.captured,
            "values": values,
            "stack": stack_of(frame) if plan["kind"] == "snapshot" else stack_of(frame)[:1],
        }


def is_wanted(*identifiers):
    """The condition of a breakpoint: whether there are captures to report."""
    return len(visit("condition", identifiers)) > 0


def report(*identifiers):
    """The text of a breakpoint's log message."""
    return json.dumps(visit("message", identifiers))


def visit(role, identifiers):
    """The captures of one hit. Debuggers differ in which of the two functions they call first."""
    first = getattr(PENDING, "visit", None)
    if first is not None and first[0] != role and first[1] == identifiers:
        PENDING.visit = None
        return first[2]
    captures = []
    try:
        for identifier in identifiers:
            probe = PROBES.get(identifier)
            frame = frame_of(probe) if probe else None
            capture = probe.hit(frame) if frame else None
            if capture:
                captures.append(capture)
    except Exception:
        captures = []
    PENDING.visit = (role, identifiers, captures)
    return captures


def frame_of(probe):
    """The frame that stands at the probe's line, above those of the debugger."""
    frame = sys._getframe(3)
    while frame is not None:
        name = os.path.basename(frame.f_code.co_filename)
        if frame.f_lineno == probe.plan["line"] and name == probe.plan["name"]:
            return frame
        frame = frame.f_back
    return None


def add(plan):
    PROBES[plan["id"]] = Probe(plan)


def totals(identifier):
    probe = PROBES[identifier]
    names = ("hits", "matched", "captured", "skipped", "errors")
    return json.dumps({name: getattr(probe, name) for name in names})


def find(end):
    """Loaded files that are this path, or end in it."""
    files = set()
    for module in list(sys.modules.values()):
        path = (instance_members(module) or {}).get("__file__")
        if type(path) is str and path.endswith(".py"):
            files.add(os.path.abspath(path))
    ends = [path for path in files if path == end or path.endswith("/" + end.lstrip("/"))]
    near = [path for path in files if os.path.basename(path) == os.path.basename(end)]
    return json.dumps({"found": sorted(ends)[:5], "near": sorted(near)[:5]})


def locate(path, line):
    """The function around a line, and the lines near it that have code."""
    with open(path, "rb") as file:
        source = file.read()
    best, lines, stack = None, set(), [compile(source, path, "exec", dont_inherit=True)]
    while stack:
        code = stack.pop()
        starts = {number for _, number in dis.findlinestarts(code)}
        # The first line of a function is its definition, which runs in the code around it.
        starts.discard(code.co_firstlineno if code.co_name != "<module>" else None)
        lines |= starts
        if line in starts:
            best = code
        stack.extend(each for each in code.co_consts if isinstance(each, types.CodeType))
    name = getattr(best, "co_qualname", getattr(best, "co_name", None))
    near = sorted((each for each in lines if each), key=lambda each: abs(each - line))[:4]
    text = source.decode("utf-8", "replace").splitlines()
    shown = text[line - 1].strip()[:200] if line <= len(text) else ""
    return json.dumps({"function": name, "near": sorted(near), "text": shown})
