"""Extraction by queries: whole facts of a small file, and no bytes that make it raise."""

from __future__ import annotations

import marshal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeviews.core.facts import FileFacts
from codeviews.core.languages import LANGUAGES, SUFFIXES, extractor
from codeviews.core.resolve.memory import MemoryRepo, resolve_named

QUERIED = ("java", "rust", "ruby", "php", "csharp", "kotlin", "swift", "scala", "bash")
FIXTURES = Path(__file__).parents[2] / "fixtures"
SUFFIX = {language: suffix for suffix, language in reversed(SUFFIXES.items())}
PIECES = [
    *("class A {", "}", "(", ")", "fn f", "def f", "function f()", "impl", "a.b().c", "::", "->"),
    *("<", ">", "\\", '"', "'", "//", "/*", "#", "$x", "@", "new A()", "import a.b", "\n", "\t"),
    *("use a::{b, c::*};", "package p;", "namespace N", "end", "module M", "\0", "\ufffd", "é"),
]


def well_formed(facts: FileFacts, source: bytes) -> None:
    symbols = facts.symbols
    assert symbols[0].kind == "module"
    assert symbols[0].parent == -1
    assert all(0 <= symbol.parent < index for index, symbol in enumerate(symbols) if index)
    assert len({symbol.qualname for symbol in symbols}) == len(symbols)
    assert all(0 <= s.start_byte <= s.end_byte <= len(source) for s in symbols)
    assert all(1 <= s.start_line <= s.end_line for s in symbols)
    assert all(0 <= site.scope < len(symbols) for site in facts.sites)
    assert len(facts.flow["at"]) == len(facts.sites)
    assert marshal.loads(marshal.dumps(facts.flow)) == facts.flow


def check(language: str, source: bytes) -> None:
    path = "a" + SUFFIX[language]
    well_formed(extractor(language)(path, source), source)
    resolve_named(MemoryRepo.from_files({path: source}, LANGUAGES[language]), LANGUAGES[language])


@pytest.mark.parametrize("language", QUERIED)
@settings(max_examples=25, deadline=None)
@given(source=st.one_of(st.binary(max_size=300), st.lists(st.sampled_from(PIECES)).map(
    lambda pieces: " ".join(pieces).encode("utf-8", "surrogatepass")
)))  # fmt: skip
def test_no_bytes_make_extraction_or_resolution_raise(language: str, source: bytes) -> None:
    check(language, source)


@pytest.mark.parametrize("language", QUERIED)
def test_files_cut_or_damaged_anywhere_still_yield_well_formed_facts(language: str) -> None:
    for path in sorted((FIXTURES / language).rglob("*" + SUFFIX[language]))[:8]:
        source = path.read_bytes()
        for step in range(1, 6):
            cut = len(source) * step // 6
            check(language, source[:cut])
            check(language, source[:cut] + b"\xff\x00{(" + source[cut:])


@pytest.mark.parametrize("language", QUERIED)
@pytest.mark.parametrize("unit", ["(", "{", "class A {", "a.b(", "x.y().", "<A", "def f\n", "[["])
def test_deep_nesting_is_bounded(language: str, unit: str) -> None:
    check(language, (unit * 1_000).encode())


@pytest.mark.parametrize("language", QUERIED)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_other_encodings_and_line_ends_are_read_as_far_as_they_go(
    language: str, encoding: str
) -> None:
    check(language, "class A {\r\n}\r\nx.y()\rz\n".encode(encoding))


def outline(language: str, source: str) -> list[tuple[str, str, int, int, str, str]]:
    facts = extractor(language)("a" + SUFFIX[language], source.encode())
    return [(s.kind, s.qualname, s.start_line, s.end_line, s.signature, s.doc)
            for s in facts.symbols[1:]]  # fmt: skip


def test_java_definitions_have_signatures_and_docs() -> None:
    source = """package p;
/** A shelf.
 * Holds books. */
@Deprecated
public class Shelf<T> extends Base implements Box {
    private final int size = 1;
    // Makes it.
    Shelf(int size) {}

    @Override
    public T take(String name, int... rest) throws Gone { return null; }
    enum Colour { RED }
}
"""
    assert outline("java", source) == [
        ("class", "Shelf", 4, 13, "public class Shelf<T> extends Base implements Box",
         "A shelf.\nHolds books."),
        ("field", "Shelf.size", 6, 6, "private final int size = 1", ""),
        ("method", "Shelf.Shelf", 8, 8, "Shelf(int size)", "Makes it."),
        ("method", "Shelf.take", 10, 11,
         "public T take(String name, int... rest) throws Gone", ""),
        ("enum", "Shelf.Colour", 12, 12, "enum Colour", ""),
        ("constant", "Shelf.Colour.RED", 12, 12, "RED", ""),
    ]  # fmt: skip


def test_rust_definitions_have_signatures_and_docs() -> None:
    source = """//! The crate.
/// A shelf.
#[derive(Debug)]
pub struct Shelf<T> {
    size: u8,
}

impl<T> Shelf<T> {
    /// Takes one.
    pub fn take(&self, name: &str) -> Option<T> {
        None
    }
}

mod inner {
    pub trait Box { fn open(&self); }
}
"""
    assert outline("rust", source) == [
        ("struct", "Shelf", 4, 6, "pub struct Shelf<T> { size: u8, }", "A shelf."),
        ("field", "Shelf.size", 5, 5, "size: u8", ""),
        ("method", "Shelf.take", 10, 12, "pub fn take(&self, name: &str) -> Option<T>",
         "Takes one."),
        ("namespace", "inner", 15, 17, "mod inner", ""),
        ("trait", "inner.Box", 16, 16, "pub trait Box", ""),
        ("method", "inner.Box.open", 16, 16, "fn open(&self)", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        ("ruby", "module M\n  # Doc.\n  class A\n    def go(x); end\n  end\nend\n",
         [("namespace", "M", ""), ("class", "M.A", "Doc."), ("method", "M.A.go", "")]),
        ("php", "<?php\nnamespace N;\n/** Doc. */\nclass A { public int $x; function go() {} }\n",
         [("class", "A", "Doc."), ("field", "A.x", ""), ("method", "A.go", "")]),
        ("csharp", "namespace N {\n/// Doc.\nclass A {\n int X { get; }\n void Go() {}\n}\n}\n",
         [("namespace", "N", ""), ("class", "N.A", "Doc."), ("property", "N.A.X", ""),
          ("method", "N.A.Go", "")]),
        ("kotlin", "/** Doc. */\nclass A(val x: Int) {\n  fun go() {}\n}\nfun String.up() {}\n",
         [("class", "A", "Doc."), ("field", "A.x", ""), ("method", "A.go", ""),
          ("function", "String.up", "")]),
        ("swift", "/// Doc.\nstruct A {\n  var x: Int\n  func go() {}\n}\n"
         "extension A { func up() {} }\n",
         [("struct", "A", "Doc."), ("property", "A.x", ""), ("method", "A.go", ""),
          ("method", "A.up", "")]),
        ("scala", "/** Doc. */\nclass A {\n  val x = 1\n  def go(): Int = 1\n}\nobject B {}\n",
         [("class", "A", "Doc."), ("property", "A.x", ""), ("method", "A.go", ""),
          ("class", "B", "")]),
        ("bash", "# Doc.\ngo() {\n  ls\n}\nfunction up { ls; }\n",
         [("function", "go", "Doc."), ("function", "up", "")]),
    ],
)  # fmt: skip
def test_definitions_of_the_other_languages(
    language: str, source: str, expected: list[tuple[str, str, str]]
) -> None:
    found = outline(language, source)
    assert [(kind, name, doc) for kind, name, *_, doc in found] == expected
