"""What an index and an answer cost, beside the parse-only floor of the same run.

    python benchmarks/speed.py CORPUS [--view callgraph|...|all] [--jobs 2] [--skip-server] [--copy]

CORPUS is a folder (an unpacked source distribution, a kernel tree, a checkout). Prints one JSON
object. CPU seconds count all processes and children. ``--copy`` works on a copy, which the
one-file-edit figure needs (it writes to a file); without it that figure is left out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil
from mcp import Client
from tool_times import (
    SYMBOLS,
    Served,
    first_call,
    queries_of,
    symbols_of,
    text_of,
    view_times,
)

from codeviews.servers.views import VIEWS

SAMPLE_S = 0.05


def cpu_of_children() -> float:
    """CPU seconds of all finished children."""
    times = os.times()
    return times.children_user + times.children_system


class PeakRss:
    """The largest sum of resident memory over a process tree, sampled (MB)."""

    def __init__(self, pid: int) -> None:
        self.peak = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, args=(pid,), daemon=True)
        self._thread.start()

    def _watch(self, pid: int) -> None:
        while not self._stop.wait(SAMPLE_S):
            try:
                root = psutil.Process(pid)
                total = sum(_rss(p) for p in [root, *root.children(recursive=True)])
            except psutil.NoSuchProcess:
                return
            self.peak = max(self.peak, total / 1e6)

    def close(self) -> float:
        """Stop sampling; the peak."""
        self._stop.set()
        self._thread.join()
        return round(self.peak, 1)


def _rss(process: psutil.Process) -> int:
    try:
        return process.memory_info().rss
    except psutil.NoSuchProcess:
        return 0


def run_index(corpus: Path, home: Path, jobs: int) -> dict[str, Any]:
    """``codeviews index --json`` in a process of its own, with CPU and memory of the tree."""
    command = [sys.executable, "-m", "codeviews.servers.cli", "index", str(corpus), "--json"]
    command += ["--index-dir", str(home), "--jobs", str(jobs)]
    before, started = cpu_of_children(), time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    peak = PeakRss(process.pid)
    out, _ = process.communicate()
    rss = peak.close()
    report = json.loads(out)
    report["skipped"] = len(report["skipped"])
    return report | {
        "wall_s": round(time.monotonic() - started, 2),
        "cpu_s": round(cpu_of_children() - before, 2),
        "peak_rss_sampled_mb": rss,
    }


_PARSED = (
    "c cpp python javascript typescript go java rust ruby php csharp kotlin swift scala bash"
).split()


def parse_only(corpus: str, files: Sequence[tuple[str, str]]) -> None:
    """Parse files with their grammar and drop the trees: the least any index could do."""
    import tree_sitter

    parsers: dict[str, Any] = {}
    for path, language in files:
        if language not in parsers:
            parsers[language] = tree_sitter.Parser(tree_sitter.Language(_grammar(language)))
        parsers[language].parse(Path(corpus, path).read_bytes())


def _grammar(language: str) -> object:
    module = __import__(f"tree_sitter_{'c_sharp' if language == 'csharp' else language}")
    return (getattr(module, f"language_{language}", None) or module.language)()


def floor(corpus: Path, database: Path, jobs: int) -> dict[str, float]:
    """CPU seconds and wall of parsing exactly the indexed code files on the same cores."""
    marks = ",".join("?" * len(_PARSED))
    db = sqlite3.connect(database)
    files = db.execute(f"SELECT path, language FROM file WHERE language IN ({marks})", _PARSED)
    files = files.fetchall()
    source = db.execute("SELECT sum(size) FROM file").fetchone()[0]
    db.close()
    before, started = cpu_of_children(), time.monotonic()
    parts = [files[i::jobs] for i in range(jobs)]
    workers = [multiprocessing.Process(target=parse_only, args=(str(corpus), p)) for p in parts]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return {
        "parse_cpu_s": round(cpu_of_children() - before, 2),
        "parse_wall_s": round(time.monotonic() - started, 2),
        "parsed_files": len(files),
        "source_mb": round(source / 1e6, 2),
    }


async def cold_start(served: Served, tool: str, arguments: dict[str, Any]) -> dict[str, float]:
    """Process start to ``tools/list`` and to the first answer (seconds)."""
    started = time.monotonic()
    async with served.client() as client:
        await client.list_tools()
        listed = time.monotonic()
        await client.call_tool(tool, arguments)
        answered = time.monotonic()
    return {
        "start_to_list_s": round(listed - started, 3),
        "start_to_answer_s": round(answered - started, 3),
    }


def sdk_import_s() -> float:
    """Seconds that importing the SDK alone takes in a fresh process."""
    code = "import time; t = time.time(); import mcp.server.mcpserver; print(time.time() - t)"
    return float(subprocess.check_output([sys.executable, "-c", code]))


async def edit_visible(client: Client, corpus: Path) -> dict[str, float]:
    """Write a new function into a file; seconds until the first answer after it, which shows it."""
    sizes = {path: path.stat().st_size for path in sorted(corpus.rglob("*.py"))}
    target = max((p for p in sizes if sizes[p] < 60_000), key=lambda p: sizes[p])
    times: list[float] = []
    seen = 0
    for i in range(5):
        name = f"codeviews_probe_{i}"
        target.write_text(target.read_text() + f"\n\ndef {name}():\n    return {i}\n")
        started = time.perf_counter()
        text = text_of(await client.call_tool("callers_of", {"symbol": name}))
        times.append(time.perf_counter() - started)
        seen += name in text and "Not found" not in text
    median = statistics.median(times)
    return {"median_s": round(median, 3), "max_s": round(max(times), 3), "seen": seen}


async def serve_figures(
    corpus: Path, home: Path, database: Path, view: str, edit: bool
) -> dict[str, Any]:
    """All figures of a running server."""
    symbols = symbols_of(database, SYMBOLS)
    queries = queries_of(symbols)
    names = list(VIEWS) if view == "all" else [view]
    served = Served(corpus, home, names[0])
    out: dict[str, Any] = {"sdk_import_s": round(sdk_import_s(), 3)}
    out["unchanged_start"] = await cold_start(served, *first_call(names[0], queries))
    out["tools"] = {}
    for name in names:
        figures = await view_times(Served(corpus, home, name), symbols, queries)
        out["tools"] |= {f"{name}:{tool}": times for tool, times in figures.items()}
    if edit:
        async with Served(corpus, home, "callgraph").client() as client:
            await client.call_tool(*first_call("callgraph", queries))
            out["one_file_edit"] = await edit_visible(client, corpus)
    return out


def measure(arguments: argparse.Namespace, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure one corpus."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch, "index")
        corpus = arguments.corpus.resolve()
        if arguments.copy:
            corpus = Path(shutil.copytree(corpus, Path(scratch, corpus.name), symlinks=True))
        say("indexing")
        index = run_index(corpus, home, arguments.jobs)
        database = next(home.rglob("index.db"))
        say("parsing only")
        least = floor(corpus, database, arguments.jobs)
        out: dict[str, Any] = {
            "corpus": corpus.name,
            "index": index,
            "floor": least,
            "ratio_to_floor": round(index["cpu_s"] / max(least["parse_cpu_s"], 0.01), 2),
            "db_over_source": round(database.stat().st_size / 1e6 / least["source_mb"], 2),
            "mb_per_cpu_s": round(least["source_mb"] / index["cpu_s"], 2),
        }
        say("refreshing")
        out["unchanged_refresh"] = run_index(corpus, home, arguments.jobs)
        if not arguments.skip_server:
            say("serving")
            figures = serve_figures(corpus, home, database, arguments.view, arguments.copy)
            out["server"] = asyncio.run(figures)
        return out


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--view", default="callgraph")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--skip-server", action="store_true")
    parser.add_argument("--copy", action="store_true")
    figures = measure(parser.parse_args(), lambda text: print(text, file=sys.stderr))
    print(json.dumps(figures, indent=1))
