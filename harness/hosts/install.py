"""Where the host programs are, and how to install the pinned ones into the user's cache.

A program is looked for in its variable (``CODEVIEWS_CLAUDE``, ``CODEVIEWS_CODEX``...), then in the
cache folder (``CODEVIEWS_HOSTS`` or the user's cache), then on PATH.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import platformdirs

from codeviews.harness.errors import MissingProgram
from codeviews.harness.hosts import Host


def folder() -> Path:
    """The cache folder of host programs."""
    chosen = os.environ.get("CODEVIEWS_HOSTS")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("codeviews")) / "hosts"


def variable(host: Host) -> str:
    """The environment variable that names a host's program."""
    return f"CODEVIEWS_{host.BINARY.upper()}"


def find(host: Host) -> Path:
    """The program of a host.

    Raises:
        MissingProgram: it is nowhere; the sentence says how to get it.
    """
    named = os.environ.get(variable(host))
    cached = folder() / "node_modules" / ".bin" / host.BINARY
    on_path = shutil.which(host.BINARY)
    for candidate in (named, str(cached), on_path):
        if candidate and Path(candidate).is_file():
            return Path(candidate)
    raise MissingProgram(
        f"the program of host '{host.NAME}' ({host.BINARY}) is not here: run "
        f"harness doctor --install-hosts {host.NAME}, or set {variable(host)} to its path"
    )


def install(host: Host, timeout: float = 600.0) -> Path:
    """Install the pinned version with npm into the cache folder, unless it is there.

    Raises:
        MissingProgram: npm is absent or cannot reach its registry; says what npm said.
    """
    target = folder()
    there = target / "node_modules" / ".bin" / host.BINARY
    if there.is_file() and host.VERSION in version(there):
        return there
    npm = shutil.which("npm")
    if npm is None:
        raise MissingProgram(f"npm is needed to install {host.PACKAGE}: install Node.js >= 20")
    target.mkdir(parents=True, exist_ok=True)
    argv = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(target)]
    argv.append(f"{host.PACKAGE}@{host.VERSION}")
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired as error:
        raise MissingProgram(f"npm did not finish within {timeout:.0f} s") from error
    if done.returncode:
        said = (done.stderr.strip() or "no message").splitlines()
        raise MissingProgram(f"npm could not install {host.PACKAGE}: {said[0]}")
    return find(host)


def version(binary: Path) -> str:
    """The first line of ``--version``, "" when the program does not say."""
    try:
        done = subprocess.run(
            [str(binary), "--version"], capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout.strip().splitlines() or [""])[0]
