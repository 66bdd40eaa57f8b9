"""A host as a child process: own session, no inherited variables, time limit, output to files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeviews.harness.errors import Interrupted, MissingProgram
from codeviews.harness.hosts import Command, Launch

GRACE_SECONDS = 5.0
_RUNNING: set[int] = set()
_STOPPING = threading.Event()


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended. ``started`` and ``ended`` are ``time.monotonic`` seconds."""

    returncode: int
    started: float
    ended: float
    timed_out: bool

    @property
    def seconds(self) -> float:
        """Wall time of the child."""
        return self.ended - self.started


def base_environment(launch: Launch) -> dict[str, str]:
    """The few variables every host gets; nothing else of the machine is inherited."""
    path = os.environ.get("PATH", os.defpath)
    return {
        "PATH": f"{launch.path_prefix}{os.pathsep}{path}" if launch.path_prefix else path,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_PROXY": "127.0.0.1,localhost",
        "GIT_TERMINAL_PROMPT": "0",
    }


def run(command: Command, stdout: Path, stderr: Path, timeout: float, pid_file: Path) -> Ended:
    """Start the child, wait at most ``timeout`` seconds, leave no process of its group behind.

    Raises:
        MissingProgram: the program does not exist or cannot be started.
        Interrupted: the run was stopped meanwhile.
    """
    started = time.monotonic()
    with stdout.open("wb") as out, stderr.open("wb") as err:
        try:
            child = subprocess.Popen(
                command.argv,
                cwd=command.cwd,
                env=command.env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except OSError as error:
            said = f"cannot start {command.argv[0]}: {error.strerror or error}"
            raise MissingProgram(said) from error
        remember(pid_file, child.pid)
        _RUNNING.add(child.pid)
        if _STOPPING.is_set():
            _signal(child.pid, signal.SIGKILL)
        timed_out = _wait(child, timeout)
        _RUNNING.discard(child.pid)
    ended = time.monotonic()
    _signal(child.pid, signal.SIGKILL)
    pid_file.unlink(missing_ok=True)
    go_on()
    return Ended(child.returncode, started, ended, timed_out)


def _wait(child: subprocess.Popen[bytes], timeout: float) -> bool:
    try:
        child.wait(timeout)
        return False
    except subprocess.TimeoutExpired:
        pass
    except BaseException:
        _signal(child.pid, signal.SIGKILL)
        child.wait()
        raise
    _signal(child.pid, signal.SIGTERM)
    try:
        child.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        _signal(child.pid, signal.SIGKILL)
        child.wait()
    return True


def _signal(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return


def go_on() -> None:
    """Nothing, unless the run is being stopped.

    Raises:
        Interrupted: it is; what a killed host left is no result.
    """
    if _STOPPING.is_set():
        raise Interrupted("the run was stopped")


def begin() -> None:
    """A new run: hosts may be started again."""
    _STOPPING.clear()


def end_all() -> None:
    """End every host this process started, and let none start: the run was interrupted."""
    _STOPPING.set()
    for pid in list(_RUNNING):
        _signal(pid, signal.SIGKILL)


def remember(pid_file: Path, pid: int) -> None:
    """Note a child, so that a later harness can end it if this one is killed."""
    pid_file.write_text(json.dumps({"pid": pid, "born": _born(pid)}))


def end_orphan(pid_file: Path) -> bool:
    """End the child an earlier, killed harness left in ``pid_file``; true when one was running."""
    try:
        noted = json.loads(pid_file.read_text())
    except (OSError, ValueError):
        return False
    pid_file.unlink(missing_ok=True)
    alive = bool(noted.get("born")) and _born(noted["pid"]) == noted["born"]
    if alive:
        _signal(noted["pid"], signal.SIGKILL)
    return alive


def _born(pid: int) -> str:
    """Start time of a process in clock ticks, "" where /proc does not tell."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def events(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream; other lines (warnings, cut last lines) are skipped."""
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            yield event
