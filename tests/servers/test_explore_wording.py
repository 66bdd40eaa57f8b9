"""What an explore says when it found nothing, or not what was asked for."""

from __future__ import annotations

from typing import Any

import pytest

VIEWS = ["ast", "callgraph", "deps", "hybrid"]


@pytest.mark.parametrize("view", VIEWS)
def test_a_name_that_nothing_has_is_told_before_what_is_near(ask: Any, view: str) -> None:
    text, error = ask(view, f"{view}_explore", query="Basket.refund_order")
    said = (
        "No definition is named 'refund_order'; what is listed shares words or is linked to them."
    )
    assert (error, text.split("\n")[0]) == (False, said)


@pytest.mark.parametrize("query", ["place_order", "where are orders placed", "Basket.add"])
def test_nothing_is_said_of_names_that_exist(ask: Any, query: str) -> None:
    text, error = ask("hybrid", "hybrid_explore", query=query)
    assert (error, text.split("\n")[0]) == (False, "## Ranked files")


def test_a_report_may_name_what_only_its_author_has(ask: Any) -> None:
    names = " ".join(f"my_own_{letter}()" for letter in "abcdef")
    text, error = ask("hybrid", "hybrid_explore", query=f"place_order fails after {names}")
    assert (error, text.split("\n")[0]) == (False, "## Ranked files")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("query", ["how does it work", "?!", "class"])
def test_a_query_of_common_words_is_told_as_such(ask: Any, view: str, query: str) -> None:
    text, error = ask(view, f"{view}_explore", query=query)
    assert not error
    assert text.split("\n") == [
        "The query has no word to search for: it is made of common words or marks only.",
        "Try other words, a symbol name, or a path; paths= may be too narrow.",
    ]


def test_documentation_without_a_match_is_two_sentences(ask: Any) -> None:
    assert ask("docs", "docs_explore", query="zyxwv qqqqq") == (
        "No name, signature or documentation matches the query.\n"
        "Try other words; code itself is searched by the other views.",
        False,
    )
