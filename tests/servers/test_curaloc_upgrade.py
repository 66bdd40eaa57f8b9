from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from typer.testing import CliRunner

from codeviews.core.session import Session
from codeviews.servers.cli import app


def test_an_index_of_an_older_version_is_rebuilt_before_the_answer(tmp_path: Path) -> None:
    root, home = tmp_path / "repo", tmp_path / "home"
    root.mkdir()
    (root / "a.py").write_text("def total(prices):\n    return sum(prices) + 1\n")
    (tmp_path / "report.md").write_text("total is one too high")
    session = Session(root, home)
    session.build(jobs=1)
    session.close()
    old = sqlite3.connect(session.database)
    old.execute("UPDATE meta SET value = '0' WHERE key = 'extractor'")
    old.commit()
    old.close()
    arguments = ["--repo", str(root), "--index-dir", str(home), "--json"]
    done = CliRunner().invoke(app, ["localize", str(tmp_path / "report.md"), *arguments])
    data = json.loads(done.stdout)
    assert [p["symbol"] for p in data["predictions"]] == ["a.py:total"]
    assert (data["coverage"]["complete"], data["coverage"]["files"]) == (True, 1)
