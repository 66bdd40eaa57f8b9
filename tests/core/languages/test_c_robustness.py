"""C and C++ extraction on bytes nobody meant to be C: it answers, and in linear time."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeviews.core.facts import FileFacts
from codeviews.core.languages import c, cpp

FIXTURES = Path(__file__).parents[2] / "fixtures"
SOURCES = [
    path.read_bytes()
    for folder in ("c", "cpp")
    for path in sorted((FIXTURES / folder).rglob("*"))
    if path.is_file()
]
PIECES = ["(", ")", "{", "}", ";", "#define ", "#else\n", '"', "'", "/*", "*/", "//", "\\\n", "\n"]
PIECES += [
    "int f",
    "struct s ",
    "=",
    ",",
    "x->y",
    "a::b",
    "class C ",
    "template<",
    ">",
    "\0",
    "\xff",
]


def _check(facts: FileFacts, source: bytes) -> None:
    assert facts.symbols[0].kind == "module"
    names = [symbol.qualname for symbol in facts.symbols]
    assert len(set(names)) == len(names)
    for symbol in facts.symbols[1:]:
        assert 0 <= symbol.start_byte <= symbol.end_byte <= len(source)
        assert 0 <= symbol.parent < len(facts.symbols)
    assert all(0 <= site.scope < len(facts.symbols) for site in facts.sites)


@settings(max_examples=150, deadline=None, database=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_any_sequence_of_tokens_is_read(pieces: list[str]) -> None:
    source = "".join(pieces).encode("latin-1")
    _check(c.extract("a.c", source), source)
    _check(cpp.extract("a.cpp", source), source)


@settings(max_examples=100, deadline=None, database=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read(source: bytes) -> None:
    _check(c.extract("a.h", source), source)
    _check(cpp.extract("a.hpp", source), source)


def test_truncated_and_damaged_sources_are_read() -> None:
    rng = random.Random(5)
    for source in SOURCES:
        cut = source[: rng.randrange(len(source) + 1)]
        at = rng.randrange(len(source) + 1)
        damaged = source[:at] + bytes(rng.randrange(256) for _ in range(5)) + source[at:]
        for text in (cut, damaged):
            _check(c.extract("a.c", text), text)
            _check(cpp.extract("a.cc", text), text)


@pytest.mark.parametrize(
    "unit",
    [
        b"int f(int x) { return g(x); }\n",
        b"int f(int x) { if (x) { g(x); }\n#else\n}\n",
        b"int f(( int x) { g(x;\n",
        b"static struct s v = { .f = g, .h = { 1, 2",
        b"#define M(a) a##b(a) \\\n",
        b"M(x) ",
        b"/* a */ ",
        b"x = y ? a : b;",
    ],
)
def test_a_long_file_of_one_pattern_is_read(unit: bytes) -> None:
    source = unit * (120_000 // len(unit))
    facts = c.extract("a.c", source)
    _check(facts, source)
    one_line = source.replace(b"\n", b" ")
    _check(c.extract("a.c", one_line), one_line)


def test_nine_thousand_functions_are_all_found() -> None:
    source = b"".join(b"int f%d(void)\n{\n\treturn g();\n}\n\n" % i for i in range(9000))
    facts = c.extract("many.c", source)
    assert sum(symbol.kind == "function" for symbol in facts.symbols) == 9000
    assert sum(site.name == "g" for site in facts.sites) == 9000


def test_symbols_know_their_text() -> None:
    source = (
        b"/**\n * add() - sums two numbers\n * @a: one\n */\n"
        b"static inline int __must_check\nadd(int a, int b)\n{\n\treturn a + b;\n}\n"
        b"EXPORT_SYMBOL_GPL(add);\n"
    )
    symbol = c.extract("a.c", source).symbols[1]
    assert symbol.signature == "static inline int __must_check add(int a, int b)"
    assert symbol.doc == "add() - sums two numbers\n@a: one"
    assert (symbol.start_line, symbol.end_line, symbol.flags) == (5, 9, 1 | 8)
    assert source[symbol.start_byte : symbol.end_byte].endswith(b"}")


def test_a_system_call_is_found_by_both_names() -> None:
    source = b"SYSCALL_DEFINE2(dup2, unsigned int, old, unsigned int, new)\n{\n\treturn 0;\n}\n"
    symbol = c.extract("a.c", source).symbols[1]
    assert symbol.name == "sys_dup2"
    assert symbol.signature.startswith("SYSCALL_DEFINE2(dup2, unsigned int, old")
