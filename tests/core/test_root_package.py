"""A repository whose root is a package that imports itself by the folder's name."""

from __future__ import annotations

from pathlib import Path

from codeviews.core.session import Session
from codeviews.servers.toolkit import answer
from codeviews.servers.views import find_tool


def test_a_root_that_is_a_package_imports_itself_by_the_name_of_its_folder(tmp_path: Path) -> None:
    root = tmp_path / "orchard"
    (root / "tools").mkdir(parents=True)
    (root / "__init__.py").write_text("def plant():\n    return 1\n", "utf-8")
    (root / "tools" / "__init__.py").write_text("", "utf-8")
    (root / "tools" / "spade.py").write_text("def dig():\n    return 2\n", "utf-8")
    text = "import orchard\nfrom orchard.tools.spade import dig\n\n\ndef work():\n"
    (root / "farm.py").write_text(f"{text}    orchard.plant()\n    dig()\n", "utf-8")
    session = Session(root, tmp_path / "indexes")
    session.build(jobs=1)
    found, _ = answer(session, find_tool("callees_of"), {"symbol": "farm.py:work"})
    session.close()
    assert [(r["line"], r["symbol"]) for r in found.data["results"]] == [
        (6, "__init__.py:plant"),
        (7, "tools/spade.py:dig"),
    ]
