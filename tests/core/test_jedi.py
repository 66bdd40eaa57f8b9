"""jedi answers for single sites from a child that runs nothing of the repository."""

from __future__ import annotations

import json
from pathlib import Path

from codeviews.core.resolve.jedi import resolve_all
from codeviews.core.resolve.jedi_child import Found, JediChild, Place, infer
from codeviews.core.resolve.memory import MemoryRepo

SOURCES = {
    "main.py": b"from pkg.tool import make\n\n\ndef run():\n    make().work()\n",
    "pkg/__init__.py": b"",
    "pkg/tool.py": b"class Tool:\n    def work(self):\n        pass\n\n\n"
    b"def make():\n    return Tool()\n",
}


def written(root: Path) -> Path:
    for path, source in SOURCES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(source)
    return root


def test_a_site_is_inferred(tmp_path: Path) -> None:
    places = [Place("main.py", 5, 11), Place("main.py", 1, 0), Place("gone.py", 1, 0)]
    assert infer(written(tmp_path), places, 60) == [[Found("pkg/tool.py", 2, "work")], [], []]


def test_nothing_planted_in_the_repository_runs(tmp_path: Path) -> None:
    root = written(tmp_path)
    trap = "import pathlib; pathlib.Path(r'%s').write_text('ran')" % (root / "ran")
    for name in ("conftest.py", "sitecustomize.py", "usercustomize.py", "jedi.py", "setup.py"):
        (root / name).write_text(trap)
    (root / "venv" / "bin").mkdir(parents=True)
    (root / "venv" / "pyvenv.cfg").write_text("home = /usr/bin\n")
    interpreter = root / "venv" / "bin" / "python"
    interpreter.write_text(f"#!/bin/sh\ntouch {root / 'ran'}\n")
    interpreter.chmod(0o755)
    (root / ".jedi").mkdir()
    settings = {"path": str(root), "environment_path": str(interpreter), "sys_path": ["/nowhere"]}
    (root / ".jedi" / "project.json").write_text(json.dumps([1, settings]))
    assert infer(root, [Place("main.py", 5, 11)], 60) == [[Found("pkg/tool.py", 2, "work")]]
    assert not (root / "ran").exists()


def test_a_passed_deadline_gives_nothing_and_the_next_question_an_answer(tmp_path: Path) -> None:
    with JediChild(written(tmp_path)) as child:
        assert child.infer([Place("main.py", 5, 11)], 0.0) == [[]]
        assert child.infer([Place("main.py", 5, 11)], 60) == [[Found("pkg/tool.py", 2, "work")]]


def test_a_whole_index_is_resolved(tmp_path: Path) -> None:
    repo = MemoryRepo.from_files(SOURCES, "python")
    names = repo.names()
    edges = [e for result in resolve_all(written(tmp_path), repo) for e in result.edges]
    assert {(names[e.source], names[e.target], e.line, e.tier, e.rule) for e in edges} == {
        ("main.py:run", "pkg/tool.py:make", 5, "B", "jedi"),
        ("main.py:run", "pkg/tool.py:Tool.work", 5, "B", "jedi"),
        ("pkg/tool.py:make", "pkg/tool.py:Tool", 7, "B", "jedi"),
    }
