"""``make run``: index a repository, serve it over stdio, ask one question, show how to mount it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from codeviews.core.errors import CodeviewsError
from codeviews.core.repository import find_root
from codeviews.servers.hosts import render, server_command
from codeviews.servers.indexing import build

VIEW = "callgraph"
ANSWER_TOKENS = 1500


def main(repo: Path, question: str) -> int:
    """Show the whole path once; the exit code of the process."""
    root = find_root(repo)
    report = build(root, None, None, "static", quiet=False)
    print(
        f"indexed {root}: {report['files']:,} files, {report['symbols']:,} symbols, "
        f"{report['edges']:,} edges in {report['seconds']:.1f} s\n"
    )
    from codeviews.servers.stdio import ask

    command = [part.replace("{view}", VIEW) for part in server_command(str(root))]
    arguments = {"query": question, "max_tokens": ANSWER_TOKENS}
    print(f"> {VIEW}_explore {question!r}\n")
    print(asyncio.run(ask(command, f"{VIEW}_explore", arguments)))
    print(f"\nMount it in Claude Code:\n\n{mount_line(str(root))}")
    return 0


def mount_line(root: str) -> str:
    """The exact command that starts Claude Code with this repository's map."""
    text = " ".join(render("claude-code", VIEW, server_command(root)).split())
    return f"claude --mcp-config '{text}'"


if __name__ == "__main__":
    try:
        raise SystemExit(main(Path(sys.argv[1]), " ".join(sys.argv[2:])))
    except CodeviewsError as error:
        print(f"codeviews: {error}", file=sys.stderr)
        raise SystemExit(error.exit_code) from error
