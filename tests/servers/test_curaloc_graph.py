"""Admission, graph roles, edge profiles, supplement and source windows, through whole runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from codeviews.core.session import Session
from codeviews.servers.curaloc.pipeline import localize
from codeviews.servers.curaloc.planners import Inquiry
from codeviews.servers.curaloc.planners.lexical import LexicalPlanner
from codeviews.servers.curaloc.records import Inventory, Localization, Scope
from codeviews.servers.curaloc.settings import DEFAULT, Settings


class Fixed(LexicalPlanner):
    """The lexical planner with given files and starts."""

    def __init__(self, files: list[str], starts: list[tuple[str, str]]) -> None:
        super().__init__()
        self.files = files
        self.starts = starts

    def scope(self, inquiry: Inquiry) -> Mapping[str, Any]:
        return {"ownership": self.files, "issue_surface": self.files}

    def route(
        self, inquiry: Inquiry, scope: Scope, inventory: Inventory, complaint: str
    ) -> Mapping[str, Any]:
        sid = {c.definition.address: c.sid for c in inventory.capsules.values()}
        return {"starts": [{"sid": sid.get(name, 0), "action": a} for name, a in self.starts]}


def made(
    tmp_path: Path,
    files: Mapping[str, str],
    scope: list[str],
    *starts: tuple[str, str],
    settings: Settings = DEFAULT,
) -> Localization:
    root = tmp_path / "repo"
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    session = Session(root, tmp_path / "home")
    session.build(jobs=1)
    with session.reading() as store:
        found = localize(store, "a report", Fixed(scope, [*starts]), settings)
    session.close()
    return found


def admitted(found: Localization) -> list[str]:
    assert found.inventory is not None
    return [c.definition.address for c in found.inventory.capsules.values()]


def roles(found: Localization) -> dict[str, str]:
    assert found.inventory is not None
    return {c.definition.address: c.role for c in found.inventory.capsules.values()}


def selected(found: Localization) -> list[str]:
    assert found.inventory is not None
    assert found.evidence is not None
    capsules = found.inventory.capsules
    return [capsules[sid].definition.address for sid in found.evidence.selected]


LINKED = {
    "a.py": "from d import helper\n\n\ndef main():\n    return helper()\n",
    "b.py": "def b():\n    return 1\n",
    "c.py": "def c():\n    return 1\n",
    "d.py": "def helper():\n    return 1\n\n\ndef beside():\n    return 2\n",
    "e.py": "def apart():\n    return 1\n",
    "f.py": "import b\n\n\ndef whole():\n    return 1\n\n\ndef too():\n    return 2\n",
}
ALL = [f"{name}.py" for name in "abcdef"]


def test_later_files_give_connected_symbols_and_whole_importers(tmp_path: Path) -> None:
    found = made(tmp_path, LINKED, ALL, ("a.py:main", "follow_calls"))
    assert admitted(found) == [
        "a.py:main",
        "b.py:b",
        "c.py:c",
        "d.py:helper",
        "d.py:beside",
        "f.py:whole",
        "f.py:too",
    ]
    assert selected(found) == ["a.py:main", "d.py:helper"]


def test_files_beyond_f_give_no_symbols(tmp_path: Path) -> None:
    settings = Settings(candidate_files=2, full_files=1)
    found = made(tmp_path, LINKED, ["a.py", "d.py", "b.py"], ("a.py:main", "follow_calls"),
                 settings=settings)  # fmt: skip
    assert admitted(found) == ["a.py:main", "d.py:helper", "d.py:beside"]


def test_short_scopes_are_supplemented_by_neighbours(tmp_path: Path) -> None:
    found = made(tmp_path, LINKED, ["a.py"], ("a.py:main", "follow_calls"))
    assert [(f.path, f.supplement) for f in found.scope.files] == [("a.py", False), ("d.py", True)]


def test_unknown_files_are_dropped_and_counted(tmp_path: Path) -> None:
    found = made(tmp_path, LINKED, ["a.py", "nowhere.py"], ("a.py:main", "follow_calls"))
    assert found.scope.dropped == ("nowhere.py",)
    assert found.diagnostics["files dropped"] == 1


SHAPES = {
    "shapes.py": (
        "import tools\n\n\n"
        "class Shape:\n"
        "    def area(self):\n        return 0\n\n"
        "    def draw(self):\n        return self.area()\n\n\n"
        "class Square(Shape):\n"
        "    def area(self):\n        return tools.square(2)\n\n\n"
        "def everything():\n"
        "    tools.square(1)\n"
        "    tools.Pen().lift()\n"
        "    return tools.sharpen(2)\n\n\n"
        "def nothing():\n    return 1\n"
    ),
    "tools.py": (
        "def square(x):\n    return x * x\n\n\n"
        "def sharpen(x):\n    return square(x)\n\n\n"
        "class Pen:\n    def lift(self):\n        return 1\n"
    ),
}


def test_graph_roles_follow_their_order(tmp_path: Path) -> None:
    found = made(tmp_path, SHAPES, ["shapes.py", "tools.py"], ("shapes.py:nothing", "follow_calls"))
    shown = roles(found)
    assert shown["shapes.py:nothing"] == "executor"
    assert shown["shapes.py:Shape.area"] == "definer"
    assert shown["shapes.py:Square.area"] == "overrider"
    assert shown["shapes.py:everything"] == "dispatcher"
    assert shown["tools.py:Pen.lift"] == "entry"
    assert shown["tools.py:sharpen"] == "entry"


@pytest.mark.parametrize("profile", ["default", "paper"])
def test_both_edge_profiles_follow_calls_and_overrides(tmp_path: Path, profile: Any) -> None:
    found = made(
        tmp_path,
        SHAPES,
        ["shapes.py", "tools.py"],
        ("shapes.py:Shape.draw", "follow_calls"),
        ("shapes.py:Square.area", "check_override"),
        ("tools.py:square", "follow_called_by"),
        settings=Settings(profile=profile),
    )
    assert selected(found)[:3] == [
        "shapes.py:Shape.draw",
        "shapes.py:Square.area",
        "tools.py:square",
    ]
    assert set(selected(found)[3:]) == {
        "shapes.py:Shape.area",
        "shapes.py:everything",
        "tools.py:sharpen",
    }


def test_the_paper_profile_leaves_ambiguous_names_out(tmp_path: Path) -> None:
    files = {
        "a.py": "from b import *\n\n\ndef main():\n    twice()\n    return once()\n",
        "b.py": "def twice():\n    return 1\n\n\ndef once():\n    return 1\n",
        "c.py": "def twice():\n    return 2\n",
    }
    found = made(tmp_path, files, ["a.py", "b.py", "c.py"], ("a.py:main", "follow_calls"),
                 settings=Settings(profile="paper"))  # fmt: skip
    assert selected(found) == ["a.py:main", "b.py:once"]


def test_neighbours_come_in_turn_and_once(tmp_path: Path) -> None:
    files = {
        "a.py": (
            "def one():\n    x1()\n    return x2()\n\n\n"
            "def two():\n    x2()\n    return y1()\n\n\n"
            "def x1():\n    return 1\n\n\ndef x2():\n    return 1\n\n\ndef y1():\n    return 1\n"
        )
    }
    found = made(tmp_path, files, ["a.py"], ("a.py:one", "follow_calls"),
                 ("a.py:two", "follow_calls"))  # fmt: skip
    assert selected(found) == ["a.py:one", "a.py:two", "a.py:x1", "a.py:x2", "a.py:y1"]


def test_a_window_has_context_a_header_and_says_where_it_ends(tmp_path: Path) -> None:
    body = "".join(f"        x{i} = {i}\n" for i in range(100))
    files = {
        "a.py": (
            'class Long:\n    """Doc of Long."""\n\n    limit = 3\n\n'
            + "    def first(self):\n        return 1\n\n" * 1
            + f"    def long(self):\n{body}"
        )
    }
    found = made(tmp_path, files, ["a.py"], ("a.py:Long.long", "follow_calls"),
                 settings=Settings(window_lines=10, header_lines=3))  # fmt: skip
    assert found.evidence is not None
    (block,) = found.evidence.blocks
    lines = block.text.split("\n")
    assert lines[1:5] == [
        "    1\tclass Long:",
        '    2\t    """Doc of Long."""',
        "    3\t",
        "      …",
    ]
    assert lines[5].startswith("    6\t    def first")
    assert lines[14].startswith("   15\t")
    assert lines[15] == "(source truncated: a.py:Long.long goes on to line 109)"
    assert block.truncated


@pytest.mark.parametrize(
    ("path", "text", "start"),
    [
        ("a.c", "static int add(int a)\n{\n\treturn a;\n}\n\n"
         "int twice(int a)\n{\n\treturn add(a);\n}\n",
         "twice"),
        ("a.js", "function add(a) {\n  return a\n}\nfunction twice(a) {\n  return add(a)\n}\n",
         "twice"),
        ("a.go", "package a\n\nfunc add(a int) int { return a }\n\nfunc twice(a int) int {\n"
         "\treturn add(a)\n}\n", "twice"),
    ],
)  # fmt: skip
def test_other_languages_are_localized_alike(
    tmp_path: Path, path: str, text: str, start: str
) -> None:
    found = made(tmp_path, {path: text}, [path], (f"{path}:{start}", "follow_calls"))
    assert selected(found) == [f"{path}:{start}", f"{path}:add"]


def test_relevance_formulation_uses_its_own_lists(tmp_path: Path) -> None:
    found = made(tmp_path, LINKED, ["a.py"], ("a.py:main", "follow_calls"),
                 settings=Settings(formulation="relevance"))  # fmt: skip
    assert [list(f.votes) for f in found.scope.files if f.votes] == [["issue_surface"]]


def test_a_small_window_shows_the_symbol_before_its_context(tmp_path: Path) -> None:
    body = "".join(f"    x{i} = {i}\n" for i in range(9))
    files = {"a.py": "# one\n# two\n# three\n# four\n" + f"def long():\n{body}"}
    found = made(tmp_path, files, ["a.py"], ("a.py:long", "follow_calls"),
                 settings=Settings(window_lines=3))  # fmt: skip
    assert found.evidence is not None
    (block,) = found.evidence.blocks
    assert block.text.split("\n")[1:4] == [
        "    4\t# four",
        "    5\tdef long():",
        "    6\t    x0 = 0",
    ]
