"""Wall times of every tool of every server over one index, through the official client.

    python benchmarks/tool_times.py Django-5.1.4 --index-dir INDEXES            # all servers
    python benchmarks/tool_times.py Django-5.1.4 --index-dir INDEXES --views callgraph,hybrid

The index must exist (``codeviews index``). 45 symbols by a fixed seed, the five most called among
them; questions and paths are made of the same symbols.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sqlite3
import statistics
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from codeviews.core.grammars import EXAMPLES, grammar_of_file
from codeviews.core.languages import language_of
from codeviews.core.location import index_path
from codeviews.servers.views import VIEWS

SYMBOLS = 40
SEED = 7


def symbols_of(database: Path, n: int) -> list[str]:
    """Varied symbols by a fixed seed: every kind of callable, hubs and leaves."""
    db = sqlite3.connect(database)
    rows = db.execute(
        "SELECT f.path || ':' || s.qualname FROM symbol s JOIN file f ON f.id = s.file_id "
        "WHERE s.kind IN ('function', 'method', 'class') AND f.marks = 0 ORDER BY 1"
    ).fetchall()
    hubs = db.execute(
        "SELECT f.path || ':' || s.qualname FROM edge e JOIN symbol s ON s.id = e.target "
        "JOIN file f ON f.id = s.file_id WHERE e.kind = 'calls' GROUP BY e.target "
        "ORDER BY count(*) DESC LIMIT 5"
    ).fetchall()
    db.close()
    picked = random.Random(SEED).sample(rows, min(n, len(rows)))
    return [row[0] for row in hubs + picked]


def queries_of(symbols: Sequence[str]) -> list[str]:
    """Question-like queries made of the same symbols' words."""
    out: list[str] = []
    for symbol in symbols:
        path, _, name = symbol.rpartition(":")
        words = name.replace("_", " ").replace(".", " ")
        out.append(f"where is {words} handled in {Path(path).stem}")
    return out


class Served:
    """A server process behind the official client."""

    def __init__(self, corpus: Path, home: Path, view: str) -> None:
        self.view = view
        arguments = ["-m", "codeviews.servers.cli", "serve", view, "--repo", str(corpus)]
        arguments += ["--index-dir", str(home)]
        environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
        self.parameters = StdioServerParameters(
            command=sys.executable, args=arguments, env=environment
        )

    def client(self) -> Client:
        """A client that starts the process."""
        return Client(stdio_client(self.parameters))


def text_of(result: Any) -> str:
    """The text of an answer."""
    return result.content[0].text


async def warm(client: Client, tool: str, calls: Sequence[dict[str, Any]]) -> dict[str, float]:
    """p50 and p95 of one tool in ms, and the largest answer in tokens."""
    times: list[float] = []
    tokens = 0
    for arguments in calls:
        started = time.perf_counter()
        result = await client.call_tool(tool, arguments)
        times.append((time.perf_counter() - started) * 1000)
        tokens = max(tokens, len(text_of(result)) // 4)
    ranked = sorted(times)
    return {
        "p50_ms": round(statistics.median(ranked), 1),
        "p95_ms": round(ranked[max(0, int(len(ranked) * 0.95) - 1)], 1),
        "calls": len(ranked),
        "max_tokens": tokens,
    }


_OF_SYMBOL = ("_node", "callers_of", "callees_of", "function_info", "impact_of")
_OF_PATH = ("file_skeleton", "module_deps", "module_overview", "parse_file")


def calls_for(tool: str, symbols: Sequence[str], queries: Sequence[str]) -> list[dict[str, Any]]:
    """Arguments for a tool, by what it takes."""
    paths = [symbol.rpartition(":")[0] for symbol in symbols]
    if tool.endswith("_search"):
        return [{"query": symbol.rpartition(":")[2].rpartition(".")[2]} for symbol in symbols]
    if tool.endswith("_explore"):
        return [{"query": query} for query in queries]
    if tool in ("call_path", "dependency_path"):
        ends = symbols if tool == "call_path" else paths
        return [{"source": a, "target": b} for a, b in pairwise(ends)]
    if tool in _OF_PATH:
        return [{"path": path} for path in paths]
    if tool == "ts_query":
        return [
            {"language": name, "query": EXAMPLES[name], "paths": [path]}
            for path in paths
            if (name := grammar_of_file(path, language_of(path))) in EXAMPLES
        ]
    if tool in ("curaloc_localize", "curaloc_scope"):
        return [{"report": query} for query in queries]
    if tool.endswith(_OF_SYMBOL):
        return [{"symbol": symbol} for symbol in symbols]
    return [{}] * 30


async def view_times(
    served: Served, symbols: Sequence[str], queries: Sequence[str]
) -> dict[str, Any]:
    """Figures of each tool of one server; only of those that need no answer of another."""
    out: dict[str, Any] = {}
    async with served.client() as client:
        tools = (await client.list_tools()).tools
        await client.call_tool(*first_call(served.view, queries))
        for tool in tools:
            if "plan" not in (tool.input_schema.get("required") or []):
                out[tool.name] = await warm(
                    client, tool.name, calls_for(tool.name, symbols, queries)
                )
    return out


def first_call(view: str, queries: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """A first question to a server."""
    tool = "curaloc_scope" if view == "curaloc" else f"{view}_explore"
    return tool, calls_for(tool, [], queries)[0]


def main() -> int:
    """Print one JSON object a server."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--index-dir", type=Path, required=True)
    parser.add_argument("--views", default=",".join(VIEWS))
    options = parser.parse_args()
    corpus = options.corpus.resolve()
    symbols = symbols_of(index_path(corpus, options.index_dir), SYMBOLS)
    for view in options.views.split(","):
        served = Served(corpus, options.index_dir.resolve(), view)
        figures = asyncio.run(view_times(served, symbols, queries_of(symbols)))
        print(json.dumps({view: figures}, indent=1), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
