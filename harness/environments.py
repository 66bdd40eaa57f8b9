"""Environments of the local grader: what a pure-Python repository needs to run its tests here.

A line is used when the repository is the task's and the version is in range. It names released
packages of the time, because later majors broke these repositories; nothing else is special-cased.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from codeviews.harness.errors import HarnessError
from codeviews.harness.tasks import Task


class NoEnvironment(HarnessError):
    """The tests of a task cannot be run on this machine; says why."""


@dataclass(frozen=True, slots=True)
class Environment:
    """``packages`` are installed first, then the repository itself when ``editable``;
    ``variables`` hold while it is installed and tested."""

    packages: tuple[str, ...] = ("pytest<8",)
    editable: bool = True
    variables: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Line:
    """An environment for versions from ``since`` up to, not including, ``until``."""

    since: tuple[int, ...]
    until: tuple[int, ...]
    environment: Environment


PLAIN = Environment()
TABLE: dict[str, tuple[Line, ...]] = {
    "sympy/sympy": (Line((1, 7), (2,), Environment(("mpmath<1.4", "pytest<8"), editable=False)),),
    "pallets/flask": (
        Line((2, 3), (3,), Environment(("Werkzeug>=2.2.2,<2.3.1", "pytest<8"))),
        Line(
            (2, 0),
            (2, 1),
            Environment(
                ("Werkzeug<2.1", "Jinja2<3.1", "itsdangerous<2.1", "click<8.1", "pytest<7")
            ),
        ),
    ),
    "pytest-dev/pytest": (Line((7, 0), (9,), Environment(("attrs", "xmlschema"))),),
}


def environment(task: Task) -> Environment:
    """The environment of a task.

    Raises:
        NoEnvironment: its repository's version is known not to run on this interpreter.
    """
    lines = TABLE.get(task.repo)
    if lines is None:
        return PLAIN
    version = tuple(int(part) for part in str(task.row.get("version") or "0").split("."))
    found = next((line for line in lines if line.since <= version < line.until), None)
    if found is None:
        raise NoEnvironment(
            f"{task.id}: {task.repo} {task.row.get('version')} has no environment for Python "
            f"{sys.version_info.major}.{sys.version_info.minor}; use the official grader"
        )
    return found.environment


def build(folder: Path, repo: Path, task: Task, timeout: float = 900.0) -> Path:
    """A fresh virtual environment for a task; gives its Python.

    Raises:
        NoEnvironment: the packages or the repository cannot be installed; says pip's last line.
    """
    wanted = environment(task)
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    if wanted.packages:
        _pip(python, wanted.packages, {}, timeout)
    if wanted.editable:
        parts = str(task.row.get("version") or "0").split(".")
        version = ".".join([*parts, "0", "0"][:3])
        variables = {"SETUPTOOLS_SCM_PRETEND_VERSION": version, **wanted.variables}
        _pip(python, ["--editable", str(repo)], variables, timeout)
    return python


def _pip(python: Path, what: Sequence[str], variables: dict[str, str], timeout: float) -> None:
    argv = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    argv += ["--disable-pip-version-check", *what]
    env = {**os.environ, **variables}
    try:
        done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired as error:
        raise NoEnvironment(f"pip did not finish within {timeout:.0f} s") from error
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "ERROR" in line or "rror:" in line]
        said = (errors or done.stderr.strip().splitlines() or ["no message"])[-1]
        raise NoEnvironment(f"pip could not install {' '.join(what)}: {said}")
