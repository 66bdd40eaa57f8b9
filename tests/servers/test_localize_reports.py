"""``codeviews localize`` with reports and repositories of odd kinds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from codeviews.core.config import MAX_QUERY_CHARS
from codeviews.core.errors import MisuseError
from codeviews.servers.cli import app


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repo")
    (root / "cart.py").write_text("def total(prices):\n    return sum(prices) + 1\n")
    return root


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def localized(repo: Path, home: Path, report: bytes, *more: str) -> Any:
    file = home / "report.md"
    file.write_bytes(report)
    arguments = ["localize", str(file), "--repo", str(repo), "--index-dir", str(home), *more]
    return CliRunner().invoke(app, arguments, catch_exceptions=False)


@pytest.mark.parametrize(
    "report",
    [
        "total is one too high".encode("utf-16"),
        "total is one too high".encode("utf-8-sig"),
        b"total is one\r\ntoo high\r\n",
        b"total is one too high \xff\0",
    ],
)
def test_reports_of_other_encodings_are_read(repo: Path, home: Path, report: bytes) -> None:
    done = localized(repo, home, report, "--json")
    data = json.loads(done.stdout)
    assert [p["symbol"] for p in data["predictions"]] == ["cart.py:total"]
    assert (data["failure"], data["diagnostics"]) == ("", {})


def test_a_report_that_is_no_text_is_misuse(repo: Path, home: Path) -> None:
    with pytest.raises(MisuseError, match="is not text"):
        localized(repo, home, bytes(range(256)) * 4)


def test_a_report_that_is_too_long_is_read_from_its_beginning(repo: Path, home: Path) -> None:
    done = localized(repo, home, b"total is one too high " + b"x" * MAX_QUERY_CHARS)
    assert "cart.py:1-2  total (function)" in done.stdout
    assert "The report was cut: its last 22 characters were not read." in done.stdout


def test_a_repository_without_files_is_named_as_such(tmp_path: Path, home: Path) -> None:
    done = localized(tmp_path, home, b"total is wrong")
    assert done.exit_code == 1
    assert "No location: the index holds no file: wait until it is built" in done.stdout
    assert "## " not in done.stdout


def test_a_model_for_the_planner_without_one_is_misuse(repo: Path, home: Path) -> None:
    with pytest.raises(MisuseError, match="add --planner anthropic or openai"):
        localized(repo, home, b"total", "--model", "m")


def test_closed_standard_input_is_one_sentence(repo: Path, home: Path) -> None:
    code = "import sys; sys.stdin = None; from codeviews.servers.cli import main; main()"
    argv = [sys.executable, "-c", code, "localize", "-", "--repo", str(repo)]
    done = subprocess.run([*argv, "--index-dir", str(home)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "codeviews: standard input is closed: give a file with the text of the issue\n"
    )
