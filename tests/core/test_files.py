"""Paths and bytes: nothing outside the root is opened, and text is told from binary."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codeviews.core.errors import OutsideRootError, UnreadableFileError
from codeviews.core.repository import (
    decode,
    read,
    safe_join,
    to_utf8,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    return folder


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


ESCAPES = ["../../etc/passwd", "a/../../x", "/etc/passwd", "outside/passwd", "..", "a\0b", "..\\x"]


@pytest.mark.parametrize("path", ESCAPES)
def test_paths_that_leave_the_root_are_refused(root: Path, path: str) -> None:
    (root / "outside").symlink_to("/etc")
    with pytest.raises(OutsideRootError, match="is outside the repository"):
        safe_join(root, path)


def test_paths_are_accepted_in_every_spelling(root: Path) -> None:
    write(root, {"a/b.py": ""})
    alias = root.parent / "alias"
    alias.symlink_to(root)
    spellings = [
        "a/b.py",
        "./a//b.py",
        "a/x/../b.py",
        "a\\b.py",
        f"{root}/a/b.py",
        f"{alias}/a/b.py",
    ]
    assert {safe_join(root, spelling) for spelling in spellings} == {root / "a" / "b.py"}


def test_read_opens_regular_files_only(root: Path) -> None:
    write(root, {"a/b.py": "x = 1\n"})
    os.mkfifo(root / "pipe")
    (root / "link.py").symlink_to("a/b.py")
    (root / "folder").symlink_to("a")
    assert read(root, "a/b.py") == b"x = 1\n"
    reasons = {}
    for path in ["pipe", "link.py", "folder/b.py", "a", "a/none.py", "a/b.py/c", "/dev/zero"]:
        with pytest.raises((UnreadableFileError, OutsideRootError)) as caught:
            read(root, path)
        reasons[path] = getattr(caught.value, "reason", "outside")
    assert reasons == {
        "pipe": "not a regular file",
        "link.py": "symbolic link",
        "folder/b.py": "not a directory",
        "a": "not a regular file",
        "a/none.py": "vanished",
        "a/b.py/c": "not a directory",
        "/dev/zero": "outside",
    }
    with pytest.raises(UnreadableFileError, match="too large"):
        read(root, "a/b.py", limit=3)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"a\r\nb", "a\r\nb"),
        (b"\xef\xbb\xbfa", "\ufeffa"),
        (b"# coding: latin-1\ncaf\xe9", "# coding: latin-1\ncaf\ufffd"),
        ("é".encode("utf-16"), "é"),
        (b"\xfe\xff\x00a", "a"),
        ("class A:\n".encode("utf-16-le"), "class A:\n"),
        ("class A:\n".encode("utf-16-be"), "class A:\n"),
        ("é".encode("utf-32"), "é"),
        (b"\xff\xfea\xd8", "\ufffd"),
        (b"\x7fELF\x00\x01", None),
        (b"\0" * 20, None),
    ],
)
def test_decode_tells_text_from_binary(data: bytes, text: str | None) -> None:
    assert decode(data) == text
    transcoded = to_utf8(data)
    assert transcoded == data or transcoded == (text.encode() if text is not None else None)
