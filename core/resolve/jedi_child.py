"""jedi on demand: definitions of single sites, asked of a child process.

The repository is hostile, so jedi is kept to reading text: the child runs the interpreter that runs
this program, isolated (``-I``); the project object is made here, never loaded from ``.jedi``; no
virtualenv or interpreter of the repository is looked for; extension modules outside the standard
library are not loaded. A deadline ends the child, an address-space limit bounds it.

The child reads one JSON request a line, ``{"root", "path", "sites": [[line, column], ...]}``, and
answers one line, ``[[[path, line, name], ...], ...]``, paths relative to the root.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

MEMORY_BYTES = 1_500_000_000
CACHE_ENTRIES = 8_192
_PROGRAM = "from codeviews.core.resolve.jedi_child import serve; serve()"


class Place(NamedTuple):
    """A site: line from 1, column from 0 in characters, of the name that is called."""

    path: str
    line: int
    column: int


class Found(NamedTuple):
    """A definition inside the repository."""

    path: str
    line: int
    name: str


class JediChild:
    """A child process that answers for one root; started on first use, restarted after a kill."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._process: subprocess.Popen[bytes] | None = None
        # Ours, not the child's: a killed child cannot clean up after itself.
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._cache: dict[tuple[str, int, int, int], list[Found]] = {}

    def __enter__(self) -> JediChild:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None

    def infer(self, places: Sequence[Place], deadline_s: float) -> list[list[Found]]:
        """Definitions of each place, [] where there are none or the time is up."""
        until = time.monotonic() + deadline_s
        results: list[list[Found]] = []
        for place in places:
            results.append(self._one(place, until))
        return results

    def _one(self, place: Place, until: float) -> list[Found]:
        try:
            stamp = (self.root / place.path).stat().st_mtime_ns
        except OSError:
            return []
        key = (place.path, stamp, place.line, place.column)
        if key not in self._cache:
            answer = self.ask(place.path, [(place.line, place.column)], until - time.monotonic())
            if answer is None:
                return []
            if len(self._cache) >= CACHE_ENTRIES:
                self._cache.clear()
            self._cache[key] = answer[0]
        return self._cache[key]

    def ask(
        self, path: str, sites: Sequence[tuple[int, int]], seconds: float
    ) -> list[list[Found]] | None:
        """Definitions of sites of one file; None when the child did not answer in time."""
        if seconds <= 0:
            return None
        process = self._started()
        request = {"root": str(self.root), "path": path, "sites": list(sites)}
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = self._line(process, seconds)
        except OSError:
            line = None
        if not line:
            self.close()
            return None
        answer: list[list[list[Any]]] = json.loads(line)
        return [[Found(str(p), int(n), str(name)) for p, n, name in found] for found in answer]

    def _line(self, process: subprocess.Popen[bytes], seconds: float) -> bytes | None:
        assert process.stdout is not None
        until = time.monotonic() + seconds
        data = b""
        while not data.endswith(b"\n"):
            left = until - time.monotonic()
            if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
                return None
            piece = os.read(process.stdout.fileno(), 65_536)
            if not piece:
                return None
            data += piece
        return data

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._scratch = tempfile.TemporaryDirectory(
                prefix="codeviews-jedi-", ignore_cleanup_errors=True
            )
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", _PROGRAM, self._scratch.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._scratch.name,
                env={"PATH": os.defpath, "LANG": "C.UTF-8"},
            )
        return self._process


def infer(root: Path, places: Sequence[Place], deadline_s: float) -> list[list[Found]]:
    """Definitions of each place by jedi, within ``deadline_s`` seconds for all of them."""
    with JediChild(root) as child:
        return child.infer(places, deadline_s)


# in the child


def serve() -> None:
    """Answer requests until the input ends; the first argument is a folder for jedi's cache."""
    _limit_memory()
    jedi: Any = importlib.import_module("jedi")
    jedi.settings.cache_directory = sys.argv[1]
    scripts = _script_maker(jedi)
    for line in sys.stdin.buffer:
        answer = _answer(scripts, json.loads(line))
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        resource: Any = importlib.import_module("resource")
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _script_maker(jedi: Any) -> Callable[[str, str], Any]:
    environment: Any = importlib.import_module("jedi.api.environment").InterpreterEnvironment()
    standard = [path for path in sys.path if path and "site-packages" not in path]
    projects: dict[str, Any] = {}

    def script(root: str, path: str) -> Any:
        if root not in projects:
            projects[root] = jedi.Project(
                root,
                sys_path=[root, os.path.join(root, "src"), *standard],
                smart_sys_path=False,
                load_unsafe_extensions=False,
                added_sys_path=(),
            )
        file = os.path.join(root, path)
        code = Path(file).read_bytes().decode("utf-8", "replace")
        return jedi.Script(code, path=file, project=projects[root], environment=environment)

    return script


def _answer(scripts: Callable[[str, str], Any], request: dict[str, Any]) -> list[list[Any]]:
    root = request["root"]
    sites = request["sites"]
    try:
        script = scripts(root, request["path"])
    except (OSError, ValueError, RecursionError, MemoryError):
        return [[] for _ in sites]
    return [_definitions(script, root, line, column) for line, column in sites]


def _definitions(script: Any, root: str, line: int, column: int) -> list[list[Any]]:
    try:
        names = script.infer(line, column) or script.goto(line, column, follow_imports=True)
    except Exception:  # jedi raises errors of any kind on unusual code
        return []
    found: list[list[Any]] = []
    for name in names:
        path = str(name.module_path or "")
        if name.line and path.startswith(root + os.sep) and name.type in ("function", "class"):
            found.append([os.path.relpath(path, root).replace(os.sep, "/"), name.line, name.name])
    return found
