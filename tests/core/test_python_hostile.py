"""Python sources that break tools: nothing raises, the rest of the file answers, time is linear."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeviews.core.languages.python import extract
from codeviews.core.resolve.memory import MemoryRepo, Resolved, resolve_named

SAMPLE = b"""
import os
from a import *

class Base(object):
    items = {"a": 1}

    @property
    def size(self): return self._size

    async def run(self, *args, key=lambda x: x, **kw):
        for i, v in enumerate(args):
            with self as s, open(f"{v!r:>{i}}") as f:
                yield s[i:2]
        try:
            self.items["b"] = super().run(*args)
        except (ValueError, TypeError) as e:
            raise OSError from e
        else:
            global G; G = [x for x in range(3) if x]
        match v:
            case Base(size=1) | {"k": [a, *rest]}: del a
"""


def resolve_all(sources: dict[str, bytes]) -> Resolved:
    return resolve_named(MemoryRepo.from_files(sources, "python"), "python")


def callees(resolved: Resolved, source: str) -> set[str]:
    return {e.target for e in resolved.edges if e.source == source and e.kind == "calls"}


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_give_a_module_symbol(source: bytes) -> None:
    facts = extract("x.py", source)
    assert (facts.symbols[0].kind, facts.symbols[0].parent) == ("module", -1)
    resolve_all({"x.py": source})


def test_an_empty_f_string_and_an_empty_format_leave_the_calls_around_them() -> None:
    source = b"def f(x): pass\ndef g(x):\n    f(f'')\n    f(f'{x:}')\n    getattr(x, f'')\n"
    resolved = resolve_all({"m.py": source})
    calls = [(e.line, e.target) for e in resolved.edges if e.kind == "calls"]
    assert calls == [(3, "m.py:f"), (4, "m.py:f")]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(SAMPLE)), st.integers(0, 30), st.binary(max_size=12))
def test_any_edit_of_a_source_still_answers(at: int, cut: int, text: bytes) -> None:
    edited = SAMPLE[:at] + text + SAMPLE[at + cut :]
    repo = MemoryRepo.from_files({"m.py": edited, "a.py": b"def f(): pass\n"}, "python")
    resolved = resolve_named(repo, "python")
    names = set(repo.names().values())
    assert all(edge.source in names and edge.target in names for edge in resolved.edges)
    for symbol in extract("m.py", edited).symbols:
        assert 0 <= symbol.start_byte <= symbol.end_byte <= len(edited)
        assert 1 <= symbol.start_line <= symbol.end_line


@pytest.mark.parametrize(
    ("source", "note"),
    [
        (b"\xff\xfe" + "def f(): pass\n".encode("utf-16-le"), "UTF-16"),
        (b"# coding: latin-1\nname = '\xe9'\ndef f(): pass\n", "iso8859-1"),
        (b"# coding: no-such\nname = '\xe9'\ndef f(): pass\n", "latin-1"),
        (b"def f(): pass\0\n", "NUL"),
        (b"def f(): pass\n\ndef g(:\n    pass\n", "syntax error near line 3"),
        (b"def f(): pass\nprint 'old'\nexec 'code'\n", "syntax error near line 2"),
    ],
)
def test_unusual_files_are_read_and_say_so(source: bytes, note: str) -> None:
    facts = extract("x.py", source)
    found = {symbol.qualname: symbol for symbol in facts.symbols}["f"]
    width = 2 if note == "UTF-16" else 1
    assert found.end_byte - found.start_byte == len("def f(): pass") * width
    assert any(note in item for item in facts.notes), facts.notes


def test_a_byte_order_mark_does_not_shift_offsets() -> None:
    source = b"\xef\xbb\xbfdef f():\r\n    pass\r\n"
    symbol = extract("x.py", source).symbols[1]
    assert source[symbol.start_byte : symbol.end_byte] == b"def f():\r\n    pass"


def test_a_line_that_cannot_be_parsed_costs_only_itself() -> None:
    source = b"def a():\n    b()\n\ndef b():\n    x = = 1\n    a()\n"
    resolved = resolve_all({"x.py": source})
    assert callees(resolved, "x.py:a") == {"x.py:b"}
    assert callees(resolved, "x.py:b") == {"x.py:a"}


def test_deep_nesting_is_bounded() -> None:
    deep = b"x = " + b"(" * 5000 + b"1" + b")" * 5000 + b"\n\ndef f(): pass\n"
    assert "f" in {symbol.qualname for symbol in extract("x.py", deep).symbols}
    chain = b"def f(): pass\nx = " + b" + ".join([b"f()"] * 3000) + b"\n"
    assert len(extract("x.py", chain).sites) == 3000


def test_nine_thousand_functions_are_all_found() -> None:
    source = b"".join(b"def f%d():\n    if f%d: f%d()\n" % (i, i, i - 1) for i in range(9000))
    resolved = resolve_all({"x.py": source})
    assert sum(edge.kind == "calls" for edge in resolved.edges) == 8999


def test_a_class_of_ten_thousand_methods_resolves() -> None:
    body = b"".join(b"    def m%d(self): self.m%d()\n" % (i, i + 1) for i in range(9999))
    resolved = resolve_all({"x.py": b"class C:\n" + body + b"    def m9999(self): pass\n"})
    assert sum(edge.kind == "calls" for edge in resolved.edges) == 9999


def test_recursive_types_end() -> None:
    source = b"""
class Node:
    def __init__(self, parent=None):
        self.parent = parent or Node(self)
        self.table = {"self": self}
        self.table["table"] = self.table

    def up(self):
        return self.parent.parent.up().table["table"]["self"].up()

def wrap(f):
    return lambda *a: wrap(wrap(f))(*a)

wrap(wrap(Node))().up()
"""
    assert "x.py:Node.up" in callees(resolve_all({"x.py": source}), "x.py:Node.up")


def test_import_cycles_and_star_storms_end() -> None:
    names = [f"m{i}" for i in range(12)]
    stars = "".join(f"from {name} import *\n" for name in names).encode()
    sources = {f"{name}.py": stars + f"def {name}_f(): m0_f()\n".encode() for name in names}
    assert callees(resolve_all(sources), "m5.py:m5_f") == {"m0.py:m0_f"}


def test_executed_and_patched_code_gives_no_certainty() -> None:
    source = b"""
import other

def run(name):
    exec(name)
    globals()[name]()
    getattr(other, name)()
    other.missing()
"""
    resolved = resolve_all({"x.py": source, "other.py": b"def found(): pass\n"})
    assert callees(resolved, "x.py:run") == set()
    assert sorted({site.reason for _, site in resolved.unresolved}) == [
        "builtin",
        "dynamic",
        "unknown",
    ]


def test_an_edit_gives_the_edges_of_a_full_resolution() -> None:
    sources = {
        "base.py": b"class Base:\n    def run(self): self.step()\n    def step(self): pass\n",
        "child.py": b"from base import Base\nclass Child(Base):\n    def step(self): pass\n",
        "main.py": b"from child import Child\ndef go(hook):\n    Child().run()\n    hook()\n",
        "use.py": b"import main\ndef done(): pass\nmain.go(done)\n",
    }
    for path, addition in (("base.py", b"\n\n"), ("main.py", b"\n"), ("use.py", b"# end\n")):
        repo = MemoryRepo.from_files(sources, "python")
        resolve_named(repo, "python")
        repo.edit(path, sources[path] + addition)
        partly = resolve_named(repo, "python", frozenset([path])).edges
        edited = MemoryRepo.from_files({**sources, path: sources[path] + addition}, "python")
        full = resolve_named(edited, "python").edges
        assert sorted(partly) == sorted(e for e in full if e.source.startswith(path))


def test_an_iterator_of_itself_ends() -> None:
    """``__iter__`` that gives ``iter(self)`` has no elements, and the rest still resolves."""
    source = (
        b"class Ring:\n"
        b"    def __iter__(self):\n"
        b"        return iter(self)\n"
        b"    def turn(self): pass\n"
        b"def walk():\n"
        b"    for step in Ring():\n"
        b"        step.turn()\n"
        b"    Ring().turn()\n"
    )
    assert callees(resolve_all({"ring.py": source}), "ring.py:walk") == {
        "ring.py:Ring",
        "ring.py:Ring.turn",
    }
