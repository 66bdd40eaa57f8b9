"""A child process for syntax trees, because a query may not stop by itself.

A regular expression in ``#match?`` can run for hours and holds the interpreter lock; a pattern can
fill the memory. The parent kills such a child after a deadline; the child also ends by itself when
its standard input closes, and by an alarm should it hang while its parent is gone.
"""

from __future__ import annotations

import atexit
import contextlib
import marshal
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from typing import IO, Any, NamedTuple, cast

from codeviews.core.config import TREE_MEMORY_BYTES, TREE_SECONDS
from codeviews.core.errors import CodeviewsError, MisuseError
from codeviews.core.trees import Capture, Found, TreeText, compiled, run_query, tree_text

_LENGTH = struct.Struct("<Q")
_GRACE_S = 2  # after which a child whose parent did not kill it ends by itself
_idle: list[subprocess.Popen[bytes]] = []
_lock = threading.Lock()


class Source(NamedTuple):
    """A file to look at; ``language`` is a key of ``GRAMMARS``."""

    path: str
    language: str
    text: bytes


class StoppedError(CodeviewsError):
    """The work took too long or too much memory and was ended."""


def query_files(query: str, sources: Iterator[Source]) -> Iterator[tuple[str, Found]]:
    """(path, captures) of each file, in the order given, until the time is over.

    Raises:
        MisuseError: the query is wrong.
        StoppedError: it took longer than ``TREE_SECONDS``, or too much memory.
    """
    ends = time.monotonic() + TREE_SECONDS
    with _worker() as child:
        for source in sources:
            left = ends - time.monotonic()
            if left <= 0:
                raise StoppedError("the time was over")
            request = ("query", source.language, query, source.text)
            captures, partial = _ask(child, request, left)
            yield source.path, Found([Capture(*c) for c in captures], partial)


def tree_of(source: Source, depth: int, first: int, last: int) -> TreeText:
    """One file's syntax tree as lines.

    Raises:
        StoppedError: parsing took too long or too much memory.
    """
    with _worker() as child:
        request = ("tree", source.language, depth, first, last, source.text)
        return TreeText(*_ask(child, request, TREE_SECONDS))


@contextlib.contextmanager
def _worker() -> Generator[subprocess.Popen[bytes]]:
    """An idle child or a new one; it is kept for the next caller unless something went wrong."""
    with _lock:
        child = _idle.pop() if _idle else None
    if child is None or child.poll() is not None:
        child = _start()
    healthy = False
    try:
        yield child
        healthy = True
    except MisuseError:
        healthy = True
        raise
    finally:
        _give_back(child, healthy)


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-m", "codeviews.core.tree_worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _give_back(child: subprocess.Popen[bytes], healthy: bool) -> None:
    if healthy:
        with _lock:
            if len(_idle) < 2:
                _idle.append(child)
                return
    stop(child)


def stop(child: subprocess.Popen[bytes]) -> None:
    """End a child and wait for it."""
    child.kill()
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe:
            with contextlib.suppress(OSError):
                pipe.close()


def stop_idle() -> None:
    """End the children that wait for work."""
    with _lock:
        children = list(_idle)
        _idle.clear()
    for child in children:
        stop(child)


atexit.register(stop_idle)


def _ask(child: subprocess.Popen[bytes], request: tuple[Any, ...], seconds: float) -> Any:
    killer = threading.Timer(seconds, child.kill)
    killer.start()
    try:
        _send(cast(IO[bytes], child.stdin), request)
        kind, value = _receive(cast(IO[bytes], child.stdout))
    except (EOFError, OSError, ValueError) as error:
        raise StoppedError("it took too long or too much memory") from error
    finally:
        killer.cancel()
    if kind == "misuse":
        raise MisuseError(value)
    if kind == "failed":
        raise StoppedError(value)
    return value


def _send(pipe: IO[bytes], value: Any) -> None:
    body = marshal.dumps(value)
    pipe.write(_LENGTH.pack(len(body)) + body)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> Any:
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    return marshal.loads(pipe.read(_LENGTH.unpack(head)[0]))


def _answer(request: Sequence[Any]) -> tuple[str, Any]:
    try:
        if request[0] == "query":
            _, language, query, text = request
            found = run_query(language, compiled(language, query), text)
            return "ok", ([tuple(c) for c in found.captures], found.partial)
        _, language, depth, first, last, text = request
        tree = tree_text(language, text, depth, first, last)
        return "ok", (tree.lines, tree.errors, tree.hidden, tree.cut)
    except MisuseError as error:
        return "misuse", str(error)
    except (MemoryError, RecursionError):
        return "failed", "it needs too much memory"


def _bound_memory() -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (TREE_MEMORY_BYTES, TREE_MEMORY_BYTES))


def main() -> None:
    """Serve requests from standard input until it ends."""
    _bound_memory()
    alarm = getattr(signal, "alarm", None)
    while True:
        try:
            request = _receive(sys.stdin.buffer)
        except EOFError:
            return
        if alarm:
            alarm(int(TREE_SECONDS) + _GRACE_S)
        _send(sys.stdout.buffer, _answer(request))
        if alarm:
            alarm(0)


if __name__ == "__main__":
    main()
