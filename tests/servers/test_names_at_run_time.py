"""Callers that only a name put together at run time leads to are not passed over in silence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from codeviews.core.session import Session

WALKER = """class Walker:
    def walk(self, node):
        name = "walk_" + type(node).__name__
        return getattr(self, name)(node)


class Printer(Walker):
    def walk_list(self, node):
        pass

    def finish(self):
        pass
"""


def test_a_call_through_a_name_made_at_run_time_is_counted_with_the_names_it_fits(
    tmp_path: Path, call: Any
) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    (root / "walker.py").write_text(WALKER)
    session = Session(root, tmp_path / "indexes")
    session.build(jobs=1)
    found, _ = call(session, "callgraph", "callers_of", {"symbol": "Printer.walk_list"})
    other, _ = call(session, "callgraph", "callers_of", {"symbol": "Printer.finish"})
    session.close()
    assert "(1 by a name like walk_…), e.g. walker.py:4" in found
    assert "walk_…" not in other
    assert "No caller in this repository." in other
