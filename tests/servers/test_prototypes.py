"""Who asks for a prototype by its place means what it declares: calls lead to the body."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeviews.core.session import Session
from codeviews.servers.toolkit import answer
from codeviews.servers.views import find_tool

PROGRAMS: dict[str, tuple[dict[str, str], str, tuple[str, str]]] = {
    "c": (
        {
            "gate.h": "int gate_open(int width);\n",
            "gate.c": '#include "gate.h"\nint gate_open(int width)\n{\n\treturn width;\n}\n',
            "yard.c": '#include "gate.h"\nint yard(void)\n{\n\treturn gate_open(3);\n}\n',
            "other.c": "static int gate_open(int width)\n{\n\treturn -width;\n}\n",
        },
        "gate.h:gate_open",
        ("yard.c:4", "yard.c:yard"),
    ),
    "cpp": (
        {
            "gate.hpp": "class Gate {\npublic:\n  int open(int width);\n};\n",
            "gate.cpp": '#include "gate.hpp"\nint Gate::open(int width) { return width; }\n',
            "yard.cpp": '#include "gate.hpp"\nint yard(Gate &gate) {\n  return gate.open(3);\n}\n',
        },
        "gate.hpp:Gate.open",
        ("yard.cpp:3", "yard.cpp:yard"),
    ),
    "python": (
        {
            "gate.pyi": "def swing(width: int) -> int: ...\n",
            "gate.py": "def swing(width):\n    return width\n",
            "yard.py": "from gate import swing\n\n\ndef yard():\n    return swing(3)\n",
        },
        "gate.pyi:swing",
        ("yard.py:5", "yard.py:yard"),
    ),
    "javascript": (
        {
            "gate.d.ts": "export function swing(width: number): number;\n",
            "gate.js": "exports.swing = function swing(width) {\n  return width;\n};\n",
            "yard.js": 'const { swing } = require("./gate");\n'
            "function yard() {\n  return swing(3);\n}\n",
        },
        "gate.d.ts:swing",
        ("yard.js:3", "yard.js:yard"),
    ),
}


@pytest.mark.parametrize("language", PROGRAMS)
def test_callers_of_a_prototype_are_those_of_its_body(language: str, tmp_path: Path) -> None:
    files, symbol, caller = PROGRAMS[language]
    root = tmp_path / "repo"
    root.mkdir()
    for name, text in files.items():
        (root / name).write_text(text, "utf-8")
    session = Session(root, tmp_path / "indexes")
    session.build(jobs=1)
    found, _ = answer(session, find_tool("callers_of"), {"symbol": symbol})
    session.close()
    listed = [(f"{r['path']}:{r['line']}", r["symbol"]) for r in found.data["results"]]
    assert listed == [caller]
    assert not any(place.startswith("other.c") for place in found.data["definitions"])
