"""What callers no list can hold: functions that are values, reads of unknown objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeviews.core.session import Session
from codeviews.servers.toolkit import answer
from codeviews.servers.views import find_tool

TABLE = "".join(f"def step{n}():\n    return {n}\n\n\n" for n in range(20))
TABLE += "TABLE = {" + ", ".join(f'"{n}": step{n}' for n in range(20)) + "}\n\n\n"
TABLE += "def run(key):\n    return TABLE[key]()\n"
BOX = """class Box:
    @property
    def size(self):
        return 1

    def grow(self):
        return self.size + 1


def measure(thing):
    return thing.size
"""
READER = "from box import Box\n\n\ndef look(things):\n    return [t.size for t in things]\n"
CSHARP = """class User
{
    public string Name { get { return "a"; } }
    public string Home { get { return "b"; } }
}
class Desk
{
    string Greet(dynamic visitor) { return visitor.Name; }
}
"""


RUST = """fn mow(n: i32) -> i32 { n }
fn rake(n: i32) -> i32 { n }
static TOOLS: [fn(i32) -> i32; 1] = [mow];
fn work(i: usize) -> i32 { TOOLS[i](1) }
// rake is only named in this comment
"""
KOTLIN = "private fun dig(n: Int) = n\n\nfun plant() = listOf(1).map(::dig)\n"
PLUGIN = "def _plugin(f):\n    return f\n\n\n@_plugin\ndef paint():\n    pass\n"


@pytest.mark.parametrize(
    ("symbol", "first", "last"),
    [
        (
            "step7",
            "No known caller, but calls and reads that were not resolved may lead here (below).",
            "'step7' is also a value (table.py:81): calls through it may lead here unlisted",
        ),
        (
            "Box.size",
            "## tier A (certain): 1 of this page",
            "Reads of 'size' from unknown objects may lead here too: box.py:11, reader.py:5",
        ),
        (
            "User.Name",
            "No known caller, but calls and reads that were not resolved may lead here (below).",
            "Reads of 'Name' from unknown objects may lead here too: user.cs:8",
        ),
        (
            "tools.rs:mow",
            "No known caller, but calls and reads that were not resolved may lead here (below).",
            "'mow' also stands, not as a known call, at tools.rs:3",
        ),
        (
            "tools.rs:rake",
            "No caller: every call of this name was resolved, none leads here.",
            "",
        ),
        (
            "garden.kt:dig",
            "No known caller, but calls and reads that were not resolved may lead here (below).",
            "'dig' also stands, not as a known call, at garden.kt:3",
        ),
        (
            "_plugin",
            "No known caller, but calls and reads that were not resolved may lead here (below).",
            "'_plugin' is also a value (plugin.py:5): calls through it may lead here unlisted",
        ),
        (
            "User.Home",
            "No caller in this repository. It can be reached from outside (exported, an entry "
            "point or a protocol method), so this does not mean it is unused.",
            "",
        ),
    ],
)
def test_callers_of_says_what_may_lead_there(
    symbol: str, first: str, last: str, tmp_path: Path
) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    sources = {"table.py": TABLE, "box.py": BOX, "reader.py": READER, "user.cs": CSHARP}
    sources |= {"tools.rs": RUST, "garden.kt": KOTLIN, "plugin.py": PLUGIN}
    for name, text in sources.items():
        (root / name).write_text(text, "utf-8")
    session = Session(root, tmp_path / "indexes")
    session.build(jobs=1)
    found, tokens = answer(session, find_tool("callers_of"), {"symbol": symbol})
    session.close()
    lines = found.text(tokens).splitlines()
    assert lines[3] == first
    assert (
        "".join(
            line
            for line in lines
            if ("lead here" in line and "below" not in line) or "also stands" in line
        )
        == last
    )
