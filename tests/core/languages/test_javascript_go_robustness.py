"""JavaScript, TypeScript and Go on bytes nobody meant to be source: bounded, and never an error."""

from __future__ import annotations

import marshal
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeviews.core.facts import FileFacts
from codeviews.core.languages import go, javascript, typescript
from codeviews.core.resolve.memory import MemoryRepo, resolve_named

Extract = Callable[[str, bytes], FileFacts]

FIXTURES = Path(__file__).parents[2] / "fixtures"
READERS: list[tuple[str, Extract, str]] = [
    ("a.js", javascript.extract, "javascript"),
    ("a.ts", typescript.extract, "javascript"),
    ("a.tsx", typescript.extract, "javascript"),
    ("a.go", go.extract, "go"),
]
SOURCES = [
    path.read_bytes()
    for folder in ("javascript", "typescript", "go")
    for path in sorted((FIXTURES / folder).rglob("*"))
    if path.is_file()
]
PIECES = [
    *"(){}[];,.=<>:*/`'\"\n",
    *[
        "=>",
        "...",
        "class C ",
        "extends ",
        "function f",
        "import x from 'y'\n",
        "export ",
        "async ",
    ],
    *["func f", "type T ", "struct", "interface", "package p\n", "chan ", "map[", ":=", "go ", "&"],
    *[
        "@d ",
        "new ",
        "this",
        "super",
        "enum E",
        "namespace N",
        "<A b={",
        "/>",
        "${",
        "#p",
        "\0",
        "é",
    ],
]
NESTED = [
    "a(" * 1000 + ")" * 1000,
    "{" * 1000 + "}" * 1000,
    "[" * 1000 + "]" * 1000,
    "x => " * 1000 + "y()",
    "if (a) { b() } else " * 1000 + "{}",
    "a.b()" + ".c()" * 1000,
    "f() + " * 1000 + "g()",
    "function f() {" * 1000 + "}" * 1000,
    "class A { m() {" * 1000 + "}}" * 1000,
    "package p\nfunc f() {" + "func() {" * 1000 + "}()" * 1000 + "}",
    "package p\nvar x = " + "[]int{" * 1000 + "}" * 1000,
    "package p\ntype T " + "[]" * 1000 + "int",
    "package p\nfunc f() {" + "if a { b() } else " * 1000 + "{}}",
]


def _check(facts: FileFacts, source: bytes) -> None:
    assert facts.symbols[0].kind == "module"
    names = [symbol.qualname for symbol in facts.symbols]
    assert len(set(names)) == len(names)
    for symbol in facts.symbols[1:]:
        assert 0 <= symbol.start_byte <= symbol.end_byte <= len(source)
        assert 0 <= symbol.parent < len(facts.symbols)
    assert all(0 <= site.scope < len(facts.symbols) for site in facts.sites)
    marshal.dumps(facts.flow)


def _read_and_resolve(path: str, extract: Extract, family: str, source: bytes) -> None:
    _check(extract(path, source), source)
    repo = MemoryRepo.from_files({path: source}, family)
    found = resolve_named(repo, family)
    assert all(edge.source.startswith(f"{path}:") for edge in found.edges)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_any_sequence_of_tokens_is_read_and_resolved(pieces: list[str]) -> None:
    source = "".join(pieces).encode()
    for path, extract, family in READERS:
        _read_and_resolve(path, extract, family, source)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_and_resolved(source: bytes) -> None:
    for path, extract, family in READERS:
        _read_and_resolve(path, extract, family, source)


@pytest.mark.parametrize("seed", range(6))
def test_damaged_sources_are_read_and_resolved(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(25):
        source = bytearray(dice.choice(SOURCES))
        for _ in range(dice.randrange(1, 12)):
            at = dice.randrange(len(source) or 1)
            source[at : at + dice.randrange(4)] = bytes([dice.randrange(256)])
        for path, extract, family in READERS:
            _read_and_resolve(path, extract, family, bytes(source))


@pytest.mark.parametrize("text", NESTED, ids=range(len(NESTED)))
def test_deep_nesting_is_bounded(text: str) -> None:
    for path, extract, family in READERS:
        _read_and_resolve(path, extract, family, text.encode())


def test_minified_files_keep_an_outline_and_say_so() -> None:
    body = "function a(){b()}class C{m(){a()}}" * 3000
    facts = javascript.extract("lib.min.js", body.encode())
    assert facts.notes == ["minified or very large: definitions only, without call edges"]
    assert [symbol.qualname for symbol in facts.symbols[1:4]] == ["a", "C", "m"]
    assert facts.sites == []
    assert facts.flow is None


def test_nine_thousand_functions_of_one_name_are_all_kept() -> None:
    facts = javascript.extract("many.js", b"function f() {}\n" * 9000)
    assert len(facts.symbols) == 9001
    assert facts.symbols[9000].qualname == "f#9000"


def test_a_file_in_another_language_than_its_suffix_says_is_read() -> None:
    for path, extract, _ in READERS:
        facts = extract(path, b"def f(x):\n    return x\n\nclass A:\n    pass\n")
        assert facts.symbols[0].kind == "module"
        assert facts.notes


def test_a_generic_member_after_a_line_without_semicolon_does_not_hide_the_file() -> None:
    source = (
        b"export interface Handlers {\n  <A>(a: A): [A]\n\n"
        b"  // two\n  <A, B>(a: A, b: B): [A, B]\n}\n"
        b"export const make = <T,>(value: T): T => value\nclass Later {\n  go() {}\n}\n"
    )
    names = [symbol.qualname for symbol in typescript.extract("a.ts", source).symbols[1:]]
    assert names == ["Handlers", "make", "Later", "Later.go"]


MANIFESTS: dict[str, list[bytes]] = {
    "package.json": [
        b"[]",
        b'{"name": 3, "exports": [[[]]], "main": {}}',
        b'{"name": "x", "exports": {".": {"import": {"import": {"import": null}}}, "./*": "*"}}',
        b"{" * 2000,
        b"\xff\xfe\0",
    ],
    "tsconfig.json": [
        b'{"extends": "./tsconfig.json", "references": [{"path": "."}, 4]}',
        b'{"compilerOptions": {"paths": {"*": ["../../../*"], "a": 3}, "baseUrl": "../.."}}',
        b'{"compilerOptions": []} // and /* more',
    ],
    "go.mod": [b"module", b"module a\nreplace a => ../../..\nreplace => ./x", b"\0\xff"],
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_broken_manifests_are_ignored(name: str) -> None:
    sources = {
        "a.ts": b'import { b } from "x";\nimport c from "./b";\nimport "#y"; b(); c();',
        "b.ts": b"export default function c() {}",
        "m.go": b'package m\nimport "a/b"\nfunc f() { b.G(); f() }',
    }
    for manifest in MANIFESTS[name]:
        for family, expected in (("javascript", "b.ts:c"), ("go", "m.go:f")):
            repo = MemoryRepo.from_files({**sources, name: manifest}, family)
            edges = resolve_named(repo, family).edges
            assert [edge.target for edge in edges] == [expected]
