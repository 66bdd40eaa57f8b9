"""Writing a host's configuration: previewed, undone byte for byte, never outside the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeviews.core.errors import MisuseError, OutsideRootError
from codeviews.servers.hosts import HOSTS, configure


def files(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


@pytest.mark.parametrize("host", HOSTS)
def test_nothing_is_written_without_being_asked(host: str, tmp_path: Path) -> None:
    text = configure(host, "callgraph", tmp_path, write=False)
    assert "codeviews-callgraph" in text
    assert files(tmp_path) == {}


@pytest.mark.parametrize("host", HOSTS)
def test_an_existing_file_comes_back_byte_for_byte(host: str, tmp_path: Path) -> None:
    target = tmp_path / HOSTS[host].path
    target.parent.mkdir(exist_ok=True)
    before = b'{"mine": "caf\xe9"}\r\n'
    target.write_bytes(before)
    said = configure(host, "callgraph", tmp_path, write=True)
    backup = target.with_name(target.name + ".before-codeviews")
    assert said.endswith(f"undo: move {backup.name} back")
    assert files(tmp_path).keys() == {HOSTS[host].path, f"{HOSTS[host].path}.before-codeviews"}
    assert configure(host, "callgraph", tmp_path, write=True) == f"{target} already says this"
    with pytest.raises(MisuseError, match="restore or remove it first, nothing was changed"):
        configure(host, "ast", tmp_path, write=True)
    backup.replace(target)
    assert files(tmp_path) == {HOSTS[host].path: before}


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    root, mine = tmp_path / "repo", tmp_path / "mine.json"
    root.mkdir()
    mine.write_text("{}")
    (root / ".mcp.json").symlink_to(mine)
    with pytest.raises(OutsideRootError):
        configure("claude-code", "callgraph", root, write=True)
    (root / "inside.json").write_text("{}")
    (root / "opencode.json").symlink_to("inside.json")
    with pytest.raises(MisuseError, match="is a symbolic link"):
        configure("opencode", "callgraph", root, write=True)
    assert mine.read_text() == "{}"
    assert (root / "inside.json").read_text() == "{}"


@pytest.mark.parametrize(("host", "view"), [("emacs", "ast"), ("codex", "nope")])
def test_unknown_names_list_the_choices(host: str, view: str, tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match="choose one of"):
        configure(host, view, tmp_path, write=False)
