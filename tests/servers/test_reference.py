"""The tools' page says what the tools say."""

from __future__ import annotations

from pathlib import Path

from codeviews.servers.reference import reference


def test_the_page_of_tools_is_current() -> None:
    page = Path(__file__).parents[2] / "docs" / "tools.md"
    assert page.read_text("utf-8") == reference(), (
        "run: python -m codeviews.servers.reference > docs/tools.md"
    )
