"""The ready configuration files are what the command line prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeviews.servers.hosts import HOSTS, PORTABLE_COMMAND, render

FILES = Path(__file__).parents[2] / "mcp-configs"


@pytest.mark.parametrize("host", HOSTS)
def test_the_ready_file_of_a_host_is_current(host: str) -> None:
    suffix = "toml" if host == "codex" else "json"
    expected = render(host, "callgraph", PORTABLE_COMMAND)
    assert (FILES / f"{host}.{suffix}").read_text() == expected


def test_there_is_one_ready_file_a_host() -> None:
    assert sorted(path.stem for path in FILES.iterdir()) == sorted(HOSTS)
