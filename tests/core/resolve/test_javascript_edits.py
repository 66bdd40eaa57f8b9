"""Random edits of a small JavaScript tree: the edited file's edges are those of a fresh index."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from codeviews.core.resolve.memory import MemoryRepo, NamedEdge, resolve_named

FILES = ("a.js", "b.js", "c.js", "d.js")
LINES = st.tuples(
    st.sampled_from(
        [
            "export function run(task) { return task(); }",
            "export function run(task) { return %s.run(task); }",
            "export function run(task) { return () => %s.run(task); }",
            "export function run(task) { const s = new %s.Shape(task); return s.on(); }",
            "export function step() { %s.step(); }",
            "export class Shape { constructor(f) { this.on = f; } draw() { this.on(); } }",
            "export class Shape extends %s.Shape { paint() {} }",
            "function own() {} %s.run(own);",
            "%s.run(() => step());",
            "new %s.Shape(step).draw();",
        ]
    ),
    st.sampled_from("abcd"),
).map(lambda parts: parts[0].replace("%s", parts[1]))
SOURCES = st.lists(LINES, max_size=5).map(lambda lines: source_of("\n".join(lines)))


def source_of(body: str) -> bytes:
    used = [path for path in FILES if f"{path[0]}." in body]
    return "\n".join([*(f"import * as {p[0]} from './{p}';" for p in used), body]).encode()


def _of(path: str, edges: list[NamedEdge]) -> list[NamedEdge]:
    return sorted(edge for edge in edges if edge.source.partition(":")[0] == path)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(SOURCES, min_size=4, max_size=4),
    st.lists(st.tuples(st.sampled_from(FILES), SOURCES), min_size=1, max_size=3),
)
def test_an_edited_file_has_at_once_the_edges_of_a_fresh_index(
    sources: list[bytes], edits: list[tuple[str, bytes]]
) -> None:
    contents = dict(zip(FILES, sources, strict=True))
    repo = MemoryRepo.from_files(contents, "javascript")
    resolve_named(repo, "javascript")
    for path, source in edits:
        contents[path] = source
        repo.edit(path, source)
        edited = resolve_named(repo, "javascript", frozenset([path]))
        fresh = resolve_named(MemoryRepo.from_files(contents, "javascript"), "javascript")
        assert _of(path, edited.edges) == _of(path, fresh.edges)


def test_a_function_that_passes_through_two_files_is_seen_at_once() -> None:
    contents = {
        "run.js": b"export function run(task) { task(); }",
        "wrap.js": b"import { run } from './run.js'; export function wrap(f) { run(f); }",
        "main.js": b"import { wrap } from './wrap.js'; function step() {} wrap(step);",
    }
    repo = MemoryRepo.from_files(contents, "javascript")
    resolve_named(repo, "javascript")
    repo.edit("run.js", b"\nexport function run(task) { task(); }")
    edited = resolve_named(repo, "javascript", frozenset(["run.js"]))
    assert [(edge.source, edge.target, edge.line) for edge in edited.edges] == [
        ("run.js:run", "main.js:step", 2)
    ]


def test_closures_of_one_function_are_one_callee_however_many_there_are() -> None:
    instances = "\n".join(f"new Context({i});" for i in range(40))
    source = f"""
type Set = (key: string) => void
class Context {{ set: Set = (key) => {{}} }}
export function use(context: Context) {{ context.set("a"); }}
{instances}
"""
    repo = MemoryRepo.from_files({"a.ts": source.encode()}, "javascript")
    found = resolve_named(repo, "javascript")
    assert ("a.ts:use", "calls", "a.ts:Context.set") in [edge[:3] for edge in found.edges]
    assert found.unresolved == []
