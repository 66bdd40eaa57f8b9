"""A refresh after any edits answers as a full rebuild does (CASES 24)."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from codeviews.core.session import Session

NAMES = ("alpha", "beta", "gamma", "delta", "Omega")
FILES = (
    "a.py",
    "b.py",
    "pkg/c.py",
    "pkg/__init__.py",
    "d.c",
    "e.h",
    "notes.md",
    "conf.toml",
    "f.js",
    "g.ts",
)


def python_file(rng: random.Random) -> str:
    lines = [f"from {rng.choice(('a', 'b', 'pkg.c'))} import {rng.choice(NAMES)}"]
    for name in rng.sample(NAMES, 3):
        if name[0].isupper():
            lines += [f"class {name}:", f"    def run(self): return {rng.choice(NAMES)}()"]
        else:
            lines += [f"def {name}(x=None):", f"    y = {rng.choice(NAMES)}()", "    y.run()"]
    return "\n".join(lines) + "\n"


def c_file(rng: random.Random) -> str:
    body = [f"static int {n}(void) {{ return {rng.choice(NAMES)}(); }}" for n in NAMES[:3]]
    return '#include "e.h"\n' + "\n".join(rng.sample(body, 2)) + "\n"


def script_file(rng: random.Random) -> str:
    lines = [f"import {{ {rng.choice(NAMES)} }} from './{rng.choice('fg')}'"]
    for name in rng.sample(NAMES, 3):
        if name[0].isupper():
            lines += [f"export class {name} {{ run() {{ return {rng.choice(NAMES)}() }} }}"]
        else:
            lines += [f"export function {name}(x) {{ x.run(); return {rng.choice(NAMES)}(x) }}"]
    return "\n".join([*lines, f"{rng.choice(NAMES)}(new Omega())"]) + "\n"


def text(path: str, rng: random.Random) -> str:
    if path.endswith(".py"):
        return python_file(rng)
    if path.endswith((".c", ".h")):
        return c_file(rng)
    if path.endswith((".js", ".ts")):
        return script_file(rng)
    word = rng.choice(NAMES)
    return f"# {word}\n\ntext of {word}\n" if path.endswith(".md") else f"[{word}]\nkey = 1\n"


def edit(root: Path, rng: random.Random) -> None:
    """One random change: write, delete or rename."""
    path = root / rng.choice(FILES)
    action = rng.random()
    if action < 0.2 and path.exists():
        path.unlink()
    elif action < 0.3 and path.exists():
        path.rename(root / f"moved_{rng.randrange(3)}{path.suffix}")
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text(path.relative_to(root).as_posix(), rng))


def content(database: Path) -> dict[str, list[Any]]:
    """Everything the index says, without ids and times."""
    db = sqlite3.connect(database)
    name = "(SELECT f.path || ':' || s.qualname FROM symbol s JOIN file f ON f.id = s.file_id "
    queries = {
        "files": "SELECT path, language, size, hash, marks, lines FROM file",
        "symbols": "SELECT f.path, s.qualname, s.kind, s.start_line, s.signature FROM symbol s "
        "JOIN file f ON f.id = s.file_id",
        "edges": f"SELECT {name} WHERE s.id = source), {name} WHERE s.id = target), kind, line, "
        "tier, rule FROM edge",
        "unresolved": f"SELECT {name} WHERE s.id = source), kind, name, line, reason, candidates "
        "FROM unresolved",
        "imports": "SELECT f.path, t.path, i.module, i.line FROM import i "
        "JOIN file f ON f.id = i.file_id LEFT JOIN file t ON t.id = i.target_id",
        "words": "SELECT count(*) FROM symbol_text WHERE symbol_text MATCH 'alpha OR run OR key'",
        "text": "SELECT count(*) FROM file_text WHERE file_text MATCH 'gamma OR text OR import'",
    }
    out = {key: sorted(db.execute(sql), key=repr) for key, sql in queries.items()}
    db.close()
    return out


@pytest.mark.parametrize("seed", range(12))
def test_a_refresh_says_what_a_rebuild_says(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    root = tmp_path / "tree"
    root.mkdir()
    for path in FILES:
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text(path, rng))
    kept = Session(root, tmp_path / "kept")
    kept.build(jobs=1)
    for _ in range(4):
        for _ in range(rng.randrange(1, 4)):
            edit(root, rng)
        kept.snapshot()
    kept.build(jobs=1)
    fresh = Session(root, tmp_path / "fresh")
    fresh.build(jobs=1)
    assert content(kept.database) == content(fresh.database)
    kept.close()
    fresh.close()


def test_a_file_that_held_the_newest_symbols_can_be_edited_again_and_again(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def first(): pass\n")
    (tmp_path / "z.py").write_text("def last(): pass\n")
    session = Session(tmp_path, tmp_path.parent / f"{tmp_path.name}-index")
    session.build(jobs=1)
    for i in range(4):
        with (tmp_path / "z.py").open("a") as file:
            file.write(f"def added_{i}(): last()\n")
        session.snapshot()
        assert [d.name for d in session.store.named(f"added_{i}")] == [f"added_{i}"]
    session.close()


def test_an_edit_keeps_what_other_files_gave_the_edited_one(tmp_path: Path) -> None:
    """Arguments of calls and subclasses elsewhere are known at once, not a build later."""
    root = tmp_path / "tree"
    root.mkdir()
    shapes = "class Shape:\n    def draw(self): self.paint()\n\ndef run(job): job.start()\n"
    (root / "shapes.py").write_text(shapes)
    (root / "use.py").write_text(
        "from shapes import Shape, run\n"
        "class Job:\n    def start(self): pass\n"
        "class Circle(Shape):\n    def paint(self): pass\n"
        "def main(): run(Job())\n"
    )
    kept = Session(root, tmp_path / "kept")
    kept.build(jobs=1)
    (root / "shapes.py").write_text(f"{shapes}\ndef added(): run(None)\n")
    kept.snapshot()
    fresh = Session(root, tmp_path / "fresh")
    fresh.build(jobs=1)
    edges = content(kept.database)["edges"]
    assert ("shapes.py:run", "use.py:Job.start", "calls", 4, "C", "flow") in edges
    assert content(kept.database) == content(fresh.database)
    kept.close()
    fresh.close()
