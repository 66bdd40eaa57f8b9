"""Unified diffs: split by file, keep some files, and tell tests from source."""

from __future__ import annotations

import re
from collections.abc import Callable

_TEST_NAME = re.compile(
    r"(^|/)(tests?|testing|spec|__tests__|e2e)/|(^|/)test_[^/]*$|[._-](test|spec)s?\.\w+$"
)


def is_test_path(path: str) -> bool:
    """Whether a path is a test by its name or folder."""
    return bool(_TEST_NAME.search(path)) or path.rsplit("/", 1)[-1] == "conftest.py"


def files(patch: str) -> list[tuple[str, str]]:
    """``(path, that file's part of the diff)`` in order."""
    parts = re.split(r"(?m)^(?=diff --git )", patch)
    return [(_path(part), part) for part in parts if part.startswith("diff --git ")]


def _path(part: str) -> str:
    target = re.search(r"(?m)^\+\+\+ b/(.+?)\t?$", part)
    if target:
        return target[1]
    return part.partition("\n")[0].rpartition(" b/")[2]


def only(patch: str, keep: Callable[[str], bool]) -> str:
    """The parts of a diff whose path is kept."""
    return "".join(part for path, part in files(patch) if keep(path))


def added_lines(patch: str) -> list[str]:
    """Lines a diff adds, stripped."""
    found = [line[1:].strip() for line in patch.splitlines() if line.startswith("+")]
    return [line for line in found if line and not line.startswith("++")]
