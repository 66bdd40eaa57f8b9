from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from codeviews.core.session import Session
from codeviews.servers import views
from codeviews.servers.cli import app
from codeviews.servers.toolkit import answer


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


def call(session: Session, tool: str, **arguments: Any) -> dict[str, Any]:
    return answer(session, views.find_tool(tool), arguments)[0].data


def addressed(data: dict[str, Any]) -> dict[str, int]:
    heads = [capsule.split("\n")[0].removeprefix("[SID=") for capsule in data["capsules"]]
    return {head.split("] ")[1]: int(head.split("]")[0]) for head in heads}


def rebuilt(session: Session, home: Path) -> Session:
    """The index made anew from nothing, so that symbols get other numbers; plans stay."""
    session.close()
    for part in ("", "-wal", "-shm"):
        session.database.with_name(session.database.name + part).unlink(missing_ok=True)
    opened = Session(session.root, home)
    opened.build(jobs=1)
    return opened


def test_sids_of_an_earlier_index_mean_what_they_meant(tmp_path: Path) -> None:
    root, home = tmp_path / "repo", tmp_path / "home"
    root.mkdir()
    tail = "def keep():\n    return 1\n\n\ndef drop():\n    return keep()\n"
    (root / "a.py").write_text(tail)
    session = Session(root, home)
    session.build(jobs=1)
    plan = call(session, "curaloc_scope", report="keep and drop")["plan"]
    old = addressed(call(session, "curaloc_capsules", plan=plan, ownership=["a.py"]))
    (root / "a.py").write_text("def first():\n    return 0\n\n\n" + tail)
    session = rebuilt(session, home)
    starts = [{"sid": old["a.py:keep"], "action": "follow_called_by"}]
    data = call(session, "curaloc_inspect", plan=plan, starts=starts)
    symbols = [block["text"].split("\n")[0].split("] ")[1] for block in data["blocks"]]
    assert symbols == ["a.py:keep (function)", "a.py:drop (function)"]
    assert data["blocks"][0]["sid"] != old["a.py:keep"]
    (root / "a.py").write_text("def zero():\n    return 0\n\n\n" * 3 + tail)
    session = rebuilt(session, home)
    ranked = [data["blocks"][1]["sid"], str(data["blocks"][0]["sid"])]
    found = call(session, "curaloc_submit", plan=plan, symbols=ranked)["predictions"]
    session.close()
    assert [p["symbol"] for p in found] == ["a.py:drop", "a.py:keep"]
