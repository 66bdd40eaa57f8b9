"""Python nested more deeply than its parser takes: its calls are still found on their lines."""

from __future__ import annotations

import pytest

from codeviews.core.languages.python import extract
from codeviews.core.resolve.memory import MemoryRepo, resolve_named

HEAD = """class Box:
    def m(self): return self


def f(x): return x


def g(x): return f(x)


"""
ROWS = "\n        + ".join(["f(1)"] * 10_000)
DEEP = "f(" * 300 + "g(1)" + ")" * 300
BODIES = {
    "a sum": ("def h():\n    return " + "+".join(["f(1)"] * 12_000), {(12, "f")}),
    "a sum over lines": (
        f"def h():\n    v = (\n        {ROWS}\n    )\n    g(v)",
        {*((line, "f") for line in range(13, 10_013)), (10_014, "g")},
    ),
    "calls in calls": (f"def h():\n    return {DEEP}", {(12, "f"), (12, "g")}),
    "calls of members": (
        "def h():\n    b = Box()\n    b" + ".m()" * 5_000 + "\n    f(1)",
        {(12, "Box"), (13, "Box.m"), (14, "f")},
    ),
    "signs": ("def h():\n    return " + "-" * 9_000 + "f(1)", {(12, "f")}),
    "conditions": (
        "def h(c):\n    return " + "f(1) if c else " * 9_000 + "g(2)",
        {(12, "f"), (12, "g")},
    ),
    "lambdas": (
        "def h():\n    return " + "lambda: " * 9_000 + "f(1)\n\n\nf(2)",
        {(12, "f"), (15, "f")},
    ),
    "a body behind its header": (f"def h(): return {DEEP}", {(11, "f"), (11, "g")}),
    "a condition of a block": (
        f"def h(c):\n    if {DEEP}: f(c)\n    elif {DEEP}:\n        g(c)\n    else: f(c)",
        {(12, "f"), (12, "g"), (13, "f"), (13, "g"), (14, "g"), (15, "f")},
    ),
    "a loop": (
        f"def h():\n    for x in {DEEP}:\n        g(x)\n        break",
        {(12, "f"), (12, "g"), (13, "g")},
    ),
    "a context": (
        f"def h():\n    with {DEEP} as s:\n        g(s)",
        {(12, "f"), (12, "g"), (13, "g")},
    ),
    "brackets and quotes in strings": (
        f'def h():\n    return \')\' + """(\n\'""" + {DEEP} + \'# (\' # )\ndef k(): return g(1)',
        {(13, "f"), (13, "g"), (14, "g")},
    ),
    "a bracket that is lost": (
        f"def h():\n    return f({DEEP}\n\n\ndef k(): return g(1)",
        {(12, "f"), (12, "g"), (15, "g")},
    ),
    "alternatives": (
        "def h(c):\n    if c == 1: f(1)\n" + "    elif c: pass\n" * 9_000 + "    else: g(2)",
        {(12, "f"), (9_013, "g")},
    ),
}


@pytest.mark.parametrize("what", BODIES)
def test_calls_of_deep_code_are_edges_of_their_lines(what: str) -> None:
    body, expected = BODIES[what]
    source = f"{HEAD}{body}\n".encode()
    found = resolve_named(MemoryRepo.from_files({"m.py": source}, "python"), "python")
    edges = {
        (edge.line, edge.target.removeprefix("m.py:"))
        for edge in found.edges
        if edge.kind == "calls" and edge.line > 10
    }
    assert edges == expected
    qualnames = [symbol.qualname for symbol in extract("m.py", source).symbols]
    assert qualnames[:6] == ["", "Box", "Box.m", "f", "g", "h"]
