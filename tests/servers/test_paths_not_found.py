"""What is said of a path that no file of the index has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from codeviews.core.session import Session

FILES = {
    "a/forms.py": "def one():\n    return 1\n",
    "b/forms.py": "def two():\n    return 2\n",
    "b/fields.py": "X = 1\n",
    "build/made.py": "def made():\n    return 3\n",
    ".codeviewsignore": "build/\n",
}


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (
            "b/form.py",
            "Not found: there is no file 'b/form.py' in this repository.\n"
            "## Nearest names\nb/forms.py",
        ),
        (
            "forms.py",
            "Not found: 2 files end with 'forms.py'; give more of the path.\n"
            "## Files that end so\na/forms.py\nb/forms.py",
        ),
        (
            "b",
            "Not found: b is a folder.\n## Files of that folder\nb/fields.py\nb/forms.py",
        ),
        (
            "build/made.py",
            "Not found: build/made.py is not indexed: "
            "build/ is ignored by .codeviewsignore:1 (build/).",
        ),
        (
            "Gone.away",
            "Not found: no definition is called 'Gone.away'.",
        ),
    ],
)
def test_an_absent_path_is_explained(session: Session, call: Any, path: str, said: str) -> None:
    text, error = call(session, "ast", "file_skeleton", {"path": path})
    assert (text.partition("\n")[2], error) == (said, False)


def test_importers_are_listed_at_their_import(tmp_path: Path, call: Any) -> None:
    files = {
        "core.py": "def work():\n    return 1\n",
        "near.py": '"""Doc."""\n\nimport os\nimport core\n\n\ndef go():\n    return os.name\n',
        "far.py": "X = 1\nimport near\nimport core_other\n",
        "test_core.py": "import os\n\nimport core\n",
    }
    for path, text in files.items():
        (tmp_path / path).write_text(text)
    session = Session(tmp_path, tmp_path / "home")
    session.build(jobs=1)
    text, error = call(session, "hybrid", "impact_of", {"files": ["core.py"]})
    session.close()
    assert not error
    assert "test_core.py:3  imports it, no resolved call" in text.split("\n")
    listed = text.partition("## Importing files: 3\n")[2].split("\n")[:3]
    assert listed == ["near.py:4", "test_core.py:3", "far.py:2  (distance 2)"]


@pytest.mark.parametrize(
    ("server", "tool"), [("callgraph", "function_info"), ("callgraph", "callgraph_node")]
)
def test_paths_choose_among_definitions_of_a_name(
    session: Session, call: Any, server: str, tool: str
) -> None:
    text, error = call(session, server, tool, {"symbol": "one", "paths": ["a/*"]})
    assert (error, "a/forms.py:1" in text) == (False, True)
    text, error = call(session, server, tool, {"symbol": "one", "paths": ["b/*"]})
    assert (text.partition("\n")[2], error) == (
        "Not found within paths=: 'one' is defined elsewhere (a/forms.py:one).",
        False,
    )


def test_callers_outside_of_the_paths_are_not_none(ask: Any) -> None:
    text, error = ask("callgraph", "callers_of", symbol="place_order", paths=["docs/*"])
    assert error is False
    assert "None within paths=: all 2 are elsewhere." in text.split("\n")


@pytest.mark.parametrize("path", ["x" * 60_000, "a/" * 30_000 + "x.py", ".".join("ab" * 15_000)])
@pytest.mark.parametrize(
    ("server", "tool", "name"),
    [
        ("ast", "file_skeleton", "path"),
        ("deps", "module_deps", "path"),
        ("docs", "module_overview", "path"),
        ("callgraph", "callgraph_node", "symbol"),
        ("callgraph", "callers_of", "symbol"),
    ],
)
def test_what_is_longer_than_any_path_or_name_is_not_found(
    ask: Any, server: str, tool: str, name: str, path: str
) -> None:
    text, error = ask(server, tool, **{name: path})
    assert (error, text.startswith("Not found: "), len(text) < 1_000) == (False, True, True)


def test_a_search_for_a_name_of_many_parts_finds_nothing(ask: Any) -> None:
    text, error = ask("callgraph", "callgraph_search", query=".".join(["part"] * 20_000))
    assert not error
    assert "No symbol has a name like this." in text.split("\n")
