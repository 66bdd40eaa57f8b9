"""The ``codeviews`` command: the same functions as the tools, for people, shells and measurements.

Exit 0 answered, 1 not found (or something failed that the sentence explains), 2 misuse.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from codeviews import __version__
from codeviews.core.config import DEFAULT_MAX_TOKENS
from codeviews.core.errors import CodeviewsError, MisuseError

app = typer.Typer(
    help="Maps of a repository for coding agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Repo = Annotated[Path, typer.Option("--repo", help="Any folder inside the repository.")]
IndexDir = Annotated[
    Path | None, typer.Option("--index-dir", help="Where indexes live; default: user cache.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def main() -> None:
    """Entry point of the script: every error is one sentence on standard error."""
    try:
        app()
    except CodeviewsError as error:
        print(f"codeviews: {error}", file=sys.stderr)
        raise SystemExit(error.exit_code) from error
    except KeyboardInterrupt:
        print("codeviews: stopped; what was indexed is kept", file=sys.stderr)
        raise SystemExit(130) from None


def _print_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command()
def index(
    path: Annotated[Path, typer.Argument(help="Any folder inside the repository.")] = Path(),
    resolver: Annotated[str, typer.Option(help="static, or jedi as the study did.")] = "static",
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; default: cores.")] = None,
    index_dir: IndexDir = None,
    as_json: AsJson = False,
) -> None:
    """Build or refresh the index of a repository."""
    from codeviews.servers.indexing import build

    if resolver not in ("static", "jedi"):
        raise MisuseError(f"there is no resolver {resolver!r}; choose static or jedi")
    report = build(path, index_dir, jobs, resolver, quiet=as_json)
    print(json.dumps(report) if as_json else _summary(report))


def _summary(report: dict[str, Any]) -> str:
    lines = [
        f"{report['files']:,} files, {report['symbols']:,} symbols, {report['edges']:,} edges, "
        f"{report['unresolved']:,} sites without a target, {len(report['skipped']):,} skipped",
        f"{report['seconds']:.1f} s ({report['cpu_seconds']:.1f} CPU s), "
        f"peak {report['peak_rss_mb']:.0f} MB, database {report['db_mb']:.1f} MB",
    ]
    return "\n".join([*lines, *report["notices"]])


@app.command()
def serve(
    view: Annotated[str, typer.Argument(help="ast, callgraph, deps, docs, hybrid or curaloc.")],
    repo: Repo = Path(),
    index_dir: IndexDir = None,
) -> None:
    """Serve a view over MCP on standard input and output."""
    from codeviews.core.session import Session
    from codeviews.servers import views

    found = views.view(view)
    session = Session(repo, index_dir)
    from codeviews.servers import stdio

    stdio.serve(found, session)


@app.command()
def call(
    tool: Annotated[str, typer.Argument(help="A tool name, e.g. callers_of or hybrid:repo_map.")],
    words: Annotated[
        list[str] | None,
        typer.Argument(help="What the tool asks for, e.g. a symbol; others as name=value."),
    ] = None,
    repo: Repo = Path(),
    arg: Annotated[list[str] | None, typer.Option("--arg", help="name=value; repeatable.")] = None,
    arg_file: Annotated[
        list[str] | None, typer.Option("--arg-file", help="name=FILE: the value is its text.")
    ] = None,
    index_dir: IndexDir = None,
    as_json: AsJson = False,
) -> None:
    """Ask one tool; builds the index first when there is none."""
    from codeviews.core.session import Session
    from codeviews.servers.arguments import parse_arguments
    from codeviews.servers.indexing import ensure_index
    from codeviews.servers.toolkit import answer
    from codeviews.servers.views import find_tool

    found = find_tool(tool)
    arguments = parse_arguments(found, arg or [], arg_file or [], words or [])
    found.validate(arguments)
    session = Session(repo, index_dir)
    try:
        ensure_index(session)
        result, max_tokens = answer(session, found, arguments)
        print(json.dumps(result.data) if as_json else result.text(max_tokens, found.pages))
    finally:
        session.close()
    raise typer.Exit(0 if result.found else 1)


@app.command()
def localize(
    report: Annotated[str, typer.Argument(help="A file with the bug report, or - for input.")],
    planner: Annotated[str, typer.Option(help="lexical, anthropic or openai.")] = "lexical",
    model: Annotated[str, typer.Option(help="The planner's model.")] = "",
    summary_model: Annotated[str, typer.Option(help="Summarizes; default: the same.")] = "",
    repo: Repo = Path(),
    index_dir: IndexDir = None,
    as_json: AsJson = False,
) -> None:
    """Rank the functions, methods and classes that a bug report's fix must edit."""
    from codeviews.servers.curaloc.command import run

    found = run(report, planner, (model, summary_model), repo, index_dir)
    print(json.dumps(found.data) if as_json else found.text(DEFAULT_MAX_TOKENS, False))
    raise typer.Exit(0 if found.found else 1)


@app.command()
def status(repo: Repo = Path(), index_dir: IndexDir = None, as_json: AsJson = False) -> None:
    """Say how complete and fresh the index is; builds nothing."""
    from codeviews.servers.indexing import status_of, status_text

    state = status_of(repo, index_dir)
    if as_json:
        print(json.dumps(state))
    else:
        print(status_text(state))
    raise typer.Exit(0 if state["exists"] else 1)


@app.command()
def why(
    path: Annotated[str, typer.Argument(help="A path inside the repository.")],
    repo: Repo = Path(),
) -> None:
    """Explain why a file is, or is not, in the index."""
    from codeviews.core.repository import explain, find_root

    print(explain(find_root(repo), path))


@app.command()
def config(
    host: Annotated[str, typer.Argument(help="claude-code, codex, opencode, cursor or vscode.")],
    view: Annotated[str, typer.Option(help="The server to mount.")] = "hybrid",
    repo: Repo = Path(),
    write: Annotated[bool, typer.Option("--write", help="Write it and show the change.")] = False,
    portable: Annotated[
        bool, typer.Option("--portable", help="For any machine: codeviews on PATH, any folder.")
    ] = False,
) -> None:
    """Print (or write) the MCP configuration of an agent host."""
    from codeviews.servers.hosts import PORTABLE_COMMAND, configure, render

    if portable:
        print(render(host, view, PORTABLE_COMMAND), end="")
    else:
        print(configure(host, view, repo, write))


@app.command()
def doctor(repo: Repo = Path(), index_dir: IndexDir = None, as_json: AsJson = False) -> None:
    """Check Python, SQLite, grammars, the index and the hosts; says how to mend what is broken."""
    from codeviews.servers.doctor import examine

    checks = examine(repo, index_dir)
    if as_json:
        print(json.dumps([check._asdict() for check in checks]))
    else:
        for check in checks:
            print(f"{'ok ' if check.ok else 'BAD'} {check.name}: {check.detail}")
    raise typer.Exit(0 if all(check.ok for check in checks) else 1)


if __name__ == "__main__":
    main()
