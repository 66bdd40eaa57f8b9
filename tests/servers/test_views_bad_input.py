"""Wrong questions and broken repositories: one clear sentence, and the server lives on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeviews.core import tree_worker
from codeviews.core.session import Session
from codeviews.servers import syntax
from codeviews.servers.nodes import WITHHELD
from codeviews.servers.views import view

SIBLINGS = ("ast", "deps", "docs", "hybrid")
ALL_TOOLS = [(name, tool.name) for name in SIBLINGS for tool in view(name).tools]
NODES = [(name, f"{name}_node") for name in SIBLINGS]
BY_PATH = [
    ("ast", "file_skeleton"),
    ("ast", "parse_file"),
    ("deps", "module_deps"),
    ("docs", "module_overview"),
]
DEEP = 1_000


@pytest.fixture(scope="module")
def rough(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A repository of broken and extreme files."""
    folder = tmp_path_factory.mktemp("rough")
    root = folder / "rough"
    root.mkdir()
    (root / "lie.py").write_text("function start() { return {a: 1}; }\nconst b = () => `x`;\n" * 9)
    (root / "ends.py").write_bytes(b"def one():\r\n    pass\r\n\n\ndef two():\n    pass\r\n")
    (root / "deep.c").write_text(f"int f(void)\n{'{' * DEEP}\n{'}' * DEEP}\n")
    nested = "".join(f"{' ' * i}class C{i}:\n" for i in range(90))
    (root / "nested.py").write_text(nested + " " * 90 + "x = 1\n")
    (root / "slow.py").write_text("a" * 60 + "_ = 1\n")
    (root / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    for i in range(30):
        (root / f"ring{i}.py").write_text(f"import ring{(i + 1) % 30}\n")
    session = Session(root, folder / "indexes")
    session.build(jobs=1)
    yield session
    session.close()
    tree_worker.stop_idle()


@pytest.fixture(scope="module")
def ask_rough(rough: Session, call: Any) -> Any:
    def run(server: str, tool: str, **arguments: Any) -> tuple[str, bool]:
        text, error = call(rough, server, tool, arguments)
        return (text if error else text.partition("\n")[2]), error

    return run


@pytest.mark.parametrize(("server", "tool"), ALL_TOOLS)
def test_an_unknown_argument_is_named_and_the_known_ones_listed(
    ask: Any, server: str, tool: str
) -> None:
    text, error = ask(server, tool, colour="red")
    assert error
    assert "'colour'" in text or "needs" in text
    assert "it takes: max_tokens" in text


@pytest.mark.parametrize(("server", "tool"), ALL_TOOLS)
@pytest.mark.parametrize("tokens", [-1, 0, 10**9, "many"])
def test_a_budget_out_of_bounds_is_refused(
    ask: Any, server: str, tool: str, tokens: object
) -> None:
    text, error = ask(server, tool, max_tokens=tokens)
    assert error
    assert "max_tokens" in text


@pytest.mark.parametrize(("server", "tool"), NODES)
def test_an_unknown_symbol_is_not_found_with_the_nearest_names(
    ask: Any, server: str, tool: str
) -> None:
    text, error = ask(server, tool, symbol="place_ordre")
    assert not error
    assert text == (
        "Not found: no definition is called 'place_ordre'.\n"
        "## Nearest names\nshop/orders.py:place_order"
    )


def test_the_impact_of_an_unknown_symbol_is_not_found(ask: Any) -> None:
    text, error = ask("hybrid", "impact_of", symbol="place_ordre")
    assert not error
    assert text.startswith("Not found: no definition is called 'place_ordre'.")


@pytest.mark.parametrize(("server", "tool"), [*NODES, ("hybrid", "impact_of")])
def test_a_symbol_of_100_kilobytes_is_not_found(ask: Any, server: str, tool: str) -> None:
    text, error = ask(server, tool, symbol="x" * 100_000)
    assert not error
    assert text.startswith("Not found: no definition is called 'xxx")
    assert len(text) < 1_000


@pytest.mark.parametrize("server", SIBLINGS)
def test_an_empty_query_is_refused_and_a_long_one_is_answered(ask: Any, server: str) -> None:
    assert ask(server, f"{server}_explore", query="")[1]
    text, error = ask(server, f"{server}_explore", query="place_order receipt " * 5_000)
    assert not error
    assert "shop/orders.py" in text


@pytest.mark.parametrize("server", SIBLINGS)
def test_a_query_without_a_match_says_so(ask: Any, server: str) -> None:
    text, error = ask(server, f"{server}_explore", query="zyxwv qqqqq")
    assert not error
    assert "match" in text.split("\n")[0]


@pytest.mark.parametrize(("server", "tool"), BY_PATH)
def test_a_path_outside_the_root_is_refused(ask: Any, server: str, tool: str) -> None:
    for path in ("../../etc/passwd", "/etc/passwd", "shop/../../x"):
        text, error = ask(server, tool, path=path)
        assert error
        assert "is outside the repository" in text


def test_a_dependency_path_outside_the_root_is_refused(ask: Any) -> None:
    text, error = ask("deps", "dependency_path", source="../x.py", target="shop")
    assert error
    assert "is outside the repository" in text


@pytest.mark.parametrize(("server", "tool"), BY_PATH)
def test_an_unknown_path_is_not_found(ask: Any, server: str, tool: str) -> None:
    text, error = ask(server, tool, path="shop/nothing.py")
    assert not error
    assert text.startswith("Not found: there is no file 'shop/nothing.py' in this repository.")


@pytest.mark.parametrize(("server", "tool"), BY_PATH)
def test_a_skipped_file_is_explained(ask_rough: Any, server: str, tool: str) -> None:
    text, error = ask_rough(server, tool, path="logo.png")
    assert not error
    assert text == "Not found: logo.png is not indexed: binary."


def test_a_limit_or_cursor_out_of_bounds_is_refused(ask: Any) -> None:
    for arguments in ({"limit": -3}, {"limit": 10**7}, {"cursor": "next"}, {"cursor": "-1"}):
        text, error = ask("deps", "module_deps", path="shop", **arguments)
        assert error
        assert next(iter(arguments)) in text
    text, error = ask("deps", "module_deps", path="shop", cursor="99999999")
    assert not error


def test_impact_needs_a_symbol_or_files(ask: Any) -> None:
    sentence = "impact_of needs either symbol= or files=, and not both"
    assert ask("hybrid", "impact_of") == (sentence, True)
    assert ask("hybrid", "impact_of", symbol="a", files=["b"]) == (sentence, True)


def test_a_wrong_tree_query_shows_where_and_one_that_works(ask: Any) -> None:
    text, error = ask(
        "ast", "ts_query", language="python", query="(function_definition\n  nam: (_) @x)"
    )
    assert error
    assert text == (
        "the query is wrong at line 2, column 3: Invalid field name: nam\n"
        "      nam: (_) @x)\n"
        "      ^\n"
        "a query that works for python: (function_definition name: (identifier) @name)"
    )


@pytest.mark.parametrize("query", ["(", "((", "@", ")", "(a", '(identifier) @x (#match? @x "[")'])
def test_every_broken_tree_query_gets_a_sentence(ask: Any, query: str) -> None:
    text, error = ask("ast", "ts_query", language="python", query=query)
    assert error
    assert text.startswith("the query is wrong at line 1")


def test_a_tree_query_of_100_kilobytes_is_refused(ask: Any) -> None:
    text, error = ask("ast", "ts_query", language="python", query="(" * 100_000)
    assert error
    assert "at most 20,000" in text


def test_a_language_without_a_grammar_lists_the_choices(ask: Any) -> None:
    text, error = ask("ast", "ts_query", language="cobol", query="(a) @b")
    assert error
    assert text.startswith("there is no grammar for 'cobol'; choose one of: bash, c, cpp,")
    text, error = ask("ast", "parse_file", path="settings.toml")
    assert not error
    assert text.startswith("settings.toml is toml, which has no grammar here.")


@pytest.mark.parametrize(
    "query", ['((identifier) @a (#match? @a "(a+)+$"))', '((identifier) @a (#eq? @a "none"))']
)
def test_an_exploding_query_is_ended_and_the_next_one_answered(
    ask_rough: Any, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    monkeypatch.setattr(tree_worker, "TREE_SECONDS", 0.4)
    monkeypatch.setattr(syntax, "TREE_SECONDS", 0.4)
    text, error = ask_rough("ast", "ts_query", language="python", query=query, paths=["slow.py"])
    assert not error
    exploded = "match" in query
    assert ("took too long or too much memory" in text) is exploded
    monkeypatch.undo()
    text, error = ask_rough(
        "ast", "ts_query", language="python", query="(function_definition name: (_) @n)"
    )
    assert (text, error) == (
        "## Captures\nends.py:1  @n  one\nends.py:5  @n  two",
        False,
    )


def test_a_thousand_levels_of_nesting_are_shown_to_the_bound(ask_rough: Any) -> None:
    text, error = ask_rough("ast", "parse_file", path="deep.c", depth=DEEP, max_tokens=300)
    assert not error
    assert len(text) < 1_200
    assert "compound_statement" in text
    text, error = ask_rough("ast", "file_skeleton", path="deep.c")
    assert (text, error) == ("## Skeleton of deep.c: 4 lines, c\ndeep.c:1  int f(void)", False)


def test_deeply_nested_classes_keep_their_lines(ask_rough: Any) -> None:
    text, error = ask_rough("ast", "file_skeleton", path="nested.py")
    assert not error
    lines = text.split("\n")
    assert lines[1] == "nested.py:1  class C0"
    assert lines[90] == f"nested.py:90  {'  ' * 20}class C89"


def test_mixed_line_ends_do_not_shift_lines(ask_rough: Any) -> None:
    text, error = ask_rough("ast", "ast_node", symbol="ends.py:two")
    assert not error
    assert text.startswith("### ends.py:5-6  two (function)\n    5\tdef two():\n    6\t    pass")


def test_a_file_in_another_language_than_its_name_says_is_marked(ask_rough: Any) -> None:
    text, error = ask_rough("ast", "parse_file", path="lie.py", depth=1)
    assert not error
    assert text.startswith("## Syntax errors: ")
    assert "lie.py may not be python at all" in text


def test_a_ring_of_imports_is_one_cycle_with_all_its_lines(ask_rough: Any) -> None:
    text, error = ask_rough("deps", "cycles")
    assert not error
    assert text.startswith("## Import cycles: 1 groups\n30 files: ring0.py, ring1.py, ")
    assert text.count(":1  imports ring") == 30


def test_edits_and_deletions_show_in_the_next_answer(own_shop: Session, call: Any) -> None:
    root = own_shop.root
    (root / "shop" / "stock.py").write_text("def fresh():\n    return 1\n")
    text, _ = call(own_shop, "ast", "file_skeleton", {"path": "shop/stock.py"})
    assert "lines, python\nshop/stock.py:1  def fresh()\n" in f"{text}\n"
    text, _ = call(own_shop, "deps", "module_deps", {"path": "shop/stock.py"})
    assert "shop/stock.py imports: 0" in text
    (root / "shop" / "mail.py").unlink()
    text, _ = call(own_shop, "ast", "file_skeleton", {"path": "shop/mail.py"})
    assert "Not found: there is no file 'shop/mail.py' in this repository." in text
    text, _ = call(own_shop, "deps", "cycles", {})
    assert "No import cycle among these files" in text


@pytest.mark.parametrize("server", SIBLINGS)
def test_a_file_that_changes_during_an_answer_is_withheld(
    own_shop: Session, call: Any, monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    before = own_shop.snapshot()
    monkeypatch.setattr(own_shop, "snapshot", lambda: before)
    Path(own_shop.root / "shop" / "stock.py").write_text("def other():\n    return 2\n")
    text, error = call(own_shop, server, f"{server}_node", {"symbol": "line_price"})
    assert not error
    assert WITHHELD in text
    assert "line.price(" not in text


@pytest.mark.parametrize(
    ("server", "tool", "arguments", "secret"),
    [
        ("ast", "file_skeleton", {"path": "shop/stock.py"}, "unit_price"),
        ("ast", "parse_file", {"path": "shop/stock.py"}, "unit_price"),
        ("ast", "ts_query", {"language": "python", "query": "(dictionary) @d"}, "tea"),
        ("docs", "docs_explore", {"query": "whole line"}, "Price of a whole line."),
        ("hybrid", "impact_of", {"symbol": "line_price"}, "def line_price(line: Line):"),
    ],
)
def test_old_text_of_a_file_that_changes_during_an_answer_is_not_shown(
    own_shop: Session,
    call: Any,
    monkeypatch: pytest.MonkeyPatch,
    server: str,
    tool: str,
    arguments: dict[str, Any],
    secret: str,
) -> None:
    before = own_shop.snapshot()
    monkeypatch.setattr(own_shop, "snapshot", lambda: before)
    Path(own_shop.root / "shop" / "stock.py").write_text("def other():\n    return 2\n")
    text, error = call(own_shop, server, tool, arguments)
    assert not error
    assert "shop/stock.py changed while this was answered" in text
    assert secret not in text


def test_a_search_that_paths_or_kind_narrow_too_much_counts_what_is_elsewhere(ask: Any) -> None:
    for narrow in ({"paths": ["*.zig"]}, {"kind": "macro"}):
        text, error = ask("ast", "ast_search", query="place_order", **narrow)
        assert not error
        said = text.split("\n")[1]
        assert said.startswith("None of this kind in these paths; ")
        assert said.endswith(" elsewhere.")
