"""What this machine has of hosts, graders and optional packages, and how to get what it lacks."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.util import find_spec
from typing import NamedTuple

from codeviews.harness.benchmarks import BENCHMARKS, benchmark
from codeviews.harness.errors import MissingProgram
from codeviews.harness.hosts import HOSTS, Host, host
from codeviews.harness.hosts import install as installing

EXTRAS = {
    "pandas": "report",
    "matplotlib": "report",
    "distributed": "cluster",
    "anthropic": "llm",
    "openai": "llm",
    "inspect_ai": "inspect",
    "datasets": "hub",
}


class Found(NamedTuple):
    """One thing looked for. ``needed``: nothing runs without it."""

    name: str
    found: bool
    detail: str
    needed: bool = False


def install(name: str) -> None:
    """Install the program of a host, or of ``all``.

    Raises:
        UnknownName: no such host.
        MissingProgram: npm is absent or failed.
    """
    for each in HOSTS if name == "all" else [name]:
        program = host(each)
        if program.BINARY:
            installing.install(program)


def check() -> list[Found]:
    """Everything the harness can use."""
    found = [_program("git", "install git", needed=True)]
    found += [_host(host(name)) for name in HOSTS if host(name).BINARY]
    found += [_key(host(name)) for name in HOSTS if host(name).KEY]
    found += [_package(name, extra) for name, extra in EXTRAS.items()]
    for name in BENCHMARKS:
        found += _grader(name)
    return found


def _program(name: str, how: str, needed: bool = False) -> Found:
    path = shutil.which(name)
    return Found(name, bool(path), path or how, needed)


def _host(program: Host) -> Found:
    name = f"host {program.NAME}"
    try:
        path = installing.find(program)
    except MissingProgram as error:
        return Found(name, False, str(error))
    version = installing.version(path)
    note = "" if program.VERSION in version else f" (tested with {program.VERSION})"
    return Found(name, True, f"{path} {version}{note}")


def _key(program: Host) -> Found:
    has = bool(os.environ.get(program.KEY))
    detail = "set" if has else "not set: only scripted and replayed runs work with this host"
    return Found(f"key {program.KEY} for {program.NAME}", has, detail)


def _package(name: str, extra: str) -> Found:
    has = find_spec(name) is not None
    return Found(f"package {name}", has, "" if has else f"pip install 'codeviews[{extra}]'")


def _grader(name: str) -> list[Found]:
    from pathlib import Path

    official = benchmark(name).official(Path("predictions"), "run", 1)
    if official is None:
        return []
    return [requirement(f"grader of {name}", need, official.repository) for need in official.needs]


def requirement(label: str, need: str, repository: str) -> Found:
    """One requirement of a grader: a program, ``python:MODULE`` or ``checkout:VARIABLE``."""
    kind, _, value = need.rpartition(":")
    if kind == "python":
        has, how = find_spec(value) is not None, f"pip install {value}"
    elif kind == "checkout":
        path = os.environ.get(value, "")
        has = os.path.isdir(path)
        how = path if has else f"clone {repository} and set {value} to its folder"
    else:
        has, how = _runs(value), f"{value} is not here or its service does not run"
    return Found(f"{label}: {need}", has, "" if has else how)


def _runs(program: str) -> bool:
    """Whether a program is here and, for docker, whether its service answers."""
    if shutil.which(program) is None:
        return False
    if program != "docker":
        return True
    try:
        return subprocess.run(["docker", "info"], capture_output=True, timeout=20).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
