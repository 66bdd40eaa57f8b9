"""The command line as people and shells use it: output, exit codes, errors in one sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": "def total(prices):\n    return sum(prices)\n",
    "shop/pay.py": "from shop.cart import total\n\n\ndef checkout(p):\n    return total(p)\n",
    "shop/logo.png": "x",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def run(root: Path, *arguments: str) -> tuple[int, str, str]:
    """(exit code, standard output, standard error) of ``codeviews ...`` in the repository."""
    program = [sys.executable, "-c", "from codeviews.servers.cli import main; main()"]
    found = subprocess.run(
        [*program, *arguments, "--index-dir", str(root.parent / "indexes")],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return found.returncode, found.stdout, found.stderr


def test_index_then_status_then_an_edit(root: Path) -> None:
    code, out, _ = run(root, "status")
    assert (code, out) == (1, f"{root}: no index; run 'codeviews index'\n")
    code, out, _ = run(root, "index", "--json")
    report = json.loads(out)
    assert code == 0
    assert (report["files"], report["symbols"], report["unresolved"]) == (3, 5, 1)
    assert report["skipped"] == [{"path": "shop/logo.png", "reason": "binary"}]
    assert {"edges", "seconds", "cpu_seconds", "peak_rss_mb", "db_mb"} < report.keys()
    code, out, _ = run(root, "status")
    lines = out.splitlines()
    assert code == 0
    assert lines[:2] == [f"{root}: complete and up to date", "3 files (python 3); 1 skipped"]
    (root / "shop/new.py").write_text("x = 1\n")
    state = json.loads(run(root, "status", "--json")[1])
    assert (state["complete"], state["changed"]) == (True, ["shop/new.py"])


def test_a_call_builds_the_index_first_and_says_what_it_found_by_its_exit_code(root: Path) -> None:
    code, out, err = run(root, "call", "callers_of", "--arg", "symbol=total", "--json")
    found = json.loads(out)
    assert (code, err) == (0, f"codeviews: indexing {root} first\n")
    assert [(r["symbol"], r["line"], r["tier"]) for r in found["results"]] == [
        ("shop/pay.py:checkout", 5, "A")
    ]
    assert found["next_cursor"] is None
    code, out, _ = run(root, "call", "callers_of", "--arg", "symbol=gone")
    assert code == 1
    assert "no definition is called 'gone'" in out


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("callers_of", "symbol=total"), ("--arg", "symbol=total")),
        (("callers_of", "total"), ("--arg", "symbol=total")),
        (
            ("callers_of", "total", "depth=2", "paths=shop/*,lib/*"),
            ("--arg", "symbol=total", "--arg", "depth=2", "--arg", 'paths=["shop/*", "lib/*"]'),
        ),
        (("call_path", "checkout", "total"), ("--arg", "source=checkout", "--arg", "target=total")),
        (("impact_of", "total"), ("--arg", "symbol=total")),
        (("hybrid_explore", "x = total(p)"), ("--arg", "query=x = total(p)")),
    ],
)
def test_plain_words_are_the_same_as_named_arguments(
    root: Path, words: tuple[str, ...], named: tuple[str, ...]
) -> None:
    run(root, "index")
    (code, out, err), other = run(root, "call", *words), run(root, "call", words[0], *named)
    assert (code, err) == (0, "")
    assert (code, out.split("\n")[1:]) == (other[0], other[1].split("\n")[1:])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("call", "callers"), "codeviews: there is no tool 'callers'"),
        (("call", "callers_of"), "codeviews: "),
        (("call", "callers_of", "--arg", "symbol"), "codeviews: "),
        (
            ("call", "callers_of", "total", "checkout"),
            "codeviews: callers_of takes one plain word for symbol, so 'checkout' is too many: put "
            "several words in quotes and write other arguments as name=value (max_tokens, limit, ",
        ),
        (("call", "ast_status", "all"), "codeviews: ast_status takes no plain word, so 'all' is"),
        (("call", "callers_of", "--arg", "sybol=total"), "codeviews: "),
        (("serve", "graph"), "codeviews: there is no view 'graph'"),
        (("index", "--resolver", "magic"), "codeviews: there is no resolver 'magic'"),
        (("index", "missing"), "codeviews: "),
    ],
)
def test_misuse_is_one_sentence_and_exit_code_2(
    root: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    code, out, err = run(root, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(sentence)
    assert err.count("\n") == 1
