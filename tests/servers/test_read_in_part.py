"""A file that was read in part is named wherever calls in it may be missing from an answer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from codeviews.core.session import Session

NOTE = "nested too deeply near line 6: calls read in part, by name"
BROKEN = "syntax error near line 5: the rest was read"
FILES = {
    "deep.py": "def f(x): return x\ndef other(): return f(2)\ndef lonely(): pass\n\n\n"
    + f"def long(): return {'f(' * 1_500}1{')' * 1_500}\n",
    "deep.js": "function draw(x) { return x; }\n"
    + f"function run() {{ return draw(1){'.m()' * 5_000}; }}\n",
    "broken.py": "import deep\n\n\ndef g():\n    retrun deep.lonely()\n",
    "whole.py": "def run(): pass\n\n\nrun()\n",
}


def the_lines(call: Any, session: Session, tool: str, symbol: str) -> list[str]:
    text, error = call(session, "callgraph", tool, {"symbol": symbol})
    assert not error
    return text.split("\n")[1:]


def test_callers_in_deep_code_are_listed_and_the_file_is_named(session: Session, call: Any) -> None:
    assert the_lines(call, session, "callers_of", "f") == [
        "## Callers of f (function)",
        "deep.py:1  function def f(x)",
        "## tier A (certain): 2 of this page",
        "deep.py:2  other",
        "deep.py:6  long",
        f"Read in part, so callers there may be missing: deep.py ({NOTE})",
    ]
    assert the_lines(call, session, "callees_of", "long") == [
        "## Called by long (function)",
        "deep.py:6  function def long()",
        "## tier A (certain): 1 of this page",
        "deep.py:6  f",
        f"Read in part, so calls may be missing: deep.py ({NOTE})",
    ]


def test_no_caller_is_not_certain_when_a_file_with_the_name_was_read_in_part(
    session: Session, call: Any
) -> None:
    assert the_lines(call, session, "callers_of", "lonely")[2:] == [
        "No known caller, but calls and reads that were not resolved may lead here (below).",
        "'lonely' also stands, not as a known call, at broken.py:5",
        f"Read in part, so callers there may be missing: broken.py ({BROKEN}), deep.py ({NOTE})",
    ]
    assert the_lines(call, session, "callees_of", "other")[2:] == [
        "## tier A (certain): 1 of this page",
        "deep.py:2  f",
        f"Read in part, so calls may be missing: deep.py ({NOTE})",
    ]
    assert the_lines(call, session, "callees_of", "lonely")[2:] == [
        "No known callee.",
        f"Read in part, so calls may be missing: deep.py ({NOTE})",
    ]


def test_other_languages_and_files_that_were_read_are_not_named(
    session: Session, call: Any
) -> None:
    assert the_lines(call, session, "callers_of", "whole.py:run")[2:] == [
        "## tier A (certain): 1 of this page",
        "whole.py:4  <module>",
    ]
    assert the_lines(call, session, "callers_of", "draw")[-1] == (
        "Read in part, so callers there may be missing: deep.js "
        "(code nested very deeply was read in part)"
    )


def test_status_lists_files_that_were_read_in_part(session: Session, call: Any) -> None:
    part = [
        ("broken.py", BROKEN),
        ("deep.js", "code nested very deeply was read in part"),
        ("deep.py", NOTE),
    ]
    text, error = call(session, "callgraph", "callgraph_status", {})
    assert not error
    listed = text.partition("## Files read in part\n")[2].split("\n")
    assert listed == [f"{path}: {note}" for path, note in part]
    code, out = status(session.root, session.database.parents[1])
    assert (code, out.split("\n")[1:5]) == (
        0,
        [
            "4 files (python 3, javascript 1); 0 skipped, 3 read in part",
            *(f"  {path}: {note}" for path, note in part),
        ],
    )
    code, out = status(session.root, session.database.parents[1], "--json")
    assert json.loads(out)["in_part"] == [{"path": path, "reason": note} for path, note in part]


def status(root: Path, home: Path, *options: str) -> tuple[int, str]:
    program = "from codeviews.servers.cli import main; main()"
    arguments = ["status", "--repo", str(root), "--index-dir", str(home), *options]
    command = [sys.executable, "-c", program, *arguments]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return found.returncode, found.stdout
